"""Graphs with a given number of connected components, by a bound on the Laplacian's rank."""

from dataclasses import dataclass, field

import numpy as np
from scipy import sparse

from mvclust.numerics.distances import squared_distances_of_pairs
from mvclust.numerics.eigen import smallest_eigenpairs
from mvclust.numerics.graphs import adaptive_neighbor_graph, connected_components, laplacian
from mvclust.numerics.simplex import quadratic_on_supports

ZERO = 1e-10  # of the released codes: sums of eigenvalues below this count as zero
GUARD = float(np.finfo(float).eps)  # under the root of the l1 weights, as in the released code


@dataclass
class Search:
    """A search for a graph with n_clusters components, and how it went."""

    S: sparse.csr_array  # the graph found, (n, n); non-negative, rows sum to 1
    F: np.ndarray  # smallest eigenvectors of the Laplacian of (S + S')/2, (n, n_clusters)
    converged: bool = False  # whether the Laplacian has n_clusters eigenvalues 0 and no more
    # Of each iteration: lambda, the smallest eigenvectors, the sums of the n_clusters and of the
    # n_clusters + 1 smallest eigenvalues, and the distance from the target.
    lam: list = field(default_factory=list)
    vectors: list = field(default_factory=list)
    low: list = field(default_factory=list)
    high: list = field(default_factory=list)
    distance: list = field(default_factory=list)


def graph_spectrum(S, n_clusters, start=None):
    """Smallest eigenvectors of the Laplacian of (S + S')/2, and two sums of eigenvalues.

    S is a csr_array of shape (n, n), non-negative. Returns the eigenvectors F, of shape
    (n, n_clusters), and the sums of the n_clusters and of the n_clusters + 1 smallest eigenvalues
    (the latter infinite if there are no more). The columns of `start`, with n rows, are vectors
    near F; they change the work, not the result.
    """
    n = S.shape[0]
    A = sparse.csr_array((S + S.T) / 2)
    A.eliminate_zeros()
    eigenvalues, vectors = smallest_eigenpairs(
        laplacian(A), min(n_clusters + 1, n), is_laplacian=True, start=start
    )
    eigenvalues = np.maximum(eigenvalues, 0.0)
    high = eigenvalues.sum() if n > n_clusters else np.inf
    return vectors[:, :n_clusters], float(eigenvalues[:n_clusters].sum()), float(high)


def nearest_connected_graph(target, F, *, weight=1.0, norm="l2", lam=0.1, max_iter=30, near=()):
    """Look for the graph with as many components as F has columns that is nearest to a target.

    Minimises weight |S - target / weight|^2 + 2 lam tr(F'L F) over graphs S whose rows sum to 1,
    and over F'F = I, by turns. lam is doubled while the graph has too few components and halved,
    with the previous F taken back, while it has too many. A row of S is non-zero only where that of
    the target is, so that only those entries are ever worked on.

    The target is a csr_array of shape (n, n), non-negative, with an entry in each row. F of shape
    (n, n_clusters) is the start, with orthonormal columns, and `lam` the first lambda. With the
    norm "l1" instead of "l2" sum |S - target| is measured by reweighted squares, one reweighting
    per iteration. `near` are the `vectors` of a `Search` with a similar target; they change the
    work, not the result.

    >>> W = np.array([[0, 9, 0, 0], [9, 0, 1, 0], [0, 1, 0, 9], [0, 0, 9, 0]]) / 10
    >>> F = graph_spectrum(sparse.csr_array(W), 2)[0]
    >>> found = nearest_connected_graph(sparse.csr_array(W), F)
    >>> found.converged, found.S.toarray().round(3).tolist()[1]
    (True, [1.0, 0.0, 0.0, 0.0])
    """
    rows = SupportedRows(target)
    n_clusters = F.shape[1]
    curvature = np.full(len(rows.values), weight)
    goal = rows.values / weight
    found = Search(target, F)
    if not target.nnz:
        return found  # a graph without edges stays as it is
    while len(found.lam) < max_iter and not found.converged:
        P = rows.squared_distances(found.F)
        s = rows.minimize(0.5 * lam * P - curvature * goal, curvature)
        gap = s - goal
        found.S = rows.graph(s)
        previous = found.F
        start = near[len(found.lam)] if len(found.lam) < len(near) else found.F
        found.F, low, high = graph_spectrum(found.S, n_clusters, start)
        found.lam.append(lam)
        found.vectors.append(found.F)
        found.low.append(low)
        found.high.append(high)
        found.distance.append(float(np.vdot(gap, gap) if norm == "l2" else np.abs(gap).sum()))
        if norm == "l1":
            curvature = 0.5 / np.sqrt(gap**2 + GUARD)
        if low > ZERO:
            lam *= 2
        elif high < ZERO:
            lam /= 2
            found.F = previous
        else:
            found.converged = True
    return found


def joint_graphs(Xs, n_clusters, n_neighbors):
    """Adaptive-neighbour graphs of the views, together in at most n_clusters components.

    Deleting edges never joins components. So if the union of the graphs has too many, it is built
    with twice as many neighbours as `n_neighbors`, and so on, up to all pairs of samples. Returns a
    csr_array of shape (n_samples, n_samples) for every view of shape (n_samples, n_features_v).
    """
    n = len(Xs[0])
    while True:
        graphs = [adaptive_neighbor_graph(X, n_neighbors) for X in Xs]
        for W in graphs:  # an edge to the last neighbour may be a rounding error below zero
            np.maximum(W.data, 0.0, out=W.data)
            W.eliminate_zeros()
        if n_neighbors >= n - 2 or connected_components(sum(graphs)).max() < n_clusters:
            return graphs
        n_neighbors *= 2


class SupportedRows:
    """Work on the non-zero entries of a sparse matrix alone, row after row, all at once.

    The matrix is a csr_array of shape (n, n) with an entry in each row. `values` are its non-zero
    entries in the order of rows.
    """

    def __init__(self, target):
        target = sparse.csr_array(target).copy()
        target.eliminate_zeros()
        target.sort_indices()
        self.values, self._indptr, self.columns = target.data, target.indptr, target.indices
        self._lengths = np.diff(target.indptr)
        self.rows = np.repeat(np.arange(len(self._lengths)), self._lengths)

    def squared_distances(self, F):
        """|F_i - F_j|^2 for every entry (i, j)."""
        return squared_distances_of_pairs(F, self.rows, self.columns)

    def minimize(self, linear, curvature):
        """Minimise sum_j b_j s_j + c_j s_j^2 / 2 over the simplex for every row, by its entries.

        The b (`linear`), the c (`curvature`) and the result are in the order of `values`.
        """
        return quadratic_on_supports(linear, curvature, self._lengths)

    def graph(self, s):
        """The matrix with the given entries, zeros left out."""
        n = len(self._lengths)
        S = sparse.csr_array((s.copy(), self.columns.copy(), self._indptr.copy()), shape=(n, n))
        S.eliminate_zeros()
        return S
