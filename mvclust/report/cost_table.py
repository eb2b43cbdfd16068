"""What the methods cost: CPU seconds and memory against the size of the data, and accuracy."""

from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.ticker import FixedLocator, LogLocator, NullFormatter, NullLocator, ScalarFormatter

from mvclust.pipeline.score.cost import cost_table, largest_only, pareto_front, seconds_table
from mvclust.report.style import (
    PAGE,
    RC,
    TALLEST,
    add_legend,
    draw_nothing,
    legend_shape,
    log_scale,
    look_of,
    new_figure,
    save_figure,
)
from mvclust.report.writing import csv_text, markdown_table, to_simple_latex, write_texts

NOTHING = "No run was fitted to the end."
SECONDS = "CPU seconds of a fit on one thread by data set and number of samples: the median"
MOST_TICKS = 5  # sizes of data that an axis names


def write_cost(runs, methods, folder):
    """Write cost as tables and a figure under a results folder.

    Parameters
    ----------
    runs : DataFrame
        The table of runs.
    methods : list of dict
        The catalogue, with "key", "label", "reference" and "place".
    folder : path
    """
    folder, table = Path(folder), cost_table(runs, methods)
    caption = "Cost of a fit: median CPU seconds on one thread and peak memory of the process"
    rounded, seconds = table, pd.DataFrame(columns=["method"])
    if table.empty:
        caption += f". {NOTHING}"
    else:
        rounded = table.round({"cpu_seconds": 3, "peak_mb": 0, "acc": 1})
        seconds = seconds_table(table).round(3).reset_index()
    largest = to_simple_latex(largest_only(rounded), f"{caption}; the largest data of each method")
    texts = {
        "csv": csv_text(table, digits=4),
        "md": f"# {caption}\n\n{markdown_table(rounded)}\n\n## {SECONDS}\n\n"
        f"{markdown_table(seconds)}\n",
        "tex": f"{largest}\n{to_simple_latex(seconds, SECONDS)}",
    }
    write_texts(folder / "tables" / "cost", texts)
    (folder / "figures").mkdir(parents=True, exist_ok=True)
    with mpl.rc_context(RC):
        figure = draw_nothing(NOTHING) if table.empty else draw_cost(table, methods)
        save_figure(figure, folder / "figures" / "cost", "mvclust cost")


def draw_cost(table, methods):
    """CPU seconds and memory against n; accuracy against time on the data most methods have.

    Parameters
    ----------
    table : DataFrame
        As `mvclust.pipeline.score.cost.cost_table` makes it.
    methods : list of dict

    Returns
    -------
    Figure
    """
    looks = look_of(methods)
    below = legend_shape(list(table["method"].unique()), PAGE)[2]
    figure = new_figure(PAGE, min(TALLEST, 2.8 + below))
    left, middle, right = figure.subplots(1, 3)
    handles = {}
    for method, part in table.groupby("method", sort=False):
        by_size = part.groupby("n_samples")[["cpu_seconds", "peak_mb"]].median()
        look = looks[method] | {"linewidth": 0.7, "markersize": 2.5}
        handles[method] = left.plot(by_size["cpu_seconds"], **look)[0]
        middle.plot(by_size["peak_mb"], **look)
    left.set_ylabel("CPU seconds of a fit")
    middle.set_ylabel("peak memory of the process (MB)")
    log_scale(left, "y")
    for axes in (left, middle):
        axes.set_xlabel("samples")
        log_scale(axes, "x")
        axes.xaxis.set_major_locator(FixedLocator(_some_sizes(table["n_samples"])))
        axes.xaxis.set_major_formatter(ScalarFormatter())
        axes.xaxis.set_minor_locator(NullLocator())
    common = table.dropna(subset="acc")
    for row in common.itertuples():
        look = looks[row.method] | {"linestyle": ""}
        right.plot([row.cpu_seconds], [row.acc], **look)
    front = pareto_front(common["cpu_seconds"].to_numpy(), common["acc"].to_numpy())
    best = common.iloc[front]
    right.plot(best["cpu_seconds"], best["acc"], color="black", lw=0.7, zorder=0)
    log_scale(right, "x")
    decades = np.ptp(np.log10(common["cpu_seconds"])) if len(common) else 0.0
    right.xaxis.set_major_locator(LogLocator(subs=(1, 3) if decades < 2 else (1,)))
    right.xaxis.set_major_formatter(lambda x, _: f"{x:g}")
    right.xaxis.set_minor_formatter(NullFormatter())
    right.set_xlabel("CPU seconds of a fit")
    right.set_ylabel("ACC of the best parameters (%)")
    if len(common):
        data = common.iloc[0]
        right.set_title(f"{data['dataset']}, {data['n_samples']} samples", fontsize=7)
    add_legend(figure, handles)
    return figure


def _some_sizes(sizes):
    """The largest size and some below, about evenly on a logarithmic axis; labels do not touch."""
    sizes = np.unique(np.asarray(sizes, dtype=float))
    wanted = np.geomspace(sizes[0], sizes[-1], MOST_TICKS)
    sizes = np.unique(sizes[np.abs(np.log(sizes[:, None] / wanted)).argmin(axis=0)])
    room = np.log(sizes[-1] / sizes[0]) / (2 * MOST_TICKS)
    return sizes[np.diff(np.log(sizes), append=np.inf) >= room]
