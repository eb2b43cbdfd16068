"""Journals of finished fits: lines that a crash cut, and fits that were made elsewhere."""

import os
from multiprocessing import Process

import pytest

from mvclust.bench.fit.journal import Journal, _line_of, merge_journals
from mvclust.bench.record.provenance import library_versions
from mvclust.cli import main

HERE = {"versions": library_versions()}


def test_merged_fits_are_there_once(tmp_path):
    away, here = tmp_path / "away", tmp_path / "here"
    name, other = "journals/d.random-0.3.DAIMC.jsonl", "journals/other.jsonl"
    for key in ("both", "away"):
        Journal(away / name).append(key, HERE | {"n": key})
    Journal(away / other).append("new", HERE)
    Journal(here / name).append("both", HERE | {"n": "kept"})
    with open(away / name, "ab") as file:
        file.write(b'\n{"id": "cut')
    assert [len(merge_journals(away, here)) for _ in range(2)] == [2, 0]
    rows = Journal(here / name).rows
    assert {key: row["n"] for key, row in rows.items()} == {"both": "kept", "away": "away"}
    assert list(Journal(here / other).rows) == ["new"]
    assert (here / name).read_bytes().count(b'"id"') == 2


def append_many(path, name):
    """Append long rows, as a job of fits does."""
    journal = Journal(path)
    for i in range(20):
        journal.append(f"{name}{i}", {"labels": "x" * (200_000 if i % 5 == 0 else 9000)})


@pytest.mark.fault("fits merged beside two jobs that write into the same journal")
def test_merging_beside_a_run_loses_no_fit(tmp_path):
    away, here = tmp_path / "away", tmp_path / "here"
    append_many(away / "journals/j.jsonl", "away")
    runs = [Process(target=append_many, args=(here / "journals/j.jsonl", name)) for name in "ab"]
    for process in runs:
        process.start()
    assert len(merge_journals(away, here)) == 20
    for process in runs:
        process.join()
    assert len(Journal(here / "journals/j.jsonl").rows) == 60


def test_command_says_what_a_run_will_not_take(tmp_path, capsys):
    away, here = tmp_path / "away", tmp_path / "here"
    Journal(away / "journals" / "j.jsonl").append("one", HERE)
    Journal(away / "journals" / "j.jsonl").append("two", {"versions": {"numpy": "1.0"}})
    assert main(["merge", str(away), "--into", str(here)]) == 0
    said = capsys.readouterr().out
    assert "2 new fits" in said
    assert "1 of them were made with other versions" in said
    assert main(["merge", str(here / "nothing"), "--into", str(here)]) == 1
    assert "expected a resources folder of a run" in capsys.readouterr().err


def test_a_failure_is_no_result_here_or_elsewhere(tmp_path):
    failed = {"labels": None, "error": "MemoryError: no"}
    away, here = Journal(tmp_path / "away.jsonl"), Journal(tmp_path / "here.jsonl")
    away.append_failure("one", failed, "run 1")
    away.append("two", failed)  # as an earlier version wrote it
    assert Journal(away.path).rows == {}
    assert Journal(away.path).failures == {"one": (failed, "run 1")}
    assert here.take(Journal(away.path)) == []


ODD = [{"id": "two", "row": row} for row in (5, [], "x", {"versions": "x"}, {"versions": []})]


@pytest.mark.fault("a damaged line of a journal")
@pytest.mark.parametrize(
    "line",
    [
        b'{"id": "two", "row": {"error": null}}',
        b'{"id": "two", "row": {"error": null}, "sha256": "0123456789abcdef"}',
        *(_line_of(entry) for entry in [*ODD, [], {"failed": "two", "row": {}}]),
        b'{"id": "two", "row": {"ac',  # that a crash cut
    ],
)
def test_a_line_that_is_no_entry_is_passed_over(line, tmp_path):
    path = tmp_path / "j.jsonl"
    Journal(path).append("one", {"error": None, "n": 1})
    with open(path, "ab") as file:
        file.write(b"\n" + line + b"\n")
    Journal(path).append("three", {"error": None, "n": 3})
    journal = Journal(path)
    assert list(journal.rows) == ["one", "three"]
    assert journal.failures == {}


@pytest.mark.fault("a damaged line of a journal")
def test_a_row_whose_bytes_changed_is_no_other_row(tmp_path):
    path = tmp_path / "j.jsonl"
    row = Journal(path).append("one", {"error": None, "labels": "0101", "n": 1.5})
    whole = path.read_bytes()
    for place in range(len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        assert Journal(path).rows in ({}, {"one": row})


@pytest.mark.fault("a pipe or a device among journals")
def test_merging_does_not_wait_for_what_is_no_file(tmp_path):
    away, here = tmp_path / "away", tmp_path / "here"
    Journal(away / "journals/j.jsonl").append("one", HERE | {"error": None})
    os.mkfifo(away / "journals/pipe.jsonl")
    (away / "journals/device.jsonl").symlink_to("/dev/zero")
    (away / "journals/folder.jsonl").mkdir()
    assert len(merge_journals(away, here)) == 1
    Journal(away / "journals/j.jsonl").append("two", HERE | {"error": None})
    (here / "journals/j.jsonl").unlink()
    os.mkfifo(here / "journals/j.jsonl")
    with pytest.raises(OSError, match=r"j\.jsonl is no regular file; delete it"):
        merge_journals(away, here)
    (away / "journals/j.jsonl").unlink()
    with pytest.raises(FileNotFoundError, match="has no fits"):
        merge_journals(away, here)
