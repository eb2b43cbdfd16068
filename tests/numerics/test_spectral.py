"""Laplacian eigenvectors: true pairs, all components, no chance."""

import numpy as np
import pytest
from scipy import sparse
from scipy.linalg import eigvalsh
from scipy.sparse.linalg import ArpackError

from mvclust.numerics import spectral
from mvclust.numerics.graphs import adaptive_neighbor_graph, laplacian, neighbor_graph
from mvclust.numerics.spectral import (
    _lanczos,
    connected_components,
    laplacian_eigenvectors,
    settle_signs,
)


def random_graph(n, density, seed=0):
    rng = np.random.default_rng(seed)
    W = rng.random((n, n)) * (rng.random((n, n)) < density)
    W = (W + W.T) / 2
    np.fill_diagonal(W, 0)
    return W


def check(W, n_vectors):
    """The smallest pairs, whatever way they were found."""
    eigenvalues, vectors = laplacian_eigenvectors(W, n_vectors)
    L = laplacian(W.toarray() if sparse.issparse(W) else W)
    scale = np.abs(L).max()
    np.testing.assert_allclose(eigenvalues, eigvalsh(L)[:n_vectors], atol=1e-9 * scale)
    np.testing.assert_allclose(L @ vectors, vectors * eigenvalues, atol=1e-8 * scale)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(n_vectors), atol=1e-10)
    return eigenvalues, vectors


@pytest.mark.parametrize(("n", "n_vectors"), [(5, 5), (60, 4), (300, 7), (900, 6)])
def test_dense_graphs(n, n_vectors):
    check(random_graph(n, 0.5), n_vectors)


@pytest.mark.parametrize("n", [100, 900])
def test_sparse_graphs(n):
    X = np.random.default_rng(0).standard_normal((n, 2))
    check(adaptive_neighbor_graph(X), 5)


@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("n", [90, 900])
def test_graphs_in_pieces(n, convert):
    """Three components: three eigenvalues that are exactly zero."""
    X = np.random.default_rng(0).standard_normal((n, 2)) + 100 * (np.arange(n) % 3)[:, None]
    W = convert(neighbor_graph(X, 8).toarray())
    eigenvalues, vectors = check(W, 5)
    assert (eigenvalues[:3] == 0).all()
    assert eigenvalues[3] > 0
    for group in range(3):  # constant on the components
        assert np.ptp(vectors[group::3, :3], axis=0).max() < 1e-10


def test_more_pieces_than_vectors_takes_the_largest():
    sizes = [3, 8, 1, 5]
    W = np.zeros((17, 17))
    for start, size in zip(np.cumsum([0, *sizes[:-1]]), sizes, strict=True):
        W[start : start + size, start : start + size] = 1
    np.fill_diagonal(W, 0)
    eigenvalues, vectors = laplacian_eigenvectors(W, 2)
    assert eigenvalues.tolist() == [0, 0]
    assert np.flatnonzero(vectors[:, 0]).tolist() == list(range(3, 11))
    assert np.flatnonzero(vectors[:, 1]).tolist() == list(range(12, 17))


@pytest.mark.parametrize("W", ["ring", "complete"])
def test_multiple_eigenvalues_are_not_overlooked(W):
    n = 800
    angle = 2 * np.pi * np.arange(n) / n
    rows = np.exp(2 * np.cos(angle[:, None] - angle)) if W == "ring" else np.ones((n, n))
    np.fill_diagonal(rows, 0)
    check(rows, 6)


def test_lanczos_notices_that_it_overlooked_a_vector(monkeypatch):
    L = laplacian(random_graph(120, 0.5))
    assert _lanczos(L, 4) is not None
    true = spectral.eigsh

    def forgetful(*args, k, **options):
        values, vectors = true(*args, k=k + 1, **options)
        kept = np.argsort(values) != 2
        return values[kept], vectors[:, kept]

    monkeypatch.setattr(spectral, "eigsh", forgetful)
    assert _lanczos(L, 4) is None


def test_same_result_each_time_and_global_generator_untouched():
    W = random_graph(900, 0.5)
    state = np.random.get_state()[1].copy()
    first, again = (laplacian_eigenvectors(W, 4)[1] for _ in range(2))
    np.testing.assert_array_equal(first, again)
    assert (np.random.get_state()[1] == state).all()


def test_order_of_nodes_does_not_matter():
    W = random_graph(50, 0.3)
    order = np.random.default_rng(1).permutation(50)
    _, vectors = laplacian_eigenvectors(W, 4)
    _, permuted = laplacian_eigenvectors(W[np.ix_(order, order)], 4)
    np.testing.assert_allclose(permuted, vectors[order], atol=1e-10)


def test_components_and_signs():
    W = np.zeros((6, 6))
    for i, j in [(0, 3), (3, 5), (1, 2)]:
        W[i, j] = W[j, i] = 0.5
    assert connected_components(W).tolist() == [0, 1, 1, 0, 2, 0]
    assert connected_components(sparse.csr_array(W)).tolist() == [0, 1, 1, 0, 2, 0]
    V = np.random.default_rng(0).standard_normal((9, 4))
    np.testing.assert_array_equal(settle_signs(V), settle_signs(-V))
    assert (np.abs(settle_signs(V)).max(axis=0) == settle_signs(V).max(axis=0)).all()


@pytest.mark.parametrize("as_sparse", [True, False])
def test_a_search_that_breaks_down_is_replaced(monkeypatch, as_sparse):
    rng = np.random.default_rng(0)
    W = sparse.random_array((800, 800), density=0.02, rng=rng)
    W = sparse.csr_array(W + W.T) if as_sparse else (W + W.T).toarray()
    expected, _ = spectral.laplacian_eigenvectors(W, 4)

    def broken(*_, **__):
        raise ArpackError(3)

    monkeypatch.setattr(spectral, "eigsh", broken)
    found, vectors = spectral.laplacian_eigenvectors(W, 4)
    np.testing.assert_allclose(found, expected, atol=1e-9)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(4), atol=1e-10)
