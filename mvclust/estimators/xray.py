"""XRAY: near-separable NMF by extreme rays (Kumar, Sindhwani & Kambadur, ICML 2013)."""

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from mvclust.estimators.base import (
    MultiViewClusterer,
    Solution,
    ViewTags,
    draw_seeds,
)
from mvclust.estimators.constraints import COUNT, StrOptions
from mvclust.estimators.new_samples import FoldInMixin
from mvclust.estimators.steps import labels_from_coefficients, rows_of_coefficients
from mvclust.numerics.blocks import row_blocks
from mvclust.numerics.distances import squared_row_norms
from mvclust.numerics.fold_in import fold_in
from mvclust.numerics.nnls import nonnegative_least_squares
from mvclust.numerics.products import dense

EXPLAINED = 1e-12  # share of the largest squared row that counts as no residual
TIE = 1e-12  # relative difference of scores that is due to rounding: the first row is taken
BLOCK = 2**17  # entries of the residual products worked on at a time: they stay in the cache


def xray(X, n_anchors, *, rule) -> Solution:
    """Choose rows A of X one by one such that X is near H X_A with non-negative H.

    X (n_samples, n_features), dense or csr_array, is non-negative. The residual R = X - H X_A is
    never formed: what is asked of it follows from X X_A' and the k x k Gram matrix of the anchors,
    so that a sparse X stays sparse. The rule "max" takes of all rows x_j the one with the largest
    (r_i x_j) / (1'x_j), where r_i is the longest row of R: an extreme ray. "greedy" takes the row
    that alone lowers the error most, that is, with the largest sum_i max(r_i x_j, 0)^2 / ||x_j||^2.

    The Solution has anchors, the rows chosen, fewer than n_anchors if fewer rows explain all
    others, and H (n_samples, n_anchors); ||X - H X_A||^2 after each anchor; the largest squared
    norm of a row of the residual at the end.
    """
    n_samples = X.shape[0]
    squares, sums = squared_row_norms(X), np.asarray(X.sum(axis=1)).ravel()
    gram = dense(X @ X.T) if rule == "greedy" else None
    anchors, objective, errors = [], [], squares
    XA, H = np.zeros((n_samples, 0)), np.zeros((n_samples, 0))  # XA is X X_A'
    while len(anchors) < n_anchors and errors.max() > EXPLAINED * squares.max():
        if rule == "greedy":
            scores = _gains(gram, XA, H, squares)
        else:
            i = _first_largest(errors)
            residual = _rows(X, [i])[0] - H[i] @ _rows(X, anchors)
            scores = np.divide(X @ residual, sums, out=np.zeros(n_samples), where=sums > 0)
        scores[anchors] = 0.0
        anchors.append(_first_largest(scores))
        XA = np.column_stack([XA, X @ _rows(X, anchors[-1:])[0]])
        G = XA[anchors]
        H = nonnegative_least_squares(G, XA, np.column_stack([H, np.zeros(n_samples)]))
        errors = np.maximum(squares - np.einsum("ij,ij->i", 2 * XA - H @ G, H), 0.0)
        objective.append(float(errors.sum()))
    factors = {"anchors": np.array(anchors, dtype=int), "H": H}
    return Solution(factors, objective, float(errors.max()))


def _gains(gram, XA, H, squares):
    """How much each row alone would lower the error, the other coefficients held."""
    gains = np.empty(len(gram))
    for rows in row_blocks(len(gram), len(gram), BLOCK):
        products = gram[rows] - XA[rows] @ H.T  # x_j r_i for all samples i
        np.maximum(products, 0.0, out=products)
        gains[rows] = squared_row_norms(products)
    return np.divide(gains, squares, out=np.zeros(len(gram)), where=squares > 0)


def _first_largest(scores):
    return int(np.argmax(scores >= (1 - TIE) * scores.max()))


def _rows(X, indices):
    return dense(X[indices])


class XRAY(FoldInMixin, MultiViewClusterer):
    """Cluster by the coefficients of a near-separable NMF, whose basis are some of the samples.

    Samples are chosen one by one as anchors; every other sample is fitted as their non-negative
    combination [1]_. Several views are put side by side, each scaled to sum 1 so that all weigh
    the same, as in `ConcatNMF`.

    Parameters
    ----------
    n_clusters : int
        Number of clusters, and of anchors.
    rule : {"greedy", "max"}, default="greedy"
        How the next anchor is chosen, see the notes.
    labels : {"kmeans", "kmeans_unit", "argmax"}, default="kmeans"
        k-means on the coefficients, the same scaled to unit length, or the largest; all times the
        length of the anchor, so that a rescaled anchor changes nothing. The paper clusters nothing.
    n_init : int, default=10
        Number of k-means starts for the labels.
    random_state : int, RandomState, Generator or None, default=None
        Drives k-means; the factorisation is deterministic.

    Attributes
    ----------
    labels_ : ndarray of int of shape (n_samples,)
    embedding_ : ndarray of shape (n_samples, n_iter_)
        The rows that the labels come from: those of `H_` times the lengths of the anchors; of unit
        length if `labels` is "kmeans_unit".
    cluster_centers_ : ndarray of shape (n_clusters, n_iter_)
        Means of the clusters in `embedding_`; None with
        ``labels="argmax"``.
    anchors_ : ndarray of int of shape (n_iter_,)
        The samples that are the basis, in the order of their choice.
    H_ : ndarray of shape (n_samples, n_iter_)
        Coefficients: X is near H_ @ X[anchors_].
    objective_ : ndarray of shape (n_iter_,)
        ||X - H X_A||^2 of the scaled views after each anchor. It falls.
    n_iter_ : int
        Number of anchors: n_clusters, or fewer if these explain all samples.

    Notes
    -----
    "max" takes the longest residual r_i and the row x_j with the largest (r_i x_j) / (1'x_j),
    which is an extreme ray of the cone of all rows: it finds the basis of separable data.
    "greedy" takes the row whose addition alone lowers the error most, which may lie inside the
    cone; it needs the n x n products of the samples (n^2 numbers of memory). Real data are not
    separable. Accuracy and the share of ||X||^2 that is left:

    ========  ==================  ==================  ==================
    rule      handwritten fou     handwritten pix     cora, content
    ========  ==================  ==================  ==================
    "max"     0.53, 0.132         0.62, 0.253         0.25, 0.953
    "greedy"  0.56, 0.104         0.69, 0.219         0.34, 0.923
    ========  ==================  ==================  ==================

    References
    ----------
    .. [1] A. Kumar, V. Sindhwani and P. Kambadur, "Fast Conical Hull Algorithms for
       Near-separable Non-negative Matrix Factorization", ICML 2013.

    Examples
    --------
    >>> import numpy as np
    >>> from mvclust.estimators.xray import XRAY
    >>> X = np.kron(np.eye(2), np.ones((4, 3))) + 0.01
    >>> model = XRAY(2, random_state=0).fit([X, X[:, :4] + 0.1])
    >>> model.anchors_.tolist(), bool((model.labels_[:4] != model.labels_[4:]).all())
    ([0, 4], True)
    """

    view_tags = ViewTags(incomplete=False, sparse=True, nonnegative=True)
    _parameter_constraints = MultiViewClusterer._parameter_constraints | {
        "rule": [StrOptions({"greedy", "max"})],
        "labels": [StrOptions({"kmeans", "kmeans_unit", "argmax"})],
        "n_init": COUNT,
    }

    def __init__(self, n_clusters, *, rule="greedy", labels="kmeans", n_init=10, random_state=None):
        self.n_clusters = n_clusters
        self.rule = rule
        self.labels = labels
        self.n_init = n_init
        self.random_state = random_state

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
        (self._seed_labels,) = draw_seeds(self.random_state, 1)
        X = _side_by_side(Xs)
        factors, objective, _ = xray(X, self.n_clusters, rule=self.rule)
        self.anchors_, self.H_ = factors["anchors"], factors["H"]
        self.objective_ = np.array(objective)
        self.n_iter_ = len(objective)
        self._totals, anchors = [X_v.sum() for X_v in Xs], _rows(X, self.anchors_)
        self._bases = np.split(anchors.T, np.cumsum(self.n_features_in_)[:-1])
        self._lengths = np.sqrt(squared_row_norms(anchors))
        return self

    def relabel(self):
        """Label the samples of a model that has its solution, as ``labels`` now says.

        Returns
        -------
        self
        """
        check_is_fitted(self, "H_")
        weights = self.H_ * self._lengths
        self.embedding_ = rows_of_coefficients(weights, self.labels)
        self.labels_, self.cluster_centers_ = labels_from_coefficients(
            self, weights, self._seed_labels
        )
        return self

    def _represent_new(self, Xs, presence):
        Xs = [X / total for X, total in zip(Xs, self._totals, strict=True)]
        return rows_of_coefficients(fold_in(Xs, self._bases, presence) * self._lengths, self.labels)


def _side_by_side(Xs):
    """The views scaled to sum 1; sparse if all are."""
    Xs = [X / X.sum() for X in Xs]
    if all(sparse.issparse(X) for X in Xs):
        return sparse.csr_array(sparse.hstack(Xs))
    return np.hstack([dense(X) for X in Xs])
