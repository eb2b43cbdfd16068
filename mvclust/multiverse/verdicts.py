"""Readings of a printed row: which way to fill what a paper leaves open gives its numbers.

A row is one method on one data set in one table, with all its settings and metrics. A reading says
how the method was run, how the starts of k-means count, and how its parameters were chosen. A
reading counts where its search explains few random rows as well as the printed one.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd

from mvclust.datasets.catalogue import REBUILT, is_rebuilt
from mvclust.multiverse.candidates import HOW, candidates_of, distances
from mvclust.multiverse.luck import (
    LEVEL,
    NEAR,
    RANDOM_ROWS,
    chances,
    expected_luck,
    explains,
)
from mvclust.multiverse.searches import EACH, Row, others_of, search_all
from mvclust.pipeline.plan.settings import canonical

DRAWS = 1000  # of masks, with replacement, for the share of draws that repeat a row

ROW = ("paper", "item", "dataset", "method")
NEARNESS = ("mean_abs", "largest_abs", "mean_difference")
NUMBER = (*ROW, "missing_rate", "paired_rate", "view", "metric", "published", "stated", "read")
JUDGED = [*ROW, "numbers", "verdict", *HOW, "scope", *NEARNESS]
JUDGED += ["stated_mean_abs", "stated_mean_difference", "tried", "luck", "expected_luck"]
JUDGED += ["repeated"]
CONTROL = (*ROW, "other", "nearest", "explained", "counts", "as_stated")

VERDICTS = (
    *("as stated", "under a reading", "contradicts itself", "better", "perhaps by luck"),
    *("not reproduced", "not decided", REBUILT, "no data"),
)


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
        One row per printed row of another method that is searched for in its place, with the
        columns `CONTROL`: how near any candidate comes, whether any is within both limits,
        whether it would count, and whether it would be as stated.
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
    rows = _rows(experiments, runs.set_index("key"))
    trials = {place: _Trial(searches) for place, searches in search_all(rows).items()}
    judged = [place for place in trials if not _needs_no_reading(rows[place])]
    lucks = [trials[place].lucks[0] for place in judged]
    expected = dict(zip(judged, expected_luck(lucks), strict=True))
    counted = sum(share <= LEVEL for share in expected.values())
    limit = LEVEL * counted / max(len(judged), 1)
    verdicts, numbers, tried, control = [], [], [], []
    for place, row in rows.items():
        about = dict(zip(ROW, (*place[:3], row.name), strict=True))
        trial = trials.get(place)
        found, best = _verdict(row, trial, expected.get(place, np.nan), limit, about, broken)
        verdicts.append(about | found)
        numbers += [about | line for line in _numbers(row, best)]
        tried += [about | line for line in _lines(row)]
        if trial is not None:
            others = others_of(rows, place)
            control += [about | line for line in _control(row, others, trial, limit)]
    return Judged(
        pd.DataFrame(verdicts, columns=JUDGED),
        pd.DataFrame(numbers, columns=NUMBER),
        pd.DataFrame(tried, columns=[*ROW, *HOW, *NEARNESS]),
        pd.DataFrame(control, columns=list(CONTROL)),
    )


def _rows(experiments, runs):
    """Every printed row of a run, with everything that was tried for it."""
    rebuilt = runs["source"].fillna("").map(is_rebuilt)
    rows, available = {}, set(runs.index[runs["error"].isna() & ~rebuilt])
    rebuilt = set(runs.index[rebuilt])
    for experiment in experiments:
        for label in dict.fromkeys(case["label"] for case in experiment["cases"]):
            for method in experiment["methods"]:
                found = candidates_of(experiment, label, method, runs)
                if found is not None:
                    place = experiment["paper"], experiment["item"], label, method["key"]
                    about = [_any_fit(experiment, label, method, k) for k in (available, rebuilt)]
                    rows[place] = Row(experiment, method, found, *about)
    return rows


class _Trial:
    """The searches for one row, and how often they explain random rows as well.

    Attributes
    ----------
    searches : dict of Search
    by_search : ndarray of shape (n_searches, 1 + n_others)
        See `mvclust.multiverse.luck.chances`.
    lucks : ndarray of shape (1 + n_others,)
        The same of all searches together.
    """

    def __init__(self, searches):
        self.searches = searches
        near = np.array([search.near for search in searches.values()])
        self.by_search, self.lucks = chances(near, near.shape[1] - RANDOM_ROWS)

    def narrowest(self, limit):
        """The narrowest search that few random rows pass as well: its name, and the candidate."""
        shares = zip(self.searches.items(), self.by_search[:, 0], strict=True)
        return next((scope, search.index) for (scope, search), share in shares if share <= limit)


def _needs_no_reading(row):
    """Whether a row needs no reading, or none can be found yet."""
    return row.experiment["cut"] or _is_as_stated(row)


def _is_as_stated(row):
    return row.usual is not None and row.distances[0][row.usual] <= NEAR


def _control(row, others, trial, limit):
    """The rows of other methods, searched for in the place of a row."""
    for (name, printed), luck in zip(others.items(), trial.lucks[1:], strict=True):
        mean, largest = distances(row.found, printed)
        yield {
            "other": name,
            "nearest": float(mean.min()),
            "explained": bool(explains(mean, largest).any()),
            "counts": bool(luck <= limit),
            "as_stated": row.usual is not None and bool(mean[row.usual] <= NEAR),
        }


def _any_fit(experiment, label, method, keys):
    return any(
        key in keys
        for case in experiment["cases"]
        if case["label"] == label
        for point in case["points"][method["key"]]
        for key in point["keys"]
    )


def _verdict(row, trial, expected, limit, about, broken):
    """How a row was read, as columns of the table of verdicts, and the candidate's index."""
    found, numbers = row.found, {"numbers": len(row.found.printed)}
    if trial is None:
        return numbers | {"verdict": REBUILT if row.rebuilt else "no data"}, None
    (mean, largest), usual, difference = row.distances, row.usual, row.differences
    scope, best = None, trial.searches[EACH].index
    is_near = best is not None
    best = best if is_near else int(mean.argmin())
    place = tuple(about[name] for name in ROW)
    if row.experiment["cut"]:
        verdict = "not decided"
    elif _is_as_stated(row):
        best, verdict = usual, "as stated"
    elif trial.lucks[0] <= limit:
        (scope, best), verdict = trial.narrowest(limit), "under a reading"
    elif place in broken:
        verdict = "contradicts itself"
    elif usual is not None and difference[usual] > NEAR:
        verdict = "better"
    else:
        verdict = "perhaps by luck" if is_near else "not reproduced"
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
        "luck": nan if np.isnan(expected) else trial.lucks[0],
        "expected_luck": expected,
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
