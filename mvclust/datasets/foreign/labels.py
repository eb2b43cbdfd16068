"""Classes from what may be labels."""

import numpy as np

from mvclust.datasets.foreign.alignment import matched
from mvclust.datasets.foreign.record import NotUnderstood
from mvclust.datasets.foreign.roles import candidates_of_labels
from mvclust.datasets.foreign.words import is_gap


def read_labels(found, n, ids, ordered, log):
    """The classes of the samples.

    Parameters
    ----------
    found : Sorted
    n : int
        The number of samples.
    ids : list of str, or None
        Names of the samples, if they are matched by these.
    ordered : bool
        Whether all views name their samples in one order.
    log : Log

    Returns
    -------
    y : ndarray of int of shape (n_samples,), or None
        -1 where a label is not known.
    names : list of str
        Of the classes.
    """
    candidates = candidates_of_labels(found, n if ids is None else None, log)
    placed = []
    for sure, v in candidates:
        entries = by_sample(v, n, ids, ordered, log)
        if entries is None:
            log.give(v, "facts", f"{v.shown()} is no vector of labels of the {n} samples")
            continue
        y, names, unknown = classes_of(entries)
        if unknown == n:
            log.give(v, "facts", f"{v.name} holds no label")
        elif len(names) < 2:
            log.give(v, "facts", f"{v.name} has one class only ({names[0]}): taken as no labels")
        elif len(names) > n - unknown - 1:
            log.give(
                v, "facts", f"{v.name} gives every sample a class of its own: taken as no labels"
            )
        else:
            placed.append((sure, v, y, names, unknown))
    if not placed:
        return None, []
    best = [entry for entry in placed if entry[0] == placed[0][0]]
    first = best[0]
    for entry in placed[1:]:
        if same_partition(entry[2], first[2]):
            log.give(entry[1], "copy", f"{entry[1].name} gives the same classes as {first[1].name}")
    rivals = [entry for entry in best if not same_partition(entry[2], first[2])]
    named = [f"{v.name} ({len(names)} classes)" for _, v, _, names, _ in [first, *rivals]]
    if rivals and first[1].bound and rivals[0][1].family == first[1].family and first[0] < 3:
        raise NotUnderstood(
            f"{first[1].name} and {rivals[0][1].name} give the samples other classes: the rows of "
            f"the views are not the same samples; --role {first[1].name}=labels takes those, "
            f"--role {first[1].family}=ignore none."
        )
    if rivals and first[0] < 3:
        for entry in [first, *rivals]:
            log.give(entry[1], "facts")
        log.note(
            f"{' and '.join(named)} may be labels; none is taken; --role {first[1].name}=labels "
            "takes one"
        )
        return None, []
    for _, v, _, _, _ in placed[1:]:
        if v.name not in log.roles:
            log.give(v, "facts", f"{v.name} may be labels too and is left out; "
                                 f"--role {v.name}=labels takes it")  # fmt: skip
    sure, v, y, names, unknown = first
    why = "" if sure >= 2 else f"; --role {v.name}=ignore if they are none"
    log.give(v, "labels", f"labels: {v.name}, {len(names)} classes{why}")
    if len(names) > 2 and [name for name in names if name.startswith("-")] == ["-1"]:
        log.note(f"-1 is a class of {v.name}; write an empty cell if it marks labels that are not "
                 "known")  # fmt: skip
    if unknown:
        log.note(
            f"the label of {unknown} of {n} samples is not known: {v.name} gives the number of "
            "classes, but nothing is scored by it"
        )
    return y, names


def by_sample(v, n, ids, ordered, log):
    """A value per row in the order of the samples.

    Parameters
    ----------
    v : Variable
        A vector of texts or numbers.
    n, ids, ordered, log
        As for `read_labels`.

    Returns
    -------
    ndarray of shape (n_samples,), or None
        An empty text or NaN where there is none; None if the rows are not those of the samples.
    """
    entries = v.vector()
    if ids is None and v.rows is not None and not v.numbered and len(entries) == n:
        return _by_row_number(v, entries, log)
    if ids is None or v.rows is None or v.numbered:
        if ids is not None and v.header_open and len(entries) == n + 1:
            entries = entries[1:]
        if len(entries) != n:
            return None
        if not ordered:
            raise NotUnderstood(
                f"{v.name} does not name its samples, and the views have them in different orders: "
                f"name them, or leave it out: --role {v.name}=ignore."
            )
        if ids is not None and v.rows is None:
            log.note(f"{v.name} does not name its samples: taken in the order of the first view")
        return entries
    mine, known = matched([list(v.rows), list(ids)], None)
    if v.header_open and mine[0] not in set(known):
        mine, entries = mine[1:], entries[1:]
    place = {name: row for row, name in enumerate(mine)}
    if len(place) < len(mine):
        raise NotUnderstood(f"{v.file}: a sample is there twice, expected one row per sample.")
    shared = [name for name in known if name in place]
    if not shared:
        if v.role == "labels" or v.table:
            raise NotUnderstood(
                f"{v.name} and the views have no sample in common: {v.name} names {v.rows[0]}, the "
                f"views {ids[0]}; --role {v.name}=ignore leaves it out."
            )
        return None
    if len(mine) > len(shared):
        log.note(f"{len(mine) - len(shared)} rows of {v.name} are of samples in no view")
    texts = entries.dtype.kind in "US"
    gap = "" if texts else np.nan
    placed = [entries[place[name]] if name in place else gap for name in known]
    return np.array(placed, dtype=str if texts else float)


def _by_row_number(v, entries, log):
    """Values whose names are numbers of rows, at these rows; with other names as they stand."""
    names = [str(name).strip() for name in v.rows]
    numbers = np.array([int(name) for name in names if name.isdigit()])
    for start in (0, 1):
        if np.array_equal(np.sort(numbers), np.arange(start, len(names) + start)):
            log.note(f"{v.name} is placed by the numbers of the rows, which count from {start}")
            return entries[np.argsort(numbers)]
    log.note(f"{v.name} names its samples, but the views do not: taken in the order of the rows")
    return entries


def classes_of(entries):
    """Classes from 0, their names, and how many labels are not known.

    Parameters
    ----------
    entries : ndarray
        Numbers or texts.

    Returns
    -------
    y : ndarray of int
        -1 where it is not known.
    names : list of str
    unknown : int

    Examples
    --------
    >>> classes_of(np.array([2.0, 5.0, np.nan]))
    (array([ 0,  1, -1]), ['2', '5'], 1)
    """
    entries = np.asarray(entries)
    if entries.dtype.kind in "US":
        entries = np.char.strip(entries)
        # "none", as of a grade or a treatment, is a class beside others
        known = np.array([entry == "none" or not is_gap(str(entry)) for entry in entries])
    elif entries.dtype.kind == "f":
        known = np.isfinite(entries)
    else:
        known = np.ones(len(entries), dtype=bool)
    names, numbers = np.unique(entries[known], return_inverse=True)
    y = np.full(len(entries), -1, dtype=np.int64)
    y[known] = numbers.ravel()
    whole = names.dtype.kind == "f" and (names == np.round(names)).all()
    return y, [str(int(n)) if whole else str(n) for n in names], int((~known).sum())


def same_partition(a, b):
    """Whether two labelings put the same samples together."""
    pairs = len(set(zip(a.tolist(), b.tolist(), strict=True)))
    return pairs == len(set(a.tolist())) == len(set(b.tolist()))
