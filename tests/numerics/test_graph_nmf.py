"""Graph-regularised NMF against its oracle."""

import numpy as np
from helpers import assert_equal_to_oracle
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from mvclust.numerics.graph_nmf import best_graph_nmf, graph_nmf
from mvclust.numerics.graphs import laplacian, neighbor_graph


def test_equals_oracle(oracle):
    z = oracle("baselines_gnmf")
    for X, S in ((z["X"], z["S"]), (sparse.csr_array(z["X"]), sparse.csr_array(z["S"]))):
        U, V, _ = graph_nmf(X, S, z["U_init"], z["V_init"], max_iter=int(z["iterations"]))
        assert_equal_to_oracle(z, "{}", U=U, V=V)


@given(seed=st.integers(0, 1000), weight=st.sampled_from([0.0, 0.1, 10.0]))
@settings(max_examples=30, deadline=None)
def test_objective_is_that_of_the_factors_and_columns_have_unit_length(seed, weight):
    rng = np.random.default_rng(seed)
    X = rng.random((20, 6))
    S = weight * neighbor_graph(X, 3)
    U, V, value = best_graph_nmf(X, S, 3, n_init=2, warm_up=5, max_iter=20, seed=seed)
    np.testing.assert_allclose(np.linalg.norm(U, axis=0), 1)
    expected = np.sum((X - V @ U.T) ** 2) + np.trace(V.T @ (laplacian(S) @ V))
    np.testing.assert_allclose(value, expected, rtol=1e-8)
