"""The pages: examples run, parameters, figures, links and numbers are all there."""

import re

import pytest
from helpers import ROOT

import mvclust
from docs import pages

DOCS = ROOT / "docs"
METHODS = {
    "cmvnmf": "CMVNMF",
    "daimc": "DAIMC",
    "mpac": "MPAC",
    "multinmf": "MultiNMF",
    "pvc": "PVC",
    "ueaf": "UEAF",
}
TEXTS = {path: path.read_text() for path in sorted(DOCS.rglob("*.md"))}


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
    expected = set(getattr(mvclust, METHODS[page])._get_param_names())
    assert len(listed) == len(set(listed))
    assert set(listed) == expected


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
