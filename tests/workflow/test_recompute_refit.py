"""Committed numbers are checked by what they follow from: a cell by its fits, a fit by its data."""

import json
import re
import shutil

import pandas as pd
import pytest

from mvclust import cli
from mvclust.bench.score.runs import read_runs, write_runs
from mvclust.bench.verify import recompute, redraw, refit
from mvclust.bench.verify.verify import sample_of
from mvclust.datasets.files import sha256_of
from workflow.project import bytes_of, planned_jobs, succeed

CELL = ["DAIMC", "paired_rate=0.3", "oracle", "ACC"]


@pytest.fixture
def checked(finished, tmp_path, monkeypatch):
    """(results that may be changed, their project); the command line knows the project too."""
    monkeypatch.setattr(cli, "project_folder", lambda: finished)
    return shutil.copytree(finished / "results/tiny", tmp_path / "tiny"), finished


def change(folder, key, column, by):
    """Add a number to the score of one fit in the table of runs."""
    runs = read_runs(folder / "runs.parquet")
    runs.loc[runs["key"] == key, column] += by
    write_runs(runs, folder / "runs.parquet")


def fits_of(folder, method):
    runs = read_runs(folder / "runs.parquet")
    return runs[(runs["method"] == method) & (runs["paired_rate"] == 0.3)]


def test_every_cell_is_recomputed_exactly(checked):
    folder, root = checked
    table = pd.read_csv(folder / "tables/tiny.csv", dtype=str, keep_default_na=False)
    assert set(table["tuning"]) == {"oracle", "default", "label-free"}
    some = table.groupby(["method", "tuning"]).sample(1, random_state=0)
    assert len(some) == 9
    for row in some.to_dict("records"):
        words = [row[name] for name in ("setting", "method", "tuning", "metric")]
        lines, same = recompute.check(folder, root, "tiny", words)
        assert same, lines
        assert lines[-1] == "the same numbers"


def test_an_altered_table_and_an_altered_or_a_missing_fit_are_noticed(checked, capsys):
    folder, root = checked
    path = folder / "tables/tiny.csv"
    table = pd.read_csv(path, dtype=str, keep_default_na=False)
    found = (table[["method", "setting", "tuning", "metric"]] == CELL).all(axis=1)
    assert found.sum() == 1
    table.loc[found, "std"] = "9.000000"
    table.to_csv(path, index=False)
    lines, same = recompute.check(folder, root, "tiny", CELL)
    assert not same
    assert lines[-1] == "differs: std"
    key = next(key for key in fits_of(folder, "DAIMC")["key"] if key in lines[4])
    change(folder, key, "acc", 1e-6)
    assert cli.main(["recompute", str(folder), "tiny", *CELL]) == 1
    assert capsys.readouterr().out.splitlines()[-1].startswith("differs: mean")
    runs = read_runs(folder / "runs.parquet")
    write_runs(runs.drop(fits_of(folder, "DAIMC").index[:2]), folder / "runs.parquet")
    with pytest.raises(recompute.NotChecked, match=r"lacks 2 fits of this cell .* run it again"):
        recompute.check(folder, root, "tiny", CELL)


def test_tables_figures_and_page_are_drawn_again_from_the_fits(checked, capsys):
    folder, _ = checked
    kinds = ("csv", "md", "tex", "svg")
    drawn = {path: path.read_bytes() for kind in kinds for path in folder.rglob(f"*.{kind}")}
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "tables/tiny.tex").write_text("old")
    (folder / "figures/tiny.svg").unlink()
    (folder / "report.html").unlink()
    assert cli.main(["redraw", str(folder)]) == 0
    assert capsys.readouterr().out.startswith(f"{folder}: ")
    assert {path: path.read_bytes() for path in drawn} == drawn
    again = json.loads((folder / "manifest.json").read_text())
    assert again.pop("drawn")["commit"] == manifest["commit"]
    assert again["sha256"].pop("report.html") == sha256_of(folder / "report.html")
    del manifest["sha256"]["report.html"]
    assert again == manifest


def test_fits_of_other_code_are_made_again_where_no_journal_is_and_no_others(
    finished, data_only, monkeypatch
):
    folder = shutil.copytree(finished / "results/tiny", data_only / "results/tiny")
    before = read_runs(folder / "runs.parquet")
    old = before["method"] == "DAIMC"
    changed = before.assign(code=before["code"].mask(old, "0"), acc=before["acc"] - 0.25 * old)
    write_runs(changed, folder / "runs.parquet")
    for path in (folder / "tables").glob("tiny.*"):
        path.write_text("old")
    (folder / "costs.csv").write_text("old")
    output = succeed(data_only, "old_fits")
    assert planned_jobs(output) == {"masks": 2, "fit": 1, "old_fits": 1}
    monkeypatch.setattr(cli, "project_folder", lambda: data_only)
    monkeypatch.chdir(data_only)
    assert cli.main(["redraw", "results/tiny"]) == 0
    after = read_runs(folder / "runs.parquet")
    took = [name for name in after if "seconds" in name or name == "peak_mb"]
    pd.testing.assert_frame_equal(after.drop(columns=took), before.drop(columns=took))
    pd.testing.assert_frame_equal(after[took][~old], before[took][~old])
    assert bytes_of(data_only, "results/tiny/tables/tiny.*") == bytes_of(
        finished, "results/tiny/tables/tiny.*"
    )
    manifest = json.loads((folder / "manifest.json").read_text())
    assert "0" not in manifest["code"]["DAIMC"]["code"]
    for name in ("runs.parquet", "costs.csv"):
        assert manifest["sha256"][name] == sha256_of(folder / name)
    assert (folder / "costs.csv").read_text() != "old"


@pytest.mark.parametrize("renewed", [False, True])
def test_nothing_is_drawn_or_taken_in_where_fits_are_missing(renewed, checked, capsys, monkeypatch):
    folder, _ = checked
    if renewed:  # there are new fits, but not of all
        monkeypatch.setattr(redraw, "renewed", lambda plan, runs: runs.assign(code="new").iloc[3:])
    else:
        write_runs(read_runs(folder / "runs.parquet").iloc[3:], folder / "runs.parquet")
    before = {name: (folder / name).read_bytes() for name in ("runs.parquet", "costs.csv")}
    (folder / "figures/tiny.svg").unlink()
    assert cli.main(["redraw", str(folder)]) == 2
    assert "lacks 3 fits of tiny" in capsys.readouterr().err
    assert not (folder / "figures/tiny.svg").exists()
    assert {name: (folder / name).read_bytes() for name in before} == before


@pytest.mark.parametrize("method", ["DAIMC", "BestSingleView", "ConcatKMeans-knn"])
def test_a_key_is_refitted_to_the_same_digits_and_a_changed_digit_is_noticed(
    checked, capsys, method
):
    folder, root = checked
    fit = fits_of(folder, method).iloc[-1]
    lines, same = refit.check(folder, root, fit["key"])
    assert same, lines
    assert f"{method} on {fit['setting']}, mask {fit['repetition']}" in lines[0]
    assert any(line.split()[:2] == ["acc", str(fit["acc"])] for line in lines)
    change(folder, fit["key"], "nmi_max", 1e-15)
    assert cli.main(["refit", str(folder), fit["key"]]) == 1
    said = capsys.readouterr().out.splitlines()[-1]
    assert said.startswith("differs: nmi_max; made at commit ")
    assert said.endswith("of what it follows from: nothing")
    runs = read_runs(folder / "runs.parquet").assign(code="0")
    write_runs(runs, folder / "runs.parquet")
    lines, same = refit.check(folder, root, fit["key"])
    assert not same
    assert lines[-1].startswith("differs: nmi_max;")
    assert lines[-1].endswith("of what it follows from: code")


def test_a_run_is_verified_and_one_changed_digit_or_byte_is_noticed(checked, capsys):
    folder, _ = checked
    before = {path: sha256_of(path) for path in folder.rglob("*") if path.is_file()}
    assert cli.main(["verify", str(folder), "--sample", "0.1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].startswith("4 of 4 sampled fits (of ")
    assert re.fullmatch(r"(\d+) of \1 tables and (\d+) of \2 figures are made .*", lines[2])
    assert {path: sha256_of(path) for path in folder.rglob("*") if path.is_file()} == before
    (folder / "tables/tiny.md").write_text("")
    key = sample_of(read_runs(folder / "runs.parquet"), 0.1)["key"].iloc[0]
    change(folder, key, "nmi_max", 1e-12)
    assert cli.main(["verify", str(folder), "--sample", "0.1"]) == 1
    text = capsys.readouterr().out
    assert "3 of 4 sampled fits" in text
    assert f"{key} " in text
    assert "nmi_max; nothing else differs" in text
    assert "tables/tiny.md differs" in text
