"""Singular vectors through the Gram matrix against those of the whole matrix."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mvclust.numerics.gram_svd import left_singular_vectors


@given(st.integers(0, 10**6), st.lists(st.integers(1, 5), min_size=1, max_size=4))
@settings(deadline=None, max_examples=50)
def test_equals_the_singular_value_decomposition(seed, widths):
    rng = np.random.default_rng(seed)
    blocks = [rng.standard_normal((30, width)) for width in widths]
    U, sigma, V = left_singular_vectors(blocks, 3)
    _, expected, _ = np.linalg.svd(np.hstack(blocks), full_matrices=False)
    np.testing.assert_allclose(sigma, expected[:3], rtol=1e-10)
    np.testing.assert_allclose(U.T @ U, np.eye(len(sigma)), atol=1e-10)
    np.testing.assert_allclose(np.hstack(blocks) @ V, U * sigma, atol=1e-10)


def test_directions_without_weight_are_left_out():
    A = np.random.default_rng(0).standard_normal((20, 2))
    U, sigma, V = left_singular_vectors([A, A @ np.ones((2, 3)), np.zeros((20, 1))], 5)
    assert U.shape == (20, 2)
    assert sigma.shape == (2,)
    assert V.shape == (6, 2)
    assert left_singular_vectors([np.zeros((4, 2))], 2)[0].shape == (4, 0)
