"""Nearest-neighbour graphs, their Laplacians and connected components."""

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph
from sklearn.neighbors import NearestNeighbors

from mvclust.numerics.blocks import row_blocks
from mvclust.numerics.distances import centred, squared_distances, squared_row_norms

BLOCK = 2**18  # distances worked on at a time: they stay in the cache
FEW = 1500  # rows, up to which all distances are sorted at once
GROUPS = 16  # of columns for every neighbour wanted
SPARE = 3  # candidates beside the neighbours wanted
NOISE = 1e-12  # share of a row's squared norm, and of a squared distance, that is rounding errors
SURE = 100  # of these between the last neighbour and the furthest candidate: none was left out


def nearest_neighbors(X, n_neighbors):
    """The nearest other rows of every row, nearest first; among equals the first index.

    A row is never its own neighbour, even if others are identical to it. Distances that differ by
    rounding errors count as equal: the result does not depend on the order of summation. Returns
    indices and squared Euclidean distances, both of shape (n, n_neighbors), for n_neighbors < n.

    >>> indices, squared = nearest_neighbors(np.array([[0.0], [1.0], [1.0], [3.0]]), 2)
    >>> indices.tolist(), squared.tolist()
    ([[1, 2], [2, 0], [1, 0], [1, 2]], [[1.0, 1.0], [0.0, 1.0], [0.0, 1.0], [4.0, 4.0]])
    """
    n, as_given = len(X), X
    (X,) = centred(X)
    norms = squared_row_norms(X)
    sizes = sizes_of_rounding(as_given, norms)
    if n <= max(FEW, n_neighbors + 1 + SPARE):
        return _nearest_of_all(X, np.arange(n), norms, sizes, n_neighbors)
    indices, squared, sure = _nearest_of_candidates(X, sizes, n_neighbors)
    if not sure.all():
        rest = np.flatnonzero(~sure)
        indices[rest], squared[rest] = _nearest_of_all(X, rest, norms, sizes, n_neighbors)
    return indices, squared


def sizes_of_rounding(X, norms):
    """Of which share `NOISE` is rounding in the squared distances from the rows of X.

    It is that of the squared length of a row about zero (`norms`, of the rows as
    `mvclust.numerics.distances.centred` gives them), and the square of that share of the row as it
    is given, in X: its entries are rounded too.
    """
    return norms + NOISE * squared_row_norms(X)


def _nearest_of_candidates(X, sizes, n_neighbors):
    """`nearest_neighbors` of all rows, and for which of them a few candidates more prove it.

    scikit-learn finds the candidates, among rows that differ; those equal to one are as near. They
    are compared by exact differences. A row is sure if the furthest of them is further away than
    the last neighbour wanted by more than rounding errors: then nobody else is as near as that.
    """
    n, n_nearest = len(X), n_neighbors + 1  # a row itself is one of them
    first, group, members = _equal_rows(X, sizes, n_nearest)
    distinct, sizes = X[first], sizes[first]
    n_candidates = min(n_nearest + SPARE, len(first))
    found = NearestNeighbors(n_neighbors=n_candidates).fit(distinct)
    found = found.kneighbors(distinct, return_distance=False)
    indices = np.empty((len(first), n_nearest), dtype=np.intp)
    squared = np.empty((len(first), n_nearest))
    sure = np.empty(len(first), dtype=bool)
    for rows in row_blocks(len(first), n_candidates * X.shape[1], BLOCK):
        differences = distinct[found[rows]]
        differences -= distinct[rows, None]
        distances = np.einsum("ijf,ijf->ij", differences, differences)
        furthest = distances.max(axis=1)
        candidates = members[found[rows]].reshape(len(distances), -1)
        order = np.argsort(candidates, axis=1, kind="stable")  # among equals the first index
        candidates = np.take_along_axis(candidates, order, axis=1)
        distances = np.repeat(distances, members.shape[1], axis=1)
        distances = np.take_along_axis(distances, order, axis=1)
        distances[candidates == n] = np.inf
        columns, squared[rows] = nearest_columns(distances, sizes[rows], n_nearest)
        indices[rows] = np.take_along_axis(candidates, columns, axis=1)
        sure[rows] = furthest - squared[rows, -1] > SURE * NOISE * (sizes[rows] + furthest)
    is_self = indices[group] == np.arange(n)[:, None]
    is_self[:, -1] |= ~is_self.any(axis=1)  # others equal to it come first
    others = (values[group][~is_self].reshape(n, n_neighbors) for values in (indices, squared))
    return *others, sure[group]


def _equal_rows(X, sizes, most):
    """First row of each group of equal rows, the group of each row, the first rows of each group.

    The latter, (n_groups, at most `most`), are filled up with n. Equal rows have equal sizes.
    """
    n, groups = len(X), {}
    _, size, counts = np.unique(sizes, return_inverse=True, return_counts=True)
    keys = [X[i].tobytes() if counts[size[i]] > 1 else i for i in range(n)]
    group = np.array([groups.setdefault(key, len(groups)) for key in keys])
    order = np.argsort(group, kind="stable")
    starts = np.searchsorted(group[order], np.arange(len(groups)))
    place = np.arange(n) - starts[group[order]]
    members = np.full((len(groups), min(most, place.max() + 1)), n)
    kept = place < most
    members[group[order][kept], place[kept]] = order[kept]
    return members[:, 0], group, members


def _nearest_of_all(X, some, norms, sizes, n_neighbors):
    """`nearest_neighbors` of some rows, from their distances to all others."""
    indices = np.empty((len(some), n_neighbors), dtype=np.intp)
    squared = np.empty((len(some), n_neighbors))
    for part in row_blocks(len(some), len(X), BLOCK):
        rows = some[part]
        distances = squared_distances(X[rows], X, norms[rows], norms)
        distances[np.arange(len(rows)), rows] = np.inf
        indices[part], squared[part] = nearest_columns(distances, sizes[rows], n_neighbors)
    return indices, squared


def nearest_columns(distances, sizes, n_nearest):
    """Columns of the smallest entries of every row, smallest first; among equals the first.

    Neighbours in order that differ by `NOISE` of the size of the row and of their own, or less,
    count as equal, and are the smallest of them; those as near to zero are zero. Distances of shape
    (n, m) are not negative, or infinite; `sizes` of shape (n,) are those of `sizes_of_rounding`.
    Returns columns and entries, both of shape (n, n_nearest), for n_nearest <= m.

    >>> columns, nearest = nearest_columns(np.array([[3, 1 + 1e-15, 2, 1]]), np.ones(1), 3)
    >>> columns.tolist(), nearest.tolist()
    ([[1, 3, 2]], [[1.0, 1.0, 2.0]])
    """
    bound = _bound(distances, n_nearest)
    row, column = np.nonzero(distances <= (bound + 2 * NOISE * (sizes + bound))[:, None])
    values = distances[row, column]
    order = np.lexsort((values, row))
    values, is_first = values[order], np.diff(row, prepend=-1) > 0
    before = np.where(is_first, 0.0, np.concatenate([[0.0], values[:-1]]))
    apart = values > before + NOISE * (sizes[row] + before)
    starts = apart | is_first
    group = np.cumsum(starts) - 1
    settled = np.where(apart, values, 0.0)[starts][group]
    order = order[np.lexsort((order, group))]
    places = np.flatnonzero(is_first)[:, None] + np.arange(n_nearest)
    return column[order[places]], settled[places]


def _bound(distances, n_nearest):
    """What at least n_nearest entries of every row do not exceed, and few more.

    The minima of groups of columns are such entries, and are found several times faster than the
    entries of that rank.
    """
    n, m = distances.shape
    n_groups = GROUPS * n_nearest
    if m > 2 * n_groups:
        whole = m - m % n_groups
        distances = distances[:, :whole].reshape(n, -1, n_groups).min(axis=1)
    return np.partition(distances, n_nearest - 1, axis=1)[:, n_nearest - 1]


def nearest_known(X, known, n_neighbors):
    """Indices of the nearest known rows of every new row.

    For n rows X and m known rows, dense or sparse, they have shape (n, n_neighbors), or (n, m) if m
    is less.

    >>> nearest_known(np.array([[2.1]]), np.array([[1.0], [2.0], [4.0]]), 2).tolist()
    [[1, 0]]
    """
    as_given = X
    known, X = centred(known, X)
    norms, known_norms = squared_row_norms(X), squared_row_norms(known)
    sizes = sizes_of_rounding(as_given, norms)
    m, found = known.shape[0], []
    for rows in row_blocks(X.shape[0], m, BLOCK):
        distances = squared_distances(X[rows], known, norms[rows], known_norms)
        found.append(nearest_columns(distances, sizes[rows], min(n_neighbors, m))[0])
    return np.vstack(found)


def neighbor_graph(X, n_neighbors):
    """Join two rows if either is among the nearest neighbours of the other (edges of weight 1).

    At most the number of other rows is used. The csr_array of shape (n, n) is symmetric.

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
    columns. If all m + 1 distances are equal, the m neighbours share the weight evenly. m is
    n_neighbors, at most n - 2. The csr_array of shape (n, n) is symmetric, with a zero diagonal.

    >>> X = np.array([[0.0], [1.0], [2.0], [10.0]])
    >>> adaptive_neighbor_graph(X, 2).toarray().round(2)[0].tolist()
    [0.0, 0.5, 0.49, 0.0]
    """
    n = len(X)
    n_neighbors = min(n_neighbors, n - 2)
    if n_neighbors < 1:
        return neighbor_graph(X, n - 1)
    indices, squared = nearest_neighbors(X, n_neighbors + 1)
    gaps = squared[:, -1:] - squared[:, :-1]
    total = gaps.sum(axis=1, keepdims=True)
    even = np.full_like(gaps, 1 / n_neighbors)
    W = _from_neighbors(indices[:, :-1], np.divide(gaps, total, out=even, where=total > 0))
    return (W + W.T) / 2


def laplacian(W):
    """Laplacian D - W of a symmetric graph, dense or sparse as the graph.

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

    Returns the number of each of the n nodes, for a dense or sparse W of shape (n, n).

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
