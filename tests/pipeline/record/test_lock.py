"""Only the locks of a dead run go, and a living run is named."""

import json
import os
import platform
import subprocess
import sys

import psutil
import pytest

from mvclust.pipeline.record.lock import (
    list_locks,
    living_owner,
    note_owner,
    release_dead_locks,
)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / ".snakemake" / "locks").mkdir(parents=True)
    return tmp_path


def take_lock(folder, name):
    (folder / ".snakemake" / "locks" / name).write_text("results/report.html\n")


def write_owner(folder, name, pid, locks, host=None, started=1.0):
    """A note as `note_owner` writes it, of another process."""
    owners = folder / ".snakemake" / "mvclust"
    owners.mkdir(exist_ok=True)
    owner = {"host": host or platform.node(), "pid": pid, "started": started}
    owner |= {"results": str((folder / name).resolve()), "locks": locks}
    (owners / f"{name}.json").write_text(json.dumps(owner))


@pytest.fixture
def dead():
    """Number of a process that has ended."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_locks_of_a_dead_run_are_released(folder, dead):
    take_lock(folder, "0.output.lock")
    write_owner(folder, "dead", dead, list_locks(folder))
    assert release_dead_locks(folder) == ["0.output.lock"]
    assert list_locks(folder) == {}
    assert not list((folder / ".snakemake" / "mvclust").iterdir())


def test_locks_of_a_living_run_stay_beside_a_dead_one(folder, dead):
    take_lock(folder, "0.output.lock")
    write_owner(folder, "dead", dead, list_locks(folder))
    (folder / ".snakemake" / "locks" / "0.output.lock").unlink()
    take_lock(folder, "0.output.lock")  # a living run has taken the same name since
    os.utime(folder / ".snakemake" / "locks" / "0.output.lock", ns=(5, 5))
    note_owner(folder / "living", {}, folder)
    assert release_dead_locks(folder) == []
    assert list(list_locks(folder)) == ["0.output.lock"]


def test_a_run_owns_only_the_locks_that_it_took(folder):
    take_lock(folder, "0.output.lock")
    before = list_locks(folder)
    take_lock(folder, "1.output.lock")
    note_owner(folder / "mine", before, folder)
    (note,) = (folder / ".snakemake" / "mvclust").iterdir()
    assert list(json.loads(note.read_text())["locks"]) == ["1.output.lock"]


@pytest.mark.parametrize("known", [True, False])
def test_locks_of_other_machines_or_unknown_owners_stay(folder, dead, known):
    take_lock(folder, "0.output.lock")
    if known:
        write_owner(folder, "far", dead, list_locks(folder), host="elsewhere")
    assert release_dead_locks(folder) == []
    assert list(list_locks(folder)) == ["0.output.lock"]


def test_a_living_run_of_the_same_results_is_named(folder, dead):
    parent = psutil.Process().ppid()
    started = psutil.Process(parent).create_time()
    write_owner(folder, "default", parent, {}, started=started)
    assert living_owner(folder / "default", folder).startswith(f"process {parent} on ")
    assert living_owner(folder / "smoke", folder) is None
    write_owner(folder, "default", dead, {})
    assert living_owner(folder / "default", folder) is None
    write_owner(folder, "default", dead, {}, host="elsewhere")
    assert "on elsewhere" in living_owner(folder / "default", folder)
    assert "if it is dead, delete" in living_owner(folder / "default", folder)


def test_a_process_that_took_over_the_number_is_not_the_owner(folder):
    take_lock(folder, "0.output.lock")
    write_owner(folder, "dead", psutil.Process().ppid(), list_locks(folder), started=1.0)
    assert release_dead_locks(folder) == ["0.output.lock"]


@pytest.mark.parametrize("text", ["", "{", "[]", '{"pid": 1}'])
def test_damaged_notes_release_nothing(folder, text):
    take_lock(folder, "0.output.lock")
    (folder / ".snakemake" / "mvclust").mkdir()
    (folder / ".snakemake" / "mvclust" / "x.json").write_text(text)
    assert release_dead_locks(folder) == []
