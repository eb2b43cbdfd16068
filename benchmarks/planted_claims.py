"""Error rates of the ledger: claims with known truth, by each kind of test.

python benchmarks/planted_claims.py [number]    fills the block "planted" of docs/claims.md

A false claim is planted at its boundary, where it is hardest to tell from a true one; a true one is
just true, and clearly true for the last column. Masks and deviations are those of the runs.
"""

import sys
from functools import partial

import numpy as np

from docs.pages import fill, table
from mvclust.bench.arithmetic import start_again
from mvclust.bench.claims.grids import insensitive, less_spread, losses, window
from mvclust.bench.claims.paired import difference, p_above, p_below, states, within
from mvclust.bench.claims.repeats import exponent, one_run
from mvclust.bench.claims.sets import best, gain, lead, not_best
from mvclust.bench.claims.shares import most
from mvclust.bench.claims.trends import rises_then_flat, trends
from mvclust.bench.claims.verdicts import FAILS, HOLDS, STATE_OF, states_of, verdict_of

NUMBER = 2000
STEP = 0.1  # one sample in points
SIZES = np.array([500, 1000, 2000, 4000, 8000])


def differences(rng, means, n, sd):
    """Paired differences of several units."""
    return [difference([mean + rng.normal(0, sd, n)], STEP) for mean in means]


def above(rng, means, n, sd, margin=0.0, every=False):
    return verdict_of(states(differences(rng, means, n, sd), margin), every)


def in_most(rng, means, n, sd):
    return most([[{unit: mean + rng.normal(0, sd, n)}] for unit, mean in enumerate(means)])


def within_margin(rng, means, n, sd):
    return verdict_of(within(differences(rng, means, n, sd)))


def against_others(rng, means, n, sd):
    """Differences to four others, the first of which is the closest."""
    ours = rng.normal(0, sd / 2**0.5, n)
    gaps = [[mean, *[mean + 5] * 3] for mean in means]
    return [
        [difference([gap + ours - rng.normal(0, sd / 2**0.5, n)], STEP) for gap in of_unit]
        for of_unit in gaps
    ]


def best_of_five(rng, means, n, sd):
    return verdict_of(best([lead(of_unit) for of_unit in against_others(rng, means, n, sd)]))


def no_superiority(rng, means, n, sd):
    return verdict_of(not_best(against_others(rng, means, n, sd)))


def number(rng, means, n, sd):
    """A gain of 20 %, beside the true ones in percent."""
    found = []
    for mean in means:
        b = 50 + rng.normal(0, sd, n)
        a = 50 * (1 + mean / 100) + (b - 50) + rng.normal(0, sd, n)
        found.append(STATE_OF[gain([a], [b], 20, len(means))[0]])
    return verdict_of(found)


def rises(rng, means, n, sd):
    """Five points that rise by so much in all."""
    units = [mean * np.linspace(0, 1, 5) + rng.normal(0, sd, (n, 5)) for mean in means]
    return verdict_of([STATE_OF[word] for word in trends(units, True, STEP)])


def rise_then_flat(rng, means, n, sd):
    """A rise of 30 points that ends at so many percent of the axis; 2 to 6 are claimed."""
    axis = np.arange(11.0)
    curves = [30 * np.minimum(axis / mean, 1) + rng.normal(0, sd, (n, 11)) for mean in means]
    units = [(axis, curve, STEP) for curve in curves]
    return verdict_of([STATE_OF[word] for word, _ in rises_then_flat(units, (2, 6))])


def good_window(rng, means, n, sd):
    """Five decades of a window of nine, three of which lose so many points."""
    values = 10.0 ** np.arange(-4, 5)
    found = []
    for mean in means:
        lost = np.array([20, 20, 0, mean, mean, mean, 0, 20, 20.0])
        scores = -lost[:, None] + rng.normal(0, sd, (9, n))
        names = [name for *_, name in losses(scores, STEP)]
        found.append(STATE_OF[window(values, names, (1e-2, 1e2))[0]])
    return verdict_of(found)


def flat(rng, means, n, sd):
    """Twelve points with a true range."""
    ranges = [np.linspace(0, mean, 12)[:, None] for mean in means]
    found = [insensitive(ideal + rng.normal(0, sd, (12, n))) for ideal in ranges]
    return verdict_of(states_of([f[0] for f in found], [f[1] for f in found]))


def narrower(rng, means, n, sd):
    """Spread over a grid of twelve points, times so much in the second condition."""
    given = [less_spread(*(s * rng.normal(0, sd, (12, n)) for s in (1, mean)))[0] for mean in means]
    return verdict_of(states_of([p_below(d) for d in given], [p_above(d) for d in given]))


def runs_agree(rng, means, n, sd):
    """Runs with a true deviation."""
    found = [one_run(rng.normal(0, mean, n)) for mean in means]
    return verdict_of(states_of([f[0] for f in found], [f[1] for f in found]))


def at_most(rng, means, n, sd):
    """Times with a true exponent; quadratic is claimed, and a third of a power is granted."""
    words = [exponent(SIZES, SIZES**mean * np.exp(rng.normal(0, sd, 5)), 2)[0] for mean in means]
    return verdict_of([STATE_OF[word] for word in words])


# kind: rule, masks, deviation, (false claim, just true, clearly true) as true values of the units
PLANTED = {
    "A above B": (above, 10, 8.5, ([8, 8, 0], [1, 1, 1], [15, 15, 15])),
    "A above B, five masks": (above, 5, 8.5, ([20, 0], [1, 1], [30, 30])),
    "much above": (partial(above, margin=3.0), 21, 3, ([8, 8, 3], [3, 3, 3], [8, 8, 8])),
    "above in all": (partial(above, every=True), 10, 3, ([8] * 7 + [0], [1] * 8, [10] * 8)),
    "above in most": (in_most, 5, 8.5, ([15] * 10 + [-15] * 10, [15] * 11 + [-15] * 9, [15] * 20)),
    "best of five": (best_of_five, 20, 4, ([8, 0], [1, 1], [8, 8])),
    "no superiority": (no_superiority, 20, 4, ([-5, 3], [0, 0], [-5, -5])),
    "within 3 points": (within_margin, 21, 3, ([0, 3], [3, 3], [0, 0])),
    "a gain of 20 %": (number, 21, 3, ([20, 10], [20, 20], [24, 24])),
    "a trend": (rises, 10, 3, ([10, 0], [0, 0], [10, 10])),
    "a rise, then flat": (rise_then_flat, 20, 3, ([4, 8], [5, 5], [4, 4])),
    "a good window": (good_window, 20, 3, ([0, 10], [4, 4], [1, 1])),
    "insensitive": (flat, 10, 2, ([1, 5], [5, 5], [1, 1])),
    "less spread": (narrower, 10, 2, ([0.5, 1], [1, 1], [0.5, 0.5])),
    "one run suffices": (runs_agree, 10, 0, ([0.3, 1], [1, 1], [0.3, 0.3])),
    "cost at most quadratic": (at_most, 5, 0.05, ([2.3], [2.1], [2])),
}
WORDS = (HOLDS, FAILS, HOLDS)
HEAD = ["kind of test", "units", "masks", "deviation", "false *holds*", "false *fails*", "found"]


def rates(number=NUMBER):
    """Shares in percent by kind: false holds, false fails, and holds of what is clearly true."""
    rng, rows = np.random.default_rng(0), []
    for kind, (rule, n, sd, planted) in PLANTED.items():
        shares = []
        for means, word, times in zip(planted, WORDS, (number, number, number // 10), strict=True):
            given = [rule(rng, means, n, sd) == word for _ in range(times)]
            shares.append(100 * np.mean(given))
        rows.append([kind, len(planted[0]), n, f"{sd:g}", *(f"{share:.1f} %" for share in shares)])
    return rows


if __name__ == "__main__":
    start_again()
    text = table(HEAD, rates(int(sys.argv[1]) if len(sys.argv) > 1 else NUMBER))
    print(text)
    fill("claims.md", "planted", text)
