"""Self-weighted multi-view clustering with multiple graphs (Nie, Li & Li, IJCAI 2017)."""

import numpy as np
from scipy import sparse

from mvclust.estimators.base import (
    MultiViewClusterer,
    Solution,
    ViewTags,
    check_start,
    draw_seeds,
    warn_not_converged,
)
from mvclust.estimators.constraints import COUNT, NONNEGATIVE, StrOptions
from mvclust.estimators.steps import labels_from_components
from mvclust.numerics.connected import graph_spectrum, joint_graphs, nearest_connected_graph
from mvclust.numerics.scaling import scale_views

LAMBDA = 1.0  # with which every search for S starts, as in the released code
FLOOR = 1e-10  # of a distance: S equals the graph of that view up to rounding


def swmc(Ws, alpha, n_clusters, *, max_iter, tol, max_inner) -> Solution:
    """Minimise sum_v |S - W_v| over graphs S with n_clusters components by reweighting.

    The graphs W_v of the views are csr_arrays of shape (n_samples, n_samples); alpha (n_views,) are
    the weights to start from. The run ends after `max_iter` iterations, or at a change of the
    objective of `tol`; each search for S after `max_inner` iterations.

    The Solution has S (csr_array), F (n_samples, n_clusters), and the list of the alpha (n_views,)
    found in each iteration; the objective after each iteration; its last change.
    """
    F, _, _ = graph_spectrum(sum(a * W for a, W in zip(alpha, Ws, strict=True)), n_clusters)
    near, weights, objective, change = [], [], [], np.inf
    while len(objective) < max_iter and change >= tol:
        target = sum(a * W for a, W in zip(alpha, Ws, strict=True))
        found = nearest_connected_graph(
            target, F, weight=alpha.sum(), lam=LAMBDA, max_iter=max_inner, near=near
        )
        S, F, near = found.S, found.F, found.vectors
        if not found.converged:  # F may be that of an earlier graph
            F, _, _ = graph_spectrum(S, n_clusters)
        distances = np.array([sparse.linalg.norm(S - W) for W in Ws])
        alpha = 0.5 / np.maximum(distances, FLOOR)
        weights.append(alpha)
        objective.append(float(distances.sum()))
        if len(objective) > 1:
            change = abs(objective[-1] - objective[-2])
    return Solution({"S": S, "F": found.F, "alpha": weights}, objective, change)


class SwMC(MultiViewClusterer):
    """Self-weighted multi-view clustering with multiple graphs, for complete views.

    Learns one graph S with exactly n_clusters connected components that is near to the graphs of
    all views; the components are the clusters: no k-means is run. The view weights follow from
    the distances and need no parameter [1]_.

    Parameters
    ----------
    n_clusters : int
        Number of clusters, that is of components of S.
    scale : {"sample_unit", None}, default=None
        Scaling of the views before their graphs are built, see
        `mvclust.numerics.scaling.scale_views`. The released code has none; documents need
        "sample_unit".
    n_neighbors : int, default=10
        Neighbours in the graphs, see `mvclust.numerics.graphs.adaptive_neighbor_graph`. If the
        union of the graphs falls into more than n_clusters components, the number is doubled
        until it does not: S has no edges that all graphs lack.
    init : {"random", "uniform"} or dict, default="random"
        View weights to start from: random, as in the released code, or equal. A dict gives alpha,
        (n_views,), positive.
    max_iter : int, default=50
        Most iterations.
    tol : float, default=1e-8
        Change of the objective that ends the run.
    max_inner : int, default=50
        Most iterations of each search for S. If S ends with a wrong number of components, a
        warning says so and the labels are from k-means on F.
    n_init : int, default=10
        Number of starts of that k-means.
    random_state : int, RandomState, Generator or None, default=None
        For the weights to start from, and for that k-means.

    Attributes
    ----------
    labels_ : ndarray of int of shape (n_samples,)
    embedding_ : ndarray of shape (n_samples, n_clusters)
        `F_`: eigenvectors of the learned graph, equal within a component. The labels are the
        components, or come from k-means on these rows if the number of components is wrong.
    S_ : csr_array of shape (n_samples, n_samples)
        Learned graph; its rows sum to 1.
    F_ : ndarray of shape (n_samples, n_clusters)
        Smallest eigenvectors of the Laplacian of (S + S')/2.
    alpha_ : ndarray of shape (n_views,)
        View weights 1 / (2 |S - W_v|).
    objective_ : ndarray of shape (n_iter_,)
        sum_v |S - W_v| after each iteration. It may rise a little, as each search for S is
        approximate and starts anew.
    n_iter_ : int

    References
    ----------
    .. [1] F. Nie, J. Li and X. Li, "Self-weighted Multiview Clustering with Multiple Graphs",
       IJCAI 2017.

    Examples
    --------
    >>> import numpy as np
    >>> from mvclust import SwMC
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 10)
    >>> X1, X2 = 4 * np.eye(2)[y] + rng.random((20, 2)), 3 * np.eye(2)[y] + rng.random((20, 2))
    >>> SwMC(2, init="uniform").fit_predict([X1, X2]).tolist()
    [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]
    """

    view_tags = ViewTags(incomplete=False)
    _parameter_constraints = MultiViewClusterer._parameter_constraints | {
        "scale": [StrOptions({"sample_unit"}), None],
        "n_neighbors": COUNT,
        "init": [StrOptions({"random", "uniform"}), dict],
        "max_iter": COUNT,
        "tol": NONNEGATIVE,
        "max_inner": COUNT,
        "n_init": COUNT,
    }

    def __init__(
        self,
        n_clusters,
        *,
        scale=None,
        n_neighbors=10,
        init="random",
        max_iter=50,
        tol=1e-8,
        max_inner=50,
        n_init=10,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.scale = scale
        self.n_neighbors = n_neighbors
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.max_inner = max_inner
        self.n_init = n_init
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
        start, seed = draw_seeds(self.random_state, 2)
        alpha = self._start(len(Xs), start)
        Ws = joint_graphs(scale_views(Xs, presence, self.scale), self.n_clusters, self.n_neighbors)
        factors, objective, change = swmc(
            Ws,
            alpha,
            self.n_clusters,
            max_iter=self.max_iter,
            tol=self.tol,
            max_inner=self.max_inner,
        )
        self.S_, self.F_, self.alpha_ = factors["S"], factors["F"], factors["alpha"][-1]
        self.objective_ = np.array(objective)
        self.n_iter_ = len(objective)
        if change >= self.tol:
            warn_not_converged("SwMC", self.max_iter, self.tol)
        self.embedding_ = self.F_
        self.labels_ = labels_from_components(
            self.S_, self.F_, self.n_clusters, name="SwMC", n_init=self.n_init, seed=seed
        )
        return self

    def _start(self, n_views, seed):
        if isinstance(self.init, dict):
            alpha = check_start(self.init, {"alpha": (n_views,)}, "SwMC")["alpha"]
            if not (alpha > 0).all():
                raise ValueError("SwMC: init alpha needs positive weights.")
            return alpha
        if self.init == "uniform":
            return np.full(n_views, 1 / n_views)
        alpha = 1 - np.random.default_rng(seed).random(n_views)  # above 0
        return alpha / alpha.sum()
