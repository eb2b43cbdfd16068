"""High-order correlation preserved subspace clustering, HCP-IMSC (Li et al., TIP 2022)."""

import numpy as np

from mvclust.estimators.base import (
    TINY,
    Solution,
    ViewTags,
    relative_change,
)
from mvclust.estimators.constraints import COUNT, NONNEGATIVE, POSITIVE
from mvclust.estimators.tensor_steps import (
    RUN_PARAMETERS,
    SimilarityClusterer,
    options_of,
    ridge_solver,
    unit_columns,
)
from mvclust.numerics.graphs import adaptive_neighbor_graph, laplacian, nearest_neighbors
from mvclust.numerics.scaling import unit_samples
from mvclust.numerics.tensors import low_tubal_rank

EPS = float(np.finfo(np.float64).eps)
AT_LEAST = 3  # iterations before a small change may end a run, as in the released code
FIRST_NEIGHBORS = 15  # of the graph of the first iteration
RIDGE = 1e-12  # share of the mean diagonal added before missing instances are solved for


def hcpimsc(Xs, rows, n_clusters, *, lambda1, lambda2, n_neighbors, max_iter, tol) -> Solution:
    """Represent each view by itself, near a consensus R and a tensor G of low tubal rank.

    The steps minimise, term by term, sum_v ||X_v - X_v Z_v||^2 + omega_v ||Z_v - R||^2 + lambda2
    ||Z_v - G_v||^2 + lambda1 tr(X_v L X_v'), with a hypergraph L of the rows of R and missing
    columns of X_v among the unknowns. No single objective decreases.

    The X_v have shape (n_features_v, n_samples); missing columns are zero. `rows` are the samples
    of each view, arrays of shape (n_v,). n_clusters is the tubal rank of G; n_neighbors is that of
    `hypergraph_laplacian`. The run ends after max_iter iterations, or when the relative change of
    sum_v ||X_v - X_v Z_v||^2 is below tol.

    Returns R (n, n), Z and G (n_views, n, n), omega, and X (list with one array per view, missing
    columns inferred); sum_v ||X_v - X_v Z_v||^2 after each iteration; its last relative change.
    """
    n_views, n = len(Xs), Xs[0].shape[1]
    missing = [np.setdiff1d(np.arange(n), of_view) for of_view in rows]
    Xs, omega = [X.copy() for X in Xs], np.full(n_views, 1 / n_views)
    Z, G = np.zeros((2, n_views, n, n))
    R, tubes, objective, change = np.zeros((n, n)), None, [], np.inf
    while len(objective) < max_iter and (change >= tol or len(objective) < AT_LEAST):
        for v, X in enumerate(Xs):
            right = X.T @ X + omega[v] * R + lambda2 * G[v]
            Z[v] = graph_of(ridge_solver(X, omega[v] + lambda2)(right))
        R = graph_of(np.tensordot(omega, Z, 1) / omega.sum())
        omega = 1 / (2 * (np.linalg.norm(Z - R, axis=(1, 2)) + EPS))
        if objective:
            L = hypergraph_laplacian(R, n_neighbors)
        else:
            L = laplacian(adaptive_neighbor_graph(R, FIRST_NEIGHBORS)).toarray()
        for X, Z_v, of_view, lacking in zip(Xs, Z, rows, missing, strict=True):
            X[:, lacking] = unit_samples(inferred(X, Z_v, L, of_view, lacking, lambda1).T).T
        G, tubes = low_tubal_rank(Z, n_clusters, tubes)
        errors = [np.linalg.norm(X - X @ Z_v) ** 2 for X, Z_v in zip(Xs, Z, strict=True)]
        objective.append(float(sum(errors)))
        change = relative_change(objective)
    return Solution({"R": R, "Z": Z, "G": G, "omega": omega, "X": Xs}, objective, change)


def graph_of(Z):
    """The nearest symmetric, non-negative matrix with a zero diagonal."""
    Z = np.maximum((Z + Z.T) / 2, 0.0)
    np.fill_diagonal(Z, 0.0)
    return Z


def inferred(X, Z, L, present, missing, lambda1):
    """The columns of the missing samples that minimise ||X - X Z||^2 + lambda1 tr(X L X')."""
    M = np.eye(len(Z)) - Z
    M = M @ M.T + lambda1 * L
    of_missing = M[np.ix_(missing, missing)]
    of_missing.flat[:: len(missing) + 1] += RIDGE * np.trace(M) / len(M) + TINY
    return -np.linalg.solve(of_missing, (X[:, present] @ M[np.ix_(present, missing)]).T).T


def hypergraph_laplacian(R, n_neighbors):
    """Normalised Laplacian of the hypergraph whose edges join a row to its nearest neighbours.

    R, whose rows these are, and the result have shape (n, n).
    """
    n = len(R)
    H = np.eye(n)  # vertices x edges
    if n > 1:
        indices, squared = nearest_neighbors(R, min(n_neighbors, n - 1))
        width = np.sqrt(squared).mean() ** 2
        H[indices, np.arange(n)[:, None]] = np.exp(-squared / max(width, TINY))
    H /= np.sqrt((H**2).sum(axis=1))[:, None]
    return np.eye(n) - (H / (H > 0).sum(axis=0)) @ H.T


class HCPIMSC(SimilarityClusterer):
    """High-order correlation preserved incomplete multi-view subspace clustering (HCP-IMSC).

    Every view represents its samples by each other, near a consensus and near a tensor of low
    tubal rank; missing instances are inferred from the representations and from a hypergraph [1]_.
    The Fourier transform goes along the views: the order of the samples plays no part, that of
    four or more views does.

    Steps were read off the released code (github.com/guanyuezhen/HCP-IMSC, commit 3515ea6), except
    that the weights of a hyperedge are those of its own distances: the code picks distances by the
    number of the vertex.

    Parameters
    ----------
    n_clusters : int
        Number of clusters, and tubal rank of the tensor.
    lambda1 : float, default=1.0
        Weight of the hypergraph. The authors choose both weights between 0.001 and 50.
    lambda2 : float, default=1.0
        Weight of the tensor, above 0.
    n_neighbors : int, default=10
        Neighbours of a sample in its hyperedge.
    n_init : int, default=20
        Number of k-means starts.
    max_iter : int, default=20
        Most iterations.
    tol : float, default=1e-4
        Relative change of the errors of the representations that ends the run.
    random_state : int, RandomState, Generator or None, default=None
        Drives k-means; all else is deterministic.

    Attributes
    ----------
    labels_ : ndarray of int of shape (n_samples,)
    embedding_ : ndarray of shape (n_samples, n_clusters)
        The rows that k-means clusters.
    similarity_ : ndarray of shape (n_samples, n_samples)
        The consensus R.
    objective_ : ndarray of shape (n_iter_,)
        Errors of the representations after each iteration; they may rise.
    n_iter_ : int

    References
    ----------
    .. [1] Z. Li, C. Tang, X. Zheng, X. Liu, W. Zhang and E. Zhu, "High-Order Correlation Preserved
       Incomplete Multi-View Subspace Clustering", IEEE Transactions on Image Processing 31, 2022,
       doi:10.1109/TIP.2022.3147046.

    Examples
    --------
    >>> import numpy as np
    >>> from mvclust import HCPIMSC
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 10)
    >>> X1, X2 = 4 * np.eye(2)[y] + rng.random((20, 2)), 3 * np.eye(2)[y] + rng.random((20, 2))
    >>> X1[:3] = np.nan  # three instances are missing in the first view
    >>> labels = HCPIMSC(2, random_state=0).fit_predict([X1, X2])
    >>> bool((labels[:10] == labels[0]).all() and (labels[10:] == 1 - labels[0]).all())
    True
    """

    view_tags = ViewTags()
    _parameter_constraints = (
        SimilarityClusterer._parameter_constraints
        | RUN_PARAMETERS
        | {
            "lambda1": NONNEGATIVE,
            "lambda2": POSITIVE,
            "n_neighbors": COUNT,
        }
    )

    def __init__(
        self,
        n_clusters,
        *,
        lambda1=1.0,
        lambda2=1.0,
        n_neighbors=10,
        n_init=20,
        max_iter=20,
        tol=1e-4,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.lambda1 = lambda1
        self.lambda2 = lambda2
        self.n_neighbors = n_neighbors
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _learn(self, Xs, presence):
        views, rows = unit_columns(self, Xs, presence)
        options = options_of(self, "lambda1", "lambda2", "n_neighbors", "max_iter", "tol")
        factors, objective, change = hcpimsc(views, rows, self.n_clusters, **options)
        return factors["R"], objective, change
