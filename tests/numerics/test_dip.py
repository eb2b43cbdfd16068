"""The dip is the least that a linear programme finds; gaps are filled by what is known."""

import numpy as np
import pytest
from scipy.optimize import linprog

from mvclust.numerics.dip import dip
from mvclust.numerics.low_rank import leading_components, low_rank_fill

RNG = np.random.default_rng(0)


def nearest_unimodal(x):
    """The distance to the nearest distribution that is convex before a point and concave after."""
    points, counts = np.unique(x, return_counts=True)
    above = counts.cumsum() / len(x)
    below = above - counts / len(x)
    return min(_with_mode(points, below, above, j) for j in range(len(points)))


def _with_mode(x, below, above, mode):
    """The same for one mode: unknowns are the left limits up to it, the right ones from it on,
    and the distance."""
    n = len(x)
    rows, bounds = [], []

    def at_most(entries, bound):
        row = np.zeros(n + 2)
        for place, value in entries:
            row[place] += value
        rows.append(row)
        bounds.append(bound)

    def left(i):
        return i

    def right(i):
        return i + 1

    for i in range(mode + 1):
        at_most([(left(i), 1), (n + 1, -1)], below[i])
        at_most([(left(i), -1), (n + 1, -1)], -(above[i] if i < mode else below[i]))
    for i in range(mode, n):
        at_most([(right(i), -1), (n + 1, -1)], -above[i])
        at_most([(right(i), 1), (n + 1, -1)], below[i] if i > mode else above[i])
    at_most([(left(mode), 1), (right(mode), -1)], 0)
    for place, some, sign in ((left, range(1, mode), 1), (right, range(mode + 1, n - 1), -1)):
        for i in some:
            before, after = 1 / (x[i] - x[i - 1]), 1 / (x[i + 1] - x[i])
            at_most(
                [
                    (place(i), sign * (before + after)),
                    (place(i - 1), -sign * before),
                    (place(i + 1), -sign * after),
                ],
                0,
            )
    for i in range(mode):
        at_most([(left(i), 1), (left(i + 1), -1)], 0)
    for i in range(mode, n - 1):
        at_most([(right(i), 1), (right(i + 1), -1)], 0)
    cost = np.zeros(n + 2)
    cost[-1] = 1
    solved = linprog(cost, A_ub=np.array(rows), b_ub=bounds, bounds=(0, 1))
    return solved.fun


@pytest.mark.parametrize(
    "x",
    [
        RNG.normal(size=11),
        RNG.exponential(size=12),
        np.r_[RNG.normal(size=5), RNG.normal(6, 1, size=6)],
        np.r_[RNG.normal(size=3), RNG.normal(3, 1, 4), RNG.normal(8, 1, 3)],
    ],
)
def test_the_dip_is_the_distance_to_the_nearest_unimodal_distribution(x):
    assert dip(x) == pytest.approx(nearest_unimodal(x), abs=1e-9)


@pytest.mark.parametrize("seed", range(30))
def test_ties_are_atoms_of_which_the_mode_may_have_one(seed):
    rng = np.random.default_rng(seed)
    x = rng.integers(0, rng.integers(2, 9), rng.integers(2, 30)) ** rng.choice([1.0, 2.0])
    x = np.r_[x, np.full(rng.integers(0, 20), x[0]), rng.normal(2, 3, rng.integers(0, 5))]
    assert dip(x) == pytest.approx(nearest_unimodal(x), abs=1e-9)


def test_the_dip_of_three_equal_values_and_another_is_that_of_the_other():
    assert dip(np.array([0.0, 0.0, 0.0, 1.0])) == 0.125
    assert dip(np.zeros(4)) == 0


def test_the_dip_depends_on_neither_order_nor_unit():
    x = RNG.normal(size=50)
    assert dip(x) == pytest.approx(dip(7 - 3 * x[::-1]), abs=1e-12)


def test_gaps_of_a_matrix_of_low_rank_are_filled_with_what_was_there():
    Z = RNG.normal(size=(40, 2)) @ RNG.normal(size=(2, 12))
    Z -= Z.mean(axis=0)
    present = RNG.random(Z.shape) > 0.1
    filled = low_rank_fill(np.where(present, Z, 0.0), present, rank=2, n_rounds=200)
    assert np.abs(filled - Z).max() < 1e-3
    assert (filled[present] == Z[present]).all()


@pytest.mark.parametrize("shape", [(9, 4), (4, 9)])
def test_leading_components_are_those_of_a_singular_value_decomposition(shape):
    Z = RNG.normal(size=shape)
    U, s, Vt = np.linalg.svd(Z, full_matrices=False)
    scores, loadings = leading_components(Z, 3)
    np.testing.assert_allclose(np.abs(scores), np.abs(U * s)[:, :3], atol=1e-10)
    np.testing.assert_allclose(scores @ loadings.T, (U * s)[:, :3] @ Vt[:3], atol=1e-10)
