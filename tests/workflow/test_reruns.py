"""What a run makes again after an edit: what the edit concerns, and nothing else."""

import shutil
from concurrent.futures import ThreadPoolExecutor

import pytest

from mvclust.bench.config.models import DataSet, Method
from workflow.project import edit, planned_jobs, succeed

# Sets of rules, each with what follows from it.
PAGE = {"report"}
FACTS = {"statistics"} | PAGE
CHECKED = {"consistency"} | PAGE
SHOWN = {"experiment", "published"} | PAGE
NAMED = {"costs"} | SHOWN
CLAIMED = {"claims"} | SHOWN
SCORED = {"score", "runs"} | NAMED | CLAIMED
FITTED = {"fit"} | SCORED
DRAWN = {"masks"} | FITTED
PREPARED = {"prepare", "statistics"} | DRAWN
FETCHED = {"download"} | PREPARED

METHODS, DATASETS = "config/methods.yaml", "config/datasets.yaml"
TINY, RUN = "config/experiments/tiny.yaml", "tiny.yaml"

# key, file, text in it, text in its place, rules that run, number of fit jobs
EDITS = [
    ("label", METHODS, "  published: DAIMC", "  label: Doubly\n  published: DAIMC", NAMED, 0),
    ("published", METHODS, "  published: DAIMC", "  published: [DAIMC, Doubly]", CLAIMED, 0),
    ("reference", METHODS, "  published: DAIMC", "  reference: true\n  published: DAIMC", SHOWN, 0),
    ("reconstructed", METHODS, "  published: DAIMC", "  reconstructed: true\n  published: DAIMC",
     {"claims", "published"} | PAGE, 0),
    ("fixed", METHODS, "variant: author", "variant: paper", FITTED, 1),
    ("by_kind", METHODS, "real: view_balanced}", "real: sample_unit}", FITTED, 1),
    ("default", METHODS, "{alpha: 10, beta: 1}", "{alpha: 0.1, beta: 1}", CLAIMED, 0),
    ("grid", METHODS, "beta: [1, 10]", "beta: [1, 10, 100]", FITTED, 1),
    ("grid", METHODS, "    alpha: [0.1, 10]\n    beta: [1, 10]",
     "    beta: [1, 10]\n    alpha: [0.1, 10]", CLAIMED, 0),
    ("estimator", METHODS, "best_single_view.Best", "twin_view.Best", FITTED, 1),
    ("reader", DATASETS, "reader: handwritten", "reader: twin_digits", PREPARED, 3),
    ("needs", DATASETS, "reader: handwritten", "reader: handwritten\n  needs: [scipy]",
     PREPARED, 3),
    ("n_samples", DATASETS, "n_samples: 2000\n", "n_samples: 1999\n", PREPARED, 3),
    ("classes", DATASETS, '"9": 200', '"9": 199', PREPARED | CHECKED, 3),
    ("views", DATASETS, "dimension: 76", "dimension: 75", PREPARED, 3),
    ("subsets", DATASETS, ": all\n  subsets:\n    all:", ": every\n  subsets:\n    every:",
     PREPARED, 3),
    ("files", DATASETS, "sha256: 83be9bc9", "sha256: 83be9bc8", FETCHED, 3),
    ("sources", DATASETS, "    - kind: included\n", "", FETCHED, 3),
    ("licence", DATASETS, "licence: CC BY 4.0", "licence: CC BY 3.0", FACTS, 0),
    ("paper_says", DATASETS, "n_samples: 2000, n_views: 6", "n_samples: 2001, n_views: 6",
     FACTS, 0),
    ("notes", DATASETS, "200 rows a digit", "200 rows per digit", FACTS, 0),
    ("title", TINY, "A tiny experiment", "An experiment", SHOWN, 0),
    ("metrics", TINY, "NMI: nmi_max", "NMI: nmi_arithmetic", CLAIMED, 0),
    ("metrics", TINY, "{ACC: acc, NMI: nmi_max}", "{NMI: nmi_max, ACC: acc}", CLAIMED, 0),
    ("data", TINY, "views: [pix, fou]", "views: [pix, fac]", DRAWN, 3),
    ("paired_rates", TINY, "[0.3, 0.7]", "[0.3, 0.6]", DRAWN, 3),
    ("repetitions", TINY, "repetitions: 2", "repetitions: 3", DRAWN | CHECKED, 3),
    ("fixed", TINY, "  unit:", "  fixed: {DAIMC: {alpha: 3}}\n  unit:", FITTED, 1),
    ("methods", TINY, ", ConcatKMeans-knn]", "]", SCORED, 0),
    ("a number", "config/published.csv", "acc,50.45", "acc,50.55", CLAIMED | CHECKED, 0),
    ("a claim", "config/claims.yaml", "methods: [DAIMC]", "methods: [BestSingleView]",
     {"claims"} | PAGE, 0),
    ("seed", RUN, "run: tiny", "run: tiny\nseed: 1", DRAWN, 3),
    ("code", "mvclust/estimators/daimc.py", None, "\nEDITED = True\n", FITTED, 1),
    ("code", "mvclust/estimators/base.py", None, "\nEDITED = True\n", FITTED, 3),
    ("code", "mvclust/metrics.py", None, "\nEDITED = True\n", SCORED, 0),
    ("code", "mvclust/datasets/readers/handwritten.py", None, "\nEDITED = True\n", PREPARED, 3),
    ("code", "mvclust/bench/fit/jobs.py", 'setting, used["seed"])', 'setting, used["seed"] + 1)',
     FITTED, 3),
    ("code", "mvclust/bench/record/cost.py", None, "\nEDITED = True\n", PAGE, 0),
    ("code", "mvclust/bench/report/page.py", None, "\nEDITED = True\n", PAGE, 0),
]  # fmt: skip

# Edits that concern no result; all are made at once.
WITHOUT_EFFECT = [
    ("title", DATASETS, "title: UCI multiple features", "title: Multiple features"),
    ("views.what", DATASETS, "Zernike moments", "moments of Zernike"),
    ("views.kind", DATASETS, "dimension: 47, kind: real", "dimension: 47, kind: counts"),
    ("publisher", DATASETS, "publisher: https://archive", "publisher: https://www.archive"),
    ("citation", DATASETS, "Kybernetika 34", "Kybernetika 35"),
    ("in_all", METHODS, "  published: DAIMC", "  in_all: false\n  published: DAIMC"),
    ("unverified", DATASETS, "  publisher:", "  unverified: true\n  publisher:"),
    ("missing_data", RUN, "run: tiny", "run: tiny\nmissing_data: skip\nbad_mirror: warn"),
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
    copies = [shutil.copytree(finished, folder / f"project{i}") for i in range(2)]
    for copy in copies:  # modules that edits refer to
        estimators, readers = copy / "mvclust/estimators", copy / "mvclust/datasets/readers"
        shutil.copy(estimators / "best_single_view.py", estimators / "twin_view.py")
        shutil.copy(readers / "handwritten.py", readers / "twin_digits.py")
    return copies


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


@pytest.mark.parametrize(("file", "model"), [(METHODS, Method), (DATASETS, DataSet)])
def test_every_key_of_an_entry_is_edited(file, model):
    keys = set(model.model_fields)
    edited = {row[0].split(".")[0] for row in [*EDITS, *WITHOUT_EFFECT] if row[1] == file}
    assert keys - edited <= {"default_subset"}  # edited with the subsets
