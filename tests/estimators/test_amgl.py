"""AMGL against a run of the authors' code, and what its mathematics promises."""

import numpy as np
from helpers import relative
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from mvclust import AMGL
from mvclust.estimators.amgl import amgl, normalized_laplacian
from mvclust.numerics.eigen import smallest_eigenpairs
from mvclust.numerics.graphs import adaptive_neighbor_graph


def test_equals_oracle(oracle):
    z = oracle("baselines_amgl")
    Ws = [adaptive_neighbor_graph(z[f"X{v}"]) for v in (1, 2, 3)]
    for v, W in enumerate(Ws, 1):
        assert relative(W.toarray(), z[f"W{v}"]) < 1e-10
    Ls = [normalized_laplacian(W) for W in Ws]
    factors, objective, change = amgl(Ls, 5, max_iter=100, tol=1e-8)
    F, weights = factors["F"], factors["alpha"]
    np.testing.assert_allclose(weights, z["alpha_iters"], rtol=1e-8)
    np.testing.assert_allclose(objective, z["obj_iters"], rtol=1e-10)
    assert change < 1e-8
    assert relative(F @ F.T, z["P_it10"]) < 1e-8
    alpha = np.vstack([np.full(3, 1 / 3), weights[:-1]])
    for iteration in (1, 5, 10):
        L = sum(a * L for a, L in zip(alpha[iteration - 1], Ls, strict=True))
        values, _ = smallest_eigenpairs(L, 6)
        np.testing.assert_allclose(values, z[f"eig_it{iteration}"], rtol=1e-8)
    model = AMGL(5, random_state=0).fit([z[f"X{v}"] for v in (1, 2, 3)])
    assert model.n_iter_ == 10
    np.testing.assert_allclose(model.alpha_, z["alpha_iters"][-1], rtol=1e-8)


@given(seed=st.integers(0, 10**6), n_clusters=st.integers(1, 5))
@settings(deadline=None, max_examples=25)
def test_objective_never_rises_and_is_that_of_the_paper(seed, n_clusters):
    rng = np.random.default_rng(seed)
    Xs = [rng.standard_normal((30, d)) for d in (1, 2, 6)]
    model = AMGL(n_clusters, n_neighbors=3, n_init=1, max_iter=20).fit(Xs)
    f = model.objective_
    assert (np.diff(f) <= 1e-9 * f[0] + 3e-6).all()  # traces below 1e-12 count as 0
    np.testing.assert_allclose(model.F_.T @ model.F_, np.eye(n_clusters), atol=1e-10)
    total = 0.0
    for X in Xs:
        W = adaptive_neighbor_graph(X, 3).toarray()
        scale = W.sum(axis=1) ** -0.5
        L = np.eye(30) - scale[:, None] * W * scale
        total += np.sqrt(max(np.trace(model.F_.T @ L @ model.F_), 0))
    np.testing.assert_allclose(f[-1], total, atol=4e-6)


def test_a_graph_that_can_be_cut_for_nothing_does_not_spoil_the_weights():
    """Three components in every view, and the views agree: all traces are 0."""
    W = sparse.block_diag([np.ones((5, 5)) - np.eye(5)] * 3, format="csr")
    factors, objective, change = amgl([normalized_laplacian(W)] * 2, 3, max_iter=9, tol=1e-8)
    assert objective == [0.0] * 3
    assert change == 0
    assert np.isfinite(factors["alpha"]).all()
    assert np.linalg.matrix_rank(factors["F"].round(8)) == 3
