"""Non-negative least squares with an l1 penalty, by rows."""

import numpy as np
import pytest
from helpers import relative
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import nnls

from mvclust.numerics.lasso import FEW, exact_lasso, greedy_lasso

N_ROWS = st.sampled_from([12, FEW + 20])  # by LAPACK, and by steps for all at a time


def problem(seed, n=12, k=4, d=9, rank=None):
    """H, X and a start W; H has the given rank."""
    rng = np.random.default_rng(seed)
    H = rng.random((k, d))
    if rank is not None:
        H = rng.random((k, rank)) @ rng.random((rank, d))
    X = rng.random((n, d)) * (rng.random((n, d)) < 0.5)
    return H, X, rng.random((n, k))


def values(H, X, W, penalty):
    return ((X - W @ H) ** 2).sum(axis=1) + penalty * W.sum(axis=1)


@given(seed=st.integers(0, 10_000), penalty=st.sampled_from([0.0, 0.1, 1.0, 10.0]), n=N_ROWS)
@settings(max_examples=60, deadline=None)
def test_exact_equals_nnls(seed, penalty, n):
    H, X, W = problem(seed, n)
    # ||x - w H||^2 + penalty sum(w) is plain least squares in the Cholesky factor of H H'.
    L = np.linalg.cholesky(H @ H.T)
    expected = [nnls(L.T, np.linalg.solve(L, H @ x - penalty / 2))[0] for x in X]
    found = exact_lasso(H @ H.T, X @ H.T, W, penalty)
    np.testing.assert_allclose(found, expected, atol=1e-8)


@given(
    seed=st.integers(0, 10_000),
    rank=st.sampled_from([1, 2, 3]),
    penalty=st.sampled_from([0.0, 0.3]),
    n=N_ROWS,
)
@settings(max_examples=60, deadline=None)
def test_exact_is_optimal_where_the_solution_is_not_unique(seed, rank, penalty, n):
    H, X, W = problem(seed, n, rank=rank)
    found = exact_lasso(H @ H.T, X @ H.T, W, penalty)
    gradient = 2 * (found @ H - X) @ H.T + penalty
    scale = np.abs(X @ H.T).max()
    assert (found >= 0).all()
    assert (gradient >= -1e-6 * scale).all()
    assert np.abs(gradient * found).max() <= 1e-5 * scale
    assert (values(H, X, found, penalty) <= values(H, X, W, penalty) + 1e-9).all()


@given(seed=st.integers(0, 10_000), penalty=st.sampled_from([0.0, 0.5]))
@settings(max_examples=40, deadline=None)
def test_greedy_falls_to_the_minimum(seed, penalty):
    H, X, W = problem(seed)
    G, R = H @ H.T, X @ H.T
    found, objective = greedy_lasso(G, R, W, penalty, constant=np.sum(X**2), move_tol=1e-9)
    start = values(H, X, W, penalty).sum()
    assert (np.diff([start, *objective]) <= 1e-12 * start).all()
    np.testing.assert_allclose(objective[-1], values(H, X, found, penalty).sum(), rtol=1e-10)
    np.testing.assert_allclose(found, exact_lasso(G, R, W, penalty), atol=1e-5)
    assert (found >= 0).all()


@pytest.mark.parametrize("n", [12, FEW + 20])
def test_dead_variable_keeps_its_value_or_is_penalised_away(n):
    H, X, W = problem(0, n)
    H[1] = 0
    G, R = H @ H.T, X @ H.T
    np.testing.assert_allclose(exact_lasso(G, R, W, 0.0)[:, 1], W[:, 1])
    assert (exact_lasso(G, R, W, 0.1)[:, 1] == 0).all()
    zero = np.zeros((3, 3))
    np.testing.assert_allclose(exact_lasso(zero, zero, np.ones((3, 3)), 0.0), 1)


def test_rows_that_do_not_settle_are_left_to_the_greedy_solver():
    H, X, W = problem(1)
    G, R = H @ H.T, X @ H.T
    unsettled = exact_lasso(G, R, W, 0.1, max_pivots=1)
    np.testing.assert_allclose(unsettled, exact_lasso(G, R, W, 0.1), atol=1e-5)


@pytest.mark.parametrize("solve", [exact_lasso, lambda *args: greedy_lasso(*args)[0]])
def test_rows_are_independent_and_inputs_left_alone(solve):
    H, X, W = problem(2, n=40)
    G, R = H @ H.T, X @ H.T
    before = W.copy()
    found = solve(G, R, W, 0.2)
    np.testing.assert_array_equal(W, before)
    np.testing.assert_allclose(found[::3], solve(G, R[::3], W[::3], 0.2), atol=1e-5)
    assert solve(G, R[:0], W[:0], 0.2).shape == (0, 4)


@pytest.mark.parametrize(("name", "both"), [("sub", False), ("sub2", True)])
def test_greedy_sub_problem_equals_oracle(oracle, name, both):
    z = oracle("pvc")
    Ux, Uy = z["Ux0"], z["Uy0"]
    G, R, start, constant = Ux @ Ux.T, z["X1"] @ Ux.T, z["P10"], np.sum(z["X1"] ** 2)
    if both:
        G, R, start = G + Uy @ Uy.T, z["X2"] @ Ux.T + z["Y2"] @ Uy.T, z["P20"]
        constant = np.sum(z["X2"] ** 2) + np.sum(z["Y2"] ** 2)
    found, objective = greedy_lasso(G, R, start, float(z[f"{name}_lam"][0]), constant=constant)
    assert relative(found, z[f"{name}_P"]) < 1e-8
    # The last sweeps repeat one value; how often depends on its last bit.
    n = min(len(objective), len(z[f"{name}_obj"]))
    np.testing.assert_allclose(objective[:n], z[f"{name}_obj"][:n], rtol=1e-8)
    np.testing.assert_allclose(objective[-1], z[f"{name}_obj"][-1], rtol=1e-8)
