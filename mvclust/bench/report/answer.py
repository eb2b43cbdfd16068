"""The pictures of an answer: samples, features by cluster, views that are present, agreement."""

from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.lines import Line2D

from mvclust.bench.report import style
from mvclust.own.answer import Answer, by_cluster

FAINT = 0.15  # opacity of a sample that never stays with its cluster
LARGEST_EFFECT = 3  # of the colours
MOST_BELOW = 22  # clusters below each other in a legend
MOST_METHODS = 30  # in a picture
LONGEST = 28  # characters of a feature's name


def draw_answer(answer: Answer, folder: Path | str) -> None:
    """Draw the pictures of an answer in figures/ of a folder, each as svg, pdf and png."""
    source = f"mvclust answer; data: {answer.facts['data']}"
    for name, draw in DRAWINGS.items():
        style.write_figure(folder, f"answer_{name}", draw, answer, source=source)


def _one_panel(height: float, width: float = 0.75) -> tuple[Figure, Axes]:
    """Figure with one panel: height in inches, width as a share of a page."""
    figure = style.new_figure(style.PAGE * width, height)
    return figure, figure.subplots()


def _draw_grid(axes: Axes, values, vmin: float, vmax: float, **look) -> AxesImage:
    """Draw numbers as a grid of colours, without lines between them."""
    axes.grid(False)
    return axes.imshow(values, vmin=vmin, vmax=vmax, **look)


def _draw_heat(axes: Axes, values: pd.DataFrame, features: Iterable[tuple], **look) -> AxesImage:
    """Draw a line for each (view, feature), with a rule between views."""
    features = list(features)
    axes.set_yticks(range(len(features)), [f"{_cut(name)}  ({view})" for view, name in features])
    for place, ((view, _), (before, _)) in enumerate(pairwise(features), start=1):
        if view != before:
            axes.axhline(place - 0.5, color="black", lw=0.8)
    numbers = np.asarray(values, dtype=float)
    return _draw_grid(axes, numbers, -LARGEST_EFFECT, LARGEST_EFFECT, aspect="auto", **look)


def draw_samples(answer: Answer) -> Figure:
    """The samples in two dimensions: colours are clusters, opacity is certainty."""
    figure, axes = _one_panel(style.PAGE * 0.55)
    sure = answer.labels["certainty"].fillna(0.0).to_numpy()
    clusters = answer.labels["cluster"].to_numpy()
    colours = [mpl.colors.to_rgb(_colour(c)) for c in clusters]
    shades = [(*colour, FAINT + (1 - FAINT) * s) for colour, s in zip(colours, sure, strict=True)]
    dots = axes.scatter(*answer.points.T, s=9, c=shades, linewidths=0)
    dots.set_rasterized(len(sure) > 2000)
    axes.set(xticks=[], yticks=[], xlabel="first component", ylabel="second component")
    handles = [
        Line2D([], [], ls="", marker="o", color=_colour(c), label=f"{c} ({(clusters == c).sum()})")
        for c in np.unique(clusters)
    ]
    columns = -(-len(handles) // MOST_BELOW)
    figure.legend(handles=handles, title="cluster", loc="outside right upper", ncols=columns)
    return figure


def draw_features(answer: Answer) -> Figure:
    """The effect of the strongest features of every view, by cluster."""
    heat = answer.heat
    if heat.empty:
        return style.draw_nothing("No feature sets a cluster apart.")
    figure, axes = _one_panel(0.17 * len(heat) + 0.9)
    effects = heat.astype(float).clip(-LARGEST_EFFECT, LARGEST_EFFECT)
    shown = _draw_heat(axes, effects, heat.index, cmap="RdBu_r")
    axes.set_xticks(range(heat.shape[1]), [str(c) for c in heat.columns])
    axes.set_xlabel("cluster")
    figure.colorbar(shown, label="effect (g)", shrink=0.8)
    return figure


def draw_presence(answer: Answer) -> Figure:
    """Samples by cluster: which views they have."""
    clusters = answer.labels["cluster"].to_numpy()
    order = np.lexsort((*answer.presence.T[::-1], clusters))
    figure, axes = _one_panel(min(style.TALLEST, 0.28 * len(answer.views) + 0.8))
    look = {"cmap": mpl.colors.ListedColormap(["#ffffff", "#56748f"]), "aspect": "auto"}
    _draw_grid(axes, answer.presence[order].T, 0, 1, interpolation="nearest", **look)
    counts = zip(answer.views, answer.presence.T, strict=True)
    names = [f"{_cut(view)}: {present.sum()} of {len(present)}" for view, present in counts]
    axes.set_yticks(range(len(names)), names)
    _mark_clusters(axes, np.sort(clusters))
    return figure


def draw_heat(answer: Answer) -> Figure:
    """Samples by cluster against the features of `heat`: standardised values."""
    values = answer.values
    if values.empty:
        return style.draw_nothing("No feature sets a cluster apart.")
    order = by_cluster(answer.labels)
    figure, axes = _one_panel(0.17 * values.shape[1] + 0.9, width=1)
    colours, numbers = mpl.colormaps["RdBu_r"].with_extremes(bad="#dddddd"), values.iloc[order].T
    shown = _draw_heat(axes, numbers, values.columns, cmap=colours, interpolation="nearest")
    _mark_clusters(axes, answer.labels["cluster"].to_numpy()[order])
    figure.colorbar(shown, label="standardised value", shrink=0.8)
    return figure


def draw_survival(answer: Answer) -> Figure:
    """The curve of each cluster with its interval, and the numbers at risk."""
    known = answer.facts["survival"]
    if not known or not known["curves"]:
        return style.draw_nothing("No times and events are given.")
    curves = known["curves"]
    figure = style.new_figure(style.PAGE * 0.75, 3.0 + 0.17 * len(curves))
    axes, table = figure.subplots(2, sharex=True, height_ratios=[3, 0.22 * len(curves)])
    for curve in curves:
        look = {"color": _colour(curve["cluster"])}
        median = "not reached" if curve["median"] is None else f"{curve['median']:.4g}"
        name = f"{curve['cluster']} ({curve['events']} of {curve['patients']}; {median})"
        axes.step(curve["times"], curve["survival"], where="post", label=name, **look)
        band = curve["times"], curve["low"], curve["high"]
        axes.fill_between(*band, step="post", alpha=0.12, lw=0, **look)
    p = "not tested" if known["p"] is None else f"log-rank p = {known['p']:.2g} (permuted)"
    axes.set(ylim=(0, 1.02), ylabel="without the event", title=p)
    figure.legend(title="cluster (events; median)", loc="outside right upper")
    for row, curve in enumerate(curves):
        for tick, count in zip(known["ticks"], curve["at_risk"], strict=True):
            table.text(tick, row, str(count), ha="center", va="center", fontsize=7)
    table.set(ylim=(len(curves) - 0.5, -0.5), xlabel="time", ylabel="at risk")
    table.set_yticks(range(len(curves)), [str(curve["cluster"]) for curve in curves])
    table.set_xticks(known["ticks"])
    table.grid(False)
    table.tick_params(axis="y", length=0)
    table.spines[["left"]].set_visible(False)
    return figure


def draw_number(answer: Answer) -> Figure:
    """The eigengap of each number of clusters, and its range over subsamples."""
    found = answer.facts["number"]
    if not found:
        return style.draw_nothing("Too few samples to compare numbers of clusters.")
    figure, axes = _one_panel(2.6)
    k, gaps = np.array(found["candidates"]), np.array(found["gaps"])
    axes.fill_between(k, found["low"], found["high"], color=style.COLOURS[0], alpha=0.2, lw=0)
    axes.plot(k, gaps, color=style.COLOURS[0], marker="o")
    used = found["n_clusters"]
    axes.axvline(used, color="#777777", ls=":")
    look = {"textcoords": "offset points", "ha": "center", "fontsize": 7}
    for each, high, share in zip(k, found["high"], found["share"], strict=True):
        if share:
            axes.annotate(f"{share:.0%}", (each, high), (0, 3), **look)
    axes.set_xticks(k)
    axes.margins(y=0.15)
    axes.set(xlabel=f"number of clusters (used: {used})", ylabel="eigengap")
    return figure


def draw_consensus(answer: Answer) -> Figure:
    """How often perturbed fits put two samples together, samples by cluster."""
    figure, axes = _one_panel(style.PAGE * 0.5, 0.6)
    look = {"cmap": mpl.colormaps["Blues"].with_extremes(bad="#dddddd"), "interpolation": "nearest"}
    shown = _draw_grid(axes, answer.consensus.to_numpy(), 0, 1, **look)
    _mark_clusters(axes, answer.labels["cluster"].to_numpy()[answer.consensus.index])
    axes.set_yticks([])
    figure.colorbar(shown, label="share of the fits", shrink=0.8)
    return figure


def draw_silhouettes(answer: Answer) -> Figure:
    """The silhouette of each sample, by cluster."""
    table = answer.labels.sort_values(["cluster", "silhouette"], ascending=[True, False])
    clusters, values = table["cluster"].to_numpy(), table["silhouette"].to_numpy()
    figure, axes = _one_panel(2.6)
    colours = [_colour(c) for c in clusters]
    axes.bar(range(len(values)), np.nan_to_num(values), width=1.0, color=colours, lw=0)
    axes.axhline(np.nanmean(values), color="#444444", ls=":")
    axes.set(ylabel="silhouette", xlim=(-0.5, len(values) - 0.5))
    _mark_clusters(axes, clusters)
    return figure


def draw_agreement(answer: Answer) -> Figure:
    """The adjusted Rand index of each two methods."""
    table = answer.agreement.iloc[:MOST_METHODS, :MOST_METHODS]
    size = max(style.COLUMN, 0.17 * len(table) + 1.6)
    figure = style.new_figure(min(size * 1.15, style.PAGE), min(size, style.PAGE))
    axes = figure.subplots()
    shown = _draw_grid(axes, table.to_numpy(), 0, 1, cmap="viridis")
    axes.set_yticks(range(len(table)), table.index)
    axes.set_xticks(range(len(table)), table.columns, rotation=90)
    figure.colorbar(shown, label="adjusted Rand index", shrink=0.8)
    if len(table) < len(answer.agreement):
        style.add_note(figure, [f"The first {len(table)} of {len(answer.agreement)} methods."])
    return figure


DRAWINGS = {
    draw.__name__.removeprefix("draw_"): draw
    for draw in (
        *(draw_samples, draw_features, draw_heat, draw_survival, draw_number, draw_consensus),
        *(draw_silhouettes, draw_presence, draw_agreement),
    )
}


def _colour(cluster):
    """The colour of a cluster, numbered from 1."""
    return style.COLOURS[(cluster - 1) % len(style.COLOURS)]


def _mark_clusters(axes, clusters):
    """Separate and name clusters of samples along the horizontal axis."""
    names, counts = np.unique(clusters, return_counts=True)
    ends = np.cumsum(counts)
    for end in ends[:-1]:
        axes.axvline(end - 0.5, color="black", lw=0.8)
    axes.set_xticks(ends - (counts + 1) / 2, [str(c) for c in names])
    axes.set_xlabel("samples by cluster")
    axes.grid(False)


def _cut(name):
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"
