"""The table and the figure of the partitions that mPAC finds, in views and of all."""

from collections.abc import Sequence
from pathlib import Path

import matplotlib as mpl
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from sklearn.manifold import TSNE

from mvclust.bench.config.messages import UNAVAILABLE
from mvclust.bench.report import style, writing
from mvclust.bench.report.panels import fit_page
from mvclust.datasets.files import DataNotAvailable
from mvclust.datasets.record import Dataset, read_dataset
from mvclust.estimators.mpac import MPAC
from mvclust.numerics.products import dense

NOTHING = f"No results: {UNAVAILABLE}."


def make_partitions(used: dict) -> None:
    """Write the coordinates and the figure of the partitions of a data set."""
    folder, name, (file,) = writing.results_folder(used), used["id"], used["inputs"]["data"]
    try:
        data = read_dataset(Path(file))
        table = partition_coordinates(data)
        source = data.source
        scope = f"{data.name}: n = {data.n_samples}; default parameters, one start."
    except DataNotAvailable:
        table, source = pd.DataFrame(columns=["partition", "sample", "class", "x", "y"]), ""
        scope = NOTHING
    counts = table.groupby("partition", sort=False)["sample"].size().reset_index(name="samples")
    heading = " ".join(filter(None, [f"{used['title']}.", used["caption"].strip(), scope]))
    lines = "\n".join(f"* {row.partition}: {row.samples} samples" for row in counts.itertuples())
    parts = [f"# {heading}", f"Coordinates are in {name}.csv.", lines]
    writing.write_product(folder, name, table, parts, [(counts, heading)], digits=4)
    source = f"mvclust {name}; data: {source}"
    style.write_figure(folder, name, draw_partitions, table, used["views"], scope, source=source)


def partition_coordinates(data: Dataset) -> pd.DataFrame:
    """Fit mPAC on complete views, with a t-SNE layout of each partition and the consensus."""
    model = MPAC(data.n_clusters, random_state=0).fit([dense(X) for X in data.Xs])
    parts, classes = [], [data.label_names[c] for c in data.y]
    for name, F in zip([*data.view_names, "consensus"], [*model.F_, model.P_], strict=True):
        points = TSNE(init="pca", perplexity=30, random_state=0).fit_transform(F)
        columns = {"partition": name, "sample": range(len(F)), "class": classes}
        parts.append(pd.DataFrame(columns | {"x": points[:, 0], "y": points[:, 1]}))
    return pd.concat(parts, ignore_index=True)


def draw_partitions(table: pd.DataFrame, views: Sequence[str] = (), scope: str = "") -> Figure:
    """Draw a panel for each partition, or those of some views and the consensus, by class."""
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
    colours: list = style.COLOURS[: len(classes)]
    if len(classes) > len(style.COLOURS):
        colours = [mpl.colormaps["tab10"](i % 10) for i in range(len(classes))]
    for axes in panels:
        axes.axis("off")
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
