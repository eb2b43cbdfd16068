"""Nearest-neighbour graphs, their Laplacians and connected components."""

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from mvclust.numerics.blocks import row_blocks
from mvclust.numerics.distances import squared_distances, squared_row_norms

BLOCK = 2**18  # distances worked on at a time: they stay in the cache
NOISE = 1e-12  # share of a row's squared norm below which differences are rounding errors


def nearest_neighbors(X, n_neighbors):
    """The nearest other rows of every row, nearest first; among equals the first index.

    A row is never its own neighbour, even if others are identical to it. Distances that differ
    by rounding errors count as equal: the result does not depend on the order of summation.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    n_neighbors : int, less than n

    Returns
    -------
    indices : ndarray of int of shape (n, n_neighbors)
    squared : ndarray of shape (n, n_neighbors)
        Squared Euclidean distances.

    Examples
    --------
    >>> import numpy as np
    >>> indices, squared = nearest_neighbors(np.array([[0.0], [1.0], [1.0], [3.0]]), 2)
    >>> indices.tolist(), squared.tolist()
    ([[1, 2], [2, 0], [1, 0], [1, 2]], [[1.0, 1.0], [0.0, 1.0], [0.0, 1.0], [4.0, 4.0]])
    """
    n = len(X)
    norms = squared_row_norms(X)
    step = NOISE * np.where(norms > 0, norms, norms.mean() or 1.0)
    indices = np.empty((n, n_neighbors), dtype=np.intp)
    squared = np.empty((n, n_neighbors))
    for rows in row_blocks(n, n, BLOCK):
        distances = squared_distances(X[rows], X, norms[rows], norms)
        keys = np.rint(distances / step[rows, None])
        np.fill_diagonal(keys[:, rows], np.inf)
        furthest = np.partition(keys, n_neighbors - 1, axis=1)[:, n_neighbors - 1]
        row, column = np.nonzero(keys <= furthest[:, None])
        key = keys[row, column]
        order = np.lexsort((key, row))  # stable: columns stay in order among equals
        start = np.searchsorted(row, np.arange(len(keys)))
        chosen = order[start[:, None] + np.arange(n_neighbors)]
        indices[rows] = column[chosen]
        squared[rows] = np.where(key[chosen] > 0, distances[row[chosen], column[chosen]], 0.0)
    return indices, squared


def nearest_known(X, known, n_neighbors):
    """The nearest known rows of every new row.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n, d)
        New rows.
    known : ndarray or csr_array of shape (m, d)
    n_neighbors : int
        At most m of them are used.

    Returns
    -------
    ndarray of int of shape (n, n_neighbors)

    Examples
    --------
    >>> import numpy as np
    >>> nearest_known(np.array([[2.1]]), np.array([[1.0], [2.0], [4.0]]), 2).tolist()
    [[1, 0]]
    """
    m, norms = known.shape[0], squared_row_norms(known)
    found = [
        np.argsort(squared_distances(X[rows], known, Y_norms=norms), axis=1, kind="stable")[
            :, :n_neighbors
        ]
        for rows in row_blocks(X.shape[0], m, BLOCK)
    ]
    return np.vstack(found)


def neighbor_graph(X, n_neighbors):
    """Join two rows if either is among the nearest neighbours of the other (edges of weight 1).

    Parameters
    ----------
    X : ndarray of shape (n, d)
    n_neighbors : int
        At most the number of other rows is used.

    Returns
    -------
    csr_array of shape (n, n), symmetric

    Examples
    --------
    >>> import numpy as np
    >>> neighbor_graph(np.array([[0.0], [1.0], [3.0]]), 1).toarray().tolist()
    [[0.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]
    """
    n = len(X)
    n_neighbors = min(n_neighbors, n - 1)
    if n_neighbors == 0:
        return sparse.csr_array((n, n))
    indices, _ = nearest_neighbors(X, n_neighbors)
    W = _from_neighbors(indices, np.ones(indices.shape))
    return W.maximum(W.T)


def adaptive_neighbor_graph(X, n_neighbors=5):
    """Graph of adaptive neighbours (Nie et al., 2014), also called PKN.

    Row i spreads the weight 1 over its m nearest rows j in proportion to d_i(m+1) - d_ij, with
    d_i(m+1) the squared distance to the next nearest; the graph is the mean of these rows and
    columns. If all m + 1 distances are equal, the m neighbours share the weight evenly.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    n_neighbors : int, default=5
        The m; at most n - 2 is used.

    Returns
    -------
    csr_array of shape (n, n), symmetric, with a zero diagonal

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0], [2.0], [10.0]])
    >>> adaptive_neighbor_graph(X, 2).toarray().round(2)[0].tolist()
    [0.0, 0.5, 0.49, 0.0]
    """
    n = len(X)
    n_neighbors = min(n_neighbors, n - 2)
    if n_neighbors < 1:
        return neighbor_graph(X, n - 1)
    indices, squared = nearest_neighbors(X, n_neighbors + 1)
    gaps = np.maximum(squared[:, -1:] - squared[:, :-1], 0.0)  # equal but for rounding: none
    total = gaps.sum(axis=1, keepdims=True)
    even = np.full_like(gaps, 1 / n_neighbors)
    W = _from_neighbors(indices[:, :-1], np.divide(gaps, total, out=even, where=total > 0))
    return (W + W.T) / 2


def laplacian(W):
    """Laplacian D - W of a symmetric graph, dense or sparse as the graph.

    Examples
    --------
    >>> import numpy as np
    >>> laplacian(np.array([[0.0, 2.0], [2.0, 0.0]])).tolist()
    [[2.0, -2.0], [-2.0, 2.0]]
    """
    degrees = np.asarray(W.sum(axis=1)).ravel()
    if sparse.issparse(W):
        return sparse.csr_array(sparse.diags_array(degrees) - W)
    L = -W
    L.flat[:: len(L) + 1] += degrees
    return L


def connected_components(W):
    """Number the connected components of a symmetric graph, in the order of their first node.

    Parameters
    ----------
    W : ndarray or csr_array of shape (n, n)

    Returns
    -------
    ndarray of int of shape (n,)

    Examples
    --------
    >>> import numpy as np
    >>> connected_components(np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]])).tolist()
    [0, 1, 0]
    """
    if sparse.issparse(W):
        return csgraph.connected_components(W, directed=False)[1]
    edges = W != 0
    labels = np.full(len(W), -1)
    for seed in range(len(W)):
        if labels[seed] >= 0:
            continue
        labels[seed] = number = labels.max() + 1
        reached = np.array([seed])
        while reached.size:
            reached = np.flatnonzero(edges[reached].any(axis=0) & (labels < 0))
            labels[reached] = number
    return labels


def _from_neighbors(indices, weights):
    n, n_neighbors = indices.shape
    starts = np.arange(0, n * n_neighbors + 1, n_neighbors)
    return sparse.csr_array((weights.ravel(), indices.ravel(), starts), shape=(n, n))
