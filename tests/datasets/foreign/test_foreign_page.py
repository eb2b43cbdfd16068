"""The page on data of one's own says what happens."""

import re
import subprocess

import pandas as pd
import pytest
from helpers import ROOT

from mvclust import cli
from mvclust.metrics import accuracy
from mvclust.testing import make_blobs

TEXT = (ROOT / "docs" / "own_data.md").read_text(encoding="utf-8")
PYTHON = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
SHELL, SHOWN = re.search(r"```sh\n(mkdir.*?)```\n\n```\n(.*?)```", TEXT, re.DOTALL).groups()


def make_trees(folder):
    commands = "".join(line for line in SHELL.splitlines(True) if not line.startswith("mvclust"))
    subprocess.run(["sh", "-c", commands], cwd=folder, check=True)


def test_the_five_minute_path_shows_what_the_page_shows(tmp_path, monkeypatch, capsys):
    make_trees(tmp_path)
    monkeypatch.chdir(tmp_path)
    (command,) = [line for line in SHELL.splitlines() if line.startswith("mvclust")]
    assert cli.main(command.split()[1:]) == 0
    assert capsys.readouterr().out == SHOWN


def test_the_python_of_the_page_runs(tmp_path, monkeypatch):
    make_trees(tmp_path)
    monkeypatch.chdir(tmp_path)
    _, reading, framing, _ = PYTHON  # the first is run with the command that follows it
    names = {}
    exec(reading, names)
    assert [X.shape[1] for X in names["found"].Xs] == [3, 1]
    exec(framing, names)
    groups = names["labels"].groupby(names["labels"]).groups.values()
    assert sorted(map(sorted, groups)) == [["ash1", "ash2"], ["elm1", "elm2"]]


def test_the_page_takes_views_from_mudata_and_writes_labels_into_it():
    mudata = pytest.importorskip("mudata", reason="mudata is not installed")
    anndata = pytest.importorskip("anndata")
    Xs, y = make_blobs()
    names = [f"cell {n}" for n in range(len(y))]
    parts = {f"view {v}": anndata.AnnData(pd.DataFrame(X, names)) for v, X in enumerate(Xs)}
    mdata = mudata.MuData(parts)
    exec(PYTHON[-1], {"mdata": mdata})
    assert accuracy(y, mdata.obs["mvclust"].to_numpy()) == 1


def test_every_role_is_on_the_page():
    from mvclust.datasets.foreign.roles import ROLES

    assert set(re.findall(r"--role NAME=(\w+)", TEXT)) == set(ROLES)
