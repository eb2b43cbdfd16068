"""Log-rank tests after a scan: the numbers worked out in the specification."""

from itertools import permutations

import numpy as np
import pytest

from mvclust.own.survival import can_be_tested, drawn_orders, kaplan_meier, scan, survival_of

TIME, EVENT = np.arange(1.0, 7.0), np.array([1, 1, 1, 1, 0, 1])
CANDIDATES = [np.array(list(text), dtype=int) for text in ("000111", "010101", "001122")]
ALL_ORDERS = np.array(list(permutations(range(6))))


def test_the_statistics_of_the_example_are_calibrated_by_all_permutations():
    found = scan(TIME, EVENT, CANDIDATES, ALL_ORDERS)
    assert [test.chi2 for test in found] == pytest.approx([5.052, 0.074, 7.250], abs=5e-4)
    assert [test.p_chi2 for test in found] == pytest.approx([0.0246, 0.786, 0.0266], abs=5e-4)
    assert [test.df for test in found] == [1, 1, 2]
    assert min(test.p for test in found) == pytest.approx(144 / 720)
    (alone,) = scan(TIME, EVENT, CANDIDATES[:1], ALL_ORDERS)
    assert alone.p == alone.p_alone == found[0].p_alone == pytest.approx(0.1)


def test_ties_and_the_order_of_patients_are_as_in_the_textbook():
    """Acute myelogenous leukaemia (Miller 1997): R's survdiff gives chi squared 3.396."""
    kept = [9, 13, -13, 18, 23, -28, 31, 34, -45, 48, -161]  # below 0: the last news
    other = [5, 5, 8, 8, 12, -16, 23, 27, 30, 33, 43, 45]
    times = np.array(kept + other)
    labels = np.repeat([5, 2], [len(kept), len(other)])
    order = np.random.default_rng(0).permutation(len(times))
    orders = drawn_orders(len(times), 999, 0)
    for rows in (np.arange(len(times)), order):
        (test,) = scan(np.abs(times)[rows], times[rows] > 0, [labels[rows]], orders)
        assert test.chi2 == pytest.approx(3.396, abs=5e-4)
        assert test.p_alone == pytest.approx(test.p_chi2, abs=0.03)


def test_without_effect_a_scan_finds_something_only_as_often_as_it_says():
    rng = np.random.default_rng(0)
    naive, calibrated = [], []
    for seed in range(40):
        time, event = rng.exponential(size=40), rng.random(40) < 0.7
        found = scan(time, event, list(rng.integers(0, 3, (8, 40))), drawn_orders(40, 99, seed))
        naive.append(min(test.p_chi2 for test in found) <= 0.1)
        calibrated.append(min(test.p for test in found) <= 0.1)
    assert sum(naive) > 15
    assert sum(calibrated) <= 8  # of 4 expected


def test_samples_without_survival_are_no_patients_and_the_sentence_names_the_scan():
    rng = np.random.default_rng(0)
    good, other = np.repeat([1, 2], 30), rng.integers(1, 3, 60)
    time = np.r_[rng.exponential(1, 30), rng.exponential(9, 30)]
    time[:4] = np.nan
    tiny = np.where(np.arange(60) == 59, 2, 1)
    partitions = {"A": good, "B": other, "C": tiny}
    found = survival_of(time, np.ones(60), partitions, "A", 0)
    assert (found["patients"], found["events"]) == (56, 56)
    assert [test["method"] for test in found["tests"]] == ["A", "B"]
    assert found["not_tested"] == ["C"]
    assert found["tests"][0]["p"] < 0.01 < found["tests"][1]["p"]
    assert found["sentence"] == (
        "Survival by cluster (56 of 60 samples): log-rank p ≤ 0.0001, and p ≤ 0.0001 after the "
        "scan of 2 partitions."
    )
    why = survival_of(time, np.ones(60), partitions, "C", 0)["sentence"]
    assert "a cluster has fewer than 5 patients" in why
    # Small clusters are compared by permutation alone.
    time, tiny = np.arange(1.0, 31), np.repeat([2, 1], [3, 27])
    found = survival_of(time, np.ones(30), {"C": tiny}, "C", 0)
    assert found["p"] < 0.01  # the three who lived shortest
    assert found["tests"] == []
    assert "with little power: a cluster has fewer than 5 patients" in found["sentence"]
    censored = survival_of(time, np.zeros(30), {"C": tiny}, "C", 0)
    assert censored["p"] is None
    assert "cannot be compared" in censored["sentence"]
    # Clusters with few patients or events are left out before anything is tested.
    event, labels = np.ones(30), np.repeat([0, 1], [20, 10])
    assert can_be_tested(event, labels)
    assert not can_be_tested(event, np.repeat([0, 1, 2], [20, 6, 4]))  # 4 patients
    assert not can_be_tested(event, np.zeros(30, dtype=int))
    event[21:] = 0
    assert not can_be_tested(event, labels)  # 1 event


def test_curves_are_those_of_the_textbook_and_have_medians_and_patients_at_risk():
    """The arm with 6-MP of Freireich's leukaemia trial (Kalbfleisch and Prentice, table 1.2)."""
    time = np.array([6, 6, 6, 7, 10, 13, 16, 22, 23, 6, 9, 10, 11, 17, 19, 20, 25, 32, 32, 34, 35])
    event = np.repeat([1, 0], [9, 12])
    times, survival, low, high = kaplan_meier(time.astype(float), event)
    at = dict(zip(times, survival, strict=True))
    expected = [0.857, 0.807, 0.753, 0.690, 0.627, 0.538, 0.448, 0.448]
    assert [round(at[t], 3) for t in (6, 7, 10, 13, 16, 22, 23, 35)] == expected
    ends = low[times == 23], high[times == 23]  # R: survfit(conf.type="log-log")
    assert ends == (pytest.approx(0.188, abs=5e-4), pytest.approx(0.680, abs=5e-4))
    time = np.array([2.0, 4, 6, 8, 10, 1, 1, 1, 1, 10])
    event, labels = np.array([1, 1, 1, 0, 0, 1, 1, 1, 1, 0]), np.repeat([1, 2], 5)
    found = survival_of(time, event, {"A": labels}, "A", 0)
    first, second = found["curves"]
    assert found["ticks"] == [0, 2, 4, 6, 8, 10]
    assert (first["median"], second["median"]) == (6, 1)
    assert first["at_risk"] == [5, 5, 4, 3, 2, 1]
    assert second["at_risk"] == [5, 1, 1, 1, 1, 1]
