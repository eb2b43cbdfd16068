"""CLR against runs of the authors' code, and what its mathematics promises."""

import numpy as np
import pytest
from helpers import relative
from scipy import sparse
from scipy.linalg import eigh
from scipy.optimize import brentq
from sklearn.exceptions import ConvergenceWarning

from mvclust import CLR
from mvclust.estimators.clr import clr, suggest_n_clusters
from mvclust.metrics import adjusted_rand_index
from mvclust.numerics.connected import graph_spectrum, nearest_connected_graph
from mvclust.numerics.graphs import connected_components


@pytest.mark.parametrize("n_clusters", [5, 8])
def test_equals_oracle(oracle, n_clusters):
    z, c = oracle("baselines_clr"), f"c{n_clusters}_"
    A0 = sparse.csr_array(z["A0"])
    F, _, _ = graph_spectrum(A0, n_clusters)
    for max_iter in (1, 5, 11, 30):
        found = nearest_connected_graph(A0, F, max_iter=max_iter)
        name = "S_final" if max_iter == 30 else f"S_it{max_iter}"
        assert relative(found.S.toarray(), z[c + name]) < 1e-10
    assert found.converged
    np.testing.assert_allclose(found.lam, z[c + "lambda_used"], rtol=1e-14)
    np.testing.assert_allclose(np.c_[found.low, found.high], z[c + "fn1_fn2"], atol=1e-12)
    model = CLR(n_clusters, init={"A0": z["A0"]}).fit([z["A0"]])
    assert adjusted_rand_index(model.labels_, z[c + "labels"]) == 1
    assert model.n_iter_ == len(z[c + "lambda_used"])


def test_suggested_numbers_equal_oracle(oracle):
    z = oracle("baselines_clr")
    np.testing.assert_array_equal(suggest_n_clusters(z["A0"]), z["suggested"])


@pytest.mark.parametrize("norm", ["l2", "l1"])
def test_components_are_the_labels_and_the_objective_is_the_distance(oracle, norm):
    A0 = oracle("baselines_clr")["A0"]
    model = CLR(5, norm=norm, init={"A0": A0}).fit([A0])
    S = model.S_.toarray()
    np.testing.assert_allclose(S.sum(axis=1), 1)
    assert not S[A0 == 0].any()
    assert len(np.unique(model.labels_)) == 5
    assert not S[model.labels_[:, None] != model.labels_].any()
    gap = np.abs(S - A0)
    distance = (gap**2).sum() if norm == "l2" else gap.sum()
    np.testing.assert_allclose(model.objective_[-1], distance, rtol=1e-8)


def test_l1_equals_its_formulas_row_by_row(oracle):
    """The authors' runs are of l2 only, so these are the formulas as they stand."""
    A0 = oracle("baselines_clr")["A0"]
    S, u, lam, k = np.zeros_like(A0), np.ones_like(A0), 0.1, 5
    F = eigh(np.diag(A0.sum(axis=1)) - A0)[1][:, :k]
    for n_iter in range(1, 5):
        for i, a in enumerate(A0):
            J = np.flatnonzero(a)
            p = ((F[i] - F[J]) ** 2).sum(axis=1)
            top = u[i, J] * a[J] - lam / 2 * p

            def row(theta, top=top, c=u[i, J]):
                return np.maximum((top + theta) / c, 0)

            theta = brentq(lambda t, row=row: row(t).sum() - 1, -1e9, 1e9, xtol=1e-13, rtol=1e-14)
            S[i, J] = row(theta)
            u[i, J] = 0.5 / np.sqrt((S[i, J] - a[J]) ** 2 + np.finfo(float).eps)
        W = (S + S.T) / 2
        values, vectors = eigh(np.diag(W.sum(axis=1)) - W)
        F = vectors[:, :k]
        found = clr(sparse.csr_array(A0), k, norm="l1", lam=0.1, max_iter=n_iter)
        assert relative(found.factors["S"].toarray(), S) < 1e-6
        expected = np.abs(S - A0).sum() + 2 * lam * values[:k].sum()
        np.testing.assert_allclose(found.objective[-1], expected, rtol=1e-8)
        np.testing.assert_allclose(found.stop, values[:k].sum(), rtol=1e-6)
        lam *= 2


def test_a_graph_with_the_right_components_is_returned_at_once(blobs):
    Xs, y = blobs
    model = CLR(3).fit(Xs)
    assert adjusted_rand_index(y, model.labels_) == 1
    assert (model.S_ != model.A0_).nnz == 0
    np.testing.assert_array_equal(model.objective_, [0.0])


def test_more_neighbors_are_taken_if_the_graph_falls_apart(blobs):
    Xs, _ = blobs
    model = CLR(2, n_neighbors=3).fit(Xs)
    assert connected_components(model.A0_).max() < 2
    assert len(np.unique(model.labels_)) == 2
    apart = np.kron(np.eye(3), np.ones((15, 15)) - np.eye(15))
    with pytest.raises(ValueError, match="falls into 3 components, more than n_clusters=2"):
        CLR(2, init={"A0": apart}).fit(Xs)


def test_a_wrong_number_of_components_is_said(oracle):
    A0 = oracle("baselines_clr")["A0"]
    with pytest.warns(ConvergenceWarning, match="CLR: the learned graph has 1 components, not"):
        model = CLR(5, max_iter=2, init={"A0": A0}, random_state=0).fit([A0])
    assert len(np.unique(model.labels_)) == 5
