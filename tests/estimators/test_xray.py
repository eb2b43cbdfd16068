"""XRAY against its oracle, and what its mathematics promises."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import nnls

from mvclust.estimators.xray import XRAY, xray

RULES = ("max", "greedy")


@pytest.mark.parametrize("name", ["fou5", "pix5", "concat5", "concat10"])
def test_anchors_equal_oracle(oracle, name):
    z = oracle("baselines_xray")
    X = z["M_" + name.rstrip("0123456789")].T
    expected = z["anchors_" + name]
    for view in (X, sparse.csr_array(X)):
        model = XRAY(len(expected), rule="max", random_state=0).fit([view])
        np.testing.assert_array_equal(model.anchors_, expected)


@given(seed=st.integers(0, 1000), rule=st.sampled_from(RULES))
@settings(max_examples=30, deadline=None)
def test_coefficients_are_the_non_negative_least_squares(seed, rule):
    rng = np.random.default_rng(seed)
    X = rng.random((25, 8)) * (rng.random((25, 8)) < 0.6)
    factors, objective, stop = xray(X, 5, rule=rule)
    anchors, H = factors["anchors"], factors["H"]
    assert len(set(anchors.tolist())) == 5
    assert (np.diff(objective) < 0).all()
    assert (H >= 0).all()
    best = sum(nnls(X[anchors].T, x)[1] ** 2 for x in X)
    np.testing.assert_allclose(objective[-1], best, rtol=1e-8)
    errors = np.sum((X - H @ X[anchors]) ** 2, axis=1)
    np.testing.assert_allclose(objective[-1], errors.sum(), rtol=1e-8)
    np.testing.assert_allclose(stop, errors.max(), rtol=1e-8)


@given(seed=st.integers(0, 1000))
@settings(max_examples=30, deadline=None)
def test_max_finds_the_rays_of_separable_data_and_takes_no_more(seed):
    rng = np.random.default_rng(seed)
    rays = rng.random((4, 12)) * (rng.random((4, 12)) < 0.5) + 2 * np.eye(4, 12)
    weights = np.vstack([np.eye(4), rng.dirichlet(np.ones(4), size=20)])
    X = (weights @ rays) * rng.uniform(0.5, 2, size=(24, 1))
    order = rng.permutation(24)
    factors, objective, _ = xray(X[order], 9, rule="max")
    assert set(order[factors["anchors"]].tolist()) == {0, 1, 2, 3}
    assert objective[-1] <= 1e-10 * np.sum(X**2)


def test_greedy_takes_the_largest_gain():
    X = np.random.default_rng(0).random((12, 6))
    factors, objective, _ = xray(X, 3, rule="greedy")
    chosen = []
    for anchor in factors["anchors"]:
        H = np.array([nnls(X[chosen].T, x)[0] for x in X]) if chosen else np.zeros((12, 0))
        R = X - H @ X[chosen]
        errors = []
        for x in X:
            added = np.maximum(R @ x / (x @ x), 0)
            errors.append(np.sum((R - added[:, None] * x) ** 2))
        assert np.argmin(errors) == anchor
        chosen.append(anchor)
    one = [sum(nnls(X[[j]].T, x)[1] ** 2 for x in X) for j in range(12)]
    np.testing.assert_allclose(objective[0], min(one))


@pytest.mark.parametrize("rule", RULES)
def test_sparse_views_stay_sparse_and_empty_rows_are_fine(rule):
    X = np.random.default_rng(1).random((30, 9))
    X[X < 0.6] = 0.0
    X[4] = 0.0
    dense = XRAY(3, rule=rule, random_state=0).fit([X, X[:, :3]])
    same = XRAY(3, rule=rule, random_state=0).fit([sparse.csc_array(X), sparse.coo_array(X[:, :3])])
    np.testing.assert_array_equal(dense.anchors_, same.anchors_)
    np.testing.assert_allclose(dense.H_, same.H_, atol=1e-10)
    assert not dense.H_[4].any()
    assert 4 not in dense.anchors_
