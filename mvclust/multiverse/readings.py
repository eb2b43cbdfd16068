"""Tables of readings: verdicts, levels of luck, and what choices are worth, in words."""

import json

import pandas as pd

from mvclust.datasets.catalogue import REBUILT
from mvclust.multiverse.candidates import MEAN
from mvclust.multiverse.luck import LEVEL, explains
from mvclust.multiverse.verdicts import ROW, VERDICTS
from mvclust.pipeline.plan.settings import canonical
from mvclust.pipeline.score.names import params_text, setting_text

NOT_IN_RUN = "not in this run"


REPRODUCED = ("as stated", "under a reading")


LEVELS = (0.05, LEVEL, 0.2, 0.3, 0.5)  # of expected luck, for the table of levels


SHOWN = [
    *(*ROW, "numbers", "verdict", "reading", "scope", "mean_abs", "largest_abs"),
    *("mean_difference", "stated_mean_abs", "stated_mean_difference", "tried", "luck"),
    *("expected_luck", "repeated", "contradicts_itself"),
]


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
        As `mvclust.multiverse.verdicts.judge` makes it.
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
    return ~rows["verdict"].isin([NOT_IN_RUN, "not decided", REBUILT, "no data"])


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
    table["choice"] = [choice_text(group, texts) for group in table.itertuples()]
    return table[["choice", "difference", "lowest", "highest", "cases", "share"]]


def choice_text(group, texts):
    """A choice of `summary_of_effects` beside the stated one, in words."""
    value, stated = (json.loads(text) for text in (group.value, group.compared_with))
    if group.parameter in ("starts", "parameters"):
        return value if group.parameter == "starts" else "parameters by labels"
    return f"{texts.value(group.parameter, value)}, not {texts.value(group.parameter, stated)}"
