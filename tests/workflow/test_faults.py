"""Faults in the middle of a run: a rerun makes the same tables, and does no finished fit again.

They take an hour and run where the variable MVCLUST_FAULTS gives the number of random moments.
Where MVCLUST_TALLY names a file, tests/conftest.py adds a line to it for every fault that was
tried, here and elsewhere; docs/make_faults.py makes a table of them.
"""

import contextlib
import json
import os
import random
import re
import shutil
import subprocess
import time
from pathlib import Path

import psutil
import pytest
from processes import wait_until

from mvclust.datasets.files import sha256_of
from workflow.project import (
    FITS,
    NUMBERS,
    bytes_of,
    data_of_page,
    fail,
    jobs_at_work,
    kill_a_job,
    snakemake,
    start,
    succeed,
)

MOMENTS = range(int(os.environ.get("MVCLUST_FAULTS", "0")))
pytestmark = pytest.mark.skipif(not MOMENTS, reason="long: MVCLUST_FAULTS gives their number")
RULES = ["masks", "fit", "score", "experiment", "runs"]
RULES += ["statistics", "published", "consistency", "claims", "costs"]
RULES += ["report"]
UNSEEDED = {"statistics": "facts", "consistency": "consistency"}  # rule: its table
LATER = ["scores/tiny.parquet", "results/tiny.json"]  # moments after the last fit
WORK = "resources/work/tiny"


def fits_in(folder):
    """The keys of the fits in the journals, whole lines alone, each as often as it was done."""
    keys = []
    for path in Path(folder, "resources/journals").glob("*.jsonl"):
        for line in path.read_bytes().split(b"\n"):
            with contextlib.suppress(ValueError):
                keys.append(json.loads(line)["id"])
    return keys


def is_healed(project, finished):
    """Run again: the same tables as without the fault, no fit lost or done twice."""
    kept = fits_in(project)
    succeed(project)
    assert bytes_of(project, NUMBERS) == bytes_of(finished, NUMBERS)
    done = fits_in(project)
    assert set(kept) <= set(done)
    assert len(done) == len(set(done)) == FITS
    assert "Nothing to be done" in succeed(project)


def wait_for_moment(project, rng):
    """A moment by how far the run is, so that it does not hang on the speed of the machine."""
    choices = [*range(FITS), *LATER * 4]
    moment = rng.choice(choices)
    if isinstance(moment, int):
        wait_until(lambda: len(fits_in(project)) >= moment)
        time.sleep(rng.random() / 2)
    else:
        wait_until((project / "resources/work/tiny" / moment).exists)


@pytest.mark.fault("kill -9 of Snakemake")
@pytest.mark.parametrize("number", MOMENTS)
def test_kill_of_snakemake(number, finished, data_only):
    run = start(data_only)
    wait_for_moment(data_only, random.Random(f"main {number}"))
    run.kill()
    run.wait()
    wait_until(lambda: not jobs_at_work(data_only), seconds=30)
    is_healed(data_only, finished)


@pytest.mark.fault("kill -9 of all jobs at work")
@pytest.mark.parametrize("number", MOMENTS)
def test_kill_of_a_job_of_fits(number, finished, data_only):
    rng = random.Random(f"fit {number}")
    run = start(data_only)
    moment = rng.randrange(FITS - 6)
    wait_until(lambda: len(fits_in(data_only)) >= moment)
    time.sleep(rng.random() / 2)
    for job in jobs_at_work(data_only):
        with contextlib.suppress(psutil.Error):
            job.kill()
    run.wait(timeout=300)
    is_healed(data_only, finished)


@pytest.mark.fault("kill -9 of a job of each rule over a complete run, with another seed")
@pytest.mark.parametrize("rule", RULES)
def test_kill_in_a_rule_over_a_complete_run(rule, finished, tmp_path):
    project = shutil.copytree(finished, tmp_path / "project")
    if rule in UNSEEDED:  # it runs again since its table is gone
        (project / "results/tiny/tables" / f"{UNSEEDED[rule]}.csv").unlink()
    run = start(project, "--config", "seed=1")
    kill_a_job(project, rule, run=run)
    if rule == "fit":  # the fit is tried again, in a child of its own
        run.wait(timeout=300)
    else:
        assert run.wait(timeout=300) != 0
    succeed(project)
    assert bytes_of(project, NUMBERS) == bytes_of(finished, NUMBERS)


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


@pytest.mark.fault("files from the future, as of a clock that went back")
@pytest.mark.parametrize(
    "part", ["resources/raw", "resources/work/tiny/fits", "results/tiny/tables"]
)
def test_a_clock_that_goes_back(part, finished, tmp_path):
    project = shutil.copytree(finished, tmp_path / "project")
    tomorrow = time.time() + 86400
    for path in (project / part).rglob("*"):
        os.utime(path, (tomorrow, tomorrow))
    succeed(project)
    assert bytes_of(project, NUMBERS) == bytes_of(finished, NUMBERS)


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
    note.write_bytes(in_half(note.read_bytes()))
    told = fail(data_only)
    assert "--unlock" in told
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


def in_half(content):
    return content[: len(content) // 2]


def at_a_line_end(content):
    """Without the last line, or empty if there is but one."""
    return content[: content.rstrip(b"\n").rfind(b"\n") + 1]


# What is cut at a time: what is read again, from the first to the last; what a run makes; the rest.
GROUPS = [["resources/raw/handwritten.json"], ["resources/datasets/handwritten.h5"]]
GROUPS += [
    [f"{WORK}/{name}"]
    for name in ("masks/handwritten/paired-0.3.npz", "fits/handwritten/DAIMC.0.jsonl")
]
GROUPS += [[f"{WORK}/{name}"] for name in ("scores/tiny.parquet", "results/tiny.json")]
GROUPS += [["results/tiny/manifest.json"], ["results/tiny/report.html"]]
GROUPS += [[f"results/tiny/{name}" for name in ("tables/tiny.csv", "figures/tiny.svg")]]
GROUPS += [[f"results/tiny/{name}" for name in ("runs.parquet", "fitted.parquet", "costs.csv")]]
GROUPS += [
    ["resources/raw/handwritten/mfeat-pix", "resources/journals/*.DAIMC.jsonl"]
    + [f"{WORK}/{name}" for name in ("study.json", "plan/fit/handwritten/DAIMC.0.json")]
    + [f"{WORK}/progress.jsonl"]
    + [f"{WORK}/logs/fit.handwritten.DAIMC.0.log", ".snakemake/metadata/*"]
    + [f"{WORK}/fits/handwritten/DAIMC.0.jsonl.record", f"{WORK}/records/experiment/tiny.json"]
]


def counted(group):
    """A fault for each file that is cut."""
    fault = pytest.mark.fault("a file of each kind cut, in half and at a line end")
    return pytest.param(group, marks=[fault] * len(group), id=group[0])


@pytest.mark.parametrize("cut", [in_half, at_a_line_end])
@pytest.mark.parametrize("group", [counted(group) for group in GROUPS])
def test_files_that_were_cut(group, cut, finished, tmp_path):
    project = shutil.copytree(finished, tmp_path / "project")
    for kind in group:
        paths = list(project.glob(kind))
        assert paths, kind
        for path in paths:
            path.write_bytes(cut(path.read_bytes()))
    kept = fits_in(project)
    for _ in range(3):  # a damaged file may be named, and is made again by the next run
        done = snakemake(project)
        assert "Traceback" not in done.stdout, done.stdout[-4000:]
        if done.returncode == 0:
            break
        assert "was damaged" in done.stdout, done.stdout[-4000:]
    assert done.returncode == 0, done.stdout[-4000:]
    assert bytes_of(project, NUMBERS) == bytes_of(finished, NUMBERS)
    folder = project / "results/tiny"
    assert data_of_page(folder / "report.html")
    checksums = json.loads((folder / "manifest.json").read_text())["sha256"]
    assert {sha256_of(folder / name) == sha256 for name, sha256 in checksums.items()} == {True}
    products = {path for path in folder.rglob("[!.]*") if path.is_file()}
    assert products == {folder / name for name in ("manifest.json", *checksums)}
    assert set(kept) <= set(fits_in(project))
    assert len(fits_in(project)) == len(set(fits_in(project)))
    assert "Nothing to be done" in succeed(project)
