"""Curves against a rate, the number of views or a parameter, and against the iteration."""

import numpy as np
import pandas as pd

from mvclust.pipeline.plan.settings import Setting
from mvclust.pipeline.score.names import FIXED, params_text, rate_of, value_text
from mvclust.pipeline.score.tuning import ORACLE
from mvclust.report.panels import in_order, is_number, panel_texts, split
from mvclust.report.style import (
    COLOURS,
    COLUMN,
    PAGE,
    UNIT_SIGN,
    log_scale,
    look_of,
    new_figure,
)
from mvclust.report.text import no_results_text

FEW = 5  # curves; the bands of more would hide each other
STYLES = ["-", "--", ":", "-."]  # of the curves of one method
RATE_LABELS = {
    "missing_rate": "share of missing instances in each view",
    "incomplete_rate": "share of incomplete samples",
    "paired_rate": "share of paired samples",
    "mapped_rate": "share of mapped samples",
}
PARAMETER_LABELS = {"constraints": "share of the pairs constrained", "max_iter": "iteration"}
# What panels differ in, for every kind of horizontal axis.
PANELS_OF = {
    "rate": ["dataset", "views"],
    "views": ["rate"],  # data sets differ by their views
    "parameter": ["dataset", "views", "rate"],
}
METRIC_LOOKS = [("#D55E00", "--"), ("#009E73", ":"), ("#CC79A7", "-."), ("#E69F00", "--")]
METRIC_LOOKS += [("#000000", ":"), ("#56B4E9", "-.")]


def curve_points(described, results):
    """Place every result on the horizontal axis.

    Parameters
    ----------
    described : dict
        Its "x" is "rate", "views" or "parameter".
    results : DataFrame

    Returns
    -------
    x : list
        Rate, number of views or the varied parameter's value; None for a method without it.
    rest : list of str
        The other values of a sweep's point, as text: each makes a curve of its own.
    """
    kind = described.get("x") or "rate"
    axes = described.get("axes") or []
    x, rest = [], []
    for row in results.to_dict("records"):
        point = dict(row["points"][0]) if row["tuning"] == FIXED else {}
        if kind == "parameter":
            axis = next((axis for axis in axes if axis in point), None)
            x.append(point.pop(axis, None))
        elif kind == "views":
            x.append(int(row["n_views"]))
        else:
            rate = rate_of(row)
            x.append(0.0 if rate is None else rate[1])
        rest.append(params_text([point]))
    return x, rest


def draw_curves(described, results):
    """A row of panels for each data set and metric; bands (of few curves) are 95 % intervals.

    The columns are the ways of tuning, or else the views, or else the metrics. Published numbers
    are hollow markers in the column of the oracle tuning, which is theirs. Data sets without a
    number have no panel; the note above the figure names them.

    Parameters
    ----------
    described : dict
    results : DataFrame

    Returns
    -------
    Figure
    """
    has_number = results[["mean", "published"]].notna().any(axis=1)
    results = results[has_number.groupby(results["dataset"]).transform("any")]
    x, rest = curve_points(described, results)
    ticks = in_order(value for value in x if value is not None)
    numbers = all(map(is_number, ticks))
    results = results.assign(
        x=[np.nan if v is None else v if numbers else ticks.index(v) for v in x], rest=rest
    )
    rows, columns, same_unit = _panels(described, results)
    looks = _looks(described, results)
    width = PAGE if len(columns) > 1 else COLUMN + 0.6
    figure = new_figure(width, 1.75 * len(rows) + 0.8)
    share = "row" if same_unit else False
    panels = figure.subplots(len(rows), len(columns), sharex=True, sharey=share, squeeze=False)
    shown = {}
    for i, (row_name, row) in enumerate(rows):
        for j, (column_name, column) in enumerate(columns):
            axes, part = panels[i, j], results[row & column]
            axes.set_visible(len(part) > 0)  # a data set may have fewer views than another
            curves = list(part.groupby(["method_key", "rest"], sort=False))
            for key, curve in curves:
                label, look = looks[key]
                shown[label] = _curve(axes, curve, look, len(curves) <= FEW)
            if i == 0 and column_name:
                axes.set_title(column_name)
            if j == 0:
                axes.set_ylabel(row_name)
            _set_ticks(axes, ticks, numbers)
    panels[-1, len(columns) // 2].set_xlabel(_x_label(described, results))
    if len(shown) > 1:
        columns = 5 if width == PAGE else 2
        figure.legend(shown.values(), shown.keys(), loc="outside lower center", ncols=columns)
    return figure


def _panels(described, results):
    """(title, rows of the table) pairs for rows and columns; whether columns share their unit."""
    texts = panel_texts(described, results)
    kind = described.get("x") or "rate"
    apart = PANELS_OF[kind]
    if texts["tuning"].nunique() > 1:
        rows = split(texts[[*apart, "view", "metric"]], always=["metric"])
        return rows, split(texts[["tuning"]]), True
    if texts["view"].ne("").any():
        rows = split(texts[[*apart, "metric"]], always=["metric"])
        return rows, split(texts[["view"]], always=["view"]), True
    if texts["metric"].nunique() == 1:  # it names the axis
        everything = pd.Series(True, index=results.index)
        rows = split(texts[[*apart, "metric"]], always=["metric"])
        return rows, [("", everything)], False
    return split(texts[apart]), split(texts[["metric"]], always=["metric"]), False


def _looks(described, results):
    """(method, rest of the point) -> label and look of the curve."""
    by_method = look_of(described["methods"])
    curves = list(results.groupby(["method_key", "rest"], sort=False)["method"].first().items())
    alone = results["method_key"].nunique() == 1
    looks, number = {}, {}
    for (key, rest), method in curves:
        i = number[key] = number.get(key, -1) + 1
        look = by_method[method]
        if alone and i:
            look = look | {"color": COLOURS[i % len(COLOURS)]}
        elif i:
            look = look | {"linestyle": STYLES[i % len(STYLES)]}
        looks[key, rest] = f"{method}, {rest}" if rest else method, look
    return looks


def _set_ticks(axes, values, numbers):
    if not numbers:
        axes.set_xticks(range(len(values)), [value_text(value) for value in values])
    elif len(values) > 2 and values[0] > 0 and values[-1] / values[0] >= 100:
        log_scale(axes, "x")
    elif len(values) > 1 and min(np.diff(values)) >= 0.08 * (values[-1] - values[0]):
        axes.set_xticks(values)


def _curve(axes, curve, look, with_band):
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
    if with_band:
        band = {"color": look["color"], "alpha": 0.15, "lw": 0}
        axes.fill_between(curve["x"], curve["ci_low"], curve["ci_high"], **band)
    if curve["tuning"].iloc[0] in (ORACLE, FIXED) and curve["published"].notna().any():
        hollow = look | {"linestyle": ""}
        axes.plot(curve["x"], curve["published"], mfc="white", mew=0.7, zorder=1, **hollow)
    return line


def _x_label(described, results):
    kind = described.get("x") or "rate"
    if kind == "views":
        return "number of views"
    if kind == "parameter":
        return ", ".join(PARAMETER_LABELS.get(axis, axis) for axis in described["axes"])
    rate = rate_of(results.iloc[0].to_dict())
    return "rate" if rate is None else RATE_LABELS[rate[0]]


def draw_convergence(described, results, runs):
    """Objective (left axis) and metrics (right axis) against the iteration.

    Parameters
    ----------
    described : dict
    results : DataFrame
    runs : DataFrame
        The experiment's runs. The objective is that of the longest run.

    Returns
    -------
    Figure
    """
    texts = panel_texts(described, results).assign(method=results["method"])
    panels = split(texts[["dataset", "views", "rate", "view", "method"]])
    columns = min(len(panels), 3)
    rows = -(-len(panels) // columns)
    figure = new_figure(COLUMN if len(panels) == 1 else PAGE, 2.4 * rows)
    all_axes = figure.subplots(rows, columns, squeeze=False).ravel()
    lines = {}
    for axes, (title, chosen) in zip(all_axes, panels, strict=False):
        part = results[chosen]
        axes.set_title(title)
        if part["mean"].isna().all():
            axes.text(0.5, 0.5, no_results_text(part), ha="center", transform=axes.transAxes)
            continue
        lines |= _converge(axes, described, part, longest_objective(described, part.iloc[0], runs))
    for axes in all_axes[len(panels) :]:
        axes.set_visible(False)
    figure.legend(lines.values(), lines.keys(), loc="outside lower center", ncols=len(lines))
    return figure


def longest_objective(described, result, runs):
    """The objective curve of the longest run of a case; empty if no run has one.

    Parameters
    ----------
    described : dict
    result : Series
        A row of the results table, of that case.
    runs : DataFrame

    Returns
    -------
    sequence of float
    """
    keys = {
        key
        for case in described["cases"]
        if _is_case(case, result)
        for point in case["points"][result["method_key"]]
        for key in point["keys"]
    }
    complete = runs[runs["key"].isin(keys) & runs["n_iter"].notna() & runs["objective"].notna()]
    if complete.empty:
        return []
    longest = complete["n_iter"].to_numpy(dtype=float).argmax()
    return complete["objective"].iloc[int(longest)]


def _is_case(case, result):
    """Whether a result belongs to a case of the experiment."""
    setting = Setting.from_record(case["setting"])
    place = case["label"], len(setting.views), rate_of(setting.columns)
    return place == (result["dataset"], result["n_views"], rate_of(result.to_dict()))


def _converge(left, described, results, objective):
    """Draw one panel; the lines by name."""
    lines = {}
    (axis,) = described["axes"][:1] or ["max_iter"]
    left.set_xlabel(PARAMETER_LABELS.get(axis, axis))
    if len(objective):
        (line,) = left.plot(range(1, len(objective) + 1), objective, color="#0072B2")
        lines["objective"] = line
        left.set_ylabel("objective")
    else:
        left.set_yticks([])
    right = left.twinx()
    right.grid(False)
    right.spines["right"].set_visible(True)
    for i, (metric, part) in enumerate(results.groupby("metric", sort=False)):
        colour, style = METRIC_LOOKS[i % len(METRIC_LOOKS)]
        x = pd.Series([points[0].get(axis) for points in part["points"]], index=part.index)
        (lines[metric],) = right.plot(x, part["mean"], color=colour, ls=style)
    right.set_ylabel(", ".join(described["metrics"]) + UNIT_SIGN.get(described["unit"], ""))
    right.set_ylim(0, 1 if described["unit"] == "fraction" else 100)
    return lines
