"""k-means: the same as scikit-learn's for the same seed."""

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from mvclust.numerics.kmeans import kmeans


def rows(n_samples, n_features, rng):
    means = rng.normal(size=(5, n_features))
    return means[rng.integers(5, size=n_samples)] + rng.normal(size=(n_samples, n_features))


def as_in_sklearn(X, n_clusters, n_init, seed, init="k-means++"):
    labels, centers = kmeans(X, n_clusters, n_init=n_init, seed=seed, init=init)
    expected = KMeans(n_clusters, init=init, n_init=n_init, random_state=seed).fit(X)
    np.testing.assert_array_equal(labels, expected.labels_)
    np.testing.assert_allclose(centers, expected.cluster_centers_, atol=1e-12 * np.abs(X).max())


@pytest.mark.parametrize("n_features", [1, 4, 150])  # the last are replaced by shorter rows
@pytest.mark.parametrize("n_clusters", [1, 2, 7])
@pytest.mark.parametrize("seed", range(5))
def test_same_as_sklearn(n_features, n_clusters, seed):
    X = rows(90, n_features, np.random.default_rng(seed))
    as_in_sklearn(1e-3 * X + 1, n_clusters, 4, seed)


@pytest.mark.parametrize("n_clusters", [1, 2, 7, 90])
@pytest.mark.parametrize("seed", range(5))
def test_same_as_sklearn_from_any_samples(n_clusters, seed):
    X = rows(90, 4, np.random.default_rng(seed))
    as_in_sklearn(X, n_clusters, 4, seed, init="random")


@pytest.mark.parametrize("seed", range(5))
def test_filled_rows_are_one_point(seed):
    X = rows(60, 200, np.random.default_rng(seed))
    X[:25] = X[25:].mean(axis=0)
    as_in_sklearn(X, 4, 10, seed)


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
    as_in_sklearn(rows(90, 4, np.random.default_rng(0)), 5, 7, 0)


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
