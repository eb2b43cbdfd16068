"""Protocols beside the published rows: which agree, the controls, what options are worth."""

import itertools
import json
from collections.abc import Collection, Mapping
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mvclust.bench.multiverse.consistency import check_printed
from mvclust.bench.multiverse.protocols import ROW
from mvclust.bench.multiverse.tables import Words, multiverse, own_methods
from mvclust.bench.report import style, writing
from mvclust.bench.score.runs import merge_runs, read_runs

LINE = 0.105  # inches from option to option
CURVE = 1.0  # inches, the height of a curve
NAMES = 1.6  # inches, the room for an option


def make_multiverse(used: dict) -> None:
    """Compare the protocols of tables, on the scores of all experiments that vary them."""
    runs = merge_runs([read_runs(path) for path in used["inputs"]["scores"]])
    write_multiverse(used, runs, writing.results_folder(used))


def write_multiverse(used: dict, runs: pd.DataFrame, folder: Path | str) -> None:
    """Write tables and figures `multiverse*` from experiments, questions and printed numbers."""
    words = Words(used["questions"])
    checked = check_printed(used["printed"]["published"], used["printed"]["tables"])
    broken = checked[~checked["holds"].astype(bool)]
    contradictions = set(map(tuple, broken[list(ROW)].to_numpy()))
    made = multiverse(used["experiments"], runs, contradictions, words)
    for part, table in made._asdict().items():
        name = "multiverse" if part == "rows" else f"multiverse_{part}"
        title, remark, *_ = writing.TITLES[name]
        short = {*table.select_dtypes(["number", "bool"]), *ROW}
        narrow = table[[column for column in table if column in short]].round(2).head(40)
        parts = [f"# {title}", remark, table.round(2)]
        writing.write_product(folder, name, table, parts, [(narrow, f"{title}. {remark}")])
    experiments, source = used["experiments"], "mvclust multiverse"
    own = {each["paper"]: own_methods(experiments, each["paper"]) for each in experiments}
    style.write_figure(folder, "multiverse", draw_curves, made.protocols, own, words, source=source)
    style.write_figure(folder, "multiverse_effects", draw_effects, made.effects, source=source)


def draw_curves(
    protocols: pd.DataFrame, own: Mapping[str, Collection[str]], words: Words
) -> Figure:
    """Draw a specification curve per table: the paper's own method under all protocols."""
    panels = {}
    for (paper, item, data, method), part in protocols.groupby(list(ROW), sort=False):
        if method not in own.get(paper, ()):
            continue
        place = item.replace("table", "Table ").replace("fig", "Figure ")
        title = f"{method}, {data} ({place})"
        panels.setdefault((paper, item), (title, part.sort_values("mean", kind="stable")))
    if not panels:
        return style.draw_nothing("No paper's own method is in this run.")
    panels = list(panels.values())
    options = [_options(part, words) for _, part in panels]
    n_rows = -(-len(panels) // 2)
    ticks = [max(len(o) for _, o in options[2 * i : 2 * i + 2]) * LINE for i in range(n_rows)]
    heights = [height for each in ticks for height in (CURVE, each)]
    spare = 0.5 * n_rows + 0.6
    shrink = min(1.0, (style.TALLEST - spare) / sum(heights))
    figure = style.new_figure(style.PAGE, sum(heights) * shrink + spare)
    grid = figure.subplots(2 * n_rows, 2, squeeze=False, height_ratios=heights)
    for axes in grid.flat:
        axes.set_visible(False)
    for i, ((title, part), of_each) in enumerate(zip(panels, options, strict=True)):
        above, below = grid[2 * (i // 2), i % 2], grid[2 * (i // 2) + 1, i % 2]
        handles = _draw_curve(above, title, part)
        _draw_options(below, *of_each)
    style.add_legend(figure, handles)
    note = "Protocols in the order of our mean, with 95 % intervals over runs; below, the options "
    note += "of each. Of a table with several data sets the first; see tables/multiverse_protocols."
    style.add_note(figure, [note])
    return figure


def _draw_curve(axes: Axes, title: str, part: pd.DataFrame) -> Mapping[str, Artist]:
    """Draw the means of the protocols in order with the printed value; return artists by name."""
    axes.set_visible(True)
    x = np.arange(len(part))
    low, high = part["mean"] - part["half_width"], part["mean"] + part["half_width"]
    axes.vlines(x, low, high, color=style.GREYS[1], lw=0.8)
    agrees, stated = part["agrees"].to_numpy(bool), part["stated"].to_numpy(bool)
    looks = {
        "protocol": (~agrees & ~stated, {"color": style.GREYS[0], "marker": "o", "ms": 2.5}),
        "protocol that agrees with the printed row": (
            agrees & ~stated, {"color": style.COLOURS[0], "marker": "o", "ms": 2.5}),
        "the stated one": (stated, {"color": style.COLOURS[1], "marker": "D", "ms": 4}),
    }  # fmt: skip
    handles = {
        name: axes.plot(x[chosen], part["mean"][chosen], ls="", mew=0, **look)[0]
        for name, (chosen, look) in looks.items()
    }
    handles["printed"] = axes.axhline(part["printed"].iloc[0], color="black", lw=0.8, ls="--")
    axes.set_title(title, fontsize=style.SMALLEST + 1, loc="right")
    axes.set(xticks=[], ylabel="%", xlim=(-1, len(part)))
    axes.tick_params(labelsize=style.SMALLEST)
    return handles


def _options(part: pd.DataFrame, words: Words) -> tuple[list[set[str]], list[str]]:
    """Options of each protocol in words, and all options in the order of the questions."""
    chosen = [
        {question: words.option(question, value) for question, value in json.loads(text).items()}
        for text in part["options"]
    ]
    lines = [dict.fromkeys(options[question] for options in chosen) for question in chosen[0]]
    return [set(options.values()) for options in chosen], [*itertools.chain(*lines)]


def _draw_options(axes: Axes, chosen: list[set[str]], lines: list[str]) -> None:
    """Draw the options of each protocol, in the order of the curve."""
    axes.set_visible(True)
    for place, line in enumerate(lines):
        x = [i for i, options in enumerate(chosen) if line in options]
        axes.plot(x, [place] * len(x), "|", color="black", ms=4, mew=0.8)
    names = [style.wrapped(line, NAMES, style.SMALLEST, 1) for line in lines]
    axes.set_yticks(range(len(lines)), names, fontsize=style.SMALLEST)
    axes.set(xticks=[], xlim=(-1, len(chosen)), ylim=(len(lines) - 0.4, -0.6))
    axes.tick_params(length=0)
    axes.grid(visible=False)
    for side in axes.spines.values():
        side.set_visible(False)


def draw_effects(effects: pd.DataFrame) -> Figure:
    """Draw the effect of each option, by kind of methods."""
    if effects.empty:
        return style.draw_nothing("No options were compared in this run.")
    height = 0.16
    figure = style.new_figure(style.PAGE, min(style.TALLEST, 0.8 + height * len(effects)))
    axes = figure.subplots()
    places = np.arange(len(effects))[::-1]
    axes.hlines(places, effects["lowest"], effects["highest"], color=style.GREYS[1], lw=1)
    axes.plot(effects["difference"], places, "D", color=style.COLOURS[1], ms=3.5, mew=0)
    axes.axvline(0, color="black", lw=0.6)
    texts = [
        f"{row.kind.replace('_', ' ')}: {row.option}, not {row.stated}"
        for row in effects.itertuples()
    ]
    names = [style.wrapped(text, 4.0, style.SMALLEST, 1) for text in texts]
    axes.set_yticks(places, names, fontsize=style.SMALLEST)
    axes.set(xlabel="points of accuracy", ylim=(-0.8, len(effects) - 0.2))
    note = "Against the stated option, all else equal: mean and range over the rows."
    style.add_note(figure, [note])
    return figure
