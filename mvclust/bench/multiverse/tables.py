"""Tables of a multiverse: what agrees with each printed row, controls, choices, effects."""

from collections.abc import Container, Iterator
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import stats

from mvclust.bench.multiverse.controls import accepted, plant
from mvclust.bench.multiverse.effects import effects_of, shares_of
from mvclust.bench.multiverse.protocols import ROW, Row, printed_row, rows_of
from mvclust.bench.multiverse.selection import missed, nearest
from mvclust.bench.multiverse.sets import Agreeing, agreeing
from mvclust.bench.plan.settings import canonical
from mvclust.datasets.catalogue import is_rebuilt

IDENTIFIES = 0.25  # found less accepted; below, a table cannot tell protocols


class Multiverse(NamedTuple):
    """Tables that compare a printed table with all protocols of its rows."""

    rows: pd.DataFrame  # per printed row: how many protocols agree, distances, controls, leads
    protocols: pd.DataFrame  # one line per row and protocol
    controls: pd.DataFrame
    selection: pd.DataFrame
    effects: pd.DataFrame


class Words:
    """Options in words, from the catalogue of questions (parameter -> question and options)."""

    def __init__(self, questions: dict) -> None:
        self.says = {
            canonical({name: option["value"]}): option["says"]
            for name, entry in questions.items()
            for option in entry["values"]
        }

    def option(self, name: str, value: Any) -> str:
        """One option in words."""
        return self.says.get(canonical({name: value}), f"{name}={value}")

    def protocol(self, options: dict) -> str:
        """All options of a protocol in one line."""
        return "; ".join(self.option(name, value) for name, value in options.items())


def multiverse(
    experiments: list[dict], runs: pd.DataFrame, contradictions: Container[tuple], words: Words
) -> Multiverse:
    """Compare all protocols with every printed row; no partition can have `contradictions`."""
    runs = runs.set_index("key")
    rebuilt = set(runs.index[runs["source"].fillna("").map(is_rebuilt)])
    rows = rows_of(experiments, runs, rebuilt)
    sets = {place: agreeing(row) for place, row in rows.items()}
    lines, protocols, controls, selection = [], [], [], []
    for place, row in rows.items():
        about = dict(zip(ROW, place, strict=True))
        found = sets[place]
        planted = plant(row, found)
        hits, tried = accepted(row, found, _others(experiments, place))
        choices = missed(row, found.means, _elsewhere(rows, sets, place))
        controls.append(about | planted._asdict() | {"accepted": hits, "tried": tried})
        selection.append(about | choices._asdict())
        protocols += [about | line for line in _protocols(row, found, words)]
        share = hits / tried if tried else np.nan
        best = nearest(np.abs(found.means - row.printed.to_numpy()).mean(axis=1))
        shift = _headline(row, found.means[row.stated]) - _headline(row, row.printed.to_numpy())
        lines.append(about | {
            "kind": row.kind, "numbers": len(row.printed), "protocols": len(found.inside),
            "agreeing": int(found.inside.sum()), "agreeing_at_3": int(found.near.sum()),
            "stated_agrees": bool(found.inside[row.stated]), "stated_difference": float(shift),
            "stated_mean_abs": choices.stated, "nearest": words.protocol(row.protocols[best]),
            "nearest_mean_abs": choices.in_sample, "found": planted.found, "accepted": share,
            "identifies": planted.found - share,
            "lead_kept": _lead_kept(rows, sets, place, experiments),
            "contradicts_itself": bool(contradictions & _printed_as(experiments, place)),
            "rebuilt": row.rebuilt, "added": row.added,
        })  # fmt: skip
    tables = map(_table, (lines, protocols, controls, selection))
    return Multiverse(*tables, effects_table(rows, words))


def _table(lines: list[dict]) -> pd.DataFrame:
    return pd.DataFrame(lines, columns=None if lines else list(ROW))


def effects_table(rows: dict[tuple, Row], words: Words) -> pd.DataFrame:
    """Effect of each option, and share explained by each question, by kind of methods.

    difference is the mean over the rows with that stated option, in points of accuracy.
    """
    lines, shares = [], []
    for row in rows.values():
        questions = {q: options for q, options in row.levels.items() if not _is_metric(q)}
        y = row.accuracies()
        if not np.isfinite(y).all():
            continue
        stated = row.protocols[row.stated]
        for question, option, difference in effects_of(y.mean(axis=1), questions, stated):
            lines.append((row.kind, question, canonical({question: option}),
                          words.option(question, option),
                          words.option(question, stated[question]), difference))  # fmt: skip
        first, total = shares_of(y.T, [len(options) for options in questions.values()])
        shares += [(row.kind, *line) for line in zip(questions, first, total, strict=True)]
    columns = ["kind", "question", "key", "option", "stated", "difference"]
    table = pd.DataFrame(lines, columns=columns)
    table = table.groupby(columns[:5], sort=False)["difference"]
    table = table.agg(["mean", "min", "max", "size"]).reset_index()
    table.columns = [*columns, "lowest", "highest", "rows"]
    explained = pd.DataFrame(shares, columns=["kind", "question", "first", "total"])
    explained = explained.groupby(["kind", "question"], sort=False).mean().reset_index()
    return table.drop(columns="key").merge(explained, on=["kind", "question"], how="left")


def _is_metric(question: str) -> bool:
    """Whether a question is about the meaning of a metric's name; accuracy has one meaning."""
    return question[0].isupper()


def _protocols(row: Row, found: Agreeing, words: Words) -> Iterator[dict]:
    gaps = np.abs(found.means - row.printed.to_numpy()).mean(axis=1)
    runs = _headline(row, np.moveaxis(row.numbers(), 1, -1)).reshape(len(gaps), -1)
    n = runs.shape[1]
    half = stats.t.ppf(0.975, n - 1) * runs.std(axis=1, ddof=1) / np.sqrt(n)
    for number, options in enumerate(row.protocols):
        yield {
            "protocol": words.protocol(options),
            "stated": number == row.stated,
            "options": canonical(options),
            "printed": float(_headline(row, row.printed.to_numpy())),
            "mean": float(_headline(row, found.means[number])),
            "half_width": float(half[number]),
            "mean_abs": float(gaps[number]),
            "agrees": bool(found.inside[number]),
            "agrees_at_3": bool(found.near[number]),
        }


def _headline(row: Row, means: np.ndarray) -> np.ndarray:
    """Mean over settings of the main metric of a table: accuracy, else its first metric."""
    metrics = row.printed.index.get_level_values("metric")
    name = "acc" if "acc" in set(metrics) else metrics[0]
    return means[..., metrics == name].mean(axis=-1)


def _others(experiments: list[dict], place: tuple) -> list[pd.Series]:
    """Printed rows of other methods in the same table, on the same data."""
    found = {}
    for experiment in experiments:
        if (experiment["paper"], experiment["item"]) == place[:2]:
            for method in experiment["methods"]:
                if method["key"] != place[3]:
                    found[method["key"]] = printed_row(experiment, place[2], method["published"])
    return [row for row in found.values() if len(row)]


def _elsewhere(
    rows: dict[tuple, Row], sets: dict[tuple, Agreeing], place: tuple
) -> list[np.ndarray]:
    """Differences of the method's other rows in the paper, for the same protocols."""
    mine = rows[place]
    return [
        np.abs(sets[other].means - row.printed.to_numpy()).mean(axis=1)
        for other, row in rows.items()
        if other != place
        and (other[0], other[3]) == (place[0], place[3])
        and row.levels == mine.levels
    ]


def _lead_kept(
    rows: dict[tuple, Row], sets: dict[tuple, Agreeing], place: tuple, experiments: list[dict]
) -> float:
    """Share of pairs of protocols that keep a printed lead of the paper's own method."""
    own = own_methods(experiments, place[0])
    if place[3] not in own:
        return np.nan
    mine, kept = rows[place], []
    for other, row in rows.items():
        same = other[:3] == place[:3] and other[3] not in own
        if same and _headline(mine, mine.printed.to_numpy()) > _headline(
            row, row.printed.to_numpy()
        ):
            ours = _headline(mine, sets[place].means)[:, None]
            kept.append((ours > _headline(row, sets[other].means)).mean())
    return float(np.mean(kept)) if kept else np.nan


def own_methods(experiments: list[dict], paper: str) -> set[str]:
    """Keys of the methods that a paper proposes."""
    return {
        name
        for experiment in experiments
        if experiment["paper"] == paper
        for name in experiment["own"]
    }


def _printed_as(experiments: list[dict], place: tuple) -> set[tuple]:
    """Places of the row under the names that the paper gives the method."""
    return {
        (*place[:3], name)
        for experiment in experiments
        for method in experiment["methods"]
        if method["key"] == place[3]
        for name in method["published"]
    }


def summary_of(table: pd.DataFrame, selection: pd.DataFrame) -> dict:
    """Counts behind the sentences of a page; rows on rebuilt data are counted apart."""
    table = table[~table["added"].astype(bool)]
    rebuilt = table["rebuilt"].astype(bool)
    table = table[~rebuilt]
    by_row = table.set_index(list(ROW)).join(selection.set_index(list(ROW)))
    halves = by_row.dropna(subset="crossed")
    elsewhere = by_row.dropna(subset="from_other_rows")
    return {
        "rows": len(table),
        "rebuilt": int(rebuilt.sum()),
        "numbers": int(table["numbers"].sum()),
        "none": int((table["agreeing"] == 0).sum()),
        "some": int((table["agreeing"] > 0).sum()),
        "stated": int(table["stated_agrees"].sum()),
        "near": int((table["agreeing_at_3"] > 0).sum()),
        "found": float(table["found"].mean()),
        "accepted": float(table["accepted"].mean()),
        "cannot_tell": int((table["identifies"] < IDENTIFIES).sum()),
        "halves": _paired(halves["crossed"], halves),
        "elsewhere": _paired(elsewhere["from_other_rows"], elsewhere),
    }


def _paired(chosen: pd.Series, rows: pd.DataFrame) -> dict[str, float]:
    """Means, and the paired interval of chosen minus stated over rows."""
    difference = (chosen - rows["stated"]).to_numpy()
    n = len(difference)
    half = stats.t.ppf(0.975, n - 1) * difference.std(ddof=1) / np.sqrt(n) if n > 2 else np.nan
    return {
        "rows": n,
        "chosen": float(chosen.mean()),
        "stated": float(rows["stated"].mean()),
        "at_random": float(rows["at_random"].mean()),
        "difference": float(difference.mean()) if n else np.nan,
        "half_width": float(half),
    }
