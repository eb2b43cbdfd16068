"""Methods below each other, one dot per criterion of tuning: for tables without a rate."""

import numpy as np
import pandas as pd
from matplotlib.lines import Line2D

from mvclust.numerics.ties import settled
from mvclust.pipeline.score.names import FIXED, row_names
from mvclust.pipeline.score.tuning import CRITERIA
from mvclust.report.panels import panel_texts, split
from mvclust.report.style import PAGE, new_figure
from mvclust.report.text import no_results_text

# Criteria of tuning differ by colour and place; one dot serves for all if they give the same.
FIXED_COLOUR = "#0072B2"
ALL, SAME = "all the same", "#333333"
PUBLISHED = {"color": "black", "marker": "D", "mfc": "white", "ls": "", "ms": 4, "mew": 0.8}


def draw_groups(described, results):
    """A row of panels for each data set and setting, a column for each metric.

    Bars are 95 % intervals over masks; hollow diamonds are the published numbers. The dots of the
    ways of tuning are below each other, so that equal ones do not hide each other.

    Parameters
    ----------
    described : dict
    results : DataFrame

    Returns
    -------
    Figure
    """
    keys, names = row_names(results)
    keys = pd.Series(keys, index=results.index)
    order = {method["key"]: place for place, method in enumerate(described["methods"])}
    lines = sorted(names, key=lambda key: order[key[0]])  # stable: points stay in their order
    results = results.assign(line=keys.map({key: place for place, key in enumerate(lines)}))
    tunings = list(dict.fromkeys(results["tuning"]))
    rows, columns = _panels(described, results)
    shown = set()
    height = 0.19 * len(lines) + 0.55
    figure = new_figure(PAGE, height * len(rows) + 0.5)
    panels = figure.subplots(len(rows), len(columns), sharey=True, squeeze=False)
    for i, (row_name, row) in enumerate(rows):
        for j, (column_name, column) in enumerate(columns):
            axes, part = panels[i, j], results[row & column]
            axes.set_visible(len(part) > 0)  # a data set may have fewer views than another
            shown |= _draw_panel(axes, part, tunings)
            metric = results["metric"].isin(part["metric"])
            axes.set_xlim(*_limits(results[metric], described["unit"]))
            if not any((below & column).any() for _, below in rows[i + 1 :]):
                axes.set_xlabel(column_name)
        here = results[row]
        note = "" if here["mean"].notna().any() else f" ({no_results_text(here).rstrip('.')})"
        panels[i, 0].set_title(row_name + note, loc="left")
        panels[i, 0].set_yticks(range(len(lines)), [names[key] for key in lines])
        panels[i, 0].set_ylim(len(lines) - 0.5, -0.5)
    looks = {tuning: _colour_of(tuning) for tuning in tunings} | {ALL: SAME}
    handles = [
        Line2D([], [], color=colour, marker="o", ls="", label=name)
        for name, colour in looks.items()
        if name in shown
    ]
    if results["published"].notna().any():
        handles.append(Line2D([], [], **PUBLISHED, label="published"))
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles))
    return figure


def _colour_of(tuning):
    return FIXED_COLOUR if tuning == FIXED else CRITERIA[tuning].colour


def _panels(described, results):
    """(title, rows of the table) pairs: the rows of panels, and their columns."""
    texts = panel_texts(described, results)
    place = ["dataset", "views", "rate"]
    always = ["dataset", "rate", "metric"]
    if texts["view"].ne("").any():  # views are beside each other
        return split(texts[[*place, "metric"]], always), split(texts[["view"]], ["view"])
    return split(texts[place], always), split(texts[["metric"]], always)


def _limits(part, unit):
    """The limits of an axis: those of the numbers shown, with a margin."""
    full = 100.0 if unit == "percent" else 1.0
    shown = part[["ci_low", "ci_high", "mean", "published"]].to_numpy().ravel()
    shown = shown[~np.isnan(shown)]
    if not len(shown):
        return 0, full
    margin = 0.04 * full
    return shown.min() - margin, shown.max() + margin


def _draw_panel(axes, part, tunings):
    """Draw one panel; the names of the legend that it used."""
    by_line = part.assign(mean=settled(part["mean"])).groupby("line")["mean"]
    alike = by_line.transform("nunique") <= 1  # nothing to tune
    alike &= len(tunings) > 1
    layers = [(ALL, SAME, 0.0, part[alike & (part["tuning"] == tunings[0])])]
    for offset, tuning in enumerate(tunings):
        shift = 0.6 * (offset - (len(tunings) - 1) / 2) / len(tunings)
        layers.append(
            (tuning, _colour_of(tuning), shift, part[~alike & (part["tuning"] == tuning)])
        )
    shown = set()
    for name, colour, shift, rows in layers:
        axes.hlines(rows["line"] + shift, rows["ci_low"], rows["ci_high"], color=colour, lw=0.8)
        axes.plot(rows["mean"], rows["line"] + shift, "o", color=colour, ms=2.8)
        if rows["mean"].notna().any():
            shown.add(name)
    printed = part[part["tuning"] == tunings[0]].dropna(subset="published")
    axes.plot(printed["published"], printed["line"], **PUBLISHED)
    return shown
