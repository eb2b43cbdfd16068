"""Columns of numbers that name the samples of several tables, whatever they are called."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy import sparse

from mvclust.datasets.foreign.tables import whole
from mvclust.datasets.foreign.words import plain

ANY = "any title"  # of names that stand for themselves
FEWEST = 5  # samples of a table; fewer numbers agree by chance
DISTINCT = 0.9  # of the numbers of a key; one that is there twice is refused later
SHARED = 0.5  # of the numbers of the smaller table
SPREAD = 3  # numbers that lie so much wider than they are many agree by no chance
MOST_KEYS = 2  # columns of a table that agree with another; more are rather ranks


class Column(NamedTuple):
    """A column that may be a key: its title, its place, its numbers, and the distinct ones."""

    title: str
    place: int
    numbers: np.ndarray
    distinct: np.ndarray


def with_shared_keys(variables, log):
    """Tables without names of samples, with those that a column of numbers gives in several.

    A column is a key if its numbers are distinct and another table has the same ones: in a column
    of the same title, or in one of another if the numbers do not merely count. All that a file
    holds gets the names.

    Parameters
    ----------
    variables : list of Variable
    log : Log

    Returns
    -------
    list of Variable
    """
    named = {}  # file -> columns by which its samples are named already
    for v in variables:
        if v.table and v.rows is not None and (v.corner or not v.numbered):
            numbers = _numbers_of_names(v.rows)
            if len(numbers):
                column = Column(v.corner if v.numbered else ANY, 0, numbers, np.unique(numbers))
                named.setdefault(v.file, [column])
    tables = {v.file: _columns(v) for v in variables if _is_open(v) and v.file not in named}
    keys = {}
    for file, columns in tables.items():
        others = [of for other, of in (*tables.items(), *named.items()) if other != file]
        agreeing = _agreeing(columns, others)
        if 0 < len(agreeing) <= MOST_KEYS:
            keys[file] = agreeing[0]
    for file, column in keys.items():
        log.note(
            f"the column {column.title} of {file} has the numbers of another file: it names the "
            "samples"
        )
    return [w for v in variables for w in _named(v, keys.get(v.file))]


def _is_open(v):
    """Whether a variable is a table of numbers whose rows have no names."""
    plainly = v.table and v.role in (None, "facts") and (v.rows is None or v.numbered)
    return plainly and len(v.shape) == 2 and not v.is_text and not sparse.issparse(v.values)


def _columns(v):
    """The columns that may be keys; the title of one without is its place."""
    found = []
    for place, numbers in enumerate(v.values.T):
        if len(numbers) < FEWEST or not np.isfinite(numbers).all() or not whole(numbers):
            continue
        distinct = np.unique(numbers)
        if len(distinct) >= DISTINCT * len(numbers):
            title = v.columns[place] if v.columns is not None else str(place)
            found.append(Column(title, place, numbers, distinct))
    return found


def _numbers_of_names(names):
    texts = [str(name).strip() for name in names]
    return np.array([float(text) for text in texts if text.isdigit()])


def _agreeing(columns, others):
    """The columns that another table has too, the likeliest keys first."""
    titles, numbers, loose = {}, set(), []
    for other in others:
        for column in other:
            if column.title is ANY:
                loose.append(column)
            titles.setdefault(plain(column.title), []).append(column)
            if not _counts(column):
                numbers.add(column.distinct.tobytes())
    found = []
    for column in columns:
        same = [*titles.get(plain(column.title), ()), *loose]
        shares = [_share(column, other) for other in same]
        if column.distinct.tobytes() in numbers:
            shares.append(1.0)
        if max(shares, default=0) > 0:
            found.append((-max(shares), column.place, column))
    return [column for _, _, column in sorted(found)]


def _share(column, other):
    """The share of numbers that both columns have; 0 if it may be chance."""
    shared = len(np.intersect1d(column.distinct, other.distinct, assume_unique=True))
    share = shared / min(len(column.distinct), len(other.distinct))
    first = column.place == other.place == 0
    sure = share == 1 or first or not (_is_dense(column) or _is_dense(other))
    return share if sure and share >= SHARED else 0.0


def _is_dense(column):
    return column.distinct[-1] - column.distinct[0] < SPREAD * len(column.distinct)


def _counts(column):
    """Whether numbers are those of rows."""
    return column.distinct[-1] - column.distinct[0] + 1 == len(column.distinct)


def _named(v, key):
    """A variable of a file with a key, without it."""
    if key is None or v.role == "view" or (v.shape and v.shape[0] != len(key.numbers)):
        return [v]
    rows = [f"{number:.0f}" for number in key.numbers]
    if not _is_open(v):
        return [replace(v, rows=rows, numbered=False)]
    kept = [c for c in range(v.shape[1]) if c != key.place]
    if not kept:
        return []
    columns = None if v.columns is None else [v.columns[c] for c in kept]
    return [replace(v, values=v.values[:, kept], columns=columns, rows=rows, numbered=False)]
