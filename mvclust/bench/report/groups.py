"""Methods below each other, one dot per criterion of tuning: for tables without a rate."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from mvclust.bench.report import style
from mvclust.bench.report.panels import lay_out, lowest, panel_texts, split
from mvclust.bench.report.text import no_results_text, not_drawn_text, symbols_text
from mvclust.bench.score.names import FIXED, row_names
from mvclust.bench.score.tuning import CRITERIA
from mvclust.numerics.ties import settled

# Criteria of tuning differ by colour and place; one dot serves for all if they give the same.
FIXED_COLOUR = "#0072B2"
ALL, SAME = "all the same", "#333333"
MOST = 80  # lines that fit a page
WIDEST = 2.2  # inches of the name of a line
MOST_TEXT = 3  # lines of text of such a name
NARROWEST = 0.6  # inches of a panel
GAP = 0.2  # inches between rows of panels: a title
BELOW = 0.9  # inches for the axis, the legend and the note
PUBLISHED = {"color": "black", "marker": "D", "mfc": "white", "ls": "", "ms": 4, "mew": 0.8}


def draw_groups(described: dict, results: pd.DataFrame) -> Figure:
    """Draw a row of panels for each data set and setting, a column for each metric."""
    keys, names = row_names(results)
    for key, points in dict(zip(keys, results["points"], strict=True)).items():
        names[key] = names[key].removesuffix(key[1]) + (symbols_text(points) if key[1] else "")
    keys = pd.Series(keys, index=results.index)
    order = {method["key"]: place for place, method in enumerate(described["methods"])}
    lines = sorted(names, key=lambda key: order[key[0]])  # stable: points stay in their order
    left_out = [f"{len(lines) - MOST} of {len(lines)} lines"] if len(lines) > MOST else []
    lines = lines[:MOST]
    results = results.assign(line=keys.map({key: place for place, key in enumerate(lines)}))
    results = results[results["line"].notna()]
    tunings = list(dict.fromkeys(results["tuning"]))
    labels = [style.wrapped(names[key], WIDEST, style.SMALLEST, MOST_TEXT) for key in lines]
    widest = style.widest(labels, style.RC["ytick.labelsize"])
    tall = max(label.count("\n") + 1 for label in labels) * style.LINE
    heights = [GAP + each * len(lines) for each in (max(0.19, tall), 1.35 * tall, tall)]
    least = NARROWEST * style.PAGE / (style.PAGE - widest)  # names of lines take their share
    layout = lay_out(described, results, _panels, heights, least, style.TALLEST - BELOW)
    grid, across, shown = layout.grid, layout.grid.beside * len(layout.columns), set()
    figure = style.new_figure(style.PAGE, grid.rows * grid.height + BELOW)
    panels = figure.subplots(grid.rows, across, sharey=True, squeeze=False)
    room = (style.PAGE - widest) / grid.beside - 0.1
    size = style.size_for((grid.height - GAP) / len(lines) * style.LINE / tall)
    small = panels.shape[1] > 3
    for first, axes, (row_name, row), (column_name, column), part in layout.placed(panels):
        axes.tick_params(axis="x", labelbottom=False, labelsize=style.SMALLEST if small else 7)
        axes.tick_params(axis="y", labelsize=size)
        shown |= _draw_panel(axes, part, tunings)
        axes.set_xlim(*_limits(layout.results[column], described["unit"]))
        axes.set_xlabel(column_name)
        axes.xaxis.label.set_visible(False)
        if axes is first:
            here = layout.results[row]
            note = "" if here["mean"].notna().any() else f" ({no_results_text(here).rstrip('.')})"
            axes.set_title(style.wrapped(row_name + note, room, size, 2), loc="left", fontsize=size)
    for axes in lowest(panels):
        axes.tick_params(axis="x", labelbottom=True)
        axes.xaxis.label.set_visible(True)
    panels[0, 0].set_yticks(range(len(lines)), labels)
    panels[0, 0].set_ylim(len(lines) - 0.5, -0.5)
    looks = {tuning: _colour_of(tuning) for tuning in tunings} | {ALL: SAME}
    handles = {
        name: Line2D([], [], color=colour, marker="o", ls="")
        for name, colour in looks.items()
        if name in shown
    }
    if layout.results["published"].notna().any():
        handles["published"] = Line2D([], [], **PUBLISHED)
    style.add_legend(figure, handles)
    style.add_note(figure, [not_drawn_text(described, left_out + layout.left_out)])
    return figure


def _colour_of(tuning: str) -> str:
    return FIXED_COLOUR if tuning == FIXED else CRITERIA[tuning].colour


def _panels(described: dict, results: pd.DataFrame) -> tuple[list[tuple], list[tuple]]:
    """Rows and columns of panels, as pairs (title, rows of the table)."""
    texts = panel_texts(described, results)
    place = ["dataset", "views", "rate"]
    always = ["dataset", "rate", "metric"]
    if texts["view"].ne("").any():  # views are beside each other
        return split(texts[[*place, "metric"]], always), split(texts[["view"]], ["view"])
    return split(texts[place], always), split(texts[["metric"]], always)


def _limits(part: pd.DataFrame, unit: str) -> tuple[float, float]:
    """Limits of an axis: those of the displayed numbers, with a margin."""
    full = 100.0 if unit == "percent" else 1.0
    shown = part[["ci_low", "ci_high", "mean", "published"]].to_numpy().ravel()
    shown = shown[~np.isnan(shown)]
    if not len(shown):
        return 0, full
    margin = 0.04 * full
    return shown.min() - margin, shown.max() + margin


def _draw_panel(axes: Axes, part: pd.DataFrame, tunings: list[str]) -> set[str]:
    """Draw one panel; return the names that the legend needs."""
    by_line = part.assign(mean=settled(part["mean"])).groupby("line")["mean"]
    alike = (by_line.transform("nunique") <= 1) & (len(tunings) > 1)  # nothing to tune
    layers = [(ALL, SAME, 0.0, part[alike & (part["tuning"] == tunings[0])])]
    for offset, tuning in enumerate(tunings):
        shift = 0.6 * (offset - (len(tunings) - 1) / 2) / len(tunings)
        rows = part[~alike & (part["tuning"] == tuning)]
        layers.append((tuning, _colour_of(tuning), shift, rows))
    shown = set()
    for name, colour, shift, rows in layers:
        axes.hlines(rows["line"] + shift, rows["ci_low"], rows["ci_high"], color=colour, lw=0.8)
        axes.plot(rows["mean"], rows["line"] + shift, "o", color=colour, ms=2.8)
        if rows["mean"].notna().any():
            shown.add(name)
    printed = part[part["tuning"] == tunings[0]].dropna(subset="published")
    axes.plot(printed["published"], printed["line"], **PUBLISHED)
    return shown
