"""Bipartite graphs: the number of components asked for, and which nodes are in one."""

import numpy as np
import pytest
from scipy import sparse

from mvclust.metrics import adjusted_rand_index
from mvclust.numerics.bipartite import bipartite_components, connected_graph
from mvclust.numerics.graphs import connected_components


def affinities(seed=0, n=40, m=5, c=3):
    rng = np.random.default_rng(seed)
    y, of_anchors = np.arange(n) % c, np.arange(m) % c
    B = 0.6 * (y[:, None] == of_anchors) + 0.3 * rng.random((n, m))
    return B, y, of_anchors


@pytest.mark.parametrize("m", [3, 5, 6])
def test_the_graph_has_the_components_asked_for(m):
    B, y, _ = affinities(m=m)
    graph = connected_graph(B, 1.0, np.arange(m), 3)
    labels, of_anchors = bipartite_components(graph.P)
    assert len(np.unique(of_anchors)) == 3
    assert adjusted_rand_index(y, labels) == 1
    assert graph.P.min() >= 0
    assert graph.P.sum() == pytest.approx((40 + m) / 2)  # halves of rows and of columns
    assert graph.trace == pytest.approx(0.05 * 3)
    for nodes, numbers in ((graph.U, labels), (graph.V, of_anchors)):
        for c in range(3):  # the rows of one component are the same
            own = nodes[numbers == c]
            np.testing.assert_allclose(own, np.tile(own[0], (len(own), 1)), atol=1e-6)


def test_samples_without_a_positive_affinity_stay_alone():
    B, y, _ = affinities()
    B[[3, 17]] = -1.0
    labels, _ = bipartite_components(connected_graph(B, 1.0, np.arange(5), 3).P)
    assert (np.flatnonzero(labels < 0) == [3, 17]).all()
    left = labels >= 0
    assert adjusted_rand_index(y[left], labels[left]) == 1


def test_anchors_without_a_positive_affinity_have_no_component():
    B, _, _ = affinities(m=6)
    B[:, 5] = -1.0
    labels, of_anchors = bipartite_components(connected_graph(B, 1.0, np.arange(6), 3).P)
    assert of_anchors[5] == -1
    assert labels.min() == 0
    nothing = connected_graph(-np.ones((4, 2)), 1.0, np.arange(2), 2)
    assert not nothing.P.any()
    assert np.isfinite(nothing.trace)
    assert (bipartite_components(nothing.P)[0] == -1).all()


@pytest.mark.parametrize("seed", range(5))
def test_components_are_those_of_the_whole_graph(seed):
    rng = np.random.default_rng(seed)
    P = rng.random((30, 12)) * (rng.random((30, 12)) < 0.06)
    labels, of_anchors = bipartite_components(P)
    whole = connected_components(sparse.bmat([[None, P], [P.T, None]], format="csr"))
    joined, live = P.any(axis=1), P.any(axis=0)
    assert ((labels < 0) == ~joined).all()
    assert ((of_anchors < 0) == ~live).all()
    own, other = np.r_[labels[joined], of_anchors[live]], whole[np.r_[joined, live]]
    pairs = np.unique(np.column_stack([own, other]), axis=0)
    assert len(pairs) == len(np.unique(own)) == len(np.unique(other))


@pytest.mark.parametrize("size", [1.0, 1e6])
def test_affinities_of_rounding_errors_join_nothing(size):
    B = size * affinities()[0]
    B[:, 4] = 0.0
    expected = connected_graph(B, size, np.arange(5), 3)
    B[:, 4] = size * 1e-14 * np.random.default_rng(0).standard_normal(len(B))
    found = connected_graph(B, size, np.arange(5), 3)
    np.testing.assert_allclose(found.P, expected.P, atol=1e-10)
