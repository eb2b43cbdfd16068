"""MVSC: its subproblems against solutions of other solvers, and what its mathematics promises."""

import numpy as np
from helpers import relative
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from mvclust import MVSC
from mvclust.estimators.mvsc import SelfRepresentation, start_from_graphs
from mvclust.numerics.eigen import smallest_eigenpairs
from mvclust.numerics.graphs import laplacian


def test_subproblems_equal_oracle(oracle):
    """Objectives to 1e-10; the oracle's Z itself is less exact: its objective is the larger one."""
    z = oracle("baselines_mvsc")
    F, lambda1, affinity = z["F"], float(z["lambda1"]), 0
    P = ((F[:, None] - F) ** 2).sum(axis=2)
    for v in (1, 2):
        X, E = z[f"X{v}"].T, z[f"E{v}_in"].T
        view = SelfRepresentation(X, start_from_graphs([X], 5)[0][0], E)
        view.update_Z(F, lambda1, 20000, 1e-12)
        Z = view.Z.toarray().T
        value = np.linalg.norm(X.T - X.T @ Z - E.T) ** 2 + lambda1 / 2 * (P * np.abs(Z)).sum()
        np.testing.assert_allclose(value, z[f"subobj{v}_opt"], rtol=1e-10)
        assert relative(Z, z[f"Z{v}_opt"]) < 2e-7
        view.update_E(float(z["lambda2"]))
        np.testing.assert_allclose(view.E.T, z[f"E{v}_next"], atol=2e-9)
        np.testing.assert_allclose(laplacian(view.affinity()).toarray(), z[f"L{v}"], atol=5e-7)
        affinity += view.affinity()
    values, _ = smallest_eigenpairs(laplacian(affinity), 6)
    np.testing.assert_allclose(values, z["F_next_eigs"], atol=1e-7)
    values, vectors = smallest_eigenpairs(sparse.csr_array(z["L1"] + z["L2"]), 6)
    np.testing.assert_allclose(values, z["F_next_eigs"], atol=1e-12)
    np.testing.assert_allclose(vectors[:, :5] @ vectors[:, :5].T, z["F_next_P"], atol=1e-10)


@given(
    seed=st.integers(0, 10**6),
    lambda1=st.sampled_from([0.01, 1.0, 100.0]),
    lambda2=st.sampled_from([0.0, 0.1, 1.0]),
    max_inner=st.sampled_from([1, 7, 30]),
)
@settings(deadline=None, max_examples=25)
def test_objective_never_rises_and_constraints_hold(seed, lambda1, lambda2, max_inner):
    """However few iterations the search for Z is given; recomputed term by term at the end."""
    rng = np.random.default_rng(seed)
    y = np.arange(24) % 3
    Xs = [rng.standard_normal((3, d))[y] + rng.standard_normal((24, d)) for d in (3, 30)]
    model = MVSC(
        3, lambda1=lambda1, lambda2=lambda2, scale=None, max_iter=6, tol=0, max_inner=max_inner
    ).fit(Xs)
    f, F = model.objective_, model.F_
    assert (np.diff(f) <= 1e-10 * f[0] + 1e-10).all()  # it may be 0 but for rounding
    P, total = ((F[:, None] - F) ** 2).sum(axis=2), 0.0
    for X, Z, E in zip(Xs, model.Z_, model.E_, strict=True):
        Z = Z.toarray()
        assert not Z.diagonal().any()
        np.testing.assert_allclose(Z.sum(axis=0), 1, atol=1e-10)
        total += np.linalg.norm(X.T - X.T @ Z - E) ** 2 + lambda2 * np.abs(E).sum()
        total += lambda1 / 2 * (P * np.abs(Z)).sum()
    np.testing.assert_allclose(f[-1], total, rtol=1e-9, atol=1e-10)
