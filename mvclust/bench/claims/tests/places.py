"""The places that a test looks at: which, in what measure, and what belongs together."""

from collections.abc import Callable
from itertools import groupby

import numpy as np

from mvclust.bench.claims.cells import Cell, is_selected
from mvclust.bench.claims.trends import slopes
from mvclust.bench.config.models import ClaimTest


def chosen(cells: list[Cell], test: ClaimTest) -> list[Cell]:
    """Places that a test names, in the measure that it compares."""
    return MEASURES[test.measure]([cell for cell in cells if is_selected(cell, test)], test)


def groups_of(
    cells: list[Cell], by: Callable[[Cell], tuple] = lambda cell: cell.unit
) -> list[list[Cell]]:
    """Group the places that belong together, each in the order of the missing share."""
    ordered = sorted(cells, key=lambda cell: (*map(str, by(cell)), cell.missing))
    return [list(group) for _, group in groupby(ordered, key=by)]


def _as_they_are(cells: list[Cell], test: ClaimTest) -> list[Cell]:
    return cells


def _slopes(cells: list[Cell], test: ClaimTest) -> list[Cell]:
    """Change of scores per 10 points more that are missing."""
    found = []
    for group in groups_of(cells):
        axis = [10 * cell.missing for cell in group]
        if len(set(axis)) < 2:
            continue
        names = [m for m in group[0].scores if all(m in cell.scores for cell in group)]
        columns = {m: np.stack([cell.scores[m] for cell in group], axis=1) for m in names}
        scores = {m: slopes(column, axis) for m, column in columns.items()}
        found.append(group[0]._replace(rate=None, missing=0.0, scores=scores, step=0.0))
    return found


def _leads(cells: list[Cell], test: ClaimTest) -> list[Cell]:
    """Lead over the mean of the compared methods."""
    found = []
    for cell in cells:
        others = [cell.scores[m] for m in test.against if m in cell.scores]
        scores = {m: cell.scores[m] - np.mean(others, axis=0) for m in test.methods}
        found.append(cell._replace(scores=scores))
    return found


def _worst_ranks(cells: list[Cell], test: ClaimTest) -> list[Cell]:
    """Worst rank over data sets of each method, negated; ranks are means over metrics."""
    wanted = [*test.methods, *test.against]
    by_data = {}
    for cell in cells:
        names = [m for m in wanted if m in cell.scores]
        table = np.array([cell.scores[m] for m in names])
        ranks = 1 + (table[None, :, :] > table[:, None, :]).sum(axis=1)
        places = dict(zip(names, ranks.astype(float), strict=True))
        by_data.setdefault(cell.dataset, []).append(places)
    means = [
        {m: np.mean([places[m] for places in of if m in places], axis=0) for m in of[0]}
        for of in by_data.values()
    ]
    names = set.intersection(*map(set, means)) if means else ()
    if not names:
        return []
    worst = {m: -np.max([mean[m] for mean in means], axis=0) for m in wanted if m in names}
    return [cells[0]._replace(dataset="all", rate=None, metric="rank", scores=worst, step=0.0)]


MEASURES = {"score": _as_they_are, "slope": _slopes, "lead": _leads, "worst_rank": _worst_ranks}


def units_of(test: ClaimTest, cells: list[Cell]) -> list[list[Cell]]:
    """Places of each unit: of a data set, or alone."""
    return [[cell] for cell in cells] if test.unit == "cell" else groups_of(cells)


def name_of(test: ClaimTest, group: list[Cell]) -> str:
    """Name of a unit."""
    if test.unit == "cell":
        return group[0].name
    view = f" view {group[0].view}" if group[0].view else ""
    return f"{group[0].dataset}{view}, {group[0].metric}"


def has_scores(cell: Cell, method: str) -> bool:
    """Whether a method has a score at a place."""
    return method in cell.scores and not np.isnan(cell.scores[method]).all()


def series_of(cells: list[Cell], test: ClaimTest) -> list[tuple[str, list, np.ndarray]]:
    """Scores along the axis of a trend: (name, values of the axis, masks x points)."""
    by_views = test.axis == "views"

    def unit(cell: Cell) -> tuple:
        return (cell.experiment, "", cell.metric, cell.rate) if by_views else cell.unit

    def place(cell: Cell) -> float:
        return cell.n_views if by_views else cell.missing

    found = []
    for group in groups_of(cells, unit):
        at = sorted(set(map(place, group)))
        for method in test.methods or group[0].scores:
            having = [cell for cell in group if method in cell.scores]
            columns = [[cell.scores[method] for cell in having if place(cell) == x] for x in at]
            if all(columns) and len(at) > 1:
                scores = np.stack([np.mean(column, axis=0) for column in columns], axis=1)
                name = group[0].metric if by_views else name_of(test, group)
                found.append((f"{method}: {name}", at, scores))
    return found


def is_at(values: dict, test: ClaimTest) -> bool:
    """Whether a test names a point of a grid."""
    return all(values.get(name) in wanted for name, wanted in test.at.items())
