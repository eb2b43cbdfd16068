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
    1981). NaN if fewer than two samples are inside or outside, or the feature is constant. The
    clusters were found in the same features: intervals describe the clusters, they do not test
    whether there are any.
    """
    X, inside = match_samples({"X": X, "inside": inside}, "differences")
    X, inside = as_numbers(X), np.asarray(inside, dtype=bool)
    n, m = int(inside.sum()), int((~inside).sum())
    nothing = np.full(X.shape[1], np.nan)
    if n < 2 or m < 2:
        return Differences(nothing, nothing, nothing)
    A, B = X[inside], X[~inside]
    pooled = (n - 1) * A.var(axis=0, ddof=1) + (m - 1) * B.var(axis=0, ddof=1)
    deviation = np.sqrt(pooled / (n + m - 2))
    gap = A.mean(axis=0) - B.mean(axis=0)
    varies = deviation > 1e-12 * np.abs(X).max(axis=0)
    effect = np.divide(gap, deviation, out=nothing.copy(), where=varies)
    split = ~varies & (np.abs(gap) > 1e-12 * np.abs(X).max(axis=0))
    effect[split] = np.sign(gap[split]) * np.inf  # constant in both, and different
    effect *= 1 - 3 / (4 * (n + m - 2) - 1)
    error = np.sqrt((n + m) / (n * m) + np.where(varies, effect, 0) ** 2 / (2 * (n + m)))
    error = np.where(varies, error, np.nan)
    return Differences(effect, effect - Z * error, effect + Z * error)
