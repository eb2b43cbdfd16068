"""Squared lengths and distances equal those by definition."""

import numpy as np
import pytest
from scipy import sparse

from mvclust.numerics.distances import (
    mutual_squared_distances,
    squared_distances,
    squared_distances_of_pairs,
    squared_norm,
    squared_row_norms,
)


def by_definition(X, Y):
    return ((X[:, None] - Y) ** 2).sum(axis=2)


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("n", [3, 9])  # fewer rows than the other, and more
def test_distances_between_two_sets(make, n):
    rng = np.random.default_rng(n)
    X, Y = rng.normal(size=(n, 4)), rng.normal(size=(5, 4))
    expected = by_definition(X, Y)
    found = squared_distances(make(X), make(Y))
    np.testing.assert_allclose(found, expected, atol=1e-13)
    known = squared_distances(make(X), make(Y), (X**2).sum(axis=1), (Y**2).sum(axis=1))
    np.testing.assert_allclose(known, expected, atol=1e-13)


def test_given_lengths_are_used():
    X = np.ones((2, 3))
    assert squared_distances(X, X, Y_norms=np.array([3.0, np.inf])).tolist() == [[0, np.inf]] * 2


def test_distances_within_one_set():
    X = 1e3 + np.random.default_rng(0).normal(size=(30, 3))
    found = mutual_squared_distances(X)
    np.testing.assert_allclose(found, by_definition(X, X), atol=1e-8)
    assert (found >= 0).all()
    assert (found.diagonal() == 0).all()


def test_pairs_have_no_cancellation():
    F = 1e8 + np.random.default_rng(0).integers(5, size=(20, 3))
    i, j = np.nonzero(np.ones((20, 20)))
    found = squared_distances_of_pairs(F, i, j)
    np.testing.assert_array_equal(found.reshape(20, 20), by_definition(F, F))


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_lengths(make):
    X = np.random.default_rng(0).normal(size=(6, 3))
    np.testing.assert_allclose(squared_row_norms(make(X)), (X**2).sum(axis=1))
    assert squared_norm(make(X)) == pytest.approx((X**2).sum())
