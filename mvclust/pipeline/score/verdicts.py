"""Readings of a printed row: which way to fill what a paper leaves open gives its numbers.

A row is one method on one data set in one table, with all its settings and metrics. A reading says
how the method was run, how the starts of k-means count, and how its parameters were chosen. The
search for the reading that is nearest to a row is repeated with the rows of the other methods on
the same data: a search that explains these as well explains nothing.
"""

import json
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pandas as pd

from mvclust.pipeline.plan.settings import canonical
from mvclust.pipeline.score.candidates import (
    BEST_EACH,
    HOW,
    MEAN,
    ONE_POINT,
    PER_NUMBER,
    PER_SETTING,
    START,
    Candidates,
    candidates_of,
    distances,
)

NEAR, FAR = 2.0, 5.0  # points: in the mean over a row, and for each of its numbers
DRAWS = 1000  # of masks, with replacement, for the share of draws that repeat a row
LUCK = 1 / 8  # largest share of other rows that a search may come as near to as to its own

# Where a reading was searched for, from the narrowest search to the widest.
ALL_DATA = "one reading for all data sets"
TABLE = "one scaling for all methods of the table"
ALONE = "this row alone"
ANY_POINT = "this row alone, any point of the grid"
EACH = "this row alone, each number at its best"

ROW = ("paper", "item", "dataset", "method")
NEARNESS = ("mean_abs", "largest_abs", "mean_difference")
NUMBER = (*ROW, "missing_rate", "paired_rate", "view", "metric", "published", "stated", "read")
JUDGED = [*ROW, "numbers", "verdict", *HOW, "scope", *NEARNESS]
JUDGED += ["stated_mean_abs", "stated_mean_difference", "tried", "luck", "repeated"]

VERDICTS = (
    *("as stated", "under a reading", "contradicts itself", "better", "not reproduced"),
    *("not decided", "no data"),
)


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
    least = [distances(candidates, other)[0][among].min() for other in others]
    return float(np.mean([near <= distance for near in least]))


def repeated(on_masks, settings):
    """How often a protocol, on other masks, would come within both limits of its own row.

    Parameters
    ----------
    on_masks : ndarray of shape (n_masks, n_numbers)
        Its numbers in percent on every mask.
    settings : array-like of shape (n_numbers,)
        Numbers of one setting have the same masks, those of others have masks of their own.

    Returns
    -------
    float
        The share of `DRAWS` pairs of draws of that many masks, with replacement; their
        differences are enlarged as is due for a variance from few masks. NaN for one mask.
    """
    n_masks, n_numbers = on_masks.shape
    if n_masks < 2:
        return np.nan
    rng = np.random.default_rng(0)
    settings = np.asarray(settings)
    gaps = np.empty((DRAWS, n_numbers))
    for setting in np.unique(settings):
        mine = settings == setting
        one, other = on_masks[:, mine][rng.integers(n_masks, size=(2, DRAWS, n_masks))].mean(axis=2)
        gaps[:, mine] = np.abs(one - other) * np.sqrt(n_masks / (n_masks - 1))
    return float(explains(gaps.mean(axis=1), gaps.max(axis=1)).mean())


def stated(candidates, experiment, method):
    """Index of the candidate that is the protocol as stated: every reading's first value."""
    first = _first_values(experiment, method)
    first |= {name: metrics[0] for name, metrics in experiment["definitions"].items()}
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
        With the columns `ROW`, `HOW` and `NEARNESS`; of single points and of definitions of
        metrics only the nearest of each reading.
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


@dataclass(frozen=True)
class _Row:
    """A printed row, and everything that was tried for it."""

    experiment: dict
    method: dict
    found: Candidates
    has_data: bool

    @cached_property
    def distances(self):
        """Mean and largest absolute difference of each candidate."""
        return distances(self.found, self.found.printed)

    @cached_property
    def differences(self):
        """Mean difference of each candidate."""
        return (self.found.values - self.found.printed.to_numpy()).mean(axis=1)

    @cached_property
    def usual(self):
        """Index of the protocol as stated, or None."""
        return stated(self.found, self.experiment, self.method)

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
    def is_whole(self):
        """Whether all metrics of a setting are of the same partitions, in each candidate."""
        about = self.found.about
        return ((about["starts"] != BEST_EACH) & (about["tuning"] != PER_NUMBER)).to_numpy()

    @property
    def is_tuned(self):
        """Whether, besides, the parameters of each candidate are chosen by accuracy."""
        return self.is_whole & (self.found.about["tuning"] != ONE_POINT).to_numpy()

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
            mean, largest = row.distances
            usable = explains(mean, largest) & row.is_whole
            for key, m, good in zip(row.keys, mean, usable, strict=True):
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
        mean, largest = row.distances
        good, scalings, tuned = explains(mean, largest), row.scalings, row.is_tuned
        for scaling in sorted(set(scalings)):
            mine = tuned & (scalings == scaling)
            explained[scaling] += int(good[mine].any())
            near[scaling].append(mean[mine].min())
    ranked = [(-explained[scaling], np.mean(near[scaling]), scaling) for scaling in near]
    return min(ranked)[-1]


def _searches(row, scaling, shared):
    """The searches for a reading from the narrowest to the widest: (scope, candidates) pairs."""
    if shared is not None:
        yield ALL_DATA, row.is_whole
    common = row.is_tuned & (row.scalings == scaling)
    if common.any():
        yield TABLE, common
    yield ALONE, row.is_tuned
    yield ANY_POINT, row.is_whole
    yield EACH, np.ones(len(row.found.values), dtype=bool)


def nearest(mean, good, among):
    """The nearest of some candidates; one within both limits comes before all others.

    Parameters
    ----------
    mean : ndarray of shape (n_candidates,)
        Mean absolute differences from a row.
    good : ndarray of bool of shape (n_candidates,)
        Those that explain it.
    among : ndarray of bool of shape (n_candidates,)
        Those that are searched.

    Returns
    -------
    int
    """
    worst = np.where(good, 0, 1) + np.where(among, 0, 2)
    return int(np.lexsort((mean, worst))[0])


def _verdict(row, others, scaling, shared, about, broken):
    """How a row was read, as columns of the table of verdicts, and the candidate's index."""
    found, numbers = row.found, {"numbers": len(row.found.printed)}
    if not row.has_data or not len(found.values):
        return numbers | {"verdict": "no data"}, None
    (mean, largest), usual, difference = row.distances, row.usual, row.differences
    good = explains(mean, largest)
    best, scope, luck = int(mean.argmin()), None, np.nan
    for name, among in _searches(row, scaling, shared):
        near = shared if name == ALL_DATA else nearest(mean, good, among)
        chance = luck_of(found, list(others.values()), mean[near], among)
        if good[near] and not chance > LUCK:
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
        "repeated": repeated(found.on_masks[best], _settings(found.printed)),
    }
    return numbers | columns, best


def _settings(printed):
    """A number for the setting of each printed number; views of a setting share it."""
    rates = printed.index.to_frame(index=False)[["missing_rate", "paired_rate"]].fillna(-1.0)
    return rates.groupby(["missing_rate", "paired_rate"], sort=False).ngroup().to_numpy()


def _numbers(row, best):
    """Every number of a row: as printed, as stated, and as read."""
    found = row.found
    usual = None if best is None else row.usual
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
    """What was tried for a row; of single points and definitions the nearest of each reading."""
    found = row.found
    if not len(found.values):
        return []
    mean, largest = row.distances
    table = found.about.assign(
        mean_abs=mean,
        largest_abs=largest,
        mean_difference=row.differences,
        order=range(len(mean)),
    )
    meanings = row.experiment["definitions"]
    table["key"] = [
        canonical({k: v for k, v in reading.items() if k not in meanings})
        for reading in table["reading"]
    ]
    table = table.sort_values("mean_abs", kind="stable")
    table = table.drop_duplicates(["key", "starts", "tuning"]).sort_values("order")
    return table.drop(columns=["key", "order"]).to_dict("records")
