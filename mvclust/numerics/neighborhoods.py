"""Affinities whose widths follow from the neighbourhoods of samples, and their shares."""

import numpy as np

from mvclust.numerics.distances import mutual_squared_distances

EPS = float(np.finfo(np.float64).eps)


def row_shares(W):
    """Rows divided by their sums."""
    return W / W.sum(axis=1, keepdims=True)


def half_on_diagonal(W):
    """Rows whose entries beside the diagonal sum to 1/2, and 1/2 on the diagonal."""
    rest = W.sum(axis=1) - W.diagonal()
    W = W / (2 * np.where(rest > 0, rest, 1.0))[:, None]
    np.fill_diagonal(W, 0.5)
    return W


def strongest(W, n_neighbors, ties=True):
    """Keep the n_neighbors largest entries of each row, as shares.

    With `ties` those that equal the last of them are kept too.
    """
    n_neighbors = min(n_neighbors, len(W))
    if ties:
        least = np.partition(W, len(W) - n_neighbors, axis=1)[:, [len(W) - n_neighbors]]
        return row_shares(np.where(least <= W, W, 0.0))
    columns = np.argsort(-W, axis=1, kind="stable")[:, :n_neighbors]
    kept = np.zeros_like(W)
    np.put_along_axis(kept, columns, np.take_along_axis(W, columns, 1), 1)
    return row_shares(kept)


def local_affinity(D, n_neighbors, mu):
    """Normal densities of distances, with a width that grows with the neighbourhoods of both.

    D of shape (n, n), symmetric, with a zero diagonal, is what the implementations of SNF call
    distances, squared or not; the result is symmetric. A neighbourhood has the mean distance of the
    n_neighbors nearest samples; `mu` is a factor of the widths.
    """
    others = np.sort(D, axis=1)[:, 1 : n_neighbors + 1]
    near = others.mean(axis=1) + EPS if others.size else np.full(len(D), EPS)
    width = mu * ((near[:, None] + near + D) / 3 + EPS)
    W = np.exp(-((D / width) ** 2) / 2) / (np.sqrt(2 * np.pi) * width)
    return (W + W.T) / 2


def symmetric_squared_distances(X):
    """Squared distances between rows, exactly symmetric with a zero diagonal."""
    squared = mutual_squared_distances(X)
    squared = (squared + squared.T) / 2
    np.fill_diagonal(squared, 0.0)
    return np.maximum(squared, 0.0)


def relative_squared_distances(X):
    """The same in units of their mean, so that the unit of X plays no part."""
    squared = symmetric_squared_distances(X)
    return squared / (squared.mean() or 1.0)


def standardised(X):
    """Features of mean 0 and standard deviation 1, n - 1 counted; constant ones become 0."""
    spread = X.std(axis=0, ddof=1)
    usable = spread > 1e-12 * np.abs(X).max(axis=0)
    return np.where(usable, (X - X.mean(axis=0)) / np.where(usable, spread, 1.0), 0.0)
