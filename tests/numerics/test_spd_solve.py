"""Sparse systems by conjugate gradients against direct solutions."""

import numpy as np
import pytest
from scipy import sparse

from mvclust.numerics import spd_solve as module
from mvclust.numerics.graphs import laplacian, neighbor_graph
from mvclust.numerics.spd_solve import solve_spd


def system(weight, n=80, k=4):
    rng = np.random.default_rng(0)
    L = laplacian(neighbor_graph(rng.normal(size=(n, 3)), 5))
    A = sparse.csr_array(weight * L + sparse.diags_array(rng.integers(1, 4, n).astype(float)))
    return A, rng.normal(size=(n, k))


def test_a_guess_does_not_change_the_solution():
    A, B = system(1.0)
    guess = np.random.default_rng(1).normal(size=B.shape)
    np.testing.assert_allclose(solve_spd(A, B, guess), solve_spd(A, B), atol=1e-11)
    X = solve_spd(A, B)
    np.testing.assert_allclose(solve_spd(A, A @ X, X), X, rtol=1e-14)


def test_columns_end_by_themselves_and_zero_is_a_solution():
    A, B = system(1.0)
    B[:, 1] = 0.0
    B[:, 2] *= 1e200
    X = solve_spd(A, B)
    assert (X[:, 1] == 0).all()
    np.testing.assert_allclose(X, np.linalg.solve(A.toarray(), B), rtol=1e-9)
    assert not solve_spd(A, B, tol=1.0).any()  # as a share of B's norm


@pytest.mark.parametrize("weight", [0.0, 1e-3, 1.0, 1e3, 1e5, 1e7])
def test_gradients_alone_solve_what_is_well_conditioned(monkeypatch, weight):
    if weight <= 1e3:  # the rest is solved as well
        monkeypatch.setattr(module, "splu", lambda *_: pytest.fail("it was factored"))
    A, B = system(weight)
    np.testing.assert_allclose(solve_spd(A, B), np.linalg.solve(A.toarray(), B), rtol=1e-7)


def test_a_factorisation_takes_over(monkeypatch):
    A, B = system(10.0)
    monkeypatch.setattr(module, "MAX_ITER", 2)
    np.testing.assert_allclose(solve_spd(A, B), np.linalg.solve(A.toarray(), B), rtol=1e-10)
