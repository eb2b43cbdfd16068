"""Small methods share jobs; nothing else changes by it."""

import pytest
from bench.blobs import planned, prepare, run
from bench.planned import costs_of, digests, edited, plan_of

from mvclust.bench.plan.jobs import Packing

SMALL = dict.fromkeys(("PVC", "BestSingleView", "ConcatKMeans-mean", "CMVNMF-5"), 0.01)


def packed(science, costs, job_seconds=240.0, join_below=0.0):
    return plan_of(science, costs, Packing(job_seconds, join_below)).slices["fit"]


def fits_in(jobs):
    """Key of each fit -> the names of the jobs that have it."""
    found = {}
    for name, use in jobs.items():
        for fit in use["fits"]:
            found.setdefault(fit[0], []).append(name)
    return found


def test_small_methods_share_jobs_and_the_large_ones_do_not(science):
    costs = costs_of(DAIMC=60.0, **SMALL)
    apart, joined = packed(science, costs), packed(science, costs, join_below=100.0)
    assert fits_in(apart).keys() == fits_in(joined).keys()
    assert all(len(jobs) == 1 for jobs in fits_in(joined).values())
    assert len(joined) < len(apart)
    assert {name for name, use in joined.items() if "DAIMC" in use["methods"]} == {
        name for name in apart if "/DAIMC." in name
    }
    shared = {name: use for name, use in joined.items() if "/several." in name}
    assert set(shared) == {"digits/several.0", "stories/several.0", "stories-50/several.0"}
    for name, use in shared.items():
        datasets = {setting["dataset"] for setting in use["settings"].values()}
        assert datasets == {name.partition("/")[0]}
    assert {method for use in shared.values() for method in use["methods"]} == set(SMALL)
    seconds = [sum(use["where"]["seconds"] for use in jobs.values()) for jobs in (joined, apart)]
    assert seconds[0] == pytest.approx(seconds[1])


def test_joined_fits_fill_jobs_as_others_do(science):
    costs = costs_of(DAIMC=60.0, PVC=2.0)
    few = packed(science, costs, job_seconds=1e6, join_below=1e6)
    many = packed(science, costs, job_seconds=60.0, join_below=1e6)
    assert {name.rpartition(".")[2] for name in few} == {"0"}
    assert len(many) > len(few)


def test_an_edit_of_a_small_method_concerns_the_jobs_that_have_it(science):
    packing, costs = Packing(240.0, 100.0), costs_of(DAIMC=60.0, **SMALL)
    before = plan_of(science, costs, packing)
    changed = edited(science, methods={"PVC": {"fixed": {"shift": True, "tol": 0.5}}})
    after = digests(plan_of(changed, costs, packing), "fit")
    assert after.keys() == before.slices["fit"].keys()
    differ = {name for name, use in digests(before, "fit").items() if use != after[name]}
    having = {n for n, use in before.slices["fit"].items() if "PVC" in use["methods"]}
    assert differ == having != set(after)


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
