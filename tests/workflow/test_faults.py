"""Faults beside the files of a run: a rerun makes the same tables, and does no finished fit again.

They are long and run where the variable MVCLUST_FAULTS is set. Where MVCLUST_TALLY names a file,
tests/conftest.py adds a line to it for every fault that was tried, here and elsewhere;
docs/make_faults.py makes a table of them.
"""

import contextlib
import json
import os
import re
import shutil
import subprocess

import pytest
from processes import wait_until

from workflow.project import FITS, NUMBERS, bytes_of, fail, fits_in, jobs_at_work, start, succeed

pytestmark = pytest.mark.skipif("MVCLUST_FAULTS" not in os.environ, reason="long: MVCLUST_FAULTS")


def is_healed(project, finished):
    """Run again: the same tables as without the fault, no fit lost or done twice."""
    kept = fits_in(project)
    succeed(project)
    assert bytes_of(project, NUMBERS) == bytes_of(finished, NUMBERS)
    done = fits_in(project)
    assert set(kept) <= set(done)
    assert len(done) == len(set(done)) == FITS
    assert "Nothing to be done" in succeed(project)


@contextlib.contextmanager
def mounted(*options, on):
    """Something mounted on a folder; skips where that is not allowed."""
    done = subprocess.run(["mount", *options, str(on)], capture_output=True, check=False)
    if done.returncode:
        pytest.skip("nothing can be mounted here")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(on)], check=True)


@pytest.mark.fault("full disk")
@pytest.mark.parametrize("part", ["results", "resources/journals", "resources/work"])
def test_a_full_disk(part, finished, data_only):
    folder = data_only / part
    folder.mkdir(parents=True, exist_ok=True)
    with mounted("-t", "tmpfs", "-o", "size=64k", "tmpfs", on=folder):
        (folder / "filled").write_bytes(b"0" * 40_000)
        told = fail(data_only)
        assert "No space left" in told, told[-4000:]
    (data_only / part / "filled").unlink(missing_ok=True)
    succeed(data_only)
    assert bytes_of(data_only, NUMBERS) == bytes_of(finished, NUMBERS)


@pytest.mark.fault("read-only results")
def test_results_that_cannot_be_written(finished, data_only):
    folder = data_only / "results"
    folder.mkdir()
    with mounted("--bind", folder, on=folder):
        subprocess.run(["mount", "-o", "remount,bind,ro", str(folder)], check=True)
        told = fail(data_only)
        assert "results/tiny cannot be" in told, told[-4000:]
    is_healed(data_only, finished)


def killed_in_the_middle(project):
    """Start a run and kill it with its jobs; gives the note of who made the results."""
    run = start(project)
    wait_until(lambda: len(fits_in(project)) >= 2, run=run)
    run.kill()
    run.wait()
    wait_until(lambda: not jobs_at_work(project), seconds=30)
    (note,) = (project / ".snakemake/mvclust").glob("*.json")
    return note


@pytest.mark.fault("a lock left by a dead process on another machine")
def test_a_lock_of_another_machine(finished, data_only):
    note = killed_in_the_middle(data_only)
    owner = json.loads(note.read_text()) | {"host": "elsewhere"}
    note.write_text(json.dumps(owner))
    told = fail(data_only)
    (sentence,) = re.findall("^mvclust: results/tiny is being made by another run.*", told, re.M)
    assert "on elsewhere" in sentence
    # As the sentence says.
    delete, unlock = re.search(
        r"if it is dead, delete (.*) and call snakemake (--\w+)", sentence
    ).groups()
    (data_only / delete).unlink()
    succeed(data_only, unlock)
    is_healed(data_only, finished)


@pytest.mark.fault("a note of who made the results that was cut")
def test_a_cut_note_of_the_owner(finished, data_only):
    note = killed_in_the_middle(data_only)
    note.write_bytes(note.read_bytes()[:50])
    assert "--unlock" in fail(data_only)
    succeed(data_only, "--unlock")
    is_healed(data_only, finished)


@pytest.mark.fault("two runs with other keys beside each other")
def test_two_runs_beside_each_other(finished, data_only, tmp_path):
    alone = shutil.copytree(data_only, tmp_path / "alone")
    other = ["--config", "run=other", "seed=3"]
    runs = [start(data_only), start(data_only, *other)]
    assert [run.wait(timeout=600) for run in runs] == [0, 0]
    succeed(alone, *other)
    assert bytes_of(data_only, NUMBERS) == bytes_of(finished, NUMBERS)
    numbers = NUMBERS.replace("tiny", "other")
    assert bytes_of(data_only, numbers) == bytes_of(alone, numbers) != bytes_of(finished, NUMBERS)
    assert len(fits_in(data_only)) == len(set(fits_in(data_only)))
