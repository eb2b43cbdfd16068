"""What the kinds of tests share: pairs of methods, fairness of their grids, outcomes of units."""

from collections.abc import Container, Iterable, Sequence
from itertools import product

import numpy as np

from mvclust.bench.claims.cells import Cell, is_score
from mvclust.bench.claims.paired import Difference, difference, interval, over_data_sets
from mvclust.bench.claims.shares import most
from mvclust.bench.claims.tests.places import groups_of
from mvclust.bench.claims.verdicts import OPEN, Outcome
from mvclust.bench.config.models import ClaimTest

FAIR = 2  # times as many points of a grid are still as many
NOTHING = Outcome(OPEN, because="no run of this experiment has what the test compares")

Entries = list[tuple[list[Cell], list[tuple[str, str, Difference]]]]  # units with their pairs


def pair_of(group: list[Cell], a: str, b: str, sign: int = 1) -> Difference:
    """Difference of two methods over the places of a unit."""
    values = [sign * (cell.scores[a] - cell.scores[b]) for cell in group]
    exact = all(np.ptp(cell.scores[m]) == 0 for cell in group for m in (a, b))
    found = difference(values, group[0].step, group[0].nested, exact)
    # A printed mean is as uncertain as ours.
    return found._replace(se=found.se * 2**0.5) if b in group[0].stds else found


def pairs_in(
    test: ClaimTest, group: list[Cell], sign: int = 1
) -> list[tuple[str, str, Difference]]:
    """(first, second, their difference) for each pair in a unit."""
    there = set.intersection(*(set(cell.scores) for cell in group))
    return [
        (a, b, pair_of(group, a, b, sign))
        for a, b in product(test.methods or sorted(there - set(test.against)), test.against)
        if {a, b} <= there and a != b
    ]


def is_favoured(group: list[Cell], a: str, b: str, tunable: Container[str]) -> bool:
    """Whether the first method had a grid more than twice that of the second, which has one."""
    points = group[0].points
    return b in tunable and points.get(a, 1) > FAIR * points.get(b, 1)


def fair_states(
    states: list[str], entries: Entries, tunable: Container[str], sign: int = 1
) -> list[str]:
    """States of units, undecided where the winner had the larger grid."""
    fair = []
    for state, (group, pairs) in zip(states, entries, strict=True):
        favoured = any(is_favoured(group, *(a, b)[::sign], tunable) for a, b, _ in pairs)
        lost = [(b, a)[::sign] for a, b, d in pairs if d.mean < 0]
        hindered = lost and all(is_favoured(group, *pair, tunable) for pair in lost)
        unfair = favoured if state == "+" else hindered and state == "-"
        fair.append("?" if unfair else state)
    return fair


def grid_sizes(entries: list, methods: Iterable[str]) -> str:
    """Describe the sizes of the grids."""
    sizes = {m: max(entry[0][0].points.get(m, 1) for entry in entries) for m in methods}
    return "points per method: " + ", ".join(f"{m} {size}" for m, size in sizes.items())


def effect_of(test: ClaimTest, cells: list[Cell], sign: int = 1) -> tuple[float, float, float]:
    """Smallest effect over the pairs, over all data sets, in the first metric."""
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


def most_of(
    test: ClaimTest, entries: Entries, tunable: Container[str], sign: int = 1
) -> tuple[str, str]:
    """Verdict of "in most cases" on units and all their pairs; and without wins of larger grids."""
    units = [
        [
            {
                (c.experiment, c.dataset, c.rate, c.n_views): sign * (c.scores[a] - c.scores[b])
                for c in g
            }
            for a, b, _ in pairs
        ]
        for g, pairs in entries
    ]
    favoured = [
        any(is_favoured(g, *(a, b)[::sign], tunable) for a, b, _ in pairs) for g, pairs in entries
    ]
    hindered = [
        all(is_favoured(g, *(b, a)[::sign], tunable) for a, b, _ in pairs) for g, pairs in entries
    ]
    return most(units, test.beyond), most(units, test.beyond, favoured, hindered)


def decided(
    verdicts: Sequence[str],
    named: Iterable[tuple[str, str]],
    power: tuple[str, float],
    effect: tuple[float, float, float],
    reason: str,
) -> Outcome:
    """Outcome of a verdict as tuned, open if it depends on wins of larger grids."""
    verdict, fair = verdicts
    because = "underpowered" if verdict == OPEN else ""
    if fair != verdict:
        verdict, because = OPEN, f"grid: {reason}"
    text, smallest = power
    return Outcome(verdict, text, *effect, smallest, because, tuple(named))
