"""Mean ranks of methods over data sets: critical-difference diagram, win matrix, table."""

import warnings

import numpy as np
import pandas as pd

from mvclust.benchmark.statistics import (
    compare_methods,
    complete_part,
    critical_difference,
    win_matrix,
)
from mvclust.report.style import PAGE, new_figure


def scores_of(results, metric, tuning):
    """Blocks (data set, setting) x methods of one metric under one way of tuning."""
    part = results[(results["metric"] == metric) & (results["tuning"] == tuning)]
    return part.pivot(index=["dataset", "setting"], columns="method", values="mean")


def rank_table(experiment, results):
    """The tests for every metric and way of tuning.

    Returns
    -------
    DataFrame
        metric, tuning, then the columns of `mvclust.benchmark.statistics.compare_methods`,
        friedman_p, n_blocks, and left_out: methods that lack more than a fifth of the blocks.
    """
    parts = []
    for metric in experiment["metrics"]:
        for tuning in dict.fromkeys(results["tuning"]):
            scores = scores_of(results, metric, tuning)
            complete = complete_part(scores)
            if min(complete.shape) < 3:
                continue
            table, friedman_p, _ = compare_methods(complete)
            parts.append(
                table.assign(
                    metric=metric,
                    tuning=tuning,
                    friedman_p=friedman_p,
                    n_blocks=len(complete),
                    left_out=", ".join(sorted(set(scores) - set(complete))),
                )
            )
    if not parts:
        return pd.DataFrame(columns=["metric", "tuning", "method", "rank", "n_blocks", "left_out"])
    table = pd.concat(parts, ignore_index=True)
    return table[["metric", "tuning", *[c for c in table if c not in ("metric", "tuning")]]]


def draw_ranks(experiment, results):
    """A critical-difference diagram for each way of tuning, and the win matrix of the last.

    A bar joins methods whose mean ranks differ by less than Nemenyi's critical difference.
    """
    metric = next(iter(experiment["metrics"]))
    tunings = list(dict.fromkeys(results["tuning"]))
    parts = {t: complete_part(scores_of(results, metric, t)) for t in tunings}
    parts = {t: scores for t, scores in parts.items() if min(scores.shape) >= 3}
    if not parts:
        return None
    n_methods = max(scores.shape[1] for scores in parts.values())
    each, wins = 0.09 * n_methods + 0.7, 0.15 * n_methods + 1.4
    figure = new_figure(PAGE, each * len(parts) + wins)
    heights = [*[each] * len(parts), wins]
    panels = figure.subplots(len(parts) + 1, 1, height_ratios=heights, squeeze=False)[:, 0]
    for axes, (tuning, scores) in zip(panels, parts.items(), strict=False):
        _draw_diagram(axes, scores)
        everything = scores_of(results, metric, tuning)
        title = f"{metric}, tuning: {tuning}, {len(scores)} of {len(everything)} blocks"
        left_out = sorted(set(everything) - set(scores))
        title += f"; left out: {', '.join(left_out)}" if left_out else ""
        axes.set_title(title, wrap=True)
    tuning, scores = list(parts.items())[-1]
    _draw_wins(figure, panels[-1], scores)
    panels[-1].set_title(f"share of blocks in which the row beats the column, tuning: {tuning}")
    return figure


def _draw_diagram(axes, scores):
    ranks = scores.rank(axis=1, ascending=False).mean().sort_values()
    difference = critical_difference(len(ranks), len(scores))
    n, half = len(ranks), (len(ranks) + 1) // 2
    axes.set_xlim(0, n + 1)
    axes.set_ylim(half + 1.2, -1.2)
    axes.axis("off")
    axes.plot([1, n], [0, 0], color="black", lw=0.8)
    for tick in range(1, n + 1):
        axes.plot([tick, tick], [0, -0.2], color="black", lw=0.6)
        if tick in (1, n) or tick % 5 == 0:
            axes.text(tick, -0.35, str(tick), ha="center", va="bottom", fontsize=6)
    axes.plot([1, 1 + difference], [-1.1, -1.1], color="black", lw=1.2)
    axes.text(1 + difference + 0.1, -1.1, f"CD = {difference:.2f}", va="center", fontsize=6)
    for place, (name, rank) in enumerate(ranks.items()):
        left = place < half
        row = 1.2 + (place if left else n - 1 - place)
        end = 0.7 if left else n + 0.3
        axes.plot([rank, rank, end], [0, row, row], color="#666666", lw=0.5)
        text = f"{name} {rank:.1f}" if left else f"{rank:.1f} {name}"
        side = {"ha": "right" if left else "left", "va": "center", "fontsize": 6}
        axes.text(end - 0.05 if left else end + 0.05, row, text, **side)
    for level, (first, last) in enumerate(groups_within(ranks.to_numpy(), difference)):
        height = 0.25 + 0.16 * (level % 4)
        span = [ranks.iloc[first] - 0.05, ranks.iloc[last] + 0.05]
        axes.plot(span, [height, height], color="#0072B2", lw=1.8, solid_capstyle="round")


def groups_within(ranks, difference):
    """The longest runs of sorted ranks that lie within a difference, as (first, last) pairs.

    Examples
    --------
    >>> groups_within([1.0, 1.5, 2.4, 4.0], 1.0)
    [(0, 1), (1, 2)]
    """
    ranks, found = np.asarray(ranks), []
    for first in range(len(ranks)):
        last = int(np.searchsorted(ranks, ranks[first] + difference, side="right")) - 1
        if last > first and (not found or last > found[-1][1]):
            found.append((first, last))
    return found


def _draw_wins(figure, axes, scores):
    order = scores.rank(axis=1, ascending=False).mean().sort_values().index
    wins = win_matrix(scores[order]) / len(scores)
    values = wins.to_numpy(dtype=float, copy=True)
    np.fill_diagonal(values, np.nan)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        image = axes.imshow(values, cmap="PuOr", vmin=0, vmax=1)
    axes.set_xticks(range(len(order)), order, rotation=90)
    axes.set_yticks(range(len(order)), order)
    axes.tick_params(labelsize=6)
    axes.grid(False)
    figure.colorbar(image, ax=axes, shrink=0.6)
