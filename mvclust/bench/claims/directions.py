"""Directions of printed differences: the same in our runs, beyond the interval, or reversed."""

import itertools
import math
from collections.abc import Collection, Mapping

import pandas as pd

from mvclust.bench.claims.cells import Cell
from mvclust.bench.claims.paired import Difference, difference, interval

GAPS = (0, 1, 3, 10, float("inf"))  # points: classes of printed differences
SAME, BEYOND, REVERSED = "same direction", "beyond the interval", "reversed"
COLUMNS = ("paper", "item", "pair", "gap", "pairs", SAME, BEYOND, REVERSED)


def direction(printed: float, ours: Difference) -> dict[str, bool]:
    """Compare the sign of our difference with a printed one (in points).

    "beyond the interval" means in the printed direction, "reversed" beyond it in the other one.

    >>> found = direction(2.0, difference([[1.0, 2.0, 3.0]], 0.1))
    >>> found["same direction"], found["beyond the interval"], found["reversed"]
    (True, False, False)
    """
    sign = 1 if printed > 0 else -1
    low, high = sorted(sign * end for end in interval(ours))
    return {SAME: sign * ours.mean > 0, BEYOND: low > 0, REVERSED: high < 0}


def directions(
    pairs: list[tuple[Cell, Cell]], proposed: Mapping[str, Collection[str]]
) -> pd.DataFrame:
    """Count the directions of all pairs of methods in all printed tables.

    There is one row per table, kind of pair ("proposed" against a baseline, or "baselines") and
    class of the printed gap; `proposed` maps a paper to its own methods.
    """
    rows = []
    for ours, cell in pairs:
        for a, b in itertools.combinations(cell.scores, 2):
            gap = float(cell.scores[a][0] - cell.scores[b][0])
            if gap == 0 or not {a, b} <= set(ours.scores):
                continue
            given = difference([ours.scores[a] - ours.scores[b]], ours.step)
            if math.isnan(given.mean):
                continue
            kind = "proposed" if {a, b} & set(proposed.get(cell.paper, ())) else "baselines"
            found = map(int, direction(gap, given).values())
            rows.append((cell.paper, cell.item, kind, _class_of(abs(gap)), 1, *found))
    table = pd.DataFrame(rows, columns=COLUMNS)
    return table.groupby(list(COLUMNS[:4]), sort=True).sum().reset_index()


def _class_of(gap: float) -> str:
    low, high = next((a, b) for a, b in itertools.pairwise(GAPS) if a < gap <= b)
    return f"{low} to {high}" if high < GAPS[-1] else f"above {low}"
