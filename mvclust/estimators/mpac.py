"""Multiple partitions aligned clustering (Kang et al., IJCAI 2019)."""

from numbers import Real

import numpy as np
from scipy.linalg import cho_factor, cho_solve, cholesky, solve_triangular

from mvclust.estimators.base import (
    MultiViewClusterer,
    Solution,
    ViewTags,
    check_start,
    warn_if_fewer,
    warn_not_converged,
)
from mvclust.estimators.constraints import COUNT, NONNEGATIVE, POSITIVE, Interval, StrOptions
from mvclust.numerics.anchors import completed_polar
from mvclust.numerics.distances import squared_row_norms
from mvclust.numerics.eigen import canonical_basis, laplacian_eigenvectors, pivoted_rows
from mvclust.numerics.graphs import adaptive_neighbor_graph
from mvclust.numerics.scaling import scale_views
from mvclust.numerics.stiefel import minimize_quadratic, nearest_orthonormal

MIN_ITER = 5  # sweeps before unchanged labels may end a run, as in the released code
GUARD = 1e-12  # floor of q, which is 0 if every sample is a cluster of its own

# Whether the F, Y and w steps know the rotations R; whether L belongs to (S + S')/2 instead of
# S; whether S is solved under diag(S) = 0 instead of its diagonal being cleared afterwards;
# whether the search for F scales its steps, so that its iterates are not those of the authors.
VARIANTS = {
    "author": {"rotate": False, "symmetric": False, "constrained": False, "scaled": False},
    "paper": {"rotate": True, "symmetric": False, "constrained": False, "scaled": False},
    "exact": {"rotate": True, "symmetric": True, "constrained": True, "scaled": True},
}


def mpac(
    Xs,
    F,
    R,
    *,
    alpha,
    beta,
    gamma,
    rotate,
    symmetric,
    constrained,
    scaled,
    max_iter,
    tol,
    max_inner,
    inner_tol,
) -> Solution:
    """Minimise Eq. (6) by turns over the graphs S, partitions F, rotations R, weights w and Y.

    Parameters
    ----------
    Xs : list of ndarray, each of shape (n_samples, n_features_v)
    F : list of ndarray, each of shape (n_samples, n_clusters)
        Partitions to start from, with orthonormal columns.
    R : list of ndarray, each of shape (n_clusters, n_clusters)
        Rotations to start from; they also give the first Y.
    alpha, beta, gamma : float
        Weights of the size of S, of the smoothness of F on S and of the alignment of F R with Y.
    rotate, symmetric, constrained, scaled : bool
        What the variants differ in, see `VARIANTS`.
    max_iter : int
        Most sweeps.
    tol : float
        Share of labels that may change in the sweep that ends the run.
    max_inner : int
        Most iterations of the search for each F.
    inner_tol : float
        Change of F, and norm of the gradient, that end the search.

    Returns
    -------
    Solution
        labels, F and R (lists with one array per view), w, P = sum of F_v R_v / w_v, graphs
        (`LearnedGraph`), and reported: Eq. (6) as the released code prints it, with the L that the
        variant uses; Eq. (6) after each sweep, with tr(F'LF) = sum of |F_i - F_j|^2 s_ij / 2; the
        share of labels that changed in the last sweep.
    """
    n_samples, n_clusters = F[0].shape
    views = [SelfExpression(X, alpha, beta) for X in Xs]
    F, R = list(F), list(R)
    w = np.full(len(Xs), 1 / len(Xs))
    P = _consensus(F, R, w)
    labels = np.argmax(P, axis=1)
    objective, reported, change = [], [], 1.0
    while len(objective) < max_iter and (change > tol or len(objective) < MIN_ITER):
        Y = np.eye(n_clusters)[labels]
        graphs, q, total, gap = [], np.empty(len(Xs)), 0.0, 0.0
        for v, view in enumerate(views):
            graph = LearnedGraph(view, F[v], symmetric, constrained)
            pull = gamma / (w[v] * beta)
            F[v], _ = minimize_quadratic(
                F[v],
                graph.laplacian_times,
                pull * Y @ R[v].T,
                curvature=graph.curvature if scaled else 0.0,
                constant=pull * (n_samples + n_clusters),
                max_iter=max_inner,
                xtol=inner_tol,
                gtol=inner_tol,
                ftol=1e-3 * inner_tol,
            )
            agreement = (
                F[v].T @ Y
            )  # Lemma 1; where it is null, the authors' codes leave it to LAPACK
            guide = R[v] if scaled else np.zeros_like(R[v])
            rotation = completed_polar(agreement, guide)
            q[v] = max(np.linalg.norm(Y - F[v] @ rotation), GUARD)
            if rotate:
                R[v] = rotation
            graphs.append(graph)
            total += graph.misfit + beta * np.vdot(F[v], graph.laplacian_times(F[v]))
            gap += beta * np.vdot(graph.asymmetry, squared_row_norms(F[v]))
            del graph.laplacian_times  # it may hold an n x n matrix
        w = q / q.sum()  # Eq. (18)
        P, previous = _consensus(F, R, w), labels
        labels = np.argmax(P, axis=1)  # Eq. (15)
        change = float(np.mean(labels != previous))
        Y = np.eye(n_clusters)[labels]
        for F_v, R_v, w_v in zip(F, R, w, strict=True):
            total += gamma / w_v * np.linalg.norm(Y - F_v @ R_v) ** 2
        reported.append(float(total))
        objective.append(float(total + gap))
    factors = {"labels": labels, "F": F, "R": R, "w": w, "P": P, "graphs": graphs}
    return Solution(factors | {"reported": reported}, objective, change)


class SelfExpression:
    """What the S steps of one view share: T = (alpha I + K)^-1 K with K = X X'.

    T is kept as a product W W' if X, of shape (n_samples, n_features), has few features
    (push-through identity), else as it is.
    """

    def __init__(self, X, alpha, beta):
        self.alpha, self.beta = alpha, beta
        n, d = X.shape
        self.norms = squared_row_norms(X)
        self.W = self.T = None
        if 4 * d < n:
            A = X.T @ X
            A.flat[:: d + 1] += alpha
            half = cholesky(A, lower=True, overwrite_a=True, check_finite=False)
            half = solve_triangular(half, X.T, lower=True, check_finite=False)
            self.W = np.ascontiguousarray(half.T)
            self.diagonal = squared_row_norms(self.W)
        else:
            K = X @ X.T
            A = K.copy()
            A.flat[:: n + 1] += alpha
            # A.T is A in the order of columns that LAPACK overwrites without a copy, K.T is K
            factor = cho_factor(A.T, lower=True, overwrite_a=True, check_finite=False)
            self.T = cho_solve(factor, K.T, overwrite_b=True, check_finite=False)
            self.diagonal = self.T.diagonal().copy()
        # <K, T>, since K T = K - alpha T
        self.explained = self.norms.sum() - alpha * self.diagonal.sum()

    def smooth(self, A):
        """T A."""
        return self.T @ A if self.W is None else self.W @ (self.W.T @ A)


class LearnedGraph:
    """The graph S of one view for given F, Eq. (9), and products with its Laplacian.

    With B = (alpha I + K)^-1 = (I - T) / alpha, Eq. (9) is S = T - beta/4 B H. As
    H_ij = |F_i - F_j|^2 = f_i + f_j - 2 F_i F_j' has rank n_clusters + 2, so has beta/4 B H =
    `left right'`: no product of n x n matrices is needed, and if T is kept as a product none is
    even formed. The diagonal is then either cleared, S - diag(c), or made zero by the multipliers
    of the constraint, S - (I - T) diag(c).

    `view` is a `SelfExpression`, F has shape (n_samples, n_clusters), and `VARIANTS` says what
    `symmetric` and `constrained` are. The attribute `misfit` is |X' - X' S|^2 + alpha |S|^2;
    `laplacian_times` computes L F of F; `asymmetry` (n_samples,) adds to the degrees in L what
    makes them those of (S + S')/2; `curvature` is the mean eigenvalue of L less that within the
    span of F.
    """

    def __init__(self, view, F, symmetric, constrained):
        self.view, self.symmetric, self.constrained = view, symmetric, constrained
        n = len(F)
        share = view.beta / 4
        f, one = squared_row_norms(F), np.ones(n)
        basis, self.right = np.column_stack([f, one, -2 * F]), np.column_stack([one, f, F])
        smoothed = view.smooth(basis)
        self.left = share / view.alpha * (basis - smoothed)
        self.c = view.diagonal - np.einsum("ij,ij->i", self.left, self.right)
        if constrained:
            self.c /= np.maximum(1 - view.diagonal, 1e-15)
            taken = view.alpha * np.vdot(self.c, view.diagonal)
        else:
            taken = np.vdot(self.c**2, view.alpha + view.norms)
        if view.W is None:
            S = self.dense()
            rows, columns, FSF = S.sum(axis=1), S.sum(axis=0), np.vdot(F, S @ F)
        else:
            right, left = self._both_products(np.column_stack([F, one]))
            rows, columns, FSF = right[:, -1], left[:, -1], np.vdot(F, right[:, :-1])
        HS = np.vdot(f, rows + columns) - 2 * FSF
        KT = view.explained - share * np.vdot(smoothed, self.right)
        self.misfit = float(view.norms.sum() - KT - share * HS + taken)
        self.degrees = (rows + columns) / 2 if symmetric else columns
        self.asymmetry = (rows + columns) / 2 - self.degrees
        self.curvature = self.degrees.mean() - (np.vdot(f, self.degrees) - FSF) / F.shape[1]
        if view.W is None:
            if symmetric:
                S += S.T
                S *= 0.5
            L = np.negative(S, out=S)
            L.flat[:: n + 1] += self.degrees
            self.laplacian_times = L.dot
        else:
            self.laplacian_times = self._laplacian_times

    def dense(self):
        """S, (n_samples, n_samples)."""
        T = self.view.T if self.view.W is None else self.view.W @ self.view.W.T
        S = T - self.left @ self.right.T
        if self.constrained:
            S += T * self.c
            S.flat[:: len(S) + 1] -= self.c
        np.fill_diagonal(S, 0.0)  # up to rounding it is
        return S

    def _laplacian_times(self, A):
        right, left = self._both_products(A)
        if self.symmetric:
            right += left
            right /= 2
        return self.degrees[:, None] * A - right

    def _both_products(self, A):
        """S A and S' A."""
        k, c = A.shape[1], self.c[:, None]
        if self.constrained:
            cA = c * A
            TA = self.view.smooth(np.column_stack([A, cA]))
            TA, TcA = TA[:, :k], TA[:, k:]
            right, left = TA - cA + TcA, TA - cA + c * TA
        else:
            right = self.view.smooth(A) - c * A
            left = right.copy()
        right -= self.left @ (self.right.T @ A)
        left -= self.right @ (self.left.T @ A)
        return right, left


def start_from_graphs(Xs, n_clusters, n_neighbors):
    """Start each view from the smallest Laplacian eigenvectors of its adaptive-neighbour graph.

    Returns a list of arrays of shape (n_samples, n_clusters).
    """
    graphs = [adaptive_neighbor_graph(X, n_neighbors) for X in Xs]
    return [laplacian_eigenvectors(W, n_clusters)[1] for W in graphs]


def align_partitions(F):
    """Rotations that bring the partitions F_v of all views near to one indicator matrix.

    The principal directions of all partitions together are rotated so that as many distinct samples
    as clusters, found by pivoted QR, become unit vectors; the largest entries of the rows are the
    indicators. This does not depend on signs or rotations of the F_v.

    See A. Damle, V. Minden, L. Ying, "Simple, direct and efficient multi-way spectral clustering",
    Information and Inference 8, 2019.
    """
    n_clusters = F[0].shape[1]
    left, sigma, _ = np.linalg.svd(np.hstack(F), full_matrices=False)
    together = canonical_basis(sigma, left, n_clusters)
    pivots, _ = pivoted_rows(together, n_clusters)
    rotated = together @ nearest_orthonormal(together[pivots].T)
    Y = np.eye(n_clusters)[np.argmax(rotated, axis=1)]
    return [completed_polar(F_v.T @ Y, np.eye(n_clusters)) for F_v in F]


def _consensus(F, R, w):
    return sum(F_v @ R_v / w_v for F_v, R_v, w_v in zip(F, R, w, strict=True))


class MPAC(MultiViewClusterer):
    """Multiple partitions aligned clustering, for complete views.

    Every view learns a graph S by self-expression and a partition F from it; the partitions are
    rotated to one indicator matrix Y, which is the result: no k-means is run [1]_.

    Parameters
    ----------
    n_clusters : int
        Number of clusters, and of columns of F and Y.
    alpha : float, default=10.0
        Weight of the squared entries of S. The authors try 10, 20, 30.
    beta : float, default=0.01
        Weight of tr(F'LF); the authors try 0.001, 0.01, 0.1.
    gamma : float, default=1e-5
        Weight of the alignment with Y; the authors try 1e-6, 1e-5, 1e-4.
    variant : {"exact", "paper", "author"}, default="exact"
        "author" is the released code: it never stores the rotations (R = I but in the weights),
        clears the diagonal of S after an unconstrained solution, takes D - S of the
        non-symmetric S as the Laplacian and starts all views from the graph of the last one.
        "paper" stores the rotations and starts each view from its own graph. "exact" also
        minimises Eq. (6) as it stands: diag(S) = 0 is a constraint of the S step and the
        Laplacian that of (S + S')/2, for which tr(F'LF) = sum of |F_i - F_j|^2 s_ij / 2 holds.
        Only then does Eq. (6) never rise, and S keep its weight: on BBCSport clearing the diagonal
        leaves Eq. (6) at 44,088 instead of 1,190. Over the authors' grid the best F-score there is
        0.68 (exact), 0.40 (paper) and 0.60 (author). The search for F of "exact" enlarges the
        steps along rotations of F, and needs half as many steps as that of the authors.
    scale : {"view_range", None}, default="view_range"
        "view_range" maps every view to [-1, 1] by its smallest and largest value.
    init : "graph" or dict, default="graph"
        "graph" takes the smallest Laplacian eigenvectors of adaptive-neighbour graphs for F.
        Variant "exact" aligns them at once by rotations that do not depend on their signs; the
        others start from R = I, where the signs matter (the largest entry of an eigenvector is
        made positive). The result stays near the start: on Handwritten the F-score of "exact" is
        0.92, 0.93 before the first sweep, and 0.62 from R = I. A dict gives F (a list with one
        (n_samples, n_clusters) array per view, orthonormal columns) and may give R; without R it
        is I.
    n_neighbors : int, default=5
        Neighbours in the graphs of the start.
    max_iter : int, default=100
        Most sweeps over the views.
    tol : float, default=0.0
        Share of labels that may change in the sweep that ends the run, the fifth at the earliest.
    max_inner : int, default=1000
        Most iterations of the search for an F.
    inner_tol : float, default=1e-5
        Change of F, and norm of the gradient, that end the search for an F.
    random_state : int, RandomState, Generator or None, default=None
        Nothing is random here; it is accepted as in the other estimators.

    Attributes
    ----------
    labels_ : ndarray of int of shape (n_samples,)
    embedding_ : ndarray of shape (n_samples, n_clusters)
        `P_`: the largest entries of the rows are the labels.
    F_ : list of ndarray, each of shape (n_samples, n_clusters)
        Partitions of the views; orthonormal columns.
    R_ : list of ndarray, each of shape (n_clusters, n_clusters)
        Rotations of the partitions.
    w_ : ndarray of shape (n_views,)
        View weights; a view weighs 1 / w_ in Y.
    P_ : ndarray of shape (n_samples, n_clusters)
        Sum of F_v R_v / w_v; `labels_` are the largest entries of its rows.
    S_ : list of ndarray, each of shape (n_samples, n_samples)
        Learned graphs, formed when asked for.
    objective_ : ndarray of shape (n_iter_,)
        Eq. (6) after each sweep.
    n_iter_ : int

    References
    ----------
    .. [1] Z. Kang et al., "Multiple Partitions Aligned Clustering", IJCAI 2019.

    Examples
    --------
    >>> import numpy as np
    >>> from mvclust import MPAC
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 10)
    >>> X1, X2 = 4 * np.eye(2)[y] + rng.random((20, 2)), 3 * np.eye(2)[y] + rng.random((20, 2))
    >>> labels = MPAC(2).fit_predict([X1, X2])
    >>> bool((labels[:10] == labels[0]).all() and (labels[10:] == 1 - labels[0]).all())
    True
    """

    view_tags = ViewTags(incomplete=False)
    deterministic = True  # equal views give equal labels, whatever random_state is
    _parameter_constraints = MultiViewClusterer._parameter_constraints | {
        "alpha": POSITIVE,
        "beta": POSITIVE,
        "gamma": NONNEGATIVE,
        "variant": [StrOptions(set(VARIANTS))],
        "scale": [StrOptions({"view_range"}), None],
        "init": [StrOptions({"graph"}), dict],
        "n_neighbors": COUNT,
        "max_iter": COUNT,
        "tol": [Interval(Real, 0, 1, closed="left")],
        "max_inner": COUNT,
        "inner_tol": NONNEGATIVE,
    }

    def __init__(
        self,
        n_clusters,
        *,
        alpha=10.0,
        beta=0.01,
        gamma=1e-5,
        variant="exact",
        scale="view_range",
        init="graph",
        n_neighbors=5,
        max_iter=100,
        tol=0.0,
        max_inner=1000,
        inner_tol=1e-5,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.alpha = alpha
        self.beta = beta
        self.gamma = gamma
        self.variant = variant
        self.scale = scale
        self.init = init
        self.n_neighbors = n_neighbors
        self.max_iter = max_iter
        self.tol = tol
        self.max_inner = max_inner
        self.inner_tol = inner_tol
        self.random_state = random_state

    def fit(self, Xs, y=None):
        """Cluster the samples.

        Parameters
        ----------
        Xs : list of array-like, each of shape (n_samples, n_features_v)
            The views, without missing instances.
        y : ignored

        Returns
        -------
        self
        """
        Xs, presence = self.check_input(Xs)
        Xs = scale_views(Xs, presence, self.scale)
        F, R = self._start(Xs)
        factors, objective, change = mpac(
            Xs,
            F,
            R,
            alpha=self.alpha,
            beta=self.beta,
            gamma=self.gamma,
            **VARIANTS[self.variant],
            max_iter=self.max_iter,
            tol=self.tol,
            max_inner=self.max_inner,
            inner_tol=self.inner_tol,
        )
        self.F_, self.R_, self.w_, self.P_ = (factors[name] for name in "FRwP")
        self.embedding_ = self.P_
        self.labels_, self._graphs = factors["labels"], factors["graphs"]
        self.objective_ = np.array(objective)
        self.n_iter_ = len(objective)
        if change > self.tol:
            warn_not_converged("MPAC", self.max_iter, self.tol)
        warn_if_fewer(self.labels_, self.n_clusters)
        return self

    @property
    def S_(self):
        """Learned graphs, a list of (n_samples, n_samples) arrays, formed anew at each call."""
        return [graph.dense() for graph in self._graphs]

    def _start(self, Xs):
        identity = [np.eye(self.n_clusters)] * len(Xs)
        if isinstance(self.init, dict):
            shapes = {"F": [(len(Xs[0]), self.n_clusters)] * len(Xs)}
            if "R" in self.init:
                shapes["R"] = [(self.n_clusters, self.n_clusters)] * len(Xs)
            start = check_start(self.init, shapes, "MPAC")
            return start["F"], start.get("R", identity)
        if self.variant == "author":
            return start_from_graphs(Xs[-1:], self.n_clusters, self.n_neighbors) * len(Xs), identity
        F = start_from_graphs(Xs, self.n_clusters, self.n_neighbors)
        return F, align_partitions(F) if self.variant == "exact" else identity
