"""Mean ranks of methods over data sets: critical differences, win matrix, table."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mvclust.bench.report import style
from mvclust.bench.report.text import not_drawn_text
from mvclust.bench.score import significance
from mvclust.bench.score.overall import rank_table, reference_table, scores_of
from mvclust.metrics import SCORES

MOST = 80  # methods that fit a page
AROUND = 1.2  # inches for titles, axes and the note
WIDEST = 1.6  # inches of the name of a method
MATRIX_TICKS = 12  # numbers that fit below the win matrix
TUNING = "tuning: "

BESIDE = "Beside the best reference"
ABOUT_BESIDE = (
    "Above and below: on how many data sets by more than the 95 % interval of the difference over "
    "the masks. The interval in the table is that of the mean difference over the data sets; p is "
    "Wilcoxon's, corrected by Holm's for the number of methods."
)


def rank_tests(described: dict, results: pd.DataFrame) -> list[tuple[str, str, pd.DataFrame]]:
    """Mean ranks and, if a block is a data set, the best reference: (title, remark, table) each."""
    whole, ranks = described["blocks"] == "datasets", rank_table(described, results)
    left_out = sorted({name for names in ranks["left_out"] for name in names})
    remark = f"Methods that lack more than a fifth of the data sets{'' if whole else ' and rates'}"
    remark += f" are left out: {', '.join(left_out) or 'none'}."
    tests = [("Mean ranks", remark, ranks.drop(columns="left_out"))]
    if whole:
        tests.append((BESIDE, ABOUT_BESIDE, reference_table(described, results)))
    return tests


def draw_ranks(described: dict, results: pd.DataFrame) -> Figure:
    """Draw mean ranks of the methods under each tuning, and the win matrix of the last."""
    metric, column = next(iter(described["metrics"].items()))
    sign, tunings = SCORES[column].sign, dict.fromkeys(results["tuning"])
    everything = {tuning: sign * scores_of(results, metric, tuning) for tuning in tunings}
    parts = {t: significance.complete_part(scores) for t, scores in everything.items()}
    parts = {t: scores for t, scores in parts.items() if min(scores.shape) >= 3}
    if not parts:
        return style.draw_nothing("Too few data sets and methods for ranks.")
    ranks = {tuning: significance.mean_ranks(scores) for tuning, scores in reversed(parts.items())}
    methods = list(dict.fromkeys(name for each in ranks.values() for name in each.index))
    order = methods[:MOST]
    each = min(0.15, (style.TALLEST - AROUND) / len(order))
    figure = style.new_figure(style.PAGE, max(1.0, each * len(order)) + AROUND)
    widths = [*[1] * len(parts), 1.8]
    panels = figure.subplots(1, len(parts) + 1, width_ratios=widths, sharey=True, squeeze=False)[0]
    notes = [f"{metric}; a bar is as long as the critical difference (Nemenyi, 5 %): methods "
             "whose bars do not overlap differ in their mean rank."]  # fmt: skip
    for axes, (tuning, scores) in zip(panels, parts.items(), strict=False):
        _draw_ranks(axes, ranks[tuning], order, len(scores))
        blocks = f"{len(scores)} of {len(everything[tuning])} blocks"
        axes.set_title(f"{TUNING}{tuning}\n{blocks}", fontsize=style.RC["ytick.labelsize"])
        left_out = sorted(set(everything[tuning]) - set(scores))
        notes += [f"Too few blocks, {TUNING}{tuning}: {', '.join(left_out)}."] if left_out else []
    tuning, scores = list(parts.items())[-1]
    _draw_wins(figure, panels[-1], scores, order)
    title = f"share of blocks in which the row\nbeats the column, {TUNING}{tuning}"
    panels[-1].set_title(title, fontsize=style.RC["ytick.labelsize"])
    names = [style.wrapped(name, WIDEST, style.SMALLEST, 1) for name in order]
    texts = [f"{name}  {place}" for place, name in enumerate(names, 1)]
    panels[0].set_yticks(range(len(order)), texts, fontsize=style.size_for(each))
    panels[0].set_ylim(len(order) - 0.5, -0.5)
    lacking = len(methods) - len(order)
    what = [f"{lacking} of {len(methods)} methods"] if lacking else []
    style.add_note(figure, [*notes, not_drawn_text(described, what)])
    return figure


def _draw_ranks(axes: Axes, ranks: pd.Series, order: list[str], n_blocks: int) -> None:
    """Draw the mean ranks under one tuning."""
    half = significance.critical_difference(len(ranks), n_blocks) / 2
    shown = ranks.reindex(order)
    lines = np.arange(len(order))
    axes.axvspan(ranks.iloc[0] - half, ranks.iloc[0] + half, color="#0072B2", alpha=0.08, lw=0)
    axes.hlines(lines, shown - half, shown + half, color="#0072B2", lw=0.9)
    axes.plot(shown, lines, "o", color="#0072B2", ms=2.8)
    axes.set_xlabel(f"mean rank\n(CD = {2 * half:.2f})")
    axes.tick_params(axis="x", labelsize=style.SMALLEST)


def _draw_wins(figure: Figure, axes: Axes, scores: pd.DataFrame, order: list[str]) -> None:
    """Draw the share of wins; methods have the numbers of the lines."""
    wins = (significance.win_matrix(scores) / len(scores)).reindex(index=order, columns=order)
    values = wins.to_numpy(dtype=float, copy=True)
    np.fill_diagonal(values, np.nan)
    image = axes.imshow(values, cmap="PuOr", vmin=0, vmax=1, aspect="auto")
    places = np.arange(0, len(order), style.every_other(len(order), MATRIX_TICKS))
    axes.set_xticks(places, places + 1, fontsize=style.SMALLEST)
    axes.set_xlabel("number of the method")
    axes.grid(False)
    bar = figure.colorbar(image, ax=axes, shrink=0.8)
    bar.ax.tick_params(labelsize=style.SMALLEST)
