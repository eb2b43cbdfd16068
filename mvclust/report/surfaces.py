"""A metric over two parameters, as a coloured grid; a panel for each value of a third one."""

import numpy as np

from mvclust.metrics import SCORES, best_of
from mvclust.pipeline.score.names import value_text
from mvclust.report.panels import beyond_grid, in_order, panel_texts, split
from mvclust.report.style import COLUMN, PAGE, draw_nothing, new_figure


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
        method=results["method"], rest=beyond_grid(described, results)
    )
    metrics = split(texts[["metric"]], always=["metric"])
    places = ["dataset", "views", "rate", "view", "method", "rest"]
    cases = split(texts[places], always=["dataset", "rate"])
    figure = new_figure(PAGE * 0.8 if len(cases) > 1 else COLUMN, 2.4 * len(metrics))
    panels = figure.subplots(len(metrics), len(cases), sharex=True, sharey=True, squeeze=False)
    ticks = in_order(table["x"]), in_order(table["y"])
    for row, (metric, of_metric) in enumerate(metrics):
        image, means = None, table.loc[of_metric, "mean"]
        for column, (case, of_case) in enumerate(cases):
            axes, here = panels[row, column], table[of_metric & of_case]
            title = f"{metric}, {case}"
            axes.set_title(title if len(cases) < 3 else title.replace(", ", "\n"))
            if row == len(metrics) - 1:
                axes.set_xlabel(x)
            if column == 0:
                axes.set_ylabel(y)
            if here.empty:
                axes.set_axis_off()
                continue
            sign = SCORES[described["metrics"][here["metric"].iloc[0]]].sign
            image = _surface(axes, here, ticks, (means.min(), means.max()), sign)
        if image is not None:
            figure.colorbar(image, ax=panels[row].tolist(), shrink=0.9)
    return figure


def _surface(axes, here, ticks, limits, sign):
    columns, rows = ticks
    grid = here.pivot(index="y", columns="x", values="mean").reindex(index=rows, columns=columns)
    look = {"cmap": "cividis", "vmin": limits[0], "vmax": limits[1]}
    image = axes.imshow(grid, origin="lower", aspect="auto", **look)
    best = np.unravel_index(best_of(sign * grid.to_numpy()), grid.shape)
    axes.plot(best[1], best[0], marker="*", ms=9, mfc="white", mec="black")
    axes.grid(False)
    axes.set_xticks(range(len(columns)), [value_text(v) for v in columns], rotation=45)
    axes.set_yticks(range(len(rows)), [value_text(v) for v in rows])
    return image
