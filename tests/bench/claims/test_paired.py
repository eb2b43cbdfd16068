"""Paired differences: the worked numbers of the method, and what cannot be said."""

import numpy as np
import pytest
from scipy import stats

from mvclust.bench.claims import paired, verdicts
from mvclust.bench.claims.paired import Difference, difference, interval, p_value, states, within
from mvclust.bench.claims.verdicts import FAILS, HOLDS, NO_DATA, OPEN, PARTLY, verdict_of
from mvclust.numerics.multiple import holm

STEP = 100 / 90
A, B = STEP * np.array([[83, 85, 74, 81, 76], [77, 79, 75, 72, 73]])
# Two methods on four data sets: mean, standard error, degrees of freedom.
FOUR = [(2.889, 1.021, 12.70), (-4.403, 1.124, 7.65), (3.945, 1.188, 4), (0.977, 1.637, 4)]


def test_one_cell():
    given = difference([A - B], STEP)
    assert given.mean == pytest.approx(5.111, abs=1e-3)
    assert given.se * np.sqrt(5) == pytest.approx(4.202, abs=1e-3)
    assert interval(given) == pytest.approx((-0.106, 10.328), abs=1e-3)
    assert p_value(given) == pytest.approx(0.0530, abs=1e-4)


def test_four_data_sets():
    given = [Difference(mean, se, df, 5, 0.05) for mean, se, df in FOUR]
    ends = [(0.679, 5.099), (-7.016, -1.789), (0.645, 7.244), (-3.569, 5.523)]
    for each, expected in zip(given, ends, strict=True):
        assert interval(each) == pytest.approx(expected, abs=4e-3)
    p_values = [p_value(each) for each in given]
    assert p_values == pytest.approx([0.0145, 0.0049, 0.0294, 0.5828], abs=3e-4)
    assert holm(p_values) == pytest.approx([0.0434, 0.0194, 0.0588, 0.5828], abs=5e-4)
    detectable = [paired.detectable_with(d.se, d.df) for d in given]
    assert detectable == pytest.approx([3.10, 3.62, 4.42, 6.09], abs=0.02)
    # In each direction by its own p-values: what is reversed is no step of Holm for what is shown.
    assert states(given) == ["?", "-", "?", "?"]
    assert states(given[:1] + given[2:]) == ["+", "?", "?"]
    overall = paired.over_data_sets(given)
    assert overall.mean == pytest.approx(0.852, abs=1e-3)
    assert interval(overall) == pytest.approx((-0.49, 2.19), abs=5e-3)
    assert (overall.n, overall.step) == (5, 0.05)
    certain = paired.over_data_sets([d._replace(se=d.se / 1e3) for d in given])
    assert certain.se == pytest.approx(overall.se / 1e3)


def test_independent_masks_are_strata_and_nested_ones_belong_together():
    rng = np.random.default_rng(0)
    masks = rng.normal(0, 5, 6)
    settings = [masks + rng.normal(1, 0.5, 6) for _ in range(3)]
    apart, together = difference(settings, 0.0), difference(settings, 0.0, nested=True)
    assert apart.mean == pytest.approx(together.mean)
    variances = [values.var(ddof=1) / 6 for values in settings]
    assert apart.se == pytest.approx(np.sqrt(sum(variances)) / 3)
    assert apart.df == pytest.approx(sum(variances) ** 2 / sum(v**2 / 5 for v in variances))
    assert together.df == pytest.approx(5)
    assert together.se == pytest.approx(np.mean(settings, axis=0).std(ddof=1) / np.sqrt(6))
    assert together.se > apart.se


def test_what_differs_by_less_than_a_sample_is_no_difference():
    same = Difference(0.5, np.nan, np.nan, 10, 1.0, exact=True)
    assert states([same, same._replace(mean=1.0), same._replace(mean=-1.5)]) == ["=", "+", "-"]
    assert p_value(difference([[0.5, 0.5, 0.5, 0.5]], 1.0)) == 1.0
    assert difference([[5.0, 5.0, 5.0]], 1.0).se > 0  # rounding is a source of error too


def test_too_few_masks_say_nothing():
    for values in ([5.0, 6.0], [5.0, 6.0, 5.5, np.nan, np.nan], []):
        given = difference([values], 0.1)
        assert np.isnan(given.se)
        assert states([given]) == within([given]) == ["?"]
    assert not np.isnan(difference([[5.0, 6.0, 5.5, 5.2, np.nan]], 0.1).se)
    assert paired.power_text([difference([[1.0, 2.0]], 0.1)])[0] == "2 runs, no interval"
    assert not difference([[]], 0.1, exact=True).exact  # of nothing, nothing is known


def test_within_a_margin():
    given = difference([[-1, 0.5, -2, 1, -0.5]], 0.0)
    assert given.mean == pytest.approx(-0.4)
    assert np.diff(interval(given, 0.9))[0] / 2 == pytest.approx(1.138, abs=1e-3)
    assert stats.t.sf((3 - 0.4) / given.se, 4) == pytest.approx(0.0041, abs=1e-4)
    assert within([given, given._replace(mean=9.0)]) == ["+", "-"]
    assert paired.is_within(given, 3)
    assert within([given._replace(mean=3.0)]) == ["?"]
    # Holm over units: 13 of a p-value of .0041 are too many, in either direction.
    assert within([given] * 13) == ["?"] * 13
    assert within([given] * 12) == ["+"] * 12


def test_all_holds_only_where_every_unit_is_shown():
    words = {
        "+++": (HOLDS, HOLDS), "++?": (PARTLY, PARTLY), "+?-": (PARTLY, FAILS),
        "++-": (PARTLY, FAILS), "??-": (FAILS, FAILS), "???": (OPEN, OPEN),
        "==?": (FAILS, FAILS), "+~+": (PARTLY, PARTLY),
    }  # fmt: skip
    for marks, expected in words.items():
        assert (verdict_of(marks), verdict_of(marks, every=True)) == expected, marks


def test_parts_of_a_claim_are_joined():
    outcomes = {name: verdicts.Outcome(name) for name in (HOLDS, PARTLY, FAILS, OPEN, NO_DATA)}

    def of(*names):
        return verdicts.joined([outcomes[name] for name in names]).verdict

    for parts in (HOLDS, FAILS), (FAILS, OPEN), (HOLDS, OPEN), (HOLDS, PARTLY):
        assert of(*parts) == PARTLY
    assert of(NO_DATA, OPEN) == OPEN
    assert (of(HOLDS, HOLDS), of(NO_DATA, NO_DATA)) == (HOLDS, NO_DATA)
