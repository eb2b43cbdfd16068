"""What the methods cost: CPU seconds and memory of a fit, beside the accuracy."""

from collections.abc import Collection
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from mvclust.bench.report import style, writing
from mvclust.bench.score.cost import cost_table, pareto_front, seconds_table
from mvclust.bench.score.runs import read_runs

NOTHING = "No run was fitted to the end."
SHOWN = {
    "cpu_seconds": "CPU seconds\nof a fit",
    "peak_mb": "peak memory of\nthe process (MB)",
    "acc": "ACC, best\nparameters (%)",
}
ROW, AROUND = 0.14, 1.1  # inches of a method, and beside all


def make_cost(used: dict) -> None:
    """Make the table and the figure of costs from the table of runs."""
    (path,) = used["inputs"]["runs"]
    write_cost(read_runs(path), used["methods"], used["controls"], writing.results_folder(used))


def write_cost(
    runs: pd.DataFrame, methods: list[dict], controls: Collection[str], folder: Path | str
) -> None:
    """Write cost as tables and a figure; `controls` are labels of methods without the views."""
    table = cost_table(runs, methods)
    caption, by_data, *_ = writing.TITLES["cost"]
    rounded, largest, seconds = table, table, pd.DataFrame(columns=["method"])
    if table.empty:
        caption += f". {NOTHING}"
    else:
        rounded = table.round({"cpu_seconds": 3, "peak_mb": 0, "acc": 1})
        largest = rounded.loc[rounded.groupby("method", sort=False)["n_samples"].idxmax()]
        seconds = seconds_table(table).round(3).reset_index()
    parts = [f"# {caption}", rounded, f"## {by_data}", seconds]
    latex = [(largest, f"{caption}; the largest data of each method"), (seconds, by_data)]
    writing.write_product(folder, "cost", table, parts, latex, digits=4)
    style.write_figure(folder, "cost", draw_cost, table, controls)


def draw_cost(table: pd.DataFrame, controls: Collection[str] = ()) -> Figure:
    """Draw seconds, memory and accuracy (see `cost_table`), a line per method, fastest on top."""
    if table.empty:
        return style.draw_nothing(NOTHING)
    by_method = table.groupby("method")
    common = table.dropna(subset="acc").groupby("method").first()
    order = by_method["cpu_seconds"].median().to_frame("all").join(common["cpu_seconds"])
    order = order.sort_values(["cpu_seconds", "all"]).index
    lines, drawn = range(len(order)), common.reindex(order)
    compared = common.drop(controls, errors="ignore")
    front = pareto_front(compared["cpu_seconds"].to_numpy(), compared["acc"].to_numpy())
    edge = np.where(order.isin(list(controls)), "#999999", "black")
    inside = np.where(order.isin(compared.index[front]), edge, "white")
    each = min(ROW, (style.TALLEST - AROUND) / len(order))
    figure = style.new_figure(style.PAGE, AROUND + each * len(order))
    panels = figure.subplots(1, 3, sharey=True, width_ratios=(2, 1, 1))
    for axes, (value, name) in zip(panels, SHOWN.items(), strict=True):
        span = by_method[value].agg(["min", "max", "median"]).loc[order]
        axes.hlines(lines, span["min"], span["max"], color="#bbbbbb", lw=1.5, capstyle="round")
        axes.scatter(span["median"], lines, s=20, c="#bbbbbb", marker="|")
        axes.scatter(drawn[value], lines, s=13, c=inside, edgecolors=edge, lw=0.8, zorder=2)
        axes.set_xlabel(name)
        axes.tick_params(axis="y", length=0)
    style.log_scale(panels[0], "x")
    panels[0].set_yticks(lines, order, fontsize=style.size_for(each))
    panels[0].set_ylim(len(order) - 0.5, -0.5)
    note = "Lines: from the least to the most on all data, with the median."
    if len(common):
        data = common.iloc[0]
        on = f"{data['dataset']}, {data['n_samples']} samples, which most methods share"
        note = f"Dots: {on}; filled where no other method is both faster and better. {note}"
    if any(name in order for name in controls):
        note += " Grey: controls, which get something in place of the views."
    style.add_note(figure, [note])
    return figure
