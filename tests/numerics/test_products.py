"""Products by columns equal those by rows."""

import numpy as np
import pytest
from scipy import sparse

from mvclust.numerics.products import for_products, frequent_first


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
