"""Curves against a rate, the number of views or a parameter, and against the iteration."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from mvclust.bench.plan.settings import Setting
from mvclust.bench.report import style
from mvclust.bench.report.panels import fit_page, in_order, lay_out, lowest, panel_texts, split
from mvclust.bench.report.text import no_results_text, not_drawn_text, symbol, symbols_text
from mvclust.bench.score.names import FIXED, is_number, rate_of, value_text
from mvclust.bench.score.tuning import ORACLE

FEW = 5  # curves; the bands of more would hide each other
MOST = 100  # curves that a legend can name
MOST_IN_COLUMN = 10  # curves of a figure in one column
HEIGHTS = (1.75, 0.8, 0.57)  # inches of a row of panels: wanted, least, and if it must be
NARROWEST = 0.75  # inches of a panel
CONVERGING = 1.4  # inches of a panel with two vertical axes
MANY = 200  # iterations on a logarithmic axis
STEEP = 100  # largest ratio of the values of an objective on a linear axis
AROUND = 0.75  # inches for titles, the horizontal axis and the note
PUBLISHED, HOLLOW = "published", {"mfc": "white", "mew": 0.7}
STYLES = ["-", "--", ":", "-."]  # of the curves of one method
RATE_LABELS = {
    "missing_rate": "share of missing instances in each view",
    "incomplete_rate": "share of incomplete samples",
    "paired_rate": "share of paired samples",
    "mapped_rate": "share of mapped samples",
}
NAMING = {"order", "start", "view"}  # parameters whose numbers only name something
PARAMETER_LABELS = {"constraints": "share of the pairs constrained", "max_iter": "iteration"}
# What panels differ in, for every kind of horizontal axis.
PANELS_OF = {
    "rate": ["dataset", "views"],
    "views": ["rate"],  # data sets differ by their views
    "parameter": ["dataset", "views", "rate"],
}
METRIC_LOOKS = [("#D55E00", "--"), ("#009E73", ":"), ("#CC79A7", "-."), ("#E69F00", "--")]
METRIC_LOOKS += [("#000000", ":"), ("#56B4E9", "-.")]


def curve_points(described: dict, results: pd.DataFrame) -> tuple[list, list[str]]:
    """Place of every result on the horizontal axis (None without one), and the rest as text."""
    kind = described.get("x") or "rate"
    x, rest = [], []
    for row in results.to_dict("records"):
        point = dict(row["points"][0]) if row["tuning"] == FIXED else {}
        if kind == "parameter":
            axis = next((axis for axis in described["axes"] if axis in point), None)
            x.append(point.pop(axis, None))
        elif kind == "views":
            x.append(int(row["n_views"]))
        else:
            rate = rate_of(row)
            x.append(0.0 if rate is None else rate[1])
        rest.append(symbols_text([point]))
    return x, rest


def draw_curves(described: dict, results: pd.DataFrame) -> Figure:
    """Draw a row of panels for each data set and metric; columns are tunings, views or metrics.

    Bands (of few curves) are 95 % intervals; published numbers are hollow, at the oracle tuning.
    """
    has_number = results[["mean", "published"]].notna().any(axis=1)
    results = results[has_number.groupby(results["dataset"]).transform("any")]
    x, rest = curve_points(described, results)
    ticks = in_order(value for value in x if value is not None)
    naming = described.get("x") == "parameter" and not NAMING.isdisjoint(described["axes"])
    of_names = naming or not all(map(is_number, ticks))
    places = [np.nan if v is None else ticks.index(v) if of_names else v for v in x]
    results = results.assign(x=places, rest=rest)
    looks = _looks(described, results)
    left_out = [f"{len(looks) - MOST} of {len(looks)} curves"] if len(looks) > MOST else []
    looks = dict(list(looks.items())[:MOST])
    keys = pd.Series(zip(results["method_key"], results["rest"], strict=True), results.index)
    results = results[keys.isin(list(looks))]
    texts = [value_text(value) for value in ticks]
    names = [*(label for label, _ in looks.values()), PUBLISHED]
    below = style.legend_shape(names, style.PAGE)[2] + AROUND
    below += style.widest(texts, style.SMALLEST) if of_names else 0.0
    least = max(NARROWEST, 0.4 + style.LINE * len(ticks)) if of_names else NARROWEST
    layout = lay_out(described, results, _panels, HEIGHTS, least, style.TALLEST - below)
    grid, n_columns = layout.grid, len(layout.columns)
    wide = grid.beside * n_columns > 1 or len(names) > MOST_IN_COLUMN
    width = style.PAGE if wide else style.COLUMN + 0.6
    figure = style.new_figure(width, grid.rows * grid.height + below)
    panels = figure.subplots(grid.rows, grid.beside * n_columns, sharex="col", squeeze=False)
    small = grid.height < 1.2 or panels.shape[1] > 3
    size = style.SMALLEST if small else style.RC["axes.labelsize"]
    shown, room = {}, width / panels.shape[1] - 0.3
    for first, axes, (row_name, row), (column_name, _), part in layout.placed(panels):
        axes.tick_params(labelsize=style.SMALLEST if small else style.RC["xtick.labelsize"])
        shown |= _draw_panel(axes, part, looks, of_names)
        if column_name and axes.get_subplotspec().is_first_row():
            axes.set_title(style.wrapped(column_name, room + 0.2, size), fontsize=size)
        if axes is first:
            axes.set_ylabel(style.wrapped(row_name, 0.85 * grid.height, size), fontsize=size)
        elif layout.results.loc[row, "metric"].nunique() == 1:
            axes.sharey(first)
            axes.tick_params(labelleft=False)
        set_ticks(axes, ticks, texts, of_names, room)
    bottom = list(lowest(panels))
    for axes in bottom:
        axes.tick_params(labelbottom=True)
    bottom[len(bottom) // 2].set_xlabel(x_label(described, results))
    if len(shown) > 1:
        published = {name: shown.pop(name) for name in [PUBLISHED] if name in shown}  # the last
        alone = results["method_key"].nunique() == 1 and results["rest"].ne("").all()
        title = results["method"].iloc[0] if alone else ""  # that no name of a curve contains
        style.add_legend(figure, shown | published, title)
    style.add_note(figure, [not_drawn_text(described, left_out + layout.left_out)])
    return figure


def _panels(described: dict, results: pd.DataFrame) -> tuple[list[tuple], list[tuple]]:
    """Rows and columns of panels, as pairs (title, rows of the table)."""
    texts, apart = panel_texts(described, results), PANELS_OF[described.get("x") or "rate"]
    of_views, n_metrics = texts["view"].ne("").any(), texts["metric"].nunique()
    if texts["tuning"].nunique() > 1 or (n_metrics == 1 and not of_views):  # it names the axis
        rows = split(texts[[*apart, "view", "metric"]], always=["metric"])
        return rows, split(texts[["tuning"]])
    if of_views:
        rows = split(texts[[*apart, "metric"]], always=["metric"])
        return rows, split(texts[["view"]], always=["view"])
    return split(texts[apart]), split(texts[["metric"]], always=["metric"])


def _looks(described: dict, results: pd.DataFrame) -> dict[tuple, tuple[str, dict]]:
    """Label and display style of the curve by (method, rest of the point)."""
    by_method = style.look_of(described["methods"])
    curves = list(results.groupby(["method_key", "rest"], sort=False)["method"].first().items())
    alone = results["method_key"].nunique() == 1
    looks, number = {}, {}
    for (key, rest), method in curves:
        i = number[key] = number.get(key, -1) + 1
        look = by_method[method]
        if alone and i:
            dashes = STYLES[i // len(style.COLOURS) % len(STYLES)]
            look = look | style.number_look(i) | {"linestyle": dashes}
        elif i:
            look = look | {"linestyle": STYLES[i % len(STYLES)]}
        label = rest if alone else f"{method}, {rest}"
        looks[key, rest] = label if rest else method, look
    return looks


def set_ticks(
    axes: Axes, values: Sequence, texts: Sequence[str], of_names: bool, room: float
) -> None:
    """Label the horizontal axis as far as there is room (in inches)."""
    widest = style.widest(texts, style.RC["xtick.labelsize"])
    if of_names:
        upright = len(texts) * (widest + style.LINE / 2) > room
        step = style.every_other(len(texts), int(room / style.LINE)) if upright else 1
        places = range(0, len(texts), step)
        axes.set_xticks(places, texts[::step], rotation=90 if upright else 0)
        axes.set_xlim(-0.5, max(len(texts), 1) - 0.5)
        axes.set_xticks(np.arange(len(texts) + 1) - 0.5, minor=True)  # between the names
        axes.tick_params(axis="x", which="minor", length=0)
        axes.grid(False, axis="x")
        axes.grid(True, axis="x", which="minor")
    elif len(values) > 2 and values[0] > 0 and values[-1] / values[0] >= 100:
        style.log_scale(axes, "x")
    elif len(values) > 1 and min(np.diff(values)) >= 0.08 * (values[-1] - values[0]):
        fitting = int(room / (widest + style.LINE / 2))
        axes.set_xticks(values[:: style.every_other(len(values), fitting)])


def _draw_panel(axes: Axes, part: pd.DataFrame, looks: dict, of_names: bool) -> dict[str, Artist]:
    """Draw one panel; return its lines by name."""
    curves, shown = list(part.groupby(["method_key", "rest"], sort=False)), {}
    for place, (key, curve) in enumerate(curves):
        label, look = looks[key]
        if of_names:
            curve = curve.assign(x=curve["x"] + 0.8 * ((place + 0.5) / len(curves) - 0.5))
            look = look | {"linestyle": "", "markersize": 3 if len(curves) <= FEW else 2}
        shown[label] = draw_curve(axes, curve, look, len(curves) <= FEW)
        if curve["tuning"].iloc[0] in (ORACLE, FIXED) and curve["published"].notna().any():
            hollow = look | {"linestyle": ""} | HOLLOW
            axes.plot(curve["x"], curve["published"], zorder=1, **hollow)
            shown[PUBLISHED] = Line2D([], [], color="#444444", marker="o", ls="", **HOLLOW)
    return shown


def draw_curve(axes: Axes, curve: pd.DataFrame, look: dict, with_band: bool) -> Artist:
    """Draw one curve over "x", with its intervals if wanted; return its line."""
    if curve["x"].isna().all():  # what has no such parameter is a level line
        row = curve.iloc[0]
        if not np.isnan(row["ci_low"]):
            axes.axhspan(row["ci_low"], row["ci_high"], color=look["color"], alpha=0.1, lw=0)
        return axes.axhline(row["mean"], color=look["color"], ls="--")
    curve = curve.sort_values("x", kind="stable")
    if curve["x"].duplicated().any():  # several sets of views of one size: a line through the means
        axes.plot(curve["x"], curve["mean"], **look | {"linestyle": "", "alpha": 0.35})
        means = curve.groupby("x")["mean"].mean()
        (line,) = axes.plot(means.index, means, **look)
        return line
    (line,) = axes.plot(curve["x"], curve["mean"], **look)
    if with_band and look["linestyle"]:
        band = {"color": look["color"], "alpha": 0.15, "lw": 0}
        axes.fill_between(curve["x"], curve["ci_low"], curve["ci_high"], **band)
    elif with_band:
        axes.vlines(curve["x"], curve["ci_low"], curve["ci_high"], color=look["color"], lw=0.8)
    return line


def x_label(described: dict, results: pd.DataFrame) -> str:
    """Name of the horizontal axis."""
    kind = described.get("x") or "rate"
    if kind == "views":
        return "number of views"
    if kind == "parameter":
        return ", ".join(PARAMETER_LABELS.get(axis, symbol(axis)) for axis in described["axes"])
    rate = rate_of(results.iloc[0].to_dict())
    return "rate" if rate is None else RATE_LABELS[rate[0]]


def draw_convergence(described: dict, results: pd.DataFrame, runs: pd.DataFrame) -> Figure:
    """Draw the objective of the longest run (left axis) and metrics (right axis) by iteration."""
    texts = panel_texts(described, results)
    panels = split(texts[["dataset", "views", "rate", "view", "method"]])
    below = style.legend_shape(["objective", *described["metrics"]], style.PAGE)[2] + 0.4
    beside = min(len(panels), 3)
    grid = fit_page(len(panels), style.TALLEST - below, (2.1, 1.0, 0.8), CONVERGING, beside)
    wide = style.PAGE if beside > 1 else style.COLUMN
    figure = style.new_figure(wide, grid.rows * grid.height + below)
    all_axes = figure.subplots(grid.rows, grid.beside, squeeze=False).ravel()
    lines, width = {}, 0.7 * figure.get_figwidth() / grid.beside
    for axes in all_axes[len(panels) :]:
        axes.set_visible(False)
    for i, (title, chosen) in enumerate(panels[: grid.shown]):
        axes, part = all_axes[i], results[chosen]
        axes.set_title(style.wrapped(title, width, style.RC["axes.titlesize"]))
        if part["mean"].isna().all():
            style.say(axes, no_results_text(part), width)
            continue
        objective = longest_objective(described, part.iloc[0], runs)
        lines |= converge(axes, described, part, objective, 0.7 * grid.height)
    style.add_legend(figure, lines)
    lacking = len(panels) - grid.shown
    what = [f"{lacking} of {len(panels)} panels"] if lacking else []
    style.add_note(figure, [not_drawn_text(described, what)])
    return figure


def longest_objective(described: dict, result: pd.Series, runs: pd.DataFrame) -> Sequence[float]:
    """Objective curve of the longest run of the case of a result; empty if no run has one."""
    here, keys = (result["dataset"], result["n_views"], rate_of(result.to_dict())), set()
    for case in described["cases"]:
        setting = Setting.from_record(case["setting"])
        if (case["label"], len(setting.views), rate_of(setting.columns)) == here:
            keys |= {key for p in case["points"][result["method_key"]] for key in p["keys"]}
    complete = runs[runs["key"].isin(keys) & runs["n_iter"].notna() & runs["objective"].notna()]
    if complete.empty:
        return []
    longest = complete["n_iter"].to_numpy(dtype=float).argmax()
    return complete["objective"].iloc[int(longest)]


def converge(
    left: Axes, described: dict, results: pd.DataFrame, objective: Sequence[float], height: float
) -> dict[str, Artist]:
    """Draw one panel with a height in inches; return its lines by name."""
    size = style.RC["axes.labelsize"] if height > 1 else style.SMALLEST
    lines = {}
    (axis,) = described["axes"][:1] or ["max_iter"]
    left.set_xlabel(PARAMETER_LABELS.get(axis, symbol(axis)), fontsize=size)
    if len(objective):
        (line,) = left.plot(range(1, len(objective) + 1), objective, color="#0072B2")
        lines["objective"] = line
        left.set_ylabel("objective", fontsize=size)
        if min(objective) > 0 and max(objective) > STEEP * min(objective):
            style.log_scale(left, "y")
    else:
        left.set_yticks([])
    steps = [points[0].get(axis) or 0 for points in results["points"]]
    if max(steps) >= MANY:
        style.log_scale(left, "x")
    right = left.twinx()
    right.grid(False)
    right.spines["right"].set_visible(True)
    for i, (metric, part) in enumerate(results.groupby("metric", sort=False)):
        colour, dashes = METRIC_LOOKS[i % len(METRIC_LOOKS)]
        x = pd.Series([points[0].get(axis) for points in part["points"]], index=part.index)
        (lines[metric],) = right.plot(x, part["mean"], color=colour, ls=dashes)
    label = ", ".join(dict.fromkeys(results["metric"])) + style.UNIT_SIGN.get(described["unit"], "")
    right.set_ylabel(style.wrapped(label, height, size), fontsize=size)
    right.set_ylim(0, 1 if described["unit"] == "fraction" else 100)
    return lines
