"""How many points of accuracy each choice is worth that a paper leaves open."""

import json

import numpy as np
import pandas as pd

from mvclust.multiverse.candidates import (
    BEST,
    LOWEST,
    MEAN,
    SAME_DATA,
    START,
    scores_on_masks,
    tried_readings,
)
from mvclust.pipeline.plan.settings import canonical


def effects(experiments, runs):
    """How many points of accuracy each choice is worth.

    A value of a reading is compared with the first of the same parameter, all else equal: on the
    same data, rate, method, tuned point and other readings. The best start, and that with the
    lowest objective, are compared with the mean of the starts, and the point chosen by the labels
    with the mean over the grid.

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
    tried = tried_readings(experiment, cases, method, runs)
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
        complete = {case["setting"]["protocol"] for case in cases} <= set(SAME_DATA)
        gaps = {of: _accuracies(tried, of, complete) - usual for of in (LOWEST, BEST)}
        if (gaps[BEST] > 0).any():
            lines += [_line("starts", starts, MEAN, gap) for starts, gap in gaps.items()]
    return lines


def _accuracies(tried, starts, complete=False):
    """Mean accuracies in percent, (n_readings, n_points, n_cases)."""
    means = [
        [[_accuracy(of, starts, complete) for of in own] for _, own in points.values()]
        for _, points in tried.values()
    ]
    return 100 * np.array(means)


def _accuracy(of_starts, starts, complete):
    return scores_on_masks(of_starts, starts, complete)[..., -1].mean()


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
