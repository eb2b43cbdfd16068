"""A metric over two parameters, as a coloured grid; a panel for each value of a third one."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.image import AxesImage

from mvclust.bench.report import style
from mvclust.bench.report.panels import beyond_grid, in_order, lay_out, lowest, panel_texts, split
from mvclust.bench.report.text import not_drawn_text, symbol, symbols_text
from mvclust.bench.score.names import value_text
from mvclust.metrics import SCORES
from mvclust.numerics.ties import best_of

NOTE = 0.3  # inches of the note
HEIGHTS = (2.3, 1.3, 0.9)  # inches of a row of panels: wanted, least, and if it must be
NARROWEST = 1.0  # inches of a panel
STAR = {"marker": "*", "ms": 6, "mfc": "white", "mec": "black", "mew": 0.6, "ls": ""}
ACROSS = 3  # panels beside each other


def draw_surfaces(described: dict, results: pd.DataFrame) -> Figure:
    """Draw a panel for each metric and setting over the first two axes, the best point marked."""
    if len(described["axes"]) < 2:
        return style.draw_nothing("A surface needs two varied parameters.")
    x, y = described["axes"][:2]
    results = results[results["mean"].notna()]
    x_of, y_of = ([points[0].get(axis) for points in results["points"]] for axis in (x, y))
    table = results.assign(x=x_of, y=y_of)
    layout = lay_out(described, table, _panels, HEIGHTS, NARROWEST, style.TALLEST - NOTE, ACROSS)
    grid, table = layout.grid, layout.results
    across = grid.beside * len(layout.columns)
    width = {1: style.COLUMN, 2: style.PAGE * 0.8}.get(across, style.PAGE)
    figure = style.new_figure(width, grid.rows * grid.height + NOTE)
    panels = figure.subplots(grid.rows, across, sharex=True, sharey=True, squeeze=False)
    ticks, images = (in_order(table["x"]), in_order(table["y"])), {}
    for _, axes, (case, _), (metric, of_metric), here in layout.placed(panels):
        if here.empty:
            continue
        title = ", ".join(filter(None, [metric, case]))
        title = style.wrapped(title, 0.62 * width / across, style.RC["ytick.labelsize"])
        axes.set_title(title, fontsize=style.RC["ytick.labelsize"])
        means = table.loc[of_metric, "mean"]
        sign = SCORES[described["metrics"][here["metric"].iloc[0]]].sign
        images[metric] = draw_surface(axes, here, ticks, (means.min(), means.max()), sign)
        label_grid(axes, ticks, (0.7 * width / across, 0.7 * grid.height))
    for metric, image in reversed(images.items()):
        look = {"shrink": 0.9, "aspect": 40, "fraction": 0.05, "label": metric}
        figure.colorbar(image, ax=panels.ravel().tolist(), **look)
    for axes in lowest(panels):
        axes.tick_params(labelbottom=True)
        axes.set_xlabel(symbol(x))
    for axes in panels[:, 0]:
        axes.set_ylabel(symbol(y))
    style.add_note(figure, [not_drawn_text(described, layout.left_out)])
    return figure


def _panels(described: dict, results: pd.DataFrame) -> tuple[list[tuple], list[tuple]]:
    """Settings and metrics, as pairs (title, rows of the table)."""
    rest = beyond_grid(described, results, symbols_text)
    texts = panel_texts(described, results).assign(rest=rest)
    places = ["dataset", "views", "rate", "view", "method", "rest"]
    settings = split(texts[places], always=["dataset", "rate"])
    return settings, split(texts[["metric"]], always=["metric"])


def draw_surface(
    axes: Axes, here: pd.DataFrame, ticks: tuple[list, list], limits: tuple[float, float], sign: int
) -> AxesImage:
    """Draw the grid of means over "x" and "y", its best point marked; return the image."""
    columns, rows = ticks
    grid = here.pivot(index="y", columns="x", values="mean").reindex(index=rows, columns=columns)
    look = {"cmap": "cividis", "vmin": limits[0], "vmax": limits[1]}
    image = axes.imshow(grid, origin="lower", aspect="auto", **look)
    best = np.unravel_index(best_of(sign * grid.to_numpy()), grid.shape)  # pyright: ignore[reportArgumentType]
    axes.plot(best[1] + 0.3, best[0] + 0.28, **STAR)
    axes.grid(False)
    return image


def label_grid(axes: Axes, ticks: tuple[list, list], room: tuple[float, float]) -> None:
    """Label the values of both parameters, as far as there is room (in inches)."""
    columns, rows = (
        range(0, len(values), style.every_other(len(values), int(inches / (1.2 * style.LINE))))
        for values, inches in zip(ticks, room, strict=True)
    )
    texts, size = [_rounded(ticks[0][i]) for i in columns], style.SMALLEST
    turned = 45 if len(ticks[0]) < 2 * len(columns) else 90
    axes.set_xticks(columns, texts, rotation=turned, fontsize=size)
    axes.set_yticks(rows, [_rounded(ticks[1][i]) for i in rows], fontsize=size)


def _rounded(value: Any) -> str:
    """Value at a tick; numbers have at most four digits."""
    text = value_text(value)
    return f"{value:.4g}" if isinstance(value, float) and len(text) > 6 else text
