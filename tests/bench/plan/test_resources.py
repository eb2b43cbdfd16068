"""What jobs ask of a cluster."""

import pytest

from mvclust.bench.plan.jobs import BadProfile, Packing

JOB = {"seconds": 1200.0, "memory_mb": 900.0}


def test_a_job_asks_for_more_than_it_is_expected_to_take_and_for_more_at_each_attempt():
    packing = Packing()
    rates = (packing.memory_mb, JOB["memory_mb"]), (packing.minutes, JOB["seconds"] / 60)
    for ask, expected in rates:
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
