"""The protocols of a printed row: what its paper leaves open, crossed, and our scores under each.

A row is one method on one data set in one table, with all its settings and metrics. Every row of a
kind of methods gets the same questions; what the table's experiment states is one of the options.
"""

import itertools
from collections.abc import Collection
from typing import NamedTuple

import numpy as np
import pandas as pd

from mvclust.bench.multiverse.consistency import printed_digits
from mvclust.bench.plan.settings import JOINT, PER_VIEW, canonical, defined_together
from mvclust.bench.score.tuning import metric_key

START = "start"  # the parameter that numbers the starts on a mask
RELEASED = "published"  # the protocol with masks of the authors, on which only starts differ
PLACE = ("missing_rate", "paired_rate", "view", "metric")
ROW = ("paper", "item", "dataset", "method")


class Row(NamedTuple):
    """A printed row and everything that was tried for it."""

    place: tuple  # paper, item, data set as the paper calls it, key of the method
    kind: str  # of the method
    levels: dict  # question -> options; protocols are their product, last question fastest
    stated: int  # index of the protocol that the table's experiment states
    printed: pd.Series  # in percent; the index is `PLACE`, NaN where the table has none
    shape: tuple  # number of settings with masks of their own, and of numbers of each
    scores: np.ndarray  # (fitted, points, cases, masks, starts, views, metrics), accuracy last
    at: list  # per meaning of the metrics' names: (case, view, metric) of the printed numbers
    released: bool  # whether the masks are the authors' own
    printed_runs: int  # behind a printed mean
    step: float  # one sample in points
    digits: int  # decimals that the paper prints, in percent
    rebuilt: bool  # whether the data are rebuilt
    added: bool  # whether its questions were added after scores had been read

    @property
    def protocols(self) -> list[dict]:
        """Options of every protocol."""
        return crossed(self.levels)

    def numbers(
        self, masks: slice | np.ndarray = slice(None), starts: slice | np.ndarray = slice(None)
    ) -> np.ndarray:
        """Our numbers under every protocol, tuned by accuracy in each setting as the papers do.

        Of shape (n_protocols, n_numbers, n_masks, n_starts); NaN where a fit failed.
        """
        chosen = _tuned(self.scores[:, :, :, masks][:, :, :, :, starts])
        by_meaning = [chosen[:, case, :, :, view, metric] for case, view, metric in self.at]
        found = np.stack(by_meaning).transpose(2, 0, 1, 3, 4)
        return found.reshape(-1, *found.shape[2:])

    def accuracies(self) -> np.ndarray:
        """Mean accuracy over settings and views, tuned as `numbers`; (n_fitted, n_masks)."""
        accuracy = self.scores[..., -1].mean(axis=(4, 5))
        best = np.nan_to_num(accuracy.mean(axis=3), nan=-1.0).argmax(axis=1)
        fitted, cases = np.indices(best.shape)
        return accuracy[fitted, best, cases].mean(axis=1)


def crossed(levels: dict[str, list]) -> list[dict]:
    """All combinations of the options of some questions, the last question fastest."""
    return [dict(zip(levels, c, strict=True)) for c in itertools.product(*levels.values())]


def _tuned(scores: np.ndarray) -> np.ndarray:
    """Scores at the point with the best mean accuracy of each case, see `Row.scores`."""
    accuracy = scores[..., -1].mean(axis=(3, 4, 5))
    best = np.nan_to_num(accuracy, nan=-1.0).argmax(axis=1)
    fitted, cases = np.indices(best.shape)
    return scores[fitted, best, cases]


def rows_of(
    experiments: list[dict], runs: pd.DataFrame, rebuilt: Collection[str]
) -> dict[tuple, Row]:
    """All printed rows of a run by place, except those without a fit or without printed numbers."""
    found = {}
    for experiment in experiments:
        for label in dict.fromkeys(case["label"] for case in experiment["cases"]):
            for method in experiment["methods"]:
                row = _row(experiment, label, method, runs, rebuilt)
                if row is not None:
                    found[row.place] = row
    return found


def _row(
    experiment: dict, label: str, method: dict, runs: pd.DataFrame, rebuilt: Collection[str]
) -> Row | None:
    cases = [case for case in experiment["cases"] if case["label"] == label]
    printed = printed_row(experiment, label, method["published"])
    places = _places(experiment, cases, printed)
    there = [place is not None for place in places]
    printed, places = printed[there], [place for place in places if place is not None]
    points = [point for case in cases for point in case["points"][method["key"]]]
    keys = {key for point in points for key in point["keys"]}
    if printed.empty or not runs.loc[list(keys), "error"].isna().any():
        return None
    asked = experiment["kinds"][method["key"]]
    questions, definitions = asked["questions"], asked["definitions"]
    columns = _columns(experiment, definitions)
    levels = questions | definitions
    stated = experiment["stated"][method["key"]][label] | {
        names: _stated_meaning(names, experiment["metrics"]) for names in definitions
    }
    protocols = list(map(canonical, crossed(levels)))
    return Row(
        place=(experiment["paper"], experiment["item"], label, method["key"]),
        kind=asked["name"],
        levels=levels,
        stated=protocols.index(canonical({name: stated[name] for name in levels})),
        printed=printed,
        shape=shape_of(printed.index),
        scores=_scores(experiment, cases, method["key"], list(questions), columns, runs),
        at=_meanings(experiment["metrics"], definitions, columns, places),
        released=experiment["protocol"] == RELEASED,
        printed_runs=experiment["runs"][label],
        step=experiment["steps"][label],
        digits=_digits(experiment),
        rebuilt=bool(keys & rebuilt),
        added=asked["added"],
    )


def shape_of(index: pd.Index) -> tuple[int, int]:
    """Number of settings with masks of their own (views are none), and of numbers of each."""
    rates = index.to_frame(index=False)[["missing_rate", "paired_rate"]]
    sizes = rates.astype(float).fillna(-1.0).groupby(list(rates), sort=False).size()
    even = index.get_level_values("view").isna().all() and sizes.nunique() == 1
    return (len(sizes), int(sizes.iloc[0])) if even else (1, len(index))


def printed_row(experiment: dict, label: str, names: Collection[str]) -> pd.Series:
    """Printed numbers of one method on one data set, in percent."""
    rows = [r for r in experiment["published"] if r["dataset"] == label and r["method"] in names]
    factor = 100.0 if experiment["unit"] == "fraction" else 1.0
    index = pd.MultiIndex.from_tuples(
        [tuple(np.nan if r[name] is None else r[name] for name in PLACE) for r in rows], names=PLACE
    )
    return pd.Series([factor * float(r["mean"]) for r in rows], index=index, dtype=float)


def _digits(experiment: dict) -> int:
    """Number of decimals that a table prints, in percent."""
    digits = printed_digits([float(row["mean"]) for row in experiment["published"]])
    return digits - 2 * (experiment["unit"] == "fraction")


def _stated_meaning(names: str, metrics: dict[str, str]) -> str:
    return JOINT.join(metrics[part] for part in names.split(JOINT))


def _columns(experiment: dict, definitions: dict[str, list[str]]) -> list[str]:
    """Scores that a table may report, accuracy last."""
    defined = [
        defined_together(names, metrics).values()
        for names, several in definitions.items()
        for metrics in several
    ]
    return [*dict.fromkeys([*experiment["metrics"].values(), *itertools.chain(*defined)]), "acc"]


def _meanings(
    named: dict[str, str],
    definitions: dict[str, list[str]],
    columns: list[str],
    places: list[tuple[int, int, str]],
) -> list[tuple]:
    """Position of each printed number, for every choice of the metrics' meaning."""
    cases, views, names = (np.array(part) for part in zip(*places, strict=True))
    found = []
    for chosen in itertools.product(*definitions.values()):
        means = dict(named)
        for defined, metrics in zip(definitions, chosen, strict=True):
            means |= defined_together(defined, metrics)
        found.append((cases, views, np.array([columns.index(means[name]) for name in names])))
    return found


def _scores(
    experiment: dict,
    cases: list[dict],
    method: str,
    questions: Collection[str],
    columns: list[str],
    runs: pd.DataFrame,
) -> np.ndarray:
    """Scores of a method under every fitted protocol, see `Row`."""
    points = [(n, point) for n, case in enumerate(cases) for point in case["points"][method]]
    axes = [_split(point["values"], questions) for _, point in points]
    orders = [list(dict.fromkeys(values)) for values in zip(*axes, strict=True)]
    runs = runs[runs.columns.intersection([*columns, "per_view"])]  # few columns are fast to search
    first = _table(experiment, cases[0], columns, runs.loc[points[0][1]["keys"]])
    fitted, tuned, starts = (len(order) for order in orders)
    shape = (fitted, tuned, len(cases), len(first), starts, *first.shape[1:])
    scores = np.full(shape, np.nan)
    for (case, point), values in zip(points, axes, strict=True):
        protocol, tuning, start = (
            order.index(value) for order, value in zip(orders, values, strict=True)
        )
        table = _table(experiment, cases[case], columns, runs.loc[point["keys"]])
        scores[protocol, tuning, case, :, start] = 100 * table
    return scores


def _split(values: dict, questions: Collection[str]) -> tuple[str, str, str]:
    """Protocol, tuned point and start of a point, each as text."""
    protocol = {name: values[name] for name in questions}
    tuned = {k: v for k, v in values.items() if k not in questions and k != START}
    return canonical(protocol), canonical(tuned), str(values.get(START, 0))


def _table(experiment: dict, case: dict, columns: list[str], rows: pd.DataFrame) -> np.ndarray:
    """Scores as shares, of shape (n_masks, n_views or 1, n_metrics)."""
    if case["setting"]["protocol"] not in PER_VIEW:
        return rows[columns].to_numpy(dtype=float)[:, None, :]
    nothing = [dict.fromkeys(columns, np.nan)] * len(case["setting"]["views"])
    views = [nothing if of is None or not len(of) else of for of in rows["per_view"]]
    return np.array([[[v[c] for c in columns] for v in of] for of in views], dtype=float)


def _places(
    experiment: dict, cases: list[dict], printed: pd.Series
) -> list[tuple[int, int, str]] | None:
    """(case, view, name of the metric) of every printed number; None without such a case."""
    names = {metric_key(name): name for name in experiment["metrics"]}
    places = []
    for missing, paired, view, metric in printed.index:
        of_view = not np.isnan(view)
        fitting = (
            i
            for i, case in enumerate(cases)
            if of_view or _is_rate(case["setting"], missing, paired)
        )
        number = next(fitting, None)
        known = number is not None and metric in names
        places.append((number, int(view) - 1 if of_view else 0, names[metric]) if known else None)
    return places


def _is_rate(setting: dict, missing: float, paired: float) -> bool:
    rate = paired if setting["protocol"] == "paired" else missing
    return np.isclose(0.0 if np.isnan(rate) else rate, setting["rate"])
