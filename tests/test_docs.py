"""The pages: examples run, parameters, figures, links and numbers are all there."""

import importlib
import json
import os
import re
import shutil
import subprocess
import sys
import warnings
from importlib.metadata import version
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
import nbformat
import numpy as np
import pandas as pd
import pytest
from helpers import ROOT, pages_of_docs, references_of
from PIL import Image
from workflow.project import call

import mvclust
from docs import (
    make_choosing,
    make_deep,
    make_forecast,
    make_new_samples,
    make_sceptic,
    make_screenshots,
    make_tutorial,
    pages,
)
from docs.make_fidelity import Recorder, lines_of
from docs.make_peers import comparison
from mvclust.bench.arithmetic import of_process

DOCS = ROOT / "docs"
TEXTS = {path: path.read_text() for path in pages_of_docs()}
BESIDE = ["README.md", "CONTRIBUTING.md", "CODE_OF_CONDUCT.md", "paper.md"]
BESIDE = [ROOT / name for name in (*BESIDE, ".github/PULL_REQUEST_TEMPLATE.md")]
# Where the Python of a page is run: below and in own/test_own_page.py.
RUN = {"tutorial.md", "new_samples.md", "choosing.md", "scikit-learn.md", "scale.md", "own_data.md"}
RUN |= {"order.md"}
# Page of a method -> the classes that it is about, of which the first has the example.
METHODS = pages.pages_of_methods()


def block(page, name):
    """The content of a block of a page, a path from docs/."""
    text = (DOCS / page).read_text(encoding="utf-8")
    return re.search(rf"<!-- begin: {name} -->\n(.*?)\n<!-- end: {name} -->", text, re.DOTALL)[1]


def run_example(page):
    """Run the first Python of a page, a path from docs/: the names that it leaves."""
    names = {}
    exec(re.search(r"```python\n(.*?)```", TEXTS[DOCS / page], re.DOTALL)[1], names)
    return names


def test_every_method_has_one_page_with_the_parameters_of_the_docstring(monkeypatch):
    classes = [name for page in METHODS.values() for name in page]
    assert sorted(classes) == list(pages.estimators())
    make_methods = pytest.importorskip("docs.make_methods", reason="numpydoc is not installed")
    for page, (name, text) in make_methods.blocks().items():
        assert block(page, name) == text, f"{page}: run python docs/make_methods.py"
    # It says whose labels rounding changes, and the year of a paper.
    rows = pd.DataFrame({"method": [*"ABC"], "lowest": 61.25, "highest": 70.0})
    rows = rows.assign(other_labels=[0, 0, 3], same_by_kernel=[True, False, True])
    monkeypatch.setattr(make_methods, "rounding", lambda: rows)
    assert ["`B`" in said for said in make_methods.said_of_rounding([*"ABC"])] == [True, False]
    assert make_methods.short('A. One and B. Two, "Of 1999", SDM 2014') == "One and Two 2014"


@pytest.mark.parametrize("page", METHODS)
def test_page_has_the_papers_of_the_docstring_and_an_example_that_finds_the_groups(page, capsys):
    text = " ".join(TEXTS[DOCS / "methods" / f"{page}.md"].split())
    for name in METHODS[page]:
        assert all(reference in text for reference in references_of(getattr(mvclust, name)))
    names = run_example(f"methods/{page}.md")
    labels = names["model"].labels_
    views = [(names["y"], labels)]
    if isinstance(labels, list):
        views = zip(names["views"].ys, labels, strict=True)
    assert all(mvclust.metrics.accuracy(*view) > 0.9 for view in views)
    assert capsys.readouterr().out


def test_new_samples_page_lists_what_the_methods_have(capsys):
    text = TEXTS[DOCS / "new_samples.md"]
    lines = [line for line in text.splitlines() if line.startswith("| `")]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    expected = [make_new_samples.abilities(*pair) for pair in pages.estimators().items()]
    assert [row[:4] for row in rows] == expected
    named = set(re.findall(r"`(\w+)`", text.partition("**No form**")[0]))
    assert {row[0].strip("`") for row in rows if row[2] == "yes"} <= named
    names = run_example("new_samples.md")
    assert mvclust.metrics.accuracy(names["y"][1::2], names["labels"]) > 0.9
    assert capsys.readouterr().out


def anchors_of(text):
    heads = re.findall(r"^#+ (.*)", text, re.MULTILINE)
    return [re.sub(r"[^\w -]", "", head).lower().replace(" ", "-") for head in heads]


@pytest.mark.parametrize("path", [*TEXTS, *BESIDE], ids=lambda path: path.stem)
def test_links_figures_and_commands_exist_and_blocks_hold_numbers(path):
    text = path.read_text()
    for target, _, anchor in re.findall(r"\]\(([^)#]+)(#([^)]+))?\)", text):
        if not target.startswith("http"):
            assert (path.parent / target).is_file(), target
            assert not anchor or anchor in anchors_of((path.parent / target).read_text()), anchor
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"(?:^|`)make ([a-z]+)", text, re.MULTILINE)) <= targets
    for script in re.findall(r"\bpython ((?:docs|benchmarks)/\w+\.py)", text):
        assert (ROOT / script).is_file(), script
    for command in re.findall(r"^pytest (tests/.*)", text, re.MULTILINE):
        assert all((ROOT / name).exists() for name in command.partition("#")[0].split()), command
    if path in BESIDE:
        return
    blocks = re.findall(r"<!-- begin: (.*?) -->\n(.*?)<!-- end: (.*?) -->", text, re.DOTALL)
    assert 2 * len(blocks) == len(re.findall("<!-- (?:begin|end)", text))
    for begin, content, end in blocks:
        assert begin == end
        assert re.search(r"\d", content)


def test_costs_are_those_of_the_committed_runs(tmp_path):
    words = ["git", "-C", ROOT, "diff", "--name-only", "HEAD", "--", "results/*/costs.csv"]
    if subprocess.run(words, capture_output=True, check=True).stdout:
        pytest.skip("a committed run was made again here")
    runs = make_forecast.committed_runs()
    assert {"default", "paper", "modern"} <= set(runs)
    make_forecast.write_costs_of(runs, tmp_path / "costs.csv")
    assert (tmp_path / "costs.csv").read_bytes() == make_forecast.COSTS.read_bytes()


def test_a_method_is_picked_by_what_it_misses_on_other_data_with_like_shares():
    cases = pd.MultiIndex.from_tuples([("x", 0.0), ("x", 0.5), ("y", 0.0), ("z", 0.5)])
    misses = pd.DataFrame({"A": [9, 0, 0, 4], "B": [0, 9, 3, 3], "C": [9, 9, 9, np.nan]}, cases)
    # x at 0 is decided by y, where A misses less, x at 0.5 by z; C has no result on z.
    assert make_choosing.first_picks(misses) == ["A", "B", "B", "A"]
    # Masks on which a method was not fitted do not count.
    place = {"dataset": "a", "share": 0.1}
    fits = [place | {"mask": mask, "method": name} for mask, name in ((0, "A"), (0, "B"), (1, "A"))]
    assert make_deep.whole_masks(pd.DataFrame(fits))["mask"].tolist() == [0, 0]


# Page -> what its example prints.
PRINTED = {
    "choosing": r"\{'alpha': [\d.]+\} 3\n",
    "order": r"True 0\.[1-9].*\n\{'reversed': '1\.00'.*\nFalse 0\.0\n",
    "scikit-learn": r"\{'columnblocks__estimator__alpha': ",
    "scale": "",
}


@pytest.mark.parametrize("page", PRINTED)
def test_example_prints_what_it_is_for_and_finds_the_groups(page, capsys):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        names = run_example(f"{page}.md")
    assert re.match(PRINTED[page], capsys.readouterr().out)
    assert "labels" not in names or mvclust.metrics.accuracy(names["y"], names["labels"]) > 0.8


@pytest.mark.parametrize("page", pages.MADE_FROM)
def test_a_page_shows_what_its_script_makes_of_the_committed_results(page):
    missing = [name for name in pages.inputs_of(page) if not (ROOT / name).is_file()]
    assert not missing
    assert pages.is_current(page), "run make pages"
    if page != "sceptic":  # whose commands are run below
        made = importlib.import_module(f"docs.make_{page}").blocks()
        assert {name: block(*pages.place_of(page, name)) for name in made} == made


@pytest.mark.parametrize("name", ["printed", "recompute", "controls"])
def test_the_page_for_sceptics_shows_what_its_commands_print(name):
    if name == "printed" and not Path(os.environ.get("MVCLUST_PAPERS", ""), "ueaf.txt").is_file():
        pytest.skip("no texts of the papers here (set MVCLUST_PAPERS)")
    printed = make_sceptic.shown(make_sceptic.commands()[name])
    assert f"<!-- begin: {name} -->\n{printed}\n" in TEXTS[DOCS / "sceptic.md"]


def test_a_page_is_made_again_when_what_it_is_made_from_changes(tmp_path):
    """A project with one page, of which one block is made from one file."""
    for folder in ("docs", "results", "workflow/rules"):
        (tmp_path / folder).mkdir(parents=True)
    for name in ("docs.smk", "docs_inputs.smk"):
        shutil.copy(ROOT / "workflow/rules" / name, tmp_path / "workflow/rules")
    shutil.copytree(ROOT / "envs", tmp_path / "envs")
    shutil.copy(DOCS / "pages.py", tmp_path / "docs")
    (tmp_path / "docs/made_from.yaml").write_text("one: [results/*.csv]\n")
    (tmp_path / "docs/sentences.yaml").write_text("{}")
    (tmp_path / "docs/make_one.py").write_text(
        "from docs.pages import ROOT\n\n\ndef blocks():\n"
        '    return {"x": (ROOT / "results/a.csv").read_text()}\n'
    )
    (tmp_path / "docs/README.md").write_text("")
    page, result = tmp_path / "docs/one.md", tmp_path / "results/a.csv"
    kept = "<!-- begin: y -->\nkept\n<!-- end: y -->\n"
    shown = f"By hand.\n<!-- begin: x -->\n{{}}<!-- end: x -->\n{kept}".format
    page.write_text(shown(""))
    result.write_text("1 \\1\n")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    line = ["-s", "workflow/rules/docs.smk", "docs", "--cores", "1"]

    def makes_something():
        done = call(tmp_path, *line, PATH=path)
        assert done.returncode == 0, done.stdout
        return "Nothing to be done" not in done.stdout

    assert makes_something()
    text = page.read_text()
    assert text.startswith(shown("1 \\1\n") + "<!-- made from: ")
    shutil.rmtree(tmp_path / ".snakemake")  # as after a checkout, with files of any time
    os.utime(result)
    assert not makes_something()
    times = result.stat()
    result.write_text("2\n")
    os.utime(result, (times.st_atime, times.st_mtime))
    assert makes_something()
    assert page.read_text().startswith(shown("2\n") + "<!-- made from: ")
    page.write_text(text)
    assert makes_something()
    with pytest.raises(ValueError, match="0 blocks 'z'"):
        pages.fill("README.md", "z", "")


def test_contributing_bounds_what_an_addition_touches():
    text = (ROOT / "CONTRIBUTING.md").read_text()
    rows = re.findall(r"^\| ([\w ]+) \| (\d) \| (.*) \|$", text, re.MULTILINE)
    touched = {name: (int(number), re.findall("`(.*?)`", files)) for name, number, files in rows}
    for _, (number, files) in touched.items():
        assert number == len(files)
        for file in files:
            known = "<" in file or file == "config/papers.yaml"
            assert (ROOT / file).parent.is_dir() if known else (ROOT / file).exists(), file
    bounds = {"method": 7, "paper": 3, "criterion of tuning": 3, "metric": 2}
    bounds |= {"renderer": 2, "kind of claim": 2, "product": 2, "protocol": 3}
    assert {name: touched[name][0] for name in bounds} == bounds


def test_only_comparisons_with_stored_states_are_noted():
    recorder = Recorder()
    states, other = np.arange(6.0).reshape(2, 3), np.ones(3)
    recorder.known = [("baselines_spectral", "A", states)]
    compared = recorder.listen(lambda ours, theirs: "compared")
    assert compared(states + 1e-3, states) == "compared"
    compared(states[0], states[0])
    compared(other, other)
    compared(other, 2 * states)
    (first, second) = recorder.found["CoRegSpectral, CoTrainSpectral"]
    assert first[:2] == second[:2] == ("baselines_spectral", "A")
    np.testing.assert_allclose(first[2], 1e-3 * 6**0.5 / 55**0.5)
    assert second[2] == 0
    (line,) = lines_of(recorder.found)
    assert line[0] == "CoRegSpectral, CoTrainSpectral"
    assert line[1:4] == ["`baselines_spectral`", 1, "3.3e-04"]


def test_the_page_of_peers_follows_from_a_run(tmp_path):
    (tmp_path / "tables").mkdir()
    place = {"setting": "missing_rate=0.3", "tuning": "default", "metric": "ACC"}
    scores = [place | {"method": "A", "mean": 60.0, "std": 1.0}, place | {"method": "B (other)"}]
    scores.append(scores[0] | {"tuning": "oracle", "mean": 99.0})
    pd.DataFrame(scores).to_csv(tmp_path / "tables/peers.csv")
    cost = {"method": ["B (other)", "A"], "cpu_seconds": [2.5, 0.25]}
    pd.DataFrame(cost).to_csv(tmp_path / "tables/cost.csv")
    versions = [json.dumps({"numpy": "2", "python": "3"} | more) for more in ({}, {"other": "1.5"})]
    pd.DataFrame({"versions": versions}).to_parquet(tmp_path / "runs.parquet")
    manifest = json.loads((ROOT / "results/default/manifest.json").read_text())
    manifest["fits"] = {"number": 6, "failed": 3, "cpu_seconds": 90.0, "reasons": ["B: no"]}
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    text = comparison(tmp_path)
    assert "| method | ACC (%), missing rate 0.3 | CPU s |" in text
    assert "| A | 60.0 ± 1.0 | 0.25 |\n| B (other) | no result | 2.50 |" in text
    assert (
        f"6 fits, 3 without a result (B: no); 1.5 CPU minutes on {manifest['machine']['cpu']}"
        in text
    )
    assert f" other 1.5; Python {manifest['python']}, numpy" in text


def test_every_block_of_python_is_run_and_every_figure_is_shown():
    own = r"\]\((?:\.\./)?figures/([\w.]+)"
    shown = {name for text in TEXTS.values() for name in re.findall(own, text)}
    assert {path.name for path in (DOCS / "figures").iterdir()} == shown
    with_code = {path for path, text in TEXTS.items() if "```python" in text}
    assert with_code == {DOCS / name for name in RUN} | {
        DOCS / "methods" / f"{page}.md" for page in METHODS
    }
    # Of the others the tests run the first block alone.
    for path in with_code - {DOCS / "tutorial.md", DOCS / "own_data.md"}:
        assert TEXTS[path].count("```python") == 1


def plain_and_scores(text):
    """A text without numbers, and the accuracies in it; whole labels differ between processors."""
    scores = [float(x) for x in re.findall(r"accuracy ([\d.]+)", text)]
    return re.sub(r"[\d.]+|\s+", " ", text), scores


def test_the_tutorial_runs_and_prints_what_it_shows():
    """To the digit under the pinned arithmetic and versions of libraries."""
    shown = TEXTS[DOCS / "tutorial.md"]
    matplotlib.use("agg")
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a reader should meet none
        printed = make_tutorial.run(shown)
    assert plt.gcf().axes[0].lines
    plt.close("all")
    (text, scores), (expected, shown_scores) = map(plain_and_scores, (printed, shown))
    assert text == expected
    assert scores == pytest.approx(shown_scores, abs=0.1)
    assert len(scores) > 5
    made = json.loads((ROOT / "results/default/manifest.json").read_text())["libraries"]
    same = all(made[name] == version(name) for name in ("numpy", "scipy", "scikit-learn"))
    assert printed == shown or not (same and of_process().is_pinned)


def test_the_notebook_is_the_tutorial():
    notebook = json.loads((DOCS / "tutorial.ipynb").read_text(encoding="utf-8"))
    assert notebook == make_tutorial.notebook(TEXTS[DOCS / "tutorial.md"])
    nbformat.validate(notebook)
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert len(code) == TEXTS[DOCS / "tutorial.md"].count("```python")
    assert all("```" not in "".join(cell["source"]) for cell in notebook["cells"])


def test_screenshots_are_small_and_of_their_sizes():
    paths = [DOCS / "figures" / f"report_{name}.png" for name in make_screenshots.SHOTS]
    for path, shot in zip(paths, make_screenshots.SHOTS.values(), strict=True):
        with Image.open(path) as image:
            assert image.size == shot[:2]
            assert image.mode == "P"  # few colours
    assert sum(path.stat().st_size for path in paths) < 600_000
