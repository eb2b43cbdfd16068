"""Figures in the form in which the papers print them: their panels, methods, marks and tuning."""

from collections.abc import Iterator
from itertools import product
from string import ascii_lowercase
from typing import NamedTuple

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle

from mvclust.bench.plan.settings import Setting
from mvclust.bench.report import curves, style
from mvclust.bench.report.panels import beyond_grid, in_order, panel_texts, split
from mvclust.bench.report.surfaces import STAR, draw_surface, label_grid
from mvclust.bench.report.text import no_results_text, symbol, symbols_text
from mvclust.bench.score.names import FIXED, value_text
from mvclust.bench.score.tuning import ORACLE
from mvclust.metrics import SCORES

HEIGHT = 2.1  # inches of a panel
WINDOW = {"facecolor": "#F0E442", "alpha": 0.3, "lw": 0}
MARK = {"color": "#882255", "ls": "--", "lw": 0.9}
DOT = {"marker": "o", "ms": 3, "alpha": 0.5, "ls": "", "color": "#444444"}
MEAN = {"marker": "|", "ms": 9, "mew": 1.6, "ls": "", "color": "black"}
FRAME = {"fill": False, "ec": "#D55E00", "lw": 1.6}
BEST, MARKED = "the best here", "value of the paper"
SHADED = "range that the paper names"
FRAMED = f"{SHADED} (frame)"


class Panel(NamedTuple):
    """A panel: its title, its experiment and its rows of the results."""

    title: str
    described: dict
    results: pd.DataFrame
    limits: tuple[float, float]  # of all panels of the experiment, for one colour scale


def as_printed(described: dict, results: pd.DataFrame) -> pd.DataFrame:
    """Results in the form of an experiment: with the paper's tuning, and in its order."""
    form = described["form"]
    results = results[results["tuning"].isin([ORACLE, FIXED])]
    chosen = {"metric": "metrics", "dataset": "datasets", "method_key": "methods"}
    for column, key in chosen.items():
        if form[key]:
            order = results[column].map({name: i for i, name in enumerate(form[key])})
            results = results[order.notna()].iloc[order.dropna().argsort(kind="stable")]
    return results


def draw_form(parts: list[tuple[dict, pd.DataFrame]], runs: pd.DataFrame) -> Figure:
    """Draw a figure as printed; a part is an experiment with its results as printed."""
    rows = [row for part in parts for row in _rows(*part)]
    if len(parts) > 1:  # beside each other
        rows = [[panel for row in rows for panel in row]]
    across = max(map(len, rows))
    width = style.PAGE if across > 1 else style.COLUMN
    names = [name for row in rows for panel in row for name in _names(panel)]
    below = style.legend_shape(names, width)[2] + 0.3
    heights = list(map(_height, rows))
    figure = style.new_figure(width, sum(heights) + below)
    panels = figure.subplots(len(rows), across, squeeze=False, height_ratios=heights)
    handles, letters, size = {}, iter(ascii_lowercase), 8 if across < 3 else 7
    for line, row in zip(panels, rows, strict=True):
        for axes, panel in zip(line, row, strict=False):
            title = f"({next(letters)}) {panel.title}" if len(rows) * across > 1 else panel.title
            axes.set_title(style.wrapped(title, 0.75 * width / across, size), fontsize=size)
            axes.xaxis.label.set_size(size)
            axes.yaxis.label.set_size(size)
            axes.tick_params(labelsize=style.SMALLEST if across > 2 else 7)
            if panel.results["mean"].isna().all():
                style.say(axes, no_results_text(panel.results), 0.6 * width / across)
                axes.set(xticks=[], yticks=[])
            else:
                handles |= DRAW[panel.described["form"]["draw"]](axes, panel, runs)
        for axes in line[len(row) :]:
            axes.set_visible(False)
    if len(handles) > 1 or set(handles) & {SHADED, FRAMED, MARKED}:
        style.add_legend(figure, handles)
    return figure


def _rows(described: dict, results: pd.DataFrame) -> list[list[Panel]]:
    """Rows of panels."""
    form, everything = described["form"], [("", pd.Series(True, index=results.index))]
    rest = beyond_grid(described, results, symbols_text)
    texts = panel_texts(described, results).assign(metric=results["metric"], rest=rest)
    rows, columns = (
        split(texts[form[key]], form[key]) if form[key] else everything
        for key in ("rows", "columns")
    )
    return [
        [
            Panel(
                form["title"] or ", ".join(filter(None, [column, row])),
                described,
                results[of_row & of_column],
                (results["mean"].min(), results["mean"].max()),
            )
            for column, of_column in columns
            if (of_row & of_column).any()
        ]
        for row, of_row in rows
    ]


def _names(panel: Panel) -> list[str]:
    """What the legend may have."""
    form = panel.described["form"]
    lines = [name for name, *_ in _lines(panel)] if form["draw"] in ("curves", "bars") else []
    return [*lines, *["objective"] * (form["draw"] == "convergence"), SHADED, FRAMED]


def _lines(panel: Panel) -> Iterator[tuple[str, dict, pd.DataFrame]]:
    """Name, look and results of each curve or group of bars."""
    described, results = panel.described, panel.results
    by, looks = described["form"]["lines"], style.look_of(described["methods"])
    texts = _named_views(described, results) if by == "view" else results[by]
    for i, (name, part) in enumerate(results.groupby(texts, sort=False)):
        look = style.number_look(i) | {"linestyle": curves.STYLES[i % len(curves.STYLES)]}
        yield str(name), looks[name] if by == "method" else look, part  # pyright: ignore[reportArgumentType]


def _named_views(described: dict, results: pd.DataFrame) -> pd.Series:
    """View of each result, with its name."""
    views = {
        case["label"]: Setting.from_record(case["setting"]).views for case in described["cases"]
    }
    pairs = zip(results["dataset"], results["view"].fillna(1), strict=True)
    texts = [f"view {number} ({views[label][number - 1]})" for label, number in pairs]
    return pd.Series(texts, index=results.index)


def _curves(axes: Axes, panel: Panel, _: pd.DataFrame) -> dict[str, Artist]:
    """Draw curves with their intervals."""
    described, shown = panel.described, {}
    for name, look, part in _lines(panel):
        x, _ = curves.curve_points(described, part)
        shown[name] = curves.draw_curve(axes, part.assign(x=x), look, with_band=True)
    x, _ = curves.curve_points(described, panel.results)
    ticks = in_order(value for value in x if value is not None)
    room = axes.get_figure().get_figwidth() / axes.get_gridspec().ncols - 0.5
    curves.set_ticks(axes, ticks, [value_text(value) for value in ticks], False, room)
    _name_axes(axes, panel)
    (axis,) = described["axes"][:1] or [None]
    return shown | _annotate(axes, described["form"], axis)


def _bars(axes: Axes, panel: Panel, _: pd.DataFrame) -> dict[str, Artist]:
    """Draw groups of bars with their intervals."""
    described, lines = panel.described, list(_lines(panel))
    x, _ = curves.curve_points(described, panel.results)
    ticks, wide, shown = in_order(x), 0.8 / len(lines), {}
    for i, (name, look, part) in enumerate(lines):
        x, _ = curves.curve_points(described, part)
        places = [ticks.index(value) + wide * (i - (len(lines) - 1) / 2) for value in x]
        interval = part["mean"] - part["ci_low"], part["ci_high"] - part["mean"]
        bars = axes.bar(
            places, part["mean"], 0.92 * wide, color=look["color"], yerr=interval,
            error_kw={"lw": 0.7, "ecolor": "#333333"},
        )  # fmt: skip
        shown[name] = bars
    axes.set_xticks(range(len(ticks)), list(map(value_text, ticks)))
    axes.grid(False, axis="x")
    axes.set_axisbelow(True)
    _name_axes(axes, panel)
    return shown


def _dots(axes: Axes, panel: Panel, _: pd.DataFrame) -> dict[str, Artist]:
    """Draw a dot for each data set in the line of a method, and write their mean."""
    described, lines = panel.described, list(_lines(panel))
    for place, (_, look, part) in enumerate(lines):
        values = _of_datasets(described, part)
        axes.plot(values, np.full(len(values), place), **DOT | {"color": look["color"]})
        axes.plot(values.mean(), place, **MEAN)
        at = {"transform": axes.get_yaxis_transform(), "va": "center", "fontsize": 7}
        axes.text(1.01, place, f"{values.mean():z.1f}", **at)
    axes.set_yticks(range(len(lines)), [name for name, *_ in lines])
    axes.set_ylim(len(lines) - 0.5, -0.5)
    first = "" if not described["sweep"] else f" at {' '.join(described['axes'])} 0 less others"
    metrics = panel_texts(described, panel.results)["metric"]
    axes.set_xlabel(f"{metrics.iloc[0]}{first}")
    return {"a data set": Line2D([], [], **DOT), "their mean": Line2D([], [], **MEAN)}


def _of_datasets(described: dict, part: pd.DataFrame) -> pd.Series:
    """Score on each data set; in a sweep, that of its first value less the mean of the others."""
    if not described["sweep"]:
        return part.groupby("dataset", sort=False)["mean"].mean()
    x, _ = curves.curve_points(described, part)
    table = part.assign(x=x).pivot_table(index="dataset", columns="x", values="mean")
    return table.iloc[:, 0] - table.iloc[:, 1:].mean(axis=1)


def _height(row: list[Panel]) -> float:
    """Height of a row of panels in inches."""
    dots = [panel for panel in row if panel.described["form"]["draw"] == "dots"]
    tall = max((0.2 * panel.results["method"].nunique() + 0.5 for panel in dots), default=0.0)
    return tall if len(dots) == len(row) else max(HEIGHT, tall)


def _name_axes(axes: Axes, panel: Panel) -> None:
    axes.set_xlabel(curves.x_label(panel.described, panel.results))
    metrics = panel_texts(panel.described, panel.results)["metric"]
    axes.set_ylabel(", ".join(dict.fromkeys(metrics)))


def _annotate(axes: Axes, form: dict, axis: str | None) -> dict[str, Artist]:
    """Shade the paper's range of a parameter on the horizontal axis, and mark its values."""
    shown = {}
    if axis in form["window"]:
        axes.axvspan(*form["window"][axis], zorder=0, **WINDOW)
        shown[SHADED] = Patch(**WINDOW)
    for value in form["mark"].get(axis, []):
        shown[MARKED] = axes.axvline(value, zorder=1, **MARK)
    return shown


def _surface(axes: Axes, panel: Panel, _: pd.DataFrame) -> dict[str, Artist]:
    """Draw a grid of numbers; the best is starred, those of the paper have a frame."""
    described, form = panel.described, panel.described["form"]
    x, y = described["axes"][:2]
    points = [points[0] for points in panel.results["points"]]
    table = panel.results.assign(x=[p[x] for p in points], y=[p[y] for p in points])
    ticks = in_order(table["x"]), in_order(table["y"])
    sign = SCORES[described["metrics"][table["metric"].iloc[0]]].sign
    low, high = panel.limits
    image = draw_surface(axes, table, ticks, (low, high), sign)
    for row in table.dropna(subset="mean").itertuples():
        place = ticks[0].index(row.x), ticks[1].index(row.y)
        colour = "black" if row.mean > (low + high) / 2 else "white"
        percent = described["unit"] == "percent"
        text = f"{row.mean:.0f}" if percent else f"{row.mean:.2f}".lstrip("0")
        axes.text(*place, text, ha="center", va="center", fontsize=style.SMALLEST, color=colour)
    width = 0.7 * axes.get_figure().get_figwidth() / axes.get_gridspec().ncols
    label_grid(axes, ticks, (width, HEIGHT))
    axes.set(xlabel=symbol(x), ylabel=symbol(y))
    (metric,) = dict.fromkeys(panel_texts(described, table)["metric"])
    axes.get_figure().colorbar(image, ax=axes, label=metric, aspect=30)
    return {BEST: Line2D([], [], **STAR)} | _frames(axes, form, (x, y), ticks)


def _frames(axes: Axes, form: dict, names: tuple, ticks: tuple[list, list]) -> dict[str, Artist]:
    """Frame the paper's range and values on a grid, as far as it has them."""
    shown = {}
    if set(names) <= set(form["window"]):
        spans = [
            [i for i, value in enumerate(values) if low <= value <= high]
            for values, (low, high) in zip(ticks, (form["window"][n] for n in names), strict=True)
        ]
        if all(spans):
            corner, size = [s[0] - 0.5 for s in spans], [len(s) for s in spans]
            shown[FRAMED] = axes.add_patch(Rectangle(corner, *size, **FRAME))  # pyright: ignore[reportArgumentType]
    if set(names) <= set(form["mark"]):
        known = [[v for v in form["mark"][n] if v in t] for n, t in zip(names, ticks, strict=True)]
        for x, y in product(*known):
            corner = ticks[0].index(x) - 0.5, ticks[1].index(y) - 0.5
            shown[MARKED] = axes.add_patch(Rectangle(corner, 1, 1, **FRAME))
    return shown


def _convergence(axes: Axes, panel: Panel, runs: pd.DataFrame) -> dict[str, Artist]:
    """Draw the objective, on the left axis, and scores, on the right one, by iteration."""
    described, results = panel.described, panel.results
    objective = curves.longest_objective(described, results.iloc[0], runs)
    shown = curves.converge(axes, described, results, objective, 0.7 * HEIGHT)
    return shown | _annotate(axes, described["form"], "max_iter")


DRAW = {"curves": _curves, "bars": _bars, "dots": _dots}
DRAW |= {"surfaces": _surface, "convergence": _convergence}
