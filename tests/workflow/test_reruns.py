"""What a run makes again after an edit: what the edit concerns, and nothing else."""

import shutil
from concurrent.futures import ThreadPoolExecutor

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

# What is edited, file, text in it, text in its place, rules that run, number of fit jobs. One edit
# of each stage: which slices each key reaches is tested in bench/plan/test_plan.py.
EDITS = [
    ("classes", DATASETS, '"9": 200', '"9": 199', PREPARED | {"consistency"}, 3),
    ("files", DATASETS, "sha256: 83be9bc9", "sha256: 83be9bc8", FETCHED, 3),
    ("code", "mvclust/estimators/daimc.py", None, "\nEDITED = True\n", FITTED, 1),
    ("code", "mvclust/metrics.py", None, "\nEDITED = True\n", SCORED, 0),
    ("code", "mvclust/datasets/readers/handwritten.py", None, "\nEDITED = True\n", PREPARED, 3),
    ("code", "mvclust/bench/report/page.py", None, "\nEDITED = True\n", PAGE, 0),
    ("a claim", "config/claims.yaml", "methods: [DAIMC]", "methods: [BestSingleView]",
     {"claims"} | PAGE, 0),
]  # fmt: skip

# Edits that concern no result; all are made at once.
WITHOUT_EFFECT = [
    ("title", DATASETS, "title: UCI multiple features", "title: Multiple features"),
    ("comment", "mvclust/estimators/daimc.py", None, "\n# a comment\n"),
    ("docstring", "mvclust/estimators/base.py", '"""What every', '"""Edited. What every'),
    ("comment", "mvclust/metrics.py", None, "\n# a comment\n"),
    ("code", "mvclust/bench/record/lock.py", None, "\nEDITED = True\n"),
    ("code", "mvclust/bench/record/progress.py", None, "\nEDITED = True\n"),
    ("code", "mvclust/estimators/pvc.py", None, "\nEDITED = True\n"),
    ("code", "mvclust/datasets/readers/webkb.py", None, "\nEDITED = True\n"),
]


@pytest.fixture(scope="module")
def copies(finished, tmp_path_factory):
    """Two copies of the finished project, for two dry runs at a time."""
    folder = tmp_path_factory.mktemp("copies")
    return [shutil.copytree(finished, folder / f"project{i}") for i in range(2)]


def change(folder, file, old, new):
    """Replace a text in a file, or add one at its end; gives a function that undoes it."""
    path = folder / file
    before = path.read_bytes()
    if old is None:
        path.write_text(path.read_text() + new)
    else:
        edit(path, old, new)
    return lambda: path.write_bytes(before)


def planned(folder):
    jobs = planned_jobs(succeed(folder, "--dry-run"))
    return set(jobs) - {"default"}, jobs.get("fit", 0)


def test_an_edit_plans_what_it_concerns(copies):
    def difference(folder, place, file, old, new, rules, fit_jobs):
        undo = change(folder, file, old, new)
        try:
            found = planned(folder)
        except AssertionError as error:
            return f"{place} in {file}: {str(error)[-500:]}"
        finally:
            undo()
        if found == (rules, fit_jobs):
            return None
        return (
            f"{place} in {file}: {found[1]} fit jobs, expected {fit_jobs}; too many "
            f"{sorted(found[0] - rules)}, missing {sorted(rules - found[0])}"
        )

    def share(number):
        return [difference(copies[number], *row) for row in EDITS[number::2]]

    with ThreadPoolExecutor(2) as pool:
        found = [text for texts in pool.map(share, range(2)) for text in texts if text]
    assert not found, "\n".join(found)


def test_an_edit_without_effect_plans_nothing(copies):
    undo = [change(copies[0], *row[1:]) for row in WITHOUT_EFFECT]
    try:
        assert planned(copies[0]) == (set(), 0)
    finally:
        for function in reversed(undo):
            function()
    assert planned(copies[0]) == (set(), 0)
