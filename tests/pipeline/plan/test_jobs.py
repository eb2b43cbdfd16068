"""Small methods share jobs; nothing else changes by it."""

import copy

import pytest
from pipeline.blobs import planned, prepare, run
from pipeline.planned import costs_of, lay_out, science_of

from mvclust.pipeline.plan.plan import make_plan

EVERY = ["rates", "weights", "surface", "paired", "mapped", "shapes", "sizes"]
SMALL = dict.fromkeys(("PVC", "BestSingleView", "ConcatKMeans-mean", "CMVNMF-5"), 0.01)


@pytest.fixture(scope="module")
def science(tmp_path_factory):
    return science_of(lay_out(tmp_path_factory.mktemp("plan")), experiments=EVERY, datasets=None)


def packed(science, costs, **options):
    return make_plan(copy.deepcopy(science), costs, **options)


def fits_in(plan):
    """Key of each fit -> how often it is planned, and the names of the jobs that have it."""
    found = {}
    for name, use in plan["uses"]["fit"].items():
        for fit in use["fits"]:
            found.setdefault(fit[0], []).append(name)
    return found


def test_small_methods_share_jobs_and_the_large_ones_do_not(science):
    costs = costs_of(DAIMC=60.0, **SMALL)
    apart = packed(science, costs)
    joined = packed(science, costs, join_below=100.0)
    before, after = fits_in(apart), fits_in(joined)
    assert before.keys() == after.keys()
    assert all(len(jobs) == 1 for jobs in after.values())
    assert len(joined["jobs"]) < len(apart["jobs"])
    methods = {name: set(use["methods"]) for name, use in joined["uses"]["fit"].items()}
    assert {name for name, of in methods.items() if "DAIMC" in of} == {
        name for name in apart["jobs"] if name.startswith("DAIMC.")
    }
    (small,) = [use for name, use in joined["uses"]["fit"].items() if name.startswith("small.")]
    assert set(small["methods"]) == {method for *_, method in small["fits"]} == set(SMALL)
    datasets = [small["settings"][setting]["dataset"] for _, setting, *_ in small["fits"]]
    assert datasets == sorted(datasets)
    assert len(set(datasets)) > 1
    assert sum(job["seconds"] for job in joined["jobs"].values()) == pytest.approx(
        sum(job["seconds"] for job in apart["jobs"].values())
    )


def test_joined_fits_fill_jobs_as_others_do(science):
    costs = costs_of(DAIMC=60.0, PVC=2.0)
    few = packed(science, costs, job_seconds=1e6, join_below=1e6)["jobs"]
    many = packed(science, costs, job_seconds=60.0, join_below=1e6)["jobs"]
    assert {name.rpartition(".")[2] for name in few} == {"0"}
    assert len(many) > len(few)


def test_an_edit_of_a_small_method_concerns_the_jobs_that_have_it(science):
    before = packed(science, costs_of(DAIMC=60.0, **SMALL), join_below=100.0)
    edited = copy.deepcopy(science)
    edited["methods"]["PVC"]["fixed"] = edited["methods"]["PVC"].get("fixed", {}) | {"tol": 0.5}
    after = packed(edited, costs_of(DAIMC=60.0, **SMALL), join_below=100.0)
    digests = before["digests"]["fit"], after["digests"]["fit"]
    assert digests[0].keys() == digests[1].keys()
    differ = {name for name in digests[0] if digests[0][name] != digests[1][name]}
    having = {n for n, use in before["uses"]["fit"].items() if "PVC" in use["methods"]}
    assert differ == having != set(digests[0])


def test_a_joined_job_gives_the_rows_of_jobs_apart_and_does_none_twice(tmp_path):
    names = {"DAIMC": "daimc.DAIMC", "MVKKM": "mvkkm.MVKKM"}
    points = {"DAIMC": [{"alpha": 1, "max_iter": 5}], "MVKKM": [{"fill": "mean"}]}
    uses = [
        planned(f"mvclust.estimators.{names[method]}", points[method], method=method)
        for method in names
    ]
    joined = uses[0] | {
        "methods": uses[0]["methods"] | uses[1]["methods"],
        "fits": uses[0]["fits"] + uses[1]["fits"],
    }
    for folder in ("apart", "joined"):
        (tmp_path / folder).mkdir()
        prepare(tmp_path / folder)
    apart = [row for use in uses for row in run(tmp_path / "apart", use)]
    together = run(tmp_path / "joined", joined)
    told = ("key", "method", "estimator", "code", "labels", "error", "seed", "params")
    assert [[row[k] for k in told] for row in together] == [[row[k] for k in told] for row in apart]
    assert {row["method"] for row in together} == set(names)
    assert [row["error"] for row in together] == [None] * 4

    joined["methods"]["DAIMC"]["code"] = "2"  # the other's fits are taken from the journals
    taken = []
    again = run(tmp_path / "joined", joined, report=lambda key, was_there: taken.append(was_there))
    assert taken == [False, False, True, True]
    assert [row["code"] for row in again] == ["2", "2", "1", "1"]
