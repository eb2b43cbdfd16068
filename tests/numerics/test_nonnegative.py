"""Non-negative least squares: plain, with an l1 penalty, and of new samples on fixed bases."""

import numpy as np
import pytest
from helpers import relative
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import nnls

from mvclust.masking import random_mask
from mvclust.numerics import fold_in as module
from mvclust.numerics.fold_in import fold_in, fold_in_with_consensus
from mvclust.numerics.lasso import FEW, exact_lasso, greedy_lasso
from mvclust.numerics.nnls import nonnegative_least_squares

SEEDS = st.integers(0, 10_000)
N_ROWS = st.sampled_from([12, FEW + 20])  # by LAPACK, and by steps for all at a time
K = 3


@given(
    seed=SEEDS, k=st.integers(1, 12), d=st.integers(1, 15), sign=st.sampled_from([0.0, 0.5]),
    first=st.integers(0, 11),
)  # fmt: skip
@settings(max_examples=80, deadline=None)
def test_equals_scipy_and_satisfies_the_conditions_of_optimality(seed, k, d, sign, first):
    """From zero, or from the solution for the first variables alone."""
    rng = np.random.default_rng(seed)
    A, X = rng.random((k, d)) - sign, rng.random((20, d)) - sign
    A[rng.random(A.shape) < 0.2] = 0.0
    if k > 2:
        A[-1] = A[0] + 2 * A[1]  # singular, and so it is for k > d
    G, B = A @ A.T, X @ A.T
    start, some = np.zeros((20, k)), slice(first % k)
    if first % k:
        start[:, some] = nonnegative_least_squares(G[some, some], B[:, some], start[:, some])
    H = nonnegative_least_squares(G, B, start)
    assert (H >= 0).all()
    descent = B - H @ G
    size = 1e-5 * max(1.0, np.abs(B).max())  # the Gram matrix squares A's condition number
    assert (descent <= size).all()
    assert (np.abs(descent[H > 0]) <= size).all()
    for x, h in zip(X, H, strict=True):
        ours, theirs = (np.linalg.norm(x - z @ A) for z in (h, nnls(A.T, x)[0]))
        assert ours <= theirs + 1e-7  # the solver of SciPy 1.15 may end too early


def test_start_is_left_alone_and_zeros_are_fine():
    start, G = np.zeros((2, 3)), np.diag([1.0, 0.0, 1e-20])
    B = np.array([[0.0, 0.0, 0.0], [3.0, 0.0, 0.0]])
    assert nonnegative_least_squares(G, B, start).tolist() == [[0, 0, 0], [3, 0, 0]]
    assert not start.any()


def lasso_problem(seed, n=12, rank=4):
    """H of the given rank, X and a start W; and H H' and X H'."""
    rng = np.random.default_rng(seed)
    H = rng.random((4, 9)) if rank == 4 else rng.random((4, rank)) @ rng.random((rank, 9))
    X = rng.random((n, 9)) * (rng.random((n, 9)) < 0.5)
    return H, X, rng.random((n, 4)), H @ H.T, X @ H.T


def values(H, X, W, penalty):
    return ((X - W @ H) ** 2).sum(axis=1) + penalty * W.sum(axis=1)


@given(seed=SEEDS, rank=st.integers(1, 4), penalty=st.sampled_from([0.0, 0.1, 1.0, 10.0]), n=N_ROWS)
@settings(max_examples=120, deadline=None)
def test_exact_lasso_is_optimal_and_equals_scipy_where_the_solution_is_unique(
    seed, rank, penalty, n
):
    H, X, W, G, R = lasso_problem(seed, n, rank)
    found = exact_lasso(G, R, W, penalty)
    gradient = 2 * (found @ H - X) @ H.T + penalty
    scale = np.abs(R).max()
    assert (found >= 0).all()
    assert (gradient >= -1e-6 * scale).all()
    assert np.abs(gradient * found).max() <= 1e-5 * scale
    assert (values(H, X, found, penalty) <= values(H, X, W, penalty) + 1e-9).all()
    if rank == 4:  # plain least squares in the Cholesky factor of H H'
        L = np.linalg.cholesky(G)
        expected = [nnls(L.T, np.linalg.solve(L, H @ x - penalty / 2))[0] for x in X]
        np.testing.assert_allclose(found, expected, atol=1e-8)


@given(seed=SEEDS, penalty=st.sampled_from([0.0, 0.5]))
@settings(max_examples=40, deadline=None)
def test_greedy_falls_to_the_minimum(seed, penalty):
    H, X, W, G, R = lasso_problem(seed)
    found, objective = greedy_lasso(G, R, W, penalty, constant=np.sum(X**2), move_tol=1e-9)
    start = values(H, X, W, penalty).sum()
    assert (np.diff([start, *objective]) <= 1e-12 * start).all()
    np.testing.assert_allclose(objective[-1], values(H, X, found, penalty).sum(), rtol=1e-10)
    np.testing.assert_allclose(found, exact_lasso(G, R, W, penalty), atol=1e-5)
    assert (found >= 0).all()


@pytest.mark.parametrize("n", [12, FEW + 20])
def test_dead_variable_keeps_its_value_or_is_penalised_away(n):
    _, _, W, G, R = lasso_problem(0, n)
    G[1] = G[:, 1] = R[:, 1] = 0
    np.testing.assert_allclose(exact_lasso(G, R, W, 0.0)[:, 1], W[:, 1])
    assert (exact_lasso(G, R, W, 0.1)[:, 1] == 0).all()
    zero = np.zeros((3, 3))
    np.testing.assert_allclose(exact_lasso(zero, zero, np.ones((3, 3)), 0.0), 1)


def test_rows_that_do_not_settle_are_left_to_the_greedy_solver():
    _, _, W, G, R = lasso_problem(1)
    unsettled = exact_lasso(G, R, W, 0.1, max_pivots=1)
    np.testing.assert_allclose(unsettled, exact_lasso(G, R, W, 0.1), atol=1e-5)


@pytest.mark.parametrize("solve", [exact_lasso, lambda *args: greedy_lasso(*args)[0]])
def test_rows_are_independent_and_inputs_left_alone(solve):
    _, _, W, G, R = lasso_problem(2, n=40)
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
    expected = z[f"{name}_obj"]
    n = min(len(objective), len(expected))
    ours, theirs = [*objective[:n], objective[-1]], [*expected[:n], expected[-1]]
    np.testing.assert_allclose(ours, theirs, rtol=1e-8)


@pytest.fixture
def samples():
    """Views of samples that lack some, and bases of both signs."""
    rng = np.random.default_rng(0)
    bases = [rng.normal(size=(d, K)) for d in (5, 4, 6)]
    Xs = [rng.normal(size=(40, len(B))) for B in bases]
    return Xs, bases, random_mask(40, 3, 0.4, 0)


def stacked(x, bases, views, weights, ties):
    """The rows of one least squares problem in all u_v and u*."""
    m = len(views)
    rows, right = [], []
    for i, v in enumerate(views):
        block, tie = (np.zeros((size, (m + 1) * K)) for size in (len(bases[v]), K))
        block[:, i * K : (i + 1) * K] = bases[v]
        tie[:, i * K : (i + 1) * K], tie[:, m * K :] = np.eye(K), -np.eye(K)
        rows += [np.sqrt(weights[v]) * block, np.sqrt(weights[v] * ties[v]) * tie]
        right += [np.sqrt(weights[v]) * x[v], np.zeros(K)]
    return np.vstack(rows), np.concatenate(right)


def test_coefficients_are_those_of_one_least_squares_problem(samples):
    """Over the views of each sample."""
    Xs, bases, presence = samples
    found = fold_in(Xs, bases, presence)
    assert (found == 0).any()
    for i, there in enumerate(presence):
        views = np.flatnonzero(there)
        x = np.concatenate([Xs[v][i] for v in views])
        expected = nnls(np.vstack([bases[v] for v in views]), x)[0]
        np.testing.assert_allclose(found[i], expected, atol=1e-6)


def test_penalty_is_that_of_the_l1_norm(samples):
    Xs, bases, presence = samples
    penalty = np.linspace(0, 3, len(presence))
    H = fold_in(Xs, bases, presence, penalty=penalty)
    slope = penalty[:, None] + sum(
        there[:, None] * (2 * (H @ B.T - X) @ B)
        for X, B, there in zip(Xs, bases, presence.T, strict=True)
    )
    assert np.abs(slope[H > 0]).max() < 1e-6
    assert slope.min() > -1e-6


def test_missing_rows_and_batches_do_not_matter(samples, monkeypatch):
    Xs, bases, presence = samples
    H = fold_in(Xs, bases, presence)
    other = [np.where(there[:, None], X, 7.0) for X, there in zip(Xs, presence.T, strict=True)]
    np.testing.assert_array_equal(fold_in(other, bases, presence), H)
    sparse_views = [sparse.csr_array(X) for X in Xs]
    np.testing.assert_allclose(fold_in(sparse_views, bases, presence), H, atol=1e-12)
    monkeypatch.setattr(module, "BLOCK", 1)
    np.testing.assert_allclose(fold_in(Xs, bases, presence), H, atol=1e-6)


def test_of_many_solutions_the_shortest_is_taken_in_any_batch():
    """Two columns of a basis are equal: only their sum is determined."""
    rng = np.random.default_rng(0)
    B = rng.random((4, 1)) * [1.0, 1.0, 0.0] + rng.random((4, 1)) * [0.0, 0.0, 1.0]
    X, there = rng.random((200, 4)), np.ones((200, 1), dtype=bool)
    H = fold_in([X], [B], there)
    np.testing.assert_allclose(H[:, 0], H[:, 1], atol=1e-5)
    alone = np.vstack([fold_in([x[None]], [B], there[:1]) for x in X])
    np.testing.assert_allclose(alone, H, atol=1e-5)


@pytest.mark.parametrize("filled", [False, True])
@pytest.mark.parametrize("ties", [[1.0, 1.0, 1.0], [0.01, 2.0, 50.0]])
def test_consensus_is_that_of_one_least_squares_problem(samples, ties, filled):
    """Filled views and points to be near are more rows of it."""
    Xs, bases, presence = samples
    weights, near, star = np.array([1.0, 0.3, 2.0]), np.array([0.4, 0.0, 3.0]), 0.7 * filled
    points = [np.random.default_rng(v).random((40, K)) for v in range(4)]
    options = {"weights": weights, "ties": np.array(ties)}
    if filled:
        options |= {"lacking": np.full(3, 0.2), "near_star": (star, points[3])}
        options |= {"near": [*zip(near, points[:3], strict=True)]}
    found = fold_in_with_consensus(Xs, bases, presence, **options)
    for i, there in enumerate(presence):
        views = range(3) if filled else np.flatnonzero(there)
        w = np.where(there, weights, 0.2)
        rows, right = stacked([X[i] for X in Xs], bases, views, w, ties)
        scales = np.sqrt(np.repeat([*(filled * w * near)[views], star], K))
        right = np.r_[right, scales * np.concatenate([points[v][i] for v in (*views, 3)])]
        expected = nnls(np.vstack([rows, np.diag(scales)]), right)[0][-K:]
        np.testing.assert_allclose(found[i], expected, atol=1e-6)


def test_penalties_lower_the_coefficients_of_their_view(samples):
    Xs, bases, _ = samples
    there, one = np.ones((40, 3), dtype=bool), np.ones(3)
    options = {"weights": one, "ties": 0 * one, "penalties": np.array([1e6, 0.0, 1e6])}
    found = fold_in_with_consensus(Xs, bases, there, **options)
    own = fold_in(Xs[1:2], bases[1:2], there[:, :1])
    np.testing.assert_allclose(found, own / 3, atol=1e-6)
