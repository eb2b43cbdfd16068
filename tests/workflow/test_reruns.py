"""What a run makes again after an edit: what the edit concerns, and nothing else."""

import contextlib
import shutil

import pytest

from workflow.project import edit, planned_jobs, succeed

# Sets of rules, each with what follows from it.
PAGE = {"report"}
SHOWN = {"experiment", "published", "costs", "claims"} | PAGE
SCORED = {"score", "runs"} | SHOWN
FITTED = {"fit"} | SCORED
PREPARED = {"prepare", "statistics", "masks"} | FITTED
FETCHED = {"download"} | PREPARED

DATASETS = "config/datasets.yaml"
CODE = None, "\nEDITED = True\n"  # at the end of a file

# File, text in it, text in its place, rules that run, number of fit jobs. One edit of each stage:
# which inputs of jobs each key reaches is tested in bench/plan/test_plan.py.
EDITS = [
    (DATASETS, '"9": 200', '"9": 199', PREPARED | {"consistency"}, 3),
    (DATASETS, "sha256: 83be9bc9", "sha256: 83be9bc8", FETCHED, 3),
    ("mvclust/estimators/daimc.py", *CODE, FITTED, 1),
    ("mvclust/metrics.py", *CODE, SCORED, 0),
    ("mvclust/datasets/readers/handwritten.py", *CODE, PREPARED, 3),
    ("mvclust/bench/report/page.py", *CODE, PAGE, 0),
    ("config/claims.yaml", "methods: [DAIMC]", "methods: [BestSingleView]", {"claims"} | PAGE, 0),
]

# Edits that concern no result; all are made at once.
WITHOUT_EFFECT = [
    (DATASETS, "title: UCI multiple features", "title: Multiple features"),
    ("mvclust/estimators/daimc.py", None, "\n# a comment\n"),
    ("mvclust/estimators/base.py", '"""What every', '"""Edited. What every'),
    ("mvclust/metrics.py", None, "\n# a comment\n"),
    ("mvclust/bench/record/lock.py", *CODE),
    ("mvclust/bench/record/progress.py", *CODE),
    ("mvclust/estimators/pvc.py", *CODE),
    ("mvclust/datasets/readers/webkb.py", *CODE),
]


@pytest.fixture(scope="module")
def copied(finished, tmp_path_factory):
    """A copy of the finished project, in which each test undoes its edits."""
    return shutil.copytree(finished, tmp_path_factory.mktemp("reruns") / "project")


@contextlib.contextmanager
def edited(folder, *edits):
    """Replace texts in files, or add them at their ends, during the block."""
    before = {folder / file: (folder / file).read_bytes() for file, *_ in edits}
    try:
        for path, (_, old, new) in zip(before, edits, strict=True):
            path.write_text(path.read_text() + new) if old is None else edit(path, old, new)
        yield
    finally:
        for path, content in before.items():
            path.write_bytes(content)


def planned(folder):
    jobs = planned_jobs(succeed(folder, "--dry-run"))
    return set(jobs) - {"default"}, jobs.get("fit", 0)


@pytest.mark.parametrize(("file", "old", "new", "rules", "fit_jobs"), EDITS)
def test_an_edit_plans_what_it_concerns(copied, file, old, new, rules, fit_jobs):
    with edited(copied, (file, old, new)):
        assert planned(copied) == (rules, fit_jobs)


def test_an_edit_without_effect_plans_nothing(copied):
    with edited(copied, *WITHOUT_EFFECT):
        assert planned(copied) == (set(), 0)
    assert planned(copied) == (set(), 0)
