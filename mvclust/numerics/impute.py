"""Filling of missing instances: by the view's mean, or by nearest neighbours."""

import numpy as np

from mvclust.numerics.distances import mutual_squared_distances, squared_distances
from mvclust.numerics.products import dense


def fill_missing(Xs, presence, how, n_neighbors=5):
    """Fill the missing rows of every view.

    Parameters
    ----------
    Xs : list of ndarray or csr_array, each of shape (n_samples, n_features_v)
        The views; missing rows are never read.
    presence : ndarray of bool of shape (n_samples, n_views)
        Whether a sample is present in a view.
    how : {"mean", "knn"}
        "mean": the mean of the view's present rows. "knn": the mean of the row in the
        `n_neighbors` nearest samples that have this view, by the distance over the views
        that both have (scikit-learn's KNNImputer for whole missing rows).
    n_neighbors : int, default=5

    Returns
    -------
    list of ndarray, each of shape (n_samples, n_features_v)
        As they are if none is missing, and dense otherwise.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [2.0], [9.0]])
    >>> presence = np.array([[True], [True], [False]])
    >>> fill_missing([X], presence, "mean")[0].ravel().tolist()
    [0.0, 2.0, 1.0]
    """
    if presence.all():
        return list(Xs)
    Xs = [dense(X) for X in Xs]
    squared = shared_distances(Xs, presence) if how == "knn" else None
    return [
        _fill_view(X, present, squared, n_neighbors)
        for X, present in zip(Xs, presence.T, strict=True)
    ]


def shared_distances(Xs, presence):
    """Squared distances over the views that two samples share, scaled to all features.

    Pairs that share no view are infinitely far apart.

    Parameters
    ----------
    Xs : list of ndarray, each of shape (n_samples, n_features_v)
        The views; missing rows are never read.
    presence : ndarray of bool of shape (n_samples, n_views)

    Returns
    -------
    ndarray of shape (n_samples, n_samples)
    """
    n_samples = len(presence)
    squared = np.zeros((n_samples, n_samples))
    shared = np.zeros((n_samples, n_samples))
    for X, present in zip(Xs, presence.T, strict=True):
        rows = np.flatnonzero(present)
        block = np.ix_(rows, rows)
        squared[block] += mutual_squared_distances(X[rows])
        shared[block] += X.shape[1]
    n_features = sum(X.shape[1] for X in Xs)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(shared > 0, squared * n_features / shared, np.inf)


def _fill_view(X, present, squared, n_neighbors):
    if present.all():
        return X
    donors, receivers = np.flatnonzero(present), np.flatnonzero(~present)
    filled = X.copy()
    filled[receivers] = X[donors].mean(axis=0)
    if squared is not None:
        _fill_rows(filled, receivers, X, donors, squared[np.ix_(receivers, donors)], n_neighbors)
    return filled


def _fill_rows(filled, receivers, X, donors, to_donors, n_neighbors):
    """Fill rows by the mean of their nearest donors, rows of X, in place; leave those without."""
    nearest = np.argsort(to_donors, axis=1, kind="stable")[:, :n_neighbors]
    near = np.isfinite(np.take_along_axis(to_donors, nearest, axis=1))
    for row, which, usable in zip(receivers, donors[nearest], near, strict=True):
        if usable.any():
            filled[row] = X[which[usable]].mean(axis=0)


def fill_rows(Xs, presence, means):
    """Put given rows in the place of missing ones.

    Parameters
    ----------
    Xs : list of ndarray or csr_array, each of shape (n_samples, n_features_v)
    presence : ndarray of bool of shape (n_samples, n_views)
    means : list of ndarray, each of shape (n_features_v,)

    Returns
    -------
    list of ndarray, each of shape (n_samples, n_features_v)
        As they are if none is missing, and dense otherwise.
    """
    if presence.all():
        return list(Xs)
    return [
        np.where(present[:, None], dense(X), mean)
        for X, present, mean in zip(Xs, presence.T, means, strict=True)
    ]


class Filler:
    """Fills missing instances of new samples as `fill_missing` filled those of the samples before.

    Parameters
    ----------
    Xs, presence, how, n_neighbors : as `fill_missing` takes them
        Of the samples before; "knn" keeps them.

    Examples
    --------
    >>> import numpy as np
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

        Parameters
        ----------
        Xs : list of ndarray or csr_array, each of shape (n_samples, n_features_v)
            The views; missing rows are never read.
        presence : ndarray of bool of shape (n_samples, n_views)

        Returns
        -------
        list of ndarray, each of shape (n_samples, n_features_v)
        """
        filled = fill_rows(Xs, presence, self.means)
        if self.known is not None and not presence.all():
            Xs = [dense(X) for X in Xs]
            known, known_presence = [dense(X) for X in self.known[0]], self.known[1]
            squared = _distances_to_known(Xs, presence, known, known_presence)
            for v, X in enumerate(known):
                receivers, donors = (
                    np.flatnonzero(p) for p in (~presence[:, v], known_presence[:, v])
                )
                to_donors = squared[np.ix_(receivers, donors)]
                _fill_rows(filled[v], receivers, X, donors, to_donors, self.n_neighbors)
        return filled


def _distances_to_known(Xs, presence, known, known_presence):
    """As `shared_distances`, from new samples to known ones."""
    squared = np.zeros((len(presence), len(known_presence)))
    shared = np.zeros_like(squared)
    for X, Y, present, there in zip(Xs, known, presence.T, known_presence.T, strict=True):
        block = np.ix_(present, there)
        squared[block] += squared_distances(X[present], Y[there])
        shared[block] += X.shape[1]
    n_features = sum(X.shape[1] for X in Xs)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(shared > 0, squared * n_features / shared, np.inf)
