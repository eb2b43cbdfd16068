"""The report page as a reader uses it: questions in few clicks, phone, dark, print, keyboard."""

import html
import json
import re
import shutil
import subprocess
from pathlib import Path

import pandas as pd
import pytest
from bench.report import made_up
from bench.report.made_up import SVG, describe, grid_of, methods_of, page_of, scores_of, table_of
from bench.report.test_page import ANSWER
from helpers import ROOT

from mvclust.bench.claims.published import compare
from mvclust.bench.report.answer import DRAWINGS
from mvclust.bench.report.claims import for_page
from mvclust.bench.report.page import SHOWN
from mvclust.bench.report.unfinished import LOST
from mvclust.metrics import SCORES, Metric

NAMES = map(shutil.which, ("chromium", "google-chrome", "chromium-browser"))
BROWSER = next(filter(None, NAMES), None)
READER = Path(__file__).with_name("reader.js").read_text(encoding="utf-8")
FRAME = """<body><iframe src="page.html{address}" style="width:{width}px;height:1500px;border:0">
</iframe><script>addEventListener("message", event => {{
const told = document.createElement("pre");
told.id = "told"; told.textContent = event.data; document.body.append(told); }});</script></body>"""
JOB = ["fit.toy/A.0", "A", "toy", "ended without a word", "work/logs/fit.toy.A.0.log"]
MANY, CONTROL = [f"Method {i}" for i in range(37)], "given the classes"
ROWS = 2 * 3 * 2 * 3 * 37 + 2
RUNS = pd.DataFrame({
    "key": ["a", "b"], "method": ["A", "B"], "setting": "s", "repetition": 0,
    "protocol": "random", "missing_rate": 0.3, "error": [None, "singular matrix"],
    "warnings": [["slow"], []], "param_alpha": [1.0, 10.0], "param_beta": None,
})  # fmt: skip
pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed")


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """A run with 37 methods and a control, published numbers and failures."""
    folder = tmp_path_factory.mktemp("page")
    figure = folder / "figure.svg"
    axes = {"dataset": ["toy", "other"], "missing_rate": [0.0, 0.3, 0.5], "metric": ["ACC", "NMI"]}
    tunings = ["oracle", "default", "label-free"]
    lost = made_up.FAILED | {"method": "Broken", "note": "5 of 5 fits failed: singular matrix"}
    control = {"method": CONTROL, "dataset": "other", "missing_rate": 0.0, "mean": 100.0}
    control |= {"tuning": "label-free"}
    several = scores_of([*grid_of(**axes, tuning=tunings, method=MANY), lost, control])
    experiments = [describe(methods=MANY, item="table1", places={"s": "toy"})]
    experiments.append(describe(id="crashed", methods=MANY))
    results = {"toy": several, "crashed": table_of([])}
    places = grid_of(dataset=axes["dataset"], method=MANY[:9])
    printed = [made_up.printed_number(**place) for place in places]
    sizes = pd.DataFrame({"dataset": ["toy"], "n": ["3"]})
    partitions = {"id": "parts", "title": "", "caption": "", "paper": "paper"}
    methods = methods_of(*MANY, published={name: [name] for name in MANY})
    return page_of(
        folder, [*experiments, partitions | {"render": "partitions"}], results,
        figures={"toy": figure, "parts": figure}, extra_figures={"Cost": figure},
        statistics={"sizes": ("Sizes of data", sizes)},
        comparison=compare(experiments[:1], results, printed, methods), runs=RUNS,
        looks=methods_of(*MANY, CONTROL), controls=[CONTROL],
        lost=pd.DataFrame([JOB], columns=LOST),
    )  # fmt: skip


def seen(page, act, address="", width=1400, dark=False, library=""):
    """What a script says that uses a page, its clicks and the address at the end; see reader.js.

    `act` is the body of a function, `address` the part of the address from "#" on, `library` a
    script that the page is given.
    """
    scripts = f"<script>{library}</script><script>{READER}</script>"
    scripts += f"<script>read(async () => {{ {act} }});</script></body>"
    text = page.read_text(encoding="utf-8").replace("</body>", scripts)
    page.with_name("page.html").write_text(text, encoding="utf-8")
    frame = page.with_name("frame.html")
    frame.write_text(FRAME.format(address=html.escape(address), width=width), encoding="utf-8")
    command = [
        BROWSER, "--headless", "--no-sandbox", "--disable-gpu",
        f"--user-data-dir={page.with_name('browser')}", "--virtual-time-budget=20000",
        f"--blink-settings=preferredColorScheme={0 if dark else 1}", "--dump-dom", frame.as_uri(),
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=True)
    told = json.loads(html.unescape(re.search(r'<pre id="told">(.*?)</pre>', done.stdout)[1]))
    assert "error" not in told, told["error"]
    return told


EVERYTHING = "for (const d of all('details')) d.open = true; await wait(300);"
OVERVIEW = EVERYTHING + "const beside = query => all(query).filter(n => !n.closest('#best'));"
OVERVIEW += "return { sections: all('details').map(d => d.id), text: document.body.innerText,"
OVERVIEW += "badges: all('details').filter(d => d.querySelector('.badge')).map(d => d.id),"
OVERVIEW += "best: texts('#best')[0], parts: ['img', '.chart', 'tr'].map(q => beside(q).length) };"


def test_the_best_method_without_labels_takes_a_click_and_is_no_control(page):
    act = "await click('#table-winners tbody button', 'other'); return { heads: texts('#best th'),"
    act += "title: texts('#best h3'), answer: texts('#best .answer'),"
    found = seen(page, act + "rows: texts('#best tbody tr').length };")
    assert found["clicks"] <= 3
    assert found["told"]["title"] == ["other, missing rate 0: ACC (%), tuning: label-free"]
    assert found["told"]["answer"][0].startswith("Best: Method ")
    assert "100 samples; 5 masks; 4 grid points" in found["told"]["answer"][0]
    assert {"95 % low", "95 % high", "mean, oracle"} <= set(found["told"]["heads"])
    assert found["told"]["rows"] == len(MANY)


def test_a_ranking_goes_down_and_names_what_has_no_result(page):
    act = "await choose('dataset', 'toy'); await choose('rate', 'missing rate 0.3');"
    act += "const id = document.querySelector('#best .table').id.slice(6);"
    act += "const means = column(id, 'mean').map(Number); await choose('tuning', 'oracle');"
    means, lost = seen(page, act + "return [means, texts('#best p').at(-1)];")["told"]
    assert means == sorted(means, reverse=True)
    assert len(set(means)) > 30
    assert lost == "Without a result: Broken (5 of 5 fits failed: singular matrix)."


def test_published_numbers_take_three_clicks(page):
    act = "await click('#quick a', 'Published beside ours'); await choose('dataset', 'toy');"
    act += "const id = 'published_vs_reproduced'; return { printed: column(id, 'published'), "
    act += "ours: column(id, 'reproduced'), data: column(id, 'dataset'), "
    act += "method: column(id, 'method'), about: texts(`#${id}`)[0] };"
    found = seen(page, act)
    assert found["clicks"] <= 3
    told = found["told"]
    assert re.search(r"\d+ undecided", told["about"])  # of the sentence; cells follow each other
    assert (set(told["data"]), set(told["printed"])) == ({"toy"}, {"51"})
    assert all(told["ours"])
    assert set(told["method"]) == set(MANY[:9])


def test_failures_take_a_click_and_follow_the_filters(page):
    kept = {"dataset=toy": True, "dataset=other": False, "method=B": True, "method=A": False}
    kept |= {"rate=missing+rate+0.3": True, "rate=missing+rate+0.5": False}
    act = "await click('#quick a', 'What failed'); const told = { text: texts('#failures')[0], "
    act += "why: column('lost', 'why'), error: column('failures', 'error'), "
    act += f"job: {LOST}.map(name => column('jobs', name)[0]), head: texts('h1')[0], kept: [] }};"
    act += f"for (const choice of {list(kept)}) {{"
    act += "location.hash = `${choice}&open=failures`; await wait(200);"
    act += "told.kept.push(texts('#failures')[0].includes('alpha=10')); } return told;"
    found = seen(page, act)
    assert found["clicks"] == 1
    assert "crashed: No results" in found["told"].pop("text")
    assert found["told"] == {
        "why": ["5 of 5 fits failed: singular matrix"], "error": ["singular matrix"],
        "job": JOB, "head": "mvclust: toy unfinished run", "kept": list(kept.values()),
    }  # fmt: skip


def test_numbers_and_figures_are_saved(page):
    act = "await click('#filters .csv'); await click('#part-experiments summary');"
    act += "await click('#toy figure .svg');"
    act += "await choose('method', 'Method 3'); await click('#table-toy th button', 'mean');"
    act += "await click('#table-toy .csv'); return { files: await files(),"
    act += "means: column('toy', 'mean').map(Number) };"
    told = seen(page, act)["told"]
    whole, figure, shown = told["files"]
    assert whole["name"] == "toy.csv"
    assert len(whole["text"].splitlines()) == 1 + ROWS
    assert figure == {"name": "toy.svg", "text": SVG}
    table = [line.split(",") for line in shown["text"].splitlines()]
    means = [float(line[table[0].index("mean")]) for line in table[1:]]
    assert len(means) == 2 * 3 * 2 * 3
    assert means == sorted(means, reverse=True) == pytest.approx(told["means"], rel=1e-3)


def test_a_link_shows_the_same_and_back_takes_a_filter_away(page):
    look = "const look = () => ({ sections: texts('details[open] > summary'),"
    look += "rows: texts('#toy tbody tr'), place: texts('#table-toy .tools span')[0],"
    look += "sort: all('#toy th').map(h => h.ariaSort), status: texts('#status')[0],"
    look += "chosen: all('#filters select').map(select => select.value) });"
    act = "await click('#part-experiments summary'); await click('#toy th button', 'mean');"
    act += "await choose('metric', 'NMI'); const before = texts('#status')[0];"
    act += "await choose('dataset', 'other'); history.back(); await wait(500);"
    act += "const after = texts('#status')[0]; history.forward(); await wait(500);"
    act += "await click('#table-toy .tools button', 'next'); return [look(), before, after];"
    first = seen(page, look + act)
    told, before, after = first["told"]
    assert told["status"].startswith("Shown: data: other, metric: NMI.")
    assert before == after != told["status"]
    assert told["sort"].count("descending") == 1
    assert told["chosen"] == ["other", "", "", "NMI", ""]  # one paper: no filter
    assert told["place"] == f"rows 101 to 200 of {3 * 3 * 37}"
    assert len(told["rows"]) == 100
    means = [float(re.search(r"NMI([\d.]+?)1\.55", row)[1]) for row in told["rows"]]
    assert means == sorted(means, reverse=True)
    again = seen(page, look + "await wait(100); return look();", first["address"])
    assert (again["told"], again["address"]) == (told, first["address"])


def test_a_large_table_is_searched_and_turned_and_saved_whole(page):
    act = "await click('#part-experiments summary'); const find = one('#find-toy');"
    act += "const place = () => texts('#table-toy .tools span')[0];"
    act += "const rows = () => column('toy', 'method'), places = [place()];"
    act += "await click('#table-toy .tools button', 'previous'); places.push(place());"
    act += "await click('#table-toy .tools button', 'next'); places.push(place());"
    act += "find.value = 'NMI  OTHER label-free rate=0.5'; find.dispatchEvent(new Event('input'));"
    act += "places.push(place()); const found = rows(); await click('#table-toy .csv');"
    act += "find.value = 'nothing of this'; find.dispatchEvent(new Event('input'));"
    act += "places.push(place()); return { places, found, none: rows(), files: await files() };"
    told = seen(page, act)["told"]
    pages = [f"rows {place} of {ROWS}" for place in ("1 to 100", "1 to 100", "101 to 200")]
    assert told["places"] == [*pages, "37 rows", "0 rows"]
    assert set(told["found"]) == set(MANY)
    assert told["none"] == []
    assert len(told["files"][0]["text"].splitlines()) == 1 + len(MANY)


@pytest.mark.parametrize("width", [390, 1400])
def test_the_page_never_scrolls_to_the_side_and_stays_small(page, width):
    act = EVERYTHING + "const root = document.documentElement;"
    act += "const walker = document.createTreeWalker(document, NodeFilter.SHOW_ALL);"
    act += "let nodes = 0; while (walker.nextNode()) nodes += 1;"
    act += "return [all('.scroll').filter(s => s.scrollWidth > s.clientWidth).length,"
    act += "all('details[open] table').length, innerWidth, root.scrollWidth, nodes,"
    act += "all('#contents').length, all('#menu').length];"
    wide, tables, inner, scroll, nodes, *parts = seen(page, act, width=width)["told"]
    assert nodes < 20_000  # of which all rows of one table would be more
    assert scroll <= inner == width
    assert tables > 5
    assert wide > 0
    assert parts == ([0, 1] if width == 390 else [1, 0])


@pytest.mark.parametrize(("width", "row", "heads"), [(390, "block", 0), (1400, "table-row", 11)])
def test_the_ledger_fits_and_is_a_card_per_claim_on_a_phone(tmp_path, width, row, heads):
    ledger = for_page(pd.read_csv(ROOT / "results/paper/tables/claims.csv"))
    results = {"daimc_table2": table_of([made_up.result(tuning="fixed")])}
    shown = {"claims": ("Claims", ledger)}
    page = page_of(tmp_path, [describe(id="daimc_table2")], results, statistics=shown)
    act = EVERYTHING + "const scroll = one('#table-claims .scroll'), row = one('#table-claims tr');"
    act += "return [scroll.scrollWidth - scroll.clientWidth, getComputedStyle(row).display,"
    act += "texts('#table-claims th').length, texts('#daimc_table2 p .link')[0],"
    act += "all('details').map(d => d.id), document.body.innerText];"
    *shown, about, sections, text = seen(page, act, width=width)["told"]
    assert shown == [0, row, heads]
    assert sections[0] == "claims"
    assert "best" not in sections  # no parameters are chosen: no method is ranked
    counts = [f"{n} {verdict}" for verdict, n in ledger["verdict"].value_counts().items()]
    for part in (f"{len(ledger)} claims: ", *counts, ledger["claim"].iloc[0]):
        assert part in text
    assert about.startswith("D9 ")  # the claim about it leads to the ledger


def test_pictures_of_an_answer_keep_their_size_on_a_phone_and_the_page_its_width(tmp_path):
    figure = tmp_path / "large.svg"
    figure.write_text(SVG.replace("width='10' height='10'", "width='500' height='400'"))
    answer = ANSWER, dict.fromkeys(DRAWINGS, figure)
    page = page_of(tmp_path, [describe()], {"toy": table_of([])}, figures={}, answer=answer)
    act = "const widths = all('#answer img').map(i => i.clientWidth);"
    act += "return [document.documentElement.scrollWidth, ...widths];"
    page_, *pictures = seen(page, act, width=390)["told"]
    assert page_ <= 390
    assert len(pictures) == len(DRAWINGS)
    assert min(pictures) > 600


def test_the_contents_of_a_phone_open_and_close(page):
    act = "const seen = () => all('#contents').length, first = seen(); await click('#menu');"
    act += "const second = seen(); await click('#contents a', 'toy');"
    act += "return [first, second, seen(), document.getElementById('toy').open];"
    assert seen(page, act, width=390)["told"] == [0, 1, 0, True]


def test_dark_is_dark_and_figures_stay_white(page):
    act = "await click('#table-winners tbody button', 'other');"
    act += "await click('#part-experiments summary'); const ground = node => "
    act += "getComputedStyle(node).backgroundColor.match(/\\d+/g).slice(0, 3).map(Number);"
    act += "return [document.body, one('#best svg'), one('#toy img')].map(ground);"
    light, dark = (seen(page, act, dark=dark)["told"] for dark in (False, True))
    assert light == [[255, 255, 255]] * 3
    assert max(dark[0]) < 60
    assert dark[1:] == light[1:]


def test_print_opens_every_section_and_all_is_reached_by_keyboard_with_its_focus(page):
    act = "const open = () => all('details[open]').map(d => d.id), before = open();"
    act += "dispatchEvent(new Event('beforeprint')); const printed = open();"
    act += "const empty = all('details .body').filter(b => !b.children.length).length;"
    act += "dispatchEvent(new Event('afterprint')); await wait(300);"
    act += "const told = { before, printed, after: open(), all: all('details').length, empty };"
    act += EVERYTHING + "const acts = all('*').filter(n => n.onclick);"
    act += "const bare = acts.filter(n => n.tabIndex < 0 || !/^(A|BUTTON)$/.test(n.tagName));"
    act += "const faint = all('a, button, select, summary, .scroll').filter(n => { n.focus();"
    act += "return getComputedStyle(n).outlineStyle === 'none'; });"
    act += "const wrong = [...bare, ...faint].map(n => n.outerHTML.slice(0, 200));"
    act += "return { ...told, acts: acts.length, wrong };"
    told = seen(page, act)["told"]
    assert told["before"] == told["after"] == ["best"]
    printed = ["published_vs_reproduced", "by_paper", "by_method"]
    others = ["failures", "warnings", "Cost", "sizes", "provenance"]
    assert told["printed"] == ["best", "toy", "crashed", "parts", *printed, *others]
    assert told["all"] == len(told["printed"])
    assert told["empty"] == 0
    assert told["acts"] > 50
    assert told["wrong"] == []
    remote = r"""(src|href)=["']?https?:|\b(fetch|XMLHttpRequest|import)\("""
    assert not re.search(remote, page.read_text())


def test_one_s_own_data_has_nothing_of_papers(tmp_path):
    rows = scores_of(grid_of(missing_rate=[0.0, 0.3], method=["A", "B"], tuning=["label-free"]))
    page = page_of(tmp_path, [describe()], {"toy": rows}, runs=RUNS)
    act = EVERYTHING + "return { quick: texts('#quick a'), heads: texts('th'),"
    act += "titles: texts('h2'), text: document.body.innerText };"
    told = seen(page, act)["told"]
    assert told["quick"] == ["Best method", "What failed and why"]
    assert not {"published", "difference"} & set(told["heads"])
    titles = ["Methods compared", "Experiments", "Failures", "Data, cost and provenance"]
    assert told["titles"] == titles
    assert "ublished" not in told["text"]


@pytest.mark.parametrize(("width", "dark"), [(1400, False), (390, True)])
def test_accessibility(page, width, dark):
    package = pytest.importorskip("axe_core_python", reason="the extra test is not installed")
    # Fewer rows: the contrast of each cell is measured.
    act = "await choose('dataset', 'toy'); await choose('method', 'Method 3');" + EVERYTHING
    act += "const { violations, passes } = await axe.run(document);"
    act += "return [passes.length, ...violations.map(v => "
    act += "[v.id, v.nodes.map(n => n.html.slice(0, 200))])];"
    axe = Path(package.__file__).with_name("axe.min.js").read_text(encoding="utf-8")
    passes, *violations = seen(page, act, width=width, dark=dark, library=axe)["told"]
    assert violations == []
    assert passes > 30


def test_experiments_without_results(tmp_path):
    experiments = [describe(id="failed"), describe(id="empty"), describe(id="gone")]
    results = {"failed": table_of([made_up.result(**made_up.FAILED)]), "empty": table_of([])}
    page = page_of(tmp_path, experiments, results)
    told = seen(page, OVERVIEW)["told"]
    assert told["sections"] == ["best", "failed", "empty", "gone", "failures", "provenance"]
    assert "No method has a result here." in told["best"]
    assert "Without a result: A (data not available)." in told["best"]
    assert "gone: no results: one of its jobs did not finish." in told["text"]
    assert "No results: data not available." in told["text"]
    assert "2 of them without results" in page.read_text()


def test_cut_runs_have_a_badge_and_the_claim_stands_beside_the_finding(tmp_path):
    cut = scores_of(grid_of(missing_rate=[0.0, 0.3], n_samples=[80]))
    rows = grid_of(missing_rate=[0.0, 0.3, 0.5], method=["A", "B"], tuning=["oracle", "default"])
    experiments = [describe(id="cut"), describe(id="whole", claim="A wins.")]
    results = {"cut": cut, "whole": scores_of(rows)}
    page = page_of(tmp_path, experiments, results, findings={"whole": "A is highest in 2 of 3."})
    act = OVERVIEW.replace("best:", "heads: texts('#whole th'), best:")
    told, head = seen(page, act)["told"], page.read_text().split("<script")[0]
    assert told["badges"] == ["cut"]
    for text in (told["text"], head):
        assert "Cut run: 80 of 100 samples." in text
    assert "toy: n = 100; 5 masks; tuning: oracle, default, over 4 grid points." in told["text"]
    assert "Budget: repetitions 1." in head
    assert re.findall("The paper: .*", told["text"]) == ["The paper: A wins."]
    assert "Here: A is highest in 2 of 3." in told["text"]
    assert told["parts"] == [2, 0, 2 + len(cut) + len(rows)]  # no other chart of the same numbers
    empty = ("published", "difference", "params", "note")
    assert told["heads"] == [name for name in SHOWN if name not in empty]


def test_a_ranking_by_a_loss_begins_with_the_lowest(tmp_path, monkeypatch):
    loss = Metric("loss", "a loss", len, bounds=(0.0, 100.0), higher_is_better=False)
    monkeypatch.setitem(SCORES, "loss", loss)
    means = {"A": 50.0, "B": 70.0, "C": 60.0}
    rows = table_of([made_up.result(method=method, mean=mean) for method, mean in means.items()])
    rows["published"] = [55.0, None, None]
    page = page_of(tmp_path, [describe(methods="ABC", metrics={"ACC": "loss"})], {"toy": rows})
    act = "const dots = all('#best .chart circle').map(dot => dot.textContent);"
    words, dots = seen(page, act + "return [texts('#best .chart text'), dots];")["told"]
    assert [word for word in words if word in "ABC"] == ["A", "C", "B"]
    shown = ["50 [48, 52], published 55", "50 [48, 52], published 55", "60 [48, 52]", "70 [48, 52]"]
    dots_of = zip("AACB", shown, strict=True)
    assert dots == [f"{name}, missing_rate=0.3: {numbers}" for name, numbers in dots_of]


def test_a_run_of_nothing_or_of_protocols_alone_has_nothing_to_filter(tmp_path):
    for runs in (None, pd.DataFrame(), RUNS.iloc[:0]):
        page = page_of(tmp_path, runs=runs, comparison=compare([], {}, [], []))
    told = seen(page, OVERVIEW)["told"]
    assert told["sections"] == ["provenance"]
    assert "no experiments" in told["text"]
    assert "cut run" not in told["text"]
    rows = pd.DataFrame({"paper": ["paper"], "dataset": "toy", "method": "A", "protocols": 12})
    shown = {"multiverse": ("Protocols", rows)}
    page = page_of(tmp_path, statistics=shown, multiverse=["toy_table1", "toy_table2"])
    act = "const hidden = id => document.getElementById(id).hidden;"
    act += "const parts = ['filters', 'status', 'how', 'part-start', 'part-published'].map(hidden);"
    act += "return [document.documentElement.outerHTML.split('<script')[0], ...parts];"
    top, *parts = seen(page, act)["told"]
    assert parts == [True, True, True, True, False]
    assert "2 experiments with protocols of printed rows." in top
    assert not re.search("0 experiments and|no experiments with results", top)
