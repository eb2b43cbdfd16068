"""Views that are scaled as they are multiplied, so that no scaled copy is kept."""

import numpy as np
from scipy import sparse

from mvclust.numerics.distances import row_lengths

TINY = float(np.finfo(np.float64).tiny)
CONSTANT = 1e-12  # share of its largest entry below which a feature's deviation is rounding errors


class ScaledView:
    """Products with rows of a view that is scaled to unit rows or standardised features.

    The `scale` "sample_unit" divides each row by its Euclidean norm. "feature_zscore" subtracts the
    mean of each feature and divides by its standard deviation (with n - 1); constant features
    become zero. X of shape (n_samples, n_features) may be sparse, and stays so; its missing rows
    are zero.

    `scaling` is None with "sample_unit", else the mean and the inverse deviation of every feature:
    that of a fitted view, for new samples, or, by default, that of X, of which no row may be
    missing then. Rows that are not `present` (None: all are) stay zero with "feature_zscore" as
    well. `width` is the number of stored entries per sample, and `squared_norm` that of the whole
    scaled view; it is NaN with a `scaling` of other samples.

    >>> view = ScaledView(np.array([[3.0, 4.0], [0.0, 2.0]]), "sample_unit")
    >>> view.times(slice(0, 2), np.ones((2, 1))).round(2).tolist(), view.squared_norm
    ([[1.4], [1.0]], 2.0)
    >>> view = ScaledView(np.array([[1.0, 4.0], [3.0, 4.0]]), "feature_zscore")
    >>> view.transposed_times(slice(0, 2), np.array([[0.0], [1.0]])).round(3).tolist()
    [[0.707], [0.0]]
    """

    def __init__(self, X, scale, scaling=None, present=None):
        self.X, self.shape, self.scaling, self.by_row = X, X.shape, scaling, None
        self.width = X.nnz / X.shape[0] if sparse.issparse(X) else X.shape[1]
        if scale == "sample_unit":
            lengths = row_lengths(X)
            self.by_row = 1 / np.maximum(lengths, TINY)
            self.squared_norm = float(((lengths * self.by_row) ** 2).sum())
        elif scaling is None:
            self.scaling, self.squared_norm = _moments(X)
        else:
            self.squared_norm = np.nan
            if present is not None and not present.all():
                self.by_row = present.astype(np.float64)

    def times(self, rows, B):
        """Scaled rows (a slice) times B of shape (n_features, m)."""
        X = self.X[rows]
        if self.scaling is None:
            product = X @ B
        else:
            mean, inverse = self.scaling
            B = inverse[:, None] * B
            product = X @ B - mean @ B if sparse.issparse(X) else (X - mean) @ B
        if self.by_row is not None:
            product *= self.by_row[rows, None]
        return product

    def transposed_times(self, rows, Z):
        """The transpose of scaled rows (a slice) times Z of shape (n_rows, m)."""
        X = self.X[rows]
        if self.by_row is not None:
            Z = self.by_row[rows, None] * Z
        if self.scaling is None:
            return X.T @ Z
        mean, inverse = self.scaling
        if sparse.issparse(X):
            product = X.T @ Z - np.multiply.outer(mean, Z.sum(axis=0))
        else:
            product = (X - mean).T @ Z
        return inverse[:, None] * product

    def take(self, samples):
        """Some rows, by their indices, scaled and dense."""
        X = self.X[samples]
        X = X.toarray() if sparse.issparse(X) else X
        if self.scaling is not None:
            X = (X - self.scaling[0]) * self.scaling[1]
        return X if self.by_row is None else X * self.by_row[samples, None]


def _moments(X):
    """Mean and inverse deviation (0 if constant) of every feature; and the squared norm then."""
    n = X.shape[0]
    if sparse.issparse(X):
        mean = np.asarray(X.sum(axis=0)).ravel() / n
        off = X.copy()
        off.data -= mean[off.indices]
        stored = np.bincount(X.indices, minlength=X.shape[1])
        off.data **= 2
        squares = np.asarray(off.sum(axis=0)).ravel() + (n - stored) * mean**2
        largest = np.asarray(abs(X).max(axis=0).todense()).ravel()
    else:
        mean = X.mean(axis=0)
        squares, largest = np.zeros(X.shape[1]), np.zeros(X.shape[1])
        for first in range(0, n, 1024):
            some = X[first : first + 1024]
            np.maximum(largest, np.abs(some).max(axis=0), out=largest)
            some = some - mean
            squares += np.einsum("ij,ij->j", some, some)
    deviation = np.sqrt(squares / max(n - 1, 1))
    varies = deviation > CONSTANT * largest
    inverse = np.divide(1.0, deviation, out=np.zeros_like(deviation), where=varies)
    return (mean, inverse), float((n - 1) * varies.sum())
