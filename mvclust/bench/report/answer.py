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
from mvclust.own.answer import by_cluster

FAINT = 0.15  # opacity of a sample that never stays with its cluster
LARGEST_EFFECT = 3  # of the colours
MOST_BELOW = 22  # clusters below each other in a legend
MOST_METHODS = 30  # in a picture
LONGEST = 28  # characters of a feature's name


def draw_answer(answer, folder):
    """Draw the pictures of an answer as svg, pdf and png: answer_samples and the others."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    source = f"mvclust answer; data: {answer.facts['data']}"
    with mpl.rc_context(RC):
        for name, draw in DRAWINGS.items():
            save_figure(draw(answer), folder / f"answer_{name}", source)


def _axes(width=0.75 * PAGE, height=2.6):
    figure = new_figure(width, height)
    return figure, figure.subplots()


def _image(width, height, values, bar, places, names=(), **options):
    """Draw values as colours, with a bar that is called so and names on the left; none of none."""
    if not values.size:
        return draw_nothing("No feature sets a cluster apart."), None
    figure, axes = _axes(width, height)
    shown = axes.imshow(values, **options)
    axes.set_yticks(places, names)
    axes.grid(False)
    if bar:
        figure.colorbar(shown, label=bar, shrink=0.8)
    return figure, axes


def _features(width, values, places, bar, **options):
    """Draw values of features (view, feature) in rows, with a line between views."""
    names = [f"{_cut(feature)}  ({view})" for view, feature in places]
    figure, axes = _image(
        width, 0.17 * len(names) + 0.9, values, bar, range(len(names)), names,
        vmin=-LARGEST_EFFECT, vmax=LARGEST_EFFECT, aspect="auto", **options,
    )  # fmt: skip
    views = np.array([view for view, _ in places])
    for place in np.flatnonzero(views[1:] != views[:-1]) if axes else ():
        axes.axhline(place + 0.5, color="black", lw=0.8)
    return figure, axes


def draw_samples(answer):
    """Draw the samples in two dimensions: colours are clusters, opacity is certainty."""
    figure, axes = _axes(height=0.55 * PAGE)
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


def draw_features(answer):
    """Draw the effect of the strongest features of every view, by cluster."""
    heat = answer.heat
    values = np.clip(heat.to_numpy(dtype=float), -LARGEST_EFFECT, LARGEST_EFFECT)
    figure, axes = _features(0.75 * PAGE, values, heat.index, "effect (g)", cmap="RdBu_r")
    if axes:
        axes.set_xticks(range(heat.shape[1]), [str(c) for c in heat.columns])
        axes.set_xlabel("cluster")
    return figure


def draw_heat(answer):
    """Draw samples by cluster against the features of `heat`: standardised values."""
    order = by_cluster(answer.labels)
    values = answer.values.to_numpy(dtype=float)[order].T
    colours = mpl.colormaps["RdBu_r"].with_extremes(bad="#dddddd")
    figure, axes = _features(PAGE, values, answer.values.columns, "standardised value",
                             cmap=colours, interpolation="nearest")  # fmt: skip
    if axes:
        _mark_clusters(axes, answer.labels["cluster"].to_numpy()[order])
    return figure


def draw_presence(answer):
    """Draw samples by cluster: which views they have."""
    clusters = answer.labels["cluster"].to_numpy()
    order = np.lexsort((*answer.presence.T[::-1], clusters))
    counts = zip(answer.views, answer.presence.sum(axis=0), strict=True)
    names = [f"{_cut(view)}: {n} of {len(clusters)}" for view, n in counts]
    height = min(TALLEST, 0.28 * len(names) + 0.8)
    figure, axes = _image(
        0.75 * PAGE, height, answer.presence[order].T, None, range(len(names)), names, vmin=0,
        vmax=1, cmap=mpl.colors.ListedColormap(["#ffffff", "#56748f"]), aspect="auto",
        interpolation="nearest",
    )  # fmt: skip
    _mark_clusters(axes, np.sort(clusters))
    return figure


def draw_survival(answer):
    """Draw the curve of each cluster with its interval, and the numbers at risk."""
    known = answer.facts["survival"]
    if not known or not known["curves"]:
        return draw_nothing("No times and events are given.")
    curves = known["curves"]
    figure = new_figure(PAGE * 0.75, 3.0 + 0.17 * len(curves))
    axes, table = figure.subplots(2, sharex=True, height_ratios=[3, 0.22 * len(curves)])
    for row, curve in enumerate(curves):
        look = {"color": _colour(curve["cluster"])}
        median = "not reached" if curve["median"] is None else f"{curve['median']:.4g}"
        name = f"{curve['cluster']} ({curve['events']} of {curve['patients']}; {median})"
        axes.step(curve["times"], curve["survival"], where="post", label=name, **look)
        axes.fill_between(
            curve["times"], curve["low"], curve["high"], step="post", alpha=0.12, lw=0, **look
        )
        for tick, count in zip(known["ticks"], curve["at_risk"], strict=True):
            table.text(tick, row, str(count), ha="center", va="center", fontsize=7)
    p = "not tested" if known["p"] is None else f"log-rank p = {known['p']:.2g} (permuted)"
    axes.set(ylim=(0, 1.02), ylabel="without the event", title=p)
    figure.legend(title="cluster (events; median)", loc="outside right upper")
    table.set(ylim=(len(curves) - 0.5, -0.5), xlabel="time", ylabel="at risk")
    table.set_yticks(range(len(curves)), [str(curve["cluster"]) for curve in curves])
    table.set_xticks(known["ticks"])
    table.grid(False)
    table.tick_params(axis="y", length=0)
    table.spines[["left"]].set_visible(False)
    return figure


def draw_number(answer):
    """Draw the eigengap of each number of clusters, and its range over subsamples."""
    found = answer.facts["number"]
    if not found:
        return draw_nothing("Too few samples to compare numbers of clusters.")
    figure, axes = _axes()
    k, used = np.array(found["candidates"]), found["n_clusters"]
    axes.fill_between(k, found["low"], found["high"], color=COLOURS[0], alpha=0.2, lw=0)
    axes.plot(k, found["gaps"], color=COLOURS[0], marker="o")
    axes.axvline(used, color="#777777", ls=":")
    for each, high, share in zip(k, found["high"], found["share"], strict=True):
        if share:
            axes.annotate(f"{share:.0%}", (each, high), (0, 3), textcoords="offset points",
                          ha="center", fontsize=7)  # fmt: skip
    axes.set_xticks(k)
    axes.margins(y=0.15)
    axes.set(xlabel=f"number of clusters (used: {used})", ylabel="eigengap")
    return figure


def draw_consensus(answer):
    """Draw how often perturbed fits put two samples together, samples by cluster."""
    colours = mpl.colormaps["Blues"].with_extremes(bad="#dddddd")
    figure, axes = _image(0.6 * PAGE, 0.5 * PAGE, answer.consensus.to_numpy(), "share of the fits",
                          [], cmap=colours, vmin=0, vmax=1, interpolation="nearest")  # fmt: skip
    _mark_clusters(axes, answer.labels["cluster"].to_numpy()[answer.consensus.index])
    return figure


def draw_silhouettes(answer):
    """Draw the silhouette of each sample, by cluster."""
    table = answer.labels.sort_values(["cluster", "silhouette"], ascending=[True, False])
    clusters, values = table["cluster"].to_numpy(), table["silhouette"].to_numpy()
    figure, axes = _axes()
    colours = [_colour(c) for c in clusters]
    axes.bar(range(len(values)), np.nan_to_num(values), width=1.0, color=colours, lw=0)
    axes.axhline(np.nanmean(values), color="#444444", ls=":")
    axes.set(ylabel="silhouette", xlim=(-0.5, len(values) - 0.5))
    _mark_clusters(axes, clusters)
    return figure


def draw_agreement(answer):
    """Draw the adjusted Rand index of each two methods."""
    table = answer.agreement.iloc[:MOST_METHODS, :MOST_METHODS]
    size = max(COLUMN, 0.17 * len(table) + 1.6)
    figure, axes = _image(min(size * 1.15, PAGE), min(size, PAGE), table.to_numpy(),
                          "adjusted Rand index", range(len(table)), table.index,
                          cmap="viridis", vmin=0, vmax=1)  # fmt: skip
    axes.set_xticks(range(len(table)), table.columns, rotation=90)
    if len(table) < len(answer.agreement):
        add_note(figure, [f"The first {len(table)} of {len(answer.agreement)} methods."])
    return figure


DRAWINGS = {
    draw.__name__.removeprefix("draw_"): draw
    for draw in (draw_samples, draw_features, draw_heat, draw_survival, draw_number, draw_consensus,
                 draw_silhouettes, draw_presence, draw_agreement)
}  # fmt: skip


def _colour(cluster):
    """The colour of a cluster, numbered from 1."""
    return COLOURS[(cluster - 1) % len(COLOURS)]


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
