"""Small methods share jobs, and nothing else changes by it; what jobs ask of a cluster."""

import pytest
from bench.blobs import joined, planned, prepare, run
from bench.planned import costs_of, digests, edited, plan_of

from mvclust.bench.plan.jobs import BadProfile, Packing

SMALL = dict.fromkeys(("PVC", "BestSingleView", "ConcatKMeans-mean", "CMVNMF-5"), 0.01)


def packed(science, costs, job_seconds=240.0, join_below=0.0):
    return plan_of(science, costs, Packing(job_seconds, join_below)).slices["fit"]


def test_small_methods_share_jobs_and_the_large_ones_do_not(science):
    costs = costs_of(DAIMC=60.0, **SMALL)
    apart, packs = packed(science, costs), packed(science, costs, join_below=100.0)
    keys = [[fit[0] for use in jobs.values() for fit in use["fits"]] for jobs in (apart, packs)]
    assert sorted(keys[0]) == sorted(keys[1])
    assert len(packs) < len(apart)
    large = {name for name, use in packs.items() if "DAIMC" in use["methods"]}
    assert large == {name for name in apart if "/DAIMC." in name}
    shared = {name: use for name, use in packs.items() if "/several." in name}
    assert set(shared) == {"digits/several.0", "stories/several.0", "stories-50/several.0"}
    for name, use in shared.items():
        datasets = {setting["dataset"] for setting in use["settings"].values()}
        assert datasets == {name.partition("/")[0]}
    assert {method for use in shared.values() for method in use["methods"]} == set(SMALL)
    seconds = [sum(use["where"]["seconds"] for use in jobs.values()) for jobs in (packs, apart)]
    assert seconds[0] == pytest.approx(seconds[1])


def test_joined_fits_fill_jobs_as_others_do(science):
    costs = costs_of(DAIMC=60.0, PVC=2.0)
    few, many = (packed(science, costs, seconds, join_below=1e6) for seconds in (1e6, 60.0))
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
    uses = [planned(points=[{"alpha": 1, "max_iter": 5}])]
    uses.append(planned("mvclust.estimators.mvkkm.MVKKM", [{"fill": "mean"}], method="MVKKM"))
    used = joined(*uses)
    apart, together = prepare(tmp_path / "apart"), prepare(tmp_path / "joined")
    expected = [row for use in uses for row in run(apart, use)]
    rows = run(together, used)
    same = ("key", "method", "estimator", "code", "labels", "error", "seed", "params")
    assert [[row[k] for k in same] for row in rows] == [[row[k] for k in same] for row in expected]
    assert [row["error"] for row in rows] == [None] * 4

    used["methods"]["DAIMC"]["code"] = "2"  # the other's fits are taken from the journals
    taken = []
    again = run(together, used, report=lambda key, was_there: taken.append(was_there))
    assert taken == [False, False, True, True]
    assert [row["code"] for row in again] == ["2", "2", "1", "1"]


JOB = {"seconds": 1200.0, "memory_mb": 900.0}


def test_a_job_asks_for_more_than_it_is_expected_to_take_and_for_more_at_each_attempt():
    packing = Packing()
    for ask, expected in (packing.memory_mb, 900.0), (packing.minutes, 20.0):
        asked = [ask(JOB, attempt) for attempt in (1, 2, 3)]
        assert asked[0] > 1.3 * expected
        assert asked[1:] == pytest.approx([2 * asked[0], 4 * asked[0]], abs=4)
        assert all(isinstance(value, int) for value in asked)


def test_a_profile_limits_what_is_asked_for():
    packing = Packing.of_profile({"most_mb": "3000", "most_minutes": 45})
    assert [packing.memory_mb(JOB, attempt) for attempt in (1, 3)] == [1770, 3000]
    assert [packing.minutes(JOB, attempt) for attempt in (1, 3)] == [45, 45]
    assert Packing().memory_mb({"seconds": 1.0, "memory_mb": 0.0}, 1) == 2000  # not known


@pytest.mark.parametrize("value", ["ten", "0", -3, "nan"])
def test_a_value_that_cannot_be_used_is_named(value):
    with pytest.raises(BadProfile, match=f"job_seconds: {value}; expected a number above 0"):
        Packing.of_profile({"job_seconds": value})
