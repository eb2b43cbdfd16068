"""The tables and the figure of docs/scale.md, from the measurements of scale.py."""

import numpy as np
import pandas as pd
from scipy.optimize import isotonic_regression

from benchmarks.harness import exponent
from docs.pages import figure, fill, said, table_of
from mvclust.bench.report.style import COLOURS, SMALLEST, log_scale

LARGEST = 1_000_000
NAME_HEIGHT = 0.044  # of a panel: what the name of a curve takes
REASONS = {
    "time": "took longer",
    "memory": "needed more memory",
    "time, expected": "would take longer",
    "memory, expected": "would need more memory",
}


def write(rows: pd.DataFrame, codes: dict[str, str]) -> None:
    """Fill the page and draw its figure; `codes` are the digests of the methods' code today.

    Methods measured with other code are marked, and those without an end of it are named.
    """
    rows = rows[rows["method"].isin(codes.keys())]
    is_today = rows["code"] == rows["method"].map(codes)
    today = rows.loc[is_today, "method"].unique()
    rows = rows[is_today | ~rows["method"].isin(today)]
    rows = rows.assign(accuracy=100 * rows["accuracy"], gb=rows["peak_mb"] / 1000)
    on_all, stopped = rows["fitted"] == rows["n"], rows["stopped"] != ""
    samples = rows[~on_all].groupby("method")[["accuracy", "seconds"]].last()
    ends = rows[on_all & stopped].groupby("method")["stopped"].last()
    fits = rows[on_all & ~stopped]
    lines = fits.drop_duplicates("method", keep="last").set_index("method")
    times = fits.groupby("method")[["n", "seconds"]]
    lines["exponent"] = times.apply(lambda each: exponent(*each.to_numpy().clip(1e-3).T))
    lines["mark"] = np.where(lines.index.isin(today), "", " *")
    lines["stopped"] = ends.replace(REASONS)
    is_far = lines["n"] == LARGEST
    far = lines[is_far].sort_values("seconds").join(samples.add_suffix(" on a sample"))
    near = lines[~is_far].sort_values(["n", "seconds"], ascending=[False, True])
    shown = fits.pivot(index="method", columns="n", values=["accuracy", "seconds"])
    shown.columns = [f"{what} {n}" for what, n in shown.columns]
    fill("scale.md", "to the largest", table_of("scale", "far", far.join(shown).reset_index()))
    text = table_of("scale", "near", near.dropna(subset="stopped").reset_index())
    if left := sorted(set(codes) - set(far.index) - set(ends.index)):
        names = ", ".join(f"`{name}`" for name in left)
        text += f"\n\n{said('scale', 'not measured', names=names)}"
    fill("scale.md", "the others", text)
    _draw(far.index, near.index, dict(list(fits.groupby("method"))))


def _draw(far, near, fits):
    with figure("scale", 4.2) as drawn:
        axes, lines = drawn.subplots(), {}
        for name in near:
            axes.plot("n", "seconds", data=fits[name], color="#DDDDDD", linewidth=0.6, zorder=1)
        for i, name in enumerate(far):
            colour = COLOURS[i % len(COLOURS)]
            (lines[name],) = axes.plot("n", "seconds", data=fits[name], color=colour, linewidth=1.3)
        log_scale(axes, "x", "y")
        axes.set(xlabel="samples n", ylabel="CPU seconds")
        _name_ends(axes, lines)


def _name_ends(ax, lines):
    """Write names beside the right ends of curves, as near to them as there is room."""
    low, high = np.log(ax.get_ylim())
    heights = {n: (np.log(line.get_ydata()[-1]) - low) / (high - low) for n, line in lines.items()}
    names = sorted(heights, key=heights.get)
    room = np.arange(len(names)) * NAME_HEIGHT
    places = isotonic_regression([heights[n] for n in names] - room).x + room  # the least moves
    for name, place in zip(names, places - max(0.0, places[-1] - 1), strict=True):
        colour = lines[name].get_color()
        ax.annotate(
            name, lines[name].get_xydata()[-1], xytext=(1.06, place), textcoords="axes fraction",
            va="center", color=colour, fontsize=SMALLEST,
            arrowprops={"arrowstyle": "-", "color": colour, "linewidth": 0.5, "relpos": (0, 0.5)},
        )  # fmt: skip
