"""Bases of estimators that label rows by k-means, and the steps of those with a tensor."""

import numpy as np

from mvclust.estimators.base import (
    MultiViewClusterer,
    cluster_rows,
    draw_seeds,
    warn_not_converged,
)
from mvclust.estimators.constraints import COUNT, NONNEGATIVE, StrOptions
from mvclust.numerics.graphs import neighbor_graph
from mvclust.numerics.scaling import unit_samples
from mvclust.numerics.simplex import quadratic_on_simplex
from mvclust.numerics.spectral import spectral_rows

MOST = 2000  # samples for which a few stacks of n x n matrices are held

RUN_PARAMETERS = {"max_iter": COUNT, "tol": NONNEGATIVE}
TENSOR_PARAMETERS = RUN_PARAMETERS | {
    "axis": [StrOptions({"samples", "views"})],
    "tubes": [StrOptions({"dft", "dct", "identity"})],
}
TENSOR_OPTIONS = ("axis", "tubes", "max_iter", "tol")  # of their solvers


def unit_columns(model, Xs, presence, most=MOST):
    """Views with samples as columns of unit length, and where the samples of each view are.

    The Xs have shape (n_samples, n_features_v), missing rows zero; `presence` is bool of shape
    (n_samples, n_views). More samples than `most` are refused; None: any number. Returns the list
    of the views (n_features_v, n_samples), and of the indices (n_v,).
    """
    if most is not None and len(presence) > most:
        raise ValueError(
            f"{type(model).__name__} keeps n x n matrices for each view and takes at most {most} "
            f"samples, got {len(presence)}: take a subset, or a method linear in the samples such "
            "as ASCR."
        )
    views = [np.ascontiguousarray(unit_samples(X).T) for X in Xs]
    return views, [np.flatnonzero(there) for there in presence.T]


def presence_graph(X, rows, n_neighbors):
    """Nearest neighbours among the samples of a view, as a binary matrix over all samples.

    X has shape (n_features, n_samples), `rows` (n_v,). The result of shape (n_samples, n_samples)
    is symmetric.
    """
    W = np.zeros((X.shape[1],) * 2)
    present = np.ascontiguousarray(X[:, rows].T)
    W[np.ix_(rows, rows)] = neighbor_graph(present, n_neighbors).toarray()
    return W


def ridge_solver(X, ridge, weight=1.0):
    """A function that multiplies by (ridge I + weight X'X)^-1, through the short side of X.

    X has shape (d, n); ridge and weight are above 0.
    """
    d, n = X.shape
    if 2 * d > n:
        inverse = np.linalg.inv(ridge * np.eye(n) + weight * (X.T @ X))
        return inverse.__matmul__
    half = np.linalg.solve(ridge * np.eye(d) + weight * (X @ X.T), weight * X)

    def multiply(R):
        return (R - X.T @ (half @ R)) / ridge

    return multiply


def shrink_columns(F, tau):
    """The proximal map of tau times the sum of the lengths of the columns."""
    lengths = np.sqrt(np.einsum("ij,ij->j", F, F))
    kept = np.maximum(lengths - tau, 0.0)
    return F * np.divide(kept, lengths, out=np.zeros_like(kept), where=lengths > 0)


def soft_threshold(A, tau):
    """Entries moved towards zero by tau."""
    return np.sign(A) * np.maximum(np.abs(A) - tau, 0.0)


def rows_on_simplex(Z):
    """The nearest matrix with rows on the simplex and a zero diagonal."""
    curvature = np.ones_like(Z)
    np.fill_diagonal(curvature, np.inf)
    return quadratic_on_simplex(-Z, curvature)


def largest_row_sum(matrices):
    """The largest absolute row sum of some matrices."""
    return max(float(np.abs(A).sum(axis=1).max()) for A in matrices)


def symmetric_sum(stack):
    """Sum over a stack of |Z| + |Z'|."""
    total = np.abs(stack).sum(axis=0)
    return total + total.T


def options_of(model, *names):
    """Some parameters of a model by name, as its solver takes them."""
    return {name: getattr(model, name) for name in names}


class EmbeddingClusterer(MultiViewClusterer):
    """Base of methods that learn rows, one per sample, and cluster them by k-means.

    A subclass defines ``_embed(Xs, presence)``, which returns the rows, the objective after each
    iteration, and the last change, compared with ``tol``: empty and 0 if it does not iterate.
    """

    _parameter_constraints = MultiViewClusterer._parameter_constraints | {"n_init": COUNT}

    def fit(self, Xs, y=None):
        """Cluster the samples.

        Parameters
        ----------
        Xs : list of array-like, each of shape (n_samples, n_features_v)
            The views; where instances may be missing, these are rows of NaN.
        y : ignored

        Returns
        -------
        self
        """
        Xs, presence = self.check_input(Xs)
        (self._seed,) = draw_seeds(self.random_state, 1)
        self.embedding_, objective, stop = self._embed(Xs, presence)
        if objective:
            self.objective_, self.n_iter_ = np.array(objective), len(objective)
        if stop > 0 and stop > self.tol:
            warn_not_converged(type(self).__name__, self.max_iter, self.tol)
        self.labels_ = self.label_rows(self.embedding_)
        return self

    def label_rows(self, rows):
        """Label rows as `fit` does, with its seed.

        Parameters
        ----------
        rows : ndarray of shape (n_samples, n_columns)
            Those of `embedding_`, or the same in another order.

        Returns
        -------
        ndarray of int of shape (n_samples,)
        """
        return cluster_rows(rows, self.n_clusters, n_init=self.n_init, seed=self._seed)


class SimilarityClusterer(EmbeddingClusterer):
    """Base of methods that learn a similarity of samples and cluster it spectrally.

    A subclass defines ``_learn(Xs, presence)``, which returns the similarity in place of the rows.
    """

    def _embed(self, Xs, presence):
        self.similarity_, objective, stop = self._learn(Xs, presence)
        return spectral_rows(self.similarity_, self.n_clusters), objective, stop


class TubeReader:
    """Mixin for methods with a tensor and the parameters `TENSOR_PARAMETERS`."""

    @property
    def reads_order(self):
        """Whether the order of the samples plays a part: they make the tubes of a transform."""
        return self.axis == "samples" and self.tubes != "identity"


class TensorClusterer(TubeReader, SimilarityClusterer):
    """Base of methods that learn a similarity from a tensor."""

    _parameter_constraints = SimilarityClusterer._parameter_constraints | TENSOR_PARAMETERS
