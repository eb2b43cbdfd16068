"""A metric over two parameters, as a coloured grid; a panel for each value of a third one."""

import numpy as np

from mvclust.metrics import SCORES
from mvclust.numerics.ties import best_of
from mvclust.pipeline.score.names import value_text
from mvclust.report.panels import (
    beyond_grid,
    every_other,
    fit_page,
    in_order,
    lowest,
    panel_texts,
    split,
)
from mvclust.report.style import (
    COLUMN,
    LINE,
    PAGE,
    RC,
    SMALLEST,
    TALLEST,
    add_note,
    draw_nothing,
    new_figure,
    wrapped,
)
from mvclust.report.text import not_drawn_text, symbol, symbols_text

NOTE = 0.3  # inches of the note
LOWEST, NARROWEST = 0.9, 1.1  # inches of a panel


def draw_surfaces(described, results):
    """A panel for each metric and setting that has results; the best grid point is marked.

    Parameters
    ----------
    described : dict
        The first two of its "axes" span the grid.
    results : DataFrame

    Returns
    -------
    Figure
    """
    if len(described["axes"]) < 2:
        return draw_nothing("A surface needs two varied parameters.")
    x, y = described["axes"][:2]
    results = results[results["mean"].notna()]
    points = [points[0] for points in results["points"]]
    table = results.assign(
        x=[point.get(x) for point in points], y=[point.get(y) for point in points]
    )
    texts = panel_texts(described, results).assign(
        method=results["method"], rest=beyond_grid(described, results, symbols_text)
    )
    metrics = split(texts[["metric"]], always=["metric"])
    places = ["dataset", "views", "rate", "view", "method", "rest"]
    cases = split(texts[places], always=["dataset", "rate"])
    room = (TALLEST - NOTE) / len(metrics)
    beside = min(len(cases), 3)
    grid = fit_page(len(cases), room, (2.3, LOWEST), NARROWEST, beside)
    width = COLUMN if beside == 1 else PAGE * 0.8 if beside == 2 else PAGE
    figure = new_figure(width, len(metrics) * grid.rows * grid.height + NOTE)
    shape = len(metrics) * grid.rows, grid.beside
    panels = figure.subplots(*shape, sharex=True, sharey=True, squeeze=False)
    ticks = in_order(table["x"]), in_order(table["y"])
    for axes in panels.flat:
        axes.set_visible(False)
    for band, (metric, of_metric) in enumerate(metrics):
        image, means = None, table.loc[of_metric, "mean"]
        part = panels[band * grid.rows : (band + 1) * grid.rows]
        for axes, (case, of_case) in zip(part.flat, cases[: grid.shown], strict=False):
            here = table[of_metric & of_case]
            if here.empty:
                continue
            axes.set_visible(True)
            title = wrapped(f"{metric}, {case}", 0.8 * width / grid.beside, RC["ytick.labelsize"])
            axes.set_title(title, fontsize=RC["ytick.labelsize"])
            sign = SCORES[described["metrics"][here["metric"].iloc[0]]].sign
            image = _surface(axes, here, ticks, (means.min(), means.max()), sign)
            room = 0.7 * width / grid.beside, 0.7 * grid.height
            _label(axes, ticks, room)
        if image is not None:
            figure.colorbar(image, ax=part.ravel().tolist(), shrink=0.9)
    for axes in lowest(panels):
        axes.tick_params(labelbottom=True)
        axes.set_xlabel(symbol(x))
    for axes in panels[:, 0]:
        axes.set_ylabel(symbol(y))
    lacking = len(cases) - grid.shown
    what = [f"{lacking} of {len(cases)} settings"] if lacking else []
    add_note(figure, [not_drawn_text(described, what)])
    return figure


def _surface(axes, here, ticks, limits, sign):
    columns, rows = ticks
    grid = here.pivot(index="y", columns="x", values="mean").reindex(index=rows, columns=columns)
    look = {"cmap": "cividis", "vmin": limits[0], "vmax": limits[1]}
    image = axes.imshow(grid, origin="lower", aspect="auto", **look)
    best = np.unravel_index(best_of(sign * grid.to_numpy()), grid.shape)
    axes.plot(best[1], best[0], marker="*", ms=9, mfc="white", mec="black")
    axes.grid(False)
    return image


def _label(axes, ticks, room):
    """Label the values of both parameters, as far as there is room, in inches."""
    columns, rows = (
        range(0, len(values), every_other(len(values), int(inches / (1.2 * LINE))))
        for values, inches in zip(ticks, room, strict=True)
    )
    turned = {"rotation": 45 if len(ticks[0]) < 2 * len(columns) else 90, "fontsize": SMALLEST}
    axes.set_xticks(columns, [value_text(ticks[0][i]) for i in columns], **turned)
    axes.set_yticks(rows, [value_text(ticks[1][i]) for i in rows], fontsize=SMALLEST)
