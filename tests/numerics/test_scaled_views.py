"""Views that are scaled as they are multiplied equal views that were scaled before."""

import numpy as np
import pytest
from scipy import sparse

from mvclust.numerics.scaled_views import ScaledView


def views(seed=0, n=60, d=7):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) > 0.4) + 1000 * (np.arange(d) == 2)
    X[:, 4] = 3.0  # constant
    X[5] = 0.0
    return X


def standardised(X):
    deviation = X.std(axis=0, ddof=1)
    return (X - X.mean(axis=0)) / np.where(deviation > 1e-9, deviation, np.inf)


def unit(X):
    return X / np.maximum(np.linalg.norm(X, axis=1), 1e-12)[:, None]


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize(
    ("scale", "expected"), [("sample_unit", unit), ("feature_zscore", standardised)]
)
def test_products_are_those_of_the_scaled_view(kind, scale, expected):
    X, rng = views(), np.random.default_rng(1)
    own, rows = expected(X), slice(3, 40)
    view = ScaledView(kind(X), scale)
    B, Z = rng.normal(size=(7, 3)), rng.normal(size=(37, 3))
    np.testing.assert_allclose(view.times(rows, B), own[rows] @ B, atol=1e-9)
    np.testing.assert_allclose(view.transposed_times(rows, Z), own[rows].T @ Z, atol=1e-9)
    np.testing.assert_allclose(view.take(np.array([9, 2])), own[[9, 2]], atol=1e-9)
    assert view.squared_norm == pytest.approx(np.sum(own**2))
    assert view.width == (7 if kind is np.asarray else np.count_nonzero(X) / 60)


def test_new_samples_are_scaled_as_those_of_fit():
    X, Y = views(), views(1)
    fitted = ScaledView(X, "feature_zscore")
    there = np.arange(60) % 3 > 0
    new = ScaledView(np.where(there[:, None], Y, 0.0), "feature_zscore", fitted.scaling, there)
    deviation = X.std(axis=0, ddof=1)
    expected = (Y - X.mean(axis=0)) / np.where(deviation > 1e-9, deviation, np.inf)
    expected[~there] = 0.0
    np.testing.assert_allclose(new.times(slice(0, 60), np.eye(7)), expected, atol=1e-9)
    np.testing.assert_allclose(
        new.transposed_times(slice(0, 60), np.eye(60)), expected.T, atol=1e-9
    )


def test_moments_of_many_samples_are_found_in_blocks():
    X = np.random.default_rng(0).normal(5, 2, size=(3000, 2))
    np.testing.assert_allclose(ScaledView(X, "feature_zscore").scaling[0], X.mean(axis=0))
    np.testing.assert_allclose(
        ScaledView(X, "feature_zscore").scaling[1], 1 / X.std(axis=0, ddof=1)
    )


def test_one_sample_and_constant_views_have_nothing_left():
    assert ScaledView(np.ones((1, 3)), "feature_zscore").squared_norm == 0
    assert ScaledView(np.ones((5, 3)), "feature_zscore").squared_norm == 0
    assert ScaledView(np.zeros((5, 3)), "sample_unit").squared_norm == 0
