"""The pages: examples run, parameters, figures, links and numbers are all there."""

import json
import re

import pandas as pd
import pytest
from helpers import ROOT, references_of

import mvclust
from docs import make_new_samples, pages
from docs.make_peers import comparison
from mvclust.pipeline.record.manifest import LIBRARIES

DOCS = ROOT / "docs"
TEXTS = {path: path.read_text() for path in sorted(DOCS.rglob("*.md"))}
# Page of a method -> the classes that it is about, of which the first has the example.
METHODS = {
    path.stem: re.findall(
        r"`mvclust\.(\w+)`", re.search(r"\bClass(?:es)?\s(.*?)\.\n", text, re.DOTALL)[1]
    )
    for path, text in TEXTS.items()
    if path.parent == DOCS / "methods"
}


def test_every_method_has_a_page_that_the_list_names():
    classes = [name for page in METHODS.values() for name in page]
    assert sorted(classes) == sorted(name for name in mvclust.__all__ if name[0].isupper())
    listed = re.findall(
        r"^\| \[(.*?)\]\(methods/(\w+)\.md\)", TEXTS[DOCS / "README.md"], re.MULTILINE
    )
    assert {page: names.split(", ") for names, page in listed} == METHODS
    assert len(listed) == len(METHODS)


@pytest.mark.parametrize("page", METHODS)
def test_the_paper_is_that_of_the_docstring(page):
    text = " ".join(TEXTS[DOCS / "methods" / f"{page}.md"].split())
    for name in METHODS[page]:
        for reference in references_of(getattr(mvclust, name)):
            assert reference in text


@pytest.mark.parametrize("page", METHODS)
def test_example_runs_and_finds_the_groups(page, capsys):
    names = {}
    text = TEXTS[DOCS / "methods" / f"{page}.md"]
    exec(re.search(r"```python\n(.*?)```", text, re.DOTALL)[1], names)
    labels = names["model"].labels_
    views = [(names["y"], labels)]
    if isinstance(labels, list):
        views = zip(names["views"].ys, labels, strict=True)
    assert all(mvclust.metrics.accuracy(*view) > 0.9 for view in views)
    assert capsys.readouterr().out


@pytest.mark.parametrize("page", METHODS)
def test_every_parameter_is_on_the_page(page):
    text = TEXTS[DOCS / "methods" / f"{page}.md"]
    listed = re.findall(r"^\| `(\w+)` \| \S", text, re.MULTILINE)
    classes = [getattr(mvclust, name) for name in METHODS[page]]
    expected = {name for estimator in classes for name in estimator._get_param_names()}
    assert len(listed) == len(set(listed))
    assert set(listed) == expected


def test_new_samples_page_lists_what_the_methods_have(capsys):
    text = TEXTS[DOCS / "new_samples.md"]
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in text.splitlines()
        if line.startswith("| `")
    ]
    expected = [make_new_samples.abilities(*pair) for pair in make_new_samples.estimators().items()]
    assert [row[:4] for row in rows] == expected
    named = set(re.findall(r"`(\w+)`", text.partition("**No form**")[0]))
    assert {row[0].strip("`") for row in rows if row[2] == "yes"} <= named
    names = {}
    exec(re.search(r"```python\n(.*?)```", text, re.DOTALL)[1], names)
    assert mvclust.metrics.accuracy(names["y"][1::2], names["labels"]) > 0.9
    assert capsys.readouterr().out


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.stem)
def test_links_and_figures_exist(path):
    for target in re.findall(r"\]\(([^)#]+)", TEXTS[path]):
        assert target.startswith("http") or (path.parent / target).is_file(), target


def test_every_figure_is_shown():
    own = r"\]\((?:\.\./)?figures/([\w.]+)"
    shown = {name for text in TEXTS.values() for name in re.findall(own, text)}
    assert {path.name for path in (DOCS / "figures").iterdir()} == shown


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.stem)
def test_blocks_hold_numbers(path):
    text = TEXTS[path]
    blocks = re.findall(r"<!-- begin: (.*?) -->\n(.*?)<!-- end: (.*?) -->", text, re.DOTALL)
    assert len(blocks) == text.count("<!-- ") / 2
    for begin, content, end in blocks:
        assert begin == end
        assert re.search(r"\d", content)


def test_fill_replaces_one_block_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(pages, "DOCS", tmp_path)
    page = tmp_path / "page.md"
    mark = "<!-- begin: {0} -->\n{1}<!-- end: {0} -->\n"
    page.write_text("A\n" + mark.format("x", "old\n") + "B\n" + mark.format("y", "kept\n"))
    pages.fill("page.md", "x", r"new \1")
    assert page.read_text() == (
        "A\n" + mark.format("x", "new \\1\n") + "B\n" + mark.format("y", "kept\n")
    )
    with pytest.raises(ValueError, match="0 blocks 'z'"):
        pages.fill("page.md", "z", "")
    assert pages.table(["", "a"], [["b", 1]]) == "|  | a |\n| --- | ---: |\n| b | 1 |"


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
    manifest = {
        "created": "2026-01-02T03:04:05Z", "commit": "0123456789abcdef", "python": "3",
        "machine": {"cpu": "a processor"}, "libraries": dict.fromkeys(LIBRARIES, "9"),
        "fits": {"number": 6, "failed": 3, "cpu_seconds": 90.0, "reasons": ["B: no"]},
    }  # fmt: skip
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    text = comparison(tmp_path)
    assert "| method | ACC (%), missing rate 0.3 | CPU s |" in text
    assert "| A | 60.0 ± 1.0 | 0.25 |\n| B (other) | no result | 2.50 |" in text
    assert "6 fits, 3 without a result (B: no); 1.5 CPU minutes on a processor" in text
    assert " other 1.5; Python 3, numpy 9" in text


def test_the_core_is_light():
    rows = re.findall(
        r"^\| `(.*?)` \| (\d+) \| (\d+) MB \|", TEXTS[DOCS / "install.md"], re.MULTILINE
    )
    sizes = {name: (int(packages), int(mb)) for name, packages, mb in rows}
    assert list(sizes) == ["mvclust", "mvclust[data]", "mvclust[pipeline]"]
    packages, mb = sizes["mvclust"]
    assert packages <= 10
    assert mb <= 280
