"""Squared lengths of rows, and squared Euclidean distances between them."""

import numpy as np
from scipy import sparse

SHORT = 1e-140  # the squares of shorter rows lose digits
LOOKED_AT = 1001  # rows, for the centre of all


def squared_norm(X):
    """Squared Frobenius norm of a dense or sparse matrix.

    >>> squared_norm(np.array([[1.0, 2.0], [0.0, 2.0]]))
    9.0
    """
    values = X.data if sparse.issparse(X) else X
    return float(np.vdot(values, values))


def squared_row_norms(X):
    """Squared Euclidean length of every row of a dense or sparse matrix.

    >>> squared_row_norms(np.array([[3.0, 4.0], [0.0, 2.0]])).tolist()
    [25.0, 4.0]
    """
    if sparse.issparse(X):
        return np.asarray(X.multiply(X).sum(axis=1)).ravel()
    return np.einsum("ij,ij->i", X, X)


def row_lengths(X):
    """Euclidean length of every row of a dense or sparse matrix, in any unit of measurement.

    Rows whose squares would underflow are divided by their largest entry first, so that only a row
    of zeros has the length 0.

    >>> row_lengths(np.array([[3.0, 4.0], [3e-200, 4e-200], [0.0, 0.0]])).tolist()
    [5.0, 5e-200, 0.0]
    """
    # numpy's norm is the same for any layout in memory
    lengths = np.sqrt(squared_row_norms(X)) if sparse.issparse(X) else np.linalg.norm(X, axis=1)
    short = np.flatnonzero(lengths < SHORT)
    if short.size:
        rows = X[short]
        rows = rows.toarray() if sparse.issparse(rows) else rows
        largest = np.abs(rows).max(axis=1)
        relative = rows / np.where(largest > 0, largest, 1.0)[:, None]
        lengths[short] = largest * np.linalg.norm(relative, axis=1)
    return lengths


def centred(*Xs):
    """Matrices of the same features, moved alike so that the first lies about zero.

    Distances stay what they are, and products of the rows give them without cancellation. What is
    subtracted is a median of each column, an entry of it: a shift of a column, and whole numbers,
    stay exact. In sparse matrices only columns without a gap are moved.

    >>> X, Y = centred(np.array([[7e8], [7e8 + 1], [7e8 + 5]]), np.array([[7e8 + 2]]))
    >>> X.ravel().tolist(), Y.ravel().tolist()
    ([-1.0, 0.0, 4.0], [1.0])
    """
    centre = centre_of(*Xs)
    return [moved(X, centre) for X in Xs] if centre.any() else list(Xs)


def centre_of(*Xs):
    """What `centred` subtracts, of shape (n_features,)."""
    X = Xs[0]
    n, n_features = X.shape
    full = np.full(n_features, n > 0)
    for A in filter(sparse.issparse, Xs):
        full &= np.bincount(A.indices, minlength=n_features) == A.shape[0]
    centre = np.zeros(n_features)
    if full.any():
        some = X[:: -(-n // LOOKED_AT)]
        some = some[:, full].toarray() if sparse.issparse(some) else some[:, full]
        middle = (len(some) - 1) // 2
        centre[full] = np.partition(some, middle, axis=0)[middle]
    return centre


def moved(X, centre):
    """X - centre for the entries that are stored of X, dense or sparse; centre is (n_features,)."""
    if not sparse.issparse(X):
        return X - centre
    return sparse.csr_array((X.data - centre[X.indices], X.indices, X.indptr), shape=X.shape)


def squared_distances(X, Y, X_norms=None, Y_norms=None):
    """Squared Euclidean distances of the rows of X from those of Y, never below zero.

    X of shape (n, n_features) and Y of shape (m, n_features) may be sparse; the result of shape
    (n, m) is dense. Equal rows may be apart by rounding errors. The norms are the squared lengths
    of the rows, if they are known. If none are given, `centred` moves both; else they are taken as
    they are: data must be centred before.

    >>> squared_distances(np.array([[0.0], [3.0]]), np.array([[1.0], [2.0]])).tolist()
    [[1.0, 4.0], [4.0, 1.0]]
    """
    if X_norms is None and Y_norms is None:
        Y, X = centred(Y, X)
    if X_norms is None:
        X_norms = squared_row_norms(X)
    if Y_norms is None:
        Y_norms = squared_row_norms(Y)
    # The factor goes to the matrix with fewer rows; powers of two do not round.
    squared = (-2 * X) @ Y.T if X.shape[0] < Y.shape[0] else X @ (-2 * Y).T
    squared = squared.toarray() if sparse.issparse(squared) else squared
    squared += X_norms[:, None]
    squared += Y_norms
    return np.maximum(squared, 0.0, out=squared)


def mutual_squared_distances(X):
    """Squared Euclidean distances between all rows of a dense X, never below zero.

    Unlike `squared_distances` of rows with themselves it takes the symmetric product, at half the
    cost, and the squared lengths from its diagonal: a row is exactly at distance 0 from itself.

    >>> mutual_squared_distances(np.array([[0.0], [3.0]])).tolist()
    [[0.0, 9.0], [9.0, 0.0]]
    """
    (X,) = centred(X)
    squared = X @ X.T
    norms = squared.diagonal().copy()
    squared *= -2
    squared += norms[:, None]
    squared += norms
    return np.maximum(squared, 0.0, out=squared)


def squared_distances_of_pairs(F, first, second):
    """Squared Euclidean distances of pairs of rows, by differences and so without cancellation.

    `first` and `second` of shape (n_pairs,) are the rows of each pair. F has few columns: they are
    taken one by one.

    >>> F = np.array([[0.0, 0.0], [3.0, 4.0]])
    >>> squared_distances_of_pairs(F, np.array([0, 1]), np.array([1, 1])).tolist()
    [25.0, 0.0]
    """
    squared = np.zeros(len(first))
    for f in F.T:
        squared += (f[first] - f[second]) ** 2
    return squared
