"""Steps that the estimators with an anchor graph share: checked input, starts, labels."""

import numpy as np

from mvclust.estimators.base import check_start, draw_seeds, labels_and_centers
from mvclust.estimators.constraints import COUNT, NONNEGATIVE, StrOptions
from mvclust.numerics.anchors import (
    consensus_start,
    draw_anchors,
    graph_products,
    sample_products,
)
from mvclust.numerics.gram_svd import singular_map
from mvclust.numerics.scaled_views import ScaledView
from mvclust.numerics.scaling import unit_samples

# Parameters of all of them.
ANCHOR_PARAMETERS = {
    "n_anchors": [*COUNT, None],
    "init": [StrOptions({"k-means++", "random", "first"}), dict],
    "n_starts": COUNT,
    "n_init": COUNT,
    "max_iter": COUNT,
    "tol": NONNEGATIVE,
}


def check_n_anchors(model, n_samples, per_cluster=1):
    """The number of anchors: that of the parameter, or by default a multiple of the clusters.

    `model` is an estimator with the parameter ``n_anchors``; ValueError if this is more than
    n_samples. The default is `per_cluster` times the number of clusters, and at most n_samples.
    """
    if model.n_anchors is None:
        return min(per_cluster * model.n_clusters, n_samples)
    if model.n_anchors > n_samples:
        raise ValueError(
            f"{type(model).__name__}: n_anchors={model.n_anchors} is more than the {n_samples} "
            "samples."
        )
    return model.n_anchors


def scaled_views(Xs, scale, name):
    """The views, scaled as they are read; a view of which nothing is left is refused.

    The views of shape (n_samples, n_features_v) may be sparse. The scale is "sample_unit" or
    "feature_zscore", see `mvclust.numerics.scaled_views.ScaledView`, of which a list is returned.
    `name` is the method, for the message of the ValueError.
    """
    views = [ScaledView(X, scale) for X in Xs]
    for v, view in enumerate(views):
        if view.squared_norm == 0:
            what = "zero throughout" if scale == "sample_unit" else "the same in all samples"
            raise ValueError(f"{name}: view {v} is {what}; leave it out.")
    return views


def drawn_samples(model, views, presence, n_anchors, seed):
    """Samples that start as anchors, one array per start; "first" gives one start.

    `model` is an estimator with the parameters ``init`` and ``n_starts``, the views are a list of
    ScaledView, and presence has shape (n_samples, n_views). Returns a list of arrays of indices,
    each of shape (n_anchors,).
    """
    n_starts = 1 if model.init == "first" else model.n_starts
    seeds = draw_seeds(int(seed), n_starts)
    return [draw_anchors(views, presence, n_anchors, model.init, one) for one in seeds]


def consensus_starts(model, views, presence, n_anchors, seed):
    """Starts of the methods with common anchors A and maps W_v, as ``init`` asks.

    The arguments are those of `drawn_samples`; the estimator also has the parameter
    ``n_components``. Every start is a pair: X_v'Z (list with one (n_features_v, n_anchors) array
    per view) and A (n_components, n_anchors), which is zero for "first": the first W_v are then the
    first features.
    """
    d = model.n_clusters if model.n_components is None else model.n_components
    if isinstance(model.init, dict):
        shapes = {"Z": (len(presence), n_anchors), "A": (d, n_anchors)}
        start = check_start(model.init, shapes, type(model).__name__)
        return [(graph_products(views, start["Z"]), start["A"])]
    starts = []
    for samples in drawn_samples(model, views, presence, n_anchors, seed):
        C = sample_products(views, samples)
        A = np.zeros((d, n_anchors)) if model.init == "first" else consensus_start(C, d)
        starts.append((C, A))
    return starts


def labels_from_graph(Z, n_clusters, *, n_vectors, unit, n_init, seed):
    """Labels by k-means on left singular vectors of an anchor graph.

    Z has shape (n_samples, n_anchors). At most n_vectors of its vectors are taken (None: all); with
    `unit` the rows are scaled to unit length. n_init and seed are those of k-means. Returns the
    labels (n_samples,), the centers (n_clusters, n_kept), the rows that k-means clusters
    (n_samples, n_kept), and T (n_anchors, n_kept): the vectors are Z T.
    """
    T = singular_map(Z.T @ Z, n_vectors)
    rows = rows_of_graph(Z, T, unit)
    labels, centers = labels_and_centers(rows, n_clusters, n_init=n_init, seed=seed)
    return labels, centers, rows, T


def rows_of_graph(Z, T, unit):
    """Z T, with rows of unit length if asked for."""
    rows = Z @ T
    return unit_samples(rows) if unit else rows
