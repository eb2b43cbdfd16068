"""Readings of a printed row: which way to fill what a paper leaves open gives its numbers.

A row is one method on one data set in one table, with all its settings and metrics. A reading says
how the method was run, how the starts of k-means count, and how its parameters were chosen. The
search for the reading that is nearest to a row is repeated with the rows of the other methods on
the same data: a search that explains these as well explains nothing.
"""

import json
from collections import defaultdict
from typing import NamedTuple

import numpy as np
import pandas as pd

from mvclust.pipeline.plan.settings import PER_VIEW, canonical
from mvclust.pipeline.score.tuning import metric_key

NEAR, FAR = 2.0, 5.0  # points: in the mean over a row, and for each of its numbers
LUCK = 0.1  # largest share of other rows that a reading may explain as well as its own
START = "start"  # the parameter that numbers the starts on a mask

# How parameters are chosen from the grid, in the order of preference.
PER_SETTING = "the best accuracy of each setting"
PER_ROW = "one point for all settings, by accuracy"
ONE_POINT = "one point for all settings"

# Where a reading was searched for, from the narrowest search to the widest.
ALL_DATA = "one reading for all data sets"
TABLE = "one scaling for all methods of the table"
ALONE = "this row alone"
ANY_POINT = "this row alone, any point of the grid"

MEAN, BEST = "mean of the starts", "best start by accuracy"

ROW = ("paper", "item", "dataset", "method")
HOW = ("reading", "starts", "tuning", "point")
NEARNESS = ("mean_abs", "largest_abs", "mean_difference")
NUMBER = (*ROW, "missing_rate", "paired_rate", "view", "metric", "published", "stated", "read")
JUDGED = [*ROW, "numbers", "verdict", *HOW, "scope", *NEARNESS]
JUDGED += ["stated_mean_abs", "stated_mean_difference", "tried", "luck"]

VERDICTS = (
    *("as stated", "under a reading", "contradicts itself", "better", "not reproduced"),
    *("not decided", "no data"),
)


class Candidates(NamedTuple):
    """Everything that was tried for a row.

    Attributes
    ----------
    about : DataFrame
        One row per candidate: reading (dict of parameters), starts, tuning, point (dict).
    values : ndarray of shape (n_candidates, n_numbers)
        Our numbers in percent, in the order of `printed`.
    printed : Series
        The papers' numbers in percent; the index is (missing_rate, paired_rate, view, metric),
        with NaN where the table has none.
    """

    about: pd.DataFrame
    values: np.ndarray
    printed: pd.Series


def candidates_of(experiment, label, method, runs):
    """Run through all readings of one row.

    Parameters
    ----------
    experiment : dict
        A slice of the plan: cases, metrics, published, "cut" (whether the budget leaves something
        out), and "readings", for each method the parameters that its readings vary; the others of
        its grid are what the paper tunes.
    label : str
        The data set, as the paper calls it.
    method : dict
        With key and published, the names in the papers.
    runs : DataFrame
        The table of runs, indexed by key.

    Returns
    -------
    Candidates or None
        None if the paper prints no such row, or none of its numbers belongs to a setting of the
        run. Candidates that lack a number are left out.
    """
    cases = [case for case in experiment["cases"] if case["label"] == label]
    printed = printed_row(experiment, label, method["published"])
    places = _places(experiment, cases, printed)
    printed = printed[[place is not None for place in places]]
    if printed.empty:
        return None
    places = np.array([place for place in places if place is not None])
    tried = _tried(experiment, cases, method, runs)
    complete = {case["setting"]["protocol"] for case in cases} <= {"complete", "natural"}
    about, values = [], []
    for reading, points in tried.values():
        several = len(next(iter(points.values()))[1][0]) > 1
        for starts in (MEAN, BEST) if several or complete else (MEAN,):
            means = np.array([[_mean(of, starts, complete) for of in own] for _, own in
                              points.values()])  # fmt: skip
            tuned = [point for point, _ in points.values()]
            for tuning, point, chosen in _chosen(means, tuned):
                row = 100 * chosen[tuple(places.T)]
                if np.isfinite(row).all():
                    about.append(
                        {"reading": reading, "starts": starts, "tuning": tuning, "point": point}
                    )
                    values.append(row)
    shape = (len(values), len(printed))
    return Candidates(
        pd.DataFrame(about, columns=list(HOW)), np.array(values).reshape(shape), printed
    )


def printed_row(experiment, label, names):
    """What a paper prints of one method on one data set, in percent."""
    place = ("missing_rate", "paired_rate", "view", "metric")
    rows = [r for r in experiment["published"] if r["dataset"] == label and r["method"] in names]
    factor = 100.0 if experiment["unit"] == "fraction" else 1.0
    index = pd.MultiIndex.from_tuples(
        [tuple(np.nan if r[name] is None else r[name] for name in place) for r in rows],
        names=place,
    )
    return pd.Series([factor * float(r["mean"]) for r in rows], index=index, dtype=float)


def _tried(experiment, cases, method, runs):
    """Reading -> (its parameters, tuned point -> (its parameters, per case scores of starts))."""
    varied = set(experiment["readings"].get(method["key"], ()))
    tried = {}
    for number, case in enumerate(cases):
        for point in case["points"][method["key"]]:
            values = point["values"]
            reading = {k: v for k, v in values.items() if k in varied and k != START}
            tuned = {k: v for k, v in values.items() if k not in varied and k != START}
            points = tried.setdefault(canonical(reading), (reading, {}))[1]
            own = points.setdefault(canonical(tuned), (tuned, [[] for _ in cases]))[1]
            own[number].append(_scores(experiment, case, runs.loc[point["keys"]]))
    return tried


def _scores(experiment, case, rows):
    """Scores as shares, (n_repetitions, n_views or 1, n_metrics), accuracy last."""
    columns = [*experiment["metrics"].values(), "acc"]
    if case["setting"]["protocol"] not in PER_VIEW:
        return rows[columns].to_numpy(dtype=float)[:, None, :]
    n_views = len(case["setting"]["views"])
    nothing = [dict.fromkeys(columns, np.nan)] * n_views
    views = [nothing if of is None or not len(of) else of for of in rows["per_view"]]
    return np.array([[[view[c] for c in columns] for view in of] for of in views], dtype=float)


def _mean(of_starts, starts, complete):
    """The mean over masks and starts, or over masks of the best start: (n_views, n_metrics)."""
    scores = np.stack(of_starts)  # starts, repetitions, views, metrics
    if starts == MEAN:
        return scores.mean(axis=(0, 1))
    if complete:  # repetitions are starts too
        scores = scores.reshape(-1, 1, *scores.shape[2:])
    if np.isnan(scores).any():
        return np.full(scores.shape[2:], np.nan)
    best = scores[..., -1].mean(axis=2).argmax(axis=0)
    return scores[best, np.arange(scores.shape[1])].mean(axis=0)


def _chosen(means, tuned):
    """(how the parameters are chosen, the point, the scores of every case) of each choice.

    Parameters
    ----------
    means : ndarray of shape (n_points, n_cases, n_views, n_metrics)
    tuned : list of dict
    """
    accuracy = np.nan_to_num(means[..., -1].mean(axis=2), nan=-1.0)
    best = accuracy.argmax(axis=0)
    found = [(PER_SETTING, {}, means[best, np.arange(means.shape[1])])]
    if len(tuned) > 1:
        one = accuracy.mean(axis=1).argmax()
        found.append((PER_ROW, tuned[one], means[one]))
        found += [(ONE_POINT, point, of) for point, of in zip(tuned, means, strict=True)]
    return found


def _places(experiment, cases, printed):
    """(case, view, metric) of every printed number, as whole numbers; None without such a case."""
    metrics = [metric_key(name) for name in experiment["metrics"]]
    places = []
    for missing, paired, view, metric in printed.index:
        number = next(
            (
                i
                for i, case in enumerate(cases)
                if _is_rate(case["setting"], missing, paired) or not np.isnan(view)
            ),
            None,
        )
        if number is None or metric not in metrics:
            places.append(None)
        else:
            places.append((number, 0 if np.isnan(view) else int(view) - 1, metrics.index(metric)))
    return places


def _is_rate(setting, missing, paired):
    rate = paired if setting["protocol"] == "paired" else missing
    return np.isclose(0.0 if np.isnan(rate) else rate, setting["rate"])


def distances(candidates, printed):
    """Mean and largest absolute difference of every candidate from printed numbers, in points.

    Parameters
    ----------
    candidates : Candidates
    printed : Series
        With the index of ``candidates.printed``, of any row.

    Returns
    -------
    mean, largest : ndarray of shape (n_candidates,)
    """
    gap = np.abs(candidates.values - printed.loc[candidates.printed.index].to_numpy())
    return gap.mean(axis=1), gap.max(axis=1)


def explains(mean, largest):
    """Whether candidates are near enough to a row."""
    return (mean <= NEAR) & (largest <= FAR)


def luck_of(candidates, others, distance, among):
    """Share of other rows that the same search comes as near to as to its own.

    Parameters
    ----------
    candidates : Candidates
    others : list of Series
        Printed rows of other methods on the same data.
    distance : float
        The mean absolute difference of the best candidate from its own row.
    among : ndarray of bool of shape (n_candidates,)
        Those that are searched.

    Returns
    -------
    float
        NaN if there are no others.
    """
    if not others:
        return np.nan
    nearest = [distances(candidates, other)[0][among].min() for other in others]
    return float(np.mean([near <= distance for near in nearest]))


def stated(candidates, experiment, method):
    """Index of the candidate that is the protocol as stated: every reading's first value."""
    first = _first_values(experiment, method)
    about = candidates.about
    same = [canonical(r) == canonical(first) for r in about["reading"]]
    usual = (about["starts"] == MEAN) & (about["tuning"] == PER_SETTING) & np.array(same, bool)
    return int(np.flatnonzero(usual)[0]) if usual.any() else None


def _first_values(experiment, method):
    return {
        name: values[0]
        for name, values in experiment["readings"].get(method["key"], {}).items()
        if name != START
    }


class Judged(NamedTuple):
    """What `judge` finds, as tables.

    Attributes
    ----------
    verdicts : DataFrame
        One row per printed row, with the columns `JUDGED`; scope says which search found the
        reading.
    numbers : DataFrame
        One row per printed number, with the columns `NUMBER`: in percent, ours under the stated
        protocol and under the reading of the verdict.
    tried : DataFrame
        With the columns `ROW`, `HOW` and `NEARNESS`; of single points only the nearest of each
        reading.
    control : DataFrame
        With the columns `ROW`, other (a method whose printed row is taken in its place), nearest
        (mean absolute difference), explained.
    """

    verdicts: pd.DataFrame
    numbers: pd.DataFrame
    tried: pd.DataFrame
    control: pd.DataFrame


def judge(experiments, runs, broken):
    """A verdict on every printed row, and everything that was tried.

    Parameters
    ----------
    experiments : list of dict
        Slices of the plan, see `candidates_of`.
    runs : DataFrame
        The table of runs.
    broken : set of (paper, item, dataset, method)
        Rows that contradict themselves.

    Returns
    -------
    Judged
    """
    runs = runs.set_index("key")
    rows, available = {}, set(runs.index[runs["error"].isna()])
    for experiment in experiments:
        for label in dict.fromkeys(case["label"] for case in experiment["cases"]):
            for method in experiment["methods"]:
                place = experiment["paper"], experiment["item"], label, method["key"]
                found = candidates_of(experiment, label, method, runs)
                if found is not None:
                    rows[place] = _Row(experiment, method, found, _has_data(
                        experiment, label, method, available))  # fmt: skip
    shared, scalings = _shared_readings(rows), _common_scalings(rows)
    verdicts, numbers, tried, control = [], [], [], []
    for place, row in rows.items():
        others = _others(rows, place)
        about = dict(zip(ROW, (*place[:3], row.name), strict=True))
        scaling = scalings.get(place[:3])
        found, best = _verdict(row, others, scaling, shared.get(place), about, broken)
        verdicts.append(about | found)
        numbers += [about | line for line in _numbers(row, best)]
        tried += [about | line for line in _lines(row)]
        for other, printed in others.items():
            if len(row.found.values):
                mean, largest = distances(row.found, printed)
                control.append(
                    about
                    | {
                        "other": other,
                        "nearest": float(mean.min()),
                        "explained": bool(explains(mean, largest).any()),
                    }
                )
    return Judged(
        pd.DataFrame(verdicts, columns=JUDGED),
        pd.DataFrame(numbers, columns=NUMBER),
        pd.DataFrame(tried, columns=[*ROW, *HOW, *NEARNESS]),
        pd.DataFrame(control, columns=[*ROW, "other", "nearest", "explained"]),
    )


class _Row(NamedTuple):
    experiment: dict
    method: dict
    found: Candidates
    has_data: bool

    @property
    def name(self):
        """The method's name in the paper."""
        names = {r["method"] for r in self.experiment["published"]}
        return next(name for name in self.method["published"] if name in names)

    @property
    def scalings(self):
        """How the features are scaled in each candidate, as text."""
        readings = self.found.about["reading"]
        texts = [canonical({"features": reading.get("features")}) for reading in readings]
        return np.array(texts, dtype=object)

    @property
    def is_tuned(self):
        """Whether the parameters of each candidate are chosen by accuracy."""
        return (self.found.about["tuning"] != ONE_POINT).to_numpy()

    @property
    def keys(self):
        """What tells the candidates apart, whatever the data set."""
        return [
            json.dumps([canonical(a.reading), a.starts, a.tuning, canonical(a.point)])
            for a in self.found.about.itertuples()
        ]


def _has_data(experiment, label, method, available):
    return any(
        key in available
        for case in experiment["cases"]
        if case["label"] == label
        for point in case["points"][method["key"]]
        for key in point["keys"]
    )


def _others(rows, place):
    """Printed rows of the other methods of a table on the same data: name -> Series."""
    found = {}
    for other, row in rows.items():
        same = other[:3] == place[:3] and other != place
        if same and row.name != rows[place].name:
            mine = rows[place].found.printed.index
            if mine.isin(row.found.printed.index).all():
                found[row.name] = row.found.printed
    return found


def _shared_readings(rows):
    """One reading for all data sets of a table and method, where it explains them all."""
    groups = defaultdict(list)
    for place in rows:
        if rows[place].has_data:
            groups[place[0], place[1], place[3]].append(place)
    shared = {}
    for places in groups.values():
        if len(places) < 2:
            continue
        near, fits = defaultdict(list), defaultdict(list)
        for place in places:
            row = rows[place]
            mean, largest = distances(row.found, row.found.printed)
            for key, m, good in zip(row.keys, mean, explains(mean, largest), strict=True):
                near[key].append(m)
                fits[key].append(good)
        whole = {k: np.mean(m) for k, m in near.items() if len(m) == len(places) and all(fits[k])}
        if whole:
            best = min(whole, key=whole.get)
            shared |= {place: rows[place].keys.index(best) for place in places}
    return shared


def _common_scalings(rows):
    """For each table and data set the scaling of features that explains most of its rows.

    How the data were scaled is a choice that a paper makes once for all methods.
    """
    groups = defaultdict(list)
    for place, row in rows.items():
        if row.has_data and len(row.found.values):
            groups[place[:3]].append(row)
    return {place: _most_common_scaling(members) for place, members in groups.items()}


def _most_common_scaling(rows):
    """The scaling that explains most of some rows, by parameters chosen by accuracy."""
    explained, near = defaultdict(int), defaultdict(list)
    for row in rows:
        mean, largest = distances(row.found, row.found.printed)
        good, scalings, tuned = explains(mean, largest), row.scalings, row.is_tuned
        for scaling in sorted(set(scalings)):
            mine = tuned & (scalings == scaling)
            explained[scaling] += int(good[mine].any())
            near[scaling].append(mean[mine].min())
    ranked = [(-explained[scaling], np.mean(near[scaling]), scaling) for scaling in near]
    return min(ranked)[-1]


def _searches(row, scaling, shared):
    """The searches for a reading from the narrowest to the widest: (scope, candidates) pairs."""
    every = np.ones(len(row.found.values), dtype=bool)
    if shared is not None:
        yield ALL_DATA, every
    common = row.is_tuned & (row.scalings == scaling)
    if common.any():
        yield TABLE, common
    yield ALONE, row.is_tuned
    yield ANY_POINT, every


def _verdict(row, others, scaling, shared, about, broken):
    """How a row was read, as columns of the table of verdicts, and the candidate's index."""
    found, numbers = row.found, {"numbers": len(row.found.printed)}
    if not row.has_data or not len(found.values):
        return numbers | {"verdict": "no data"}, None
    mean, largest = distances(found, found.printed)
    usual = stated(found, row.experiment, row.method)
    difference = (found.values - found.printed.to_numpy()).mean(axis=1)
    best, scope, luck = int(mean.argmin()), None, np.nan
    for name, among in _searches(row, scaling, shared):
        near = shared if name == ALL_DATA else int(np.where(among, mean, np.inf).argmin())
        chance = luck_of(found, list(others.values()), mean[near], among)
        if explains(mean, largest)[near] and not chance > LUCK:
            best, scope, luck = near, name, chance
            break
    place = tuple(about[name] for name in ROW)
    if row.experiment["cut"]:
        verdict = "not decided"
    elif usual is not None and mean[usual] <= NEAR:
        best, verdict, scope, luck = usual, "as stated", None, np.nan
    elif scope is not None:
        verdict = "under a reading"
    elif place in broken:
        verdict = "contradicts itself"
    elif usual is not None and difference[usual] > NEAR:
        verdict = "better"
    else:
        verdict = "not reproduced"
    nan = np.nan
    columns = {
        "verdict": verdict,
        **found.about.iloc[best].to_dict(),
        "scope": scope,
        "mean_abs": mean[best],
        "largest_abs": largest[best],
        "mean_difference": difference[best],
        "stated_mean_abs": nan if usual is None else mean[usual],
        "stated_mean_difference": nan if usual is None else difference[usual],
        "tried": len(mean),
        "luck": luck,
    }
    return numbers | columns, best


def _numbers(row, best):
    """Every number of a row: as printed, as stated, and as read."""
    found = row.found
    usual = None if best is None else stated(found, row.experiment, row.method)
    place = found.printed.index.to_frame(index=False).to_dict("records")
    return [
        where
        | {
            "published": printed,
            "stated": np.nan if usual is None else found.values[usual, i],
            "read": np.nan if best is None else found.values[best, i],
        }
        for i, (where, printed) in enumerate(zip(place, found.printed, strict=True))
    ]


def _lines(row):
    """Every candidate that was tried for a row; of single points the nearest of each reading."""
    found = row.found
    if not len(found.values):
        return []
    mean, largest = distances(found, found.printed)
    table = found.about.assign(
        mean_abs=mean,
        largest_abs=largest,
        mean_difference=(found.values - found.printed.to_numpy()).mean(axis=1),
        order=range(len(mean)),
    )
    table["key"] = [canonical(reading) for reading in table["reading"]]
    nearest = table.sort_values("mean_abs", kind="stable")
    nearest = nearest.drop_duplicates(["key", "starts", "tuning"]).sort_values("order")
    return nearest.drop(columns=["key", "order"]).to_dict("records")


def effects(experiments, runs):
    """How many points of accuracy each choice is worth.

    A value of a reading is compared with the first of the same parameter, all else equal: on the
    same data, rate, method, tuned point and other readings. The best start is compared with the
    mean of the starts, and the point chosen by the labels with the mean over the grid.

    Parameters
    ----------
    experiments : list of dict
    runs : DataFrame

    Returns
    -------
    DataFrame
        parameter, value and stated (what it is compared with; both as JSON, in which null is a
        value), dataset, method, difference (points of accuracy, mean over all else), pairs
        (how many were compared), share (of the variance of accuracy over all points, that the
        parameter explains; the mean over rates).
    """
    runs, lines = runs.set_index("key"), []
    for experiment in experiments:
        labels = dict.fromkeys(case["label"] for case in experiment["cases"])
        for method in experiment["methods"]:
            for label in labels:
                cases = [case for case in experiment["cases"] if case["label"] == label]
                about = {"dataset": label, "method": method["label"]}
                found = _effects_on(experiment, cases, method, runs)
                lines += [line | about for line in found]
    columns = ["parameter", "value", "stated", "dataset", "method", "difference", "pairs", "share"]
    return pd.DataFrame(lines, columns=columns)


def _effects_on(experiment, cases, method, runs):
    """The lines of `effects` for one method on one data set."""
    tried = _tried(experiment, cases, method, runs)
    readings = [reading for reading, _ in tried.values()]
    usual = _accuracies(tried, MEAN)
    lines = []
    if usual.size and np.isfinite(usual).any():
        for name, values in experiment["readings"].get(method["key"], {}).items():
            if name != START:
                lines += _of_parameter(name, values, readings, usual)
        if usual.shape[1] > 1:
            gap = usual.max(axis=1) - usual.mean(axis=1)
            lines.append(_line("parameters", "chosen by the labels", "mean of the grid", gap))
        protocols = {case["setting"]["protocol"] for case in cases}
        best = _accuracies(tried, BEST, protocols <= {"complete", "natural"})
        if (best > usual).any():
            lines.append(_line("starts", BEST, MEAN, best - usual))
    return lines


def _accuracies(tried, starts, complete=False):
    """Mean accuracies in percent, (n_readings, n_points, n_cases)."""
    means = [
        [[_mean(of, starts, complete)[:, -1].mean() for of in own] for _, own in points.values()]
        for _, points in tried.values()
    ]
    return 100 * np.array(means)


def _of_parameter(name, values, readings, accuracies):
    """Lines of one parameter: every value against the first."""
    share = _explained([reading[name] for reading in readings], accuracies)
    place = {canonical(reading): i for i, reading in enumerate(readings)}
    lines = []
    for value in values[1:]:
        gaps = [
            accuracies[i] - accuracies[place[canonical(reading | {name: values[0]})]]
            for i, reading in enumerate(readings)
            if canonical({name: reading[name]}) == canonical({name: value})
        ]
        lines.append(_line(name, value, values[0], np.array(gaps), share))
    return lines


def _line(parameter, value, stated, gaps, share=np.nan):
    about = {"parameter": parameter, "value": json.dumps(value), "stated": json.dumps(stated)}
    count = int(np.isfinite(gaps).sum())
    return about | {
        "difference": float(np.nanmean(gaps)) if count else np.nan,
        "pairs": count,
        "share": share,
    }


def _explained(levels, accuracies):
    """Share of the variance over readings and points that a factor explains, mean over cases."""
    levels = np.array([canonical({"level": level}) for level in levels])
    shares = []
    for of in np.moveaxis(accuracies, 2, 0):
        mean, total = np.nanmean(of), np.nanvar(of)
        if total > 0:
            groups = [of[levels == level] for level in np.unique(levels)]
            between = sum(part.size * (np.nanmean(part) - mean) ** 2 for part in groups) / of.size
            shares.append(between / total)
    return float(np.mean(shares)) if shares else np.nan
