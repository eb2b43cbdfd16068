"""Distances, affinities and graphs: ties, duplicates, weights by definition, components."""

from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from mvclust.metrics import adjusted_rand_index
from mvclust.numerics import distances, graphs
from mvclust.numerics.affinity import gaussian_affinity, normalized_affinity
from mvclust.numerics.bipartite import bipartite_components, connected_graph
from mvclust.numerics.connected import graph_spectrum, nearest_connected_graph
from mvclust.numerics.spectral import spectral_rows


def by_definition(X, Y):
    return ((X[:, None] - Y) ** 2).sum(axis=2)


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("n", [3, 9])  # fewer rows than the other, and more
def test_distances_between_two_sets_and_lengths(make, n):
    rng = np.random.default_rng(n)
    X, Y = rng.normal(size=(n, 4)), rng.normal(size=(5, 4))
    lengths = (X**2).sum(axis=1), (Y**2).sum(axis=1)
    for known in ((), lengths):
        found = distances.squared_distances(make(X), make(Y), *known)
        np.testing.assert_allclose(found, by_definition(X, Y), atol=1e-13)
    found = distances.squared_distances(make(X), make(Y), Y_norms=np.full(5, np.inf))
    assert (found == np.inf).all()
    np.testing.assert_allclose(distances.squared_row_norms(make(X)), lengths[0])
    assert distances.squared_norm(make(X)) == pytest.approx(lengths[0].sum())


def test_distances_within_one_set_and_of_pairs_have_no_cancellation():
    X = 1e3 + np.random.default_rng(0).normal(size=(30, 3))
    found = distances.mutual_squared_distances(X)
    np.testing.assert_allclose(found, by_definition(X, X), atol=1e-8)
    assert (found >= 0).all()
    assert (found.diagonal() == 0).all()
    F = 1e8 + np.random.default_rng(0).integers(5, size=(20, 3))
    i, j = np.nonzero(np.ones((20, 20)))
    found = distances.squared_distances_of_pairs(F, i, j)
    np.testing.assert_array_equal(found.reshape(20, 20), by_definition(F, F))


@pytest.mark.parametrize("n", [1, 2, 5, 6, 300, 301])
def test_affinity_is_symmetric_and_its_width_the_median_of_all_distances(n):
    """Of equal samples it is 1."""
    np.testing.assert_array_equal(gaussian_affinity(np.ones((n, 2))), np.ones((n, n)))
    np.testing.assert_allclose(normalized_affinity(np.ones((n, n))), 1 / n)
    X = np.random.default_rng(n).normal(size=(n, 2))
    distances = np.linalg.norm(X[:, None] - X, axis=2)
    K = gaussian_affinity(X)
    width = np.median(distances) or 1.0
    np.testing.assert_allclose(K, np.exp(-(distances**2) / (2 * width**2)), rtol=1e-9)
    np.testing.assert_allclose(gaussian_affinity(X, sigma=width), K, rtol=1e-9)
    for symmetric in (K, normalized_affinity(K)):
        np.testing.assert_array_equal(symmetric, symmetric.T)


def test_a_sample_without_any_similarity_is_apart_from_all_others():
    S = np.ones((4, 4))
    S[3], S[:, 3] = 0.0, 0.0
    rows = spectral_rows(S, 2)
    S[3, 3] = 1.0
    np.testing.assert_allclose(rows @ rows.T, S, atol=1e-12)


def by_sorting(X, n_neighbors):
    """Neighbours by distance, then index."""
    squared = by_definition(X, X)
    np.fill_diagonal(squared, np.inf)
    return np.argsort(squared, axis=1, kind="stable")[:, :n_neighbors]


@given(
    seed=st.integers(0, 10**6), n=st.integers(3, 30), d=st.integers(1, 3),
    spread=st.integers(1, 3), few=st.sampled_from([0, graphs.FEW]),
    block=st.sampled_from([1, graphs.BLOCK]),
)  # fmt: skip
@settings(deadline=None, max_examples=100)
def test_ties_and_duplicates_go_to_the_first_index(seed, n, d, spread, few, block):
    X = np.random.default_rng(seed).integers(0, spread + 1, (n, d)).astype(float)
    with mock.patch.multiple(graphs, FEW=few, BLOCK=block):
        indices, squared = graphs.nearest_neighbors(X, min(4, n - 1))
    np.testing.assert_array_equal(indices, by_sorting(X, min(4, n - 1)))
    expected = np.take_along_axis(by_definition(X, X), indices, axis=1)
    np.testing.assert_allclose(squared, expected, atol=1e-12)


@pytest.mark.parametrize("rounding", [0.0, 1e-15])
@pytest.mark.parametrize("d", [3, 40])
def test_candidates_give_the_neighbors_that_all_distances_give(monkeypatch, d, rounding):
    """Of equal rows one is compared; rows equal but for rounding need all distances."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, d)) + 30
    X[::33] = X[0]  # 13 copies, more than there are candidates
    X[::33] *= 1 + rounding * rng.standard_normal((13, d))
    expected = graphs.nearest_neighbors(X, 5)
    looked_up = []

    def of_all(X, some, *options):
        looked_up.extend(some)
        return expected[0][some], expected[1][some]

    monkeypatch.setattr(graphs, "FEW", 0)
    monkeypatch.setattr(graphs, "_nearest_of_all", of_all)
    indices, squared = graphs.nearest_neighbors(X, 5)
    np.testing.assert_array_equal(indices, expected[0])
    np.testing.assert_allclose(squared, expected[1], atol=1e-10)
    assert set(looked_up) >= set(range(0, 400, 33) if rounding else [])
    assert len(looked_up) < (40 if rounding else 20)


@pytest.mark.parametrize("n_nearest", [1, 3, 20])
def test_nearest_columns_of_wide_rows(n_nearest):
    rng = np.random.default_rng(0)
    distances = rng.integers(0, 60, (20, 700)).astype(float)
    distances[3, 2:] = np.inf
    expected = np.argsort(distances, axis=1, kind="stable")[:, :n_nearest]
    columns, nearest = graphs.nearest_columns(distances, np.ones(20), n_nearest)
    np.testing.assert_array_equal(columns, expected)
    np.testing.assert_array_equal(nearest, np.take_along_axis(distances, expected, axis=1))


def test_more_neighbors_than_rows_are_all_rows():
    X = np.random.default_rng(0).standard_normal((30, 3))
    np.testing.assert_array_equal(graphs.neighbor_graph(X, 99).toarray(), 1 - np.eye(30))
    assert graphs.neighbor_graph(X[:1], 3).toarray().tolist() == [[0.0]]


COPIES = np.repeat(np.random.default_rng(0).standard_normal((5, 3)), 9, axis=0)
# More copies than neighbours (0 / 0 as printed), equal distances, and few rows.
ROWS = [(COPIES, 5), (np.eye(8), 3), *((np.arange(n)[:, None] ** 2.0, 5) for n in range(1, 5))]


@pytest.mark.parametrize(("X", "m"), ROWS)
def test_adaptive_graph_is_symmetric_and_reaches_every_row(X, m):
    W = graphs.adaptive_neighbor_graph(X, m).toarray()
    np.testing.assert_array_equal(W, W.T)
    assert not W.diagonal().any()
    assert W.sum() == pytest.approx(len(X) if len(X) > 1 else 0)
    assert (W.sum(axis=1) >= 0.5 - 1e-12).all() or len(X) == 1


def test_graphs_equal_oracles(oracle):
    z = oracle("mpac")
    W = graphs.adaptive_neighbor_graph(z["X_A__v3"], 5).toarray()
    np.testing.assert_allclose(W, z["Wpkn_A"], atol=1e-12)
    z = oracle("ueaf")
    for v in (1, 2, 3):
        assert (graphs.neighbor_graph(z[f"X__v{v}"], 7).toarray() == z[f"G__v{v}"]).all()


@pytest.mark.parametrize("few", [0, graphs.FEW])
def test_equally_near_neighbours_are_taken_by_place_whatever_the_rounding(monkeypatch, few):
    """As of views filled by the mean: many equal rows, far from zero."""
    monkeypatch.setattr(graphs, "FEW", few)
    rng = np.random.default_rng(0)
    X = 5 + rng.standard_normal((90, 7))
    equal = rng.permutation(90)[:40]
    X[equal] = X.mean(axis=0)
    indices, squared = graphs.nearest_neighbors(X, 6)
    for i in equal:
        assert indices[i].tolist() == [j for j in sorted(equal) if j != i][:6]
    assert (squared[equal] == 0).all()
    W = graphs.adaptive_neighbor_graph(X).toarray()
    for seed in range(5):
        Z = X * (1 + 1e-13 * np.random.default_rng(seed).standard_normal(X.shape))
        found, distances = graphs.nearest_neighbors(Z, 6)
        np.testing.assert_array_equal(found, indices)
        np.testing.assert_allclose(distances, squared, atol=1e-10)
        np.testing.assert_allclose(graphs.adaptive_neighbor_graph(Z).toarray(), W, atol=1e-9)


@pytest.mark.parametrize("norm", ["l2", "l1"])
@given(seed=st.integers(0, 10**6), n_clusters=st.integers(2, 4))
@settings(deadline=None, max_examples=15)
def test_connected_graphs_keep_their_constraints(norm, seed, n_clusters):
    A0 = graphs.adaptive_neighbor_graph(np.random.default_rng(seed).standard_normal((40, 3)), 8)
    F, low, _ = graph_spectrum(A0, n_clusters)
    if low < 1e-10:
        return
    found = nearest_connected_graph(A0, F, norm=norm)
    S, A = found.S.toarray(), A0.toarray()
    gap = np.abs(S - A) ** (2 if norm == "l2" else 1)
    assert found.distance[-1] == pytest.approx(gap.sum())
    assert found.S.data.min() > 0
    np.testing.assert_allclose(S.sum(axis=1), 1)
    assert not S[A == 0].any()
    if found.converged:
        assert graphs.connected_components(S + S.T).max() + 1 == n_clusters
        assert found.low[-1] < 1e-10 < found.high[-1]


def affinities(m=5):
    y = np.arange(40) % 3
    noise = np.random.default_rng(0).random((40, m))
    return 0.6 * (y[:, None] == np.arange(m) % 3) + 0.3 * noise, y


@pytest.mark.parametrize("m", [3, 5, 6])
def test_the_bipartite_graph_has_the_components_asked_for(m):
    B, y = affinities(m)
    graph = connected_graph(B, 1.0, np.arange(m), 3)
    labels, of_anchors = bipartite_components(graph.P)
    assert len(np.unique(of_anchors)) == 3
    assert adjusted_rand_index(y, labels) == 1
    assert graph.P.min() >= 0
    assert graph.P.sum() == pytest.approx((40 + m) / 2)  # halves of rows and of columns
    assert graph.trace == pytest.approx(0.05 * 3)
    for nodes, numbers in ((graph.U, labels), (graph.V, of_anchors)):
        for c in range(3):  # the rows of one component are the same
            own = nodes[numbers == c]
            np.testing.assert_allclose(own, np.tile(own[0], (len(own), 1)), atol=1e-6)


def test_nodes_without_a_positive_affinity_stay_alone():
    B, y = affinities(6)
    B[[3, 17]] = B[:, 5] = -1.0
    labels, of_anchors = bipartite_components(connected_graph(B, 1.0, np.arange(6), 3).P)
    assert (np.flatnonzero(labels < 0) == [3, 17]).all()
    assert (np.flatnonzero(of_anchors < 0) == [5]).all()
    left = labels >= 0
    assert adjusted_rand_index(y[left], labels[left]) == 1
    nothing = connected_graph(-np.ones((4, 2)), 1.0, np.arange(2), 2)
    assert not nothing.P.any()
    assert np.isfinite(nothing.trace)
    assert (bipartite_components(nothing.P)[0] == -1).all()


@pytest.mark.parametrize("seed", range(5))
def test_components_are_those_of_the_whole_graph(seed):
    rng = np.random.default_rng(seed)
    P = rng.random((30, 12)) * (rng.random((30, 12)) < 0.06)
    labels, of_anchors = bipartite_components(P)
    whole = graphs.connected_components(sparse.bmat([[None, P], [P.T, None]], format="csr"))
    joined, live = P.any(axis=1), P.any(axis=0)
    assert ((labels < 0) == ~joined).all()
    assert ((of_anchors < 0) == ~live).all()
    own, other = np.r_[labels[joined], of_anchors[live]], whole[np.r_[joined, live]]
    assert adjusted_rand_index(own, other) == 1


@pytest.mark.parametrize("size", [1.0, 1e6])
def test_affinities_of_rounding_errors_join_nothing(size):
    B, rng = size * affinities()[0], np.random.default_rng(0)
    B[:, 4] = 0.0
    expected = connected_graph(B, size, np.arange(5), 3).P
    B[:, 4] = size * 1e-14 * rng.standard_normal(len(B))
    np.testing.assert_allclose(connected_graph(B, size, np.arange(5), 3).P, expected, atol=1e-10)
