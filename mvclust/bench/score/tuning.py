"""Criteria of tuning: which point of a grid counts for a data set, setting and method.

They are never mixed. In a sweep nothing is chosen: every point is shown, its tuning is "fixed".
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from mvclust.bench.config.messages import UNAVAILABLE
from mvclust.bench.plan.settings import RATES, Setting
from mvclust.bench.score.names import FIXED
from mvclust.bench.score.results import typed
from mvclust.bench.score.runs import digits_of
from mvclust.bench.score.significance import summarise
from mvclust.metrics import INTERNAL, SCORES
from mvclust.numerics.ties import best_of, settled

ORACLE = "oracle"  # the papers' own tuning

# The columns of the runs that results are made from, beside their scores.
ABOUT = ("per_view", "n_samples", "n_samples_declared", "error", "source")

COLUMNS = [
    *("dataset", "method", "method_key", "variant", "protocol", *RATES, "view", "n_views"),
    *("tuning", "metric", "mean", "std", "n_runs", "ci_low", "ci_high"),
    *("published", "published_std", "difference", "points"),
    *("n_samples", "n_samples_declared", "repetitions", "repetitions_declared"),
    *("grid_points", "grid_points_declared", "note", "source", "digits"),
    *("masks_mean", "starts_se", "starts_df"),  # of the authors' masks, in the unit of the paper
]


def results_of(used: dict, runs: pd.DataFrame) -> pd.DataFrame:
    """Results of one experiment, tuned, with the published numbers, in the unit of the paper.

    "points" has several chosen values if masks differ in them.
    """
    by_key = ByKey(runs.assign(digits=digits_of(runs)), (*ABOUT, "digits"))
    printed = {_place(row, row["method"], row["metric"]): row for row in used["published"]}
    methods = {method["key"]: method for method in used["methods"]}
    rows = []
    for case in used["cases"]:
        setting = Setting.from_record(case["setting"])
        for method, points in case["points"].items():
            for tuning, chosen, values, variant in _choose(used, by_key, points):
                about = setting.columns | _size(chosen) | {
                    "dataset": case["label"], "n_views": len(setting.views),
                    "method": methods[method]["label"], "method_key": method, "variant": variant,
                    "tuning": tuning, "points": values, "note": _note(chosen),
                    "repetitions": case["repetitions"],
                    "repetitions_declared": case["repetitions_declared"],
                    "grid_points": len(points), "grid_points_declared": case["declared"][method],
                    "source": chosen["source"][0], "digits": chosen["digits"][0],
                }  # fmt: skip
                names, masks = methods[method]["published"], case.get("masks")
                for row in _rows_of(used, setting, chosen, masks):
                    row |= about
                    rows.append(row | _beside_print(row, names, printed))
    return typed(pd.DataFrame(rows, columns=COLUMNS))


class ByKey:
    """Columns of a table of runs as arrays by key: selecting in a DataFrame costs a millisecond.

    They are the scores and those of `about`, as far as the table has them.
    """

    def __init__(self, runs: pd.DataFrame, about: Sequence[str]) -> None:
        self.places = {key: place for place, key in enumerate(runs["key"].to_list())}
        self.columns = {name: runs[name].to_numpy(dtype=float) for name in SCORES if name in runs}
        self.columns |= {n: runs[n].to_numpy(dtype=object) for n in about if n in runs}

    def take(self, keys: Sequence[str]) -> dict[str, np.ndarray]:
        """Columns of some rows."""
        places = [self.places[key] for key in keys]
        return {name: column[places] for name, column in self.columns.items()}


def keys_of(used: dict) -> set[str]:
    """Keys of the fits behind the results of an experiment."""
    points = [point for case in used["cases"] for p in case["points"].values() for point in p]
    return {key for point in points for key in point["keys"]}


def _rows_of(
    used: dict, setting: Setting, chosen: dict[str, np.ndarray], masks: int | None
) -> Iterator[dict]:
    """Numbers of each metric, and of each view if views have scores of their own."""
    factor = 100.0 if used["unit"] == "percent" else 1.0
    for metric, column in used["metrics"].items():
        parts = [(None, chosen[column])]
        if setting.per_view:
            views = range(1, len(setting.views) + 1)
            parts = [(view, of_view(chosen["per_view"], view, column)) for view in views]
        for view, scores in parts:
            numbers = _in_unit(summarise(scores), column, factor)
            starts = _over_starts(np.asarray(scores, dtype=float) * factor, masks)
            yield {"view": view, "metric": metric} | numbers | starts


def _beside_print(row: dict, names: list[str], printed: dict) -> dict:
    """The published number of a row, under one of the method's names, and the difference."""
    places = [_place(row, name, metric_key(row["metric"])) for name in names]
    number = next((printed[place] for place in places if place in printed), {})
    mean, std = (np.nan if (x := number.get(k)) is None else float(x) for k in ("mean", "std"))
    return {"published": mean, "published_std": std, "difference": row["mean"] - mean}


def _over_starts(scores: np.ndarray, masks: int | None) -> dict[str, float]:
    """Mean over masks, and the standard error and degrees of freedom by which two sets of starts on
    the same masks differ, one of them with one start each.

    >>> found = _over_starts(np.array([60.0, 70, 55, 66, 63, 62, 71, 58, 66, 61]), 5)
    >>> [round(float(value), 3) for value in found.values()]
    [63.2, 0.735, 5.0]
    """
    if masks is None or len(scores) <= masks or np.isnan(scores).any():
        return {}
    of_masks = [scores[mask::masks] for mask in range(masks)]
    sizes = np.array([len(of) for of in of_masks])
    rest = sum(((of - of.mean()) ** 2).sum() for of in of_masks)
    df = float((sizes - 1).sum())
    se = np.sqrt(rest / df * ((1 / sizes).sum() / masks**2 + 1 / masks))
    mean = float(np.mean([of.mean() for of in of_masks]))
    return {"masks_mean": mean, "starts_se": float(se), "starts_df": df}


def _place(row: dict, name: str, metric: str) -> tuple:
    """Key of a published number; published.csv has no rate of a mapping."""
    view = row.get("view")
    rates = (None, None) if view else (row.get("missing_rate"), row.get("paired_rate"))
    return row["dataset"], *rates, view, name, metric


def metric_key(name: str) -> str:
    """Name of a metric in config/published.csv from that in an experiment: F-score is f_score."""
    return name.lower().replace("-", "_")


def of_view(per_view: Iterable, view: int, column: str) -> list[float]:
    """Scores of one view in each fit, NaN for those that failed."""
    known = [of if np.ndim(of) else [] for of in per_view]
    return [of[view - 1][column] if len(of) else np.nan for of in known]


def _choose(used: dict, by_key: ByKey, points: list[dict]) -> list[tuple[str, dict, list, str]]:
    """(tuning, runs that count, varied values, variant) of each row of the table."""
    runs = [by_key.take(point["keys"]) for point in points]
    if used["sweep"]:
        pairs = zip(runs, points, strict=True)
        return [(FIXED, of, [point["values"]], point["variant"]) for of, point in pairs]
    rows = []
    for criterion in CRITERIA.values():
        chosen = criterion.choose(runs)
        if chosen is None:
            continue
        keys = [points[p]["keys"][mask] for mask, p in enumerate(chosen)]
        values = [points[p]["values"] for p in np.unique(chosen)]
        rows.append((criterion.name, by_key.take(keys), values, points[chosen[0]]["variant"]))
    return rows


def best_by_labels(runs: Sequence[Mapping]) -> np.ndarray | None:
    """Point of each mask with the best mean accuracy; None without classes.

    `runs` has, for every point of a grid, the columns of its runs with one value per mask.
    """
    scores = [np.asarray(of_point["acc"], dtype=float) for of_point in runs]
    inside = [np.asarray(of_point[INTERNAL], dtype=float) for of_point in runs]
    if np.isnan(np.concatenate(scores)).all() and not np.isnan(np.concatenate(inside)).all():
        return None
    return np.full(len(scores[0]), best_of([_mean(of_point) for of_point in scores]))


def first_point(runs: Sequence[Mapping]) -> np.ndarray:
    """Default point of each mask, the first of every grid; see `best_by_labels`."""
    return np.zeros(len(runs[0]["acc"]), dtype=int)


def best_inside(runs: Sequence[Mapping]) -> np.ndarray:
    """Point of each mask with the best internal criterion; see `best_by_labels`."""
    below_all = SCORES[INTERNAL].bounds[0] - 1
    criterion = np.column_stack([np.asarray(of_point[INTERNAL], dtype=float) for of_point in runs])
    return settled(np.where(np.isnan(criterion), below_all, criterion)).argmax(axis=1)


def _mean(scores: np.ndarray) -> float:
    """Mean of the available scores, below all others without any."""
    scores = scores[~np.isnan(scores)]
    return scores.mean() if len(scores) else -1.0


class Criterion(NamedTuple):
    """A tuning criterion."""

    name: str
    choose: Callable  # see `best_by_labels`
    uses_labels: bool
    colour: str  # in figures
    text: str  # how parameters are chosen, for the report


INSIDE = "by an internal criterion, mask by mask"

# The one list of criteria, in the order of tables: all tables and figures follow it.
CRITERIA = {
    criterion.name: criterion
    for criterion in (
        Criterion(ORACLE, best_by_labels, True, "#0072B2", "chosen by the true labels"),
        Criterion("default", first_point, False, "#56B4E9", "one setting for all data"),
        Criterion("label-free", best_inside, False, "#E69F00", INSIDE),
    )
}


def _in_unit(summary: dict[str, float], column: str, factor: float) -> dict[str, float]:
    """Convert a summary to the unit of the paper, its interval within the bounds of the score."""
    for end in ("ci_low", "ci_high"):
        summary[end] = float(np.clip(summary[end], *SCORES[column].bounds))
    return {k: v if k == "n_runs" else v * factor for k, v in summary.items()}


def _size(chosen: dict[str, np.ndarray]) -> dict:
    """Number of samples of the fits, and as declared."""
    names = ("n_samples", "n_samples_declared")
    pairs = zip(*(chosen[name] for name in names), strict=True)
    known = (pair for pair in pairs if not any(map(pd.isna, pair)))
    return dict(zip(names, next(known, (None, None)), strict=True))


def _note(chosen: dict[str, np.ndarray]) -> str:
    failed = [error for error in chosen["error"] if isinstance(error, str)]
    if not failed:
        return ""
    if set(failed) == {UNAVAILABLE}:
        return UNAVAILABLE
    return f"{len(failed)} of {len(chosen['error'])} fits failed: {failed[0]}"
