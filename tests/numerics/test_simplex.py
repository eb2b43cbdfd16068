"""Minimisation over the simplex: optimality, not implementation."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mvclust.numerics import simplex
from mvclust.numerics.simplex import (
    project_to_simplex,
    quadratic_on_simplex,
    quadratic_on_supports,
)


def random_problem(seed, n_rows, n, decades):
    rng = np.random.default_rng(seed)
    linear = rng.standard_normal((n_rows, n)) * 10 ** rng.uniform(-3, 1)
    curvature = 10 ** rng.uniform(-decades, decades, (n_rows, n))
    return linear, curvature


@given(st.integers(0, 10**6), st.integers(1, 12), st.integers(1, 30), st.floats(0, 3))
@settings(deadline=None, max_examples=60)
def test_solution_is_feasible_and_optimal(seed, n_rows, n, decades):
    linear, curvature = random_problem(seed, n_rows, n, decades)
    s = quadratic_on_simplex(linear, curvature)
    assert (s >= 0).all()
    np.testing.assert_allclose(s.sum(axis=1), 1, atol=1e-12)
    slope = linear + curvature * s  # equal on the support, larger off it
    theta = np.where(s > 0, slope, -np.inf).max(axis=1, keepdims=True)
    tolerance = 1e-9 * (np.abs(linear).max() + curvature.max())
    assert (slope[s > 0] >= np.broadcast_to(theta, s.shape)[s > 0] - tolerance).all()
    assert (slope >= theta - tolerance).all()


def test_equals_the_sorted_solution_across_blocks(monkeypatch):
    monkeypatch.setattr(simplex, "BLOCK", 64)
    linear, curvature = random_problem(1, 50, 20, 1)
    expected = np.empty_like(linear)
    for row, (b, c) in enumerate(zip(linear, curvature, strict=True)):
        order = np.argsort(b)
        theta = (1 + np.cumsum(b[order] / c[order])) / np.cumsum(1 / c[order])
        last = np.flatnonzero(theta > b[order])[-1]
        expected[row] = np.maximum(theta[last] - b, 0) / c
    np.testing.assert_allclose(quadratic_on_simplex(linear, curvature), expected, atol=1e-12)


def test_rows_sum_to_one_with_extreme_curvatures():
    linear = np.array([[0.3, 0.3 + 1e-12, 5.0, 0.1]])
    curvature = np.array([[1e-13, 1e3, 1e-8, np.inf]])
    s = quadratic_on_simplex(linear, curvature)
    assert s[0, 3] == 0
    np.testing.assert_allclose(s.sum(), 1, atol=1e-14)


def test_infinite_curvature_is_leaving_the_entry_out():
    linear, curvature = random_problem(3, 6, 6, 1)
    np.fill_diagonal(curvature, np.inf)
    s = quadratic_on_simplex(linear, curvature)
    assert (s.diagonal() == 0).all()
    for i in range(6):
        rest = np.delete(np.arange(6), i)
        alone = quadratic_on_simplex(linear[[i]][:, rest], curvature[[i]][:, rest])
        np.testing.assert_allclose(s[i, rest], alone[0], atol=1e-13)


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


@given(st.integers(0, 10**6), st.floats(0, 3))
@settings(deadline=None, max_examples=30)
def test_rows_of_different_lengths_equal_rows_with_entries_left_out(seed, decades):
    linear, curvature = random_problem(seed, 9, 12, decades)
    lengths = np.random.default_rng(seed).integers(1, 13, 9)
    there = np.arange(12) < lengths[:, None]
    expected = quadratic_on_simplex(linear, np.where(there, curvature, np.inf))[there]
    found = quadratic_on_supports(linear[there], curvature[there], lengths)
    np.testing.assert_allclose(found, expected, atol=1e-12)
