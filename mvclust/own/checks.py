"""What is doubtful or degenerate in a data set that has been read, in words."""

import numpy as np
from scipy import sparse

from mvclust.own.read import OwnData

MARKS = (-999.0, -9999.0, 9999.0, 99999.0, -99.0, -9.0, -200.0, -1.0)
FAR = 3.0  # times the next lowest value
SCALE = 20  # the largest answer of a scale on which codes are looked for
CODES = (9.0, 99.0, 999.0)


def notes_on(data: OwnData) -> list[str]:
    """Return a sentence for each thing that makes clusters arbitrary or a view useless."""
    notes = list(data.notes)
    for name, X, present in zip(data.view_names, data.Xs, data.presence.T, strict=True):
        notes += _on_view(name, X, present)
    notes += _on_relation(data)
    n = data.n_samples
    digests = {_digest(data, i) for i in range(n)} if n <= 20000 else range(n)
    if len(digests) < n:
        notes.append(
            f"{n - len(digests)} of {n} samples repeat others in all views (duplicates): "
            f"{len(digests)} distinct samples"
        )
    if len(digests) < len(data.label_names):
        notes.append(
            f"there are fewer distinct samples ({len(digests)}) than classes "
            f"({len(data.label_names)})"
        )
    if n < 4:
        notes.append(f"there are {n} samples only")
    if data.label_names and data.y is None:
        notes.append("some labels are not known: they give the number of clusters only")
    if data.y is not None and (alone := int((np.bincount(data.y) == 1).sum())):
        notes.append(f"{alone} classes have one sample only")
    return notes


def _on_view(name, X, present):
    rows, n = X[np.flatnonzero(present)], len(present)
    if sparse.issparse(rows):
        zero = int((np.diff(rows.indptr) == 0).sum())
        constant = int((np.bincount(rows.indices, minlength=X.shape[1]) == 0).sum())
    else:
        zero = int((rows == 0).all(axis=1).sum())
        constant = int((np.ptp(rows, axis=0) == 0).sum()) if len(rows) else 0
    notes = []
    if zero:
        notes.append(
            f"{zero} of {n} rows of {name} are zero throughout; if these instances are missing, "
            "write NaN or give a mask"
        )
    if constant == X.shape[1]:
        notes.append(f"{name} is the same in all samples: it tells nothing")
    elif constant:
        notes.append(f"{constant} of {X.shape[1]} features of {name} are the same in all samples")
    return notes


def marks_of_gaps(data: OwnData) -> list[tuple[str, float, str]]:
    """Return views with a value far from their others, which may mark gaps, in words too."""
    found = []
    for name, X, present in zip(data.view_names, data.Xs, data.presence.T, strict=True):
        if not sparse.issparse(X):
            found += [(name, *mark) for mark in _marks(name, X[present])]
    return found


def _marks(name, rows):
    known = rows[np.isfinite(rows)]
    found = []
    for mark in (*MARKS, *CODES):
        others = known[known != mark]
        count = known.size - others.size
        if count < 2 or count > known.size / 3 or not others.size:
            continue
        low, high = others.min(), others.max()
        scale = low >= 0 and high <= SCALE and (others == np.round(others)).all()
        far = mark < min(low, 0) * FAR - 1 if mark < 0 else mark > 1.5 * max(high, 1)
        if far and (abs(mark) > SCALE or scale or mark < 0):
            text = (
                f"the value {mark:g} occurs {count} times in {name}, the others lie between "
                f"{low:g} and {high:g}: does it mark gaps?"
            )
            found.append((mark, text))
    return found


def _on_relation(data):
    """Whether samples with several views relate the views to one another."""
    presence, names = data.presence.astype(int), data.view_names
    both = presence.T @ presence
    group, waiting = {0}, [0]
    while waiting:
        v = waiting.pop()
        new = {w for w in range(len(names)) if both[v, w]} - group
        group |= new
        waiting += new
    rest = [name for v, name in enumerate(names) if v not in group]
    if rest:
        return [
            f"no sample is both in {', '.join(names[v] for v in sorted(group))} and in "
            f"{', '.join(rest)}: nothing relates these views"
        ]
    return [
        f"only {both[v, w]} samples are both in {names[w]} and in {names[v]}"
        for v in range(len(names)) for w in range(v)
        if 0 < both[v, w] < 0.1 * min(both[v, v], both[w, w])
    ]  # fmt: skip


def _digest(data, i):
    parts = []
    for X, present in zip(data.Xs, data.presence[i], strict=True):
        if not present:
            parts.append(b"-")
        elif sparse.issparse(X):
            span = slice(X.indptr[i], X.indptr[i + 1])
            parts.append(X.indices[span].tobytes() + X.data[span].tobytes())
        else:
            parts.append(np.ascontiguousarray(X[i]).tobytes())
    return hash(tuple(parts))
