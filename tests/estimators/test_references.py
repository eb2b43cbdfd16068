"""The simple references and XRAY: NMF and anchors by oracles, choice of a view, filling."""

import numpy as np
import pytest
from helpers import assert_equal_to_oracle
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import nnls
from sklearn.cluster import KMeans, SpectralClustering
from sklearn.decomposition import PCA
from sklearn.manifold import spectral_embedding
from sklearn.neighbors import KNeighborsTransformer, kneighbors_graph
from sklearn.preprocessing import normalize

from mvclust import BestSingleView, ConcatKMeans, ConcatNMF, ConcatSpectral, NMFClustering
from mvclust.estimators.base import draw_seeds
from mvclust.estimators.concat_spectral import normalized_cut
from mvclust.estimators.xray import XRAY, xray
from mvclust.masking import apply_mask, random_mask
from mvclust.metrics import accuracy, adjusted_rand_index
from mvclust.numerics.impute import fill_missing


@pytest.mark.parametrize("iterations", [1, 5, 100])
@pytest.mark.parametrize("method", [NMFClustering, ConcatNMF])
def test_nmf_equals_oracle(oracle, iterations, method):
    z = oracle("nmf")
    start = {"U": z["U_init"], "V": z["V_init"]}
    model = method(5, init=start, max_iter=iterations, tol=0, random_state=0).fit([z["X"].T])
    assert_equal_to_oracle(z, f"{{}}_it{iterations}", U=model.U_, V=model.V_)
    np.testing.assert_allclose(model.objective_, z["obj_iters"][1 : iterations + 1], rtol=1e-8)


@pytest.mark.parametrize("method", [BestSingleView, NMFClustering])
def test_best_view_is_chosen_without_labels(blobs, method):
    Xs, y = blobs
    noise = np.random.default_rng(0).random((len(y), 5))
    model = method(3, random_state=0).fit([noise, Xs[0], noise[::-1]])
    assert model.view_ == 1
    assert accuracy(y, model.labels_) == 1
    assert method(3, view=2, random_state=0).fit([noise, Xs[0], noise]).view_ == 2
    with pytest.raises(ValueError, match="view=3 does not exist; the 3 views count from 0 to 2"):
        method(3, view=3).fit([noise, Xs[0], noise])


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_concat_spectral_is_spectral_clustering_of_the_concatenation(blobs, seed):
    rng = np.random.default_rng(seed)
    Xs = [X + rng.normal(scale=3, size=X.shape) for X in blobs[0]]
    model = ConcatSpectral(3, scale=None, random_state=rng.integers(9)).fit(Xs)
    drawn = draw_seeds(model.random_state, 1)[0]
    expected = SpectralClustering(3, affinity="nearest_neighbors", random_state=drawn)
    assert (model.labels_ == expected.fit(np.hstack(Xs)).labels_).all()


def test_neighbors_of_a_transformer_are_those_of_the_exact_search(blobs):
    found = KNeighborsTransformer(n_neighbors=9)
    exact = ConcatSpectral(3, random_state=0).fit(blobs[0])
    given = ConcatSpectral(3, neighbors=found, random_state=0).fit(blobs[0])
    np.testing.assert_array_equal(given.embedding_, exact.embedding_)
    assert not hasattr(found, "n_samples_fit_")  # a clone is fitted


def test_neighbors_at_distance_0_are_joined():
    Xs = [np.repeat([[0.0], [5.0]], 6, axis=0)]
    found = KNeighborsTransformer(n_neighbors=5)
    labels = ConcatSpectral(2, neighbors=found, random_state=0).fit_predict(Xs)
    assert labels.tolist() == [labels[0]] * 6 + [labels[6]] * 6
    assert labels[0] != labels[6]


def test_a_transformer_that_finds_no_neighbors_is_refused(blobs):
    message = r"neighbors gave a matrix of shape \(45, .*\), expected .* each of the 45 samples"
    with pytest.raises(ValueError, match=message):
        ConcatSpectral(3, neighbors=PCA(1)).fit(blobs[0])


@pytest.mark.filterwarnings("ignore:Graph is not fully connected")
@pytest.mark.parametrize("n_pieces", [1, 3, 7])
@pytest.mark.parametrize("n", [140, 840])
def test_normalized_cut_spans_what_scikit_learns_does(n, n_pieces):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 2)) + 99 * (np.arange(n) % n_pieces)[:, None]
    W = kneighbors_graph(X, 8, include_self=True)
    W = (W + W.T) / 2
    ours = normalized_cut(W, 5, np.random.RandomState(0))
    random = np.random.RandomState(0)
    theirs = spectral_embedding(W, n_components=5, random_state=random, drop_first=False)
    assert ours.shape == (n, 5)
    if n_pieces <= 5:  # rows are apart as theirs, whatever the vectors of equal eigenvalues
        np.testing.assert_allclose(ours @ ours.T, theirs @ theirs.T, atol=1e-9)
    else:
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("how", ["mean", "knn"])
@pytest.mark.parametrize("method", [ConcatKMeans, ConcatSpectral])
def test_incomplete_views_are_filled_first(blobs, method, how):
    presence = random_mask(45, 3, 0.4, 1)
    model = method(3, scale=None, impute=how, random_state=0)
    labels = model.fit(apply_mask(blobs[0], presence)).labels_
    assert (model.fit(fill_missing(blobs[0], presence, how)).labels_ == labels).all()


@pytest.mark.parametrize("unit", [True, False])
def test_concat_kmeans_is_kmeans_on_filled_samples_of_unit_length_or_as_they_are(blobs, unit):
    Xs, _ = blobs
    presence = random_mask(45, 3, 0.4, 1)
    masked = apply_mask(Xs, presence)
    model = ConcatKMeans(3, scale=None, impute="mean", unit_samples=unit, random_state=0)
    X = np.hstack(fill_missing(Xs, presence, "mean"))
    expected = KMeans(3, n_init=10, random_state=0).fit(normalize(X) if unit else X)
    assert adjusted_rand_index(expected.labels_, model.fit(masked).labels_) == 1
    order = np.lexsort(expected.cluster_centers_.T), np.lexsort(model.cluster_centers_.T)
    assert np.allclose(expected.cluster_centers_[order[0]], model.cluster_centers_[order[1]])
    assert (model.predict(masked) == model.labels_).all()


@pytest.mark.parametrize("impute", ["largest", "first"])
def test_missing_samples_join_one_cluster(impute, blobs):
    Xs, y = blobs
    presence = np.ones((len(y), len(Xs)), dtype=bool)
    presence[::3, 1] = False
    presence[y == 0, 1] &= np.arange((y == 0).sum()) % 2 == 0
    model = BestSingleView(3, view=1, impute=impute, random_state=0)
    labels = model.fit(apply_mask(Xs, presence)).labels_
    there = presence[:, 1]
    alone = BestSingleView(3, view=0, random_state=0).fit([Xs[1][there]]).labels_
    assert np.array_equal(labels[there], alone)
    assert set(labels[~there]) == {np.bincount(alone).argmax() if impute == "largest" else 0}


@pytest.mark.parametrize("name", ["fou5", "pix5", "concat5", "concat10"])
def test_anchors_equal_oracle(oracle, name):
    z = oracle("baselines_xray")
    X = z["M_" + name.rstrip("0123456789")].T
    expected = z["anchors_" + name]
    for view in (X, sparse.csr_array(X)):
        model = XRAY(len(expected), rule="max", random_state=0).fit([view])
        np.testing.assert_array_equal(model.anchors_, expected)


@given(seed=st.integers(0, 1000), rule=st.sampled_from(["max", "greedy"]))
@settings(max_examples=30, deadline=None)
def test_coefficients_are_the_non_negative_least_squares(seed, rule):
    """Also of sparse views; empty rows are fine."""
    rng = np.random.default_rng(seed)
    X = rng.random((25, 8)) * (rng.random((25, 8)) < 0.6)
    X[4] = 0.0
    factors, objective, stop = xray(X, 5, rule=rule)
    anchors, H = factors["anchors"], factors["H"]
    same = xray(sparse.csr_array(X), 5, rule=rule).factors
    np.testing.assert_array_equal(same["anchors"], anchors)
    np.testing.assert_allclose(same["H"], H, atol=1e-10)
    assert len({4, *anchors.tolist()}) == 6
    assert (np.diff(objective) < 0).all()
    assert (H >= 0).all()
    assert not H[4].any()
    best = sum(nnls(X[anchors].T, x)[1] ** 2 for x in X)
    np.testing.assert_allclose(objective[-1], best, rtol=1e-8)
    errors = np.sum((X - H @ X[anchors]) ** 2, axis=1)
    np.testing.assert_allclose(objective[-1], errors.sum(), rtol=1e-8)
    np.testing.assert_allclose(stop, errors.max(), rtol=1e-8)


@given(seed=st.integers(0, 1000))
@settings(max_examples=30, deadline=None)
def test_max_finds_the_rays_of_separable_data_and_takes_no_more(seed):
    rng = np.random.default_rng(seed)
    rays = rng.random((4, 12)) * (rng.random((4, 12)) < 0.5) + 2 * np.eye(4, 12)
    weights = np.vstack([np.eye(4), rng.dirichlet(np.ones(4), size=20)])
    X = (weights @ rays) * rng.uniform(0.5, 2, size=(24, 1))
    order = rng.permutation(24)
    factors, objective, _ = xray(X[order], 9, rule="max")
    assert set(order[factors["anchors"]].tolist()) == {0, 1, 2, 3}
    assert objective[-1] <= 1e-10 * np.sum(X**2)


def test_greedy_takes_the_largest_gain():
    X = np.random.default_rng(0).random((12, 6))
    factors, objective, _ = xray(X, 3, rule="greedy")
    chosen = []
    for anchor in factors["anchors"]:
        H = np.array([nnls(X[chosen].T, x)[0] for x in X]) if chosen else np.zeros((12, 0))
        R = X - H @ X[chosen]
        errors = []
        for x in X:
            added = np.maximum(R @ x / (x @ x), 0)
            errors.append(np.sum((R - added[:, None] * x) ** 2))
        assert np.argmin(errors) == anchor
        chosen.append(anchor)
    one = [sum(nnls(X[[j]].T, x)[1] ** 2 for x in X) for j in range(12)]
    np.testing.assert_allclose(objective[0], min(one))
