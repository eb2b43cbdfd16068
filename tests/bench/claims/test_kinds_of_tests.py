"""The statistics of the kinds of tests: worked numbers, and edges."""

import numpy as np
import pytest
from scipy.stats import norm

from mvclust.bench.claims.curves import descent, last_step, settled, settled_by
from mvclust.bench.claims.grids import insensitive, is_specific, less_spread, losses, window
from mvclust.bench.claims.paired import difference, interval, p_above, p_below
from mvclust.bench.claims.repeats import exponent, limits_of_std, one_run
from mvclust.bench.claims.sets import best, gain, lead, not_best
from mvclust.bench.claims.shares import most
from mvclust.bench.claims.trends import page, reach, rises_then_flat, trends
from mvclust.bench.claims.verdicts import FAILS, HOLDS, OPEN, PARTLY

OURS, THEIRS = [[62, 58, 66, 61, 63]], [[50, 49, 55, 53, 48]]
FALLING = np.array([[71, 68, 60, 61], [75, 74, 66, 58], [70, 72, 63, 59]])


@pytest.mark.parametrize(
    ("stated", "verdict"), [(11, HOLDS), (25, HOLDS), (35, PARTLY), (60, FAILS), (6, FAILS)]
)
def test_gain(stated, verdict):
    assert gain(OURS, THEIRS, stated)[0] == verdict


def test_gains_the_wrong_way_by_an_uncertain_divisor_and_in_several_scores():
    assert gain(THEIRS, OURS, 8.65)[0] == FAILS
    assert gain([[1, 2]], [[1, 1]], 5)[0] == OPEN
    assert gain([[1.0, 2.0, 3.0]], [[0.1, -0.1, 0.2]], 5)[0] == OPEN
    verdict, *numbers = gain(OURS, [[50] * 5], 20)
    assert verdict == HOLDS
    assert np.isfinite(numbers).all()
    assert [gain(OURS, THEIRS, 58, n)[0] for n in (1, 2)] == [PARTLY, PARTLY]
    assert [gain(OURS, THEIRS, 59.5, n)[0] for n in (1, 2)] == [FAILS, PARTLY]


def test_best_of_a_set():
    A = np.array([70, 72, 69, 71, 73])
    others = [(66, 69, 64, 68, 67), (67, 66, 68, 67, 68), (60, 63, 59, 62, 61)]
    ahead = [difference([A - np.array(b)], 0.0) for b in others]
    given = lead(ahead)
    assert given[:3] == pytest.approx((3.8, 1.412, 6.510), abs=1e-3)
    assert best([given]) == ["+"]
    worse = [d._replace(mean=-d.mean) for d in ahead]
    assert best([lead(worse)]) == ["-"]
    assert not_best([worse, ahead]) == ["+", "-"]
    assert best([lead(ahead, 20.0)]) == ["-"]  # a lead that is certainly below its margin


def test_most_compares_the_share_of_units_with_one_half():
    rng = np.random.default_rng(0)

    def units(shown, reverse, sd=1.0):
        means = [5.0] * shown + [-5.0] * reverse
        return [[{i: mean + rng.normal(0, sd, 5)}] for i, mean in enumerate(means)]

    assert most(units(33, 7)) == HOLDS
    assert most(units(7, 33)) == FAILS
    assert most(units(22, 18)) == OPEN
    assert most(units(1, 0) + units(0, 1)) == OPEN  # a lead in one unit decides nothing
    assert most(units(33, 7), margin=8.0) == FAILS
    failed = [[{i: [8.0, 8.0, np.nan, np.nan]}] for i in range(40)]  # no part of the mean
    assert most(failed, margin=5.0) == HOLDS
    assert most(units(33, 7), 0.0, [True] * 33 + [False] * 7, [False] * 40) == FAILS


def test_the_naive_test_of_the_best_is_not_ours():
    """Nine equal methods: the best of them is not called best."""
    found = []
    for cell in np.random.default_rng(1).normal(70, 5, (300, 9, 5)):
        a = int(cell.mean(axis=1).argmax())
        others = np.delete(cell, a, axis=0)
        found.append(best([lead([difference([cell[a] - b], 0.0) for b in others])])[0])
    assert found.count("+") <= 3


def test_trend():
    assert page(FALLING)[1] > 0.99
    assert trends([FALLING], False, 0.1) == [HOLDS]
    assert trends([FALLING], True, 0.1) == [FAILS]
    assert trends([FALLING[:2]], False, 0.1) == [OPEN]
    assert trends([FALLING] * 20, False, 0.1)[0] == OPEN  # Holm over twenty units
    noise = np.random.default_rng(0).normal(0, 0.2, (6, 4))
    uneven = np.add([80, 60, 66, 40], noise)  # a step the wrong way
    assert trends([uneven], False, 0.1) == [PARTLY]


def test_the_null_of_the_trend_is_exact():
    rng = np.random.default_rng(0)
    rejected = [page(rng.random((3, 4)))[1] < 0.05 for _ in range(2000)]
    assert np.mean(rejected) == pytest.approx(0.05, abs=0.015)
    # More points than are listed: normal, with Page's variance n k^2 (k + 1) (k^2 - 1) / 144.
    rising = page(np.tile(np.arange(9), (3, 1)))
    assert rising == pytest.approx((855, norm.sf(180, scale=1350**0.5), 1), rel=1e-5)


def test_rise_then_flat():
    x = [0, 0.5, 1, 1.5, 2, 3, 5]
    rows = [[40, 48, 70, 78, 80, 80, 81], [42, 50, 66, 79, 81, 82, 82]]
    y = np.array([*rows, [39, 55, 72, 76, 79, 80, 80]])
    assert [reach(x, row) for row in y] == pytest.approx([1.431, 1.462, 1.488], abs=1e-3)
    rows = [8, 8, 8, 8], [0, 90, 90, 100], [0, 100, 100, 100]
    assert [reach([0, 1, 2, 3], row) for row in rows] == [0, 1, 0.9]
    ((_, where),) = rises_then_flat([(x, y, 0.1)], (1, 3))
    assert interval(where) == pytest.approx((1.39, 1.53), abs=5e-3)
    for stated, verdict in {(1, 3): HOLDS, (2, 3): FAILS, (1, 1.45): PARTLY}.items():
        assert rises_then_flat([(x, y, 0.1)], stated)[0][0] == verdict
    assert rises_then_flat([(x, y[:, ::-1], 0.1)], (1, 3))[0][0] == FAILS


# Scores of five masks at five points, of 16 units in 200 sets, without an effect.
NOISE = np.random.default_rng(2).normal(0, 1, (200, 16, 5, 5))


def share_with_a_fail(verdicts_of_sets):
    """A size of 5 % gives more than 9.5 % of 200 sets with a chance below 1 in 500."""
    return np.mean([FAILS in verdicts for verdicts in verdicts_of_sets])


def test_a_trend_of_many_units_fails_falsely_in_at_most_five_percent():
    for rises in (True, False):
        assert share_with_a_fail(trends(list(u), rises, 0.1) for u in NOISE) <= 0.095


def test_where_many_rises_end_is_called_outside_falsely_in_at_most_five_percent():
    x, ends = [0, 1, 2, 3, 4], np.array([0.0, 10, 20, 20, 20])
    units = [[(x, scores + ends, 0.1) for scores in of_set] for of_set in NOISE]
    middle = np.mean([reach(x, row) for of_set in units for _, y, _ in of_set for row in y])
    found = [[v for v, _ in rises_then_flat(of_set, (1, middle))] for of_set in units]
    assert share_with_a_fail(found) <= 0.095


def test_a_window_holds_only_in_a_sweep_that_goes_beyond():
    values = 10.0 ** np.arange(-3, 4)
    verdict, shares, because = window(values, ["good"] * 5 + ["unclear"] * 2, (1e1, 1e5))
    assert (verdict, shares) == (OPEN, (0.2, 1.0))
    assert "unclear" in because
    r, names = [1.5, *range(2, 11)], ["good"] * 3 + ["unclear"] + ["bad"] * 6
    assert window(r, names, (1.5, 4), in_decades=False)[:2] == (HOLDS, (0.75, 1.0))
    assert is_specific(r, names, (1.5, 4))
    inside, whole = [10, 100, 1000], [0.1, 1, 10, 100, 1000, 1e4, 1e5]
    assert window(inside, ["good"] * 3, (10, 1000))[0] == OPEN
    assert window(whole, ["bad"] * 2 + ["good"] * 3 + ["bad"] * 2, (10, 1000))[0] == HOLDS
    assert window(inside, ["good", "bad", "good"], (10, 1000))[0] == PARTLY
    assert window(inside, ["bad", "bad", "good"], (10, 1000))[0] == FAILS
    assert window([1.0], ["good"], (10, 1000))[0] == OPEN


def test_losses_name_the_points():
    rng = np.random.default_rng(0)
    scores = np.array([[80], [78], [60], [74]]) + rng.normal(0, 0.5, (4, 5))
    assert [name for *_, name in losses(scores, 0.1)][:3] == ["good", "good", "bad"]


def test_insensitive():
    scores = np.array([[70, 72, 69], [71, 71, 70], [68, 71, 69], [66, 69, 66]])
    less, more, *_ = insensitive(scores)
    assert less < 0.05 < more
    assert insensitive(scores * [[1], [1], [1], [0.7]])[1] < 0.05
    assert insensitive(scores[:, :1])[:2] == (0.0, 1.0)  # one deterministic fit: exact


def test_less_spread():
    rng = np.random.default_rng(0)
    wide, narrow = 60 + rng.normal(0, 8, (12, 5)), 60 + rng.normal(0, 1, (12, 5))
    given, as_high = less_spread(wide, narrow)
    assert as_high
    assert p_below(given) < 0.05
    assert p_above(less_spread(narrow, wide)[0]) < 0.05
    assert not less_spread(wide, narrow - 20)[1]
    assert p_below(less_spread(wide[:, :1], narrow[:, :1])[0]) == 0  # one deterministic fit: exact


def test_curves():
    curve = [100 + 50 * 0.8**k for k in range(61)]
    assert last_step(curve) == pytest.approx(1.9e-7, rel=0.05)
    assert settled([curve]) == HOLDS
    assert settled_by([curve], 10, [70] * 3, [70] * 3, 0.1)[0] == FAILS
    assert settled_by([curve], 30, [70, 71, 72], [70.1, 71, 72], 0.1)[0] == HOLDS
    assert settled_by([curve], 30, [60, 61, 62], [70.1, 71, 72], 0.1)[0] == PARTLY
    assert settled_by([curve[:31]], 29, [70] * 3, [70] * 3, 0.1)[0] == OPEN
    assert settled([curve[:31]]) == OPEN


def test_descent():
    falls, rises = [3, 2, 2 + 1e-11, 1.5], [3, 2, 2.1]
    assert descent([falls] * 4) == (OPEN, 0)
    assert descent([falls] * 10 + [rises]) == (PARTLY, 1)
    assert descent([falls] * 4 + [rises]) == (FAILS, 1)


def test_exponents():
    n, seconds = [250, 500, 1000, 2000, 4000], [0.031, 0.118, 0.52, 2.3, 9.8]
    assert exponent(n, seconds, 1.75)[0] == OPEN
    assert exponent(n, seconds, 1)[0] == FAILS
    assert exponent(n[:4], seconds[:4], 2)[0] == OPEN
    n = 100 * 2 ** np.arange(8)  # an overhead does not hide it
    assert exponent(n, 1 + (n / 400) ** 3, 2)[0] == FAILS


def test_one_run():
    assert limits_of_std(1.2, 10) == pytest.approx((0.875, 1.974), abs=1e-3)
    away = np.sqrt(0.9) * np.array([-1, 1] * 5)
    p_values = np.array([one_run(70 + std * away)[:2] for std in (0.0, 0.5, 1.2, 5.0)])
    np.testing.assert_array_equal(p_values.T < 0.05, [[1, 1, 0, 0], [0, 0, 0, 1]])
    assert one_run([70.0, 71.0])[:2] == (1.0, 1.0)
