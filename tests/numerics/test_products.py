"""Products by columns equal those by rows."""

import numpy as np
import pytest
from scipy import sparse

from mvclust.numerics.products import for_products


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
