"""The control against luck: random rows, shares of them, and searches for them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from multiverse.test_readings import experiment_of, mean_over_masks, printed_by, tuned

from mvclust.multiverse import searches
from mvclust.multiverse.candidates import candidates_of
from mvclust.multiverse.luck import (
    FAR,
    NEAR,
    chances,
    expected_luck,
    gaps,
    least_gaps,
    least_joint_gap,
    random_rows,
)
from mvclust.multiverse.searches import TABLE, Row, search_all


def test_random_rows_have_means_and_covariances_of_the_printed():
    rng = np.random.default_rng(0)
    printed = 50 + rng.standard_normal((6, 4)) @ np.diag([1, 2, 3, 4])
    drawn = random_rows(printed, rng.standard_normal((200_000, 6)))
    np.testing.assert_allclose(drawn.mean(axis=0), printed.mean(axis=0), atol=0.05)
    np.testing.assert_allclose(np.cov(drawn.T), np.cov(printed.T), atol=0.3)


def test_random_rows_are_percentages_and_equal_a_single_row():
    weights = np.random.default_rng(0).standard_normal((100, 2))
    drawn = random_rows(np.array([[0.5, 99.5], [30.0, 70.0]]), weights)
    assert (drawn.min(), drawn.max()) == (0.0, 100.0)
    one = np.array([[12.0, 34.0]])
    assert (random_rows(one, weights[:, :1]) == one).all()


def test_gaps_by_hand():
    mean, within = gaps(np.array([[10.0, 20.0], [10.0, 26.0]]), np.array([[11.0, 19.0]]))
    assert mean.ravel().tolist() == [1.0, 4.0]
    assert within.ravel().tolist() == [1.0, np.inf]
    one_far = np.array([[0.0, 0.0, 0.0, FAR + 0.1]])
    assert one_far.mean() < NEAR
    assert gaps(one_far, np.zeros((1, 4)))[1].item() == np.inf


@given(st.integers(0, 2**32 - 1))
def test_the_least_gap_of_a_search(seed):
    rng = np.random.default_rng(seed)
    values, rows = rng.normal(50, 2, (20, 3)), rng.normal(50, 2, (700, 3))
    among = [rng.random(20) < 0.5, np.zeros(20, bool)]
    mean, within = least_gaps(values, rows, among)
    difference = np.abs(values[:, None] - rows[None])
    expected = difference.mean(axis=2)
    good = (expected <= NEAR) & (difference.max(axis=2) <= FAR)
    if among[0].any():
        np.testing.assert_allclose(mean[0], expected[among[0]].min(axis=0))
        both = np.where(good, expected, np.inf)
        np.testing.assert_allclose(within[0], both[among[0]].min(axis=0))
    assert np.isinf(mean[1]).all()
    assert np.isinf(within[1]).all()


def test_one_candidate_must_be_near_on_all_data_sets():
    values = [np.array([[10.0], [20.0]]), np.array([[30.0], [40.0]])]
    rows = [np.array([[11.0], [20.0], [10.0]]), np.array([[30.0], [40.5], [40.0]])]
    near, candidate = least_joint_gap(values, rows)
    assert near.tolist() == [0.5, 0.25, np.inf]
    assert candidate[:2].tolist() == [0, 1]


def test_chances_by_hand():
    near = np.array([[1.0, np.inf, 0.5, 1.0, 2.0, np.inf], [0.1, 3.0, 0.2, 0.3, 0.4, 0.5]])
    by_search, together = chances(near, 2)
    np.testing.assert_allclose(by_search, [[3 / 5, 5 / 5], [1 / 5, 5 / 5]])
    # one of the random rows is the nearest of its own in a search, as the first row is
    np.testing.assert_allclose(together, [2 / 5, 5 / 5])


def test_a_row_drawn_like_the_random_ones_has_every_share_as_often():
    """The share of rows with a share of luck of at most t is at most t."""
    rng = np.random.default_rng(0)
    values = rng.normal(50, 3, (300, 4))
    printed = rng.normal(50, 4, (8, 4))
    rows = random_rows(printed, rng.standard_normal((4000, 8)))
    among = [rng.random(300) < share for share in (0.1, 0.5, 1)]
    _, near = least_gaps(values, rows, among)
    _, together = chances(near, 2000)
    assert (near < np.inf).mean() > 0.2
    for level in (0.05, 0.1, 0.2):
        assert (together <= level).mean() == pytest.approx(level, abs=0.02)


def test_expected_luck_is_that_of_all_rows_with_less():
    lucks = np.array([0.02, 0.001, 0.5, 0.03])
    np.testing.assert_allclose(expected_luck(lucks), [0.04, 0.004, 0.5, 0.04])
    assert expected_luck([]).size == 0


def test_the_scaling_of_a_table_is_chosen_anew_for_random_rows(monkeypatch):
    """Random tables whose row of A is what one scaling gives, and then what the other gives."""
    experiment, runs = experiment_of(printed_by("A", lambda rate: 0.9) + printed_by("B", far))
    rows = {}
    for method in experiment["methods"]:
        found = candidates_of(experiment, "one", method, runs.set_index("key"))
        rows["p", "t", "one", method["key"]] = Row(experiment, method, found, has_data=True)
    scores = [
        mean_over_masks(method="A", features=f, alpha=tuned) for f in (None, "feature_minmax")
    ]
    drawn = np.array([[r["mean"] for r in printed_by("A", score)] for score in scores])
    monkeypatch.setattr(searches, "RANDOM_ROWS", len(drawn))
    monkeypatch.setattr(searches, "random_rows", lambda printed, weights: drawn)
    found = search_all(rows)["p", "t", "one", "A"]
    assert found[TABLE].index is None
    assert found[TABLE].near[:2].tolist() == [np.inf, np.inf]  # A and B as printed
    np.testing.assert_allclose(found[TABLE].near[2:], 0, atol=1e-9)


def far(rate):
    return 0.99 if rate < 0.2 else 0.01
