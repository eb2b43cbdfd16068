"""Every printed number, and every printed row, against ours."""

from itertools import groupby

import numpy as np
import pandas as pd

from mvclust.claims.numbers import compare_number, compare_row

PROPOSED, BASELINE, RECONSTRUCTED = "proposed", "baseline", "reconstructed"
STARTS = "open: starts"  # masks of the authors, each fitted from one start
FEW = "open: fewer than three runs"
PLACE = ("paper", "item", "dataset", "view", "rate", "method", "role")
NUMBERS = (*PLACE, "metric", "published", "published_std", "reproduced", "std", "n_runs")
NUMBERS += ("difference", "prediction", "equivalence", "verdict")
ROWS = ("paper", "item", "dataset", "method", "role", "numbers", "inside", "largest", "limit")
ROWS += ("shift", "prediction", "verdict")


def pairs_of(cells, printed):
    """(ours, printed) for each place of a printed table that a run has; the first one counts.

    Parameters
    ----------
    cells, printed : list of mvclust.claims.cells.Cell

    Returns
    -------
    list of (Cell, Cell)
    """
    ours = {}
    for cell in cells:
        ours.setdefault(cell.place, cell)
    unique = {cell.place: cell for cell in printed}
    return [(ours[place], cell) for place, cell in unique.items() if place in ours]


def role_of(method, paper, proposed, reconstructed):
    """Whether a method is the paper's own, a baseline, or one that was reconstructed.

    Parameters
    ----------
    method, paper : str
    proposed : dict
        Paper -> methods.
    reconstructed : collection of str

    Returns
    -------
    str
    """
    if method in reconstructed:
        return RECONSTRUCTED
    return PROPOSED if method in proposed.get(paper, ()) else BASELINE


def numbers(pairs, proposed, reconstructed, runs):
    """Compare every printed number with ours.

    Parameters
    ----------
    pairs : list of (Cell, Cell)
        As `pairs_of` returns them.
    proposed : dict
        Paper -> methods.
    reconstructed : collection of str
    runs : dict
        Experiment -> the runs that a printed number is the mean of.

    Returns
    -------
    DataFrame
        With the columns `NUMBERS`; in points.
    """
    rows = []
    for ours, cell in pairs:
        for method, published in cell.scores.items():
            scores = ours.scores.get(method, np.array([]))
            scores = scores[~np.isnan(scores)]
            if not len(scores):
                continue
            std = float(scores.std(ddof=1)) if len(scores) > 1 else np.nan
            printed_std = cell.stds.get(method)
            found = compare_number(
                float(scores.mean()), std, len(scores), float(published[0]), printed_std,
                runs[ours.experiment], ours.step,
            )  # fmt: skip
            role = role_of(method, cell.paper, proposed, reconstructed)
            rows.append((
                *cell.place[:5], method, role, cell.metric, published[0], printed_std,
                scores.mean(), std, len(scores), found.difference, found.half_width,
                found.equivalence, STARTS if ours.nested else found.word or FEW,
            ))  # fmt: skip
    table = pd.DataFrame(rows, columns=NUMBERS)
    return table.astype({"view": "Int64", "published_std": float})


def rows(pairs, proposed, reconstructed, runs):
    """Compare every printed row with ours, all its numbers at once.

    Parameters
    ----------
    pairs, proposed, reconstructed, runs
        As `numbers` takes them.

    Returns
    -------
    DataFrame
        With the columns `ROWS`. A row is a method on a data set; released masks are left out, since
        only their starts differ.
    """
    found = []
    ordered = sorted(pairs, key=lambda pair: tuple(map(str, pair[1].place)))
    for place, group in groupby(ordered, key=lambda pair: pair[1].place[:3]):
        group = [pair for pair in group if not pair[0].nested]
        for method in dict.fromkeys(m for _, cell in group for m in cell.scores):
            of_method = [
                pair for pair in group if method in pair[0].scores and method in pair[1].scores
            ]
            block = _block(of_method, method)
            if block is None:
                continue
            scores, printed = block
            ours = of_method[0][0]
            row = compare_row(scores, printed, runs[ours.experiment], ours.step)
            role = role_of(method, place[0], proposed, reconstructed)
            found.append((
                *place, method, role, printed.size, row.inside, row.largest, row.limit, row.shift,
                row.half_width, row.word,
            ))  # fmt: skip
    return pd.DataFrame(found, columns=ROWS)


def _block(pairs, method):
    """Scores (settings x metrics x masks) and printed numbers of a row, accuracy first.

    The views of one fit are no settings of their own: they count as metrics.
    """
    if not pairs:
        return None
    by_setting = {}
    for ours, cell in pairs:
        key = None if ours.view else ours.rate
        by_setting.setdefault(key, []).append((ours, cell))
    metrics = {len(of) for of in by_setting.values()}
    masks = {len(ours.scores[method]) for ours, _ in pairs}
    if len(metrics) > 1 or len(masks) > 1 or min(masks) < 3:
        return None
    ordered = [
        sorted(of, key=lambda pair: (not pair[0].metric.lower().startswith("ac"), pair[0].name))
        for of in by_setting.values()
    ]
    scores = np.array([[ours.scores[method] for ours, _ in of] for of in ordered])
    printed = np.array([[cell.scores[method][0] for _, cell in of] for of in ordered])
    return None if np.isnan(scores).any() else (scores, printed)
