"""Coefficients on fixed bases against scipy's non-negative least squares."""

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import nnls

from mvclust.masking import random_mask
from mvclust.numerics import fold_in as module
from mvclust.numerics.fold_in import fold_in, fold_in_with_consensus

K = 3


@pytest.fixture
def problem():
    """Views of samples that lack some, and bases of both signs."""
    rng = np.random.default_rng(0)
    bases = [rng.normal(size=(d, K)) for d in (5, 4, 6)]
    Xs = [rng.normal(size=(40, len(B))) for B in bases]
    return Xs, bases, random_mask(40, 3, 0.4, 0)


def test_least_squares_over_the_views_of_each_sample(problem):
    Xs, bases, presence = problem
    H = fold_in(Xs, bases, presence)
    for i, there in enumerate(presence):
        views = np.flatnonzero(there)
        expected, _ = nnls(
            np.vstack([bases[v] for v in views]), np.concatenate([Xs[v][i] for v in views])
        )
        np.testing.assert_allclose(H[i], expected, atol=1e-6)
    assert (H == 0).any()
    assert (H > 0).any()


def test_penalty_is_that_of_the_l1_norm(problem):
    Xs, bases, presence = problem
    penalty = np.linspace(0, 3, len(presence))
    H = fold_in(Xs, bases, presence, penalty=penalty)
    for h, x, there, p in zip(H, zip(*Xs, strict=True), presence, penalty, strict=True):
        slope = p + sum(
            2 * (h @ B.T - x_v) @ B for B, x_v, t in zip(bases, x, there, strict=True) if t
        )
        assert np.abs(slope[h > 0]).max(initial=0) < 1e-6
        assert slope.min() > -1e-6


def test_missing_rows_and_batches_do_not_matter(problem, monkeypatch):
    Xs, bases, presence = problem
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


def stacked(x, bases, views, weights, ties):
    """The rows of one least squares problem in all u_v and u*."""
    m = len(views)
    rows, right = [], []
    for i, v in enumerate(views):
        block = np.zeros((len(bases[v]), (m + 1) * K))
        block[:, i * K : (i + 1) * K] = bases[v]
        tie = np.zeros((K, (m + 1) * K))
        tie[:, i * K : (i + 1) * K], tie[:, m * K :] = np.eye(K), -np.eye(K)
        rows += [np.sqrt(weights[v]) * block, np.sqrt(weights[v] * ties[v]) * tie]
        right += [np.sqrt(weights[v]) * x[v], np.zeros(K)]
    return np.vstack(rows), np.concatenate(right)


@pytest.mark.parametrize("ties", [[1.0, 1.0, 1.0], [0.01, 2.0, 50.0]])
def test_consensus_is_that_of_one_least_squares_problem(problem, ties):
    Xs, bases, presence = problem
    weights, ties = np.array([1.0, 0.3, 2.0]), np.array(ties)
    found = fold_in_with_consensus(Xs, bases, presence, weights=weights, ties=ties)
    for i, there in enumerate(presence):
        views = np.flatnonzero(there)
        solution, _ = nnls(*stacked([X[i] for X in Xs], bases, views, weights, ties))
        np.testing.assert_allclose(found[i], solution[-K:], atol=1e-6)


def test_points_to_be_near_and_filled_views_are_more_rows_of_that_problem(problem):
    Xs, bases, presence = problem
    weights, ties, lacking = np.array([1.0, 0.3, 2.0]), np.array([0.5, 1.0, 2.0]), np.full(3, 0.2)
    points = [np.random.default_rng(v).random((40, K)) for v in range(4)]
    near = [(c, p) for c, p in zip((0.4, 0.0, 3.0), points, strict=False)]
    options = {"weights": weights, "ties": ties, "lacking": lacking, "near": near}
    found = fold_in_with_consensus(Xs, bases, presence, **options, near_star=(0.7, points[3]))
    for i, there in enumerate(presence):
        w = np.where(there, weights, lacking)
        rows, right = stacked([X[i] for X in Xs], bases, range(3), w, ties)
        scales = np.sqrt(np.repeat([*(w * [0.4, 0.0, 3.0]), 0.7], K))
        rows = np.vstack([rows, np.diag(scales)])
        right = np.concatenate([right, scales * np.concatenate([p[i] for p in points])])
        solution, _ = nnls(rows, right)
        np.testing.assert_allclose(found[i], solution[-K:], atol=1e-6)


def test_penalties_lower_the_coefficients_of_their_view(problem):
    Xs, bases, _ = problem
    there, one = np.ones((40, 3), dtype=bool), np.ones(3)
    penalties = np.array([1e6, 0.0, 1e6])
    found = fold_in_with_consensus(
        Xs, bases, there, weights=one, ties=np.zeros(3), penalties=penalties
    )
    own = fold_in(Xs[1:2], bases[1:2], there[:, :1])
    np.testing.assert_allclose(found, own / 3, atol=1e-6)
