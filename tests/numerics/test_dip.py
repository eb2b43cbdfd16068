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
    """The same for one mode, at which the distribution has a limit from the left and a value."""
    highest = np.insert(below, mode + 1, above[mode])
    lowest = np.insert(above, mode, below[mode])
    value = np.eye(len(highest))
    steps, widths = np.diff(value, axis=0), np.diff(np.insert(x, mode, x[mode]))[:, None]
    convex, concave = (steps[of] / widths[of] for of in (slice(mode), slice(mode + 1, None)))
    shape = np.vstack([-steps, -np.diff(convex, axis=0), np.diff(concave, axis=0)])
    far = np.ones((len(value), 1))
    A = np.block([[value, -far], [-value, -far], [shape, np.zeros((len(shape), 1))]])
    b = np.concatenate([highest, -lowest, np.zeros(len(shape))])
    return linprog(np.eye(len(value) + 1)[-1], A_ub=A, b_ub=b, bounds=(0, 1)).fun


def with_ties(seed):
    rng = np.random.default_rng(seed)
    x = rng.integers(0, rng.integers(2, 9), rng.integers(2, 30)) ** rng.choice([1.0, 2.0])
    return np.r_[x, np.full(rng.integers(0, 20), x[0]), rng.normal(2, 3, rng.integers(0, 5))]


SAMPLES = [
    RNG.normal(size=11),
    RNG.exponential(size=12),
    np.r_[RNG.normal(size=5), RNG.normal(6, 1, size=6)],
    np.r_[RNG.normal(size=3), RNG.normal(3, 1, 4), RNG.normal(8, 1, 3)],
    *map(with_ties, range(30)),  # ties are atoms, of which the mode may have one
]


@pytest.mark.parametrize("x", SAMPLES, ids=range(len(SAMPLES)))
def test_the_dip_is_the_distance_to_the_nearest_unimodal_distribution(x):
    assert dip(x) == pytest.approx(nearest_unimodal(x), abs=1e-9)


def test_the_dip_depends_on_neither_order_nor_unit():
    x = RNG.normal(size=50)
    assert dip(x) == pytest.approx(dip(7 - 3 * x[::-1]), abs=1e-12)
    assert dip(np.zeros(4)) == 0


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
