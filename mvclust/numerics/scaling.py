"""Scaling of views; only present rows are read."""

import numpy as np
from scipy import sparse

from mvclust.numerics.distances import squared_row_norms


def unit_samples(X):
    """Scale every row to unit Euclidean length (a zero row stays zero).

    Examples
    --------
    >>> import numpy as np
    >>> unit_samples(np.array([[3.0, 4.0], [0.0, 0.0]]))
    array([[0.6, 0.8],
           [0. , 0. ]])
    """
    if sparse.issparse(X):
        norms = np.sqrt(squared_row_norms(X))
        return sparse.csr_array(sparse.diags_array(1 / np.maximum(norms, 1e-7)) @ X)
    return X / np.maximum(np.linalg.norm(X, axis=1), 1e-7)[:, None]


def balanced(X, present):
    """Standardise every feature over the present rows and divide by sqrt(n_features).

    Every view then weighs the same in a concatenation. A constant feature becomes zero;
    missing rows come back as zero.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    present : ndarray of bool of shape (n_samples,)

    Returns
    -------
    ndarray of shape (n_samples, n_features)
    """
    mean, deviation = _moments(X[present])
    return np.where(present[:, None], (X - mean) / deviation, 0.0) / np.sqrt(X.shape[1])


def _moments(X):
    """Mean and standard deviation of every feature; that of a constant one is inf."""
    mean = X.mean(axis=0)
    deviation = (X - mean).std(axis=0)
    deviation[deviation <= 1e-12 * np.abs(X).max(axis=0)] = np.inf
    return mean, deviation


def unit_range(X, present=None):
    """Map a whole view to [-1, 1] by the smallest and the largest entry of its present rows.

    A constant view becomes zero; missing rows come back as zero.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    present : ndarray of bool of shape (n_samples,), default=None
        None: all rows are present.

    Returns
    -------
    ndarray of shape (n_samples, n_features)
        The mapped view.

    Examples
    --------
    >>> import numpy as np
    >>> unit_range(np.array([[3.0, 4.0], [5.0, 7.0]])).tolist()
    [[-1.0, -0.5], [0.0, 1.0]]
    """
    if present is not None and present.all():
        present = None
    inside = X if present is None else X[present]
    scaled = _to_unit_range(X, inside.min(), inside.max())
    if present is not None:
        scaled[~present] = 0.0
    return scaled


def _to_unit_range(X, low, high):
    if high == low:
        return np.zeros_like(X)
    scaled = X - low
    scaled *= 2
    scaled /= high - low
    scaled -= 1
    return scaled


def scale_views(Xs, presence, scale):
    """Apply "l2" (`unit_samples`), "balanced", "range" (`unit_range`) or None to every view.

    Parameters
    ----------
    Xs : list of ndarray (or csr_array, with "l2" and None), each of shape (n_samples, n_features_v)
    presence : ndarray of bool of shape (n_samples, n_views), or None
        "l2" and None do not read it.
    scale : {"l2", "balanced", "range", None} or list with one of these per view

    Returns
    -------
    list of ndarray or csr_array
        The scaled views.
    """
    each = scale if isinstance(scale, list) else [scale] * len(Xs)
    columns = [None] * len(Xs) if presence is None else presence.T
    return [_scaled(X, present, s) for X, present, s in zip(Xs, columns, each, strict=True)]


def _scaled(X, present, scale):
    if scale == "l2":
        return unit_samples(X)
    if scale == "balanced":
        return balanced(X, present)
    if scale == "range":
        return unit_range(X, present)
    return X


class ViewScaler:
    """Scales new samples of a view as `scale_views` scaled those it was made of.

    Parameters
    ----------
    X : ndarray (or csr_array, with "l2" and None) of shape (n_samples, n_features)
        The view before it was scaled.
    present : ndarray of bool of shape (n_samples,)
    scale : {"l2", "balanced", "range", None}

    Examples
    --------
    >>> import numpy as np
    >>> scaler = ViewScaler(np.array([[1.0], [3.0]]), np.array([True, True]), "range")
    >>> scaler.scale_rows(np.array([[2.0], [4.0]])).ravel().tolist()
    [0.0, 2.0]
    """

    def __init__(self, X, present, scale):
        self.scale = scale
        if scale == "balanced":
            self.mean, self.deviation = _moments(X[present])
        elif scale == "range":
            self.low, self.high = X[present].min(), X[present].max()

    def scale_rows(self, X):
        """New rows, scaled; what comes back for missing ones means nothing."""
        if self.scale == "balanced":
            return (X - self.mean) / self.deviation / np.sqrt(X.shape[1])
        if self.scale == "range":
            return _to_unit_range(X, self.low, self.high)
        return _scaled(X, None, self.scale)
