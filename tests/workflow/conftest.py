"""Projects that tests of the workflow share."""

import shutil

import pytest

from workflow.project import copy_small_project, succeed


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    """A small project whose tiny run has gone to its end on two cores. Do not change it."""
    folder = copy_small_project(tmp_path_factory.mktemp("finished") / "project")
    (folder / "output.txt").write_text(succeed(folder))
    return folder


@pytest.fixture
def data_only(finished, tmp_path):
    """The same project with the raw and prepared data, but no fits and no results."""
    made = shutil.ignore_patterns("results", "work", "journals", ".snakemake", "output.txt")
    return shutil.copytree(finished, tmp_path / "project", ignore=made)
