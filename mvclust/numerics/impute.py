"""Filling of missing instances: by the view's mean, or by nearest neighbours."""

import numpy as np

from mvclust.numerics.blocks import row_blocks
from mvclust.numerics.distances import centre_of, moved, squared_row_norms
from mvclust.numerics.graphs import nearest_columns, sizes_of_rounding
from mvclust.numerics.products import dense

BLOCK = 2**18  # distances worked on at a time: they stay in the cache
LEAST = 64  # rows of a block: products with fewer are slow


def fill_missing(Xs, presence, how, n_neighbors=5):
    """Fill the missing rows of every view, which are never read.

    The views have shape (n_samples, n_features_v), dense or sparse; they come back as they are if
    none is missing, and dense otherwise. `presence` of shape (n_samples, n_views) is whether a
    sample is present in a view. The fill is the "mean" of the view's present rows, or, with "knn",
    the mean of the row in the `n_neighbors` nearest samples that have this view, by the distance
    over the views that both have (scikit-learn's KNNImputer for whole missing rows).

    >>> X = np.array([[0.0], [2.0], [9.0]])
    >>> presence = np.array([[True], [True], [False]])
    >>> fill_missing([X], presence, "mean")[0].ravel().tolist()
    [0.0, 2.0, 1.0]
    """
    if presence.all():
        return list(Xs)
    Xs = [dense(X) for X in Xs]
    return Filler(Xs, presence, how, n_neighbors).fill(Xs, presence)


def fill_rows(Xs, presence, means):
    """Put given rows, one of shape (n_features_v,) per view, in the place of missing ones.

    The views come back as they are if none is missing, and dense otherwise.
    """
    if presence.all():
        return list(Xs)
    return [
        np.where(present[:, None], dense(X), mean)
        for X, present, mean in zip(Xs, presence.T, means, strict=True)
    ]


class Filler:
    """Fills missing instances of new samples as `fill_missing` filled those of the samples before.

    It is made of the samples before, by the parameters of `fill_missing`; "knn" keeps them.

    >>> filler = Filler([np.array([[0.0], [2.0]])] * 2, np.ones((2, 2), dtype=bool), "knn", 1)
    >>> new = [np.array([[1.8]]), np.array([[0.0]])], np.array([[True, False]])
    >>> filler.fill(*new)[1].tolist()
    [[2.0]]
    """

    def __init__(self, Xs, presence, how, n_neighbors=5):
        self.means = [
            np.asarray(X[present].mean(axis=0)).ravel()
            for X, present in zip(Xs, presence.T, strict=True)
        ]
        self.n_neighbors = n_neighbors
        self.known = (Xs, presence) if how == "knn" else None

    def fill(self, Xs, presence):
        """Dense views of new samples without missing rows; as they are if none is missing.

        Views and presence are those of `fill_missing`; missing rows are never read.
        """
        filled = fill_rows(Xs, presence, self.means)
        if self.known is not None and not presence.all():
            known, known_presence = [dense(X) for X in self.known[0]], self.known[1]
            centres = [
                centre_of(X[there]) for X, there in zip(known, known_presence.T, strict=True)
            ]
            for v, X in enumerate(known):
                receivers = np.flatnonzero(~presence[:, v])
                donors = np.flatnonzero(known_presence[:, v])
                others = [w for w in range(len(known)) if w != v]
                if not receivers.size:
                    continue
                for i, near in _nearest_donors(
                    _Instances(Xs, presence, receivers, others, centres),
                    _Instances(known, known_presence, donors, others, centres),
                    self.n_neighbors,
                ):
                    filled[v][receivers[i]] = X[donors[near]].mean(axis=0)
        return filled


class _Instances:
    """Rows of some views side by side, zero where missing, and what distances need beside them."""

    def __init__(self, Xs, presence, rows, views, centres):
        there = presence[np.ix_(rows, views)]
        given = [
            np.where(present[:, None], dense(Xs[v][rows]), 0.0)
            for v, present in zip(views, there.T, strict=True)
        ]
        parts = [
            np.where(present[:, None], moved(X, centres[v]), 0.0)
            for v, X, present in zip(views, given, there.T, strict=True)
        ]
        self.X = np.hstack(parts)
        self.norms = np.column_stack([squared_row_norms(part) for part in parts])
        self.sizes = sizes_of_rounding(np.hstack(given), self.norms.sum(axis=1))
        self.presence = there.astype(np.float64)
        self.widths = np.array([part.shape[1] for part in parts], dtype=np.float64)


def _nearest_donors(samples, donors, n_neighbors):
    """The nearest donors of every sample that shares a view with any, block by block of samples.

    Compared are squared differences of the features that both have, by their number. Yields the
    index of a sample and those of its donors, nearest first.
    """
    sizes = samples.sizes / samples.widths.sum()
    # |x - y|^2 over the views of both: with zeros for missing rows one product gives all terms
    left = np.hstack([samples.X, samples.norms, samples.presence])
    right = np.hstack([-2 * donors.X, donors.presence, donors.norms]).T
    n, m = len(left), right.shape[1]
    for rows in row_blocks(n, m, max(BLOCK, LEAST * m)):
        squared = left[rows] @ right
        np.maximum(squared, 0.0, out=squared)
        shared = samples.presence[rows] * samples.widths @ donors.presence.T
        squared[shared == 0] = np.inf
        squared /= np.maximum(shared, 1.0, out=shared)
        nearest, distances = nearest_columns(squared, sizes[rows], min(n_neighbors, m))
        usable = np.isfinite(distances)
        for i, near, some in zip(range(rows.start, rows.stop), nearest, usable, strict=True):
            if some.any():
                yield i, near[some]
