"""The pictures of an answer: samples, features by cluster, views that are present, agreement."""

from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.lines import Line2D

from mvclust.bench.report.style import (
    COLOURS,
    COLUMN,
    PAGE,
    RC,
    TALLEST,
    add_note,
    draw_nothing,
    new_figure,
    save_figure,
)

FAINT = 0.15  # opacity of a sample that never stays with its cluster
LARGEST_EFFECT = 3  # of the colours
MOST_BELOW = 22  # clusters below each other in a legend
MOST_METHODS = 30  # in a picture
LONGEST = 28  # characters of a feature's name


def draw_answer(answer, folder):
    """Draw the pictures of an answer as svg, pdf and png.

    Parameters
    ----------
    answer : mvclust.own.answer.Answer
    folder : path-like
        Where answer_samples, answer_features, answer_presence and answer_agreement are written.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    source = f"mvclust answer; data: {answer.facts['data']}"
    with mpl.rc_context(RC):
        for name, draw in DRAWINGS.items():
            save_figure(draw(answer), folder / f"answer_{name}", source)


def draw_samples(answer):
    """The samples in two dimensions: colours are clusters, opacity is certainty."""
    figure = new_figure(PAGE * 0.75, PAGE * 0.55)
    axes = figure.subplots()
    sure = answer.labels["certainty"].fillna(0.0).to_numpy()
    clusters = answer.labels["cluster"].to_numpy()
    colours = [mpl.colors.to_rgb(_colour(c)) for c in clusters]
    shades = [(*colour, FAINT + (1 - FAINT) * s) for colour, s in zip(colours, sure, strict=True)]
    dots = axes.scatter(*answer.points.T, s=9, c=shades, linewidths=0)
    dots.set_rasterized(len(sure) > 2000)
    axes.set(xticks=[], yticks=[])
    axes.set_xlabel("first component")
    axes.set_ylabel("second component")
    handles = [
        Line2D([], [], ls="", marker="o", color=_colour(c), label=f"{c} ({(clusters == c).sum()})")
        for c in np.unique(clusters)
    ]
    columns = -(-len(handles) // MOST_BELOW)
    place = {"loc": "outside right upper", "ncols": columns}
    figure.legend(handles=handles, title="cluster", **place)
    return figure


def draw_features(answer):
    """The effect of the strongest features of every view, by cluster."""
    heat = answer.heat
    if heat.empty:
        return draw_nothing("No feature sets a cluster apart.")
    figure = new_figure(PAGE * 0.75, 0.17 * len(heat) + 0.9)
    axes = figure.subplots()
    shown = axes.imshow(
        np.clip(heat.to_numpy(dtype=float), -LARGEST_EFFECT, LARGEST_EFFECT),
        cmap="RdBu_r", vmin=-LARGEST_EFFECT, vmax=LARGEST_EFFECT, aspect="auto",
    )  # fmt: skip
    names = [f"{_cut(feature)}  ({view})" for view, feature in heat.index]
    axes.set_yticks(range(len(names)), names)
    axes.set_xticks(range(heat.shape[1]), [str(c) for c in heat.columns])
    axes.set_xlabel("cluster")
    axes.grid(False)
    views = [view for view, _ in heat.index]
    for place in range(1, len(views)):
        if views[place] != views[place - 1]:
            axes.axhline(place - 0.5, color="black", lw=0.8)
    figure.colorbar(shown, label="effect (g)", shrink=0.8)
    return figure


def draw_presence(answer):
    """Samples by cluster: which views they have."""
    clusters = answer.labels["cluster"].to_numpy()
    order = np.lexsort((*answer.presence.T[::-1], clusters))
    figure = new_figure(PAGE * 0.75, min(TALLEST, 0.28 * len(answer.views) + 0.8))
    axes = figure.subplots()
    axes.imshow(
        answer.presence[order].T, cmap=mpl.colors.ListedColormap(["#ffffff", "#56748f"]),
        vmin=0, vmax=1, aspect="auto", interpolation="nearest",
    )  # fmt: skip
    axes.set_yticks(
        range(len(answer.views)),
        [
            f"{_cut(view)}: {present.sum()} of {len(present)}"
            for view, present in zip(answer.views, answer.presence.T, strict=True)
        ],
    )
    axes.grid(False)
    ends = np.cumsum(np.unique(clusters, return_counts=True)[1])
    for end in ends[:-1]:
        axes.axvline(end - 0.5, color="black", lw=0.8)
    starts = np.r_[0, ends[:-1]]
    axes.set_xticks((starts + ends - 1) / 2, [str(c) for c in np.unique(clusters)])
    axes.set_xlabel("samples by cluster")
    return figure


def draw_agreement(answer):
    """The adjusted Rand index of each two methods."""
    table = answer.agreement.iloc[:MOST_METHODS, :MOST_METHODS]
    size = max(COLUMN, 0.17 * len(table) + 1.6)
    figure = new_figure(min(size * 1.15, PAGE), min(size, PAGE))
    axes = figure.subplots()
    shown = axes.imshow(table.to_numpy(), cmap="viridis", vmin=0, vmax=1)
    axes.set_yticks(range(len(table)), table.index)
    axes.set_xticks(range(len(table)), table.columns, rotation=90)
    axes.grid(False)
    figure.colorbar(shown, label="adjusted Rand index", shrink=0.8)
    if len(table) < len(answer.agreement):
        add_note(figure, [f"The first {len(table)} of {len(answer.agreement)} methods."])
    return figure


DRAWINGS = {
    "samples": draw_samples,
    "features": draw_features,
    "presence": draw_presence,
    "agreement": draw_agreement,
}


def _colour(cluster):
    """The colour of a cluster, numbered from 1."""
    return COLOURS[(cluster - 1) % len(COLOURS)]


def _cut(name):
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"
