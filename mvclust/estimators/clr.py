"""Constrained Laplacian rank clustering (Nie, Wang, Jordan & Huang, AAAI 2016)."""

import numpy as np
from scipy import sparse

from mvclust.estimators.base import (
    MultiViewClusterer,
    Solution,
    ViewTags,
    check_start,
    draw_seeds,
)
from mvclust.estimators.constraints import COUNT, POSITIVE, StrOptions
from mvclust.estimators.steps import labels_from_components
from mvclust.numerics.connected import (
    ZERO,
    graph_spectrum,
    joint_graphs,
    nearest_connected_graph,
)
from mvclust.numerics.graphs import connected_components
from mvclust.numerics.scaling import scale_views


def clr(A0, n_clusters, *, norm, lam, max_iter) -> Solution:
    """Look for the graph nearest to A0 that has exactly n_clusters components.

    A0, the graph to start from, is a csr_array of shape (n_samples, n_samples), non-negative, with
    at most n_clusters components (else ValueError) and an edge in each row. The norm is "l2" or
    "l1", `lam` the first weight of the rank constraint, and max_iter the most iterations.

    Returns the learned graph S (csr_array, A0 itself if that has n_clusters components already) and
    F (n_samples, n_clusters); |S - A0|^2 (or the sum of absolute differences) + 2 lambda tr(F'LF)
    after each iteration, with the lambda of that iteration; the sum of the n_clusters smallest
    eigenvalues of the Laplacian of S, which is 0 for that many components.
    """
    F, low, high = graph_spectrum(A0, n_clusters)
    if high < ZERO:
        n_found = connected_components((A0 + A0.T) / 2).max() + 1
        raise ValueError(
            f"CLR: the graph to start from falls into {n_found} components, more than "
            f"n_clusters={n_clusters}; give a graph with more edges."
        )
    if low < ZERO:
        return Solution({"S": A0, "F": F}, [0.0], low)
    found = nearest_connected_graph(A0, F, norm=norm, lam=lam, max_iter=max_iter)
    objective = np.array(found.distance) + 2 * np.array(found.lam) * np.array(found.low)
    return Solution({"S": found.S, "F": found.F}, objective.tolist(), found.low[-1])


def suggest_n_clusters(A0):
    """Numbers of clusters by falling relative gap after them in the Laplacian's spectrum.

    A0 of shape (n, n), non-negative, may be sparse. Returns all numbers below nine tenths of n, the
    most plausible first; 1 comes last. The released code prints the first of them as its
    suggestions.

    >>> blocks = np.kron(np.eye(3), np.ones((4, 4)))
    >>> int(suggest_n_clusters(blocks)[0])
    3
    """
    A = A0.toarray() if sparse.issparse(A0) else np.asarray(A0, dtype=np.float64)
    A = (A + A.T) / 2
    eps = np.finfo(float).eps
    values = np.linalg.eigvalsh(np.diag(A.sum(axis=1)) - A)
    values[np.abs(values) < ZERO] = eps
    gaps = np.diff(values) / values[1:]
    number = np.arange(1, len(values))
    gaps = np.where(gaps > 0.85, 1 + number * eps, gaps)  # of clear gaps the last counts most
    gaps[0] = 0.0
    return np.argsort(-gaps[: int(0.9 * len(gaps))], kind="stable") + 1


class CLR(MultiViewClusterer):
    """Constrained Laplacian rank clustering of the mean graph of complete views.

    Learns the graph nearest to a given one that has exactly n_clusters connected components,
    which are the clusters: no k-means is run [1]_. The method is made for one graph. For several
    views that is here the mean of their adaptive-neighbour graphs, a choice of ours.

    Parameters
    ----------
    n_clusters : int
        Number of clusters, that is of components of the learned graph S.
    norm : {"l2", "l1"}, default="l2"
        Distance between S and the given graph A0: sum of squares, or of absolute values.
    scale : {"sample_unit", None}, default=None
        Scaling of the views before their graphs are built, see
        `mvclust.numerics.scaling.scale_views`. The released code has none; documents need
        "sample_unit".
    n_neighbors : int, default=10
        Neighbours in the graphs, see `mvclust.numerics.graphs.adaptive_neighbor_graph`. An edge
        that A0 lacks is not learned either; so if A0 falls into more than n_clusters components
        (where the released code gives up), the number is doubled until it does not.
    init : "neighbors" or dict, default="neighbors"
        A dict gives the graph A0, (n_samples, n_samples), non-negative, with at most n_clusters
        components; only the number of samples is then read from the views.
    lam : float, default=0.1
        The first weight of the rank constraint; it is doubled and halved as needed.
    max_iter : int, default=30
        Most iterations. If S still has a wrong number of components after them, a warning says so
        and the labels are from k-means on F.
    n_init : int, default=10
        Number of starts of that k-means.
    random_state : int, RandomState, Generator or None, default=None
        For that k-means; all else is deterministic.

    Attributes
    ----------
    labels_ : ndarray of int of shape (n_samples,)
    embedding_ : ndarray of shape (n_samples, n_clusters)
        `F_`: eigenvectors of the learned graph, equal within a component. The labels are the
        components, or come from k-means on these rows if the number of components is wrong.
    S_ : csr_array of shape (n_samples, n_samples)
        Learned graph, its rows sum to 1; A0 itself if that has n_clusters components.
    F_ : ndarray of shape (n_samples, n_clusters)
        Smallest eigenvectors of the Laplacian of (S + S')/2.
    A0_ : csr_array of shape (n_samples, n_samples)
        Graph to start from.
    objective_ : ndarray of shape (n_iter_,)
        Distance of S and A0, plus 2 lambda tr(F'LF) with the lambda of that iteration; at the end
        the second term is 0. As lambda changes, it also rises.
    n_iter_ : int

    References
    ----------
    .. [1] F. Nie, X. Wang, M. I. Jordan and H. Huang, "The Constrained Laplacian Rank Algorithm
       for Graph-Based Clustering", AAAI 2016.

    Examples
    --------
    >>> import numpy as np
    >>> from mvclust import CLR
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 10)
    >>> X1, X2 = 4 * np.eye(2)[y] + rng.random((20, 2)), 3 * np.eye(2)[y] + rng.random((20, 2))
    >>> CLR(2).fit_predict([X1, X2]).tolist()
    [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]
    """

    view_tags = ViewTags(incomplete=False)
    _parameter_constraints = MultiViewClusterer._parameter_constraints | {
        "norm": [StrOptions({"l2", "l1"})],
        "scale": [StrOptions({"sample_unit"}), None],
        "n_neighbors": COUNT,
        "init": [StrOptions({"neighbors"}), dict],
        "lam": POSITIVE,
        "max_iter": COUNT,
        "n_init": COUNT,
    }

    def __init__(
        self,
        n_clusters,
        *,
        norm="l2",
        scale=None,
        n_neighbors=10,
        init="neighbors",
        lam=0.1,
        max_iter=30,
        n_init=10,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.norm = norm
        self.scale = scale
        self.n_neighbors = n_neighbors
        self.init = init
        self.lam = lam
        self.max_iter = max_iter
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
        Xs = scale_views(Xs, presence, self.scale)
        (seed,) = draw_seeds(self.random_state, 1)
        self.A0_ = self._start(Xs)
        factors, objective, _ = clr(
            self.A0_, self.n_clusters, norm=self.norm, lam=self.lam, max_iter=self.max_iter
        )
        self.S_, self.F_ = factors["S"], factors["F"]
        self.objective_ = np.array(objective)
        self.n_iter_ = len(objective)
        self.embedding_ = self.F_
        self.labels_ = labels_from_components(
            self.S_, self.F_, self.n_clusters, name="CLR", n_init=self.n_init, seed=seed
        )
        return self

    def _start(self, Xs):
        if not isinstance(self.init, dict):
            graphs = joint_graphs(Xs, self.n_clusters, self.n_neighbors)
            return sparse.csr_array(sum(graphs) / len(graphs))
        n = len(Xs[0])
        A0 = check_start(self.init, {"A0": (n, n)}, "CLR")["A0"]
        if A0.min() < 0 or not A0.any(axis=1).all():
            raise ValueError("CLR: init A0 needs non-negative entries and an edge in every row.")
        return sparse.csr_array(A0)
