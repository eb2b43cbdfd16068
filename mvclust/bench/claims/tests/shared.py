"""What the kinds of tests share: pairs of methods, fairness of their grids, outcomes of units."""

from itertools import product

import numpy as np

from mvclust.bench.claims.cells import is_score
from mvclust.bench.claims.paired import difference, interval, over_data_sets
from mvclust.bench.claims.tests.places import groups_of
from mvclust.bench.claims.verdicts import OPEN, Outcome

FAIR = 2  # times as many points of a grid are still as many


def nothing():
    """The outcome where a run has none of what a test compares."""
    return Outcome(OPEN, because="no run of this experiment has what the test compares")


def pair_of(group, a, b, sign=1):
    """The difference of two methods over the places of a unit."""
    values = [sign * (cell.scores[a] - cell.scores[b]) for cell in group]
    exact = all(np.ptp(cell.scores[m]) == 0 for cell in group for m in (a, b))
    return difference(values, group[0].step, group[0].nested, exact)


def pairs_in(test, group, sign=1):
    """(name of the first, of the second, their difference) for each pair in a unit."""
    there = set.intersection(*(set(cell.scores) for cell in group))
    return [
        (a, b, pair_of(group, a, b, sign))
        for a, b in product(test.methods or sorted(there - set(test.against)), test.against)
        if {a, b} <= there and a != b
    ]


def is_favoured(group, a, b, tunable):
    """Whether the first method had a grid more than twice that of the second, which has one."""
    points = group[0].points
    return b in tunable and points.get(a, 1) > FAIR * points.get(b, 1)


def fair_state(state, group, pairs, tunable, sign=1):
    """The state of a unit, not decided where the winner had the larger grid."""
    shown, reverse = ("+", "-") if sign > 0 else ("-", "+")
    if state == shown and any(is_favoured(group, a, b, tunable) for a, b, _ in pairs):
        return "?"
    winners = [pair for pair in pairs if sign * pair[2].mean < 0]
    if (
        state == reverse
        and winners
        and all(is_favoured(group, b, a, tunable) for a, b, _ in winners)
    ):
        return "?"
    return state


def grid_sizes(entries, methods):
    """The sizes of the grids as text."""
    sizes = {m: max(entry[0][0].points.get(m, 1) for entry in entries) for m in methods}
    return "points per method: " + ", ".join(f"{m} {size}" for m, size in sizes.items())


def effect_of(test, cells, sign=1):
    """The smallest effect over the pairs, over all data sets, in the first score."""
    if not cells:
        return np.nan, np.nan, np.nan
    first = test.metrics[0] if test.metrics else cells[0].metric
    groups = groups_of([cell for cell in cells if is_score(cell.metric, [first])])
    found = {}
    for group in groups:
        for a, b, given in pairs_in(test, group, sign):
            found.setdefault((a, b), []).append(given)
    if not found:
        return np.nan, np.nan, np.nan
    smallest = min((over_data_sets(d) for d in found.values()), key=lambda d: d.mean)
    return (smallest.mean, *interval(smallest))


def decided(verdicts, named, power, effect, reason):
    """The outcome of a verdict as tuned, and of that without the wins of larger grids."""
    verdict, fair = verdicts
    text, smallest = power
    if fair != verdict:
        verdict, because = OPEN, f"grid: {reason}"
    else:
        because = "underpowered" if verdict == OPEN else ""
    return Outcome(verdict, text, *effect, smallest, because, tuple(named))
