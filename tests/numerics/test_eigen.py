"""Eigenvectors: true pairs whatever way they were found, all components, no chance."""

import numpy as np
import pytest
from scipy import sparse
from scipy.linalg import eigvalsh
from scipy.sparse.linalg import ArpackError

from mvclust.numerics import eigen
from mvclust.numerics.affinity import normalized_affinity
from mvclust.numerics.eigen import (
    _lanczos_by_dense_products,
    canonical_basis,
    laplacian_eigenvectors,
    pivoted_rows,
    settle_signs,
    smallest_eigenpairs,
    top_eigenvectors,
    top_eigenvectors_of_products,
)
from mvclust.numerics.graphs import adaptive_neighbor_graph, laplacian, neighbor_graph
from mvclust.testing import next_draw


def random_graph(n, density, seed=0):
    rng = np.random.default_rng(seed)
    W = rng.random((n, n)) * (rng.random((n, n)) < density)
    W = (W + W.T) / 2
    np.fill_diagonal(W, 0)
    return W


def check_laplacian(W, n_vectors):
    """The smallest pairs, whatever way they were found."""
    eigenvalues, vectors = laplacian_eigenvectors(W, n_vectors)
    L = laplacian(W.toarray() if sparse.issparse(W) else W)
    scale = np.abs(L).max()
    np.testing.assert_allclose(eigenvalues, eigvalsh(L)[:n_vectors], atol=1e-9 * scale)
    np.testing.assert_allclose(L @ vectors, vectors * eigenvalues, atol=1e-8 * scale)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(n_vectors), atol=1e-10)
    return eigenvalues, vectors


@pytest.mark.parametrize(("n", "n_vectors"), [(5, 5), (60, 4), (300, 7), (900, 6)])
def test_laplacian_of_dense_graphs(n, n_vectors):
    check_laplacian(random_graph(n, 0.5), n_vectors)


@pytest.mark.parametrize("n", [100, 900])
def test_laplacian_of_sparse_graphs(n):
    X = np.random.default_rng(0).standard_normal((n, 2))
    check_laplacian(adaptive_neighbor_graph(X), 5)


@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("n", [90, 900])
def test_laplacian_of_graphs_in_pieces(n, convert):
    """Three components: three eigenvalues that are exactly zero."""
    X = np.random.default_rng(0).standard_normal((n, 2)) + 100 * (np.arange(n) % 3)[:, None]
    W = convert(neighbor_graph(X, 8).toarray())
    eigenvalues, vectors = check_laplacian(W, 5)
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
    check_laplacian(rows, 6)


def test_lanczos_notices_that_it_overlooked_a_vector(monkeypatch):
    L = laplacian(random_graph(120, 0.5))
    assert _lanczos_by_dense_products(L, 4) is not None
    true = eigen.eigsh

    def forgetful(*args, k, **options):
        values, vectors = true(*args, k=k + 1, **options)
        kept = np.argsort(values) != 2
        return values[kept], vectors[:, kept]

    monkeypatch.setattr(eigen, "eigsh", forgetful)
    assert _lanczos_by_dense_products(L, 4) is None


def test_same_result_each_time_and_global_generator_untouched():
    W = random_graph(900, 0.5)
    following = next_draw()
    first, again = (laplacian_eigenvectors(W, 4)[1] for _ in range(2))
    np.testing.assert_array_equal(first, again)
    assert next_draw() == following


def test_order_of_nodes_does_not_matter():
    W = random_graph(50, 0.3)
    order = np.random.default_rng(1).permutation(50)
    _, vectors = laplacian_eigenvectors(W, 4)
    _, permuted = laplacian_eigenvectors(W[np.ix_(order, order)], 4)
    np.testing.assert_allclose(permuted, vectors[order], atol=1e-10)


@pytest.mark.parametrize("as_sparse", [True, False])
def test_a_search_that_breaks_down_is_replaced(monkeypatch, as_sparse):
    rng = np.random.default_rng(0)
    W = sparse.random_array((800, 800), density=0.02, rng=rng)
    W = sparse.csr_array(W + W.T) if as_sparse else (W + W.T).toarray()
    expected, _ = laplacian_eigenvectors(W, 4)

    def broken(*_, **__):
        raise ArpackError(3)

    monkeypatch.setattr(eigen, "eigsh", broken)
    found, vectors = laplacian_eigenvectors(W, 4)
    np.testing.assert_allclose(found, expected, atol=1e-9)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(4), atol=1e-10)


def check(M, n_pairs):
    eigenvalues, vectors = smallest_eigenpairs(M, n_pairs)
    scale = abs(M).max()
    np.testing.assert_allclose(eigenvalues, eigvalsh(M.toarray())[:n_pairs], atol=1e-10 * scale)
    np.testing.assert_allclose(M @ vectors, vectors * eigenvalues, atol=1e-7 * scale)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(n_pairs), atol=1e-10)
    return eigenvalues, vectors


@pytest.mark.parametrize(("n", "n_pairs"), [(1, 1), (6, 6), (200, 5), (900, 7)])
def test_indefinite_matrices(n, n_pairs):
    M = sparse.random_array((n, n), density=0.1, rng=np.random.default_rng(0))
    check(sparse.csr_array(M + M.T), n_pairs)


def test_a_large_matrix_is_factored_where_products_do_not_find_its_pairs(monkeypatch):
    def fails(*_):
        return None

    monkeypatch.setattr(eigen, "_lanczos_by_sparse_products", fails)
    monkeypatch.setattr(eigen, "SPARSE_DENSE", 600)
    monkeypatch.setattr(eigen.linalg, "eigh", fails)
    M = sparse.random_array((700, 700), density=0.01, rng=np.random.default_rng(0))
    check(sparse.csr_array(M + M.T), 5)


@pytest.mark.parametrize("n", [90, 900])
def test_blocks_share_eigenvalues(n):
    """Three equal graphs side by side: each eigenvalue three times."""
    W = adaptive_neighbor_graph(np.random.default_rng(0).standard_normal((n // 3, 3)))
    eigenvalues, _ = check(laplacian(sparse.block_diag([W] * 3, format="csr")), 7)
    np.testing.assert_allclose(eigenvalues[:3], 0, atol=1e-12)
    np.testing.assert_allclose(np.diff(eigenvalues[3:6]), 0, atol=1e-10)


def test_a_multiple_eigenvalue_of_one_block_is_found():
    """A ring has its eigenvalues twice, and one block only."""
    ring = sparse.csr_array((np.ones(600), (np.arange(600), np.roll(np.arange(600), 1))))
    check(laplacian(ring + ring.T), 5)


@pytest.mark.parametrize("n_pairs", [2, 3, 5])
def test_a_laplacian_in_pieces_needs_fewer_pairs_of_each(monkeypatch, n_pairs):
    X = np.random.default_rng(0).standard_normal((700, 2))
    L = laplacian(sparse.block_diag([adaptive_neighbor_graph(X[:n]) for n in (700, 30, 8)]))
    expected = smallest_eigenpairs(L, n_pairs)
    wanted, true = [], eigen._smallest_of_block

    def count(M, n_pairs, *options):
        wanted.append(n_pairs)
        return true(M, n_pairs, *options)

    monkeypatch.setattr(eigen, "_smallest_of_block", count)
    values, vectors = smallest_eigenpairs(L, n_pairs, is_laplacian=True)
    assert wanted == ([] if n_pairs < 4 else [n_pairs - 2] * 3)
    np.testing.assert_allclose(values, expected[0], atol=1e-11)
    np.testing.assert_allclose(vectors, expected[1], atol=1e-7)


def test_a_start_changes_no_pairs():
    L = laplacian(adaptive_neighbor_graph(np.random.default_rng(0).standard_normal((900, 3))))
    values, vectors = smallest_eigenpairs(L, 4)
    for start in (vectors, np.random.default_rng(1).random((900, 2))):
        again = smallest_eigenpairs(L, 4, start=start)
        np.testing.assert_allclose(again[0], values, atol=1e-11)
        np.testing.assert_allclose(again[1], vectors, atol=1e-7)


def test_among_equals_larger_blocks_come_first():
    W = sparse.block_diag([np.ones((k, k)) for k in (2, 4, 3)], format="csr")
    _, vectors = smallest_eigenpairs(laplacian(W), 2)
    assert (vectors[2:6, 0] > 0).all()
    assert (vectors[6:, 1] > 0).all()


@pytest.mark.parametrize("n", [50, 400])
def test_leading_vectors_with_a_low_rank_term(n):
    rng = np.random.default_rng(n)
    M = rng.normal(size=(n, n))
    M = M + M.T
    plus = rng.normal(size=(n, 4))
    vectors, values = top_eigenvectors(M, 3, plus=plus, weight=0.5, start=plus)
    full = np.linalg.eigh(M + 0.5 * plus @ plus.T)
    np.testing.assert_allclose(values, full[0][::-1][:3], rtol=1e-10)
    P = full[1][:, -3:] @ full[1][:, -3:].T
    np.testing.assert_allclose(vectors @ vectors.T, P, atol=1e-8)


def test_only_small_matrices_are_decomposed_whole(monkeypatch):
    decomposed, true = [], eigen.linalg.eigh
    monkeypatch.setattr(
        eigen.linalg, "eigh", lambda M, **more: decomposed.append(len(M)) or true(M, **more)
    )
    for n in (20, 2 * eigen.TOP):
        top_eigenvectors(random_graph(n, 0.5), 3)
    assert decomposed == [20]


def test_products_are_never_formed_but_solved():
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(2, 60, 4))
    vectors, values = top_eigenvectors_of_products(A, B, 3)
    full = np.linalg.eigh((A @ B.T + B @ A.T) / 2)
    np.testing.assert_allclose(values, full[0][::-1][:3])
    np.testing.assert_allclose(vectors @ vectors.T, full[1][:, -3:] @ full[1][:, -3:].T, atol=1e-10)


def test_multiple_largest_eigenvalues_are_all_found_and_the_same_every_time():
    y = np.repeat(range(4), [200, 80, 60, 60])
    blocks = normalized_affinity((y[:, None] == y).astype(float))
    for M in (blocks, np.diag(np.repeat([1.0, 0.0], [4, 296]))):
        vectors, values = top_eigenvectors(M, 4)
        np.testing.assert_allclose(values, 1)
        np.testing.assert_allclose(M @ vectors, vectors, atol=1e-12)
        np.testing.assert_array_equal(vectors, top_eigenvectors(M, 4)[0])
        again, _ = top_eigenvectors(M, 4, plus=vectors, start=vectors)
        np.testing.assert_allclose(again @ again.T, vectors @ vectors.T, atol=1e-12)


def test_more_nearly_equal_eigenvalues_than_wanted_are_no_failure():
    # As of a graph whose pieces hardly touch, which filling by the mean leaves of short texts.
    rng = np.random.default_rng(0)
    spectrum = np.concatenate([0.9 * rng.random(388), 1 - 10.0 ** -np.arange(8, 20)])
    Q = np.linalg.qr(rng.normal(size=(400, 400)))[0]
    M = (Q * spectrum) @ Q.T
    M = (M + M.T) / 2
    plus = 1e-3 * rng.normal(size=(400, 2))
    for low_rank in (None, plus):
        vectors, values = top_eigenvectors(M, 5, plus=low_rank)
        np.testing.assert_allclose(values, 1, atol=1e-3)
        full = M if low_rank is None else M + plus @ plus.T
        np.testing.assert_allclose(full @ vectors, vectors * values, atol=1e-10)
        np.testing.assert_allclose(vectors.T @ vectors, np.eye(5), atol=1e-10)


def test_signs_do_not_depend_on_those_given():
    V = np.random.default_rng(0).standard_normal((9, 4))
    np.testing.assert_array_equal(settle_signs(V), settle_signs(-V))
    assert (np.abs(settle_signs(V)).max(axis=0) == settle_signs(V).max(axis=0)).all()


def rotation(size, seed):
    return np.linalg.qr(np.random.default_rng(seed).standard_normal((size, size)))[0]


@pytest.mark.parametrize("n_vectors", [2, 4, 6])
def test_a_basis_follows_from_the_eigenspaces_alone(n_vectors):
    """Also where the last eigenspace is cut, and where its eigenvalues differ by rounding."""
    V = rotation(30, 0)[:, :6]
    values = np.array([3.0, 2.0, 2.0, 2.0, 1.0, 1.0])
    turned = V.copy()
    turned[:, 1:4] = V[:, 1:4] @ rotation(3, 1)
    turned[:, 4:] = V[:, 4:] @ rotation(2, 2)
    rounded = values + 1e-14 * np.random.default_rng(3).standard_normal(6)
    expected = canonical_basis(values, V, n_vectors)
    found = canonical_basis(rounded, -turned, n_vectors)
    np.testing.assert_allclose(found, expected, atol=1e-12)
    np.testing.assert_allclose(found.T @ found, np.eye(n_vectors), atol=1e-12)


def test_equally_long_rows_are_taken_by_place():
    """Of equal samples the first, whichever is longer by rounding."""
    V = np.repeat(rotation(4, 0)[:, :2], 3, axis=0)
    noise = 1e-13 * np.random.default_rng(1).standard_normal(V.shape)
    rows, _ = pivoted_rows(V, 2)
    assert rows == pivoted_rows(V + noise, 2)[0]
    assert all(row % 3 == 0 for row in rows)


def ring(n):
    """Its eigenvalues are there twice, but for the first and the last."""
    W = sparse.csr_array((np.ones(n), (np.arange(n), np.roll(np.arange(n), 1))), shape=(n, n))
    return sparse.csr_array(W + W.T)


def _of_block(W):
    return smallest_eigenpairs(laplacian(W), 4)[1]


def _of_laplacian(W):
    return laplacian_eigenvectors(W, 4)[1]


def _of_dense_laplacian(W):
    return laplacian_eigenvectors(W.toarray(), 4)[1]


def _of_top(W):
    return top_eigenvectors(4 * np.eye(W.shape[0]) - laplacian(W).toarray(), 4)[0]


@pytest.mark.parametrize("n", [60, 240])
@pytest.mark.parametrize("solve", [_of_block, _of_laplacian, _of_dense_laplacian, _of_top])
def test_rounding_does_not_decide_where_a_double_eigenvalue_is_cut(solve, n):
    W = ring(n)
    vectors = solve(W)  # the first one, a pair, and one of the next pair
    for seed in range(3):
        noise = 1 + 1e-14 * np.random.default_rng(seed).standard_normal(W.nnz)
        Z = sparse.csr_array((W.data * noise, W.indices, W.indptr), shape=W.shape)
        Z = sparse.csr_array((Z + Z.T) / 2)
        np.testing.assert_allclose(solve(Z), vectors, atol=1e-6)


@pytest.mark.parametrize("size", [1e-6, 1e6])
def test_an_eigenspace_of_more_than_two_is_cut_alike_at_any_size(size):
    rng = np.random.default_rng(0)
    Q = np.linalg.qr(rng.normal(size=(12, 12)))[0]
    M = (Q * np.repeat([3.0, 2.0, 1.0], [1, 4, 7])) @ Q.T
    noise = 1e-14 * rng.normal(size=(5, 12, 12))
    first, *others = (top_eigenvectors(size * (M + E + E.T), 2)[0] for E in noise)
    np.testing.assert_allclose(others, np.stack([first] * 4), atol=1e-6)


def test_equal_eigenvalues_of_blocks_are_ordered_by_blocks_not_by_rounding():
    W = adaptive_neighbor_graph(np.random.default_rng(0).standard_normal((40, 3)))
    for seed in range(5):
        scales = 1 + 1e-14 * np.random.default_rng(seed).standard_normal(3)
        together = sparse.block_diag([scale * W for scale in scales], format="csr")
        _, vectors = smallest_eigenpairs(laplacian(together), 5)
        assert np.flatnonzero(vectors[:, 3])[0] < 40
        assert 40 <= np.flatnonzero(vectors[:, 4])[0] < 80
