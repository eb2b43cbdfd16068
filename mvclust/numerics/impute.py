"""Filling of missing instances: by the view's mean, or by nearest neighbours."""

import numpy as np

from mvclust.numerics.distances import mutual_squared_distances
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
    if squared is None:
        return filled
    to_donors = squared[np.ix_(receivers, donors)]
    nearest = np.argsort(to_donors, axis=1, kind="stable")[:, :n_neighbors]
    near = np.isfinite(np.take_along_axis(to_donors, nearest, axis=1))
    for row, which, usable in zip(receivers, donors[nearest], near, strict=True):
        if usable.any():
            filled[row] = X[which[usable]].mean(axis=0)
    return filled
