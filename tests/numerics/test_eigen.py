"""Smallest eigenpairs of sparse matrices: true pairs, whatever way they were found."""

import numpy as np
import pytest
from scipy import sparse
from scipy.linalg import eigvalsh

from mvclust.numerics.eigen import smallest_eigenpairs
from mvclust.numerics.graphs import adaptive_neighbor_graph, laplacian


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


def test_among_equals_larger_blocks_come_first():
    W = sparse.block_diag([np.ones((k, k)) for k in (2, 4, 3)], format="csr")
    _, vectors = smallest_eigenpairs(laplacian(W), 2)
    assert (vectors[2:6, 0] > 0).all()
    assert (vectors[6:, 1] > 0).all()
