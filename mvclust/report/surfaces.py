"""A metric over two parameters, as a coloured grid."""

import numpy as np

from mvclust.report.style import COLUMN, PAGE, new_figure


def draw_surfaces(experiment, results):
    """A panel for each metric and setting; the best grid point is marked."""
    table = results.join(axis_values(results["params"]))
    x, y = axis_values(results["params"]).columns
    metrics = list(experiment["metrics"])
    cases = list(dict.fromkeys(zip(table["dataset"], table["setting"], strict=True)))
    figure = new_figure(PAGE * 0.8 if len(cases) > 1 else COLUMN, 2.4 * len(metrics))
    panels = figure.subplots(len(metrics), len(cases), sharex=True, sharey=True, squeeze=False)
    for row, metric in enumerate(metrics):
        part = table[table["metric"] == metric]
        low, high = part["mean"].min(), part["mean"].max()
        for column, (dataset, setting) in enumerate(cases):
            axes = panels[row, column]
            here = part[(part["setting"] == setting) & (part["dataset"] == dataset)]
            axes.set_title(f"{metric}, {dataset}, {setting.replace('_', ' ')}")
            if here["mean"].isna().all():
                axes.text(0.5, 0.5, here["note"].iloc[0], ha="center", transform=axes.transAxes)
                continue
            grid = here.pivot(index=y, columns=x, values="mean").sort_index().sort_index(axis=1)
            image = axes.imshow(grid, origin="lower", cmap="cividis", vmin=low, vmax=high)
            best = np.unravel_index(np.nanargmax(grid.to_numpy()), grid.shape)
            axes.plot(best[1], best[0], marker="*", ms=9, mfc="white", mec="black")
            axes.grid(False)
            axes.set_xticks(range(grid.shape[1]), [f"{v:g}" for v in grid.columns], rotation=45)
            axes.set_yticks(range(grid.shape[0]), [f"{v:g}" for v in grid.index])
            if row == len(metrics) - 1:
                axes.set_xlabel(x)
            if column == 0:
                axes.set_ylabel(y)
        figure.colorbar(image, ax=panels[row].tolist(), shrink=0.9)
    return figure


def axis_values(params):
    """ "a=1, b=2" texts as a table with one numeric column a parameter."""
    split = [dict(part.split("=") for part in text.split(", ")) for text in params]
    table = type(params.to_frame())(split, index=params.index)
    return table.astype(float)
