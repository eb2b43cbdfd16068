"""kNN filling, neighbours and the spectral reference: against scikit-learn's ways to the same."""

import numpy as np
from harness import Case
from sklearn.impute import KNNImputer
from sklearn.manifold import spectral_embedding
from sklearn.neighbors import kneighbors_graph

from mvclust.datasets import load_dataset, make_multiview
from mvclust.estimators.concat_spectral import normalized_cut
from mvclust.masking import apply_mask, random_mask
from mvclust.numerics.graphs import nearest_neighbors
from mvclust.numerics.impute import fill_missing


def cases(mirror):
    """On drawn data, and on Handwritten (pix, fou)."""
    data = load_dataset("handwritten", views=["pix", "fou"], mirror=mirror, progress=False)
    drawn, _ = make_multiview(3000, n_clusters=10, n_features=(100, 100), random_state=0)
    found = []
    for name, Xs in (("handwritten pix+fou", data.Xs), ("drawn, d=100+100", drawn)):
        name = f"{name}, n={len(Xs[0])}"
        found += [filling(name, Xs), embedding(name, Xs), neighbors(name, Xs[0])]
    return found


def filling(name, Xs):
    presence = random_mask(len(Xs[0]), len(Xs), 0.3, 0)
    masked = np.hstack(apply_mask(Xs, presence))
    return Case(
        f"kNN filling, 30 % missing, {name}",
        lambda: np.hstack(fill_missing(Xs, presence, "knn")),
        lambda: KNNImputer().fit_transform(masked),
        "scikit-learn's KNNImputer",
        1e-3,  # of equally near donors, which whole-numbered pixels have, it takes any
        5,
    )


def embedding(name, Xs):
    W = kneighbors_graph(np.hstack(Xs), 10, include_self=True)
    W = (W + W.T) / 2

    def theirs():
        random = np.random.RandomState(0)
        return spectral_embedding(W, n_components=10, random_state=random, drop_first=False)

    return Case(
        f"spectral embedding, {name}",
        lambda: _apart(normalized_cut(W, 10, np.random.RandomState(0))),
        lambda: _apart(theirs()),
        "scikit-learn (LU factors)",
        1e-8,
        10,
    )


def neighbors(name, X):
    def by_all_distances():
        squared = (X**2).sum(axis=1)[:, None] + (X**2).sum(axis=1) - 2 * X @ X.T
        np.fill_diagonal(squared, np.inf)
        nearest = np.argsort(squared, axis=1, kind="stable")[:, :5]
        return np.take_along_axis(squared, nearest, axis=1)

    return Case(
        f"5 neighbours, first view, {name}",
        lambda: nearest_neighbors(X, 5)[1],
        by_all_distances,
        "all distances, sorted",
        1e-8,
        5,
    )


def _apart(E):
    """What k-means sees of an embedding, whatever basis it has: products of some rows with all."""
    return E[::20] @ E.T
