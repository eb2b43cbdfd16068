"""Leading eigenvectors by Lanczos and through products."""

import numpy as np
import pytest

from mvclust.numerics.affinity import (
    gaussian_affinity,
    normalized_affinity,
    top_eigenvectors,
    top_eigenvectors_of_products,
)


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


def test_products_are_never_formed_but_solved():
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(2, 60, 4))
    vectors, values = top_eigenvectors_of_products(A, B, 3)
    full = np.linalg.eigh((A @ B.T + B @ A.T) / 2)
    np.testing.assert_allclose(values, full[0][::-1][:3])
    np.testing.assert_allclose(vectors @ vectors.T, full[1][:, -3:] @ full[1][:, -3:].T, atol=1e-10)


@pytest.mark.parametrize("n", [1, 2, 5, 6, 300, 301])
def test_affinity_is_symmetric_and_its_width_the_median_of_all_distances(n):
    X = np.random.default_rng(n).normal(size=(n, 2))
    distances = np.linalg.norm(X[:, None] - X, axis=2)
    K = gaussian_affinity(X)
    width = np.median(distances) or 1.0
    np.testing.assert_allclose(K, np.exp(-(distances**2) / (2 * width**2)), rtol=1e-9)
    for symmetric in (K, normalized_affinity(K)):
        np.testing.assert_array_equal(symmetric, symmetric.T)


def test_multiple_eigenvalues_are_all_found_and_the_same_every_time():
    y = np.repeat(range(4), [200, 80, 60, 60])
    blocks = normalized_affinity((y[:, None] == y).astype(float))
    for M in (blocks, np.diag(np.repeat([1.0, 0.0], [4, 296]))):
        vectors, values = top_eigenvectors(M, 4)
        np.testing.assert_allclose(values, 1)
        np.testing.assert_allclose(M @ vectors, vectors, atol=1e-12)
        np.testing.assert_array_equal(vectors, top_eigenvectors(M, 4)[0])
        again, _ = top_eigenvectors(M, 4, plus=vectors, start=vectors)
        np.testing.assert_allclose(again @ again.T, vectors @ vectors.T, atol=1e-12)


def test_affinity_of_equal_samples_is_one():
    K = gaussian_affinity(np.ones((4, 2)))
    np.testing.assert_array_equal(K, np.ones((4, 4)))
    np.testing.assert_allclose(normalized_affinity(K), 0.25)
