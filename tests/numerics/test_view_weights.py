"""Weights of views: optimal, finite, column by column."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mvclust.numerics.view_weights import view_weights


@given(seed=st.integers(0, 1000), exponent=st.sampled_from([1.0, 1.05, 2.0, 10.0]))
@settings(max_examples=30, deadline=None)
def test_no_other_weights_are_better(seed, exponent):
    rng = np.random.default_rng(seed)
    losses = rng.random(4) + 0.1
    weights = view_weights(losses, exponent)
    assert weights.sum() == pytest.approx(1)
    others = rng.dirichlet(np.ones(4), size=200)
    best = weights**exponent @ losses
    assert (others**exponent @ losses >= best * (1 - 1e-12)).all()


@pytest.mark.parametrize("exponent", [0.5, 1.0, 3.0])
def test_several_runs_are_weighted_column_by_column(exponent):
    losses = np.random.default_rng(0).random((3, 5))
    expected = [view_weights(column, exponent) for column in losses.T]
    np.testing.assert_allclose(view_weights(losses, exponent).T, expected, rtol=1e-14)


def test_views_that_fit_exactly_share_the_weight():
    np.testing.assert_allclose(view_weights(np.array([0.0, 1.0]), 3.0), [1, 0], atol=2e-6)
    np.testing.assert_allclose(view_weights(np.zeros(3), 3.0), 1 / 3)


@pytest.mark.parametrize("exponent", [0.999, 1.001])
def test_nothing_overflows(exponent):
    assert np.isfinite(view_weights(np.array([1e-9, 1.0, 1e9]), exponent)).all()


def test_small_weights_are_dropped():
    weights = view_weights(np.array([1.0, 1.0, 1e6]), 2, smallest=1e-5)
    assert weights.tolist() == [0.5, 0.5, 0.0]
