"""Kernel k-means against its definition, and the shared runs against separate ones."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mvclust.numerics import kernel_kmeans as module
from mvclust.numerics.kernel_kmeans import global_kernel_kmeans, kernel_kmeans


def make_kernel(seed, n=16, n_features=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, n_features)) + 2 * rng.integers(0, 3, size=(n, 1))
    return X @ X.T, X


def error_of(X, labels):
    return sum(((X[labels == c] - X[labels == c].mean(axis=0)) ** 2).sum() for c in set(labels))


def plain_kernel_kmeans(K, labels, n_clusters, tol):
    """Distances written out, clusters dropped when they are empty."""
    previous = None
    while True:
        groups = [np.flatnonzero(labels == c) for c in range(n_clusters)]
        distances = np.column_stack(
            [
                np.diag(K) - 2 * K[:, g].mean(axis=1) + K[np.ix_(g, g)].mean()
                if len(g)
                else np.full(len(K), np.inf)
                for g in groups
            ]
        )
        error = distances[np.arange(len(K)), labels].sum()
        if previous is not None and abs(1 - error / previous) < tol:
            return labels, error
        labels, previous = distances.argmin(axis=1), error


def plain_global_kernel_kmeans(K, n_clusters, tol):
    labels = np.zeros(len(K), dtype=int)
    found = []
    for m in range(2, n_clusters + 1):
        runs = []
        for i in range(len(K)):
            start = labels.copy()
            start[i] = m - 1
            runs.append(plain_kernel_kmeans(K, start, m, tol))
        labels, error = min(runs, key=lambda run: run[1])
        found.append((labels, error))
    return min(found, key=lambda run: run[1])


@given(seed=st.integers(0, 1000), n_clusters=st.integers(1, 5))
@settings(max_examples=30, deadline=None)
def test_labels_are_those_of_the_definition_and_their_error_is_below_that_of_the_start(
    seed, n_clusters
):
    K, X = make_kernel(seed)
    start = np.random.default_rng(seed).integers(0, n_clusters, len(K))
    labels, error = kernel_kmeans(K, start, n_clusters)
    expected, expected_error = plain_kernel_kmeans(K, start, n_clusters, 1e-4)
    assert (labels == expected).all()
    np.testing.assert_allclose(error, expected_error, rtol=1e-9)
    np.testing.assert_allclose(error, error_of(X, labels), rtol=1e-9)
    assert error <= error_of(X, start) * (1 + 1e-12)


@given(seed=st.integers(0, 1000), chunk=st.sampled_from([1, 200, 2**20]))
@settings(max_examples=20, deadline=None)
def test_runs_that_share_work_equal_separate_ones(seed, chunk):
    K, X = make_kernel(seed)
    before = module.CHUNK
    try:
        module.CHUNK = chunk
        labels, error = global_kernel_kmeans(K, 4)
    finally:
        module.CHUNK = before
    _, expected = plain_global_kernel_kmeans(K, 4, 1e-4)
    np.testing.assert_allclose(error, expected, rtol=1e-9)
    np.testing.assert_allclose(error, error_of(X, labels), rtol=1e-9)


def test_empty_cluster_stays_empty():
    K, _ = make_kernel(0)
    labels, _ = kernel_kmeans(K, np.zeros(len(K), dtype=int), 3)
    assert set(labels) == {0}


def test_fewer_distinct_samples_than_clusters():
    X = np.repeat([[0.0], [1.0]], 4, axis=0)
    labels, error = global_kernel_kmeans(X @ X.T, 4)
    assert labels.tolist() in ([0] * 4 + [1] * 4, [1] * 4 + [0] * 4)
    assert error == pytest.approx(0, abs=1e-12)


def test_labels_of_very_many_clusters_are_kept():
    start = np.array([0, 2**15, 2**15])
    labels, _ = kernel_kmeans(np.eye(3), start, 2**15 + 1)
    assert labels.tolist() == start.tolist()


def test_indefinite_kernel_comes_to_an_end():
    A = np.random.default_rng(0).normal(size=(20, 20))
    labels, error = kernel_kmeans(A + A.T, np.arange(20) % 3, 3)
    assert np.isfinite(error)
    assert labels.shape == (20,)
