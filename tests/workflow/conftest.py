"""Projects that tests of the workflow share."""

import fcntl
import os
import shutil

import pytest

from workflow.project import call, command, copy_small_project


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    """A small project whose tiny run has gone to its end on two cores. Do not change it.

    Its jobs are started as a user's are, see `workflow.warm`. Processes that test side by side
    share it: the first makes it, the others wait.
    """
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    folder = folder / "finished"
    folder.mkdir(exist_ok=True)
    with open(folder / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "output.txt").exists():
            shutil.rmtree(folder / "project", ignore_errors=True)
            done = call(copy_small_project(folder / "project"), *command(), warm=False)
            assert done.returncode == 0, done.stdout[-4000:]
            (folder / "output.txt").write_text(done.stdout)
    return folder / "project"


@pytest.fixture
def project(finished, tmp_path):
    """A copy of it, to be changed."""
    return shutil.copytree(finished, tmp_path / "project")


@pytest.fixture
def data_only(finished, tmp_path):
    """A copy with the raw and prepared data, but no fits and no results."""
    made = shutil.ignore_patterns("results", "work", "journals", ".snakemake")
    return shutil.copytree(finished, tmp_path / "project", ignore=made)
