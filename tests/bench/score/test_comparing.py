"""Two runs beside each other: every number once, and what no interval covers."""

import os
import shutil

import pandas as pd
import pytest

from mvclust.bench.score import comparing
from mvclust.cli import main


def row(method, mean, low=None, high=None, tuning="oracle", params=""):
    return {
        "dataset": "d", "setting": "missing_rate=0.3", "method": method, "variant": None,
        "tuning": tuning, "metric": "ACC", "mean": mean, "ci_low": low, "ci_high": high,
        "params": params,
    }  # fmt: skip


def write(folder, rows):
    (folder / "tables").mkdir(parents=True)
    pd.DataFrame(rows).to_csv(folder / "tables" / "t.csv", index=False)
    pd.DataFrame([{"something": 1}]).to_csv(folder / "tables" / "cost.csv", index=False)
    return folder


@pytest.fixture
def folders(tmp_path):
    # Method -> mean and interval in either run.
    pairs = {"a little": [(50, 40, 60), (58, 55, 61)], "far": [(50, 49, 51), (60, 58, 62)]}
    pairs |= {"single": [(50,), (51,)], "failed": [(None,), (30,)]}
    sweep = [row("sweep", 10 * n, tuning="sweep", params=f"alpha={n}") for n in (1, 2)]
    own = [row("same", 50, 40, 60, params="alpha=1"), row("gone", 50), *sweep]
    other = [row("same", 50, 40, 60, params="alpha=2"), row("new", 50), *sweep[::-1]]
    a, b = ([row(name, *pair[i]) for name, pair in pairs.items()] for i in (0, 1))
    return write(tmp_path / "a", a + own), write(tmp_path / "b", b + other)


def test_every_number_has_a_kind(folders):
    found = comparing.compare_tables(*folders)
    assert dict(zip(found["method"] + found["params"], found["kind"], strict=True)) == {
        "same": comparing.EQUAL, "sweepalpha=1": comparing.EQUAL, "sweepalpha=2": comparing.EQUAL,
        "a little": comparing.WITHIN, "far": comparing.BEYOND, "single": comparing.UNSURE,
        "gone": comparing.ONLY_A, "new": comparing.ONLY_B, "failed": comparing.ONLY_B,
    }  # fmt: skip
    assert found.set_index("method").loc["far", "difference"] == 10


def test_command(folders, tmp_path, capsys):
    a, b = map(str, folders)
    assert main(["compare", a, b, "--csv", str(tmp_path / "all.csv")]) == 0
    said = capsys.readouterr().out
    assert "3 equal, 1 within the intervals, 1 beyond the intervals" in said
    lines = said.splitlines()
    assert lines[2].startswith("Largest of 2 changes")
    assert "+10  50 to 60" in lines[3]
    assert "far" in lines[3]
    assert len(pd.read_csv(tmp_path / "all.csv")) == 9
    counts = comparing.described(comparing.compare_tables(a, a))
    assert counts[-1].endswith("equal")  # nothing changed: counts alone
    table = folders[0] / "tables/t.csv"
    pd.concat([pd.read_csv(folders[1] / "tables/t.csv")] * 2).to_csv(table, index=False)
    assert main(["compare", a, b]) == 1
    assert "t.csv is damaged (a cell twice)" in capsys.readouterr().err
    table.unlink()
    os.mkfifo(table)
    assert main(["compare", a, b]) == 1
    assert "t.csv is damaged (no regular file)" in capsys.readouterr().err
    shutil.rmtree(folders[0] / "tables")
    assert main(["compare", a, b]) == 1
    assert "has no tables of results" in capsys.readouterr().err
