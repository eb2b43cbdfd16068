"""The Slurm profile, on a Slurm of this machine alone; skipped where its packages are not."""

import contextlib
import importlib.util
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

import pytest
from processes import wait_until

from workflow.one_machine import OneMachineSlurm, missing_programs
from workflow.project import FITS, NUMBERS, bytes_of, edit, environment, fits_in, interpreter

PROFILE = ["--workflow-profile", "profiles/slurm", "--configfile", "tiny.yaml"]
PROFILE += ["--slurm-init-seconds-before-status-checks", "2"]  # the jobs are short


@contextlib.contextmanager
def slurm_of(accounting):
    missing = missing_programs(accounting)
    if importlib.util.find_spec("snakemake_executor_plugin_slurm") is None:
        missing.append("snakemake-executor-plugin-slurm")
    if missing:
        pytest.skip(f"Slurm is not installed here: no {', '.join(missing)}")
    with (
        tempfile.TemporaryDirectory(prefix="slurm", dir="/tmp") as folder,  # sockets: a short path
        OneMachineSlurm(folder, accounting=accounting) as slurm,
    ):
        yield slurm


def start(project, slurm, warm=False):
    """Start the run; its whole output is stdout."""
    path = os.pathsep.join([os.path.dirname(sys.executable), slurm.environment["PATH"]])
    return subprocess.Popen(
        [interpreter(warm), "-m", "snakemake", *PROFILE],
        cwd=project, env=environment(project) | {"PATH": path}, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
    )  # fmt: skip


def finish(project, slurm, warm=False):
    run = start(project, slurm, warm)
    output, _ = run.communicate(timeout=600)
    assert run.returncode == 0, output[-4000:]
    return output


def keep_apart(project):
    """Let the profile make a job for each method."""
    edit(project / "profiles/slurm/config.yaml", "join_below: 60 ", "join_below: 0.001 ")


def running(slurm):
    return [job for job, state in slurm.jobs() if state == "RUNNING"]


@pytest.mark.parametrize(
    ("accounting", "joined", "jobs"),
    [(False, False, 3), (True, True, 1)],
    ids=["squeue alone, a job for each method", "accounting, small methods together"],
)
def test_tables_equal_those_of_a_local_run(accounting, joined, jobs, finished, data_only):
    if not joined:
        keep_apart(data_only)
    with slurm_of(accounting) as slurm:
        output = finish(data_only, slurm, warm=True)
        assert "Nothing to be done" in finish(data_only, slurm, warm=True)
    assert bytes_of(data_only, NUMBERS) == bytes_of(finished, NUMBERS)
    submitted = re.findall(r"submitted with SLURM jobid", output)
    assert len(submitted) == jobs  # the fits alone
    assert f" {FITS} fits in {jobs} job" in output
    assert re.search(rf"mvclust: \d+ of \d+ jobs, \d+ of {FITS} fits done", output)
    assert "mvclust: report: results/tiny/report.html" in output


@pytest.mark.fault("Slurm: a job cancelled, the node's daemon and Snakemake killed")
def test_a_cancelled_job_a_dead_node_and_a_killed_run_are_healed(finished, data_only):
    keep_apart(data_only)
    with slurm_of(accounting=False) as slurm:
        run = start(data_only, slurm)
        wait_until(lambda: running(slurm), run=run)
        slurm.run("scancel", running(slurm)[0])
        wait_until(lambda: len(fits_in(data_only)) >= 2, run=run)
        slurm.stop_node()
        os.killpg(run.pid, signal.SIGKILL)
        run.communicate()
        left = [job for job, _ in slurm.jobs()]
        assert left
        slurm.start_node()
        output = finish(data_only, slurm, warm=True)
        told = re.search(r"mvclust: cancelled (\d+) jobs? that an earlier run left", output)
        assert told, output[-4000:]
    assert bytes_of(data_only, NUMBERS) == bytes_of(finished, NUMBERS)
    assert FITS <= len(fits_in(data_only)) <= FITS + 2  # the fits that were at work are done again


@pytest.mark.fault("Slurm: the controller away when the run first asks for its jobs")
def test_a_controller_that_is_away_for_a_while_loses_no_job(finished, data_only):
    keep_apart(data_only)
    with slurm_of(accounting=False) as slurm:
        run = start(data_only, slurm)
        wait_until(lambda: len(slurm.jobs()) == 3, run=run)
        slurm.stop_controller()
        time.sleep(60)  # all that the plugin tries is over by then
        slurm.start_controller()
        output, _ = run.communicate(timeout=400)
    assert run.returncode == 0, output[-4000:]
    assert bytes_of(data_only, NUMBERS) == bytes_of(finished, NUMBERS)
