"""The table and the figure of the partitions that mPAC finds, in views and of all."""

from collections.abc import Sequence
from pathlib import Path

import matplotlib as mpl
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from mvclust.bench.config.messages import UNAVAILABLE
from mvclust.bench.report import style, writing
from mvclust.bench.report.panels import fit_page
from mvclust.bench.score.partitions import partition_coordinates
from mvclust.datasets.files import DataNotAvailable
from mvclust.datasets.record import read_dataset

NOTHING = f"No results: {UNAVAILABLE}."


def make_partitions(used: dict) -> None:
    """Make the coordinates and the figure of the partitions of a data set."""
    (data,) = used["inputs"]["data"]
    write_partitions(
        used["title"],
        used["caption"],
        data,
        writing.results_folder(used),
        used["id"],
        used["views"],
    )


def write_partitions(
    title: str,
    caption: str,
    dataset_file: Path | str,
    folder: Path | str,
    name: str,
    views: Sequence[str] = (),
) -> None:
    """Write the coordinates and the figure of an experiment, `name`, that renders partitions.

    `views` are those that the figure has, by default all.
    """
    try:
        data = read_dataset(Path(dataset_file))
        table = partition_coordinates(data)
        source = data.source
        scope = f"{data.name}: n = {data.n_samples}; default parameters, one start."
    except DataNotAvailable:
        table, source = pd.DataFrame(columns=["partition", "sample", "class", "x", "y"]), ""
        scope = NOTHING
    counts = table.groupby("partition", sort=False)["sample"].size().reset_index(name="samples")
    heading = " ".join(filter(None, [f"{title}.", caption.strip(), scope]))
    lines = "\n".join(f"* {row.partition}: {row.samples} samples" for row in counts.itertuples())
    parts = [f"# {heading}", f"Coordinates are in {name}.csv.", lines]
    writing.write_product(folder, name, table, parts, [(counts, heading)], digits=4)
    source = f"mvclust {name}; data: {source}"
    style.write_figure(folder, name, draw_partitions, table, views, scope, source=source)


def draw_partitions(table: pd.DataFrame, views: Sequence[str] = (), scope: str = "") -> Figure:
    """Draw a panel for each partition, or those of some views and the consensus.

    Colours are the classes.
    """
    if table.empty:
        return style.draw_nothing(NOTHING)
    *every, last = dict.fromkeys(table["partition"])
    titles = {view: f"view {i}: {view}" for i, view in enumerate(every, 1)} | {last: last}
    names = [*(views or every), last]
    classes = sorted(set(table["class"]))
    below = style.legend_shape([str(label) for label in classes], style.PAGE)[2] + 0.4
    grid = fit_page(len(names), style.TALLEST - below, (1.75, 0.9), 0.9, beside=4)
    figure = style.new_figure(style.PAGE, grid.rows * grid.height + below)
    panels = figure.subplots(grid.rows, max(4, grid.beside), squeeze=False).ravel()
    palette = mpl.colormaps["tab10"] if len(classes) > len(style.COLOURS) else style.COLOURS
    for axes in panels:
        axes.axis("off")
    colours: list = [
        palette(i % 10) if callable(palette) else palette[i] for i in range(len(classes))
    ]
    for axes, name in zip(panels, names[: grid.shown], strict=False):
        part = table[table["partition"] == name]
        for label, colour in zip(classes, colours, strict=True):
            points = part[part["class"] == label]
            dots = axes.plot(points["x"], points["y"], ".", ms=1.2, color=colour)
            dots[0].set_rasterized(True)  # thousands of them
        axes.set_title(titles[name])
    handles = {
        str(label): Line2D([], [], color=colour, marker="o", ls="")
        for label, colour in zip(classes, colours, strict=True)
    }
    style.add_legend(figure, handles, "class")
    drawn = f"Drawn: {grid.shown} of {len(names)} partitions; the table has all."
    style.add_note(figure, [drawn if grid.shown < len(names) else "", scope])
    return figure
