"""Searches for the reading of every printed row, from the narrowest to the widest.

Each is made for the row itself, for the rows that the table prints of other methods on the same
data, and for random rows like those: what it finds there is luck.
"""

import itertools
import json
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from mvclust.multiverse.candidates import (
    BEST_EACH,
    MEAN,
    ONE_POINT,
    PER_NUMBER,
    PER_SETTING,
    START,
    Candidates,
    distances,
)
from mvclust.multiverse.luck import (
    RANDOM_ROWS,
    explains,
    least_gaps,
    least_joint_gap,
    random_rows,
)
from mvclust.pipeline.plan.seeds import seed_of
from mvclust.pipeline.plan.settings import canonical

# Where a reading is searched for, from the narrowest search to the widest.
ALL_DATA = "one reading for all data sets"
TABLE = "one scaling for all methods of the table"
ALONE = "this row alone"
ANY_POINT = "this row alone, any point of the grid"
EACH = "this row alone, each number at its best"


@dataclass(frozen=True)
class Row:
    """A printed row, and everything that was tried for it.

    Parameters
    ----------
    experiment, method : dict
        See `mvclust.multiverse.candidates.candidates_of`.
    found : Candidates
    has_data : bool
        Whether any fit had its data, in the form that the paper used.
    rebuilt : bool, default=False
        Whether any fit had rebuilt features in their place.
    """

    experiment: dict
    method: dict
    found: Candidates
    has_data: bool
    rebuilt: bool = False

    @property
    def can_be_searched(self):
        """Whether there is anything to search."""
        return self.has_data and len(self.found.values) > 0

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
        """Index of the protocol as stated, every reading's first value, or None."""
        first = {
            name: values[0]
            for name, values in self.experiment["readings"].get(self.method["key"], {}).items()
            if name != START
        }
        first |= {name: metrics[0] for name, metrics in self.experiment["definitions"].items()}
        about = self.found.about
        same = [canonical(reading) == canonical(first) for reading in about["reading"]]
        usual = (about["starts"] == MEAN) & (about["tuning"] == PER_SETTING) & np.array(same, bool)
        return int(np.flatnonzero(usual)[0]) if usual.any() else None

    @property
    def name(self):
        """The method's name in the paper."""
        names = {r["method"] for r in self.experiment["published"]}
        return next(name for name in self.method["published"] if name in names)

    @cached_property
    def scalings(self):
        """How the features are scaled in each candidate, as text."""
        readings = self.found.about["reading"]
        texts = [canonical({"features": reading.get("features")}) for reading in readings]
        return np.array(texts, dtype=object)

    @cached_property
    def is_whole(self):
        """Whether all metrics of a setting are of the same partitions, in each candidate."""
        about = self.found.about
        return ((about["starts"] != BEST_EACH) & (about["tuning"] != PER_NUMBER)).to_numpy()

    @cached_property
    def is_tuned(self):
        """Whether, besides, the parameters of each candidate are chosen by accuracy."""
        return self.is_whole & (self.found.about["tuning"] != ONE_POINT).to_numpy()

    @property
    def alone(self):
        """The candidates of each search for this row alone."""
        every = np.ones(len(self.found.values), dtype=bool)
        return {ALONE: self.is_tuned, ANY_POINT: self.is_whole, EACH: every}

    @cached_property
    def keys(self):
        """What tells the candidates apart, whatever the data set."""
        return [
            json.dumps([canonical(a.reading), a.starts, a.tuning, canonical(a.point)])
            for a in self.found.about.itertuples()
        ]


class Search(NamedTuple):
    """What one search found for one row.

    Attributes
    ----------
    index : int or None
        The nearest candidate among those within both limits.
    near : ndarray of shape (1 + n_others + n_random,)
        Its mean absolute difference from the row, then the same for the rows of other methods and
        for random rows; infinity where no candidate is within both limits.
    """

    index: int | None
    near: np.ndarray


def others_of(rows, place):
    """Printed rows of the other methods of a table on the same data.

    Parameters
    ----------
    rows : dict
        (paper, item, dataset, method) -> Row.
    place : tuple

    Returns
    -------
    dict
        Name in the paper -> Series.
    """
    mine, found = rows[place], {}
    index = mine.found.printed.index
    for other, row in rows.items():
        same = other[:3] == place[:3] and row.name != mine.name
        if same and index.isin(row.found.printed.index).all():
            found[row.name] = row.found.printed.loc[index]
    return found


def search_all(rows):
    """All searches for all rows.

    Parameters
    ----------
    rows : dict
        (paper, item, dataset, method) -> Row.

    Returns
    -------
    dict
        The same key, of rows that can be searched -> dict of Search by the name of the search,
        the narrowest first.
    """
    usable = {place: row for place, row in rows.items() if row.can_be_searched}
    targets = {place: _targets(rows, place) for place in usable}
    found = {place: {} for place in usable}
    for place, search in _for_all_data(usable, targets):
        found[place][ALL_DATA] = search
    for _, places in _grouped(usable, (0, 1, 2)):
        for place, name, search in _on_one_data_set({p: usable[p] for p in places}, targets):
            found[place][name] = search
    return found


class _Targets(NamedTuple):
    """A row, those of other methods, whose names come first, and random rows."""

    names: list[str]
    values: np.ndarray

    @property
    def random(self):
        """The index of the row itself and of the random ones."""
        return np.r_[0, len(self.names) : len(self.values)]


def _targets(rows, place):
    """What is searched for.

    Every method has random weights of its own, the same on all data sets of a table: together its
    random rows are like those of one more method.
    """
    mine = rows[place]
    printed = {mine.name: mine.found.printed} | others_of(rows, place)
    names = list(dict.fromkeys(row.name for at, row in rows.items() if at[:2] == place[:2]))
    rng = np.random.default_rng(seed_of(*place[:2], mine.name, "luck"))
    weights = rng.standard_normal((RANDOM_ROWS, len(names)))
    weights = weights[:, [names.index(name) for name in printed]]
    values = np.array([row.to_numpy() for row in printed.values()])
    return _Targets(list(printed), np.vstack([values, random_rows(values, weights)]))


def nearest(row, among):
    """The nearest candidate within both limits of a row.

    Parameters
    ----------
    row : Row
    among : ndarray of bool of shape (n_candidates,)
        Those that are searched.

    Returns
    -------
    int or None
    """
    mean, largest = row.distances
    good = np.flatnonzero(explains(mean, largest) & among)
    return int(good[mean[good].argmin()]) if len(good) else None


def _grouped(rows, parts):
    """Places that agree in some parts, with these."""
    groups = defaultdict(list)
    for place in rows:
        groups[tuple(place[part] for part in parts)].append(place)
    return groups.items()


def _for_all_data(rows, targets):
    """One reading for all data sets of a table and method: (place, Search) pairs."""
    for _, places in _grouped(rows, (0, 1, 3)):
        if len(places) < 2:
            continue
        numbers = [
            {key: i for i, key in enumerate(rows[place].keys) if rows[place].is_whole[i]}
            for place in places
        ]
        common = [key for key in numbers[0] if all(key in of for of in numbers)]
        if not common:
            continue
        chosen = [np.array([of[key] for key in common]) for of in numbers]
        values = [rows[p].found.values[of] for p, of in zip(places, chosen, strict=True)]
        names = [name for name in targets[places[0]].names[1:]
                 if all(name in targets[place].names for place in places)]  # fmt: skip
        at = [_joint_index(targets[place], names) for place in places]
        wanted = [targets[p].values[index] for p, index in zip(places, at, strict=True)]
        least, candidate = least_joint_gap(values, wanted)
        for place, index, of in zip(places, at, chosen, strict=True):
            near = np.full(len(targets[place].values), np.inf)
            near[index] = least
            yield place, Search(int(of[candidate[0]]) if np.isfinite(least[0]) else None, near)


def _joint_index(targets, names):
    """Where the row itself, those of some other methods, and the random ones are."""
    others = [targets.names.index(name) for name in names]
    return np.array([0, *others, *targets.random[1:]])


def _on_one_data_set(rows, targets):
    """By one scaling of the features for all methods of a table, and for each row alone.

    How the data were scaled is a choice that a paper makes once for all methods: here the scaling
    that explains most of the rows by parameters chosen by accuracy, of such the nearest. For the
    random rows it is chosen anew, by one random row of each method.

    Yields
    ------
    (place, name of the search, Search)
    """
    scalings = sorted(set(itertools.chain(*(row.scalings for row in rows.values()))))
    scaled, least = {}, {}
    for place, row in rows.items():
        scaled[place] = [row.is_tuned & (row.scalings == scaling) for scaling in scalings]
        searches = [*scaled[place], *row.alone.values()]
        least[place] = least_gaps(row.found.values, targets[place].values, searches)
    at = {place: targets[place].random for place in rows}
    mean, within = (
        np.array([least[place][kind][: len(scalings), at[place]] for place in rows])
        for kind in (0, 1)
    )
    chosen = _most_common(mean, within)
    for place, row in rows.items():
        by_scaling, alone = np.split(least[place][1], [len(scalings)])
        near = by_scaling[chosen[0]].copy()
        near[at[place]] = by_scaling[chosen, at[place]]
        yield place, TABLE, Search(nearest(row, scaled[place][chosen[0]]), near)
        for (name, among), near in zip(row.alone.items(), alone, strict=True):
            yield place, name, Search(nearest(row, among), near)


def _most_common(mean, within):
    """The scaling that explains most rows of each table, of such the nearest in the mean.

    Parameters
    ----------
    mean, within : ndarray of shape (n_methods, n_scalings, n_tables)
        See `mvclust.multiverse.luck.least_gaps`; each table has one row of each method.

    Returns
    -------
    ndarray of int of shape (n_tables,)
    """
    explained, tried = np.isfinite(within).sum(axis=0), np.isfinite(mean).sum(axis=0)
    mean = np.where(np.isfinite(mean), mean, 0.0).sum(axis=0) / np.maximum(tried, 1)
    most = (explained == explained.max(axis=0)) & (tried > 0)
    return np.where(most, mean, np.inf).argmin(axis=0)
