"""Neighbour graphs: ties, duplicates, and what defines their weights."""

from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from mvclust.numerics import graphs
from mvclust.numerics.graphs import (
    adaptive_neighbor_graph,
    connected_components,
    laplacian,
    nearest_columns,
    nearest_neighbors,
    neighbor_graph,
)
from mvclust.numerics.simplex import quadratic_on_simplex


def by_sorting(X, n_neighbors):
    """Neighbours by distance, then index, one row after the other."""
    indices = []
    for i in range(len(X)):
        squared = ((X - X[i]) ** 2).sum(axis=1)
        others = [j for j in range(len(X)) if j != i]
        indices.append(sorted(others, key=lambda j, squared=squared: (squared[j], j))[:n_neighbors])
    return np.array(indices)


@given(
    st.integers(0, 10**6),
    st.integers(3, 30),
    st.integers(1, 3),
    st.integers(1, 3),
    st.sampled_from([0, graphs.FEW]),
)
@settings(deadline=None, max_examples=100)
def test_ties_and_duplicates_go_to_the_first_index(seed, n, d, spread, few):
    X = np.random.default_rng(seed).integers(0, spread + 1, (n, d)).astype(float)
    n_neighbors = min(4, n - 1)
    with mock.patch.object(graphs, "FEW", few):
        indices, squared = nearest_neighbors(X, n_neighbors)
    np.testing.assert_array_equal(indices, by_sorting(X, n_neighbors))
    rows = np.arange(n)[:, None]
    np.testing.assert_allclose(squared, ((X[rows] - X[indices]) ** 2).sum(axis=2), atol=1e-12)


def test_blocks_do_not_matter(monkeypatch):
    X = np.random.default_rng(0).standard_normal((70, 5))
    whole = nearest_neighbors(X, 6)
    monkeypatch.setattr(graphs, "BLOCK", 300)
    for one, other in zip(whole, nearest_neighbors(X, 6), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-13)


@pytest.mark.parametrize("rounding", [0.0, 1e-15])
@pytest.mark.parametrize("d", [3, 40])
def test_candidates_give_the_neighbors_that_all_distances_give(monkeypatch, d, rounding):
    """Of equal rows one is compared; rows equal but for rounding need all distances."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, d)) + 30
    X[::33] = X[0]  # 13 copies, more than there are candidates
    X[::33] *= 1 + rounding * rng.standard_normal((13, d))
    expected = nearest_neighbors(X, 5)
    looked_up = []

    def of_all(X, some, *options):
        looked_up.extend(some)
        return expected[0][some], expected[1][some]

    monkeypatch.setattr(graphs, "FEW", 0)
    monkeypatch.setattr(graphs, "_nearest_of_all", of_all)
    indices, squared = nearest_neighbors(X, 5)
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
    columns, nearest = nearest_columns(distances, np.ones(20), n_nearest)
    np.testing.assert_array_equal(columns, expected)
    np.testing.assert_array_equal(nearest, np.take_along_axis(distances, expected, axis=1))


def test_neighbor_graph_joins_if_either_is_near():
    X = np.random.default_rng(0).standard_normal((30, 3))
    W = neighbor_graph(X, 4).toarray()
    indices, _ = nearest_neighbors(X, 4)
    near = np.zeros((30, 30), dtype=bool)
    near[np.arange(30)[:, None], indices] = True
    np.testing.assert_array_equal(W, (near | near.T).astype(float))
    full = neighbor_graph(X, 99).toarray()  # more neighbours than rows
    np.testing.assert_array_equal(full, 1 - np.eye(30))
    assert neighbor_graph(X[:1], 3).toarray().tolist() == [[0.0]]


def test_adaptive_weights_minimise_their_objective():
    """Row i minimises sum_j d_ij w_j + gamma_i w_j^2 over the simplex (Nie et al., 2014)."""
    m = 5
    X = np.random.default_rng(0).standard_normal((25, 4))
    squared = ((X[:, None] - X) ** 2).sum(axis=2)
    sorted_squared = np.sort(squared, axis=1)[:, 1:]
    gamma = m / 2 * sorted_squared[:, m] - sorted_squared[:, :m].sum(axis=1) / 2
    curvature = np.repeat(2 * gamma[:, None], 25, axis=1)
    np.fill_diagonal(curvature, np.inf)
    W = quadratic_on_simplex(squared, curvature)
    np.testing.assert_allclose(adaptive_neighbor_graph(X, m).toarray(), (W + W.T) / 2, atol=1e-12)


def test_adaptive_graph_knows_no_scale_and_no_order():
    X = np.random.default_rng(0).standard_normal((40, 4))
    W = adaptive_neighbor_graph(X).toarray()
    np.testing.assert_allclose(adaptive_neighbor_graph(1e4 * X).toarray(), W, atol=1e-11)
    order = np.random.default_rng(1).permutation(40)
    permuted = adaptive_neighbor_graph(X[order]).toarray()
    np.testing.assert_allclose(permuted, W[np.ix_(order, order)], atol=1e-12)


def test_adaptive_graph_with_duplicates_and_equal_distances():
    X = np.repeat(np.random.default_rng(0).standard_normal((5, 3)), 9, axis=0)
    W = adaptive_neighbor_graph(X, 5).toarray()  # more copies than neighbours: 0 / 0 as printed
    assert np.isfinite(W).all()
    assert (W.diagonal() == 0).all()
    assert (W.sum(axis=1) >= 0.5).all()
    simplex = adaptive_neighbor_graph(np.eye(8), 3).toarray()  # all distances equal
    np.testing.assert_allclose(simplex.sum(), 8)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_adaptive_graph_of_very_few_rows(n):
    W = adaptive_neighbor_graph(np.arange(n, dtype=float)[:, None] ** 2, 5).toarray()
    np.testing.assert_array_equal(W, W.T)
    assert (W.diagonal() == 0).all()
    assert (W.sum(axis=1) > 0).all() or n == 1


def test_adaptive_graph_equals_oracle(oracle):
    z = oracle("mpac")
    W = adaptive_neighbor_graph(z["X_A__v3"], 5).toarray()
    np.testing.assert_allclose(W, z["Wpkn_A"], atol=1e-12)


def test_feature_graph_equals_oracle(oracle):
    z = oracle("ueaf")
    for v in (1, 2, 3):
        np.testing.assert_array_equal(neighbor_graph(z[f"X__v{v}"], 7).toarray(), z[f"G__v{v}"])


def test_laplacian():
    W = neighbor_graph(np.random.default_rng(0).standard_normal((20, 2)), 3)
    L = laplacian(W.toarray())
    np.testing.assert_array_equal(laplacian(W).toarray(), L)
    np.testing.assert_allclose(L.sum(axis=1), 0, atol=1e-12)
    f = np.random.default_rng(1).standard_normal(20)
    pairs = (W.toarray() * (f[:, None] - f) ** 2).sum() / 2
    np.testing.assert_allclose(f @ L @ f, pairs)


def test_components_are_numbered_by_their_first_node():
    W = np.zeros((6, 6))
    for i, j in [(0, 3), (3, 5), (1, 2)]:
        W[i, j] = W[j, i] = 0.5
    assert connected_components(W).tolist() == [0, 1, 1, 0, 2, 0]
    assert connected_components(sparse.csr_array(W)).tolist() == [0, 1, 1, 0, 2, 0]


@pytest.mark.parametrize("few", [0, graphs.FEW])
def test_equally_near_neighbours_are_taken_by_place_whatever_the_rounding(monkeypatch, few):
    """As of views filled by the mean: many equal rows, far from zero."""
    monkeypatch.setattr(graphs, "FEW", few)
    rng = np.random.default_rng(0)
    X = 5 + rng.standard_normal((90, 7))
    equal = rng.permutation(90)[:40]
    X[equal] = X.mean(axis=0)
    indices, squared = nearest_neighbors(X, 6)
    for i in equal:
        assert indices[i].tolist() == [j for j in sorted(equal) if j != i][:6]
    assert (squared[equal] == 0).all()
    W = adaptive_neighbor_graph(X).toarray()
    for seed in range(5):
        Z = X * (1 + 1e-13 * np.random.default_rng(seed).standard_normal(X.shape))
        found, distances = nearest_neighbors(Z, 6)
        np.testing.assert_array_equal(found, indices)
        np.testing.assert_allclose(distances, squared, atol=1e-10)
        np.testing.assert_allclose(adaptive_neighbor_graph(Z).toarray(), W, atol=1e-9)
