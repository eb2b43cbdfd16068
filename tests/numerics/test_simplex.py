"""Minimisation over the simplex: optimality, not implementation."""

from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mvclust.numerics import simplex, simplex_qp
from mvclust.numerics.simplex import project_to_simplex, quadratic_on_simplex, quadratic_on_supports

SEEDS = st.integers(0, 10**6)


def separable(seed, n_rows, n, decades):
    rng = np.random.default_rng(seed)
    linear = rng.standard_normal((n_rows, n)) * 10 ** rng.uniform(-3, 1)
    return linear, 10 ** rng.uniform(-decades, decades, (n_rows, n))


def joint(seed, n, m, rank, decades):
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((m, rank)) * 10 ** rng.uniform(-decades, decades, rank)
    return A @ A.T + 1e-3 * np.eye(m), rng.standard_normal((n, rank)) @ A.T


def check_optimal(Z, gradient, slack):
    """The gradient of a row is equal on the support and larger off it."""
    assert (Z >= 0).all()
    np.testing.assert_allclose(Z.sum(axis=1), 1, atol=1e-12)
    excess = gradient - np.einsum("ij,ij->i", gradient, Z)[:, None]
    assert (excess >= -slack).all()
    assert (excess * (Z > 0) <= slack).all()


@given(SEEDS, st.integers(1, 12), st.integers(1, 30), st.floats(0, 3), st.sampled_from([2, 2**20]))
@settings(deadline=None, max_examples=60)
def test_separable_solution_is_feasible_and_optimal(seed, n_rows, n, decades, block):
    linear, curvature = separable(seed, n_rows, n, decades)
    with mock.patch.object(simplex, "BLOCK", block):
        s = quadratic_on_simplex(linear, curvature)
    check_optimal(s, linear + curvature * s, 1e-9 * (np.abs(linear).max() + curvature.max()))


def test_rows_sum_to_one_with_extreme_curvatures():
    linear = np.array([[0.3, 0.3 + 1e-12, 5.0, 0.1]])
    s = quadratic_on_simplex(linear, np.array([[1e-13, 1e3, 1e-8, np.inf]]))
    assert s[0, 3] == 0
    np.testing.assert_allclose(s.sum(), 1, atol=1e-14)


@given(SEEDS, st.floats(0, 3))
@settings(deadline=None, max_examples=30)
def test_entries_are_left_out_by_infinite_curvature_or_by_shorter_rows(seed, decades):
    linear, curvature = separable(seed, 9, 12, decades)
    lengths = np.random.default_rng(seed).integers(1, 13, 9)
    there = np.arange(12) < lengths[:, None]
    s = quadratic_on_simplex(linear, np.where(there, curvature, np.inf))
    assert (s[~there] == 0).all()
    found = quadratic_on_supports(linear[there], curvature[there], lengths)
    np.testing.assert_allclose(found, s[there], atol=1e-12)
    for i, n in enumerate(lengths):
        alone = quadratic_on_simplex(linear[[i], :n], curvature[[i], :n])
        np.testing.assert_allclose(s[i, :n], alone[0], atol=1e-12)


def test_projection():
    V = np.random.default_rng(0).standard_normal((40, 9))
    before = V.copy()
    s = project_to_simplex(V)
    np.testing.assert_array_equal(V, before)
    np.testing.assert_allclose(project_to_simplex(s), s, atol=1e-14)  # already there
    np.testing.assert_allclose(project_to_simplex(V + 7), s, atol=1e-13)
    others = np.random.default_rng(1).dirichlet(np.ones(9), 2000)
    nearest = ((V[:, None] - others) ** 2).sum(axis=2).min(axis=1)
    assert (((V - s) ** 2).sum(axis=1) <= nearest).all()


@given(SEEDS, st.integers(1, 20), st.integers(1, 30), st.integers(1, 40), st.floats(0, 1.5))
@settings(deadline=None, max_examples=80)
def test_joint_solution_is_optimal_and_that_of_the_active_set(seed, n, m, rank, decades):
    G, C = joint(seed, n, m, rank, decades)
    start = np.random.default_rng(seed).dirichlet(np.ones(m), size=n)
    both = simplex_qp.simplex_qp(G, C), simplex_qp.active_set(G, C, start)
    for Z in both:
        size = np.abs(Z @ G).max(axis=1) + np.abs(C).max(axis=1)
        check_optimal(Z, Z @ G - C, 1e-9 * size[:, None])
    np.testing.assert_allclose(*both, atol=1e-6)


@pytest.mark.parametrize("limits", [{"EXCHANGES": 1}, {"BLOCK": 30, "SYSTEMS": 100}], ids=str)
def test_neither_limits_nor_the_size_of_blocks_nor_the_scale_matters(monkeypatch, limits):
    """The rows that exchanges leave go to the active set."""
    G, C = joint(1, 50, 12, 12, 1)
    expected = simplex_qp.simplex_qp(G, C)
    for name, limit in limits.items():
        monkeypatch.setattr(simplex_qp, name, limit)
    for scale in (1, 1e-100, 1e100):
        found = simplex_qp.simplex_qp(scale * G, scale * C)
        np.testing.assert_allclose(found, expected, atol=1e-12)


def test_a_singular_matrix_still_gives_a_minimum():
    """Two entries that are the same but for the regularisation share their weight."""
    A = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    Z = simplex_qp.simplex_qp(A @ A.T, np.array([[1.0, 1.0, 0.5]]))
    assert (Z >= 0).all()
    assert Z.sum() == pytest.approx(1)
    assert Z[0, :2].sum() == pytest.approx(0.75, abs=1e-3)
