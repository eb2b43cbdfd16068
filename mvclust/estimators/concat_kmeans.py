"""k-means on the concatenated views (Concat, KM on all features)."""

import numpy as np

from mvclust.estimators.base import MultiViewClusterer, ViewTags, draw_seeds, labels_and_centers
from mvclust.estimators.constraints import COUNT, StrOptions
from mvclust.estimators.new_samples import NewSamplesMixin, nearest_center
from mvclust.estimators.steps import check_scale
from mvclust.numerics.impute import Filler, fill_missing
from mvclust.numerics.scaling import ViewScaler, scale_views, unit_samples


class ConcatKMeans(NewSamplesMixin, MultiViewClusterer):
    """k-means on all views side by side.

    With ``scale="sample_unit", impute="mean"`` this is the baseline "Concat" of the papers; with
    ``scale="view_balanced", impute="knn"`` it is the honest reference that ten lines of
    scikit-learn give.

    Parameters
    ----------
    n_clusters : int
        Number of clusters.
    scale : {"view_balanced", "sample_unit", None} or list of these, default="view_balanced"
        "view_balanced" standardises the features and divides each view by the square root of
        their number; "sample_unit" gives every sample unit length in every view; both before
        filling.
    impute : {"mean", "knn"}, default="knn"
        Filling of missing rows, see `mvclust.numerics.impute.fill_missing`.
    n_neighbors : int, default=5
        Neighbours for ``impute="knn"``.
    unit_samples : bool, default=False
        Whether the filled samples, all views side by side, get unit length.
    n_init : int, default=10
        Number of k-means starts.
    first_centers : {"k-means++", "random"}, default="k-means++"
        How a start of k-means draws them, see `mvclust.numerics.kmeans.kmeans`.
    random_state : int, RandomState, Generator or None, default=None
        Drives everything random: the same integer gives the same labels.

    Attributes
    ----------
    labels_ : ndarray of int of shape (n_samples,)
    cluster_centers_ : ndarray of shape (n_clusters, sum of n_features_v)
        Means of the clusters in the scaled and filled views side by side.

    Examples
    --------
    >>> import numpy as np
    >>> from mvclust import ConcatKMeans
    >>> X1 = np.array([[0.0], [0.1], [9.0], [np.nan]])
    >>> X2 = np.array([[1.0], [1.2], [5.0], [5.1]])
    >>> labels = ConcatKMeans(2, n_neighbors=1, random_state=0).fit_predict([X1, X2])
    >>> bool(labels[2] == labels[3] != labels[0])
    True
    """

    view_tags = ViewTags()
    _parameter_constraints = MultiViewClusterer._parameter_constraints | {
        "scale": [StrOptions({"sample_unit", "view_balanced"}), None, "array-like"],
        "impute": [StrOptions({"mean", "knn"})],
        "n_neighbors": COUNT,
        "unit_samples": ["boolean"],
        "n_init": COUNT,
        "first_centers": [StrOptions({"k-means++", "random"})],
    }

    def __init__(
        self,
        n_clusters,
        *,
        scale="view_balanced",
        impute="knn",
        n_neighbors=5,
        unit_samples=False,
        n_init=10,
        first_centers="k-means++",
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.scale = scale
        self.impute = impute
        self.n_neighbors = n_neighbors
        self.unit_samples = unit_samples
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
        (seed,) = draw_seeds(self.random_state, 1)
        scale = check_scale(self.scale, len(Xs), "ConcatKMeans")
        self._scalers = [ViewScaler(*view) for view in zip(Xs, presence.T, scale, strict=True)]
        Xs = scale_views(Xs, presence, scale)
        self._filler = Filler(Xs, presence, self.impute, self.n_neighbors)
        X = self._side_by_side(fill_missing(Xs, presence, self.impute, self.n_neighbors))
        self.labels_, self.cluster_centers_ = labels_and_centers(
            X, self.n_clusters, n_init=self.n_init, seed=seed, init=self.first_centers
        )
        return self

    def _label_new(self, Xs, presence):
        Xs = [scaler.scale_rows(X) for scaler, X in zip(self._scalers, Xs, strict=True)]
        X = self._side_by_side(self._filler.fill(Xs, presence))
        return nearest_center(X, self.cluster_centers_)

    def _side_by_side(self, Xs):
        X = np.hstack(Xs)
        return unit_samples(X) if self.unit_samples else X
