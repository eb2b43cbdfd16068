"""The page on data of one's own says what happens; workflow/test_own.py runs its walks."""

import re
import subprocess

import pandas as pd
import pytest
from helpers import ROOT

from mvclust import cli
from mvclust.metrics import accuracy
from mvclust.own.views import Views, load
from mvclust.testing import make_blobs

TEXT = (ROOT / "docs" / "own_data.md").read_text(encoding="utf-8")
PYTHON = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
SHELL, SHOWN = re.search(r"```sh\n(mkdir.*?)```\n\n```\n(.*?)```", TEXT, re.DOTALL).groups()
WALKS = re.findall(
    r"```python\n(.*?)```\n\n```sh\nmvclust (look \w+)\n```\n\n```\n(.*?)```", TEXT, re.DOTALL
)


def test_the_first_look_and_the_python_are_as_the_page_shows(tmp_path, monkeypatch, capsys):
    commands, _, command = SHELL.strip().rpartition("\n")
    assert command.startswith("mvclust")
    subprocess.run(["sh", "-c", commands], cwd=tmp_path, check=True)
    monkeypatch.chdir(tmp_path)
    assert cli.main(command.split()[1:]) == 0
    assert capsys.readouterr().out == SHOWN
    shown = load(re.search(r"```yaml\n(.*?)```", TEXT, re.DOTALL)[1])
    assert (tmp_path / "trees" / "views.yaml").read_text() == shown.text()
    # The Python of the page.
    names = {}
    exec(PYTHON[3], names)
    assert [X.shape[1] for X in names["found"].data.Xs] == [3, 2]
    exec(PYTHON[4], names)
    groups = names["labels"].groupby(names["labels"]).groups.values()
    assert sorted(map(sorted, groups)) == [["ash1", "ash2"], ["elm1", "elm2"]]


@pytest.mark.parametrize("number", range(3))
def test_a_walk_needs_one_look_and_at_most_two_questions(number, tmp_path, monkeypatch, capsys):
    code, command, shown = WALKS[number]
    assert command == ("look tumours", "look pump", "look news")[number]
    monkeypatch.chdir(tmp_path)
    exec(code, {})
    assert cli.main(command.split()) == 0
    assert capsys.readouterr().out == shown
    assert shown.count("question ") <= 2


def test_lines_of_the_layouts_and_options_are_those_of_the_program(capsys):
    lines = re.findall(r"\| `(\w+: \{file.*?\})` \|$", TEXT, re.MULTILINE)
    assert len(lines) > 8
    for line in lines:
        above = "views: {}\n" if line.startswith(("mask", "labels")) else "views:\n  "
        assert isinstance(load(above + line), Views)
    with pytest.raises(SystemExit):
        cli.main(["look", "--help"])
    options = set(re.findall(r"--[a-z]+", capsys.readouterr().out)) - {"--help"}
    page = TEXT[TEXT.index("| option of `look`") :]
    assert options == set(re.findall(r"--[a-z]+", page[: page.index("\n\n")]))


def test_the_page_takes_views_from_mudata_and_writes_labels_into_it():
    mudata = pytest.importorskip("mudata", reason="mudata is not installed")
    anndata = pytest.importorskip("anndata")
    Xs, y = make_blobs()
    names = [f"cell {n}" for n in range(len(y))]
    parts = {f"view {v}": anndata.AnnData(pd.DataFrame(X, names)) for v, X in enumerate(Xs)}
    mdata = mudata.MuData(parts)
    exec(PYTHON[-1], {"mdata": mdata})
    assert accuracy(y, mdata.obs["mvclust"].to_numpy()) == 1
