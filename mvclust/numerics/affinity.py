"""Gaussian affinities between samples."""

import numpy as np
from scipy.spatial.distance import squareform

from mvclust.numerics.distances import mutual_squared_distances

ROWS = 256  # rows at a time, to stay in the cache


def gaussian_affinity(X, sigma=None):
    """The full matrix exp(-||x_i - x_j||^2 / (2 sigma^2)), exactly symmetric.

    X has shape (n, d), the result (n, n). If `sigma` is None, it is the median of all n^2
    distances, those of the samples to themselves included; 1 if that is zero.

    >>> K = gaussian_affinity(np.array([[0.0], [1.0], [3.0]]), sigma=1.0)
    >>> K.round(2)[0].tolist()
    [1.0, 0.61, 0.01]
    """
    return affinity_and_width(X, sigma)[0]


def affinity_and_width(X, sigma=None):
    """`gaussian_affinity`, and its sigma."""
    squared = mutual_squared_distances(X)
    np.fill_diagonal(squared, 0.0)
    if sigma is None:
        sigma = _median_distance(squared) or 1.0
    for first in range(0, len(squared), ROWS):  # the upper triangle, mirrored
        rows = slice(first, first + ROWS)
        upper = squared[rows, first:]
        upper[:, :ROWS] = np.minimum(upper[:, :ROWS], upper[:, :ROWS].T)
        upper *= -0.5 / sigma**2
        np.exp(upper, out=upper)
        squared[first + ROWS :, rows] = upper[:, ROWS:].T
    return squared, sigma


def _median_distance(squared):
    """Median of all n^2 distances from the n(n-1)/2 different ones: n zeros, the others twice."""
    n = len(squared)
    if n < 3:
        return float(np.median(np.sqrt(squared)))
    low, high = ((n * n - 1) // 2 - n) // 2, (n * n // 2 - n) // 2  # ranks, at most 1 apart
    different = squareform(squared, checks=False)
    different.partition(high)
    below = different[high] if low == high else different[:high].max()
    return float(np.sqrt(below) + np.sqrt(different[high])) / 2


def normalized_affinity(K):
    """D^-1/2 K D^-1/2 with the column sums in D; exactly symmetric if K is.

    >>> normalized_affinity(np.array([[1.0, 1.0], [1.0, 3.0]])).round(3).tolist()
    [[0.5, 0.354], [0.354, 0.75]]
    """
    root = 1 / np.sqrt(K.sum(axis=0))
    N = np.outer(root, root)
    N *= K
    return N
