"""Mean ranks of methods over data sets: critical-difference diagram, win matrix, table."""

import warnings

import numpy as np

from mvclust.metrics import SCORES
from mvclust.pipeline.score.overall import rank_table, reference_table, scores_of
from mvclust.pipeline.score.significance import (
    complete_part,
    critical_difference,
    groups_within,
    mean_ranks,
    win_matrix,
)
from mvclust.report.style import PAGE, draw_nothing, new_figure

BESIDE = "Beside the best reference"
ABOUT_BESIDE = (
    "Above and below: on how many data sets by more than the 95 % interval of the difference over "
    "the masks. The interval in the table is that of the mean difference over the data sets; p is "
    "Wilcoxon's, corrected by Holm's for the number of methods."
)


def rank_tests(described, results):
    """The tests of an experiment as tables for print.

    Parameters
    ----------
    described : dict
    results : DataFrame
        By blocks, see `mvclust.pipeline.score.overall.blocks_of`.

    Returns
    -------
    list of (title, remark, table)
        The mean ranks; and where a block is a data set, every method beside the best reference.
    """
    whole, ranks = described["blocks"] == "datasets", rank_table(described, results)
    left_out = sorted({name for names in ranks["left_out"] for name in names})
    remark = f"Methods that lack more than a fifth of the data sets{'' if whole else ' and rates'}"
    remark += f" are left out: {', '.join(left_out) or 'none'}."
    tests = [("Mean ranks", remark, ranks.drop(columns="left_out"))]
    if whole:
        tests.append((BESIDE, ABOUT_BESIDE, reference_table(described, results)))
    return tests


def draw_ranks(described, results):
    """A critical-difference diagram for each way of tuning, and the win matrix of the last.

    A bar joins methods whose mean ranks differ by less than Nemenyi's critical difference.

    Parameters
    ----------
    described : dict
    results : DataFrame
        By blocks, see `mvclust.pipeline.score.overall.blocks_of`.

    Returns
    -------
    Figure
    """
    metric, column = next(iter(described["metrics"].items()))
    sign, tunings = SCORES[column].sign, dict.fromkeys(results["tuning"])
    everything = {tuning: sign * scores_of(results, metric, tuning) for tuning in tunings}
    parts = {t: complete_part(scores) for t, scores in everything.items()}
    parts = {t: scores for t, scores in parts.items() if min(scores.shape) >= 3}
    if not parts:
        return draw_nothing("Too few data sets and methods for ranks.")
    n_methods = max(scores.shape[1] for scores in parts.values())
    each, wins = 0.09 * n_methods + 0.7, 0.15 * n_methods + 1.4
    figure = new_figure(PAGE, each * len(parts) + wins)
    figure.get_layout_engine().set(w_pad=0.12, h_pad=0.1)  # names of methods reach the edge
    heights = [*[each] * len(parts), wins]
    panels = figure.subplots(len(parts) + 1, 1, height_ratios=heights, squeeze=False)[:, 0]
    for axes, (tuning, scores) in zip(panels, parts.items(), strict=False):
        _draw_diagram(axes, scores)
        title = f"{metric}, tuning: {tuning}, {len(scores)} of {len(everything[tuning])} blocks"
        left_out = sorted(set(everything[tuning]) - set(scores))
        title += f"; left out: {', '.join(left_out)}" if left_out else ""
        axes.set_title(title, wrap=True)
    tuning, scores = list(parts.items())[-1]
    _draw_wins(figure, panels[-1], scores)
    panels[-1].set_title(f"share of blocks in which the row beats the column, tuning: {tuning}")
    return figure


def _draw_diagram(axes, scores):
    ranks = mean_ranks(scores)
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


def _draw_wins(figure, axes, scores):
    order = mean_ranks(scores).index
    wins = win_matrix(scores[order]) / len(scores)
    values = wins.to_numpy(dtype=float, copy=True)
    np.fill_diagonal(values, np.nan)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        image = axes.imshow(values, cmap="PuOr", vmin=0, vmax=1, aspect="auto")
    axes.set_xticks(range(len(order)), order, rotation=90)
    axes.set_yticks(range(len(order)), order)
    axes.tick_params(labelsize=6)
    axes.grid(False)
    figure.colorbar(image, ax=axes, shrink=0.6, panchor=False)
