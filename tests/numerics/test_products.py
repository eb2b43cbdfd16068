"""Products by columns equal those by rows."""

import numpy as np
import pytest
from scipy import sparse

from mvclust.numerics.products import for_products, frequent_first, side_by_side


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_products_are_those_of_the_matrix(make):
    rng = np.random.default_rng(0)
    dense = np.where(rng.random((7, 5)) < 0.4, rng.random((7, 5)), 0.0)
    given = make(dense)
    X, X_transposed = for_products(given)
    U, V = rng.random((5, 3)), rng.random((7, 3))
    np.testing.assert_allclose(X @ U, dense @ U, atol=1e-14)
    np.testing.assert_allclose(X_transposed @ V, dense.T @ V, atol=1e-14)
    assert np.shares_memory(
        getattr(X_transposed, "data", X_transposed), getattr(given, "data", given)
    )


def test_the_features_most_samples_have_come_first():
    rng = np.random.default_rng(0)
    X = sparse.csr_array(np.where(rng.random((30, 9)) < np.linspace(0.2, 0.9, 9), 1.0, 0.0))
    order = frequent_first(X)
    assert sorted(order) == list(range(9))
    assert (np.diff(X[:, order].sum(axis=0)) <= 0).all()
    assert X.toarray()[:, frequent_first(X.toarray())].shape == X.shape


@pytest.mark.parametrize("share", [0.05, 1.0])
def test_repeated_rows_are_multiplied_once(share):
    rng = np.random.default_rng(0)
    X = np.where(rng.random((60, 200)) < share, rng.random((60, 200)), 0.0)
    X[::2] = X.mean(axis=0)
    X[1:20:2] = 0.0
    fast, fast_transposed = for_products(X)
    assert not isinstance(fast, np.ndarray)
    for shape in [(), (3,)]:
        U, V = rng.random((200, *shape)), rng.random((60, *shape))
        np.testing.assert_allclose(fast @ U, X @ U, rtol=1e-12)
        np.testing.assert_allclose(fast_transposed @ V, X.T @ V, rtol=1e-12)
    both, both_transposed = side_by_side([X, 2 * X[:, :7]])
    Y = np.hstack([X, 2 * X[:, :7]])
    U = rng.random((207, 3))
    np.testing.assert_allclose(both @ U, Y @ U, rtol=1e-12)
    np.testing.assert_allclose(both_transposed @ V, Y.T @ V, rtol=1e-12)
