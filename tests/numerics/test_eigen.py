"""Eigenvectors: true pairs whatever way they were found, all components, no chance; systems."""

import numpy as np
import pytest
from scipy import sparse
from scipy.linalg import eigvalsh
from scipy.sparse.linalg import ArpackError

from mvclust.numerics import eigen
from mvclust.numerics import spd_solve as module
from mvclust.numerics.affinity import normalized_affinity
from mvclust.numerics.graphs import adaptive_neighbor_graph, laplacian, neighbor_graph
from mvclust.numerics.spd_solve import solve_spd
from mvclust.testing import next_draw


def random_graph(n, density, seed=0):
    rng = np.random.default_rng(seed)
    W = rng.random((n, n)) * (rng.random((n, n)) < density)
    W = (W + W.T) / 2
    np.fill_diagonal(W, 0)
    return W


def check(M, eigenvalues, vectors):
    """The smallest pairs, whatever way they were found."""
    M = M.toarray() if sparse.issparse(M) else M
    scale, k = np.abs(M).max(), vectors.shape[1]
    np.testing.assert_allclose(eigenvalues, eigvalsh(M)[:k], atol=1e-10 * scale)
    np.testing.assert_allclose(M @ vectors, vectors * eigenvalues, atol=1e-8 * scale)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(k), atol=1e-10)


def neighbors(n, d=3):
    return adaptive_neighbor_graph(np.random.default_rng(0).standard_normal((n, d)))


def graph(kind, n):
    if kind == "ring of all":
        angle = 2 * np.pi * np.arange(n) / n
        W = np.exp(2 * np.cos(angle[:, None] - angle))
        return W - np.diag(W.diagonal())
    if kind == "complete":
        return 1 - np.eye(n)
    return neighbors(n, 2) if kind == "neighbors" else random_graph(n, 0.5)


CASES = [("dense", n, k) for n, k in [(5, 5), (60, 4), (300, 7), (900, 6)]]
CASES += [("neighbors", n, 5) for n in (100, 900)]
CASES += [(kind, 800, 6) for kind in ("ring of all", "complete")]  # multiple eigenvalues


@pytest.mark.parametrize(("kind", "n", "n_vectors"), CASES)
def test_smallest_pairs_of_a_laplacian(kind, n, n_vectors):
    W = graph(kind, n)
    check(laplacian(W), *eigen.laplacian_eigenvectors(W, n_vectors))


@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("n", [90, 900])
def test_laplacian_of_graphs_in_pieces(n, convert):
    """Three components: three eigenvalues that are exactly zero."""
    X = np.random.default_rng(0).standard_normal((n, 2)) + 100 * (np.arange(n) % 3)[:, None]
    W = convert(neighbor_graph(X, 8).toarray())
    eigenvalues, vectors = eigen.laplacian_eigenvectors(W, 5)
    check(laplacian(W), eigenvalues, vectors)
    assert (eigenvalues[:3] == 0).all()
    assert eigenvalues[3] > 0
    for group in range(3):  # constant on the components
        assert np.ptp(vectors[group::3, :3], axis=0).max() < 1e-10


def test_more_pieces_than_vectors_takes_the_largest():
    W = sparse.block_diag([np.ones((n, n)) for n in (3, 8, 1, 5)]).toarray() - np.eye(17)
    eigenvalues, vectors = eigen.laplacian_eigenvectors(W, 2)
    assert eigenvalues.tolist() == [0, 0]
    assert np.flatnonzero(vectors[:, 0]).tolist() == list(range(3, 11))
    assert np.flatnonzero(vectors[:, 1]).tolist() == list(range(12, 17))


def test_lanczos_notices_that_it_overlooked_a_vector(monkeypatch):
    L = laplacian(random_graph(120, 0.5))
    assert eigen._lanczos_by_dense_products(L, 4) is not None
    true = eigen.eigsh

    def forgetful(*args, k, **options):
        values, vectors = true(*args, k=k + 1, **options)
        kept = np.argsort(values) != 2
        return values[kept], vectors[:, kept]

    monkeypatch.setattr(eigen, "eigsh", forgetful)
    assert eigen._lanczos_by_dense_products(L, 4) is None


def test_same_result_each_time_and_in_any_order_and_global_generator_untouched():
    W, order = random_graph(900, 0.5), np.random.default_rng(1).permutation(900)
    following = next_draw()
    first, again = (eigen.laplacian_eigenvectors(W, 4)[1] for _ in range(2))
    np.testing.assert_array_equal(first, again)
    assert next_draw() == following
    _, permuted = eigen.laplacian_eigenvectors(W[np.ix_(order, order)], 4)
    np.testing.assert_allclose(permuted, first[order], atol=1e-10)


@pytest.mark.parametrize("as_sparse", [True, False])
def test_a_search_that_breaks_down_is_replaced(monkeypatch, as_sparse):
    W = indefinite(800, 0.02)
    W = W if as_sparse else W.toarray()
    expected, _ = eigen.laplacian_eigenvectors(W, 4)

    def broken(*_, **__):
        raise ArpackError(3)

    monkeypatch.setattr(eigen, "eigsh", broken)
    found, vectors = eigen.laplacian_eigenvectors(W, 4)
    np.testing.assert_allclose(found, expected, atol=1e-9)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(4), atol=1e-10)


def indefinite(n, density):
    M = sparse.random_array((n, n), density=density, rng=np.random.default_rng(0))
    return sparse.csr_array(M + M.T)


@pytest.mark.parametrize(("n", "n_pairs"), [(1, 1), (6, 6), (200, 5), (900, 7)])
def test_indefinite_matrices_and_multiple_eigenvalues_of_one_block_and_of_three(n, n_pairs):
    matrices = [indefinite(n, 0.1)]
    if n > 1:
        three = sparse.block_diag([neighbors(max(n // 3, 4))] * 3, format="csr")
        matrices += [laplacian(ring(n)), laplacian(three)]
    for M in matrices:
        check(M, *eigen.smallest_eigenpairs(M, n_pairs))


def test_a_large_matrix_is_factored_where_products_do_not_find_its_pairs(monkeypatch):
    for owner, name in ((eigen, "_lanczos_by_sparse_products"), (eigen.linalg, "eigh")):
        monkeypatch.setattr(owner, name, lambda *_: None)
    monkeypatch.setattr(eigen, "SPARSE_DENSE", 600)
    M = indefinite(700, 0.01)
    check(M, *eigen.smallest_eigenpairs(M, 5))


@pytest.mark.parametrize("n_pairs", [2, 3, 5])
def test_a_laplacian_in_pieces_needs_fewer_pairs_of_each(monkeypatch, n_pairs):
    X = np.random.default_rng(0).standard_normal((700, 2))
    L = laplacian(sparse.block_diag([adaptive_neighbor_graph(X[:n]) for n in (700, 30, 8)]))
    expected = eigen.smallest_eigenpairs(L, n_pairs)
    wanted, true = [], eigen._smallest_of_block

    def count(M, n_pairs, *options):
        wanted.append(n_pairs)
        return true(M, n_pairs, *options)

    monkeypatch.setattr(eigen, "_smallest_of_block", count)
    values, vectors = eigen.smallest_eigenpairs(L, n_pairs, is_laplacian=True)
    assert wanted == ([] if n_pairs < 4 else [n_pairs - 2] * 3)
    np.testing.assert_allclose(values, expected[0], atol=1e-11)
    np.testing.assert_allclose(vectors, expected[1], atol=1e-7)


def test_a_start_changes_no_pairs():
    L = laplacian(neighbors(900))
    values, vectors = eigen.smallest_eigenpairs(L, 4)
    for start in (vectors, np.random.default_rng(1).random((900, 2))):
        again = eigen.smallest_eigenpairs(L, 4, start=start)
        np.testing.assert_allclose(again[0], values, atol=1e-11)
        np.testing.assert_allclose(again[1], vectors, atol=1e-7)


def test_among_equals_larger_blocks_come_first():
    W = sparse.block_diag([np.ones((k, k)) for k in (2, 4, 3)], format="csr")
    _, vectors = eigen.smallest_eigenpairs(laplacian(W), 2)
    assert (vectors[2:6, 0] > 0).all()
    assert (vectors[6:, 1] > 0).all()


@pytest.mark.parametrize("n", [50, 400])
def test_leading_vectors_with_a_low_rank_term(n):
    rng = np.random.default_rng(n)
    M, plus = rng.normal(size=(n, n)), rng.normal(size=(n, 4))
    M = M + M.T
    vectors, values = eigen.top_eigenvectors(M, 3, plus=plus, weight=0.5, start=plus)
    check(-(M + 0.5 * plus @ plus.T), -values, vectors)


def test_only_small_matrices_are_decomposed_whole(monkeypatch):
    decomposed, true = [], eigen.linalg.eigh
    monkeypatch.setattr(
        eigen.linalg, "eigh", lambda M, **more: decomposed.append(len(M)) or true(M, **more)
    )
    for n in (20, 2 * eigen.TOP):
        eigen.top_eigenvectors(random_graph(n, 0.5), 3)
    assert decomposed == [20]


def test_products_are_never_formed_but_solved():
    A, B = np.random.default_rng(0).normal(size=(2, 60, 4))
    vectors, values = eigen.top_eigenvectors_of_products(A, B, 3)
    check(-(A @ B.T + B @ A.T) / 2, -values, vectors)


def test_multiple_largest_eigenvalues_are_all_found_and_the_same_every_time():
    y = np.repeat(range(4), [200, 80, 60, 60])
    blocks = normalized_affinity((y[:, None] == y).astype(float))
    for M in (blocks, np.diag(np.repeat([1.0, 0.0], [4, 296]))):
        vectors, values = eigen.top_eigenvectors(M, 4)
        np.testing.assert_allclose(values, 1)
        np.testing.assert_allclose(M @ vectors, vectors, atol=1e-12)
        np.testing.assert_array_equal(vectors, eigen.top_eigenvectors(M, 4)[0])
        again, _ = eigen.top_eigenvectors(M, 4, plus=vectors, start=vectors)
        np.testing.assert_allclose(again @ again.T, vectors @ vectors.T, atol=1e-12)


def test_more_nearly_equal_eigenvalues_than_wanted_are_no_failure():
    # As of a graph whose pieces hardly touch, which filling by the mean leaves of short texts.
    rng = np.random.default_rng(0)
    M = with_spectrum(np.concatenate([0.9 * rng.random(388), 1 - 10.0 ** -np.arange(8, 20)]))
    plus = 1e-3 * rng.normal(size=(400, 2))
    for full, low_rank in ((M, None), (M + plus @ plus.T, plus)):
        vectors, values = eigen.top_eigenvectors(M, 5, plus=low_rank)
        check(-full, -values, vectors)


def test_signs_do_not_depend_on_those_given():
    V = np.random.default_rng(0).standard_normal((9, 4))
    np.testing.assert_array_equal(eigen.settle_signs(V), eigen.settle_signs(-V))
    assert (np.abs(eigen.settle_signs(V)).max(axis=0) == eigen.settle_signs(V).max(axis=0)).all()


def rotation(size, seed):
    return np.linalg.qr(np.random.default_rng(seed).standard_normal((size, size)))[0]


def with_spectrum(values):
    Q = rotation(len(values), 0)
    M = (Q * values) @ Q.T
    return (M + M.T) / 2


@pytest.mark.parametrize("n_vectors", [2, 4, 6])
def test_a_basis_follows_from_the_eigenspaces_alone(n_vectors):
    """Also where the last eigenspace is cut, and where its eigenvalues differ by rounding."""
    V = rotation(30, 0)[:, :6]
    values = np.array([3.0, 2.0, 2.0, 2.0, 1.0, 1.0])
    turned = V.copy()
    turned[:, 1:4] = V[:, 1:4] @ rotation(3, 1)
    turned[:, 4:] = V[:, 4:] @ rotation(2, 2)
    rounded = values + 1e-14 * np.random.default_rng(3).standard_normal(6)
    expected = eigen.canonical_basis(values, V, n_vectors)
    found = eigen.canonical_basis(rounded, -turned, n_vectors)
    np.testing.assert_allclose(found, expected, atol=1e-12)
    np.testing.assert_allclose(found.T @ found, np.eye(n_vectors), atol=1e-12)


def test_equally_long_rows_are_taken_by_place():
    """Of equal samples the first, whichever is longer by rounding."""
    V = np.repeat(rotation(4, 0)[:, :2], 3, axis=0)
    noise = 1e-13 * np.random.default_rng(1).standard_normal(V.shape)
    rows, _ = eigen.pivoted_rows(V, 2)
    assert rows == eigen.pivoted_rows(V + noise, 2)[0]
    assert all(row % 3 == 0 for row in rows)


def ring(n):
    """Its eigenvalues are there twice, but for the first and the last."""
    W = sparse.csr_array((np.ones(n), (np.arange(n), np.roll(np.arange(n), 1))), shape=(n, n))
    return sparse.csr_array(W + W.T)


SOLVERS = {
    "block": lambda W: eigen.smallest_eigenpairs(laplacian(W), 4)[1],
    "laplacian": lambda W: eigen.laplacian_eigenvectors(W, 4)[1],
    "dense laplacian": lambda W: eigen.laplacian_eigenvectors(W.toarray(), 4)[1],
    "top": lambda W: eigen.top_eigenvectors(4 * np.eye(len(W.indptr) - 1) - laplacian(W), 4)[0],
}


@pytest.mark.parametrize("n", [60, 240])
@pytest.mark.parametrize("solver", SOLVERS)
def test_rounding_does_not_decide_where_a_double_eigenvalue_is_cut(solver, n):
    W, solve = ring(n), SOLVERS[solver]
    vectors = solve(W)  # the first one, a pair, and one of the next pair
    for seed in range(3):
        noise = 1 + 1e-14 * np.random.default_rng(seed).standard_normal(W.nnz)
        Z = sparse.csr_array((W.data * noise, W.indices, W.indptr), shape=W.shape)
        Z = sparse.csr_array((Z + Z.T) / 2)
        np.testing.assert_allclose(solve(Z), vectors, atol=1e-6)


@pytest.mark.parametrize("size", [1e-6, 1e6])
def test_an_eigenspace_of_more_than_two_is_cut_alike_at_any_size(size):
    rng = np.random.default_rng(0)
    M = with_spectrum(np.repeat([3.0, 2.0, 1.0], [1, 4, 7]))
    noise = 1e-14 * rng.normal(size=(5, 12, 12))
    first, *others = (eigen.top_eigenvectors(size * (M + E + E.T), 2)[0] for E in noise)
    np.testing.assert_allclose(others, np.stack([first] * 4), atol=1e-6)


def test_equal_eigenvalues_of_blocks_are_ordered_by_blocks_not_by_rounding():
    W = neighbors(40)
    for seed in range(5):
        scales = 1 + 1e-14 * np.random.default_rng(seed).standard_normal(3)
        together = sparse.block_diag([scale * W for scale in scales], format="csr")
        _, vectors = eigen.smallest_eigenpairs(laplacian(together), 5)
        assert np.flatnonzero(vectors[:, 3])[0] < 40
        assert 40 <= np.flatnonzero(vectors[:, 4])[0] < 80


def system(weight, n=80, k=4):
    rng = np.random.default_rng(0)
    L = laplacian(neighbor_graph(rng.normal(size=(n, 3)), 5))
    A = sparse.csr_array(weight * L + sparse.diags_array(rng.integers(1, 4, n).astype(float)))
    return A, rng.normal(size=(n, k))


def test_a_guess_does_not_change_the_solution():
    A, B = system(1.0)
    X, guess = solve_spd(A, B), np.random.default_rng(1).normal(size=B.shape)
    np.testing.assert_allclose(solve_spd(A, B, guess), X, atol=1e-11)
    np.testing.assert_allclose(solve_spd(A, A @ X, X), X, rtol=1e-14)


def test_columns_end_by_themselves_and_zero_is_a_solution():
    A, B = system(1.0)
    B[:, 1] = 0.0
    B[:, 2] *= 1e200
    X = solve_spd(A, B)
    assert (X[:, 1] == 0).all()
    np.testing.assert_allclose(X, np.linalg.solve(A.toarray(), B), rtol=1e-9)
    assert not solve_spd(A, B, tol=1.0).any()  # as a share of B's norm


@pytest.mark.parametrize("weight", [0.0, 1e-3, 1.0, 1e3, 1e5, 1e7])
def test_gradients_alone_solve_what_is_well_conditioned_else_a_factorisation(monkeypatch, weight):
    A, B = system(weight)
    expected = np.linalg.solve(A.toarray(), B)
    with monkeypatch.context() as patch:
        patch.setattr(module, "MAX_ITER", 2)
        np.testing.assert_allclose(solve_spd(A, B), expected, rtol=1e-7)
    if weight <= 1e3:  # the rest is solved as well
        monkeypatch.setattr(module, "splu", lambda *_: pytest.fail("it was factored"))
    np.testing.assert_allclose(solve_spd(A, B), expected, rtol=1e-7)
