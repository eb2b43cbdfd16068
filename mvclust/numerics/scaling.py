"""Scaling of views; only present rows are read."""

import numpy as np
from scipy import sparse


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
        norms = np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel())
        return sparse.csr_array(sparse.diags_array(1 / np.maximum(norms, 1e-7)) @ X)
    return X / np.maximum(np.linalg.norm(X, axis=1), 1e-7)[:, None]


def balanced(X, present):
    """Standardise every feature over the present rows and divide by sqrt(n_features).

    Every view then weighs the same in a concatenation. A constant feature becomes zero;
    missing rows come back as zero.
    """
    centred = X - X[present].mean(axis=0)
    deviation = centred[present].std(axis=0)
    deviation[deviation <= 1e-12 * np.abs(X[present]).max(axis=0)] = np.inf
    return np.where(present[:, None], centred / deviation, 0.0) / np.sqrt(X.shape[1])


def scale_views(Xs, presence, scale):
    """Apply "l2" (`unit_samples`), "balanced" or None to every view."""
    if scale == "l2":
        return [unit_samples(X) for X in Xs]
    if scale == "balanced":
        return [balanced(X, present) for X, present in zip(Xs, presence.T, strict=True)]
    return list(Xs)
