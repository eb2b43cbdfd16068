"""Only the locks of a dead run go, and a living run is named."""

import json
import os
import platform
import re
import shutil
import subprocess
import sys

import psutil
import pytest
from processes import has_ended, wait_until

from mvclust.bench.record import lock

LOCK = "0.output.lock"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / ".snakemake" / "locks").mkdir(parents=True)
    return tmp_path


def take_lock(folder, name=LOCK):
    (folder / ".snakemake" / "locks" / name).write_text("results/report.html\n")


def write_owner(folder, name, pid, locks, host=None, start="boot 1"):
    """A note as `note_owner` writes it, of another process."""
    owners = folder / ".snakemake" / "mvclust"
    owners.mkdir(exist_ok=True)
    owner = {"host": host or platform.node(), "pid": pid, "since": "12:30", "start": start}
    owner |= {"results": str((folder / name).resolve()), "locks": locks}
    (owners / f"{name}.json").write_text(json.dumps(owner))


@pytest.fixture
def dead():
    """Number of a process that has ended."""
    process = subprocess.Popen(["true"])
    process.wait()
    return process.pid


def test_locks_of_a_dead_run_are_released_also_where_another_process_has_its_number(folder, dead):
    for number in (dead, psutil.Process().ppid()):
        take_lock(folder)
        write_owner(folder, "dead", number, lock.list_locks(folder))
        assert lock.release_dead_locks(folder) == [LOCK]
        assert lock.list_locks(folder) == {}
        assert not list((folder / ".snakemake" / "mvclust").iterdir())


def test_locks_of_a_living_run_stay_beside_a_dead_one(folder, dead):
    take_lock(folder)
    write_owner(folder, "dead", dead, lock.list_locks(folder))
    os.utime(folder / ".snakemake/locks" / LOCK, ns=(5, 5))  # taken since by a living run
    lock.note_owner(folder / "living", {}, folder)
    assert lock.release_dead_locks(folder) == []
    assert list(lock.list_locks(folder)) == [LOCK]


def test_a_run_owns_only_the_locks_that_it_took(folder):
    take_lock(folder)
    before = lock.list_locks(folder)
    take_lock(folder, "1.output.lock")
    lock.note_owner(folder / "mine", before, folder)
    (note,) = (folder / ".snakemake" / "mvclust").iterdir()
    assert list(json.loads(note.read_text())["locks"]) == ["1.output.lock"]


def test_locks_of_other_machines_or_unknown_owners_stay(folder, dead):
    take_lock(folder)
    assert lock.release_dead_locks(folder) == []
    write_owner(folder, "far", dead, lock.list_locks(folder), host="elsewhere")
    for number, text in enumerate(["", "{", "[]", '{"pid": 1}']):
        (folder / f".snakemake/mvclust/{number}.json").write_text(text)
    assert lock.release_dead_locks(folder) == []
    assert list(lock.list_locks(folder)) == [LOCK]


def test_a_living_run_of_the_same_results_is_named(folder, dead):
    parent, results = psutil.Process().ppid(), folder / "default"
    write_owner(folder, "default", parent, {}, start=lock.start_of(parent))
    assert lock.living_owner(results, folder).startswith(f"process {parent} on ")
    assert lock.living_owner(folder / "smoke", folder) is None
    write_owner(folder, "default", dead, {})
    assert lock.living_owner(results, folder) is None
    write_owner(folder, "default", dead, {}, host="elsewhere")
    owner = lock.living_owner(results, folder)
    assert re.search("on elsewhere.*if it is dead, delete", owner)


# What `psutil` says after the clock was set by an hour, told by a process that began after that.
SHIFTED = """
import psutil, sys
from mvclust.bench.record.lock import release_dead_locks, living_owner
real = psutil.Process.create_time
psutil.Process.create_time = lambda self: real(self) + 3600
print(release_dead_locks(sys.argv[1]), living_owner(sys.argv[2], sys.argv[1]))
"""


@pytest.mark.fault("a clock that is set while a run is at work")
def test_a_living_run_keeps_its_lock_when_the_clock_is_set(folder):
    take_lock(folder)
    lock.note_owner(folder / "mine", {}, folder)
    line = [sys.executable, "-c", SHIFTED, folder, folder / "mine"]
    done = subprocess.run(line, capture_output=True, text=True, check=True)
    assert done.stdout.startswith(f"[] process {os.getpid()} on ")
    assert list(lock.list_locks(folder)) == [LOCK]


def test_a_process_is_known_by_its_start():
    process = subprocess.Popen(["sleep", "60"])
    assert lock.start_of(process.pid) == lock.start_of(process.pid) != lock.start_of(os.getpid())
    process.kill()
    wait_until(lambda: has_ended(psutil.Process(process.pid)))
    assert lock.start_of(process.pid) is None  # it has ended, though nobody asked for its exit code
    process.wait()
    assert lock.start_of(process.pid) is None


def test_a_note_that_is_copied_damaged_or_of_a_folder_that_is_gone_does_not_count(tmp_path):
    one, two, results = (tmp_path / name for name in ("one", "two", "results"))
    for folder in (one, two, results):
        folder.mkdir()
    assert lock.claim_results(results, one, one) is None
    copy = shutil.copytree(results, tmp_path / "copy")
    assert lock.claim_results(copy, two, two) is None
    note = json.loads((results / lock.OWNER).read_text())
    (results / lock.OWNER).write_text(json.dumps(note | {"start": "long ago"}))
    assert lock.claim_results(results, two, two)  # it counts though its run has ended
    one.rmdir()
    assert lock.claim_results(results, two, two) is None
    for damaged in ("", "{", "[]", "{}", "1"):
        (results / lock.OWNER).write_text(damaged)
        assert lock.claim_results(results, two, two) is None
        assert json.loads((results / lock.OWNER).read_text())["folder"] == str(two)
    assert [path.name for path in results.iterdir()] == [lock.OWNER]
