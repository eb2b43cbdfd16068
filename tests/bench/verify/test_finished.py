"""A folder that is damaged, or that of no run, is refused with a sentence by every command."""

import json
import shutil

import pandas as pd
import pytest
from helpers import ROOT

from mvclust import cli
from mvclust.bench.fit.journal import _line_of
from mvclust.bench.verify import doctor

RUN, TABLE = ROOT / "results/default", "daimc_fig1"
CELL = ["dataset", "setting", "method", "variant", "tuning", "metric"]


@pytest.fixture
def folder(tmp_path):
    """A copy of a committed run, without its figures."""
    return shutil.copytree(RUN, tmp_path / "run", ignore=shutil.ignore_patterns("figures"))


def manifest_with(**changes):
    def spoil(folder):
        path = folder / "manifest.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | changes))

    return spoil


def runs_with(change):
    def spoil(folder):
        path = folder / "runs.parquet"
        change(pd.read_parquet(path)).to_parquet(path)

    return spoil


def text_in(name, text):
    def spoil(folder):
        (folder / name).write_text(text)

    return spoil


SPOILT = {
    "a configuration that is a text": (manifest_with(config="x"), "manifest.json with a config"),
    "a cost that is a number": (manifest_with(cost=1), "manifest.json with a cost"),
    "a cost without stages": (manifest_with(cost={}), "manifest.json with a cost"),
    "checksums that are a list": (manifest_with(sha256=[]), "manifest.json with a sha256"),
    "a manifest that is a list": (text_in("manifest.json", "[]"), "manifest.json with a config"),
    "a configuration of another program": (manifest_with(config={"a": 1}), "configuration than"),
    "no columns": (runs_with(lambda runs: runs[[]]), "runs.parquet is damaged (key)"),
    "no scores": (runs_with(lambda runs: runs.drop(columns="acc")), "it has no column acc"),
    "keys that are numbers": (runs_with(lambda runs: runs.assign(key=1.0)), "its column key"),
    "two fits of a key": (runs_with(lambda runs: pd.concat([runs, runs])), "its column key"),
    "tries that are texts": (runs_with(lambda runs: runs.assign(tries="1")), "its column tries"),
    "versions that are no JSON": (runs_with(lambda r: r.assign(versions="{")), "column versions"),
    "a table of runs that is a text": (text_in("runs.parquet", "key\n1\n"), "runs.parquet"),
}


@pytest.mark.parametrize("how", SPOILT)
@pytest.mark.parametrize("command", ["redraw", "refit", "verify", "recompute"])
def test_a_damaged_or_foreign_folder_is_a_sentence(how, command, folder, capsys):
    spoil, sentence = SPOILT[how]
    key = pd.read_parquet(RUN / "runs.parquet", columns=["key"])["key"].iloc[0]
    row = pd.read_csv(RUN / f"tables/{TABLE}.csv", dtype=str).iloc[0][CELL].dropna()
    words = {"refit": [key], "recompute": [TABLE, *row]}
    spoil(folder)
    assert cli.main([command, str(folder), *words.get(command, [])]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("mvclust: ")
    assert sentence in said.err
    assert said.err.count("\n") == 1


@pytest.mark.parametrize("code", ["x", ["x"], {"DAIMC": 1}, {"DAIMC": {}}])
def test_a_run_that_names_its_code_otherwise_names_none(code, tmp_path, monkeypatch):
    project = tmp_path / "results/odd"
    project.mkdir(parents=True)
    (project / "manifest.json").write_text(json.dumps({"code": code, "commit": 3}))
    (tmp_path / "config").mkdir()
    shutil.copy(ROOT / "config/methods.yaml", tmp_path / "config")
    (finding,) = doctor.results(tmp_path)
    assert finding.text == "results/odd: does not say which code computed its methods"
    assert finding.old


def test_a_check_of_the_doctor_that_fails_is_told_with_exit_code_1(monkeypatch, capsys):
    monkeypatch.setattr(doctor, "sources", lambda _: doctor.Finding("sources", True, ""))
    monkeypatch.setattr(doctor, "blas", lambda: 1 / 0)
    assert doctor.main(ROOT) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if line.startswith("BAD")] == [
        "BAD  BLAS      cannot be examined: ZeroDivisionError: division by zero"
    ]


def test_a_table_that_cannot_be_written_is_a_sentence(folder, tmp_path, capsys):
    assert cli.main(["compare", str(RUN), str(RUN), "--csv", str(tmp_path)]) == 1
    said = capsys.readouterr().err
    assert said.startswith("mvclust: ")
    assert said.endswith(": Is a directory\n")


@pytest.mark.parametrize("row", [[], "x", {"versions": "x"}, {"versions": []}])
def test_lines_of_a_journal_that_are_no_fits_are_passed_over(row, tmp_path, capsys):
    path = tmp_path / "other/journals/a.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(_line_of({"id": "a", "row": row}) + b"\n")
    into = str(tmp_path / "here")
    assert cli.main(["merge", str(tmp_path / "other"), "--into", into]) == 0
    assert capsys.readouterr().out == f"0 new fits in {into}\n"
