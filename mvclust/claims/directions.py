"""Directions of printed differences: the same in our runs, beyond the interval, or reversed."""

import itertools

import pandas as pd

from mvclust.claims.paired import difference, interval

GAPS = (0, 1, 3, 10, float("inf"))  # points: classes of printed differences
SAME, BEYOND, REVERSED = "same direction", "beyond the interval", "reversed"
COLUMNS = ("paper", "item", "pair", "gap", "pairs", SAME, BEYOND, REVERSED)


def direction(printed, ours):
    """How our difference stands to a printed one.

    Parameters
    ----------
    printed : float
        In points.
    ours : Difference

    Returns
    -------
    dict of bool
        "same direction", "beyond the interval" (and in that direction), "reversed" (beyond the
        interval in the other one).

    Examples
    --------
    >>> found = direction(2.0, difference([[1.0, 2.0, 3.0]], 0.1))
    >>> found["same direction"], found["beyond the interval"], found["reversed"]
    (True, False, False)
    """
    sign = 1 if printed > 0 else -1
    low, high = sorted(sign * end for end in interval(ours))
    return {SAME: sign * ours.mean > 0, BEYOND: low > 0, REVERSED: high < 0}


def directions(cells, printed, proposed):
    """Count the directions of all pairs of methods in all printed tables.

    Parameters
    ----------
    cells : list of mvclust.claims.cells.Cell
        Of experiments with an item.
    printed : list of mvclust.claims.cells.Cell
        The same places in print.
    proposed : dict
        Paper -> keys of the methods that it proposes.

    Returns
    -------
    DataFrame
        One row per table, kind of pair ("proposed" against a baseline, or "baselines") and class of
        the printed gap, with the columns `COLUMNS`.
    """
    ours = {cell.place: cell for cell in cells}
    rows = []
    for cell in printed:
        if cell.place not in ours:
            continue
        scores, names = ours[cell.place].scores, list(cell.scores)
        for i, a in enumerate(names):
            for b in names[i + 1 :]:
                gap = float(cell.scores[a][0] - cell.scores[b][0])
                if gap == 0 or not {a, b} <= set(scores):
                    continue
                own = {a, b} & set(proposed.get(cell.paper, ()))
                given = difference([scores[a] - scores[b]], ours[cell.place].step)
                if given.mean == given.mean:
                    rows.append(
                        {
                            "paper": cell.paper,
                            "item": cell.item,
                            "pair": "proposed" if own else "baselines",
                            "gap": _class_of(abs(gap)),
                            "pairs": 1,
                            **{k: int(v) for k, v in direction(gap, given).items()},
                        }
                    )
    table = pd.DataFrame(rows, columns=COLUMNS)
    return table.groupby(list(COLUMNS[:4]), sort=True).sum().reset_index()


def _class_of(gap):
    low, high = next((a, b) for a, b in itertools.pairwise(GAPS) if a < gap <= b)
    return f"{low} to {high}" if high < GAPS[-1] else f"above {low}"
