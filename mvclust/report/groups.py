"""Methods below each other, a dot for each way of tuning: for tables without a rate."""

import numpy as np
from matplotlib.lines import Line2D

from mvclust.report.style import PAGE, new_figure

# Ways of tuning differ by shade and place, from dark to light.
SHADES = {"oracle": "#0072B2", "default": "#56B4E9", "label-free": "#E69F00", "fixed": "#0072B2"}


def draw_groups(experiment, results, algorithms):
    """A row of panels for each data set and setting, a column for each metric.

    Bars are 95 % intervals over masks; hollow diamonds are the published numbers.
    """
    metrics = list(experiment["metrics"])
    unit = " (%)" if experiment["unit"] == "percent" else ""
    labels = [entry.get("label", name) for name, entry in algorithms.items()]
    methods = [label for label in labels if label in set(results["method"])]
    tunings = list(dict.fromkeys(results["tuning"]))
    rows, columns = _panels(results, metrics, unit)
    height = 0.19 * len(methods) + 0.55
    figure = new_figure(PAGE, height * len(rows) + 0.5)
    panels = figure.subplots(len(rows), len(columns), sharey=True, squeeze=False)
    for i, (row_name, row) in enumerate(rows):
        for j, (column_name, column) in enumerate(columns):
            axes, part = panels[i, j], results[row & column]
            axes.set_visible(len(part) > 0)  # a data set may have fewer views than another
            _draw_panel(axes, part, methods, tunings)
            metric = results["metric"].isin(part["metric"])
            axes.set_xlim(*_limits(results[metric], experiment["unit"]))
            if not any((results[below & column]).size for _, below in rows[i + 1 :]):
                axes.set_xlabel(column_name)
        panels[i, 0].set_title(row_name, loc="left")
        panels[i, 0].set_yticks(range(len(methods)), methods)
        panels[i, 0].set_ylim(len(methods) - 0.5, -0.5)
    handles = [Line2D([], [], color=SHADES[t], marker="o", ls="", label=t) for t in tunings]
    if results["published"].notna().any():
        handles.append(Line2D([], [], **PUBLISHED, label="published"))
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles))
    return figure


def _panels(results, metrics, unit):
    """(name, rows of the table) pairs: the rows of panels, and their columns."""
    cases = list(dict.fromkeys(zip(results["dataset"], results["setting"], strict=True)))
    by_metric = [(f"{metric}{unit}", results["metric"] == metric) for metric in metrics]
    if cases[0][1].startswith("view="):  # views stand beside each other
        columns = [
            (view.replace("=", " "), results["setting"] == view)
            for view in dict.fromkeys(results["setting"])
        ]
        rows = [
            (f"{name}, {label}", (results["dataset"] == name) & chosen)
            for name in dict.fromkeys(results["dataset"])
            for label, chosen in by_metric
        ]
        return rows, columns
    rows = [
        (
            name if setting in ("complete", "natural") else f"{name}, {setting}".replace("=", " "),
            (results["dataset"] == name) & (results["setting"] == setting),
        )
        for name, setting in cases
    ]
    return rows, by_metric


def _limits(part, unit):
    """What a score can be, or less where all are near each other."""
    full = 100.0 if unit == "percent" else 1.0
    shown = part[["ci_low", "ci_high", "mean", "published"]].to_numpy().ravel()
    shown = shown[~np.isnan(shown)]
    if not len(shown):
        return 0, full
    margin = 0.04 * full
    return shown.min() - margin, shown.max() + margin


PUBLISHED = {"color": "black", "marker": "D", "mfc": "white", "ls": "", "ms": 4, "mew": 0.8}


def _draw_panel(axes, part, methods, tunings):
    alike = part.groupby("method")["mean"].transform("nunique") <= 1  # nothing to tune
    if len(tunings) > 1:
        part = part[~alike | (part["tuning"] == tunings[0])]
    for offset, tuning in enumerate(tunings):
        shift = 0.5 * (offset - (len(tunings) - 1) / 2) / max(1, len(tunings))
        rows = part[part["tuning"] == tuning]
        lone = set(part["method"][alike])
        y = [methods.index(m) + (0 if m in lone else shift) for m in rows["method"]]
        axes.hlines(y, rows["ci_low"], rows["ci_high"], color=SHADES[tuning], lw=0.8)
        axes.plot(rows["mean"], y, "o", color=SHADES[tuning], ms=2.8)
    printed = part[part["tuning"] == tunings[0]].dropna(subset="published")
    axes.plot(printed["published"], [methods.index(m) for m in printed["method"]], **PUBLISHED)
