"""What is wrong or degenerate with data that are understood."""

import numpy as np
from scipy import sparse

from mvclust.datasets.foreign.columns import whole
from mvclust.datasets.foreign.record import NotUnderstood
from mvclust.datasets.foreign.words import CODES, MARKS

LARGEST_ANSWER = 20  # of a scale on which codes for no answer are told
FAR = 1.5  # times the largest answer


def check_values(v):
    """Refuse infinite values.

    Parameters
    ----------
    v : Variable
    """
    values = v.values.data if sparse.issparse(v.values) else v.values
    n = int(np.isinf(values).sum()) if values.dtype.kind == "f" else 0
    if n:
        raise NotUnderstood(
            f"{v.name} holds {n} infinite {'value' if n == 1 else 'values'} (inf); write an empty "
            "cell or NaN where a value is not known."
        )


def say_degenerate(Xs, names, presence, y, n_classes, as_they_are, log):
    """Say in `log` what makes clusters arbitrary, or a view useless.

    Parameters
    ----------
    Xs : list of ndarray or csr_array
    names : list of str
        Of the views.
    presence : ndarray of bool of shape (n_samples, n_views)
    y : ndarray of int, or None
    n_classes : int or None
    as_they_are : set of str
        Views whose values the user confirmed.
    log : Log
    """
    n = len(presence)
    for name, X, there in zip(names, Xs, presence.T, strict=True):
        _say_view(name, X, there, name in as_they_are, log)
    if presence.shape[1] > 1:
        _say_related(names, presence, log)
    digests = [_digest(Xs, presence, i) for i in range(n)] if n <= 20000 else None
    n_distinct = len(set(digests)) if digests else n
    if n_distinct < n:
        log.note(
            f"{n - n_distinct} of {n} samples repeat others in all views: {n_distinct} distinct "
            "samples (duplicates)"
        )
    if n_classes and n_distinct < n_classes:
        log.note(f"there are fewer distinct samples ({n_distinct}) than classes ({n_classes})")
    if n < 4:
        log.note(f"there are {n} samples only")
    if y is not None:
        counts = np.bincount(y[y >= 0])
        if (counts == 1).any():
            log.note(f"{int((counts == 1).sum())} classes have one sample only")


def _say_view(name, X, there, confirmed, log):
    dense = not sparse.issparse(X)
    rows = X[there]
    if dense:
        zero = int((rows == 0).all(axis=1).sum())
        spread = np.ptp(rows, axis=0) if len(rows) else np.zeros(X.shape[1])
        n_constant = int((spread == 0).sum())
        for mark in () if confirmed else MARKS:
            count = int((rows == mark).sum())
            if (
                count > 1
                and (rows[rows != mark]).size
                and np.abs(rows[rows != mark]).max() < abs(mark)
            ):
                log.ask(
                    f"the value {mark:g} is {count} times in {name}, far from the others: if it "
                    f"marks gaps, write NaN or empty cells; --role {name}=view takes it as it is"
                )
        if not confirmed:
            _say_codes(name, rows, log)
    else:
        zero = int((np.diff(rows.indptr) == 0).sum()) if sparse.issparse(rows) else 0
        n_constant = int((np.bincount(rows.indices, minlength=X.shape[1]) == 0).sum())
    if zero:
        log.note(
            f"{zero} of {len(there)} rows of {name} are zero throughout; if these instances are "
            "missing, write NaN or give a mask"
        )
    if n_constant == X.shape[1]:
        log.note(f"{name} is the same in all samples: it tells nothing")
    elif n_constant:
        log.note(f"{n_constant} of {X.shape[1]} features of {name} are the same in all samples")


def _say_codes(name, rows, log):
    """Say which whole numbers of a view lie so far from its others that they may mark gaps."""
    if not rows.size or not np.isfinite(rows).all() or not whole(rows):
        return
    others = rows[~np.isin(rows, CODES)]
    if not others.size or others.min() < 0 or others.max() > LARGEST_ANSWER:
        return
    for code in CODES:
        count = int((rows == code).sum())
        far = code < 0 or code > FAR * max(others.max(), 1)
        if count > 1 and far and count < rows.size / 3:
            log.note(
                f"the value {code:g} is {count} times in {name}, the others lie between "
                f"{others.min():g} and {others.max():g}: if it marks gaps, write empty cells"
            )


def _say_related(names, presence, log):
    """Whether samples with several views relate the views to one another."""
    n_views = presence.shape[1]
    both = presence.T.astype(int) @ presence.astype(int)
    group, waiting = {0}, [0]
    while waiting:
        v = waiting.pop()
        for w in range(n_views):
            if w not in group and both[v, w]:
                group.add(w)
                waiting.append(w)
    if len(group) < n_views:
        rest = [names[v] for v in range(n_views) if v not in group]
        log.note(
            f"no sample is both in {', '.join(names[v] for v in sorted(group))} and in "
            f"{', '.join(rest)}: nothing relates these views, so that clusters of one have nothing "
            "to do with those of the other"
        )
        return
    most = np.minimum.outer(np.diag(both), np.diag(both))
    for v in range(n_views):
        for w in range(v):
            if 0 < both[v, w] < 0.1 * most[v, w]:
                log.note(f"only {both[v, w]} samples are both in {names[w]} and in {names[v]}")


def _digest(Xs, presence, i):
    parts = []
    for v, X in enumerate(Xs):
        if not presence[i, v]:
            parts.append(b"-")
        elif sparse.issparse(X):
            span = slice(X.indptr[i], X.indptr[i + 1])
            parts.append(X.indices[span].tobytes() + X.data[span].tobytes())
        else:
            parts.append(np.ascontiguousarray(X[i]).tobytes())
    return hash(tuple(parts))
