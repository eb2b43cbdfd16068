"""Localized sparse incomplete multi-view clustering (Liu et al., TMM 2023)."""

from numbers import Real

import numpy as np
from scipy import linalg, sparse

from mvclust.estimators.base import (
    MultiViewClusterer,
    Solution,
    ViewTags,
    check_start,
    draw_seeds,
    labels_and_centers,
    relative_change,
    warn_not_converged,
)
from mvclust.estimators.constraints import COUNT, NONNEGATIVE, Interval, StrOptions
from mvclust.estimators.new_samples import FoldInMixin
from mvclust.numerics.blocks import row_blocks
from mvclust.numerics.distances import (
    centred,
    squared_distances,
    squared_norm,
    squared_row_norms,
)
from mvclust.numerics.graphs import nearest_known, nearest_neighbors
from mvclust.numerics.scaling import ViewScaler, unit_samples
from mvclust.numerics.stiefel import nearest_orthonormal
from mvclust.numerics.view_weights import view_weights

TINY = float(np.finfo(np.float64).tiny)
MOST = 3000  # samples whose mean distance is the width of the kernel
BLOCK = 2**18  # distances worked on at a time
LEAST = 1e-8  # of the weight of a row of C, as in the released code


def lsimvc(Xs, rows, Ws, P, n, *, lam, beta, r, max_iter, tol) -> Solution:
    """Minimise sum_v alpha_v^r (||X_v - P_v U_v'||^2 + lam G_v(C, P_v) + beta ||P_v||_1).

    Subject to U_v'U_v = I and sum(alpha) = 1; G_v(C, P) = sum_ij W_ij ||c_i - p_j||^2 joins the
    common code c of a sample to the codes p of its neighbours in view v, and to its own.

    Parameters
    ----------
    Xs : list of ndarray, each of shape (n_v, n_features_v)
        The views, present samples alone; at least as many features as columns of P_v.
    rows : list of ndarray of int, each of shape (n_v,)
        Where these samples are among all.
    Ws : list of csr_array, each of shape (n_v, n_v), symmetric
        Graphs of the views.
    P : list of ndarray, each of shape (n_v, n_clusters)
        Codes to start from.
    n : int
        Number of all samples.
    lam, beta : float
    r : float, above 1
    max_iter : int
        Most iterations.
    tol : float
        Relative change of the objective that ends the run.

    Returns
    -------
    Solution
        C (n, n_clusters); U and P (lists with one array per view); alpha and errors (n_views,), the
        weights of the views and what they weigh; the objective after each iteration; its last
        relative change.
    """
    weights, degrees = np.ones(len(Xs)), [np.asarray(W.sum(axis=0)).ravel() for W in Ws]
    norms = [squared_norm(X) for X in Xs]
    P, objective, change = list(P), [], np.inf
    U, errors = [None] * len(Xs), np.empty(len(Xs))
    while len(objective) < max_iter and change >= tol:
        C = consensus(P, Ws, degrees, rows, weights, n)
        for v, (X, W, degree) in enumerate(zip(Xs, Ws, degrees, strict=True)):
            U[v] = nearest_orthonormal(X.T @ P[v])
            C_v = C[rows[v]]
            XU, WC, curvature = X @ U[v], W @ C_v, 1 + lam * degree
            P[v] = soft_threshold((lam * WC + XU) / curvature[:, None], beta / (2 * curvature))
            joined = degree @ (squared_row_norms(C_v) + squared_row_norms(P[v]))
            errors[v] = norms[v] - 2 * np.vdot(XU, P[v]) + squared_norm(P[v])
            errors[v] += lam * (joined - 2 * np.vdot(WC, P[v])) + beta * np.abs(P[v]).sum()
        errors = np.maximum(errors, 0.0)  # a perfect fit may fall below by rounding
        alpha = view_weights(errors, r)
        weights = alpha**r
        objective.append(float(weights @ errors))
        change = relative_change(objective)
    factors = {"C": C, "U": U, "P": P, "alpha": alpha, "errors": errors}
    return Solution(factors, objective, change)


def consensus(P, Ws, degrees, rows, weights, n):
    """The best common codes C: weighted means of the codes of the neighbours in all views."""
    total, mass = np.zeros((n, P[0].shape[1])), np.zeros(n)
    for P_v, W, degree, of_view, weight in zip(P, Ws, degrees, rows, weights, strict=True):
        total[of_view] += weight * (W @ P_v)
        mass[of_view] += weight * degree
    return total / np.maximum(mass, LEAST)[:, None]


def soft_threshold(A, threshold):
    """Entries of every row of A moved towards zero by the threshold of the row."""
    return np.sign(A) * np.maximum(np.abs(A) - threshold[:, None], 0.0)


def heat_graph(X, n_neighbors, seed):
    """Nearest neighbours joined by exp(-d^2 / (2 t^2)), and every sample to itself by 1.

    X has shape (n, d); at most n - 1 neighbours are used. The seed draws the samples whose mean
    distance is t, if there are more than 3000. Returns W, a symmetric csr_array of shape (n, n),
    and t.
    """
    n, t = len(X), mean_distance(X, seed)
    n_neighbors = min(n_neighbors, n - 1)
    if n_neighbors == 0:
        return sparse.csr_array(sparse.eye_array(n)), t
    indices, squared = nearest_neighbors(X, n_neighbors)
    starts = np.arange(0, indices.size + 1, n_neighbors)
    heat = heat_of(squared, t).ravel()
    W = sparse.csr_array((heat, indices.ravel(), starts), shape=(n, n))
    return sparse.csr_array(W.maximum(W.T) + sparse.eye_array(n)), t


def heat_of(squared, t):
    """exp(-d^2 / (2 t^2)); 1 everywhere if t is zero."""
    return np.exp(-squared / (2 * t**2)) if t > 0 else np.ones_like(squared)


def mean_distance(X, seed):
    """Mean Euclidean distance of all pairs of rows, those of a row with itself among them."""
    if len(X) > MOST:
        X = X[np.sort(np.random.default_rng(seed).choice(len(X), MOST, replace=False))]
    (X,) = centred(X)
    norms, total = squared_row_norms(X), 0.0
    for rows in row_blocks(len(X), len(X), BLOCK):
        squared = squared_distances(X[rows], X, norms[rows], norms)
        np.fill_diagonal(squared[:, rows], 0.0)
        total += np.sqrt(squared).sum()
    return float(total / len(X) ** 2)


def short_rows(X, least):
    """X = S Q' with orthonormal Q, S not wider than X is long; with zero columns up to `least`.

    Returns, for X of shape (n, d), S of shape (n, max(least, min(n, d))), and Q of shape
    (d, min(n, d)), or None for the identity.
    """
    n, d = X.shape
    Q = None
    if d > n:
        Q, R = linalg.qr(X.T, mode="economic")
        X = R.T
    if X.shape[1] < least:
        X = np.pad(X, ((0, 0), (0, least - X.shape[1])))
    return np.ascontiguousarray(X), Q


def represent_new(views, presence, weights, *, lam, beta, max_iter=1000, tol=1e-10):
    """The best codes C of new samples, (n, k), with the factors and the codes of the others fixed.

    `views` has, for every view and the samples that have it: X U (n_v, k); the sums of the codes c
    and p of their fitted neighbours, times the weights of the edges, each (n_v, k); the sums of
    these weights (n_v,). `presence` has shape (n, n_views), and the weights (n_views,) are alpha^r.
    The steps end at `tol`, the largest move of an entry, relative to the largest entry.
    """
    C = np.zeros((len(presence), views[0][0].shape[1]))
    for _ in range(max_iter):
        total, mass = np.zeros_like(C), np.zeros(len(C))
        for (XU, c_near, p_near, degree), there, weight in zip(
            views, presence.T, weights, strict=True
        ):
            curvature = 1 + lam * (1 + degree)
            target = (lam * (C[there] + c_near) + XU) / curvature[:, None]
            p = soft_threshold(target, beta / (2 * curvature))
            total[there] += weight * (p + p_near)
            mass[there] += weight * (1 + degree)
        previous, C = C, total / np.maximum(mass, TINY)[:, None]
        if np.abs(C - previous).max() <= tol * np.abs(C).max():
            break
    return C


class LSIMVC(FoldInMixin, MultiViewClusterer):
    """Localized sparse incomplete multi-view clustering.

    Every view is factorised into an orthonormal basis and sparse codes of the samples that it has.
    A graph joins the common code of a sample to the codes of its neighbours in each view [1]_.
    k-means on the common codes, as directions, gives the labels.

    Steps equal those of the released code (github.com/justsmart/LSIMVC, `LSIMVC4.m` at commit
    dfac22a), whose step for a sparse C is commented out.

    Parameters
    ----------
    n_clusters : int
        Number of clusters, and of columns of C, U and P.
    lam : float, default=1.0
        Weight of the graphs. This and the next three are those of the demo of the released code.
    beta : float, default=0.01
        Weight of the sparsity of the codes of the views.
    r : float, default=2.0
        Exponent of the view weights, above 1. Views weigh the more alike the larger it is.
    n_neighbors : int, default=5
        Neighbours of a sample in the graph of a view.
    scale : {"sample_unit", "view_balanced", None}, default="sample_unit"
        Scaling of the views, see `mvclust.numerics.scaling.scale_views`; "sample_unit" as in the
        released code.
    init : "random" or dict, default="random"
        Orthonormal bases to start from. A dict gives U, a list with one (n_features_v, n_clusters)
        array per view.
    n_init : int, default=10
        Number of k-means starts for the labels.
    max_iter : int, default=300
        Most iterations.
    tol : float, default=1e-4
        Relative change of the objective that ends the run. The released code takes 100 iterations,
        unless the change itself falls below 1e-6.
    random_state : int, RandomState, Generator or None, default=None
        For the start, for the samples whose mean distance is the width of the graphs where a view
        has more than 3000, and for k-means.

    Attributes
    ----------
    labels_ : ndarray of int of shape (n_samples,)
    embedding_ : ndarray of shape (n_samples, n_clusters)
        The rows that k-means clusters: those of `C_`, of unit length.
    cluster_centers_ : ndarray of shape (n_clusters, n_clusters)
        Means of the clusters in `embedding_`.
    C_ : ndarray of shape (n_samples, n_clusters)
        Common codes.
    U_ : list of ndarray, each of shape (n_features_v, n_clusters)
        Bases. Their columns are orthonormal; in a view with fewer features than clusters, they
        would be with zero features added.
    P_ : list of ndarray, each of shape (n_samples, n_clusters)
        Codes of the views; zero where a sample lacks the view.
    alpha_ : ndarray of shape (n_views,)
        View weights; they sum to 1.
    objective_ : ndarray of shape (n_iter_,)
        After each iteration; it never rises once the weights sum to 1, which they do from the
        first iteration on.
    n_iter_ : int

    References
    ----------
    .. [1] C. Liu, Z. Wu, J. Wen, Y. Xu and C. Huang, "Localized Sparse Incomplete Multi-View
       Clustering", IEEE Transactions on Multimedia 25, 2023.

    Examples
    --------
    >>> import numpy as np
    >>> from mvclust import LSIMVC
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 10)
    >>> X1, X2 = 4 * np.eye(2)[y] + rng.random((20, 2)), 3 * np.eye(2)[y] + rng.random((20, 2))
    >>> X1[:3] = np.nan  # three instances are missing in the first view
    >>> labels = LSIMVC(2, random_state=0).fit_predict([X1, X2])
    >>> bool((labels[:10] == labels[0]).all() and (labels[10:] == 1 - labels[0]).all())
    True
    """

    view_tags = ViewTags()
    _parameter_constraints = MultiViewClusterer._parameter_constraints | {
        "lam": NONNEGATIVE,
        "beta": NONNEGATIVE,
        "r": [Interval(Real, 1, None, closed="neither")],
        "n_neighbors": COUNT,
        "scale": [StrOptions({"sample_unit", "view_balanced"}), None],
        "init": [StrOptions({"random"}), dict],
        "n_init": COUNT,
        "max_iter": COUNT,
        "tol": NONNEGATIVE,
    }

    def __init__(
        self,
        n_clusters,
        *,
        lam=1.0,
        beta=0.01,
        r=2.0,
        n_neighbors=5,
        scale="sample_unit",
        init="random",
        n_init=10,
        max_iter=300,
        tol=1e-4,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.lam = lam
        self.beta = beta
        self.r = r
        self.n_neighbors = n_neighbors
        self.scale = scale
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def fit(self, Xs, y=None):
        """Cluster the samples.

        Parameters
        ----------
        Xs : list of array-like, each of shape (n_samples, n_features_v)
            The views; a missing instance is a row of NaN.
        y : ignored

        Returns
        -------
        self
        """
        Xs, presence = self.check_input(Xs)
        n, k = len(presence), self.n_clusters
        seed_start, seed_width, seed_labels = draw_seeds(self.random_state, 3)
        self._scalers = [ViewScaler(*view, self.scale) for view in zip(Xs, presence.T, strict=True)]
        rows = [np.flatnonzero(there) for there in presence.T]
        Xs = [
            scaler.scale_rows(X[of_view])
            for scaler, X, of_view in zip(self._scalers, Xs, rows, strict=True)
        ]
        Ws, widths = zip(*[heat_graph(X, self.n_neighbors, seed_width) for X in Xs], strict=True)
        P = [X @ U for X, U in zip(Xs, self._start(Xs, seed_start), strict=True)]
        short, turns = zip(*[short_rows(X, k) for X in Xs], strict=True)
        options = {name: getattr(self, name) for name in ("lam", "beta", "r", "max_iter", "tol")}
        factors, objective, change = lsimvc(short, rows, Ws, P, n, **options)
        self.C_, self.alpha_ = factors["C"], factors["alpha"]
        self.U_ = [
            U[: X.shape[1]] if Q is None else Q @ U[: Q.shape[1]]
            for X, U, Q in zip(Xs, factors["U"], turns, strict=True)
        ]
        self.P_ = [np.zeros((n, k)) for _ in Xs]
        for whole, P_v, of_view in zip(self.P_, factors["P"], rows, strict=True):
            whole[of_view] = P_v
        self._known = list(zip(Xs, rows, widths, strict=True))
        self.objective_ = np.array(objective)
        self.n_iter_ = len(objective)
        if change >= self.tol:
            warn_not_converged("LSIMVC", self.max_iter, self.tol)
        self.embedding_ = unit_samples(self.C_)
        self.labels_, self.cluster_centers_ = labels_and_centers(
            self.embedding_, k, n_init=self.n_init, seed=seed_labels
        )
        return self

    def _start(self, Xs, seed):
        shapes = [(X.shape[1], self.n_clusters) for X in Xs]
        if isinstance(self.init, dict):
            return check_start(self.init, {"U": shapes}, "LSIMVC")["U"]
        rng = np.random.default_rng(seed)
        return [nearest_orthonormal(rng.standard_normal(shape)) for shape in shapes]

    def _represent_new(self, Xs, presence):
        views = []
        for v, (X, (known, rows, t)) in enumerate(zip(Xs, self._known, strict=True)):
            X = self._scalers[v].scale_rows(X[presence[:, v]])
            c_near = np.zeros((len(X), self.n_clusters))
            p_near, degree = c_near.copy(), np.zeros(len(X))
            near = nearest_known(X, known, self.n_neighbors).T if len(X) else []
            for column in near:
                heat = heat_of(((X - known[column]) ** 2).sum(axis=1), t)
                c_near += heat[:, None] * self.C_[rows[column]]
                p_near += heat[:, None] * self.P_[v][rows[column]]
                degree += heat
            views.append((X @ self.U_[v], c_near, p_near, degree))
        C = represent_new(views, presence, self.alpha_**self.r, lam=self.lam, beta=self.beta)
        return unit_samples(C)
