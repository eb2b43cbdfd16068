"""Everything that was tried for a printed row: readings, ways to count starts, tuned points."""

import itertools
from typing import NamedTuple

import numpy as np
import pandas as pd

from mvclust.pipeline.plan.settings import PER_VIEW, canonical, defined_together
from mvclust.pipeline.score.tuning import metric_key

START = "start"  # the parameter that numbers the starts on a mask

# How parameters are chosen from the grid, in the order of preference.
PER_SETTING = "the best accuracy of each setting"
PER_ROW = "one point for all settings, by accuracy"
PER_MASK = "the best accuracy of each mask"  # as a toolbox of UEAF's authors chooses BSV's view
PER_NUMBER = "the best point for each number"
ONE_POINT = "one point for all settings"

# How starts count, in the order of preference.
MEAN, LOWEST = "mean of the starts", "start with the lowest objective"
BEST, BEST_EACH = "best start by accuracy", "best start for each number"

# Protocols under which all repetitions have the same data; the column of a share of constraints,
# which are drawn for each.
SAME_DATA, DRAWN = ("complete", "natural"), "param_constraints"

HOW = ("reading", "starts", "tuning", "point")


class Candidates(NamedTuple):
    """Everything that was tried for a row.

    Attributes
    ----------
    about : DataFrame
        One row per candidate: reading (dict of parameters), starts, tuning, point (dict).
    values : ndarray of shape (n_candidates, n_numbers)
        Our numbers in percent, in the order of `printed`.
    on_masks : list of ndarray of shape (n_masks, n_numbers)
        The same of each candidate on every mask; their means are the values.
    printed : Series
        The papers' numbers in percent; the index is (missing_rate, paired_rate, view, metric),
        with NaN where the table has none.
    """

    about: pd.DataFrame
    values: np.ndarray
    on_masks: list[np.ndarray]
    printed: pd.Series


def candidates_of(experiment, label, method, runs):
    """Run through all readings of one row.

    Parameters
    ----------
    experiment : dict
        A slice of the plan: cases, metrics, published, "cut" (whether the budget leaves something
        out), "definitions" (for names of metrics all that they may mean), and "readings", for each
        method the parameters that its readings vary; the others of its grid are what the paper
        tunes.
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
    meanings = _meanings(experiment, [place for place in places if place is not None])
    tried = tried_readings(experiment, cases, method, runs)
    complete = _starts_alone_differ(cases, method["key"], runs)
    about, on_masks = [], []
    for reading, points in tried.values():
        several = len(next(iter(points.values()))[1][0]) > 1
        for starts in (MEAN, LOWEST, BEST, BEST_EACH) if several or complete else (MEAN,):
            scores = np.array([[scores_on_masks(of, starts, complete) for of in own] for _, own in
                               points.values()])  # fmt: skip
            tuned = [point for point, _ in points.values()]
            for tuning, point, chosen in _chosen(scores, tuned, complete):
                for meaning, (case, view, metric) in meanings:
                    row = 100 * chosen[case, :, view, metric].T
                    if np.isfinite(row).all():
                        how = (reading | meaning, starts, tuning, point)
                        about.append(dict(zip(HOW, how, strict=True)))
                        on_masks.append(row)
    values = np.array([row.mean(axis=0) for row in on_masks]).reshape(len(on_masks), len(printed))
    return Candidates(pd.DataFrame(about, columns=list(HOW)), values, on_masks, printed)


def _starts_alone_differ(cases, method, runs):
    """Whether all repetitions have the same data and constraints, so that they are starts too."""
    settings = [case["setting"] for case in cases]
    same = all(s["protocol"] in SAME_DATA or _is_mapped(s) for s in settings)
    keys = [key for case in cases for point in case["points"][method] for key in point["keys"]]
    drawn = runs.loc[keys, DRAWN] if DRAWN in runs else pd.Series(0.0, keys)
    return same and not (drawn.astype(float) > 0).any()


def _is_mapped(setting):
    """Whether the correspondence of all samples is known."""
    return setting["protocol"] == "mapped" and setting["rate"] == 1


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


def _columns(experiment):
    """The scores that an experiment may report, accuracy last."""
    defined = [
        defined_together(names, metrics).values()
        for names, several in experiment["definitions"].items()
        for metrics in several
    ]
    named = dict.fromkeys([*experiment["metrics"].values(), *itertools.chain(*defined)])
    return [*named, "acc"]


def _meanings(experiment, places):
    """What the names of metrics may mean, and where the scores of every printed number are.

    Parameters
    ----------
    experiment : dict
    places : list of (case, view, name of the metric)

    Returns
    -------
    list of (dict, tuple of ndarray)
        For each choice the names that may mean several with what is chosen, and an index of
        scores.
    """
    columns, several = _columns(experiment), experiment["definitions"]
    cases, views, names = zip(*places, strict=True)
    meanings = []
    for chosen in itertools.product(*several.values()):
        meaning = dict(zip(several, chosen, strict=True))
        means = dict(experiment["metrics"])
        for defined, metrics in meaning.items():
            means |= defined_together(defined, metrics)
        numbers = [columns.index(means[name]) for name in names]
        meanings.append((meaning, (np.array(cases), np.array(views), np.array(numbers))))
    return meanings


def tried_readings(experiment, cases, method, runs):
    """The scores of a method under every reading.

    Parameters
    ----------
    experiment, method, runs
        See `candidates_of`.
    cases : list of dict
        The cases of the experiment on one data set.

    Returns
    -------
    dict
        Reading as text -> (its parameters, dict: tuned point as text -> (its parameters, for each
        case a list with the scores of each start, see `scores_on_masks`)).
    """
    varied = set(experiment["readings"].get(method["key"], ()))
    tried = {}
    for number, case in enumerate(cases):
        points_of_case = case["points"][method["key"]]
        keys = [point["keys"] for point in points_of_case]
        scores = _scores(experiment, case, runs.loc[list(itertools.chain(*keys))])
        ends = np.cumsum([len(own) for own in keys])
        for point, end in zip(points_of_case, ends, strict=True):
            values = point["values"]
            reading = {k: v for k, v in values.items() if k in varied and k != START}
            tuned = {k: v for k, v in values.items() if k not in varied and k != START}
            points = tried.setdefault(canonical(reading), (reading, {}))[1]
            own = points.setdefault(canonical(tuned), (tuned, [[] for _ in cases]))[1]
            own[number].append(scores[end - len(point["keys"]) : end])
    return tried


def _scores(experiment, case, rows):
    """End of the objective, and scores as shares: (n_runs, n_views or 1, 1 + n_metrics)."""
    columns = _columns(experiment)
    if case["setting"]["protocol"] not in PER_VIEW:
        scores = rows[columns].to_numpy(dtype=float)[:, None, :]
    else:
        nothing = [dict.fromkeys(columns, np.nan)] * len(case["setting"]["views"])
        views = [nothing if of is None or not len(of) else of for of in rows["per_view"]]
        scores = np.array([[[v[c] for c in columns] for v in of] for of in views], dtype=float)
    ends = np.array([_end_of(objective) for objective in rows["objective"]])
    ends = np.broadcast_to(ends[:, None, None], (*scores.shape[:2], 1))
    return np.concatenate([ends, scores], axis=2)


def _end_of(objective):
    """The last value of an objective; NaN if there is none, or if it is not one that falls."""
    if objective is None or not len(objective) or objective[-1] > objective[0]:
        return np.nan
    return objective[-1]


def scores_on_masks(of_starts, starts, complete):
    """The scores of one case on each of its masks, as a paper may report them.

    Parameters
    ----------
    of_starts : list of ndarray of shape (n_repetitions, n_views, 1 + n_metrics)
        The end of the objective, then the scores, accuracy last.
    starts : {MEAN, LOWEST, BEST, BEST_EACH}
        The mean over the starts, the start with the lowest objective, the best start by accuracy,
        or the largest score of all starts, for each metric and view.
    complete : bool
        Whether nothing is masked, so that repetitions are starts too.

    Returns
    -------
    ndarray of shape (n_masks, n_views, n_metrics)
        One mask where nothing is masked, but for the mean: there repetitions stay apart. NaN
        where what the choice looks at is not known.
    """
    stacked = np.stack(of_starts)  # starts, repetitions, views, objective and metrics
    if starts == MEAN:
        return stacked[..., 1:].mean(axis=0)
    if complete:
        stacked = stacked.reshape(-1, 1, *stacked.shape[2:])
    ends, scores = stacked[..., 0], stacked[..., 1:]
    rank = -ends if starts == LOWEST else scores[..., -1]
    if np.isnan(scores).any() or np.isnan(rank).any():
        return np.full(scores.shape[1:], np.nan)
    if starts == BEST_EACH:
        return scores.max(axis=0)
    best = rank.mean(axis=2).argmax(axis=0)
    return scores[best, np.arange(scores.shape[1])]


def _chosen(scores, tuned, complete):
    """(how the parameters are chosen, the point, the scores of every case) of each choice.

    Parameters
    ----------
    scores : ndarray of shape (n_points, n_cases, n_masks, n_views, n_metrics)
    tuned : list of dict
    complete : bool
        Whether nothing is masked, so that no choice by mask is possible.
    """
    means = scores.mean(axis=2)
    accuracy = np.nan_to_num(means[..., -1].mean(axis=2), nan=-1.0)
    best = accuracy.argmax(axis=0)
    found = [(PER_SETTING, {}, scores[best, np.arange(scores.shape[1])])]
    if len(tuned) > 1:
        one = accuracy.mean(axis=1).argmax()
        found.append((PER_ROW, tuned[one], scores[one]))
        if not complete:
            on_masks = np.nan_to_num(scores[..., -1].mean(axis=3), nan=-1.0)
            own = on_masks.argmax(axis=0)[None, :, :, None, None]
            found.append((PER_MASK, {}, np.take_along_axis(scores, own, axis=0)[0]))
        each = np.nan_to_num(means, nan=-1.0).argmax(axis=0)[None, :, None]
        found.append((PER_NUMBER, {}, np.take_along_axis(scores, each, axis=0)[0]))
        found += [(ONE_POINT, point, of) for point, of in zip(tuned, scores, strict=True)]
    return found


def _places(experiment, cases, printed):
    """(case, view, name of the metric) of every printed number; None without such a case."""
    names = {metric_key(name): name for name in experiment["metrics"]}
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
        if number is None or metric not in names:
            places.append(None)
        else:
            places.append((number, 0 if np.isnan(view) else int(view) - 1, names[metric]))
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
