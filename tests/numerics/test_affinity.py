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


def test_affinity_of_equal_samples_is_one():
    K = gaussian_affinity(np.ones((4, 2)))
    np.testing.assert_array_equal(K, np.ones((4, 4)))
    np.testing.assert_allclose(normalized_affinity(K), 0.25)
