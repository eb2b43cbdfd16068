"""The tables and the figure of docs/scale.md, from the measurements of scale.py."""

from collections import defaultdict

import numpy as np
from scipy.optimize import isotonic_regression

from docs.pages import figure, fill, number, table
from mvclust.bench.report.style import COLOURS, SMALLEST, log_scale

LARGEST = 1_000_000
SHOWN = (10_000, 100_000, LARGEST)
NAME_HEIGHT = 0.044  # of a panel: what the name of a curve takes
REASONS = {
    "time": "took longer",
    "memory": "needed more memory",
    "time, expected": "would take longer",
    "memory, expected": "would need more memory",
}


def write(rows: list[dict], codes: dict[str, str]) -> None:
    """Fill the page and draw its figure; `codes` are the digests of the methods' code today.

    Methods measured with other code are marked, and those without an end of it are named.
    """
    fits, samples, ends = defaultdict(list), {}, {}
    today = {row["method"] for row in rows if row["code"] == codes.get(row["method"])}
    for row in rows:
        code = codes.get(row["method"])
        if code is None or (row["method"] in today and row["code"] != code):
            continue
        if row["fitted"] < row["n"]:
            samples[row["method"]] = row
        elif row["stopped"]:
            ends[row["method"]] = row
        else:
            fits[row["method"]].append(row)
    far = [name for name, of in fits.items() if of[-1]["n"] == LARGEST]
    far.sort(key=lambda name: fits[name][-1]["seconds"])
    near = [name for name in fits if name not in far]
    near.sort(key=lambda name: (-fits[name][-1]["n"], fits[name][-1]["seconds"]))
    fill("scale.md", "to the largest", _table_of_far(far, fits, samples, today))
    open_ = sorted(set(codes) - set(far) - set(ends))
    text = _table_of_near([name for name in near if name in ends], fits, ends, today)
    if open_:
        named = ", ".join(f"`{name}`" for name in open_)
        text += f"\n\nNot measured to their end so far: {named}."
    fill("scale.md", "the others", text)
    _draw(far, near, fits)


def exponent(rows, column):
    """Slope of the logarithm against that of n, over the largest three sizes."""
    n, values = np.array([(row["n"], max(row[column], 1e-3)) for row in rows[-3:]]).T
    return np.polyfit(np.log(n), np.log(values), 1)[0] if len(n) > 1 else np.nan


def _table_of_far(names, fits, samples, today):
    head = ["method", "views", *(f"CPU s, n = {n:,}" for n in SHOWN), "exponent", "GB"]
    head += [*(f"accuracy, n = {n:,}" for n in SHOWN), "fitted on 10,000: accuracy", "CPU s"]
    lines = []
    for name in names:
        at = {row["n"]: row for row in fits[name]}
        sample = samples.get(name, {})
        lines.append([
            _marked(name, today), fits[name][0]["data"],
            *(number(at[n]["seconds"]) for n in SHOWN),
            number(exponent(fits[name], "seconds"), ".2f"),
            number(at[LARGEST]["peak_mb"] / 1000),
            *(_share(at[n]["accuracy"]) for n in SHOWN),
            _share(sample.get("accuracy")), number(sample.get("seconds")),
        ])  # fmt: skip
    return table(head, lines)


def _table_of_near(names, fits, ends, today):
    head = ["method", "views", "largest n", "CPU s", "exponent", "GB", "accuracy", "the next n"]
    lines = []
    for name in names:
        last, stopped = fits[name][-1], ends[name]["stopped"]
        lines.append([
            _marked(name, today), last["data"], f"{last['n']:,}", number(last["seconds"]),
            number(exponent(fits[name], "seconds"), ".2f"), number(last["peak_mb"] / 1000, ".2f"),
            _share(last["accuracy"]), REASONS.get(stopped, stopped),
        ])  # fmt: skip
    return table(head, lines)


def _marked(name, today):
    return f"`{name}`" if name in today else f"`{name}` *"


def _share(value):
    return "" if value is None else f"{100 * value:.1f}"


def _draw(far, near, fits):
    with figure("scale", 4.2) as drawn:
        axes, lines = drawn.subplots(), {}
        for name in near:
            axes.plot(*_curve(fits[name]), color="#DDDDDD", linewidth=0.6, zorder=1)
        for i, name in enumerate(far):
            colour = COLOURS[i % len(COLOURS)]
            (lines[name],) = axes.plot(*_curve(fits[name]), color=colour, linewidth=1.3)
        log_scale(axes, "x", "y")
        axes.set(xlabel="samples n", ylabel="CPU seconds")
        _name_ends(axes, lines)


def _curve(rows):
    return zip(*((row["n"], row["seconds"]) for row in rows), strict=True)


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
