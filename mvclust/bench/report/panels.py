"""How the rows of a results table are split over the panels of a figure."""

from typing import NamedTuple

import pandas as pd

from mvclust.bench.report.style import PAGE, UNIT_SIGN
from mvclust.bench.report.text import rate_title, view_title
from mvclust.bench.score.names import texts_of, views_text


def panel_texts(described, results):
    """What panels differ in, as texts.

    Parameters
    ----------
    described : dict
    results : DataFrame

    Returns
    -------
    DataFrame with dataset, views, rate, view, tuning, metric; "" if one does not apply
    """
    unit = UNIT_SIGN.get(described["unit"], "")
    return pd.DataFrame(
        {
            "dataset": results["dataset"],
            "views": views_text(results, "{} views"),
            "rate": texts_of(results, rate_title),
            "view": texts_of(results, view_title),
            "tuning": "tuning: " + results["tuning"],
            "metric": results["metric"] + unit,
        }
    )


def beyond_grid(described, results, text):
    """The values of all parameters but the first two, which span a surface, as text.

    Parameters
    ----------
    described : dict
    results : DataFrame
    text : callable
        It takes a list of points; `params_text` or `symbols_text`.

    Returns
    -------
    Series
    """
    grid = described["axes"][:2]
    texts = [
        text([{name: value for name, value in point.items() if name not in grid}])
        for (point, *_) in results["points"]
    ]
    return pd.Series(texts, index=results.index, dtype=object)


def split(texts, always=()):
    """Group the rows of a table by some texts.

    Parameters
    ----------
    texts : DataFrame
        One row per row of the table.
    always : sequence of str, default=()
        Columns that are part of the titles even if they do not vary.

    Returns
    -------
    list of (title, rows)
        Rows is a boolean Series. In order of first appearance; titles hold the columns that vary.
    """
    titled = [name for name in texts if name in always or texts[name].nunique() > 1]
    return [
        (", ".join(filter(None, place[titled])), (texts == place).all(axis=1))
        for _, place in texts.drop_duplicates().iterrows()
    ]


def in_order(values):
    """Different values: numbers ascending, others in order of appearance.

    Examples
    --------
    >>> in_order([10, 1, 10.0]), in_order(["sample_unit", "view_balanced"])
    ([1, 10], ['sample_unit', 'view_balanced'])
    """
    values = list(dict.fromkeys(values))
    return sorted(values) if all(is_number(value) for value in values) else values


def is_number(value):
    """Whether a parameter's value is a number."""
    return isinstance(value, int | float) and not isinstance(value, bool)


class Grid(NamedTuple):
    """How rows of panels are placed on a page: one below another, then in a block beside it.

    Attributes
    ----------
    rows : int
        In a block.
    beside : int
        Number of blocks.
    height : float
        Of a row in inches.
    shown : int
        The rows of panels that have a place.
    """

    rows: int
    beside: int
    height: float
    shown: int

    def place(self, i):
        """Row and block of the row of panels i."""
        return i % self.rows, i // self.rows


def fit_page(number, room, heights, width, beside=1):
    """Place rows of panels on a page.

    Rows become lower before they are put beside each other.

    Parameters
    ----------
    number : int
        Of rows of panels, at least one.
    room : float
        Height that they may take in all, in inches.
    heights : sequence of float
        Of a row: wanted, then what to try as the least.
    width : float
        The least of a row, in inches.
    beside : int, default=1
        The least number of blocks beside each other.

    Returns
    -------
    Grid

    Examples
    --------
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
    """The panels of a figure that have a place on a page.

    Attributes
    ----------
    results : DataFrame
        The rows of the table that are drawn.
    rows, columns : list of (title, rows of the table)
    grid : Grid
    left_out : list of str
        What has no place, in words.
    """

    results: pd.DataFrame
    rows: list
    columns: list
    grid: Grid
    left_out: list


def lay_out(described, results, panels, heights, width, room, across=1):
    """Place the panels of a table on a page; without room for all, those of the first metric.

    Parameters
    ----------
    described : dict
    results : DataFrame
    panels : callable
        It takes the experiment and its results, and returns rows and columns of panels.
    heights, room
        See `fit_page`.
    width : float
        The least of a panel, in inches.
    across : int, default=1
        Panels that are beside each other, if there are as many.

    Returns
    -------
    Layout
    """
    every = list(dict.fromkeys(results["metric"]))
    for metrics in (every, every[:1]):
        part = results[results["metric"].isin(metrics)]
        rows, columns = panels(described, part)
        if len(columns) * width > PAGE:
            rows = single_panels(rows, columns)
            columns = [("", pd.Series(True, index=part.index))]
        beside = max(1, min(len(rows), across // len(columns)))
        grid = fit_page(len(rows), room, heights, len(columns) * width, beside)
        if grid.shown == len(rows):
            break
    left_out = [name for name in every if name not in metrics]
    if grid.shown < len(rows):
        left_out.append(f"{len(rows) - grid.shown} of {len(rows)} settings")
    return Layout(part, rows[: grid.shown], columns, grid, left_out)


def lowest(panels):
    """The lowest panel that is shown in each column.

    Parameters
    ----------
    panels : ndarray of Axes

    Yields
    ------
    Axes
    """
    for column in panels.T:
        shown = [axes for axes in column if axes.get_visible()]
        for axes in shown[-1:]:
            axes.xaxis.set_in_layout(axes is column[-1])  # below the others there is room
            yield axes


def single_panels(rows, columns):
    """Every panel as a row of panels of its own.

    Parameters
    ----------
    rows, columns : list of (title, rows of the table)

    Returns
    -------
    list of (title, rows of the table)
    """
    return [
        (", ".join(filter(None, [row_title, title])), row & column)
        for row_title, row in rows
        for title, column in columns
        if (row & column).any()
    ]


def every_other(number, room):
    """The step at which ticks are labelled.

    Parameters
    ----------
    number : int
        Of ticks.
    room : int
        Labels that fit.

    Returns
    -------
    int
    """
    return max(1, -(-number // max(1, room)))
