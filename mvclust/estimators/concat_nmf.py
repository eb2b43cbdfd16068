"""Non-negative matrix factorisation of the concatenated views (ConcatNMF)."""

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from mvclust.estimators.base import (
    MultiViewClusterer,
    ViewTags,
    draw_seeds,
    warn_not_converged,
)
from mvclust.estimators.new_samples import FoldInMixin
from mvclust.estimators.steps import (
    NMF_PARAMETERS,
    factorise,
    labels_from_coefficients,
    rows_of_coefficients,
)
from mvclust.numerics.fold_in import fold_in
from mvclust.numerics.impute import Filler, fill_missing


class ConcatNMF(FoldInMixin, MultiViewClusterer):
    """Cluster by the common coefficients of a factorisation of all views side by side.

    Every view is scaled to sum 1, so that all weigh the same, and `NMFClustering`'s rules run
    on the concatenation. The baseline comes from the MultiNMF paper [1]_.

    Parameters
    ----------
    n_clusters : int
        Number of clusters, and of columns of U and V.
    impute : {"mean", "knn"}, default="mean"
        Filling of missing rows, see `mvclust.numerics.impute.fill_missing`.
    labels : {"kmeans", "kmeans_unit", "argmax"}, default="kmeans"
        k-means on the rows of V, the same on rows of unit length, or the largest coefficient; see
        `NMFClustering`.
    init : "random" or dict, default="random"
        A dict gives the arrays U (all features, n_clusters) and V (n_samples, n_clusters).
    n_init : int, default=10
        Number of random starts, and of k-means starts for the labels.
    warm_up : int, default=50
        Iterations of each random start.
    max_iter : int, default=200
        Most iterations of the best start after that.
    tol : float, default=1e-6
        Distance of the objective to its exponential mean, relatively, that ends the run.
    random_state : int, RandomState, Generator or None, default=None
        Drives everything random: the same integer gives the same labels.

    Attributes
    ----------
    labels_ : ndarray of int of shape (n_samples,)
    embedding_ : ndarray of shape (n_samples, n_clusters)
        The rows that the labels come from: those of `V_`, of unit length if `labels` is
        "kmeans_unit".
    cluster_centers_ : ndarray of shape (n_clusters, n_clusters)
        Means of the clusters in `embedding_`; None with
        ``labels="argmax"``.
    U_ : ndarray of shape (sum of n_features_v, n_clusters)
    V_ : ndarray of shape (n_samples, n_clusters)
    objective_ : ndarray
        Squared error of the scaled concatenation after each iteration.
    n_iter_ : int

    References
    ----------
    .. [1] J. Liu, C. Wang, J. Gao and J. Han, "Multi-View Clustering via Joint Nonnegative
       Matrix Factorization", SDM 2013.

    Examples
    --------
    >>> import numpy as np
    >>> from mvclust import ConcatNMF
    >>> X = np.kron(np.eye(2), np.ones((4, 3))) + 0.01
    >>> labels = ConcatNMF(2, tol=1e-3, random_state=0).fit_predict([X, 5 * X])
    >>> bool(len(set(labels[:4])) == len(set(labels[4:])) == 1 and labels[0] != labels[4])
    True
    """

    view_tags = ViewTags(sparse=True, nonnegative=True)
    _parameter_constraints = MultiViewClusterer._parameter_constraints | NMF_PARAMETERS

    def __init__(
        self,
        n_clusters,
        *,
        impute="mean",
        labels="kmeans",
        init="random",
        n_init=10,
        warm_up=50,
        max_iter=200,
        tol=1e-6,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.impute = impute
        self.labels = labels
        self.init = init
        self.n_init = n_init
        self.warm_up = warm_up
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    # These decide how labels follow from a solution, so that models of one solution can share it.
    label_parameters = ("labels",)

    def fit(self, Xs, y=None):
        """Cluster the samples.

        Parameters
        ----------
        Xs : list of array-like or sparse, each of shape (n_samples, n_features_v), non-negative
            The views; a missing instance is a row of NaN. Views with missing instances are
            filled, and so made dense.
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
        Xs, presence = self.check_input(Xs)
        filled = fill_missing(Xs, presence, self.impute)
        self._filler = Filler(Xs, presence, self.impute)
        self._totals = [X.sum() * len(filled) for X in filled]
        Xs = [X / X.sum() for X in filled]
        if all(map(sparse.issparse, Xs)):
            Xs = [sparse.csr_array(sparse.hstack(Xs))]
        seed_start, self._seed_labels = draw_seeds(self.random_state, 2)
        self.U_, self.V_, self.objective_, change = factorise(self, Xs, seed_start)
        self.n_iter_ = len(self.objective_)
        if change >= self.tol:
            warn_not_converged("ConcatNMF", self.max_iter, self.tol)
        return self

    def relabel(self):
        """Label the samples of a model that has its solution, as ``labels`` now says.

        Returns
        -------
        self
        """
        check_is_fitted(self, "V_")
        self.embedding_ = rows_of_coefficients(self.V_, self.labels)
        self.labels_, self.cluster_centers_ = labels_from_coefficients(
            self, self.V_, self._seed_labels
        )
        return self

    def _represent_new(self, Xs, presence):
        Xs = [X / t for X, t in zip(self._filler.fill(Xs, presence), self._totals, strict=True)]
        bases = np.split(self.U_, np.cumsum(self.n_features_in_)[:-1])
        return rows_of_coefficients(fold_in(Xs, bases, np.ones_like(presence)), self.labels)
