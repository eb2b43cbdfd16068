"""Columns of numbers that name the samples of several tables, whatever they are called."""

from dataclasses import replace

import numpy as np
from scipy import sparse

from mvclust.datasets.foreign.tables import whole
from mvclust.datasets.foreign.words import plain

FEWEST = 5  # samples of a table; fewer numbers agree by chance
DISTINCT = 0.9  # of the numbers of a key; one that is there twice is refused later
ANY = ""  # the title of names that stand for themselves
SHARED, ALMOST_ALL = 0.5, 0.9  # of the numbers of the smaller table, with equal and other titles


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
    known = {}  # file -> title -> numbers by which its samples are named already
    for v in variables:
        if v.table and v.rows is not None and (v.corner or not v.numbered):
            title = v.corner if v.numbered else ANY
            known.setdefault(v.file, {title: _numbers_of_names(v.rows)})
    candidates = {
        v.file: _columns_of_numbers(v) for v in variables if _is_open(v) and v.file not in known
    }
    keys = {}
    for file, columns in candidates.items():
        others = [c for other, c in (*candidates.items(), *known.items()) if other != file]
        found = [
            (share, -place, title)
            for place, (title, numbers) in enumerate(columns.items())
            if (share := max((_agreement(title, numbers, other) for other in others), default=0))
        ]
        if found:
            keys[file] = max(found)[2]
    for file, title in keys.items():
        log.note(
            f"the column {title} of {file} has the numbers of another file: it names the samples"
        )
    return [w for v in variables for w in _named(v, candidates.get(v.file), keys.get(v.file))]


def _is_open(v):
    """Whether a variable is a table of numbers whose rows have no names."""
    plainly = v.table and v.role in (None, "facts") and (v.rows is None or v.numbered)
    return plainly and len(v.shape) == 2 and not v.is_text and not sparse.issparse(v.values)


def _columns_of_numbers(v):
    """Title -> numbers, of the columns that may be keys; titles of columns without are places."""
    found = {}
    for c, column in enumerate(v.values.T):
        if len(column) < FEWEST or not np.isfinite(column).all() or not whole(column):
            continue
        if len(np.unique(column)) >= DISTINCT * len(column):
            found[v.columns[c] if v.columns is not None else str(c)] = column
    return found


def _numbers_of_names(names):
    texts = [str(name).strip() for name in names]
    return np.array([float(text) for text in texts if text.isdigit()])


def _agreement(title, numbers, others):
    """The share of numbers that a column of another table has; 0 if too few for a key."""
    best = 0.0
    for other, theirs in others.items():
        if not len(theirs):
            continue
        shared = np.intersect1d(numbers, theirs)
        share = len(shared) / min(len(np.unique(numbers)), len(np.unique(theirs)))
        same = plain(title) == plain(other) or other is ANY
        counts = len(shared) and shared.max() - shared.min() + 1 == len(shared)
        if share >= (SHARED if same else ALMOST_ALL) and (same or not counts):
            best = max(best, share)
    return best


def _named(v, columns, key):
    """A variable of a file with a key, without it."""
    if key is None or (v.shape and v.shape[0] != len(columns[key])):
        return [v]
    rows = [f"{number:.0f}" for number in columns[key]]
    if not _is_open(v):
        return [replace(v, rows=rows, numbered=False) if v.role != "view" else v]
    titles = v.columns if v.columns is not None else [str(c) for c in range(v.shape[1])]
    kept = [c for c, title in enumerate(titles) if title != key]
    if not kept:
        return []
    columns = None if v.columns is None else [titles[c] for c in kept]
    return [replace(v, values=v.values[:, kept], columns=columns, rows=rows, numbered=False)]
