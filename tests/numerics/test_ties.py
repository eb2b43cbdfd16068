"""Ties are ties, in whichever order a mean was taken; scores a step apart stay apart."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mvclust.numerics.ties import best_of, settled


@given(
    parts=st.lists(st.lists(st.floats(0, 1), min_size=5, max_size=5), min_size=1, max_size=6),
    seed=st.integers(0, 99),
)
def test_means_of_the_same_numbers_in_another_order_are_equal(parts, seed):
    rng = np.random.default_rng(seed)
    scores = [np.mean(rng.permutation(part)) for part in parts for _ in range(4)]
    found = settled(scores).reshape(-1, 4)
    assert (found == found[:, :1]).all()
    np.testing.assert_allclose(found.ravel(), scores, rtol=0, atol=1e-8)
    assert best_of(scores) % 4 == 0


def test_scores_a_step_apart_stay_apart_and_what_is_no_score_stays():
    steps = np.arange(100_000)[::-1] / 100_000  # the accuracies of that many samples
    np.testing.assert_array_equal(settled(steps), steps)
    odd = [np.nan, 0.5, -np.inf, np.inf, np.nan, 0.5 - 1e-16, -np.inf]
    np.testing.assert_array_equal(
        settled(odd), [np.nan, odd[5], -np.inf, np.inf, np.nan, odd[5], -np.inf]
    )
    assert settled([]).tolist() == []
    assert settled([[1.0, 0.0], [0.3, 1.0 + 1e-15]]).tolist() == [[1, 0], [0.3, 1]]


def test_the_best_is_the_first_of_equals_and_never_nan():
    low, high = sorted([np.mean([0.1, 0.2, 0.3]), np.mean([0.3, 0.2, 0.1])])
    assert low < high  # by rounding errors
    assert best_of([np.nan, 0.1, low, high]) == 2
    assert best_of([np.nan, np.nan]) is None
    assert best_of([-np.inf, np.nan]) == 0
