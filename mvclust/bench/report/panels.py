"""How the rows of a results table are split over the panels of a figure."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from mvclust.bench.report.style import PAGE, UNIT_SIGN
from mvclust.bench.report.text import place_texts
from mvclust.bench.score.names import is_number


def panel_texts(described: dict, results: pd.DataFrame) -> pd.DataFrame:
    """Properties in which panels differ, as texts; "" if one does not apply."""
    unit = UNIT_SIGN.get(described["unit"], "")
    tuning = "tuning: " + results["tuning"]
    texts = place_texts(results).assign(method=results["method"])
    return texts.assign(tuning=tuning, metric=results["metric"] + unit)


def beyond_grid(described: dict, results: pd.DataFrame, text: Callable[[list], str]) -> pd.Series:
    """Values of all parameters but the first two, which span a surface, as text."""
    grid = described["axes"][:2]
    texts = [
        text([{name: value for name, value in point.items() if name not in grid}])
        for (point, *_) in results["points"]
    ]
    return pd.Series(texts, index=results.index, dtype=object)


def split(texts: pd.DataFrame, always: Sequence[str] = ()) -> list[tuple[str, pd.Series]]:
    """Rows of a table by texts, in order: (columns that vary or are in `always`, boolean rows)."""
    titled = [name for name in texts if name in always or texts[name].nunique() > 1]
    places = texts.drop_duplicates()
    of_place = texts.groupby(list(texts), sort=False, dropna=False).ngroup()
    return [
        (", ".join(filter(None, place)), of_place == i)
        for i, place in enumerate(places[titled].to_numpy())
    ]


def in_order(values: Iterable) -> list:
    """Unique values: numbers ascending, others in order of appearance.

    >>> in_order([10, 1, 10.0]), in_order(["sample_unit", "view_balanced"])
    ([1, 10], ['sample_unit', 'view_balanced'])
    """
    values = list(dict.fromkeys(values))
    return sorted(values) if all(is_number(value) for value in values) else values


class Grid(NamedTuple):
    """Placement of rows of panels on a page: below each other, then in blocks beside each other."""

    rows: int  # in a block
    beside: int  # number of blocks
    height: float  # of a row in inches
    shown: int  # rows of panels that fit


def fit_page(
    number: int, room: float, heights: Sequence[float], width: float, beside: int = 1
) -> Grid:
    """Place rows of panels on a page; they become lower before they are put beside each other.

    `room` is the total height and `width` the least of a row, in inches; `heights` are those of a
    row, the preferred one first; `beside` is the least number of blocks.

    >>> fit_page(4, 8.0, (1.75, 1.0), 3.0)
    Grid(rows=4, beside=1, height=1.75, shown=4)
    >>> fit_page(12, 8.0, (1.75, 1.0), 3.0)
    Grid(rows=6, beside=2, height=1.3333333333333333, shown=12)
    >>> fit_page(40, 8.0, (1.75, 1.0), 3.0)
    Grid(rows=8, beside=2, height=1.0, shown=16)
    """
    wanted, *tried = heights
    most = max(beside, int(PAGE / width))
    for least in tried:
        for blocks in range(beside, most + 1):
            rows = -(-number // blocks)
            if room / rows >= least:
                return Grid(rows, -(-number // rows), min(wanted, room / rows), number)
    rows = max(1, int(room / least))
    shown = min(number, rows * most)
    return Grid(rows, -(-shown // rows), min(wanted, room / rows), shown)


class Layout(NamedTuple):
    """The panels of a figure that fit on a page."""

    results: pd.DataFrame  # the rows of the table that are drawn
    rows: list  # pairs (title, rows of the table)
    columns: list  # pairs (title, rows of the table)
    grid: Grid
    left_out: list  # what does not fit, in words

    def placed(self, panels: np.ndarray) -> Iterator[tuple]:
        """Yield the first panel of a row, each panel, its row, column and results; hide others."""
        for axes in panels.flat:
            axes.set_visible(False)
        for i, row in enumerate(self.rows):
            block, line = divmod(i, self.grid.rows)
            in_row = panels[line, block * len(self.columns) :]
            for axes, column in zip(in_row, self.columns, strict=False):
                results = self.results[row[1] & column[1]]
                axes.set_visible(len(results) > 0)  # a data set may have fewer views than another
                yield in_row[0], axes, row, column, results


def lay_out(
    described: dict,
    results: pd.DataFrame,
    panels: Callable[[dict, pd.DataFrame], tuple[list, list]],
    heights: Sequence[float],
    width: float,
    room: float,
    across: int = 1,
) -> Layout:
    """Place panels of a table on a page (see `fit_page`), of the first metric if not all fit."""
    every = list(dict.fromkeys(results["metric"]))
    for metrics in (every, every[:1]):
        part = results[results["metric"].isin(metrics)]
        rows, columns = panels(described, part)
        if len(columns) * width > PAGE:
            rows = [
                (", ".join(filter(None, [name, title])), row & column)
                for name, row in rows
                for title, column in columns
                if (row & column).any()
            ]
            columns = [("", pd.Series(True, index=part.index))]
        beside = max(1, min(len(rows), across // len(columns)))
        grid = fit_page(len(rows), room, heights, len(columns) * width, beside)
        if grid.shown == len(rows):
            break
    left_out = [name for name in every if name not in metrics]
    if grid.shown < len(rows):
        left_out.append(f"{len(rows) - grid.shown} of {len(rows)} settings")
    return Layout(part, rows[: grid.shown], columns, grid, left_out)


def lowest(panels: np.ndarray) -> Iterator[Axes]:
    """Yield the lowest visible panel in each column."""
    for column in panels.T:
        shown = [axes for axes in column if axes.get_visible()]
        for axes in shown[-1:]:
            axes.xaxis.set_in_layout(axes is column[-1])  # below the others there is room
            yield axes
