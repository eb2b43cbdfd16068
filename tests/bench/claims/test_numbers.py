"""Printed numbers against ours: prediction interval and equivalence, alone and by row."""

import numpy as np
import pytest
from scipy import stats

from mvclust.bench.claims import numbers
from mvclust.bench.claims.directions import direction
from mvclust.bench.claims.numbers import DIFFERENT, NEGLIGIBLE, SAME, UNDECIDED, compare_row
from mvclust.bench.claims.paired import difference


def test_a_number_with_a_deviation():
    found = numbers.compare_number(51.2, 1.5, 10, 50.0, 2.0, 10)
    assert found.half_width == pytest.approx(1.670, abs=1e-3)
    assert found.equivalence == pytest.approx(1.377, abs=1e-3)


@pytest.mark.parametrize(
    ("arguments", "how", "word"),
    [
        ((51.2, 1.5, 10, 50.0, 2.0, 10), {}, SAME),
        ((51.65, 1.5, 10, 50.0, 2.0, 10), {}, UNDECIDED),
        ((52.5, 1.5, 10, 50.0, 2.0, 10), {}, DIFFERENT),
        ((51.0, 0.2, 10, 50.0, 0.2, 10), {}, NEGLIGIBLE),  # beyond chance, and small
        ((50.0, 0.0, 10, 50.3, 0.0, 10), {"step": 1.0}, SAME),  # both exact to the resolution
        ((50.0, 0.0, 10, 58.0, 0.0, 10), {"step": 1.0}, DIFFERENT),
        ((50.0, 1.0, 2, 50.0), {}, ""),  # too few runs
    ],
)
def test_words_at_the_edges(arguments, how, word):
    assert numbers.compare_number(*arguments, **how).word == word


def test_the_deviation_of_a_single_printed_run_is_none():
    found = numbers.compare_number(50.0, 1.5, 10, 51.0, printed_std=0.0, printed_n=1)
    assert found == numbers.compare_number(50.0, 1.5, 10, 51.0, printed_n=1)
    assert found.half_width > numbers.compare_number(50.0, 1.5, 10, 51.0, printed_n=10).half_width


def test_the_joint_limit_is_below_bonferronis():
    assert numbers.joint_limit(np.eye(3), 4, 16) <= stats.t.ppf(1 - 0.025 / 12, 16) + 0.02
    assert numbers.joint_limit(np.eye(1), 1, 16) == pytest.approx(stats.t.ppf(0.975, 16), abs=0.03)


def test_a_row_names_the_number_that_fails():
    rng = np.random.default_rng(0)
    common = rng.normal(0, 4, (4, 1, 5))
    scores = 60 + common + rng.normal(0, 2, (4, 3, 5))
    printed = scores.mean(axis=2)
    found = compare_row(scores, printed + 0.1)
    assert found.inside
    assert 0 < found.shrinkage < 1
    assert found.correlation[0, 1] > 0.3
    assert compare_row(scores, printed + 15).word == DIFFERENT
    printed[2, 1] += 40
    assert not compare_row(scores, printed).inside
    scores = np.full((2, 2, 5), 60.0)  # of a deterministic method: only the resolution counts
    assert compare_row(scores, scores.mean(axis=2) + 0.1, step=1.0).inside
    found = compare_row(scores, scores.mean(axis=2) + 5, step=1.0)
    assert not found.inside
    assert np.isfinite(found.largest)


def test_directions():
    given = difference([[-4.0, -5.0, -6.0]], 0.1)
    assert list(direction(-3.0, given).values()) == [True, True, False]
    assert direction(3.0, given)["reversed"]
    assert direction(0.5, given)["reversed"]


def test_a_correlation_is_shrunk_by_its_uncertainty():
    """Four of five products are 1, one is -1: mean .6, variance .64, with 8 degrees .08."""
    z = np.array([[1.0, 1], [-1, -1], [1, 1], [-1, -1], [1, -1]])
    R, shrinkage = numbers.shrunk_correlation(z, 8)
    assert shrinkage == pytest.approx(0.08 / 0.36)
    np.testing.assert_allclose(R, [[1.0, 7 / 15], [7 / 15, 1.0]])
    assert numbers.shrunk_correlation(z[:4], 1)[1] == 0.0
