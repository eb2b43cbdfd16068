"""Faults in the middle of a run: a rerun makes the same tables, and does no finished fit again.

They take a quarter of an hour and run where the variable MVCLUST_FAULTS gives the number of random
moments. Where MVCLUST_TALLY names a file, a line is added to it for every fault that was survived;
docs/make_faults.py makes a table of them.
"""

import contextlib
import json
import os
import random
import shutil
import subprocess
import time
from pathlib import Path

import psutil
import pytest

from workflow.project import (
    FITS,
    NUMBERS,
    bytes_of,
    fail,
    jobs_at_work,
    kill_a_job,
    start,
    succeed,
    wait_until,
)

MOMENTS = range(int(os.environ.get("MVCLUST_FAULTS", "0")))
pytestmark = pytest.mark.skipif(not MOMENTS, reason="long: MVCLUST_FAULTS gives their number")
RULES = ["draw_masks", "fit_method", "score_experiment", "render_experiment", "collect_runs"]
RULES += ["describe_datasets", "compare_published", "check_printed", "tabulate_cost"]
RULES += ["write_report"]
LATER = ["scores/tiny.parquet", "results/tiny.json"]  # moments after the last fit


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


def tally(fault):
    if "MVCLUST_TALLY" in os.environ:
        with open(os.environ["MVCLUST_TALLY"], "a") as file:
            file.write(json.dumps(fault) + "\n")


def wait_for_moment(project, rng):
    """A moment by how far the run is, so that it does not hang on the speed of the machine."""
    choices = [*range(FITS), *LATER * 4]
    moment = rng.choice(choices)
    if isinstance(moment, int):
        wait_until(lambda: len(fits_in(project)) >= moment)
        time.sleep(rng.random() / 2)
    else:
        wait_until((project / "resources/work/tiny" / moment).exists)


@pytest.mark.parametrize("number", MOMENTS)
def test_kill_of_snakemake(number, finished, data_only):
    run = start(data_only)
    wait_for_moment(data_only, random.Random(f"main {number}"))
    run.kill()
    run.wait()
    wait_until(lambda: not jobs_at_work(data_only), seconds=30)
    is_healed(data_only, finished)
    tally("kill -9 of Snakemake")


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
    tally("kill -9 of all jobs at work")


@pytest.mark.parametrize("rule", RULES)
def test_kill_in_a_rule_over_a_complete_run(rule, finished, tmp_path):
    project = shutil.copytree(finished, tmp_path / "project")
    run = start(project, "--config", "seed=1")
    kill_a_job(project, rule, run=run)
    if rule == "fit_method":  # the fit is tried again, in a child of its own
        run.wait(timeout=300)
    else:
        assert run.wait(timeout=300) != 0
    succeed(project)
    assert bytes_of(project, NUMBERS) == bytes_of(finished, NUMBERS)
    tally("kill -9 of a job over a complete run, with another seed")


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
    tally("full disk")


def test_results_that_cannot_be_written(finished, data_only):
    folder = data_only / "results"
    folder.mkdir()
    with mounted("--bind", folder, on=folder), mounted("-o", "remount,bind,ro", on=folder):
        told = fail(data_only)
        assert "results/tiny cannot be" in told, told[-4000:]
    is_healed(data_only, finished)
    tally("read-only results")


def test_a_clock_that_goes_back(finished, tmp_path):
    project = shutil.copytree(finished, tmp_path / "project")
    tomorrow = time.time() + 86400
    for part in ("resources/raw", "resources/work/tiny/fits", "results/tiny/tables"):
        for path in (project / part).rglob("*"):
            os.utime(path, (tomorrow, tomorrow))
        succeed(project)
        assert bytes_of(project, NUMBERS) == bytes_of(finished, NUMBERS)
        tally("files from the future")
