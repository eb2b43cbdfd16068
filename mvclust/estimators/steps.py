"""Steps that a few estimators share beyond what all need: parameters checked, and labels found."""

import warnings
from numbers import Real

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from mvclust.estimators.base import (
    check_start,
    cluster_rows,
    labels_and_centers,
    warn_if_fewer,
)
from mvclust.estimators.constraints import COUNT, NONNEGATIVE, StrOptions
from mvclust.numerics.graphs import connected_components
from mvclust.numerics.multiplicative import best_nmf, nmf
from mvclust.numerics.scaling import unit_samples

# Parameters of the estimators that factorise one matrix.
NMF_PARAMETERS = {
    "impute": [StrOptions({"mean", "knn"})],
    "labels": [StrOptions({"kmeans", "kmeans_unit", "argmax"})],
    "init": [StrOptions({"random"}), dict],
    "n_init": COUNT,
    "warm_up": COUNT,
    "max_iter": COUNT,
    "tol": NONNEGATIVE,
}


def check_weights(given, n_views, name):
    """A weight for every view, in an array, from one number, or from one for each view.

    `name` is that of the method and the parameter, for the message.
    """
    weights = np.full(n_views, given) if isinstance(given, Real) else np.asarray(given)
    if weights.shape != (n_views,) or not (weights >= 0).all():
        raise ValueError(
            f"{name} must be a number from 0 or one such number for each of the {n_views} views; "
            f"got {given!r}."
        )
    return weights.astype(np.float64)


def check_scale(given, n_views, name):
    """How views are scaled, as a list: in one way for all, or a list with one for each view.

    The ways are names as `mvclust.numerics.scaling.scale_views` takes them, or None. `name` is the
    method, for the message.
    """
    each = given if isinstance(given, list) else [given] * n_views
    if len(each) != n_views or not set(each) <= {"sample_unit", "view_balanced", None}:
        raise ValueError(
            f"{name}: scale must be 'sample_unit', 'view_balanced' or None, or a list with one of "
            f"these for each of the {n_views} views; got {given!r}."
        )
    return each


def labels_from_components(S, F, n_clusters, *, name, n_init, seed):
    """Label samples by the components of S, or by k-means on F if their number is wrong.

    S is a csr_array of shape (n_samples, n_samples), F has shape (n_samples, n_clusters). `name` is
    who asks, for the warning; `n_init` and `seed` are those of k-means.
    """
    A = sparse.csr_array(S + S.T)
    A.eliminate_zeros()
    labels = connected_components(A).astype(np.intp)
    n_found = labels.max() + 1
    if n_found != n_clusters:
        warnings.warn(
            f"{name}: the learned graph has {n_found} components, not the {n_clusters} clusters "
            "asked for; the labels are from k-means on its eigenvectors.",
            ConvergenceWarning,
            stacklevel=3,
        )
        labels = cluster_rows(F, n_clusters, n_init=n_init, seed=seed)
    return labels


def factorise(model, Xs, seed):
    """Factorise one matrix as `model` (NMFClustering or ConcatNMF) asks.

    The model has the parameters of `NMF_PARAMETERS`. The Xs are the non-negative matrix in blocks
    of columns, each of shape (n_samples, n_features_v), dense or csr_array. Returns U, V, objective
    and change.
    """
    total = sum(X.sum() for X in Xs)
    X = [X / total for X in Xs]
    if isinstance(model.init, dict):
        n_samples, n_features = X[0].shape[0], sum(X_v.shape[1] for X_v in X)
        shapes = {"U": (n_features, model.n_clusters), "V": (n_samples, model.n_clusters)}
        start = check_start(model.init, shapes, type(model).__name__)
        U, V, objective, change = nmf(
            X, start["U"], start["V"], max_iter=model.max_iter, tol=model.tol
        )
    else:
        U, V, objective, change = best_nmf(
            X,
            model.n_clusters,
            n_init=model.n_init,
            warm_up=model.warm_up,
            max_iter=model.max_iter,
            tol=model.tol,
            seed=seed,
        )
    return U, V, np.array(objective), change


def labels_from_coefficients(model, V, seed):
    """Labels of the rows of V as the parameter ``labels`` of `model` asks; centers, or None."""
    if model.labels == "argmax":
        labels = V.argmax(axis=1)
        warn_if_fewer(labels, model.n_clusters)
        return labels, None
    rows = rows_of_coefficients(V, model.labels)
    return labels_and_centers(rows, model.n_clusters, n_init=model.n_init, seed=seed)


def rows_of_coefficients(V, labels):
    """The rows that labels come from: those of V, of unit length if `labels` is "kmeans_unit"."""
    return unit_samples(V) if labels == "kmeans_unit" else V
