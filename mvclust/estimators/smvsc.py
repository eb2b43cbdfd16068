"""Scalable multi-view subspace clustering with unified anchors (Sun et al., ACM MM 2021)."""

import numpy as np

from mvclust.estimators.anchor_steps import (
    ANCHOR_PARAMETERS,
    check_n_anchors,
    consensus_starts,
    labels_from_graph,
    rows_of_graph,
    scaled_views,
)
from mvclust.estimators.base import (
    MultiViewClusterer,
    Solution,
    ViewTags,
    draw_seeds,
    relative_change,
    warn_not_converged,
)
from mvclust.estimators.constraints import COUNT, NONNEGATIVE, StrOptions
from mvclust.estimators.new_samples import FoldInMixin
from mvclust.numerics.anchors import (
    consensus_bases,
    isometry,
    new_graph,
    squared_residuals,
    update_graph,
)
from mvclust.numerics.scaled_views import ScaledView
from mvclust.numerics.view_weights import view_weights

MIN_ITER = 10  # iterations before a small change may end a run, as in the released code


def smvsc(views, starts, *, lam, variant, max_iter, tol) -> Solution:
    """Minimise sum_v alpha_v^2 ||X_v - Z A'W_v'||^2 + lam ||Z||^2 from several starts.

    W_v'W_v = I, A has orthonormal columns (or rows, if these are fewer), rows of Z are on the
    simplex, alpha sums to 1. `views` are `ScaledView` without missing rows. A start is a pair of
    the products X_v'Z (list with one (n_features_v, m) array per view) and A (d, m); where A is
    zero, the first W_v are the leading parts of the identity. The variant is "exact" or "author". A
    run ends after `max_iter` iterations, or at a relative change of the objective of `tol`, after
    10 iterations at the earliest.

    The Solution is that of the run with the lowest objective: W (list with one (n_features_v, d)
    array per view), A (d, m), Z (n_samples, m), alpha (n_views,) and products X_v'Z; the objective
    after each iteration, and its last relative change.
    """
    runs = (_descend(views, *start, lam, variant, max_iter, tol) for start in starts)
    return min(runs, key=lambda run: run.objective[-1])


def _descend(views, C, A, lam, variant, max_iter, tol):
    exact, wide = variant == "exact", A.shape[1] > A.shape[0]
    n_views, n_samples = len(views), views[0].shape[0]
    presence = np.ones((n_samples, n_views), dtype=bool)
    alpha = np.full(n_views, 1 / n_views)
    Z, grams = np.empty((n_samples, A.shape[1])), None
    objective, change = [], np.inf
    while len(objective) < max_iter and (change >= tol or len(objective) < MIN_ITER):
        W, A = consensus_bases(C, A, alpha**2, grams)
        B = [W_v @ A for W_v in W]
        touching = exact and wide and len(objective) > 0  # before that there is no Z
        fit = update_graph(
            views, presence, B, alpha**2, lam, Z,
            A=A if wide else None, touching=touching, grams=exact and wide,
            pull=None if exact else np.ones(n_views),
        )  # fmt: skip
        C, grams = fit.products, fit.grams
        squared = squared_residuals(views, B, fit.products, fit.lengths)
        alpha = view_weights(squared, 2)
        objective.append(float(alpha**2 @ squared + lam * fit.norm))
        change = relative_change(objective)
    factors = {"W": W, "A": A, "Z": Z, "alpha": alpha, "products": C}
    return Solution(factors, objective, change)


class SMVSC(FoldInMixin, MultiViewClusterer):
    """Scalable multi-view subspace clustering with unified anchors, for complete views.

    All views share a graph between the samples and a few anchors, which are learned; views are
    linear maps W_v of the anchors A [1]_. Labels come from k-means on the left singular vectors of
    the graph. Time and memory are linear in the samples.

    Parameters
    ----------
    n_clusters : int
        Number of clusters.
    n_anchors : int, default=None
        Number of anchors m; None: n_clusters. The authors try n_clusters times 1, 2 and 3.
    n_components : int, default=None
        Dimension d of the space of the anchors; None: n_clusters, as in the released code.
    lam : float, default=1.0
        Weight of ||Z||^2, which makes the graph denser.
    variant : {"exact", "author"}, default="exact"
        "author" takes the steps of the released code. Its step for the graph lacks alpha_v^2 in
        the linear term, so that nearly every sample joins a single anchor, and ignores A'A with
        more anchors than components; the objective may rise. "exact" takes steps that never
        raise it.
    init : {"k-means++", "random", "first"} or dict, default="k-means++"
        Samples that start as anchors: drawn far from each other or evenly. "first" takes the
        first samples and the first features, as the released code, whose result depends on the
        order of both. A dict gives Z (n_samples, n_anchors) and A (n_components, n_anchors); a
        zero A stands for the first features.
    n_starts : int, default=5
        Number of draws; the result with the lowest objective is kept.
    n_init : int, default=10
        Number of k-means starts; the released script reports the best of 50 by the true labels.
    max_iter : int, default=50
        Most iterations.
    tol : float, default=1e-3
        Relative change of the objective that ends a run, after 10 iterations at the earliest.
    random_state : int, RandomState, Generator or None, default=None
        For the draws and k-means.

    Attributes
    ----------
    labels_ : ndarray of int of shape (n_samples,)
    embedding_ : ndarray of shape (n_samples, n_kept)
        The rows that k-means clusters: of all left singular vectors of `Z_`, scaled to unit
        length. Those of singular values 0, which belong to anchors without samples, are left out;
        the released code keeps them, and they are arbitrary.
    cluster_centers_ : ndarray of shape (n_clusters, n_kept)
        Means of the clusters in `embedding_`.
    W_ : list of ndarray, each of shape (n_features_v, n_components)
        Maps of the views, whose features are standardised. W_v'W_v is the identity where a view
        has enough features. Directions without data are led out of them; there is always one with
        n_anchors <= n_components, since standardised features sum to zero and rows of `Z_` to
        one. The graph of new samples does not use them.
    A_ : ndarray of shape (n_components, n_anchors)
        Anchors; orthonormal columns, or rows if these are fewer.
    Z_ : ndarray of shape (n_samples, n_anchors)
        The graph; rows are not negative and sum to 1.
    alpha_ : ndarray of shape (n_views,)
        View weights; they sum to 1.
    objective_ : ndarray of shape (n_iter_,)
        sum_v alpha_v^2 ||X_v - Z A'W_v'||^2 + lam ||Z||^2 after each iteration; with "exact" it
        never rises. Where a view has too few features for W_v'W_v = I, what is left of ||Z A'||^2
        counts too.
    n_iter_ : int

    References
    ----------
    .. [1] M. Sun, P. Zhang, S. Wang, S. Zhou, W. Tu, X. Liu, E. Zhu and C. Wang, "Scalable
       Multi-view Subspace Clustering with Unified Anchors", ACM MM 2021.

    Examples
    --------
    >>> import numpy as np
    >>> from mvclust import SMVSC
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 10)
    >>> X1, X2 = 4 * np.eye(2)[y] + rng.random((20, 2)), 3 * np.eye(2)[y] + rng.random((20, 2))
    >>> labels = SMVSC(2, random_state=0).fit_predict([X1, X2])
    >>> bool((labels[:10] == labels[0]).all() and (labels[10:] == 1 - labels[0]).all())
    True
    """

    view_tags = ViewTags(incomplete=False, sparse=True)
    _parameter_constraints = (
        MultiViewClusterer._parameter_constraints
        | ANCHOR_PARAMETERS
        | {
            "n_components": [*COUNT, None],
            "lam": NONNEGATIVE,
            "variant": [StrOptions({"exact", "author"})],
        }
    )

    def __init__(
        self,
        n_clusters,
        *,
        n_anchors=None,
        n_components=None,
        lam=1.0,
        variant="exact",
        init="k-means++",
        n_starts=5,
        n_init=10,
        max_iter=50,
        tol=1e-3,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.n_anchors = n_anchors
        self.n_components = n_components
        self.lam = lam
        self.variant = variant
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
        views = scaled_views(Xs, "feature_zscore", "SMVSC")
        seed_start, seed_labels = draw_seeds(self.random_state, 2)
        factors, objective, change = smvsc(
            views,
            consensus_starts(self, views, presence, m, seed_start),
            lam=self.lam,
            variant=self.variant,
            max_iter=self.max_iter,
            tol=self.tol,
        )
        self.A_ = factors["A"]
        self._bases = [W @ self.A_ for W in factors["W"]]
        self.W_ = [isometry(*pair) for pair in zip(factors["W"], factors["products"], strict=True)]
        self.Z_, self.alpha_ = factors["Z"], factors["alpha"]
        self.objective_ = np.array(objective)
        self.n_iter_ = len(objective)
        self._scaling = [view.scaling for view in views]
        if change >= self.tol:
            warn_not_converged("SMVSC", self.max_iter, self.tol)
        self.labels_, self.cluster_centers_, self.embedding_, self._singular_map = (
            labels_from_graph(
                self.Z_,
                self.n_clusters,
                n_vectors=None,
                unit=True,
                n_init=self.n_init,
                seed=seed_labels,
            )
        )
        return self

    def _represent_new(self, Xs, presence):
        weights, exact = self.alpha_**2, self.variant == "exact"
        Z = new_graph(
            [
                ScaledView(X, "feature_zscore", scaling, there)
                for X, scaling, there in zip(Xs, self._scaling, presence.T, strict=True)
            ],
            presence,
            self._bases,
            weights,
            self.lam,
            A=self.A_,
            exact=exact,
            pull=None if exact else np.ones(len(weights)),
        )
        return rows_of_graph(Z, self._singular_map, unit=True)
