"""Samples of several files matched by their names."""

import re
from dataclasses import replace
from functools import lru_cache

import numpy as np
from scipy import sparse

from mvclust.datasets.foreign.record import NotUnderstood


@lru_cache(maxsize=1 << 17)
def same_marks(name):
    """A name without case, with points for all marks, without R's X before a digit.

    Examples
    --------
    >>> same_marks("P-1-1001") == same_marks("p.1.1001"), same_marks("X12a")
    (True, '12a')
    """
    text = re.sub(r"[\W_]+", ".", str(name).strip().casefold()).strip(".")
    return re.sub(r"^x(?=\d)", "", text)


@lru_cache(maxsize=1 << 17)
def no_zeros(name):
    """The same without zeros before numbers.

    Examples
    --------
    >>> no_zeros("007"), no_zeros("P-007"), no_zeros("P010"), no_zeros("7.0")
    ('7', 'p.7', 'p10', '7')
    """
    text = re.sub(r"^(\d+)\.0$", r"\1", same_marks(name))
    return re.sub(r"(?<!\d)0+(?=\d)", "", text)


def overlap(a, b):
    """The share of the shorter list of names that is in the other, marks and case aside."""
    exact = _shared(set(a), set(b))
    if exact == 1:
        return 1.0
    lists = matched([list(a), list(b)], say=None)
    return max(exact, _shared(set(lists[0]), set(lists[1])))


def _shared(a, b):
    return len(a & b) / max(1, min(len(a), len(b)))


def matched(lists, say):
    """Lists of names, changed alike so that those of one sample are equal.

    Parameters
    ----------
    lists : list of list of str
    say : callable or None
        Takes a sentence on the change.

    Returns
    -------
    list of list of str
    """
    exact = [[str(name).strip() for name in names] for names in lists]
    if len(exact) < 2:
        return exact
    best, how = exact, None
    for change, named in _changes(exact):
        if change is None:
            continue
        if any(len(set(new)) < len(set(old)) for new, old in zip(change, exact, strict=True)):
            continue
        if _n_together(change) < _n_together(best):
            best, how = change, named
    if how is not None and say is not None:
        pair = _example(exact, best)
        say(f"samples are matched by their names after a change: {how}, as in {pair}")
    return best


def _changes(lists):
    """Ways to change names, the mildest first, and how they are called."""
    yield [[same_marks(n) for n in names] for names in lists], "marks and case aside"
    yield [[no_zeros(n) for n in names] for names in lists], "zeros before numbers aside"
    parts = [[same_marks(n).split(".") for n in names] for names in lists]
    yield _without_constant(parts), "what all names of a file have in common aside"
    yield _without_one_number(parts), "the number at the end of all names of a file aside"
    small = _n_together([[same_marks(n) for n in names] for names in lists])
    shared = sum(len(names) for names in lists) - small
    if shared > 0.1 * min(len(names) for names in lists):
        return
    counts = [min(len(p) for p in names) for names in parts if names]
    if counts and min(counts) >= 2:
        for k in range(min(counts), 1, -1):
            yield [[".".join(p[:k]) for p in names] for names in parts], f"cut after part {k}"


def _without_constant(parts):
    """Names without first or last parts that are the same in all names of their file only."""
    changed = []
    for names in parts:
        names = [list(p) for p in names]
        for at in (-1, 0):
            while (
                len(names) > 1
                and all(len(p) > 1 for p in names)
                and len({p[at] for p in names}) == 1
                and not names[0][at].isdigit()
            ):
                for p in names:
                    p.pop(at)
        changed.append([".".join(p) for p in names])
    return changed


def _without_one_number(parts):
    """Names without a last number that all names of some files have, the same, and others not.

    Where files end with other numbers, such as those of visits, nothing is cut.
    """
    lasts = [{p[-1] if len(p) > 1 and p[-1].isdigit() else "" for p in names} for names in parts]
    numbers = {"".join(last) for last in lasts if len(last) == 1}
    cut = numbers - {""}
    if len(cut) > 1 or numbers == cut:
        cut = set()
    return [
        [".".join(p[:-1] if last <= cut else p) for p in names]
        for names, last in zip(parts, lasts, strict=True)
    ]


def _n_together(lists):
    return len({name for names in lists for name in names})


def _example(exact, changed):
    """Two names that became one."""
    first = {}
    for old, new in zip(exact, changed, strict=True):
        for a, b in zip(old, new, strict=True):
            if first.setdefault(b, a) != a:
                return f"{first[b]} and {a}"
    return exact[0][0]


def check_unique(v):
    """Refuse names of samples that are there twice."""
    seen = {}
    for row, name in enumerate(v.rows, 1):
        if name in seen:
            raise NotUnderstood(
                f"{v.file}: the id {name} is there twice (rows {seen[name]} and {row}), expected "
                f"one row per sample; --role {v.name}=ignore leaves it out."
            )
        seen[name] = row


def with_names_of_rows(views):
    """Row numbers as names, where another view has a selection of them.

    Parameters
    ----------
    views : list of Variable

    Returns
    -------
    list of Variable

    Raises
    ------
    NotUnderstood
        If all views only number their rows, and have different numbers of them.
    """
    numbered = [v for v in views if v.numbered]
    named = [v for v in views if v.rows is not None and not v.numbered]
    if len(numbered) == len(views):
        _all_numbered(views)
    if named and all(str(name).isdigit() for v in named for name in v.rows):
        return [replace(v, numbered=False) for v in views]
    return views


def align(views, log):
    """Views with the same samples in the same rows.

    Parameters
    ----------
    views : list of Variable
        With samples in rows.
    log : Log

    Returns
    -------
    views : list of Variable
        An absent sample is a row of NaN, in a sparse view an empty row.
    ids : list of str, or None
        Names of the samples.
    presence : ndarray of bool of shape (n_samples, n_views), or None
        Which samples were there; None where all views have the same.

    Raises
    ------
    NotUnderstood
        If names are there twice, or a view shares none with the others.
    """
    views = [replace(v, rows=None) if v.numbered and _all_numbered(views) else v for v in views]
    with_ids = [v for v in views if v.rows is not None]
    if not with_ids:
        return views, None, None
    for v in with_ids:
        check_unique(v)
    changed = matched([v.rows for v in with_ids], log.note)
    views = _with_ids_by_order(views, with_ids, changed, log)
    if len(with_ids) < len(views):
        changed = [changed[0] if all(v is not w for w in with_ids) else
                   changed[[w is v for w in with_ids].index(True)] for v in views]  # fmt: skip
    _check_shared(views, changed)
    ids, names = {}, {}
    for v, new in zip(views, changed, strict=True):
        for a, b in zip(new, v.rows, strict=True):
            ids.setdefault(a, len(ids))
            names.setdefault(a, str(b))
    presence = np.zeros((len(ids), len(views)), dtype=bool)
    aligned = []
    for place, (v, new) in enumerate(zip(views, changed, strict=True)):
        rows = [ids[name] for name in new]
        presence[rows, place] = True
        aligned.append(replace(v, values=spread(v.values, rows, len(ids)), rows=list(ids)))
    if not any("matched by their names" in note for note in log.notes):
        log.note("samples are matched by their names")
    return aligned, [names[a] for a in ids], presence


def _all_numbered(views):
    """Whether no view names its samples, and all have as many; row numbers then say nothing."""
    if any(v.rows is not None and not v.numbered for v in views):
        return False
    sizes = {v.shape[0] for v in views}
    if len(sizes) > 1 and all(v.numbered for v in views):
        numbers = ", ".join(f"{v.name} ({v.shape[0]})" for v in views)
        raise NotUnderstood(
            f"the files only number their rows, and have different numbers of them: {numbers}; "
            "name the samples in a column 'id'."
        )
    return True


def _with_ids_by_order(views, with_ids, changed, log):
    """Views without names take those of the others, if these all have the same order."""
    without = [v for v in views if v.rows is None]
    if not without:
        return views
    same = all(names == changed[0] for names in changed)
    n = len(changed[0])
    for v in without:
        if not same or v.shape[0] != n:
            raise NotUnderstood(
                f"some files name their samples, but not {v.name}, and the order is not the same "
                f"in all: name the samples of {v.file} too."
            )
    names = ", ".join(v.name for v in without)
    log.note(f"{names}: without names of samples, taken in the order of {with_ids[0].name}")
    return [replace(v, rows=with_ids[0].rows) if v.rows is None else v for v in views]


def _check_shared(views, changed):
    if len(views) < 2:
        return
    for place, v in enumerate(views):
        others = {name for n, names in enumerate(changed) if n != place for name in names}
        if not others & set(changed[place]):
            other = views[1 if place == 0 else 0]
            raise NotUnderstood(
                f"{v.name} and {'the others' if len(views) > 2 else other.name} have no sample in "
                f"common: {v.name} names {v.rows[0]}, {other.name} {other.rows[0]}."
            )


def spread(values, rows, n):
    """The rows of a matrix at their places among n; the others are NaN, or empty if sparse.

    Parameters
    ----------
    values : ndarray or sparse array of shape (n_rows, n_features)
    rows : list of int
    n : int

    Returns
    -------
    ndarray or csr_array of shape (n, n_features)
    """
    rows = np.asarray(rows)
    if sparse.issparse(values):
        place = sparse.csr_array(
            (np.ones(len(rows)), (rows, np.arange(len(rows)))), shape=(n, len(rows))
        )
        return sparse.csr_array(place @ values)
    whole = np.full((n, values.shape[1]), np.nan)
    whole[rows] = values
    return whole
