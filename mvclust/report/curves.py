"""Curves against a rate, the number of views or a parameter, and against the iteration."""

import json

import numpy as np

from mvclust.report.style import COLUMN, PAGE, look_of, new_figure

FEW = 5  # methods; the bands of more would hide each other


def draw_curves(experiment, results, algorithms):
    """A row of panels for each data set and metric; bands (of few methods) are 95 % intervals.

    The columns are the ways of tuning, or else the views, or else the metrics. Published numbers
    are hollow markers in the column of the oracle tuning, which is theirs.
    """
    rows, columns = _panels(experiment, results)
    looks = look_of(algorithms)
    width = PAGE if len(columns) > 1 else COLUMN + 0.6
    figure = new_figure(width, 1.75 * len(rows) + 0.8)
    panels = figure.subplots(len(rows), len(columns), sharex=True, squeeze=False)
    shown = {}
    for i, (row_name, row) in enumerate(rows):
        for j, (column_name, column) in enumerate(columns):
            axes = panels[i, j]
            part = results[row & column]
            for method, curve in part.groupby("method", sort=False):
                band = part["method"].nunique() <= FEW
                shown[method] = _curve(axes, curve, looks[method], set(part["x"]), band)
            if i == 0 and column_name:
                axes.set_title(column_name)
            if j == 0:
                axes.set_ylabel(row_name)
            elif _same_unit(columns):
                axes.sharey(panels[i, 0])
            _set_ticks(axes, sorted(set(results["x"])))
    panels[-1, len(columns) // 2].set_xlabel(_x_label(experiment))
    if len(shown) > 1:
        columns = 5 if width == PAGE else 2
        figure.legend(shown.values(), shown.keys(), loc="outside lower center", ncols=columns)
    return figure


def _panels(experiment, results):
    """(name, rows of the table) pairs: the rows of panels, and their columns."""
    unit = " (%)" if experiment["unit"] == "percent" else ""
    metrics = list(experiment["metrics"])
    data = list(dict.fromkeys(results["dataset"])) if experiment.get("x") != "views" else [None]
    tunings = list(dict.fromkeys(results["tuning"]))
    settings = list(dict.fromkeys(results["setting"]))
    everything = results["metric"].notna()

    def of_data(name):
        return everything if name is None else results["dataset"] == name

    by_metric = [(f"{m}{unit}", results["metric"] == m) for m in metrics]
    if len(tunings) > 1:
        columns = [(f"tuning: {t}", results["tuning"] == t) for t in tunings]
    elif settings[0].startswith("view="):
        columns = [(s.replace("=", " "), results["setting"] == s) for s in settings]
    else:
        prefix = [f"{name}: " if len(data) > 1 else "" for name in data]
        rows = [(p.rstrip(": "), of_data(name)) for p, name in zip(prefix, data, strict=True)]
        if len(data) == 1:
            rows = [(f"score{unit}", everything)]
        return rows, by_metric
    rows = [
        (f"{name}: {label}" if len(data) > 1 else label, of_data(name) & chosen)
        for name in data
        for label, chosen in by_metric
    ]
    return rows, columns


def _same_unit(columns):
    return columns[0][0].startswith(("tuning", "view"))


def _set_ticks(axes, values):
    if len(values) > 2 and values[0] > 0 and values[-1] / values[0] >= 100:
        axes.set_xscale("log")
    elif len(values) > 1 and min(np.diff(values)) >= 0.08 * (values[-1] - values[0]):
        axes.set_xticks(values)


def _curve(axes, curve, look, all_x, with_band):
    if len(curve) == 1 < len(all_x):  # what has no such parameter is a level line
        (row,) = curve.itertuples()
        if not np.isnan(row.ci_low):
            axes.axhspan(row.ci_low, row.ci_high, color=look["color"], alpha=0.1, lw=0)
        return axes.axhline(row.mean, color=look["color"], ls="--")
    (line,) = axes.plot(curve["x"], curve["mean"], **look)
    if with_band:
        band = {"color": look["color"], "alpha": 0.15, "lw": 0}
        axes.fill_between(curve["x"], curve["ci_low"], curve["ci_high"], **band)
    if curve["tuning"].iloc[0] in ("oracle", "fixed") and curve["published"].notna().any():
        axes.plot(
            curve["x"],
            curve["published"],
            mfc="white",
            lw=0.9,
            zorder=1,
            **look | {"linestyle": ":"},
        )
    return line


def _x_label(experiment):
    x = experiment.get("x", "rate")
    if x == "views":
        return "number of views"
    if x == "parameter":
        axes = {axis for grid in experiment["grids"].values() for axis in grid}
        return {"constraints": "share of the pairs constrained"}.get(*axes, *axes)
    if experiment["protocol"] == "paired":
        return "share of paired samples"
    return "share of missing instances in each view"


def draw_convergence(experiment, results, runs_of):
    """Objective (left axis) and metrics (right axis) against the iteration; a panel a data set.

    runs_of gives the table of runs for each label of a data set.
    """
    labels = list(dict.fromkeys(results["dataset"]))
    figure = new_figure(COLUMN if len(labels) == 1 else PAGE, 2.4)
    panels = figure.subplots(1, len(labels), squeeze=False)[0]
    for axes, label in zip(panels, labels, strict=True):
        part = results[results["dataset"] == label]
        if part["mean"].isna().all():
            axes.text(0.5, 0.5, part["note"].iloc[0], ha="center", transform=axes.transAxes)
            continue
        lines = _converge(axes, experiment, part, runs_of[label])
        if len(labels) > 1:
            axes.set_title(label)
    figure.legend(lines.values(), lines.keys(), loc="outside upper center", ncols=3)
    return figure


def _converge(left, experiment, results, runs):
    longest = runs.loc[runs["n_iter"].idxmax()]
    objective = longest["objective"]
    (line,) = left.plot(range(1, len(objective) + 1), objective, color="#0072B2")
    left.set_xlabel("iteration")
    left.set_ylabel("objective")
    right = left.twinx()
    right.grid(False)
    right.spines["right"].set_visible(True)
    lines = {"objective": line}
    for (metric, part), look in zip(
        results.groupby("metric", sort=False), (("#D55E00", "--"), ("#009E73", ":")), strict=False
    ):
        iterations = [json.loads(_as_json(p))["max_iter"] for p in part["params"]]
        (lines[metric],) = right.plot(iterations, part["mean"], color=look[0], ls=look[1])
    unit = " (%)" if experiment["unit"] == "percent" else ""
    right.set_ylabel(" and ".join(experiment["metrics"]) + unit)
    right.set_ylim(0, 1 if experiment["unit"] == "fraction" else 100)
    return lines


def _as_json(params):
    """ "a=1, b=2" as a JSON object."""
    return json.dumps({k: float(v) for k, v in (part.split("=") for part in params.split(", "))})
