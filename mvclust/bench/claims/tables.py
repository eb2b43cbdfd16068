"""Every printed row against ours, and the role of its method."""

from collections.abc import Collection, Mapping
from itertools import groupby

import numpy as np
import pandas as pd

from mvclust.bench.claims.cells import Cell
from mvclust.bench.claims.numbers import compare_row

PROPOSED, BASELINE, RECONSTRUCTED = "proposed", "baseline", "reconstructed"
ROWS = ("paper", "item", "dataset", "method", "role", "numbers", "inside", "largest", "limit")
ROWS += ("shift", "prediction", "verdict")


def pairs_of(cells: list[Cell], printed: list[Cell]) -> list[tuple[Cell, Cell]]:
    """Pair our first cell with the printed one for each place of a printed table."""
    ours = {}
    for cell in cells:
        ours.setdefault(cell.place, cell)
    unique = {cell.place: cell for cell in printed}
    return [(ours[place], cell) for place, cell in unique.items() if place in ours]


def role_of(
    method: str, paper: str, proposed: Mapping[str, Collection[str]], reconstructed: Collection[str]
) -> str:
    """Role of a method: reconstructed, the paper's own (in `proposed`, by paper), or a baseline."""
    if method in reconstructed:
        return RECONSTRUCTED
    return PROPOSED if method in proposed.get(paper, ()) else BASELINE


def rows(
    pairs: list[tuple[Cell, Cell]],
    proposed: Mapping[str, Collection[str]],
    reconstructed: Collection[str],
    runs: Mapping[str, int],
) -> pd.DataFrame:
    """Compare every printed row, a method on a data set, with ours, all its numbers at once.

    `runs` are those behind a mean by experiment. Released masks, where only starts differ, are out.
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


def _block(pairs: list[tuple[Cell, Cell]], method: str) -> tuple[np.ndarray, np.ndarray] | None:
    """Scores (settings x metrics x masks) and printed numbers of a row, accuracy first.

    The views of one fit are not settings: they count as metrics.
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
