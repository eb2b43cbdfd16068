"""Steps for factors and weights of views: descent, minima, scales, orthonormal columns."""

import numpy as np
import pytest
from helpers import assert_equal_to_oracle
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from mvclust.numerics import factors
from mvclust.numerics.graph_nmf import best_graph_nmf, graph_nmf
from mvclust.numerics.graphs import laplacian, neighbor_graph
from mvclust.numerics.simplex import project_to_simplex
from mvclust.numerics.stiefel import minimize_quadratic, nearest_orthonormal
from mvclust.numerics.view_weights import view_weights


@pytest.mark.parametrize(("scale", "order"), [(factors.unit_sums, 1), (factors.unit_lengths, 2)])
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
    factors.descend_coefficients(Ut, XB, np.array([[4.0]]), ridge)
    assert Ut.tolist() == [[0.5, 0.0, 0.5]]


def test_descent_in_the_basis_lowers_its_error_keeps_the_sums_and_that_of_a_dead_column():
    rng = np.random.default_rng(0)
    U, Bt = rng.random((20, 3)), rng.dirichlet(np.ones(6), size=3)
    X, start, U[:, 1] = rng.random((20, 6)), Bt.copy(), 0.0
    factors.descend_basis(Bt, (X.T @ U).T.copy(), U.T @ U)
    assert np.sum((X - U @ Bt) ** 2) < np.sum((X - U @ start) ** 2)
    np.testing.assert_allclose(Bt.sum(axis=1), 1)
    assert (Bt >= 0).all()
    np.testing.assert_array_equal(Bt[1], start[1])


@pytest.mark.parametrize("guess", ["none", "all", "other"])
def test_nearest_on_the_simplex_from_any_guess(guess):
    rng = np.random.default_rng(0)
    for x in rng.normal(scale=5, size=(20, 12)):
        support = {"none": x > np.inf, "all": x > -np.inf, "other": rng.random(12) < 0.3}[guess]
        nearest = factors._nearest_on_simplex(x, support)
        np.testing.assert_allclose(nearest, project_to_simplex(x[None])[0], atol=1e-14)


def test_equals_oracle(oracle):
    z = oracle("baselines_gnmf")
    for X, S in ((z["X"], z["S"]), (sparse.csr_array(z["X"]), sparse.csr_array(z["S"]))):
        U, V, _ = graph_nmf(X, S, z["U_init"], z["V_init"], max_iter=int(z["iterations"]))
        assert_equal_to_oracle(z, "{}", U=U, V=V)


@given(seed=st.integers(0, 1000), weight=st.sampled_from([0.0, 0.1, 10.0]))
@settings(max_examples=30, deadline=None)
def test_objective_is_that_of_the_factors_and_columns_have_unit_length(seed, weight):
    rng = np.random.default_rng(seed)
    X = rng.random((20, 6))
    S = weight * neighbor_graph(X, 3)
    U, V, value = best_graph_nmf(X, S, 3, n_init=2, warm_up=5, max_iter=20, seed=seed)
    np.testing.assert_allclose(np.linalg.norm(U, axis=0), 1)
    expected = np.sum((X - V @ U.T) ** 2) + np.trace(V.T @ (laplacian(S) @ V))
    np.testing.assert_allclose(value, expected, rtol=1e-8)


@given(seed=st.integers(0, 1000), exponent=st.sampled_from([1.0, 1.05, 2.0, 10.0]))
@settings(max_examples=30, deadline=None)
def test_no_other_weights_are_better(seed, exponent):
    rng = np.random.default_rng(seed)
    losses = rng.random((4, 2)) + 0.1  # of two runs
    weights, others = view_weights(losses, exponent), rng.dirichlet(np.ones(4), size=200)
    np.testing.assert_allclose(weights.sum(axis=0), 1)
    for of_run, found in zip(losses.T, weights.T, strict=True):
        best = found**exponent @ of_run
        assert (others**exponent @ of_run >= best * (1 - 1e-12)).all()


def test_weights_of_exact_fits_are_shared_extreme_ones_finite_and_small_ones_dropped():
    np.testing.assert_allclose(view_weights(np.array([0.0, 1.0]), 3.0), [1, 0], atol=2e-6)
    np.testing.assert_allclose(view_weights(np.zeros(3), 3.0), 1 / 3)
    for exponent in (0.999, 1.001):
        assert np.isfinite(view_weights(np.array([1e-9, 1.0, 1e9]), exponent)).all()
    weights = view_weights(np.array([1.0, 1.0, 1e6]), 2, smallest=1e-5)
    assert weights.tolist() == [0.5, 0.5, 0.0]


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
    seed=st.integers(0, 10**6), n=st.integers(2, 25), k=st.integers(1, 5), size=st.floats(0, 10),
    curvature=st.sampled_from([0.0, 1e-3, 1.0, 100.0]),
)  # fmt: skip
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


def test_smallest_eigenvectors_the_nearest_matrix_and_a_stationary_end_are_found():
    """Without the linear term, without the quadratic one, and with both."""
    L, C, X = problem(0, 30, 4)
    tight = {"gtol": 1e-9, "xtol": 1e-12, "ftol": 1e-16}
    found, _ = minimize_quadratic(X, L.dot, 0 * C, **tight)
    np.testing.assert_allclose(value(found, L, 0 * X), np.linalg.eigvalsh(L)[:4].sum(), rtol=1e-10)
    found, _ = minimize_quadratic(X, (0 * L).dot, C, **tight)
    np.testing.assert_allclose(found, nearest_orthonormal(C), atol=1e-7)
    found, n_iter = minimize_quadratic(X, L.dot, C, **tight)
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


def test_iterations_are_limited_a_solution_stays_and_a_constant_only_counts_in_the_stopping_test():
    L, C, X = problem(3, 30, 2)
    assert minimize_quadratic(X, L.dot, C, max_iter=3)[1] == 3
    smallest = np.linalg.eigh(L)[1][:, :2]
    found, n_iter = minimize_quadratic(smallest, L.dot, 0 * C)
    np.testing.assert_allclose(found, smallest, atol=1e-8)
    assert n_iter <= 5
    plain, _ = minimize_quadratic(X, L.dot, C, gtol=1e-9, xtol=1e-12, ftol=0)
    shifted, _ = minimize_quadratic(X, L.dot, C, constant=50.0, gtol=1e-9, xtol=1e-12, ftol=0)
    assert value(plain, L, C) == pytest.approx(value(shifted, L, C), rel=1e-9)
