"""Which instances are there: masks, lists of numbers, and what the empty rows say of them."""

from dataclasses import replace

import numpy as np
from scipy import sparse

from mvclust.datasets.foreign.record import NotUnderstood
from mvclust.datasets.foreign.roles import zeros_and_ones
from mvclust.datasets.foreign.words import ABSENCE, last, parts_of, plain


def possible_counts(found, n_views):
    """How many instances each view may have, by its place: that of lists and of masks."""
    counts = [set() for _ in range(n_views)]
    lists = _lists(found)
    if len(lists) == n_views:
        for v, each in enumerate(lists):
            counts[v].add(each.length)
    for mask in found.masks:
        for table in (mask.values, mask.values.T):
            if table.shape[-1] == n_views:
                for v in range(n_views):
                    counts[v].add(int(np.asarray(table[:, v], dtype=float).sum()))
    return counts


def lengths_of(found):
    """Numbers of samples that masks and lists speak of."""
    lengths = [max(mask.shape) for mask in found.masks]
    for each in _lists(found):
        entries = each.vector()
        lengths.append(each.length if zeros_and_ones(entries) else int(entries.max()))
    return [max(lengths)] if lengths else []


def with_labels_of_all(found, log):
    """Labels of the instances that are there, view by view, as labels of all samples.

    Parameters
    ----------
    found : Sorted
    log : Log

    Raises
    ------
    NotUnderstood
        If a sample has other labels in another view.
    """
    lists = _lists(found)
    labels = [v for v in found.labels if v.is_vector and not v.is_text]
    fits = len(lists) == len(labels) > 1 and all(
        i.length == v.length for i, v in zip(lists, labels, strict=True)
    )
    entries = [each.vector().astype(np.int64) for each in lists]
    if not fits or all(v.length == max(e.max() for e in entries) for v in labels):
        return
    start = 0 if min(e.min() for e in entries) == 0 else 1
    y = np.full(max(e.max() for e in entries) + 1 - start, np.nan)
    for v, e in zip(labels, entries, strict=True):
        mine = v.vector().astype(float)
        if (~np.isnan(y[e - start]) & (y[e - start] != mine)).any():
            raise NotUnderstood(f"{v.name} gives a sample another label than {labels[0].name}.")
        y[e - start] = mine
    log.note(f"{labels[0].name} to {labels[-1].name}: labels of the instances that are there")
    for v in labels[1:]:
        log.give(v, "labels")
    found.labels = [v for v in found.labels if not any(v is w for w in labels)]
    found.labels.insert(0, replace(labels[0], values=y))


def _lists(found):
    return [v for v in found.indexes if v.role != "ignore"]


def read_presence(found, names, n, empty, zero, log):
    """The instances that variables of the file speak of.

    Parameters
    ----------
    found : Sorted
    names : list of str
        The views.
    n : int
        The number of samples.
    empty, zero : list of ndarray of bool of shape (n_samples,), or None
        Rows without a value, and rows of zeros, by view; None where a view has only the rows of
        the instances that are there.
    log : Log

    Returns
    -------
    ndarray of bool of shape (n_samples, n_views), or None
        None if nothing speaks of it, or what does contradicts the empty rows.
    """
    tables = []
    lists = _lists(found)
    if lists:
        table = _from_lists(lists, names, n, log)
        if table is not None:
            tables.append((", ".join(v.name for v in lists), lists, table, False))
    for mask in found.masks:
        table = _from_mask(mask, names, n)
        if table is not None:
            tables.append((mask.name, [mask], table, mask.role in ("mask", "missing")))
        else:
            log.give(
                mask, "facts",
                f"{mask.shown()} fits no mask of {len(names)} views and {n} samples: left out",
            )  # fmt: skip
    given = [entry for entry in tables if entry[3]]
    tables = given or tables
    masks = [entry for entry in tables if entry[1][0] in found.masks]
    if len(masks) > 1 and not given and not _alike(masks):
        for entry in masks:
            log.give(entry[1][0], "mask")
        log.note(
            f"{len(masks)} masks of presence ({masks[0][0]} to {masks[-1][0]}): none is applied; "
            f"--role {masks[0][0]}=mask applies one"
        )
        tables = [entry for entry in tables if entry not in masks]
    used = None
    for name, variables, table, _ in tables:
        table = _polarity(name, variables[0], table, empty, zero, used, log)
        role = "mask" if variables[0] in found.masks else "index"
        if table is None or (used is not None and not np.array_equal(table, used)):
            for v in variables:
                log.give(v, role)
            if table is not None:
                log.note(f"{name} contradicts what was taken before and is left out")
            continue
        for v in variables:
            log.give(v, role)
        log.note(f"{name} says which instances are there: {int((~table).sum())} are missing")
        used = table
    return used


def _alike(masks):
    return all(np.array_equal(masks[0][2], entry[2]) for entry in masks)


def _polarity(name, variable, table, empty, zero, used, log):
    """The mask as presence, or None if the empty rows contradict it."""
    known = [v for v, rows in enumerate(empty) if rows is not None]
    there = np.column_stack([~empty[v] for v in known]) if known else np.ones((len(table), 0))
    part = table[:, known]
    if variable.role == "missing":
        return ~table
    if variable.role == "mask":
        return table
    says_absence = bool(ABSENCE & ({plain(last(variable.name))} | set(parts_of(variable.name))))
    if known and not there.all():
        for turned in (says_absence, not says_absence):
            M = ~part if turned else part
            if not (M & ~there).any() and (M.any(axis=1) | ~there.any(axis=1)).all():
                if turned:
                    log.note(f"{name} is 1 where an instance is missing, as the empty rows show")
                return ~table if turned else table
        wrong = int((part & ~there).sum())
        log.note(
            f"{name} calls {wrong} instances present whose rows are empty: the empty rows decide, "
            f"and it is left out"
        )
        return None
    zeros = np.column_stack([zero[v] for v in known]) if known else np.zeros((len(table), 0))
    for turned in (False, True):
        if zeros.any() and np.array_equal(zeros, part if turned else ~part):
            log.note(f"{name} agrees with the rows of zeros: these are missing")
            return ~table if turned else table
    if used is not None:
        return next((M for M in (table, ~table) if np.array_equal(M, used)), table)
    if says_absence:
        if table.all():
            return table
        if not table.any(axis=1).all() or not (~table).any(axis=1).all():
            said = not (~table).any(axis=1).all()
            log.note(f"{name} is 1 where an instance is {'there' if said else 'missing'}: "
                     "otherwise samples would be in no view")  # fmt: skip
            return table if said else ~table
        raise NotUnderstood(
            f"{name} may be 1 where an instance is missing or where it is there; "
            f"--role {variable.name}=missing or --role {variable.name}=mask decides."
        )
    return table


def _from_mask(mask, names, n):
    """A mask as a table of samples x views."""
    values = mask.values.toarray() if sparse.issparse(mask.values) else np.asarray(mask.values)
    if not zeros_and_ones(values) or values.ndim != 2:
        return None
    values = values.astype(bool)
    if mask.columns is not None and set(mask.columns) >= set(names):
        return values[:, [mask.columns.index(name) for name in names]]
    if values.shape == (n, len(names)):
        return values
    return values.T if values.shape == (len(names), n) else None


def _from_lists(lists, names, n, log):
    """Lists of numbers, or vectors of zeros and ones, one per view."""
    if len(lists) != len(names):
        for v in lists:
            log.give(v, "facts", f"{v.shown()} is left out: {len(lists)} lists for {len(names)} "
                                 "views")  # fmt: skip
        return None
    table = np.zeros((n, len(names)), dtype=bool)
    entries = [each.vector().astype(np.int64) for each in lists]
    if all(len(e) == n and set(np.unique(e)) <= {0, 1} for e in entries):
        return np.column_stack(entries).astype(bool)
    low, high = min(e.min() for e in entries), max(e.max() for e in entries)
    start = 0 if low == 0 else 1 if high == n or lists[0].from_one else 0
    if high - start >= n or low < 0:
        raise NotUnderstood(
            f"{lists[0].name} names the sample {high}, but there are {n} samples; "
            f"--role {lists[0].family if lists[0].bound else lists[0].name}=ignore leaves it out."
        )
    if low != 0 and high != n:
        log.note(f"the numbers in {lists[0].name} count from {start}")
    for v, e in enumerate(entries):
        table[e - start, v] = True
    return table
