"""One-pass multi-view subspace clustering with consensus anchors (Liu et al., AAAI 2022)."""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from mvclust.estimators.anchor_steps import (
    ANCHOR_PARAMETERS,
    check_n_anchors,
    drawn_samples,
    scaled_views,
)
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
from mvclust.estimators.constraints import COUNT, StrOptions
from mvclust.estimators.new_samples import NewSamplesMixin, nearest_center
from mvclust.numerics.anchors import (
    consensus_bases,
    consensus_start,
    graph_products,
    sample_blocks,
    sample_products,
    squared_residuals,
)
from mvclust.numerics.bipartite import bipartite_components, connected_graph
from mvclust.numerics.distances import squared_row_norms
from mvclust.numerics.scaled_views import ScaledView
from mvclust.numerics.scaling import unit_samples
from mvclust.numerics.view_weights import view_weights

COMPARED = 20_000  # samples on which starts are compared, if there are more


def eomscca(views, starts, n_clusters, *, max_iter, tol) -> Solution:
    """Fit sum_v alpha_v^2 ||X_v - Z A'W_v'||^2 with a graph Z of n_clusters components.

    W_v'W_v = I, A has orthonormal columns (or rows, if these are fewer) and alpha sums to 1. Z is
    found by `mvclust.numerics.bipartite.connected_graph`.

    The views are a list of ScaledView without missing rows. A start is a tuple of the samples that
    start as anchors (m,), X_v'Z (list with one (n_features_v, m) array per view) and A (d, m);
    where A is zero, the first W_v are the leading parts of the identity. A run ends after max_iter
    iterations, or when the relative change of the objective is below tol.

    Returns, of the run with the lowest objective: W (list with one (n_features_v, d) array per
    view), A (d, m), B (n_samples, m), the sum of alpha_v^2 X_v W_v A that Z is fitted to, Z
    (n_samples, m), alpha (n_views,) and the U (n_samples, n_clusters) and V (m, n_clusters) of the
    graph; the objective after each iteration, and its last relative change.
    """
    runs = (_descend(views, *start, n_clusters, max_iter, tol) for start in starts)
    return min(runs, key=lambda run: run.objective[-1])


def _descend(views, samples, C, A, n_clusters, max_iter, tol):
    alpha = np.full(len(views), 1 / len(views))
    objective, change = [], np.inf
    while len(objective) < max_iter and change >= tol:
        W, A = consensus_bases(C, A, alpha**2)
        bases = [W_v @ A for W_v in W]
        B = affinities(views, bases, alpha**2)
        Z, U, V, trace, _ = connected_graph(B, (alpha**2).sum(), samples, n_clusters)
        C = graph_products(views, Z)
        wide = A.shape[1] > A.shape[0]
        length = squared_row_norms(Z @ A.T if wide else Z).sum()
        squared = squared_residuals(views, bases, C, length)
        alpha = view_weights(np.sqrt(squared), 2)
        objective.append(float(alpha**2 @ squared + trace))
        change = relative_change(objective)
    factors = {"W": W, "A": A, "B": B, "Z": Z, "alpha": alpha, "U": U, "V": V}
    return Solution(factors, objective, change)


def affinities(views, bases, weights):
    """The sum of w_v X_v B_v over views, of shape (n_samples, m).

    The views are a list of ScaledView, the bases have shape (n_features_v, m), and there is one
    weight per view.
    """
    B = np.empty((views[0].shape[0], bases[0].shape[1]))
    pulls = [w * B_v for w, B_v in zip(weights, bases, strict=True)]
    for rows in sample_blocks(len(B), sum(view.width for view in views)):
        B[rows] = sum(view.times(rows, pull) for view, pull in zip(views, pulls, strict=True))
    return B


class EOMSCCA(NewSamplesMixin, MultiViewClusterer):
    """One-pass multi-view subspace clustering with consensus anchors, for complete views.

    All views share a graph between the samples and a few learned anchors, which falls into
    n_clusters connected components; these are the clusters [1]_. The graph is fitted as in the
    released code, whose steps are not those of a single objective: `objective_` may rise.

    Parameters
    ----------
    n_clusters : int
        Number of clusters.
    n_anchors : int, default=None
        Number of anchors m, at least n_clusters; None: n_clusters. The authors try n_clusters
        times 1 to 7.
    n_components : int, default=None
        Dimension d of the space of the anchors; None: n_clusters. The authors try n_clusters times
        1 to 7.
    isolated : {"attach", "own"}, default="attach"
        What becomes of samples that join no anchor: "attach" gives them the label of the anchor
        with the largest affinity; "own" makes each a cluster, as the released code, so that there
        may be more clusters than asked for.
    init : {"k-means++", "random", "first"} or dict, default="k-means++"
        Samples that start as anchors: drawn far from each other or evenly. "first" takes the
        first samples and the first features, as the released code, whose result depends on the
        order of both. A dict gives Z (n_samples, n_anchors), whose columns are largest at these
        samples, and A (n_components, n_anchors); a zero A stands for the first features.
    n_starts : int, default=5
        Number of draws; the result with the lowest objective is kept. With more than 20,000 samples
        the draws are compared on that many of them, and the best one alone runs on all.
    n_init : int, default=10
        Number of k-means starts. Only used with a warning, if the graph does not have n_clusters
        components: labels are then from k-means on its singular vectors.
    max_iter : int, default=50
        Most iterations.
    tol : float, default=1e-4
        Relative change of the objective that ends a run.
    random_state : int, RandomState, Generator or None, default=None
        For the draws and k-means.

    Attributes
    ----------
    labels_ : ndarray of int of shape (n_samples,)
    anchor_labels_ : ndarray of int of shape (n_anchors,)
        Labels of the anchors; -1 for one without samples.
    W_ : list of ndarray, each of shape (n_features_v, n_components)
        Maps of the views, whose features are standardised. W_v'W_v is the identity but for
        directions without data, which are left out.
    A_ : ndarray of shape (n_components, n_anchors)
        Anchors; orthonormal columns, or rows if these are fewer.
    Z_ : ndarray of shape (n_samples, n_anchors)
        The graph; not negative. Its entries sum to (n_samples + n_anchors) / 2 if all samples and
        anchors have an edge.
    alpha_ : ndarray of shape (n_views,)
        View weights; they sum to 1.
    objective_ : ndarray of shape (n_iter_,)
        sum_v alpha_v^2 ||X_v - Z A'W_v'||^2 and 0.05 n_clusters after each iteration. Directions
        that `W_` leaves out count as if they led out of the data, as W_v'W_v = I asks.
    n_iter_ : int

    References
    ----------
    .. [1] S. Liu, S. Wang, P. Zhang, K. Xu, X. Liu, C. Zhang and F. Gao, "Efficient One-Pass
       Multi-View Subspace Clustering with Consensus Anchors", AAAI 2022.

    Examples
    --------
    >>> import numpy as np
    >>> from mvclust import EOMSCCA
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 10)
    >>> X1, X2 = 4 * np.eye(2)[y] + rng.random((20, 2)), 3 * np.eye(2)[y] + rng.random((20, 2))
    >>> labels = EOMSCCA(2, random_state=0).fit_predict([X1, X2])
    >>> bool((labels[:10] == labels[0]).all() and (labels[10:] == 1 - labels[0]).all())
    True
    """

    view_tags = ViewTags(incomplete=False, sparse=True)
    _parameter_constraints = (
        MultiViewClusterer._parameter_constraints
        | ANCHOR_PARAMETERS
        | {
            "n_components": [*COUNT, None],
            "isolated": [StrOptions({"attach", "own"})],
        }
    )

    def __init__(
        self,
        n_clusters,
        *,
        n_anchors=None,
        n_components=None,
        isolated="attach",
        init="k-means++",
        n_starts=5,
        n_init=10,
        max_iter=50,
        tol=1e-4,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.n_anchors = n_anchors
        self.n_components = n_components
        self.isolated = isolated
        self.init = init
        self.n_starts = n_starts
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def fit(self, Xs, y=None):
        """Cluster the samples.

        Parameters
        ----------
        Xs : list of array-like or sparse, each of shape (n_samples, n_features_v)
            The views, without missing instances.
        y : ignored

        Returns
        -------
        self
        """
        Xs, presence = self.check_input(Xs)
        m = check_n_anchors(self, len(presence))
        if m < self.n_clusters:
            raise ValueError(
                f"EOMSCCA: n_anchors={m} is less than n_clusters={self.n_clusters}; every cluster "
                "needs an anchor."
            )
        views = scaled_views(Xs, "feature_zscore", "EOMSCCA")
        seed_start, seed_labels = draw_seeds(self.random_state, 2)
        starts = self._starts(views, presence, m, seed_start)
        if len(starts) > 1 and len(presence) > COMPARED:
            starts = [self._best_on_sample(Xs, starts, seed_start)]
        factors, objective, change = eomscca(
            views,
            starts,
            self.n_clusters,
            max_iter=self.max_iter,
            tol=self.tol,
        )
        self.W_, self.A_ = factors["W"], factors["A"]
        self.Z_, self.alpha_ = factors["Z"], factors["alpha"]
        self.objective_ = np.array(objective)
        self.n_iter_ = len(objective)
        self._scaling = [view.scaling for view in views]
        if change >= self.tol:
            warn_not_converged("EOMSCCA", self.max_iter, self.tol)
        self.labels_, self.anchor_labels_ = self._labels(factors, seed_labels)
        return self

    def _labels(self, factors, seed):
        """Labels of samples and anchors by the components of the graph, or by k-means."""
        labels, of_anchors = bipartite_components(factors["Z"])
        alone = labels < 0
        attached = _best_anchor(factors["B"], of_anchors)
        if self.isolated == "own":
            labels[alone] = of_anchors.max() + 1 + np.arange(alone.sum())
            return labels, of_anchors
        labels[alone] = of_anchors[attached[alone]]
        n_found = len(np.unique(labels))
        if n_found == self.n_clusters:
            return labels, of_anchors
        warnings.warn(
            f"EOMSCCA: the graph has {n_found} components with samples, not the "
            f"{self.n_clusters} clusters asked for; the labels are from k-means on its singular "
            "vectors.",
            ConvergenceWarning,
            stacklevel=3,
        )
        anchors = unit_samples(factors["V"])
        rows = unit_samples(factors["U"])
        rows[alone] = anchors[attached[alone]]
        labels, centers = labels_and_centers(rows, self.n_clusters, n_init=self.n_init, seed=seed)
        return labels, np.where(of_anchors < 0, -1, nearest_center(anchors, centers))

    def _label_new(self, Xs, presence):
        views = [
            ScaledView(X, "feature_zscore", scaling, there)
            for X, scaling, there in zip(Xs, self._scaling, presence.T, strict=True)
        ]
        B = affinities(views, [W @ self.A_ for W in self.W_], self.alpha_**2)
        return self.anchor_labels_[_best_anchor(B, self.anchor_labels_)]

    def _starts(self, views, presence, m, seed):
        d = self.n_clusters if self.n_components is None else self.n_components
        if isinstance(self.init, dict):
            start = check_start(self.init, {"Z": (len(presence), m), "A": (d, m)}, "EOMSCCA")
            Z = start["Z"]
            return [(Z.argmax(axis=0), graph_products(views, Z), start["A"])]
        starts = []
        for samples in drawn_samples(self, views, presence, m, seed):
            C = sample_products(views, samples)
            A = np.zeros((d, m)) if self.init == "first" else consensus_start(C, d)
            starts.append((samples, C, A))
        return starts

    def _best_on_sample(self, Xs, starts, seed):
        """The start with the lowest objective on some samples, among them its anchors."""
        n, d = Xs[0].shape[0], len(starts[0][2])
        drawn = np.random.default_rng(seed).choice(n, COMPARED, replace=False)
        rows = np.unique(np.concatenate([drawn, *(samples for samples, _, _ in starts)]))
        views = [ScaledView(X[rows], "feature_zscore") for X in Xs]
        reached = []
        for samples, _, A in starts:
            own = np.searchsorted(rows, samples)
            C = sample_products(views, own)
            start = own, C, consensus_start(C, d) if A.any() else A
            run = eomscca(views, [start], self.n_clusters, max_iter=self.max_iter, tol=self.tol)
            reached.append(run.objective[-1])
        return starts[int(np.argmin(reached))]


def _best_anchor(B, labels):
    """The anchor of largest affinity among those with samples; the first where there is none."""
    return np.where(labels < 0, -np.inf, B).argmax(axis=1)
