"""Kernel k-means, and its global variant that needs no random start."""

from hashlib import blake2b

import numpy as np
from scipy import sparse

from mvclust.numerics.blocks import row_blocks

CHUNK = 2**20  # entries of cluster sums worked on at a time: they stay near the processor


def kernel_kmeans(K, labels, n_clusters, *, tol=1e-4):
    """Lloyd's iterations in the feature space of a kernel.

    K of shape (n, n) is symmetric and positive semi-definite; the labels to start from are 0 to
    n_clusters - 1. The error is that of the labels an iteration starts with; if it fell by a share
    of less than `tol`, these labels are the result. A cluster that loses all its samples stays
    empty. Returns labels and error, the sum of the squared distances to the cluster means, tr(K) -
    tr(Y'KY).

    >>> x = np.array([0.0, 1.0, 5.0, 6.0])
    >>> labels, error = kernel_kmeans(np.outer(x, x), np.array([0, 1, 1, 1]), 2)
    >>> labels.tolist(), round(error, 9)
    ([0, 0, 1, 1], 1.0)
    """
    state = _State(K, np.asarray(labels)[None], n_clusters)
    found, errors = _descend(K, state, tol, set())
    return found[0].astype(np.intp), float(errors[0])


def global_kernel_kmeans(K, n_clusters, *, tol=1e-4):
    """Add one cluster after the other, each time from every sample as the new cluster.

    For m = 2 to n_clusters kernel k-means runs n times from the best solution with m - 1 clusters,
    with sample i alone in the new cluster in run i; the run with the lowest error counts (the first
    of equals). The runs of an m advance side by side, and one that reaches labels which an earlier
    run passed through ends there, as all that follows is known. Returns the best labels with at
    most n_clusters clusters, numbered without gaps, and their error; see `kernel_kmeans`.

    See G. Tzortzis and A. Likas, "The Global Kernel k-Means Algorithm for Clustering in Feature
    Space", IEEE Transactions on Neural Networks 20(7), 2009.

    >>> x = np.array([0.0, 1.0, 5.0, 6.0, 20.0])
    >>> labels, error = global_kernel_kmeans(np.outer(x, x), 3)
    >>> labels.tolist(), round(error, 9)
    ([2, 2, 1, 1, 0], 1.0)
    """
    n, trace = len(K), np.trace(K)
    labels = best = np.zeros(n, dtype=np.int16)
    error = best_error = float(trace - K.sum() / n)
    for m in range(2, n_clusters + 1):
        base = _State(K, labels[None], m)
        error, passed = np.inf, set()
        for runs in row_blocks(n, m * n, CHUNK):
            alone = np.arange(runs.start, runs.stop)
            starts = base.repeat(len(alone))
            new = starts.labels.copy()
            new[np.arange(len(alone)), alone] = m - 1
            starts.move(K, new)
            found, errors = _descend(K, starts, tol, passed)
            run = int(np.argmin(errors))
            if errors[run] < error - 1e-12 * trace:  # not by rounding alone
                labels, error = found[run], errors[run]
        if error < best_error:
            best, best_error = labels, float(error)
    return np.unique(best, return_inverse=True)[1].ravel(), best_error


def cluster_sums(X, labels, n_clusters):
    """Sum of the rows of every cluster, by labels from 0 to n_clusters - 1.

    X of shape (n, n_columns), a kernel or the samples themselves, is dense or sparse, and so is the
    result of shape (n_clusters, n_columns).

    >>> cluster_sums(np.eye(3), np.array([0, 2, 0]), 3).tolist()
    [[1.0, 0.0, 1.0], [0.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    """
    n = len(labels)
    Y = sparse.csr_array((np.ones(n), (labels, np.arange(n))), shape=(n_clusters, n))
    return Y @ X


class _State:
    """Labels of several runs with what follows from them, kept up to date move by move.

    `labels` have shape (n_runs, n) and `sums`, see `cluster_sums`, (n_runs, n_clusters, n).
    `within` are the sums of K over the pairs of samples of a cluster; they and the sizes have shape
    (n_runs, n_clusters).
    """

    def __init__(self, K, labels, n_clusters):
        labels = labels.astype(np.int16 if n_clusters < 2**15 else np.intp)
        self.labels = labels
        self.sums = np.stack([cluster_sums(K, row, n_clusters) for row in labels])
        self.sizes = np.stack([np.bincount(row, minlength=n_clusters) for row in labels]) * 1.0
        own = [sums[row, np.arange(len(K))] for row, sums in zip(labels, self.sums, strict=True)]
        self.within = np.stack(
            [np.bincount(*pair, n_clusters) for pair in zip(labels, own, strict=True)]
        )

    def select(self, which):
        """A state with some of the runs only."""
        chosen = object.__new__(_State)
        for name, values in vars(self).items():
            setattr(chosen, name, values[which])
        return chosen

    def repeat(self, n_runs):
        """A state with the first run several times."""
        return self.select(np.zeros(n_runs, dtype=np.intp))

    def move(self, K, labels):
        """Take other labels: the kernel rows of the samples that move change the sums."""
        n_runs, m, n = self.sums.shape
        run, sample = np.nonzero(self.labels != labels)
        cell = np.concatenate([run * m + labels[run, sample], run * m + self.labels[run, sample]])
        sample, sign = np.tile(sample, 2), np.repeat([1.0, -1.0], len(run))
        sums = self.sums.reshape(n_runs * m, n)
        changed, row = np.unique(cell, return_inverse=True)
        moves = sparse.csr_array((sign, (row.ravel(), sample)), shape=(len(changed), n))
        gain = sums[cell, sample]
        sums[changed] += moves @ K
        gain += sums[cell, sample]  # within grows by moves (old sums + new sums)
        self.within += np.bincount(cell, sign * gain, n_runs * m).reshape(n_runs, m)
        self.sizes += np.bincount(cell, sign, n_runs * m).reshape(n_runs, m)
        self.labels = labels


def _descend(K, state, tol, passed):
    """Run kernel k-means from several starts; `state` is overwritten.

    Digests of the labels that runs pass through are added to `passed`. A run ends where it meets a
    path: the run that passed there ends no higher, and one that meets its own, as an indefinite
    kernel allows, would go round for ever. Returns labels of shape (n_runs, n) and errors
    (n_runs,).
    """
    trace = np.trace(K)
    found, errors = state.labels.copy(), np.full(len(state.labels), np.inf)
    runs, before = np.arange(len(found)), None
    while len(runs):
        inverse = np.divide(1, state.sizes, out=np.zeros_like(state.sizes), where=state.sizes > 0)
        error = trace - (state.within * inverse).sum(axis=1)
        goes_on = np.ones(len(runs), dtype=bool)
        if before is not None:
            goes_on &= np.abs(before - error) >= tol * np.abs(before)
            goes_on &= np.abs(before) > 1e-12 * trace
        for run in np.flatnonzero(goes_on):
            path = blake2b(state.labels[run].tobytes(), digest_size=16).digest()
            goes_on[run] = path not in passed
            passed.add(path)
        ends = runs[~goes_on]
        found[ends], errors[ends] = state.labels[~goes_on], error[~goes_on]
        if not goes_on.all():
            runs, error, inverse = runs[goes_on], error[goes_on], inverse[goes_on]
            state = state.select(goes_on)
        before = error
        offset = np.where(state.sizes > 0, state.within * inverse**2, np.inf)
        state.move(K, _nearest(state.sums, offset, -2 * inverse, state.labels.dtype))
    return found, errors


def _nearest(sums, offset, factor, dtype):
    """First of the clusters with the smallest offset + factor * sum, (n_runs, n)."""
    n_runs, m, n = sums.shape
    nearest = np.zeros((n_runs, n), dtype=dtype)
    smallest = factor[:, :1] * sums[:, 0] + offset[:, :1]
    for c in range(1, m):
        distance = factor[:, c, None] * sums[:, c]
        distance += offset[:, c, None]
        np.copyto(nearest, c, where=distance < smallest)
        np.minimum(smallest, distance, out=smallest)
    return nearest
