"""Which features set a cluster apart: standardised mean differences."""

from typing import NamedTuple

import numpy as np

from mvclust.canonical import as_numbers, match_samples

Z = 1.959964  # of a two-sided 95 % interval


class Differences(NamedTuple):
    """Hedges' g of every feature with its 95 % interval, each of shape (n_features,)."""

    effect: np.ndarray
    low: np.ndarray
    high: np.ndarray


def differences(X: np.ndarray, inside: np.ndarray) -> Differences:
    """Standardised mean differences between some samples and all others, in each feature.

    Hedges' g with its large-sample variance (L. V. Hedges, Journal of Educational Statistics 6,
    1981). NaN if it is known of fewer than two samples inside or outside, or constant; a NaN of X
    is not known. The clusters were found in the same features: intervals describe the clusters,
    they do not test whether there are any.
    """
    X, inside = match_samples({"X": X, "inside": inside}, "differences")
    X, inside = as_numbers(X), np.asarray(inside, dtype=bool)
    (n, mean, squares), (m, other, others) = _moments(X[inside]), _moments(X[~inside])
    few = (n < 2) | (m < 2)
    n, m = np.maximum(n, 2), np.maximum(m, 2)
    deviation, gap = np.sqrt((squares + others) / (n + m - 2)), mean - other
    size = 1e-12 * np.where(np.isfinite(X), np.abs(X), 0.0).max(axis=0, initial=0.0)
    varies = ~few & (deviation > size)
    effect = np.divide(gap, deviation, out=np.full(X.shape[1], np.nan), where=varies)
    split = ~few & ~varies & (np.abs(gap) > size)
    effect[split] = np.sign(gap[split]) * np.inf  # constant in both, and different
    effect *= 1 - 3 / (4 * (n + m - 2) - 1)
    error = np.sqrt((n + m) / (n * m) + np.where(varies, effect, 0) ** 2 / (2 * (n + m)))
    error = np.where(varies, error, np.nan)
    return Differences(effect, effect - Z * error, effect + Z * error)


def _moments(X):
    """Of each feature: how many values are known, their mean, and the squares around it."""
    known = np.isfinite(X)
    n = known.sum(axis=0)
    mean = np.where(known, X, 0.0).sum(axis=0) / np.maximum(n, 1)
    return n, mean, (np.where(known, X - mean, 0.0) ** 2).sum(axis=0)
