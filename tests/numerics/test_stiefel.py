"""Orthonormal columns: nearest matrix, and descent that stays on the manifold."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mvclust.numerics.stiefel import minimize_quadratic, nearest_orthonormal


def problem(seed, n, k):
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((n, n))
    return A + A.T, rng.standard_normal((n, k)), nearest_orthonormal(rng.standard_normal((n, k)))


def value(X, L, C):
    return np.trace(X.T @ L @ X) - 2 * np.trace(X.T @ C)


@given(st.integers(0, 10**6), st.integers(1, 8), st.integers(1, 8))
@settings(deadline=None, max_examples=40)
def test_nearest_orthonormal(seed, n, k):
    n = max(n, k)
    A = np.random.default_rng(seed).standard_normal((n, k))
    Q = nearest_orthonormal(A)
    np.testing.assert_allclose(Q.T @ Q, np.eye(k), atol=1e-12)
    H = Q.T @ A  # symmetric and positive semidefinite: the polar decomposition
    np.testing.assert_allclose(H, H.T, atol=1e-10)
    assert np.linalg.eigvalsh((H + H.T) / 2).min() > -1e-10
    np.testing.assert_allclose(Q @ H, A, atol=1e-10)


@given(
    st.integers(0, 10**6),
    st.integers(2, 25),
    st.integers(1, 5),
    st.floats(0, 10),
    st.sampled_from([0.0, 1e-3, 1.0, 100.0]),
)
@settings(deadline=None, max_examples=80)
def test_search_stays_on_the_manifold_and_never_ends_higher(seed, n, k, size, curvature):
    k = min(k, n)
    L, C, X = problem(seed, n, k)
    C *= size
    before = X.copy()
    found, n_iter = minimize_quadratic(X, L.dot, C, curvature=curvature, max_iter=200)
    np.testing.assert_array_equal(X, before)
    assert n_iter <= 200
    np.testing.assert_allclose(found.T @ found, np.eye(k), atol=1e-12)
    assert value(found, L, C) <= value(X, L, C) + 1e-12 * (1 + abs(value(X, L, C)))


def test_without_linear_term_the_smallest_eigenvectors_are_found():
    L, _, X = problem(0, 40, 3)
    found, _ = minimize_quadratic(X, L.dot, np.zeros((40, 3)), xtol=1e-9, gtol=1e-8, ftol=1e-14)
    np.testing.assert_allclose(value(found, L, 0 * X), np.linalg.eigvalsh(L)[:3].sum(), rtol=1e-10)


def test_without_quadratic_term_the_nearest_matrix_is_found():
    _, C, X = problem(1, 20, 4)
    found, _ = minimize_quadratic(X, np.zeros((20, 20)).dot, C, xtol=1e-9, gtol=1e-9, ftol=1e-15)
    np.testing.assert_allclose(found, nearest_orthonormal(C), atol=1e-7)


def test_end_is_stationary():
    L, C, X = problem(2, 30, 4)
    found, n_iter = minimize_quadratic(X, L.dot, C, gtol=1e-6, xtol=1e-12, ftol=1e-16)
    G = 2 * (L @ found - C)
    assert n_iter < 1000
    assert np.linalg.norm(G - found @ (G.T @ found)) < 1e-5


def test_enlarged_rotations_reach_the_same_minimum_sooner():
    rng = np.random.default_rng(5)
    basis = nearest_orthonormal(rng.standard_normal((60, 60)))
    L = basis * np.linspace(0, 1, 60) @ basis.T
    C = 1e-3 * rng.standard_normal((60, 3))
    X = nearest_orthonormal(basis[:, :3] + 0.1 * rng.standard_normal((60, 3)))
    best_rotation = X @ nearest_orthonormal(X.T @ C)  # where the scaled search starts by itself
    tight = {"gtol": 1e-9, "xtol": 0, "ftol": 0}
    plain, n_plain = minimize_quadratic(best_rotation, L.dot, C, **tight)
    scaled, n_scaled = minimize_quadratic(X, L.dot, C, curvature=0.5, **tight)
    np.testing.assert_allclose(scaled, plain, atol=1e-5)
    assert value(scaled, L, C) <= value(plain, L, C) + 1e-12
    assert n_scaled < n_plain / 2


def test_iterations_are_limited_and_a_solution_stays():
    L, C, X = problem(3, 30, 2)
    assert minimize_quadratic(X, L.dot, C, max_iter=3)[1] == 3
    smallest = np.linalg.eigh(L)[1][:, :2]
    found, n_iter = minimize_quadratic(smallest, L.dot, 0 * C)
    np.testing.assert_allclose(found, smallest, atol=1e-8)
    assert n_iter <= 5


def test_constant_only_counts_in_the_stopping_test():
    L, C, X = problem(4, 30, 2)
    plain, _ = minimize_quadratic(X, L.dot, C, gtol=1e-9, xtol=1e-12, ftol=0)
    shifted, _ = minimize_quadratic(X, L.dot, C, constant=50.0, gtol=1e-9, xtol=1e-12, ftol=0)
    assert value(plain, L, C) == pytest.approx(value(shifted, L, C), rel=1e-9)
