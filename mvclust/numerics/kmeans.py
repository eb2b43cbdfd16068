"""k-means as scikit-learn's `KMeans` does it, many starts at a time."""

import warnings

import numpy as np
from scipy.linalg.blas import dgemm
from scipy.linalg.lapack import dpstrf
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from mvclust.numerics.distances import squared_row_norms

TOL, MAX_ITER = 1e-4, 300  # as in scikit-learn
AT_ONCE = 200_000  # distances that stay in the cache
EXPECTED_WORK = 40  # multiplications per entry of X and cluster in a run
NOISE = 1e-12  # share of squared lengths below which differences are rounding errors


def kmeans(X, n_clusters, *, n_init, seed, init="k-means++"):
    """Lloyd's algorithm from several starts; labels and centers of the best run.

    Draws, steps and tests are those of ``KMeans(n_clusters, init=init, n_init=n_init,
    random_state=seed)``, so that the result is the same up to rounding. Where only rounding decides
    there, the first is taken: of equally near centers, and of equally good runs. The starts advance
    together, which saves most of the time where rows are short, and long rows are replaced by
    shorter ones with the same distances where that pays.

    Samples start as centers: with the `init` "k-means++" drawn greedily, far from each other, with
    "random" any. For X of shape (n_samples, n_features) the centers have shape
    (n_clusters, n_features). ValueError for rows that are not finite, and for fewer rows than
    clusters.

    >>> X = np.array([[0.0], [1.0], [8.0], [9.0]])
    >>> labels, centers = kmeans(X, 2, n_init=3, seed=0)
    >>> centers[labels].ravel().tolist()
    [0.5, 0.5, 8.5, 8.5]
    """
    if not np.isfinite(X).all():
        raise ValueError("k-means: the rows contain NaN or infinite values.")
    n_samples = len(X)
    if n_samples < n_clusters:
        raise ValueError(f"k-means: {n_samples} rows cannot have {n_clusters} clusters.")
    rows = X - X.mean(axis=0)
    norms = squared_row_norms(rows)
    if init == "random":
        starts = _any_samples(n_samples, n_clusters, n_init, seed)
    else:
        starts = _plusplus(rows, norms, n_clusters, n_init, seed)
    firsts = _first_labels(rows, norms, starts)
    if EXPECTED_WORK * n_init * n_clusters * (X.shape[1] - n_samples) > X.size:
        rows = _short_rows(rows)
    tol = TOL * norms.sum() / X.size
    at_once = max(1, AT_ONCE // (n_samples * n_clusters))
    labels, centers, least = None, None, np.inf
    for first in range(0, n_init, at_once):
        some = slice(first, first + at_once)
        runs = _lloyd(rows, norms, rows[starts[some]], firsts[some], tol)
        for start, run in zip(starts[some], runs, strict=True):
            if run is None:  # a cluster became empty, for which scikit-learn has rules
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", ConvergenceWarning)
                    model = KMeans(n_clusters, init=X[start], n_init=1).fit(X)
                found, inertia = model.labels_, model.inertia_
            else:
                found, members, inertia = run
            better = inertia < least * (1 - NOISE)
            if better and (labels is None or not _same_partition(found, labels)):
                labels, least = found, inertia
                centers = model.cluster_centers_ if run is None else _means(X, members)
    return labels, centers


def _means(X, members):
    return members @ X / members.sum(axis=1)[:, None]


def _same_partition(labels, others):
    """Whether every cluster of `labels` lies in one of the others."""
    pairs = np.unique(labels + (labels.max() + 1) * others)
    return len(pairs) == len(np.unique(labels))


def _short_rows(X):
    """Rows with the same distances, not longer than there are rows.

    They are the factor L of X X' = L L', from a Cholesky decomposition with pivots.
    """
    L, order, rank, _ = dpstrf(X @ X.T, lower=1)
    rows = np.empty((len(X), rank))
    rows[order - 1] = np.tril(L)[:, :rank]
    return rows


def _any_samples(n_samples, n_clusters, n_init, seed):
    """Samples drawn without preference, the first centers of every start."""
    random, shares = np.random.RandomState(seed), np.full(n_samples, 1 / n_samples)
    return np.array([
        random.choice(n_samples, n_clusters, replace=False, p=shares) for _ in range(n_init)
    ])  # fmt: skip


def _plusplus(X, norms, n_clusters, n_init, seed):
    """The samples that are the first centers of every start."""
    n_samples, n_trials = len(X), 2 + int(np.log(n_clusters))
    draws = np.random.RandomState(seed).random_sample((n_init, 1 + (n_clusters - 1) * n_trials))
    shares = np.cumsum(np.full(n_samples, 1 / n_samples))
    chosen = np.empty((n_init, n_clusters), dtype=np.intp)
    chosen[:, 0] = np.searchsorted(shares / shares[-1], draws[:, 0], side="right")
    draws = draws[:, 1:].reshape(n_init, n_clusters - 1, n_trials)
    starts, ones = np.arange(n_init), np.ones(n_samples)
    nearest = _distances_from(chosen[:, 0], X, norms)
    for c in range(1, n_clusters):
        levels = draws[:, c - 1] * (nearest @ ones)[:, None]
        sums = nearest.cumsum(axis=1)
        trials = np.array([np.searchsorted(*pair) for pair in zip(sums, levels, strict=True)])
        trials = np.minimum(trials, n_samples - 1)
        nearer = _distances_from(trials.ravel(), X, norms).reshape(n_init, n_trials, n_samples)
        np.minimum(nearer, nearest[:, None], out=nearer)
        best = (nearer @ ones).argmin(axis=1)
        nearest, chosen[:, c] = nearer[starts, best], trials[starts, best]
    return chosen


def _distances_from(chosen, X, norms):
    squared = (-2 * X[chosen]) @ X.T
    squared += norms[chosen, None]
    squared += norms
    return np.maximum(squared, 0.0, out=squared)


def _nearest(distances, norms):
    """Which centers are nearest to each sample but for rounding errors.

    Distances of shape (n_starts, n_clusters, n_samples), like the result, are squared, less the
    squared lengths of the samples, which are the norms.
    """
    least = distances.min(axis=1, keepdims=True)
    return distances <= least + NOISE * (2 * norms + least)


def _first_labels(X, norms, starts):
    """The nearest of the first centers.

    Texts without a word in common with any of the samples that are the first centers are equally
    far from all of them: they go to the first.
    """
    chosen = starts.ravel()
    lengths = np.repeat(norms[chosen, None], len(X), axis=1)
    distances = dgemm(-2.0, X[chosen].T, X.T, beta=1.0, c=lengths, trans_a=True)
    return _nearest(distances.reshape(*starts.shape, len(X)), norms).argmax(axis=1)


def _lloyd(X, norms, centers, labels, tol):
    """Lloyd's algorithm from several starts together.

    X has shape (n_samples, n_features), the centers (n_starts, n_clusters, n_features), the norms
    are the squared lengths of the rows, the labels (n_starts, n_samples) the nearest of these
    centers, and `tol` is the squared shift of the centers that ends a run. Returns a list with, for
    every start, the labels, the indicators (n_clusters, n_samples) of the samples whose means are
    its centers, and the inertia; None for one of which a cluster became empty.
    """
    n_starts, n_clusters, n_features = centers.shape
    n_samples = len(X)
    X_one = np.column_stack([X, np.ones(n_samples)])
    runs, going = [None] * n_starts, np.arange(n_starts)
    members = (labels[:, None] == np.arange(n_clusters)[:, None]).astype(np.float64)
    for step in range(1, MAX_ITER + 1):
        sums = _sums(members, X_one)
        if sums[:, :, -1].sum() > len(going) * n_samples:  # equal distances: the first cluster
            members *= members.cumsum(axis=1) == 1
            sums = _sums(members, X_one)
        filled = sums[:, :, -1].all(axis=1)
        if not filled.all():
            going, centers, members, sums = (A[filled] for A in (going, centers, members, sums))
        before, centers = centers, sums[:, :, :-1] / sums[:, :, -1:]
        ended = ((centers - before) ** 2).sum(axis=(1, 2)) <= tol
        ended |= step == MAX_ITER
        # Squared distances, without the norms of the rows, by one product
        lengths = np.einsum("sjf,sjf->sj", centers, centers)[:, :, None]
        C = np.concatenate([-2 * centers, lengths], axis=2).reshape(-1, n_features + 1)
        distances = (C @ X_one.T).reshape(-1, n_clusters, n_samples)
        nearest = _nearest(distances, norms)
        for s in np.flatnonzero(ended):
            inertia = float(norms.sum() + distances[s].min(axis=0).sum())
            runs[going[s]] = nearest[s].argmax(axis=0), members[s].copy(), inertia
        if ended.any():
            left = ~ended
            going, centers, nearest = (A[left] for A in (going, centers, nearest))
        if not going.size:
            break
        members = nearest.astype(np.float64)
    return runs


def _sums(members, X):
    n_starts, n_clusters, n_samples = members.shape
    return (members.reshape(-1, n_samples) @ X).reshape(n_starts, n_clusters, -1)
