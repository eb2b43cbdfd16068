"""Graphs with a given number of components."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from mvclust.numerics.connected import graph_spectrum, nearest_connected_graph
from mvclust.numerics.graphs import adaptive_neighbor_graph, connected_components


@pytest.mark.parametrize("norm", ["l2", "l1"])
@given(seed=st.integers(0, 10**6), n_clusters=st.integers(2, 4))
@settings(deadline=None, max_examples=15)
def test_constraints_hold(norm, seed, n_clusters):
    X = np.random.default_rng(seed).standard_normal((40, 3))
    A0 = adaptive_neighbor_graph(X, 8)
    F, low, _ = graph_spectrum(A0, n_clusters)
    if low < 1e-10:
        return
    found = nearest_connected_graph(A0, F, norm=norm)
    S = found.S
    gap = S.toarray() - A0.toarray()
    expected = (gap**2).sum() if norm == "l2" else np.abs(gap).sum()
    assert found.distance[-1] == pytest.approx(expected)
    assert S.data.min() > 0
    np.testing.assert_allclose(S.sum(axis=1), 1)
    assert not ((S != 0).toarray() & (A0.toarray() == 0)).any()
    if found.converged:
        assert connected_components(sparse.csr_array(S + S.T)).max() + 1 == n_clusters
        assert found.low[-1] < 1e-10 < found.high[-1]


@pytest.mark.parametrize("weight", [0.5, 3.0])
def test_a_weight_scales_target_and_lambda(weight):
    A = adaptive_neighbor_graph(np.random.default_rng(0).standard_normal((30, 3)), 8)
    F, _, _ = graph_spectrum(A, 3)
    found = nearest_connected_graph(A, F, weight=weight, lam=0.2)
    same = nearest_connected_graph(A / weight, F, lam=0.2 / weight)
    np.testing.assert_allclose(found.S.toarray(), same.S.toarray(), atol=1e-9)
    np.testing.assert_allclose(found.distance, same.distance, rtol=1e-9)
