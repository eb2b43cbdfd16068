"""Gaussian affinities: width, symmetry, equal samples."""

import numpy as np
import pytest

from mvclust.numerics.affinity import gaussian_affinity, normalized_affinity
from mvclust.numerics.spectral import spectral_rows


@pytest.mark.parametrize("n", [1, 2, 5, 6, 300, 301])
def test_affinity_is_symmetric_and_its_width_the_median_of_all_distances(n):
    X = np.random.default_rng(n).normal(size=(n, 2))
    distances = np.linalg.norm(X[:, None] - X, axis=2)
    K = gaussian_affinity(X)
    width = np.median(distances) or 1.0
    np.testing.assert_allclose(K, np.exp(-(distances**2) / (2 * width**2)), rtol=1e-9)
    np.testing.assert_allclose(gaussian_affinity(X, sigma=width), K, rtol=1e-9)
    for symmetric in (K, normalized_affinity(K)):
        np.testing.assert_array_equal(symmetric, symmetric.T)


def test_affinity_of_equal_samples_is_one():
    K = gaussian_affinity(np.ones((4, 2)))
    np.testing.assert_array_equal(K, np.ones((4, 4)))
    np.testing.assert_allclose(normalized_affinity(K), 0.25)


def test_a_sample_without_any_similarity_is_apart_from_all_others():
    S = np.ones((4, 4))
    S[3], S[:, 3] = 0.0, 0.0
    rows = spectral_rows(S, 2)
    S[3, 3] = 1.0
    np.testing.assert_allclose(rows @ rows.T, S, atol=1e-12)
