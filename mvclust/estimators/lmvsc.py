"""Large-scale multi-view subspace clustering in linear time (Kang et al., AAAI 2020)."""

import numpy as np

from mvclust.estimators.anchor_steps import check_n_anchors
from mvclust.estimators.base import (
    MultiViewClusterer,
    Solution,
    ViewTags,
    check_start,
    draw_seeds,
    labels_and_centers,
)
from mvclust.estimators.constraints import COUNT, POSITIVE, StrOptions
from mvclust.estimators.new_samples import FoldInMixin
from mvclust.numerics.distances import centred, squared_norm
from mvclust.numerics.gram_svd import left_singular_vectors
from mvclust.numerics.kmeans import kmeans
from mvclust.numerics.scaling import ViewScaler
from mvclust.numerics.simplex_qp import simplex_qp

ANCHOR_SAMPLES = 20_000  # samples that k-means looks for anchors in


def lmvsc(Xs, H, n_clusters, *, alpha) -> Solution:
    """Represent every sample by the anchors of each view, and embed all representations.

    Minimises sum_v ||X_v - Z_v H_v||^2 + alpha ||Z_v||^2 with the rows of Z_v in the simplex, for
    fixed anchors and alpha > 0. The X_v (n_samples, n_features_v) are an iterable, the anchors H_v
    (n_anchors, n_features_v) a list. The embedding is that of spectral clustering on the graph
    S S', S = [Z_1, ..., Z_V] / sqrt(V). Nothing is iterated.

    The Solution has Z (list with one (n_samples, n_anchors) array per view); U (n_samples, r), left
    singular vectors of S, r at most n_clusters; sigma (r,), their singular values; Q, what makes U
    of the Z_v (list with one (n_anchors, r) array per view); the objective, one value; nothing for
    the stop.
    """
    Z, objective = [], 0.0
    for X, H_v in zip(Xs, H, strict=True):
        H_v, X = centred(H_v, X)  # rows of the simplex: no distance changes
        gram, products = H_v @ H_v.T, X @ H_v.T
        Z.append(represent(gram, products, alpha))
        error = squared_norm(X) - 2 * np.vdot(Z[-1], products)
        objective += error + np.vdot(gram, Z[-1].T @ Z[-1]) + alpha * squared_norm(Z[-1])
    U, sigma, V = left_singular_vectors(Z, n_clusters)
    Q = np.split(V / sigma, len(Z))
    factors = {"Z": Z, "U": U, "sigma": sigma / np.sqrt(len(Z)), "Q": Q}
    return Solution(factors, [float(objective)], np.nan)


def represent(gram, products, alpha):
    """Rows z of the simplex that minimise ||x - z H||^2 + alpha ||z||^2.

    `gram` is H H' of shape (n_anchors, n_anchors); `products` are X H' of shape
    (n_samples, n_anchors), as is the result.
    """
    return simplex_qp(gram + alpha * np.eye(len(gram)), products)


def start_from_kmeans(Xs, n_anchors, n_init, seeds):
    """Anchors: the centers of k-means in every view, a list of arrays (n_anchors, n_features_v).

    k-means runs on at most 20,000 samples, drawn once for all views: more hardly move a center. The
    views (n_samples, n_features_v) are an iterable. There are no more anchors than samples. One
    seed is for the sample, the other for k-means.
    """
    H = []
    for X in Xs:
        if len(X) > ANCHOR_SAMPLES:
            rng = np.random.default_rng(seeds[0])
            X = X[np.sort(rng.choice(len(X), ANCHOR_SAMPLES, replace=False))]
        H.append(kmeans(X, min(n_anchors, len(X)), n_init=n_init, seed=seeds[1])[1])
    return H


class LMVSC(FoldInMixin, MultiViewClusterer):
    """Large-scale multi-view subspace clustering, for complete views.

    Every view represents the samples as convex combinations of a few anchors, the centers of
    k-means. The left singular vectors of all representations side by side are the embedding,
    whose rows k-means clusters [1]_. Time and memory are linear in the number of samples.

    Steps are those of the released code (github.com/sckangz/LMVSC, commit 52eaeaa), whose
    representations are equal up to rounding.

    Parameters
    ----------
    n_clusters : int
        Number of clusters.
    n_anchors : int or None, default=None
        Anchors of each view, at most as many as there are samples; None: three for each cluster.
        The demo of the released code tries n_clusters, 50 and 100.
    alpha : float, default=0.1
        Weight of the squared length of the representations; the larger it is, the more anchors
        share a sample. It depends on the scale of the features. The demo tries 0.01, 1 and 100.
    scale : {"sample_unit", "view_balanced", None}, default="sample_unit"
        Scaling of the features, see `mvclust.numerics.scaling.scale_views`. The released code has
        none. On Handwritten, six views, "view_balanced" reaches an accuracy of 0.94 and
        "sample_unit" 0.83; on the texts of BBCSport 0.36 and 0.78.
    init : "kmeans" or dict, default="kmeans"
        Anchors: the centers of k-means in each view, on at most 20,000 samples. A dict gives H, a
        list with one (n_anchors, n_features_v) array per view, of the features as scaled.
    n_init : int, default=10
        Number of k-means starts, for the anchors and for the labels.
    random_state : int, RandomState, Generator or None, default=None
        For both runs of k-means.

    Attributes
    ----------
    labels_ : ndarray of int of shape (n_samples,)
    embedding_ : ndarray of shape (n_samples, n_components)
        `U_`, whose rows k-means clusters.
    cluster_centers_ : ndarray of shape (n_clusters, n_components)
        Means of the clusters in `embedding_`.
    U_ : ndarray of shape (n_samples, n_components)
        Left singular vectors; fewer than n_clusters where the anchors have a lower rank.
    Z_ : list of ndarray, each of shape (n_samples, n_anchors)
        Representations; rows are non-negative and sum to 1.
    H_ : list of ndarray, each of shape (n_anchors, n_features_v)
        Anchors.
    sigma_ : ndarray of shape (n_components,)
        Singular values.
    objective_ : ndarray of shape (1,)
        sum_v ||X_v - Z_v H_v||^2 + alpha ||Z_v||^2.
    n_iter_ : int
        1: nothing is iterated.

    References
    ----------
    .. [1] Z. Kang, W. Zhou, Z. Zhao, J. Shao, M. Han and Z. Xu, "Large-Scale Multi-View Subspace
       Clustering in Linear Time", AAAI 2020.

    Examples
    --------
    >>> import numpy as np
    >>> from mvclust import LMVSC
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 10)
    >>> X1, X2 = 4 * np.eye(2)[y] + rng.random((20, 2)), 3 * np.eye(2)[y] + rng.random((20, 2))
    >>> labels = LMVSC(2, random_state=0).fit_predict([X1, X2])
    >>> bool((labels[:10] == labels[0]).all() and (labels[10:] == 1 - labels[0]).all())
    True
    """

    view_tags = ViewTags(incomplete=False)
    _parameter_constraints = MultiViewClusterer._parameter_constraints | {
        "n_anchors": [*COUNT, None],
        "alpha": POSITIVE,
        "scale": [StrOptions({"sample_unit", "view_balanced"}), None],
        "init": [StrOptions({"kmeans"}), dict],
        "n_init": COUNT,
    }

    def __init__(
        self,
        n_clusters,
        *,
        n_anchors=None,
        alpha=0.1,
        scale="sample_unit",
        init="kmeans",
        n_init=10,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.n_anchors = n_anchors
        self.alpha = alpha
        self.scale = scale
        self.init = init
        self.n_init = n_init
        self.random_state = random_state

    # Anchors depend on these alone, so that grids over alpha can share them.
    start_parameters = ("n_clusters", "n_anchors", "scale", "n_init", "random_state")

    def draw_start(self, Xs):
        """The anchors that ``init="kmeans"`` finds, to be given as ``init=``.

        Parameters
        ----------
        Xs : list of array-like, each of shape (n_samples, n_features_v)
            The views.

        Returns
        -------
        dict with H
        """
        seeds = draw_seeds(self.random_state, 3)
        return self._start(*self._checked(Xs), seeds[:2])

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
        Xs, self._scalers = self._checked(Xs)
        *seeds, seed_labels = draw_seeds(self.random_state, 3)
        self.H_ = self._start(Xs, self._scalers, seeds)["H"]
        scaled = (scaler.scale_rows(X) for scaler, X in zip(self._scalers, Xs, strict=True))
        factors, objective, _ = lmvsc(scaled, self.H_, self.n_clusters, alpha=self.alpha)
        self.Z_, self.U_, self.sigma_ = (factors[name] for name in ("Z", "U", "sigma"))
        self._to_embedding = factors["Q"]
        self.objective_ = np.array(objective)
        self.n_iter_ = len(objective)
        self.embedding_ = self.U_
        self.labels_, self.cluster_centers_ = labels_and_centers(
            self.U_, self.n_clusters, n_init=self.n_init, seed=seed_labels
        )
        return self

    def _checked(self, Xs):
        """The views, and what scales them: a scaled copy of one view is there at a time."""
        Xs, presence = self.check_input(Xs)
        return Xs, [ViewScaler(*view, self.scale) for view in zip(Xs, presence.T, strict=True)]

    def _start(self, Xs, scalers, seeds):
        if isinstance(self.init, dict):
            given = self.init.get("H", ())
            shapes = {"H": [(len(given[0]) if len(given) else 0, X.shape[1]) for X in Xs]}
            return check_start(self.init, shapes, "LMVSC")
        n_anchors = check_n_anchors(self, Xs[0].shape[0], per_cluster=3)
        scaled = (scaler.scale_rows(X) for scaler, X in zip(scalers, Xs, strict=True))
        return {"H": start_from_kmeans(scaled, n_anchors, self.n_init, seeds)}

    def _represent_new(self, Xs, presence):
        """Rows of U from the views that a sample has, as if the others agreed with them."""
        rows = np.zeros((len(presence), self.U_.shape[1]))
        for v, X in enumerate(Xs):
            there = presence[:, v]
            H, X_v = centred(self.H_[v], self._scalers[v].scale_rows(X[there]))
            rows[there] += represent(H @ H.T, X_v @ H.T, self.alpha) @ self._to_embedding[v]
        return rows * (len(Xs) / presence.sum(axis=1))[:, None]
