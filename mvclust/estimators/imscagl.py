"""Incomplete spectral clustering with adaptive graph learning, IMSC-AGL (Wen et al., TCYB 2020)."""

import numpy as np
from scipy import linalg

from mvclust.estimators.base import Solution, ViewTags
from mvclust.estimators.constraints import COUNT, NONNEGATIVE
from mvclust.estimators.tensor_steps import (
    RUN_PARAMETERS,
    EmbeddingClusterer,
    options_of,
    presence_graph,
    ridge_solver,
    rows_on_simplex,
    soft_threshold,
    unit_columns,
)
from mvclust.numerics.eigen import canonical_basis
from mvclust.numerics.graphs import laplacian
from mvclust.numerics.neighborhoods import symmetric_squared_distances
from mvclust.numerics.scaling import unit_samples

MU, FACTOR, MU_MOST = 0.01, 1.1, 1e8  # schedule of the released code
AT_LEAST = 3  # iterations before a small change may end a run, as in the released code
ZERO = 1e-6  # eigenvalues of a Laplacian up to which its eigenvectors are left out at the start


def imscagl(Xs, rows, Ws, n, k, *, lambda1, lambda2, lambda3, max_iter, tol) -> Solution:
    """Minimise sum_v ||Z_v||_* + lambda1 tr(F_v'L_v F_v) + lambda2 ||E_v||_1 + lambda3 d(U, F_v).

    Subject to X_v = X_v Z_v + E_v over the samples of a view. Rows of Z_v lie on the simplex, its
    diagonal is zero, and L_v is the Laplacian of (Z_v + Z_v') / 2; d(U, F) = k - tr(UU'FF'), and U
    and F_v have k orthonormal columns. By the augmented Lagrangian, with S_v and W_v in place of
    Z_v in the first two terms.

    The columns of the X_v, of shape (n_features_v, n_v), are the present samples alone; `rows` say
    where these are among all n samples, in arrays of shape (n_v,). The Ws of shape (n_v, n_v) are
    the start, and k is the number of clusters. The run ends after max_iter iterations, or when the
    objective changes by less than tol.

    Returns U (n, k); F, Z, S, W and E (lists with one array per view); the objective at S, F and E
    after each iteration; its last change.
    """
    S, W = list(Ws), list(Ws)
    F = [first_vectors(W_v, of_view, n, k) for W_v, of_view in zip(W, rows, strict=True)]
    E, C1 = ([np.zeros_like(X) for X in Xs] for _ in range(2))
    C2, C3 = ([np.zeros_like(W_v) for W_v in W] for _ in range(2))
    Z, solve = list(Ws), [ridge_solver(X, 2.0) for X in Xs]
    mu, objective, change = MU, [], np.inf
    while len(objective) < max_iter and (change >= tol or len(objective) < AT_LEAST):
        U, value = consensus(F, k), 0.0
        agreement = lambda3 * (U @ U.T)
        for v, (X, of_view) in enumerate(zip(Xs, rows, strict=True)):
            right = X.T @ (X - E[v] + C1[v] / mu) + S[v] - C2[v] / mu + W[v] - C3[v] / mu
            Z[v] = solve[v](right)
            Q = symmetric_squared_distances(F[v][of_view])
            W[v] = rows_on_simplex(Z[v] + C3[v] / mu - lambda1 / (2 * mu) * Q)
            S[v], nuclear = shrink_singular(Z[v] + C2[v] / mu, 1 / mu)
            L = laplacian((W[v] + W[v].T) / 2)
            M = agreement.copy()
            M[np.ix_(of_view, of_view)] -= lambda1 * L
            F[v] = leading_vectors(M, k)
            left = X - X @ Z[v]
            E[v] = soft_threshold(left + C1[v] / mu, lambda2 / mu)
            C1[v] += mu * (left - E[v])
            C2[v] += mu * (Z[v] - S[v])
            C3[v] += mu * (Z[v] - W[v])
            smooth = np.vdot(F[v][of_view], L @ F[v][of_view])
            value += nuclear + lambda1 * smooth + lambda2 * np.abs(E[v]).sum()
            value += lambda3 * (k - ((U.T @ F[v]) ** 2).sum())
        objective.append(float(value))
        change = abs(objective[-1] - objective[-2]) if len(objective) > 1 else np.inf
        mu = min(FACTOR * mu, MU_MOST)
    factors = {"U": consensus(F, k), "F": F, "Z": Z, "S": S, "W": W, "E": E}
    return Solution(factors, objective, change)


def leading_vectors(M, k):
    """Eigenvectors of the k largest eigenvalues of a symmetric matrix."""
    return linalg.eigh(M, subset_by_index=[len(M) - k, len(M) - 1], check_finite=False)[1]


def consensus(F, k):
    """The k leading eigenvectors U of sum_v F_v F_v'."""
    vectors, values, _ = np.linalg.svd(np.hstack(F), full_matrices=False)
    return canonical_basis(values, vectors, k)


def first_vectors(W, rows, n, k):
    """Eigenvectors of the smallest eigenvalues above zero of the Laplacian, among all samples."""
    values, vectors = np.linalg.eigh(laplacian(W))
    first = min(int((values <= ZERO).sum()), max(len(values) - k, 0))
    values, vectors = values[first:], vectors[:, first:]
    F = np.zeros((n, k))
    kept = min(k, len(values))
    F[np.ix_(rows, np.arange(kept))] = canonical_basis(values, vectors, kept)
    return F


def shrink_singular(A, tau):
    """The proximal map of tau times the nuclear norm, and that norm of the result."""
    left, values, right = np.linalg.svd(A, full_matrices=False)
    kept = np.maximum(values - tau, 0.0)
    return (left * kept) @ right, float(kept.sum())


class IMSCAGL(EmbeddingClusterer):
    """Incomplete multi-view spectral clustering with adaptive graph learning (IMSC-AGL).

    The samples of each view represent each other by a matrix of low rank, which is the graph of
    that view; the eigenvectors of all graphs agree on a consensus [1]_. k-means on its rows, as
    directions, gives the labels. Steps were read off the released code
    (github.com/ckghostwj/Incomplete-Multiview-Spectral-Clustering-with-Adaptive-Graph-Learning,
    commit 04c808a).

    Parameters
    ----------
    n_clusters : int
        Number of clusters.
    lambda1 : float, default=0.01
        Weight of the smoothness of the eigenvectors on the graphs, as in the released demo.
    lambda2 : float, default=1000.0
        Weight of the errors. The released demo has 1e5.
    lambda3 : float, default=0.1
        Weight of the agreement, as in the released demo.
    n_neighbors : int, default=3
        Neighbours of a sample in the graphs to start from, as in the released demo.
    n_init : int, default=20
        Number of k-means starts.
    max_iter : int, default=100
        Most iterations.
    tol : float, default=1e-7
        Change of the objective that ends the run; the schedule of the released code rarely reaches
        it within 100 iterations.
    random_state : int, RandomState, Generator or None, default=None
        Drives k-means; all else is deterministic.

    Attributes
    ----------
    labels_ : ndarray of int of shape (n_samples,)
    embedding_ : ndarray of shape (n_samples, n_clusters)
        The rows of U, of unit length.
    U_ : ndarray of shape (n_samples, n_clusters)
        Orthonormal columns.
    objective_ : ndarray of shape (n_iter_,)
        After each iteration; it may rise while the constraints are not met.
    n_iter_ : int

    References
    ----------
    .. [1] J. Wen, Y. Xu and H. Liu, "Incomplete Multiview Spectral Clustering With Adaptive Graph
       Learning", IEEE Transactions on Cybernetics 50, 2020, doi:10.1109/TCYB.2018.2884715.

    Examples
    --------
    >>> import numpy as np
    >>> from mvclust import IMSCAGL
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 10)
    >>> X1, X2 = 4 * np.eye(2)[y] + rng.random((20, 2)), 3 * np.eye(2)[y] + rng.random((20, 2))
    >>> X1[:3] = np.nan  # three instances are missing in the first view
    >>> labels = IMSCAGL(2, random_state=0).fit_predict([X1, X2])
    >>> bool((labels[:10] == labels[0]).all() and (labels[10:] == 1 - labels[0]).all())
    True
    """

    view_tags = ViewTags()
    _parameter_constraints = (
        EmbeddingClusterer._parameter_constraints
        | RUN_PARAMETERS
        | {
            "lambda1": NONNEGATIVE,
            "lambda2": NONNEGATIVE,
            "lambda3": NONNEGATIVE,
            "n_neighbors": COUNT,
        }
    )

    def __init__(
        self,
        n_clusters,
        *,
        lambda1=0.01,
        lambda2=1000.0,
        lambda3=0.1,
        n_neighbors=3,
        n_init=20,
        max_iter=100,
        tol=1e-7,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.lambda1 = lambda1
        self.lambda2 = lambda2
        self.lambda3 = lambda3
        self.n_neighbors = n_neighbors
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _embed(self, Xs, presence):
        views, rows = unit_columns(self, Xs, presence)
        views = [X[:, of_view] for X, of_view in zip(views, rows, strict=True)]
        start = [presence_graph(X, np.arange(X.shape[1]), self.n_neighbors) for X in views]
        options = options_of(self, "lambda1", "lambda2", "lambda3", "max_iter", "tol")
        solution = imscagl(views, rows, start, len(presence), self.n_clusters, **options)
        self.U_ = solution.factors["U"]
        return unit_samples(self.U_), solution.objective, solution.stop
