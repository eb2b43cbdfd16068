"""k-means in every view alone, and the best view (BSV)."""

from numbers import Integral

import numpy as np

from mvclust.estimators.base import (
    MultiViewClusterer,
    ViewTags,
    best_silhouette,
    draw_seeds,
    labels_and_centers,
    views_to_try,
)
from mvclust.estimators.constraints import COUNT, Interval, StrOptions
from mvclust.estimators.new_samples import NewSamplesMixin, nearest_center
from mvclust.numerics.impute import Filler, fill_missing
from mvclust.numerics.scaling import ViewScaler, scale_views

JOINED = ("largest", "first")  # of the clusters of present rows that which the others join


class BestSingleView(NewSamplesMixin, MultiViewClusterer):
    """k-means in each view alone; the labels of the best view.

    The papers call it BSV and pick the view by the true labels. Here the silhouette over the
    view's present rows decides, or a given index (which is how a benchmark reproduces the
    papers' choice). In any one view all missing samples share a cluster: filled with the view's
    mean they are one point, as in the papers.

    Parameters
    ----------
    n_clusters : int
        Number of clusters.
    view : "silhouette" or int, default="silhouette"
        How the view is chosen, or its index.
    scale : {"sample_unit", "view_balanced", None}, default="sample_unit"
        "sample_unit" gives every sample unit length in every view (as the papers' code does),
        "view_balanced" standardises the features; both before filling.
    impute : {"mean", "knn", "largest", "first"}, default="mean"
        Filling of missing rows, see `mvclust.numerics.impute.fill_missing`; or only the present
        rows are clustered, and the others join the largest cluster ("largest") or the first one,
        whichever that is ("first").
    n_init : int, default=10
        Number of k-means starts.
    first_centers : {"k-means++", "random"}, default="k-means++"
        How a start of k-means draws them, see `mvclust.numerics.kmeans.kmeans`.
    random_state : int, RandomState, Generator or None, default=None
        Drives everything random: the same integer gives the same labels.

    Attributes
    ----------
    labels_ : ndarray of int of shape (n_samples,)
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        Means of the clusters in the view that was taken, scaled and filled.
    view_ : int
        The view that was taken.

    References
    ----------
    .. [1] J. Wen et al., "Unified Embedding Alignment with Missing Views Inferring for
       Incomplete Multi-View Clustering", AAAI 2019 (Tables 2 and 3).

    Examples
    --------
    >>> import numpy as np
    >>> from mvclust import BestSingleView
    >>> noise, signal = [[1.0], [2.0], [3.0], [1.5]], [[0.0], [0.1], [9.0], [9.1]]
    >>> model = BestSingleView(2, scale=None, random_state=0).fit([noise, signal])
    >>> model.view_, bool(model.labels_[0] == model.labels_[1])
    (1, True)
    """

    view_tags = ViewTags()
    _parameter_constraints = MultiViewClusterer._parameter_constraints | {
        "view": [StrOptions({"silhouette"}), Interval(Integral, 0, None, closed="left")],
        "scale": [StrOptions({"sample_unit", "view_balanced"}), None],
        "impute": [StrOptions({"mean", "knn", "largest", "first"})],
        "n_init": COUNT,
        "first_centers": [StrOptions({"k-means++", "random"})],
    }

    def __init__(
        self,
        n_clusters,
        *,
        view="silhouette",
        scale="sample_unit",
        impute="mean",
        n_init=10,
        first_centers="k-means++",
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.view = view
        self.scale = scale
        self.impute = impute
        self.n_init = n_init
        self.first_centers = first_centers
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
        tried = list(views_to_try(self.view, len(Xs), "BestSingleView"))
        (seed,) = draw_seeds(self.random_state, 1)
        self._scalers = [ViewScaler(*view, self.scale) for view in zip(Xs, presence.T, strict=True)]
        Xs = scale_views(Xs, presence, self.scale)
        if self.impute in JOINED:
            runs = [self._cluster_present(Xs[v], presence[:, v], seed) for v in tried]
        else:
            self._filler = Filler(Xs, presence, self.impute)
            Xs = fill_missing(Xs, presence, self.impute)
            runs = [self._cluster(Xs[v], seed) for v in tried]
        labels = [found for found, _ in runs]
        best = best_silhouette([Xs[v] for v in tried], presence[:, tried], labels)
        self.view_, (self.labels_, self.cluster_centers_) = tried[best], runs[best]
        self._joined = self._cluster_of_missing(self.labels_[presence[:, self.view_]])
        return self

    def _label_new(self, Xs, presence):
        Xs = [scaler.scale_rows(X) for scaler, X in zip(self._scalers, Xs, strict=True)]
        if self.impute in JOINED:
            labels = nearest_center(Xs[self.view_], self.cluster_centers_)
            return np.where(presence[:, self.view_], labels, self._joined)
        return nearest_center(self._filler.fill(Xs, presence)[self.view_], self.cluster_centers_)

    def _cluster(self, X, seed):
        return labels_and_centers(
            X, self.n_clusters, n_init=self.n_init, seed=seed, init=self.first_centers
        )

    def _cluster_present(self, X, present, seed):
        found, centers = self._cluster(X[present], seed)
        labels = np.full(len(present), self._cluster_of_missing(found))
        labels[present] = found
        return labels, centers

    def _cluster_of_missing(self, found):
        return int(np.bincount(found).argmax()) if self.impute == "largest" else 0
