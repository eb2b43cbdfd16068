"""Quadratic programs on the simplex: optimality, not implementation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mvclust.numerics import simplex_qp as module
from mvclust.numerics.simplex_qp import active_set, simplex_qp


def random_problem(seed, n, m, rank, decades):
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((m, rank)) * 10 ** rng.uniform(-decades, decades, rank)
    return A @ A.T + 1e-3 * np.eye(m), rng.standard_normal((n, rank)) @ A.T


def check_optimal(G, C, Z, tolerance=1e-9):
    assert (Z >= 0).all()
    np.testing.assert_allclose(Z.sum(axis=1), 1, atol=1e-12)
    gradient = Z @ G - C  # equal on the support, larger off it
    level = np.einsum("ij,ij->i", gradient, Z)[:, None]
    slack = tolerance * (np.abs(Z @ G).max(axis=1) + np.abs(C).max(axis=1))[:, None]
    assert (gradient >= level - slack).all()
    assert (np.abs(gradient - level)[Z > 0] <= np.broadcast_to(slack, Z.shape)[Z > 0]).all()


problems = given(
    st.integers(0, 10**6), st.integers(1, 20), st.integers(1, 30), st.integers(1, 40),
    st.floats(0, 1.5),
)  # fmt: skip


@problems
@settings(deadline=None, max_examples=80)
def test_solution_is_feasible_and_optimal(seed, n, m, rank, decades):
    G, C = random_problem(seed, n, m, rank, decades)
    check_optimal(G, C, simplex_qp(G, C))


@problems
@settings(deadline=None, max_examples=40)
def test_active_set_ends_at_the_same_solution(seed, n, m, rank, decades):
    G, C = random_problem(seed, n, m, rank, decades)
    start = np.random.default_rng(seed).dirichlet(np.ones(m), size=n)
    Z = active_set(G, C, start)
    check_optimal(G, C, Z)
    np.testing.assert_allclose(Z, simplex_qp(G, C), atol=1e-6)


@pytest.mark.parametrize("limits", [{"EXCHANGES": 1}, {"BLOCK": 30, "SYSTEMS": 100}], ids=str)
def test_neither_the_limit_of_exchanges_nor_the_size_of_blocks_matters(monkeypatch, limits):
    """The rows that exchanges leave go to the active set."""
    G, C = random_problem(1, 50, 12, 12, 1)
    expected = simplex_qp(G, C)
    for name, limit in limits.items():
        monkeypatch.setattr(module, name, limit)
    np.testing.assert_allclose(simplex_qp(G, C), expected, atol=1e-12)


@pytest.mark.parametrize("scale", [1e-100, 1e100])
def test_scale_does_not_matter(scale):
    G, C = random_problem(2, 20, 6, 6, 1)
    np.testing.assert_allclose(simplex_qp(scale * G, scale * C), simplex_qp(G, C), atol=1e-12)


def test_a_singular_matrix_still_gives_a_minimum():
    """Two entries that are the same but for the regularisation share their weight."""
    A = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    Z = simplex_qp(A @ A.T, np.array([[1.0, 1.0, 0.5]]))
    assert (Z >= 0).all()
    assert Z.sum() == pytest.approx(1)
    assert Z[0, :2].sum() == pytest.approx(0.75, abs=1e-3)
