"""Readings of printed rows: verdicts, all that was tried, the control, what choices cost."""

import textwrap
from pathlib import Path

import matplotlib as mpl
import numpy as np

from mvclust.multiverse.effects import effects
from mvclust.multiverse.luck import FAR, LEVEL, NEAR, RANDOM_ROWS
from mvclust.multiverse.readings import (
    REPRODUCED,
    Texts,
    choice_table,
    choice_text,
    counts_of,
    level_table,
    number_table,
    summary_of_effects,
    verdict_table,
)
from mvclust.multiverse.verdicts import NEARNESS, ROW, judge
from mvclust.report.style import (
    COLOURS,
    GREYS,
    LINE,
    PAGE,
    RC,
    TALLEST,
    add_note,
    draw_agreement,
    draw_nothing,
    new_figure,
    save_figure,
    size_for,
)
from mvclust.report.writing import csv_text, markdown_table, to_simple_latex, write_texts

TITLE = "Readings of the published rows"
CHARACTERS = 60  # of a line of a label in the figure
WANTED, GAP = 0.11, 0.5  # height of such a line in inches, and the gap between labels in lines
AROUND = 0.6  # inches for the axis and the note
SIDES = {"stated": "as stated", "read": "under the nearest reading"}  # panels of the numbers

ABOUT = {  # title and remark of the tables beside that of the verdicts
    "numbers": (
        "Every printed number, as stated and as read",
        "Percent. Stated: the protocol as the paper states it; read: that of the verdict.",
    ),
    "tried": ("Readings tried", "Of single points of a grid the nearest."),
    "control": (
        "Control: the same search for the rows of other methods",
        "Nearest: mean absolute difference, in points. Explained: within both limits. Counts: it "
        "would be a reading that counts. As stated: the protocol as stated is as near as it must.",
    ),
    "levels": (
        "How many rows are reproduced, by the luck that is allowed",
        "Expected luck: the largest share that luck may have among the readings that count. Any: "
        "every reading counts that is within both limits.",
    ),
    "effects": (
        "What a choice is worth",
        "Points of accuracy against the stated choice, all else equal: the mean, lowest and "
        "highest over methods and data sets (cases), and the share of the variance of accuracy "
        "over all points of a row that the parameter explains.",
    ),
}


def write_readings(used, runs, checked, folder):
    """Write the tables and figures that begin with `readings`.

    Parameters
    ----------
    used : dict
        The slice of the plan: experiments, readings, and printed, the papers' numbers.
    runs : DataFrame
        The runs of the experiments.
    checked : DataFrame
        As `mvclust.multiverse.consistency.check_printed` makes it.
    folder : path
        The results folder.
    """
    folder = Path(folder)
    broken = checked[~checked["holds"].astype(bool)]
    contradictions = set(map(tuple, broken[list(ROW)].to_numpy()))
    judged = judge(used["experiments"], runs, contradictions)
    worth = effects(used["experiments"], runs)
    texts = Texts(used["readings"])
    rows = verdict_table(judged.verdicts, used["printed"]["published"], contradictions, texts)
    _write_verdicts(rows, judged.control, folder / "tables" / "readings")
    how = judged.tried.assign(reading=texts.of(judged.tried))[[*ROW, "reading", *NEARNESS]]
    tables = {
        "numbers": number_table(judged.numbers),
        "tried": how,
        "control": judged.control,
        "levels": level_table(rows),
        "effects": choice_table(worth, texts),
    }
    for name, table in tables.items():
        _write(table, *ABOUT[name], folder / "tables" / f"readings_{name}")
    (folder / "figures").mkdir(parents=True, exist_ok=True)
    with mpl.rc_context({**RC, "text.hinting": "none"}):  # long labels are as wide in any format
        figures = {
            "readings": draw_effects(worth, texts),
            "readings_numbers": draw_numbers(judged.numbers, judged.verdicts),
        }
        for name, figure in figures.items():
            save_figure(figure, folder / "figures" / name, "mvclust readings")


def _write_verdicts(rows, control, stem):
    counts = counts_of(rows)
    remark = (
        "A row is one method on one data set in one table, with all its settings and metrics. As "
        f"stated: the protocol as the paper states it, within {NEAR:g} points in the mean "
        f"absolute difference. Under a reading: within {NEAR:g} in the mean and {FAR:g} for each "
        "number, by one way to fill what the paper leaves open, where the same searches explain "
        f"few of {RANDOM_ROWS} random rows as well (luck: their share), so few that of all "
        f"readings that count at most {100 * LEVEL:g} % are expected to be luck (expected luck: "
        "that share among this row and those with less). Better: above the print under the "
        "stated protocol. Perhaps by luck: a reading is within both limits and does not count. "
        "Repeated: the share of draws of other masks on which this reading comes within both "
        "limits of itself. Percent points; ours minus printed."
    )
    parts = [f"# {TITLE}", remark, markdown_table(counts)]
    if len(control):
        explained = 100 * control["explained"].mean()
        parts.append(
            f"Control: of {len(control)} rows of other methods the searches explain "
            f"{explained:.1f} %, and would count {100 * control['counts'].mean():.1f} %."
        )
    digits = dict.fromkeys(rows.columns, 2) | {"luck": 4, "expected_luck": 4}
    parts.append(f"## Rows\n\n{markdown_table(rows.round(digits))}")
    texts = {
        "csv": csv_text(rows),
        "md": "\n\n".join(parts) + "\n",
        "tex": to_simple_latex(counts, f"{TITLE}. {remark}"),
    }
    write_texts(stem, texts)


def _write(table, title, remark, stem):
    texts = {
        "csv": csv_text(table),
        "md": f"# {title}\n\n{remark}\n\n{markdown_table(table.round(2))}\n",
        "tex": to_simple_latex(table.round(2).head(40), f"{title}. {remark}"),
    }
    write_texts(stem, texts)


def draw_effects(worth, texts):
    """The effect of each choice in points of accuracy: its mean, and one dot per case.

    Parameters
    ----------
    worth : DataFrame
        As `mvclust.multiverse.effects.effects` makes it.
    texts : Texts

    Returns
    -------
    Figure
    """
    worth = worth.dropna(subset="difference")
    if worth.empty:
        return draw_nothing("No reading was compared in this run.")
    groups = list(summary_of_effects(worth).sort_values("difference").itertuples())
    names = [textwrap.fill(choice_text(group, texts), CHARACTERS) for group in groups]
    heights = np.array([1 + name.count("\n") + GAP for name in names])
    # Without room for all the smallest effects are left out.
    by_size = np.argsort([-abs(group.difference) for group in groups], kind="stable")
    chosen = np.sort(by_size[np.cumsum(heights[by_size]) * LINE <= TALLEST - AROUND])
    lacking, names = len(groups) - len(chosen), [names[i] for i in chosen]
    groups, ends = [groups[i] for i in chosen], np.cumsum(heights[chosen])
    places = ends - np.diff(ends, prepend=0) / 2
    each = min(WANTED, (TALLEST - AROUND) / ends[-1])
    figure = new_figure(PAGE, AROUND + each * ends[-1])
    axes = figure.subplots()
    for place, group in zip(places, groups, strict=True):
        is_group = (worth["parameter"] == group.parameter) & (worth["value"] == group.value)
        dots = worth.loc[is_group, "difference"]
        axes.plot(dots, np.full(len(dots), place), "o", color="#56B4E9", ms=2, alpha=0.6, mew=0)
        axes.plot(group.difference, place, "D", color="#D55E00", ms=3.5, mew=0)
    axes.axvline(0, color="black", lw=0.6)
    axes.set_yticks(places, names, fontsize=size_for(each))
    axes.set_xlabel("points of accuracy")
    axes.set_ylim(0, ends[-1])
    notes = ["Dots: a method on a data set, all else equal. Diamonds: their mean."]
    if lacking:
        notes.append(f"Not drawn: the {lacking} smallest; tables/readings_effects.csv has all.")
    add_note(figure, notes)
    return figure


def draw_numbers(numbers, verdicts):
    """Ours against printed, under the protocol as stated and under the nearest reading.

    Parameters
    ----------
    numbers, verdicts : DataFrame
        As `mvclust.multiverse.verdicts.judge` makes them.

    Returns
    -------
    Figure
    """
    numbers = numbers.dropna(subset=list(SIDES), how="all")
    if numbers.empty:
        return draw_nothing("No printed number has one of ours beside it in this run.")
    verdict = numbers.merge(verdicts, on=list(ROW), how="left")["verdict"]
    good = verdict.isin(REPRODUCED).to_numpy()
    figure = new_figure(0.75 * PAGE, 0.42 * PAGE)
    panels = figure.subplots(1, len(SIDES), sharex=True, sharey=True)
    for axes, (name, title) in zip(panels, SIDES.items(), strict=True):
        draw_agreement(axes, NEAR)
        for chosen, colour, label in (
            (~good, GREYS[1], "other rows"),
            (good, COLOURS[0], "rows that are reproduced"),
        ):
            x, y = numbers.loc[chosen, "published"], numbers.loc[chosen, name]
            axes.plot(x, y, "o", color=colour, ms=2.5, mew=0, alpha=0.7, label=label)
        axes.set(title=title, xlabel="printed (%)")
    panels[0].set_ylabel("ours (%)")
    panels[-1].legend(loc="upper left")
    add_note(
        figure,
        [
            f"The band is {NEAR:g} points wide to each side. Readings are searched for nearness: "
            "other rows may be near by luck."
        ],
    )
    return figure
