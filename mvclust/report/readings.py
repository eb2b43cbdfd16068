"""Readings of printed rows: verdicts, all that was tried, the control, what choices cost."""

import json
import textwrap
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd

from mvclust.pipeline.plan.settings import canonical
from mvclust.pipeline.score.candidates import MEAN
from mvclust.pipeline.score.effects import effects
from mvclust.pipeline.score.luck import FAR, LEVEL, NEAR, RANDOM_ROWS, explains
from mvclust.pipeline.score.verdicts import NEARNESS, ROW, VERDICTS, judge
from mvclust.report.style import (
    COLOURS,
    GREYS,
    PAGE,
    RC,
    add_note,
    draw_agreement,
    draw_nothing,
    new_figure,
    save_figure,
)
from mvclust.report.tables import csv_text, markdown_table, to_simple_latex, write_texts
from mvclust.report.text import params_text, setting_text

TITLE = "Readings of the published rows"
CHARACTERS = 60  # of a line of a label in the figure
LINE, GAP = 0.11, 0.5  # height of such a line in inches, and the gap between labels in lines
NOT_IN_RUN = "not in this run"
REPRODUCED = ("as stated", "under a reading")
LEVELS = (0.05, LEVEL, 0.2, 0.3, 0.5)  # of expected luck, for the table of levels
SIDES = {"stated": "as stated", "read": "under the nearest reading"}  # panels of the numbers
SHOWN = [
    *(*ROW, "numbers", "verdict", "reading", "scope", "mean_abs", "largest_abs"),
    *("mean_difference", "stated_mean_abs", "stated_mean_difference", "tried", "luck"),
    *("expected_luck", "repeated", "contradicts_itself"),
]

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
        As `mvclust.report.consistency.check_printed` makes it.
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


class Texts:
    """Readings in words, from the catalogue of readings.

    Parameters
    ----------
    readings : dict
        Parameter -> its question, and the values with what they say.
    """

    def __init__(self, readings):
        self.says = {
            canonical({name: value["value"]}): value["says"]
            for name, entry in readings.items()
            for value in entry["values"]
        }

    def value(self, name, value):
        """One value in words."""
        return self.says.get(canonical({name: value}), f"{name}={value}")

    def of(self, table):
        """What every row of a table of candidates did, in one line."""
        return [self._line(row) for row in table.to_dict("records")]

    def _line(self, row):
        if not isinstance(row["reading"], dict):
            return ""
        parts = [self.value(name, value) for name, value in row["reading"].items()]
        parts += [row["starts"]] if row["starts"] != MEAN else []
        point = params_text([row["point"]]) if row["point"] else ""
        parts.append(f"{row['tuning']}: {point}" if point else row["tuning"])
        return "; ".join(parts)


def number_table(numbers):
    """The table of numbers with the setting in words."""
    texts = [setting_text(row) for row in numbers.to_dict("records")]
    table = numbers.assign(setting=texts)
    return table[[*ROW[:3], "setting", "method", "metric", "published", "stated", "read"]]


def verdict_table(verdicts, published, contradictions, texts):
    """Verdicts on all rows that the papers print, those of this run first.

    Parameters
    ----------
    verdicts : DataFrame
        As `mvclust.pipeline.score.verdicts.judge` makes it.
    published : list of dict
    contradictions : set of (paper, item, dataset, method)
    texts : Texts

    Returns
    -------
    DataFrame
        With the columns `SHOWN`.
    """
    printed = pd.DataFrame(published)
    numbers = printed.groupby(list(ROW), sort=False).size().rename("numbers").reset_index()
    made = verdicts.assign(reading=texts.of(verdicts))
    table = numbers.merge(made.drop(columns="numbers"), on=list(ROW), how="left")
    table["verdict"] = table["verdict"].fillna(NOT_IN_RUN)
    table["reading"] = table["reading"].fillna("")
    table["contradicts_itself"] = [
        tuple(row) in contradictions for row in table[list(ROW)].to_numpy()
    ]
    table["tried"] = table["tried"].astype("Int64")
    return table[SHOWN]


def counts_of(rows):
    """How many rows and numbers have which verdict, by table of a paper.

    Returns
    -------
    DataFrame
        verdict, rows, numbers, share (of the numbers on available data that are in this run).
    """
    there = rows[are_decided(rows)]
    groups = rows.groupby("verdict")["numbers"].agg(["size", "sum"])
    groups = groups.reindex([*VERDICTS, NOT_IN_RUN]).dropna().astype(int)
    groups.columns = ["rows", "numbers"]
    total = there["numbers"].sum()
    known = [verdict in set(there["verdict"]) for verdict in groups.index]
    groups["share (%)"] = (100 * groups["numbers"] / total).where(known).round(1)
    return groups.rename_axis("verdict").reset_index()


def level_table(rows):
    """How many rows and numbers are reproduced if more luck, or less, is allowed.

    Parameters
    ----------
    rows : DataFrame
        As `verdict_table` makes it.

    Returns
    -------
    DataFrame
        expected luck and share (%), both as text, rows, numbers.
    """
    there = rows[are_decided(rows)]
    stated = there["verdict"] == "as stated"
    near = explains(there["mean_abs"], there["largest_abs"])
    counted = {f"{100 * level:g} %": there["expected_luck"] <= level for level in LEVELS}
    lines = []
    for level, counts in (counted | {"any": near}).items():
        numbers = there.loc[stated | counts, "numbers"]
        share = 100 * numbers.sum() / max(there["numbers"].sum(), 1)
        lines.append([level, len(numbers), numbers.sum(), f"{share:.1f}"])
    return pd.DataFrame(lines, columns=["expected luck", "rows", "numbers", "share (%)"])


def are_decided(rows):
    """Whether each row of the table of verdicts is of this run, whole and on available data."""
    return ~rows["verdict"].isin([NOT_IN_RUN, "not decided", "no data"])


def summary_of_effects(worth):
    """The mean effect of every value over methods and data sets.

    Returns
    -------
    DataFrame
        parameter, value, compared_with, difference, lowest, highest, cases, share.
    """
    worth = worth.dropna(subset="difference")
    table = worth.groupby(["parameter", "value"], sort=False).agg(
        compared_with=("stated", "first"),
        difference=("difference", "mean"),
        lowest=("difference", "min"),
        highest=("difference", "max"),
        cases=("difference", "size"),
        share=("share", "mean"),
    )
    return table.reset_index()


def choice_table(worth, texts):
    """`summary_of_effects` with the choices in words, the largest effect first."""
    table = summary_of_effects(worth).sort_values("difference", ascending=False, key=abs)
    table["choice"] = [_choice_text(group, texts) for group in table.itertuples()]
    return table[["choice", "difference", "lowest", "highest", "cases", "share"]]


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
    """What every choice is worth in points of accuracy: its mean, and a dot for each case.

    Parameters
    ----------
    worth : DataFrame
        As `mvclust.pipeline.score.effects.effects` makes it.
    texts : Texts

    Returns
    -------
    Figure
    """
    worth = worth.dropna(subset="difference")
    if worth.empty:
        return draw_nothing("No reading was compared in this run.")
    groups = list(summary_of_effects(worth).sort_values("difference").itertuples())
    names = [textwrap.fill(_choice_text(group, texts), CHARACTERS) for group in groups]
    ends = np.cumsum([1 + name.count("\n") + GAP for name in names])
    places = ends - np.diff(ends, prepend=0) / 2
    figure = new_figure(PAGE, 0.6 + LINE * ends[-1])
    axes = figure.subplots()
    for place, group in zip(places, groups, strict=True):
        mine = (worth["parameter"] == group.parameter) & (worth["value"] == group.value)
        dots = worth.loc[mine, "difference"]
        axes.plot(dots, np.full(len(dots), place), "o", color="#56B4E9", ms=2, alpha=0.6, mew=0)
        axes.plot(group.difference, place, "D", color="#D55E00", ms=3.5, mew=0)
    axes.axvline(0, color="black", lw=0.6)
    axes.set_yticks(places, names)
    axes.set_xlabel("points of accuracy")
    axes.set_ylim(0, ends[-1])
    add_note(figure, ["Dots: a method on a data set, all else equal. Diamonds: their mean."])
    return figure


def draw_numbers(numbers, verdicts):
    """Ours against printed, under the protocol as stated and under the nearest reading.

    Parameters
    ----------
    numbers, verdicts : DataFrame
        As `mvclust.pipeline.score.verdicts.judge` makes them.

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
        for mine, colour, label in (
            (~good, GREYS[1], "other rows"),
            (good, COLOURS[0], "rows that are reproduced"),
        ):
            x, y = numbers.loc[mine, "published"], numbers.loc[mine, name]
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


def _choice_text(group, texts):
    value, stated = (json.loads(text) for text in (group.value, group.compared_with))
    if group.parameter in ("starts", "parameters"):
        return value if group.parameter == "starts" else "parameters by labels"
    return f"{texts.value(group.parameter, value)}, not {texts.value(group.parameter, stated)}"
