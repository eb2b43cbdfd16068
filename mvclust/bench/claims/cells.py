"""Scores by place: what the tests of claims compare, from our runs and from print."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from mvclust.bench.config.messages import UNAVAILABLE
from mvclust.bench.config.models import ClaimTest
from mvclust.bench.config.units import in_unit
from mvclust.bench.plan.settings import Setting, canonical
from mvclust.bench.score.names import rate_of
from mvclust.bench.score.tuning import CRITERIA, ORACLE, ByKey, metric_key, of_view
from mvclust.numerics.ties import best_of

RELEASED = "published"  # the protocol whose masks belong together over the rates
SEEDS = "complete"  # the protocol whose repetitions differ by seeds alone, as those of probes do


class Cell(NamedTuple):
    """The scores of all methods at one place: data set, view, rate and metric."""

    experiment: str
    paper: str
    item: str
    dataset: str
    view: int | None  # where views have scores of their own
    rate: float | None
    missing: float  # share missing or less paired: the axis on which scores fall
    n_views: int
    metric: str
    scores: dict  # method -> ndarray, one score per mask in points; one number for print
    stds: dict  # method -> printed deviation
    step: float  # one sample in points
    nested: bool  # whether masks of the same number belong together over the rates
    protocol: str
    points: dict  # method -> size of its grid
    values: str = ""  # the point of a sweep

    @property
    def place(self) -> tuple:
        """Key by which our numbers and the printed ones are matched."""
        rate = None if self.view else self.rate
        metric = metric_key(self.metric)
        return self.paper, self.item, self.dataset, self.view, rate, metric

    @property
    def unit(self) -> tuple:
        """Data set with view and metric, over all rates."""
        return self.experiment, self.dataset, self.view, self.metric

    @property
    def name(self) -> str:
        """Name of the place in tables."""
        rate = "" if self.rate is None else f" {self.rate:g}"
        view = f" view {self.view}" if self.view else ""
        return f"{self.dataset}{view}{rate} {self.values}".strip() + f", {self.metric}"


class Sweep(NamedTuple):
    """The scores of one method over the points of a grid, at one place."""

    cell: Cell  # the place, without scores
    method: str
    values: list  # the parameters of each point
    scores: np.ndarray  # of shape (n_points, n_masks)
    variants: list
    objectives: list  # objective curve per point and mask, or None


def cells_of(used: dict, runs: ByKey, crossed: bool = False, at: dict | None = None) -> list[Cell]:
    """Scores of an experiment, each method at the point that is best by the labels.

    With `crossed` the point of each mask is chosen on the other masks. Sweeps show all points; `at`
    restricts them, and the points of grids that have the parameter (parameter -> values).
    """
    return [
        place._replace(scores=scores, points=sizes, values=values)
        for place, column, points in _places(used, runs)
        for scores, sizes, values in _chosen(used, place, column, points, crossed, at or {})
    ]


def sweeps_of(used: dict, runs: ByKey) -> list[Sweep]:
    """Scores of the methods of an experiment over their grids."""
    return [
        Sweep(
            place,
            method,
            [point["values"] for point in given["points"]],
            np.array([_scores(frame, column, place) for frame in given["frames"]]),
            [point["variant"] for point in given["points"]],
            [list(frame.get("objective", [None] * len(frame["acc"]))) for frame in given["frames"]],
        )
        for place, column, points in _places(used, runs)
        for method, given in points.items()
    ]


def probed_cells(table: pd.DataFrame, test: ClaimTest) -> list[Cell]:
    """Results of the probes of a test, one cell per probe and data set, by arm."""
    rows = table[table["probe"].isin(test.probes)]
    if test.datasets:
        rows = rows[rows["dataset"].isin(test.datasets)]
    found = []
    for (name, label), of_data in rows.groupby(["probe", "dataset"], sort=False):
        by_arm = of_data.pivot(index="seed", columns="arm", values="value")
        scores = {arm: by_arm[arm].to_numpy(dtype=float) for arm in by_arm}
        place = name, "", "", label, None, None, 0.0, 0, name
        found.append(Cell(*place, scores, {}, of_data["step"].iloc[0], False, SEEDS, {}))
    return found


def has_data(used: dict, errors: dict, datasets: Sequence[str] = ()) -> bool:
    """Whether an experiment has a fit whose data were available (`datasets`: labels, or all).

    `errors` are those of its fits by key, None for a fit without one.
    """
    cases = [case for case in used["cases"] if not datasets or case["label"] in datasets]
    points = [point for case in cases for given in case["points"].values() for point in given]
    keys = (key for point in points for key in point["keys"])
    return any(errors.get(key, UNAVAILABLE) != UNAVAILABLE for key in keys)


def _places(used: dict, runs: ByKey) -> Iterator[tuple[Cell, str, dict[str, dict]]]:
    """Yield (place, column of the metric, method -> points and their runs)."""
    for case in used["cases"]:
        setting = Setting.from_record(case["setting"])
        points = _with_runs(case["points"], runs, case.get("masks"))
        frames = [frame for given in points.values() for frame in given["frames"]]
        if all((frame["error"] == UNAVAILABLE).all() for frame in frames):
            continue
        sizes = (size for frame in frames for size in frame["n_samples"] if not pd.isna(size))
        n_samples = float(next(sizes, np.nan))
        views = range(1, len(setting.views) + 1) if setting.per_view else (None,)
        rate = rate_of(setting.columns)
        for metric, column in used["metrics"].items():
            for view in views:
                place = Cell(
                    used["id"], used["paper"], used["item"], case["label"], view,
                    None if rate is None else rate[1], _missing(rate), len(setting.views), metric,
                    {}, {}, 100 / n_samples, setting.protocol == RELEASED, setting.protocol, {},
                )  # fmt: skip
                yield place, column, points


def _with_runs(
    points: dict[str, list[dict]], runs: ByKey, masks: int | None
) -> dict[str, dict[str, list]]:
    """Add the runs of the first `masks` keys, one start each, to all points."""
    return {
        method: {"points": given, "frames": [runs.take(point["keys"][:masks]) for point in given]}
        for method, given in points.items()
    }


def _missing(rate: tuple[str, float] | None) -> float:
    """Share that is missing; for pairs, the share that is not paired."""
    if rate is None:
        return 0.0
    return 1 - rate[1] if rate[0] in ("paired_rate", "mapped_rate") else rate[1]


def _chosen(
    used: dict, place: Cell, column: str, points: dict[str, dict], crossed: bool, at: dict
) -> Iterator[tuple[dict, dict[str, int], str]]:
    """Yield (scores by method, sizes of the grids, the point as text) for a place."""
    if not used["sweep"]:
        points = {m: _at(given, at) for m, given in points.items()} if at else points
        scores = {m: _tuned(given, column, place, crossed) for m, given in points.items()}
        yield scores, {m: len(given["points"]) for m, given in points.items()}, ""
        return
    alone = {m: given for m, given in points.items() if len(given["points"]) == 1}
    single = {m: _scores(given["frames"][0], column, place) for m, given in alone.items()}
    swept = {m: given for m, given in points.items() if m not in alone}
    if not swept:
        yield single, dict.fromkeys(single, 1), ""
    for method, given in swept.items():
        for point, frame in zip(given["points"], given["frames"], strict=True):
            if at and all(point["values"].get(name) in values for name, values in at.items()):
                scores = single | {method: _scores(frame, column, place)}
                yield scores, dict.fromkeys(scores, 1), canonical(point["values"])


def _at(given: dict[str, list], at: dict[str, list]) -> dict[str, list]:
    """The points of a grid at some values of the parameters that it has."""
    kept = [
        index
        for index, point in enumerate(given["points"])
        if all(point["values"].get(name, values[0]) in values for name, values in at.items())
    ]
    return {key: [given[key][index] for index in kept] for key in ("points", "frames")}


def _tuned(given: dict, column: str, place: Cell, crossed: bool) -> np.ndarray:
    """Scores at the point that the labels choose for each mask."""
    if "chosen" not in given:  # the same for all metrics and views
        given["chosen"] = _choice(given["frames"], crossed)
    scores = np.array([_scores(frame, column, place) for frame in given["frames"]])
    return scores[given["chosen"], np.arange(scores.shape[1])]


def _choice(frames: list[Mapping], crossed: bool) -> Sequence:
    """Point of each mask: the best over all masks, or the best over the others."""
    masks = range(len(frames[0]["acc"]))
    if not crossed:
        chosen = CRITERIA[ORACLE].choose(frames)
        return [0] * len(masks) if chosen is None else chosen
    acc = np.array([frame["acc"] for frame in frames])
    if len(masks) < 2 or np.isnan(acc).all():
        return [0] * len(masks)
    return [best_of(_means(np.delete(acc, mask, axis=1))) for mask in masks]


def _means(acc: np.ndarray) -> np.ndarray:
    known = ~np.isnan(acc)
    return np.where(known, acc, 0).sum(axis=1) / np.maximum(known.sum(axis=1), 1)


def _scores(frame: Mapping, column: str, place: Cell) -> np.ndarray:
    """Scores of the runs of one parameter setting in points, one per mask."""
    if place.view is None:
        return 100 * frame[column]
    return 100 * np.array(of_view(frame["per_view"], place.view, column))


def printed_cells(declared: dict, published: list[dict]) -> list[Cell]:
    """Printed numbers of an experiment's table at the places of ours, as arrays of one number."""
    if not declared["item"]:
        return []
    of_table = (declared["paper"], declared["item"])
    keys = {name: m["key"] for m in declared["methods"] for name in m["published"]}
    names = {metric_key(name): name for name in declared["metrics"]}
    found = {}
    for row in in_unit([r for r in published if (r["paper"], r["item"]) == of_table], "percent"):
        data = declared["data"].get(row["dataset"])
        if data is None or row["metric"] not in names or row["method"] not in keys:
            continue
        rate = rate_of(row)
        cell = Cell(
            declared["id"], *of_table, row["dataset"], row["view"],
            None if rate is None else rate[1], _missing(rate), data["n_views"],
            names[row["metric"]], {}, {}, 0.0, False, "", {},
        )  # fmt: skip
        cell = found.setdefault(cell.place, cell)
        cell.scores[keys[row["method"]]] = np.array([row["mean"]])
        if row["std"] is not None:
            cell.stds[keys[row["method"]]] = row["std"]
    return list(found.values())


def is_score(metric: str, metrics: Sequence[str]) -> bool:
    """Whether a metric is one of `metrics`, under either of its names; an empty list means all."""
    return not metrics or metric_key(metric) in map(metric_key, metrics)


def is_selected(cell: Cell, test: ClaimTest) -> bool:
    """Whether a test names a place."""
    return (
        is_score(cell.metric, test.metrics)
        and (not test.datasets or cell.dataset in test.datasets)
        and (not test.rates or cell.rate is None or bool(np.isclose(cell.rate, test.rates).any()))
    )
