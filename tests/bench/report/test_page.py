"""The report page: what it holds, and that its script draws it."""

import base64
import json
import re
import shutil
import subprocess
from functools import partial
from pathlib import Path

import pandas as pd
import pytest
from bench.report import made_up
from bench.report.made_up import describe, grid_of, methods_of, page_of, result, scores_of, table_of
from helpers import ROOT

from mvclust.bench.claims.published import compare
from mvclust.bench.report.answer import DRAWINGS
from mvclust.bench.report.claims import for_page
from mvclust.bench.report.page import SHOWN
from mvclust.metrics import SCORES, Metric

NODE = shutil.which("node")
# The columns of made-up results that have values; others are left out.
FILLED = [n for n in SHOWN if n not in ("published", "difference", "params", "note")]
NAMES = map(shutil.which, ("chromium", "google-chrome", "chromium-browser"))
BROWSER = next(filter(None, NAMES), None)
RUNS = pd.DataFrame({
    "key": ["a", "b"], "method": ["A", "B"], "setting": "s", "repetition": 0,
    "protocol": "random", "missing_rate": 0.3, "error": [None, "singular matrix"],
    "warnings": [["slow"], []], "param_alpha": [1.0, 10.0], "param_beta": None,
})  # fmt: skip

CLUSTER = {"cluster": 1, "size": 9, "certainty": 0.875, "stability": None, "features: a": "g +1"}
ANSWER = {
    "n_samples": 9, "n_clusters": 1, "method": "A & B", "chosen": "by agreement",
    "structure": {"p_value": 0.5, "sentence": "No evidence of separate groups (p = 0.5)."},
    "summary": ["Perhaps there are no clusters.", "9 samples in 1 cluster by A & B."],
    "survival": {"sentence": "Survival by cluster: p = 0.5.", "permutations": 9999},
    "facts": [{"fact": "age", "p": 0.125, "cluster 1": "median 60"}],
    "facts_not_tested": {"name": "nearly every sample has a value of its own"},
    "clusters": [CLUSTER], "files": ["results/toy/labels.csv"],
}  # fmt: skip


@pytest.fixture
def write(tmp_path):
    return partial(page_of, tmp_path)


def drawn(path):
    """What the page's script makes of its data."""
    if NODE is None:
        pytest.skip("node is not installed")
    command = [NODE, Path(__file__).with_name("document.mjs"), path]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_run_without_anything(write):
    for runs in (None, pd.DataFrame(), RUNS.iloc[:0]):
        path = write(runs=runs, comparison=compare([], {}, [], []))
        page = drawn(path)
        assert page["sections"] == []
        assert "no experiments" in page["text"]
        assert "cut run" not in path.read_text().split("<script")[0]


def test_it_names_the_code_that_computed_each_method(write):
    made = {"A": {"estimator": "a.A", "code": ["0123"], "commands": []}}
    assert "A 0123</dd>" in write(manifest=made_up.MANIFEST | {"code": made}).read_text()
    assert "<dt>code</dt>" not in write().read_text()  # of a run that does not say it


def test_an_answer_comes_first_with_its_pictures_and_clusters(write, tmp_path):
    pictures = {name: tmp_path / f"{name}.svg" for name in DRAWINGS}
    for name, path in pictures.items():
        path.write_text(name)
    text = write([describe(id="toy")], answer=(ANSWER, pictures)).read_text(encoding="utf-8")
    section = re.search(r'<section id="answer">(.*?)</section>', text, re.DOTALL)[1]
    assert text.index('id="answer"') < text.index("Methods compared")
    assert "A &amp; B" in section
    assert re.findall("<p.*?>(.*?)</p>", section)[0] == "Perhaps there are no clusters."
    assert "name: nearly every sample has a value of its own." in section
    assert '<a href="labels.csv">' in section
    cells = re.findall(r"<td.*?>(.*?)</td>", section)
    assert cells == ["1", "9", "0.88", "", "g +1", "age", "0.125", "median 60"]
    assert all(re.findall(r'<img src="data:image/svg[^"]*" alt="(.*?)">', section))
    shown = map(base64.b64decode, re.findall(r"base64,([^\"]*)", section))
    assert [picture.decode() for picture in shown] == list(DRAWINGS)


def test_the_ledger_opens_the_page(write):
    claims = pd.read_csv(ROOT / "results/paper/tables/claims.csv")
    claims = claims[claims["verdict"].isin(["holds", "fails"])]
    shown = {"claims": ("Claims", for_page(claims))}
    page = drawn(write([describe()], {"toy": table_of([result()])}, statistics=shown))
    assert page["sections"][0] == "claims"
    counts = [f"{n} {verdict}" for verdict, n in claims["verdict"].value_counts().items()]
    for text in (f"{len(claims)} claims: ", *counts, claims["claim"].iloc[0]):
        assert text in page["text"]


def test_experiments_without_results(write):
    experiments = [describe(id="failed"), describe(id="empty"), describe(id="gone")]
    results = {"failed": table_of([result(**made_up.FAILED)]), "empty": table_of([])}
    path = write(experiments, results)
    page = drawn(path)
    assert page["sections"] == ["best", "failed", "empty", "gone", "failures"]
    assert "No method has a result here." in page["best"]
    assert "Without a result: A (data not available)." in page["best"]
    assert "gone: no results: one of its jobs did not finish." in page["text"]
    assert "No results: data not available." in page["text"]
    assert page["charts"] == []
    assert "2 of them without results" in path.read_text()


def test_cut_runs_have_a_badge(write):
    cut = scores_of(grid_of(missing_rate=[0.0, 0.3], n_samples=[80]))
    experiments = [describe(id="cut"), describe(id="whole")]
    path = write(experiments, {"cut": cut, "whole": table_of([result()])})
    page, head = drawn(path), path.read_text().split("<script")[0]
    assert page["badges"] == ["cut"]
    for text in (page["text"], head):
        assert "Cut run: 80 of 100 samples." in text
    assert "toy: n = 100; 5 masks; tuning: oracle, over 4 grid points." in page["text"]
    assert "Budget: repetitions 1." in head


def test_the_claim_stands_beside_the_finding(write):
    said = {"findings": {"toy": "A is highest in 2 of 3."}}
    path = write([describe(claim="A wins.")], {"toy": scores_of(grid_of(method=["A"]))}, **said)
    text = drawn(path)["text"]
    assert "The paper: A wins." in text
    assert "Here: A is highest in 2 of 3." in text
    assert "The paper:" not in drawn(write([describe()], {"toy": table_of([])}))["text"]


def test_an_experiment_shows_its_figure_and_no_other_chart_of_the_same_numbers(write):
    rows = grid_of(missing_rate=[0.0, 0.3, 0.5], method=["A", "B"], tuning=["oracle", "default"])
    page = drawn(write([describe()], {"toy": scores_of(rows)}))
    assert (page["images"], page["charts"]) == (1, [])
    assert page["rows"] == 1 + len(rows)


def test_a_run_whose_experiments_choose_no_parameters_ranks_no_methods(write):
    page = drawn(write([describe()], {"toy": scores_of(grid_of(tuning=["fixed"], method=["A"]))}))
    assert page["sections"][0] == "toy"
    assert "best" not in page["sections"]


def test_without_a_script_the_first_rows_name_the_csv(write):
    rows = scores_of(grid_of(missing_rate=[i / 50 for i in range(40)], method=["A & B"]))
    text = write([describe(), describe(id="empty")], {"toy": rows, "empty": table_of([])})
    (plain,) = re.findall(r"<noscript>(.*?)</noscript>", text.read_text(), re.DOTALL)
    assert re.findall(r"<code>(tables/.*?)</code>", plain) == ["tables/toy.csv"]
    assert "href=" not in plain  # the page may be handed on alone
    assert "The first 10 of 40 rows" in plain
    assert plain.count("<td>A &amp; B</td>") == 10
    assert "<td>missing_rate=0.18</td>" in plain
    assert "<td>missing_rate=0.2</td>" not in plain


def ranking_of(write, **changes):
    """The chart of three methods with means, the first also with a published number."""
    means = {"A": 50.0, "B": 70.0, "C": 60.0}
    rows = [result(method=method, mean=mean) for method, mean in means.items()]
    rows[0]["published"] = 55.0
    described = describe(methods="ABC", **changes)
    (chart,) = drawn(write([described], {"toy": table_of(rows)}))["rankings"]
    return chart, [word for word in chart["words"] if word in "ABC"]


def test_a_ranking_has_a_dot_for_each_mean_and_each_published_number(write):
    chart, words = ranking_of(write)
    assert words == ["B", "C", "A"]
    assert chart["dots"] == [
        "B, missing_rate=0.3: 70 [48, 52]", "C, missing_rate=0.3: 60 [48, 52]",
        *["A, missing_rate=0.3: 50 [48, 52], published 55"] * 2,
    ]  # fmt: skip


def test_a_ranking_by_a_loss_begins_with_the_lowest(write, monkeypatch):
    loss = Metric("loss", "a loss", len, bounds=(0.0, 100.0), higher_is_better=False)
    monkeypatch.setitem(SCORES, "loss", loss)
    assert ranking_of(write, metrics={"ACC": "loss"})[1] == ["A", "C", "B"]


def test_everything_beside_the_experiments(write, tmp_path):
    partitions = {"id": "parts", "title": "P", "caption": "", "paper": "p", "render": "partitions"}
    described = describe(item="table1")
    results = {"toy": table_of([result()])}
    methods = methods_of("A", published={"A": ["A"]})
    path = write(
        [described, partitions],
        results,
        statistics={"sizes": ("Sizes of data", pd.DataFrame({"dataset": ["toy"], "n": ["3"]}))},
        comparison=compare([described], results, [made_up.printed_number()], methods),
        extra_figures={"Cost": tmp_path / "figure.svg"},
        runs=RUNS,
    )
    page = drawn(path)
    published = ["published_vs_reproduced", "by_paper", "by_method"]
    others = ["failures", "warnings", "Cost", "sizes"]
    assert page["sections"] == ["best", "toy", "parts", *published, *others]
    assert page["images"] == 3
    assert page["heads"][: len(FILLED)] == FILLED
    for text in ("1 undecided", "alpha=10", "singular matrix"):
        assert text in page["text"]
    remote = r"""(src|href)=["']?https?:|\b(fetch|XMLHttpRequest|import)\("""
    assert not re.search(remote, path.read_text())
