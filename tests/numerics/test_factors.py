"""Scaled factors keep their product; descent reaches the minimum of a column."""

import numpy as np
import pytest

from mvclust.numerics.factors import (
    _nearest_on_simplex,
    descend_basis,
    descend_coefficients,
    unit_lengths,
    unit_sums,
)
from mvclust.numerics.simplex import project_to_simplex


@pytest.mark.parametrize(("scale", "order"), [(unit_sums, 1), (unit_lengths, 2)])
def test_scaling_keeps_the_product_and_zero_columns(scale, order):
    rng = np.random.default_rng(0)
    U, V = rng.random((7, 3)), rng.random((5, 3))
    U[:, 1] = 0.0
    scaled, other = scale(U, V)
    np.testing.assert_allclose(np.linalg.norm(scaled, ord=order, axis=0)[[0, 2]], 1)
    np.testing.assert_allclose(scaled @ other.T, U @ V.T)
    np.testing.assert_array_equal(other[:, 1], V[:, 1])


def test_descent_in_the_coefficients_solves_one_column_exactly():
    """With one cluster the minimum of the ridge problem is known."""
    XB, ridge = np.array([[2.0, -1.0, 3.0]]), np.array([0.0, 1.0, 2.0])
    Ut = np.zeros((1, 3))
    descend_coefficients(Ut, XB, np.array([[4.0]]), ridge)
    assert Ut.tolist() == [[0.5, 0.0, 0.5]]


def test_descent_in_the_basis_lowers_its_error_and_keeps_the_sums():
    rng = np.random.default_rng(0)
    U, Bt = rng.random((20, 3)), rng.dirichlet(np.ones(6), size=3)
    X = rng.random((20, 6))
    before = np.sum((X - U @ Bt) ** 2)
    descend_basis(Bt, (X.T @ U).T.copy(), U.T @ U)
    assert np.sum((X - U @ Bt) ** 2) < before
    np.testing.assert_allclose(Bt.sum(axis=1), 1)
    assert (Bt >= 0).all()


@pytest.mark.parametrize("guess", ["none", "all", "other"])
def test_nearest_on_the_simplex_from_any_guess(guess):
    rng = np.random.default_rng(0)
    for x in rng.normal(scale=5, size=(20, 12)):
        support = {"none": x > np.inf, "all": x > -np.inf, "other": rng.random(12) < 0.3}[guess]
        nearest = _nearest_on_simplex(x, support)
        np.testing.assert_allclose(nearest, project_to_simplex(x[None])[0], atol=1e-14)


def test_the_basis_of_a_dead_column_stays():
    U, Bt = np.array([[1.0, 0.0], [2.0, 0.0]]), np.full((2, 2), 0.5)
    descend_basis(Bt, (np.ones((2, 2)).T @ U).T.copy(), U.T @ U)
    assert Bt[1].tolist() == [0.5, 0.5]
