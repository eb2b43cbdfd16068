"""Multi-manifold regularised NMF, a reconstruction (after Zong et al., Neural Networks 2017)."""

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import splu
from sklearn.utils.validation import check_is_fitted

from mvclust.estimators.base import (
    MultiViewClusterer,
    Solution,
    ViewTags,
    check_start,
    draw_seeds,
    relative_change,
    warn_not_converged,
)
from mvclust.estimators.constraints import COUNT, NONNEGATIVE, POSITIVE, StrOptions
from mvclust.estimators.new_samples import FoldInMixin
from mvclust.estimators.steps import labels_from_coefficients, rows_of_coefficients
from mvclust.numerics.distances import squared_norm
from mvclust.numerics.factors import unit_sums
from mvclust.numerics.fold_in import fold_in_with_consensus
from mvclust.numerics.graph_nmf import best_graph_nmf, graph_nmf
from mvclust.numerics.graphs import laplacian, nearest_known, neighbor_graph
from mvclust.numerics.joint_nmf import descend_view, factorise_view
from mvclust.numerics.products import dense, for_products

FLOOR = 1e-100  # only guards 0 / 0
STEPS = 10  # of coordinate descent within a view in a round of "exact"
PASSES = 2  # over the views at the start


def mmnmf(Xs, L, U, V, *, lam, mu, variant, max_iter, tol, max_inner, inner_tol) -> Solution:
    """Minimise O = sum_v ||X_v' - U_v V_v'||^2 + lam ||V_v - V*||^2 + mu tr(V*' L* V*).

    The columns of every U_v sum to 1. U_v and V_v are those of MultiNMF. V* solves
    (lam n_views I + mu L*) V* = lam sum_v V_v: the matrix has no positive entry off its diagonal,
    so that the exact minimum is non-negative by itself. It is factored once.

    Parameters
    ----------
    Xs : list of ndarray or csr_array, each of shape (n_samples, n_features_v), non-negative
        The views, each with sum 1.
    L : csr_array of shape (n_samples, n_samples)
        Laplacian L* of the consensus graph.
    U : list of ndarray, each of shape (n_features_v, n_clusters), non-negative
    V : list of ndarray, each of shape (n_samples, n_clusters), non-negative
        Basis and coefficient matrices to start from.
    lam, mu : float
        Weight of the agreement with the consensus, and of its smoothness.
    variant : {"paper", "exact"}
        How the U_v and V_v of a round are found, see `mvclust.estimators.multinmf.multinmf`.
    max_iter : int
        Most rounds.
    tol : float
        Relative change of O that ends the rounds.
    max_inner : int
        Most iterations within a view in each; not of "exact".
    inner_tol : float or None
        See `mvclust.numerics.joint_nmf.factorise_view`.

    Returns
    -------
    Solution
        U and V (lists with one array per view) and V_star (n_samples, n_clusters); O after each
        round; its last relative change.
    """
    norms = [squared_norm(X) for X in Xs]
    pairs = [for_products(X) for X in Xs]
    system = sparse.csc_array(lam * len(Xs) * sparse.eye_array(L.shape[0]) + mu * L)
    solve = splu(system, permc_spec="MMD_AT_PLUS_A", options={"SymmetricMode": True}).solve
    U, V = map(list, zip(*(unit_sums(*pair) for pair in zip(U, V, strict=True)), strict=True))
    V_star = np.maximum(solve(lam * sum(V)), 0.0)
    objective, change = [], np.inf
    while len(objective) < max_iter and change >= tol:
        total = 0.0
        for v, pair in enumerate(pairs):
            view = *pair, U[v], V[v], V_star, lam, norms[v]
            if variant == "exact":
                U[v], V[v], error = descend_view(*view, STEPS)
            else:
                U[v], V[v], error, _ = factorise_view(*view, variant, max_inner, inner_tol)
            total += error
        V_star = np.maximum(solve(lam * sum(V)), 0.0)
        total += lam * sum(squared_norm(V_v - V_star) for V_v in V)
        objective.append(float(total + mu * np.vdot(V_star, L @ V_star)))
        change = relative_change(objective)
    return Solution({"U": U, "V": V, "V_star": V_star}, objective, change)


def start_from_graph_nmf(Xs, S, n_clusters, n_init, warm_up, max_iter, seed):
    """Start from graph-regularised factorisations, each begun with the V of the view before.

    The columns of V then mean the same in all views. Of n_init random starts in the first view the
    best is continued. Returns a dict with U and V (lists, one per view).
    """
    rng = np.random.default_rng(seed)
    U, V = [None] * len(Xs), [None] * len(Xs)
    last = None
    for _ in range(PASSES):
        for v, X in enumerate(Xs):
            if last is None:
                U[v], V[v], _ = best_graph_nmf(
                    X,
                    S,
                    n_clusters,
                    n_init=n_init,
                    warm_up=warm_up,
                    max_iter=max_iter,
                    seed=rng,
                    floor=FLOOR,
                )
            else:
                basis = rng.random((X.shape[1], n_clusters)) if U[v] is None else U[v]
                U[v], V[v], _ = graph_nmf(X, S, basis, last, max_iter=max_iter, floor=FLOOR)
            last = V[v]
    return {"U": U, "V": V}


class MMNMF(FoldInMixin, MultiViewClusterer):
    """Multi-manifold regularised NMF: views that agree on coefficients smooth on a common graph.

    A reconstruction. That every view is factorised with a manifold regularisation, and that a
    consensus manifold and a consensus coefficient matrix join the views (each in two ways, four
    instances), is what the abstract of [1]_ says. The objective here is ours, in that spirit: the
    factorisations and the consensus of MultiNMF, whose V* is smooth on the mean of the views'
    nearest neighbour graphs. Its numbers are not those of the authors' program.

    Parameters
    ----------
    n_clusters : int
        Number of clusters, and of columns of U, V and V*.
    lam : float, default=0.01
        Weight lambda of the agreement of each view with the consensus.
    mu : float, default=0.01
        Weight of the smoothness of the consensus on the graph, and of the views at the start.
    variant : {"exact", "paper"}, default="exact"
        How the views are factorised within a round: "paper" by the multiplicative steps of
        MultiNMF, "exact" by ten steps of coordinate descent, of which none raises the objective.
        From the same 26 starts on ten data sets, views scaled to a common range, "exact" ended
        lower from all but one (MSRC-v1, 0.2 % higher). It took between 0.2 (Caltech101-7) and 1.5
        times (BBCSport) as long; accuracy differed by 4 points (Yale, Handwritten) to -2 (BUAA),
        0.8 in the mean.
    n_neighbors : int, default=5
        Neighbours in the graph of a view, which joins two samples if either is a neighbour of the
        other.
    labels : {"kmeans", "argmax"}, default="kmeans"
        k-means on the rows of V*, or the largest coefficient.
    init : "gnmf" or dict, default="gnmf"
        "gnmf" starts from graph-regularised factorisations of the views, each view from the V of
        the one before. A dict gives the arrays U (list, each (n_features_v, n_clusters)) and V
        (list, each (n_samples, n_clusters)), and may give the graph W, sparse, (n_samples,
        n_samples), which is else made.
    n_init : int, default=10
        Number of random starts in the first factorisation, and of k-means starts for the labels.
    warm_up : int, default=30
        Iterations of each of these random starts.
    max_iter : int, default=100
        Most rounds over the views.
    tol : float, default=1e-4
        Relative change of the objective that ends the rounds.
    max_inner : int, default=100
        Most iterations within a view in a round of "paper", and of the factorisations at the start.
    inner_tol : float, default=1e-6
        Distance of a view's objective to its exponential mean, relatively, that ends the
        iterations within the view, of "paper".
    random_state : int, RandomState, Generator or None, default=None
        Drives the start and the k-means runs.

    Attributes
    ----------
    labels_ : ndarray of int of shape (n_samples,)
    embedding_ : ndarray of shape (n_samples, n_clusters)
        The rows that the labels come from: those of `V_star_`.
    cluster_centers_ : ndarray of shape (n_clusters, n_clusters)
        Means of the clusters in `embedding_`; None with
        ``labels="argmax"``.
    V_star_ : ndarray of shape (n_samples, n_clusters)
        Consensus.
    U_ : list of ndarray, each of shape (n_features_v, n_clusters)
        Basis matrices; their columns sum to 1.
    V_ : list of ndarray, each of shape (n_samples, n_clusters)
        Coefficients.
    objective_ : ndarray of shape (n_iter_,)
        O = sum_v ||X_v' - U_v V_v'||^2 + lam ||V_v - V*||^2 + mu tr(V*' L* V*) of the views scaled
        to sum 1, after each round. It falls.
    n_iter_ : int

    References
    ----------
    .. [1] L. Zong, X. Zhang, L. Zhao, H. Yu and Q. Zhao, "Multi-view clustering via
       multi-manifold regularized non-negative matrix factorization", Neural Networks 88, 2017.

    Examples
    --------
    >>> import numpy as np
    >>> from mvclust.estimators.mmnmf import MMNMF
    >>> X = np.kron(np.eye(2), np.ones((4, 3))) + 0.01
    >>> labels = MMNMF(2, n_neighbors=2, n_init=2, random_state=0).fit_predict([X, X[:, :4] + 0.1])
    >>> bool(len(set(labels[:4])) == len(set(labels[4:])) == 1 and labels[0] != labels[4])
    True
    """

    view_tags = ViewTags(incomplete=False, sparse=True, nonnegative=True)
    _parameter_constraints = MultiViewClusterer._parameter_constraints | {
        "lam": POSITIVE,
        "mu": NONNEGATIVE,
        "variant": [StrOptions({"paper", "exact"})],
        "n_neighbors": COUNT,
        "labels": [StrOptions({"kmeans", "argmax"})],
        "init": [StrOptions({"gnmf"}), dict],
        "n_init": COUNT,
        "warm_up": COUNT,
        "max_iter": COUNT,
        "tol": NONNEGATIVE,
        "max_inner": COUNT,
        "inner_tol": NONNEGATIVE,
    }

    def __init__(
        self,
        n_clusters,
        *,
        lam=0.01,
        mu=0.01,
        variant="exact",
        n_neighbors=5,
        labels="kmeans",
        init="gnmf",
        n_init=10,
        warm_up=30,
        max_iter=100,
        tol=1e-4,
        max_inner=100,
        inner_tol=1e-6,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.lam = lam
        self.mu = mu
        self.variant = variant
        self.n_neighbors = n_neighbors
        self.labels = labels
        self.init = init
        self.n_init = n_init
        self.warm_up = warm_up
        self.max_iter = max_iter
        self.tol = tol
        self.max_inner = max_inner
        self.inner_tol = inner_tol
        self.random_state = random_state

    # A start depends on these alone, so that grids over the others can share it.
    start_parameters = (
        "n_clusters", "mu", "n_neighbors", "init", "n_init", "warm_up", "max_inner", "random_state",
    )  # fmt: skip

    def draw_start(self, Xs):
        """The start that ``init`` takes by its name, to be given as ``init=``.

        Parameters
        ----------
        Xs : list of array-like or sparse, each of shape (n_samples, n_features_v), non-negative
            The views; a missing instance is a row of NaN.

        Returns
        -------
        dict with U, V and W
        """
        Xs, _ = self.check_input(Xs)
        return self._start(Xs, draw_seeds(self.random_state, 2)[0])

    def _start(self, Xs, seed):
        given = self.init if isinstance(self.init, dict) else None
        W = None if given is None else given.get("W")
        if W is None:
            W = sum(neighbor_graph(dense(X), self.n_neighbors) for X in Xs) / len(Xs)
        if given is not None:
            shapes = {
                "U": [(X.shape[1], self.n_clusters) for X in Xs],
                "V": [(X.shape[0], self.n_clusters) for X in Xs],
            }
            return check_start(given, shapes, "MMNMF") | {"W": W}
        start = start_from_graph_nmf(
            [X / X.sum() for X in Xs],
            self.mu * W,
            self.n_clusters,
            self.n_init,
            self.warm_up,
            self.max_inner,
            seed,
        )
        return start | {"W": W}

    # These decide how labels follow from a solution, so that models of one solution can share it.
    label_parameters = ("labels",)

    def fit(self, Xs, y=None):
        """Cluster the samples.

        Parameters
        ----------
        Xs : list of array-like or sparse, each of shape (n_samples, n_features_v), non-negative
            The complete views.
        y : ignored

        Returns
        -------
        self
        """
        return self.solve(Xs).relabel()

    def solve(self, Xs):
        """All of `fit` but the labels.

        Parameters
        ----------
        Xs : list of array-like or sparse
            As `fit` takes them.

        Returns
        -------
        self
        """
        Xs, _ = self.check_input(Xs)
        seed_start, self._seed_labels = draw_seeds(self.random_state, 2)
        start = self._start(Xs, seed_start)
        self._totals = [X.sum() for X in Xs]
        Xs = [X / X.sum() for X in Xs]
        self._known = Xs
        factors, objective, change = mmnmf(
            Xs,
            laplacian(start["W"]),
            start["U"],
            start["V"],
            lam=self.lam,
            mu=self.mu,
            variant=self.variant,
            max_iter=self.max_iter,
            tol=self.tol,
            max_inner=self.max_inner,
            inner_tol=self.inner_tol,
        )
        self.U_, self.V_, self.V_star_ = (factors[name] for name in ("U", "V", "V_star"))
        self.objective_ = np.array(objective)
        self.n_iter_ = len(objective)
        if change >= self.tol:
            warn_not_converged("MMNMF", self.max_iter, self.tol)
        return self

    def relabel(self):
        """Label the samples of a model that has its solution, as ``labels`` now says.

        Returns
        -------
        self
        """
        check_is_fitted(self, "V_star_")
        self.embedding_ = rows_of_coefficients(self.V_star_, self.labels)
        self.labels_, self.cluster_centers_ = labels_from_coefficients(
            self, self.V_star_, self._seed_labels
        )
        return self

    def _represent_new(self, Xs, presence):
        Xs = [X / total for X, total in zip(Xs, self._totals, strict=True)]
        # The term of the graph, with edges to the nearest samples of fit in the sample's views
        nearest = [
            nearest_known(*pair, self.n_neighbors) for pair in zip(Xs, self._known, strict=True)
        ]
        shares = presence.T / presence.sum(axis=1)
        means = [self.V_star_[indices].mean(axis=1) for indices in nearest]
        mean = sum(share[:, None] * M for share, M in zip(shares, means, strict=True))
        return fold_in_with_consensus(
            Xs,
            self.U_,
            presence,
            weights=np.ones(len(Xs)),
            ties=np.full(len(Xs), self.lam),
            near_star=(self.mu * nearest[0].shape[1], mean),
        )
