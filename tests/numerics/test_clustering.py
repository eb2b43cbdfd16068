"""k-means as scikit-learn's, kernel k-means by its definition, and ties of scores."""

from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from mvclust.numerics import kernel_kmeans as module
from mvclust.numerics.kernel_kmeans import global_kernel_kmeans, kernel_kmeans
from mvclust.numerics.kmeans import kmeans
from mvclust.numerics.ties import best_of, settled


def rows(seed, n_samples=90, n_features=4):
    rng = np.random.default_rng(seed)
    means = rng.normal(size=(5, n_features))
    return means[rng.integers(5, size=n_samples)] + rng.normal(size=(n_samples, n_features))


def as_in_sklearn(X, n_clusters, n_init, seed, init="k-means++"):
    labels, centers = kmeans(X, n_clusters, n_init=n_init, seed=seed, init=init)
    expected = KMeans(n_clusters, init=init, n_init=n_init, random_state=seed).fit(X)
    np.testing.assert_array_equal(labels, expected.labels_)
    np.testing.assert_allclose(centers, expected.cluster_centers_, atol=1e-12 * np.abs(X).max())


@pytest.mark.parametrize("n_features", [1, 4, 150])  # the last are replaced by shorter rows
@pytest.mark.parametrize("n_clusters", [1, 2, 7, 90])
@pytest.mark.parametrize("init", ["k-means++", "random"])
@pytest.mark.parametrize("seed", range(2))
def test_same_as_sklearn(n_features, n_clusters, seed, init):
    """Also where rows that were filled are one point."""
    X = 1e-3 * rows(seed, 90, n_features) + 1
    as_in_sklearn(X, n_clusters, 4, seed, init)
    X[:25] = X[25:].mean(axis=0)
    as_in_sklearn(X, min(n_clusters, 7), 4, seed, init)


@pytest.mark.parametrize("seed", range(20))
def test_equal_distances(seed):
    X = np.random.default_rng(seed).integers(3, size=(40, 2)).astype(float)
    labels, centers = kmeans(X, 4, n_init=3, seed=seed)
    squared = ((X[:, None] - centers) ** 2).sum(axis=2)
    np.testing.assert_allclose(squared[np.arange(40), labels], squared.min(axis=1), atol=1e-12)
    for j, center in enumerate(centers):
        np.testing.assert_allclose(X[labels == j].mean(axis=0), center)


@pytest.mark.parametrize("seed", range(20))
def test_a_cluster_that_becomes_empty(seed):
    # Outliers draw the centers of k-means++ away from each other, many clusters die out. In which
    # order they begin anew depends on rounding, and so on the processor: names are not compared.
    rng = np.random.default_rng(seed)
    X = np.exp(4 * rng.normal(size=(60, 2)))
    labels, _ = kmeans(X, 25, n_init=2, seed=seed)
    expected = KMeans(25, n_init=2, random_state=seed).fit(X).labels_
    assert adjusted_rand_score(expected, labels) == 1.0


def test_starts_in_several_parts(monkeypatch):
    monkeypatch.setattr("mvclust.numerics.kmeans.AT_ONCE", 1000)
    as_in_sklearn(rows(0), 5, 7, 0)


@pytest.mark.filterwarnings("error")
def test_fewer_distinct_rows_than_clusters():
    X = np.repeat([[0.0, 0.0], [1.0, 2.0]], 5, axis=0)
    labels, _ = kmeans(X, 3, n_init=2, seed=0)
    with pytest.warns(ConvergenceWarning):
        expected = KMeans(3, n_init=2, random_state=0).fit(X).labels_
    np.testing.assert_array_equal(labels, expected)


def test_nan_is_refused():
    with pytest.raises(ValueError, match="NaN"):
        kmeans(np.array([[0.0], [np.nan]]), 1, n_init=1, seed=0)


def test_of_equally_near_centers_the_first_is_taken_whatever_the_rounding():
    """Texts without a common word are equally far from each other."""
    rng = np.random.default_rng(0)
    X = np.zeros((40, 60))
    X[np.arange(40), rng.permutation(60)[:40]] = 1.0
    labels, _ = kmeans(X, 4, n_init=3, seed=0, init="random")
    for seed in range(8):
        Z = X * (1 + 1e-14 * np.random.default_rng(seed).standard_normal(X.shape))
        again, _ = kmeans(Z, 4, n_init=3, seed=0, init="random")
        np.testing.assert_array_equal(again, labels)


def make_kernel(seed, n=16):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)) + 2 * rng.integers(0, 3, size=(n, 1))
    return X @ X.T, X


def error_of(X, labels):
    return sum(((X[labels == c] - X[labels == c].mean(axis=0)) ** 2).sum() for c in set(labels))


def plain_kernel_kmeans(K, labels, n_clusters, tol=1e-4):
    """Distances written out, clusters dropped when they are empty."""
    previous = None
    while True:
        distances = np.full((len(K), n_clusters), np.inf)
        for c in set(labels):
            g = np.flatnonzero(labels == c)
            distances[:, c] = np.diag(K) - 2 * K[:, g].mean(axis=1) + K[np.ix_(g, g)].mean()
        error = distances[np.arange(len(K)), labels].sum()
        if previous is not None and abs(1 - error / previous) < tol:
            return labels, error
        labels, previous = distances.argmin(axis=1), error


def plain_global_error(K, n_clusters):
    found = [(np.zeros(len(K), dtype=int), np.inf)]
    for m in range(1, n_clusters):
        starts = np.where(np.eye(len(K), dtype=bool), m, found[-1][0])
        runs = [plain_kernel_kmeans(K, start, m + 1) for start in starts]
        found.append(min(runs, key=lambda run: run[1]))
    return min(error for _, error in found)


@given(seed=st.integers(0, 1000), n_clusters=st.integers(1, 5))
@settings(max_examples=30, deadline=None)
def test_labels_are_those_of_the_definition_and_no_worse_than_the_start(seed, n_clusters):
    K, X = make_kernel(seed)
    start = np.random.default_rng(seed).integers(0, n_clusters, len(K))
    labels, error = kernel_kmeans(K, start, n_clusters + 2)  # empty clusters stay empty
    expected, expected_error = plain_kernel_kmeans(K, start, n_clusters + 2)
    assert (labels == expected).all()
    np.testing.assert_allclose(error, expected_error, rtol=1e-9)
    np.testing.assert_allclose(error, error_of(X, labels), rtol=1e-9)
    assert error <= error_of(X, start) * (1 + 1e-12)


@given(seed=st.integers(0, 1000), chunk=st.sampled_from([1, 200, 2**20]))
@settings(max_examples=20, deadline=None)
def test_runs_that_share_work_equal_separate_ones(seed, chunk):
    K, X = make_kernel(seed, n=12)
    with mock.patch.object(module, "CHUNK", chunk):
        labels, error = global_kernel_kmeans(K, 4)
    np.testing.assert_allclose(error, [plain_global_error(K, 4), error_of(X, labels)], rtol=1e-9)


def test_few_distinct_samples_very_many_clusters_and_an_indefinite_kernel():
    X = np.repeat([[0.0], [1.0]], 4, axis=0)
    labels, error = global_kernel_kmeans(X @ X.T, 4)
    assert labels.tolist() in ([0] * 4 + [1] * 4, [1] * 4 + [0] * 4)
    assert error == pytest.approx(0, abs=1e-12)
    start = np.array([0, 2**15, 2**15])
    assert (kernel_kmeans(np.eye(3), start, 2**15 + 1)[0] == start).all()
    A = np.random.default_rng(0).normal(size=(20, 20))
    assert np.isfinite(kernel_kmeans(A + A.T, np.arange(20) % 3, 3)[1])


@given(
    parts=st.lists(st.lists(st.floats(0, 1), min_size=5, max_size=5), min_size=1, max_size=6),
    seed=st.integers(0, 99),
)
def test_means_of_the_same_numbers_in_another_order_are_equal(parts, seed):
    rng = np.random.default_rng(seed)
    scores = [np.mean(rng.permutation(part)) for part in parts for _ in range(4)]
    found = settled(scores).reshape(-1, 4)
    assert (found == found[:, :1]).all()
    np.testing.assert_allclose(found.ravel(), scores, rtol=0, atol=1e-8)
    assert best_of(scores) % 4 == 0


def test_scores_a_step_apart_stay_apart_and_what_is_no_score_stays():
    steps = np.arange(100_000)[::-1] / 100_000  # the accuracies of that many samples
    np.testing.assert_array_equal(settled(steps), steps)
    odd = [np.nan, 0.5, -np.inf, np.inf, np.nan, 0.5 - 1e-16, -np.inf]
    np.testing.assert_array_equal(settled(odd), [odd[5] if x == 0.5 else x for x in odd])
    assert settled([]).tolist() == []
    assert settled([[1.0, 0.0], [0.3, 1.0 + 1e-15]]).tolist() == [[1, 0], [0.3, 1]]


def test_the_best_is_the_first_of_equals_and_never_nan():
    low, high = sorted([np.mean([0.1, 0.2, 0.3]), np.mean([0.3, 0.2, 0.1])])
    assert low < high  # by rounding errors
    for scores, best in (([np.nan, 0.1, low, high], 2), ([np.nan] * 2, None), ([-np.inf], 0)):
        assert best_of(scores) == best
