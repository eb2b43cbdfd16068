"""What is doubtful or degenerate in a data set that has been read, in words."""

from collections.abc import Iterator
from itertools import count

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from mvclust.own import words
from mvclust.own.read import OwnData
from mvclust.own.views import Question, Views, line

MARKS = (-999.0, -9999.0, 9999.0, 99999.0, -99.0, -88.0, -9.0, -8.0, -200.0, -1.0)
FAR = 3.0  # times the next lowest value
SCALE = 20  # the largest answer of a scale on which codes are looked for
CODES = (9.0, 77.0, 88.0, *range(90, 100), 777.0, 888.0, *range(990, 1000), 7777.0, 8888.0)
NINES = tuple(  # 99, 99.9, -999.99, ...
    float(f"{s}{'9' * n}.{'9' * d}0") for s in ("", "-") for n in range(2, 8) for d in range(4)
)


def notes_on(data: OwnData) -> list[str]:
    """Return a sentence for each thing that makes clusters arbitrary or a view useless."""
    notes = [*data.notes, *(note for view in data.each() for note in _on_view(*view))]
    notes += _on_relation(data)
    n, classes = data.n_samples, len(data.label_names)
    distinct = len({_digest(data, i) for i in range(n)}) if n <= 20000 else n
    alone = 0 if data.y is None else int((np.bincount(data.y) == 1).sum())
    return notes + [
        text for applies, text in (
            (distinct < n, f"{n - distinct} of {n} samples repeat others in all views "
                           f"(duplicates): {distinct} distinct samples"),
            (distinct < classes, f"there are fewer distinct samples ({distinct}) than classes "
                                 f"({classes})"),
            (n < 4, f"there are {n} samples only"),
            (classes and data.y is None,
             "some labels are not known: they give the number of clusters only"),
            (alone, f"{alone} classes have one sample only"),
        ) if applies
    ]  # fmt: skip


def _on_view(name, X, present):
    rows, n = X[np.flatnonzero(present)], len(present)
    if sparse.issparse(rows):
        zero = int((np.diff(rows.indptr) == 0).sum())
        constant = int((np.bincount(rows.indices, minlength=X.shape[1]) == 0).sum())
    else:
        zero = int((rows == 0).all(axis=1).sum())
        constant = int((np.ptp(rows, axis=0) == 0).sum()) if len(rows) else 0
    texts = {
        f"{zero} of {n} rows of {name} are zero throughout; if these instances are missing, write "
        "NaN or give a mask": zero,
        f"{name} is the same in all samples: it tells nothing": constant == X.shape[1],
        f"{constant} of {X.shape[1]} features of {name} are the same in all samples":
            0 < constant < X.shape[1],
    }  # fmt: skip
    return [text for text, applies in texts.items() if applies]


def marks_of_gaps(data: OwnData) -> Iterator[Question]:
    """Ask about values of a view far from its others, which may mark gaps."""
    views = [(name, X[present]) for name, X, present in data.each() if not sparse.issparse(X)]
    for name, rows in views:
        marks = []
        known = rows[np.isfinite(rows)]
        same = (rows == rows[:, :1]).all(axis=1) & (rows[:, 0] == known.min(initial=0))
        if same.sum() > 1 and rows.shape[1] > 2 and rows[same].any():
            marks.append((known.min(), f"{known.min():g} fills {same.sum()} rows of {name}"))
        ends = [float(known.min()), float(known.max())] if known.size else []
        codes = np.isin(rows, [*CODES, *NINES])
        usual = np.unique(rows[codes | np.isin(rows, MARKS)]).tolist()
        for mark in (m for m in dict.fromkeys((*usual, *ends)) if _stands_out(known, m)):
            text = _mark(name, mark, known)
            if not text:
                beside = _columns_of(rows, mark, codes)
                text = _mark(name, mark, beside[np.isfinite(beside)])
            marks += [(mark, text)] if text else []
        below = np.unique(known[known < 0]).tolist()
        several = 1 < len(below) < 8 and all(map(float.is_integer, below))
        if several and any(m < 0 for m, _ in marks):
            marks += [(m, f"with {m:g}") for m in below if m not in dict(marks)]
        if marks:
            texts = "; ".join(text for _, text in marks)
            shown = ", ".join(f"{m:g}" for m in dict.fromkeys(m for m, _ in marks))
            lines = [[], [f"views.{name}.missing: [{shown}]"]]
            yield Question(question=f"{texts}: a mark of gaps?", answers=lines)


def _stands_out(known, mark):
    """Whether a value may be a code, as it is more frequent than its neighbours of one sign."""
    if mark not in (*CODES, *MARKS):
        return True
    beside = [next(x for x in count(mark, step) if x not in (*CODES, *MARKS)) for step in (-1, 1)]
    often = max(np.count_nonzero(known == x) for x in beside if x * mark > 0)
    return np.count_nonzero(known == mark) > 2 * often


def _columns_of(rows, mark, codes):
    """Return the columns of which a value may be a code: it is far above all but other codes."""
    here = rows == mark
    if mark not in CODES:
        return rows[:, here.sum(axis=0) > 1] if abs(mark) > SCALE else rows[:, :0]
    columns = np.flatnonzero(here.any(axis=0))
    values = rows[:, columns]
    apart = (codes[:, columns] & (values >= mark)) | np.isnan(values) | here[:, columns]
    others = np.where(apart, -np.inf, values).max(axis=0)
    return values[:, 1.5 * others < mark]


def _mark(name, mark, known):
    """Say that a value may mark gaps, if it is far from the others, or from all but other marks."""
    times = int((known == mark).sum())
    if times < 2 or times > known.size / 3:
        return None
    usual = mark in (*MARKS, *CODES, *NINES)
    beside = known >= 0 if mark < 0 else known < 0.9 * mark
    for others in (known[known != mark], known[beside] if usual else ()):
        if len(others) < 2 / 3 * known.size:
            continue
        low, high = others.min(), others.max()
        scale = low >= 0 and high <= SCALE and (others == np.round(others)).all()
        above = (1.5 if usual else 1000) * max(high, 1)
        far = mark < min(low, 0) * FAR - 1 if mark < 0 else mark > above
        none = mark == 0 and low >= 10 and low > min(100, 0.4 * high)
        if none or (far and (abs(mark) > SCALE or scale or mark < 0)):
            text = f"the value {mark:g} occurs {times} times in {name}"
            return f"{text}, the others lie between {low:g} and {high:g}"
    return None


def no_samples(data: OwnData, views: Views) -> Iterator[Question]:
    """Ask about samples that are named as blanks and controls of a laboratory, if they are few."""
    names = [str(i) for i in data.ids or () if words.NO_SAMPLE.match(str(i))]
    if 0 < len(names) < data.n_samples / 3:
        lines = []
        for name, spec in views.views.items():
            key = "without" if spec.samples == "columns" else "without_rows"
            lines.append(line(f"views.{name}.{key}", [*getattr(spec, key), *names]))
        text = f"{words.listed(names)}: samples, and no blanks or controls?"
        yield Question(question=text, answers=[[], lines])


def _on_relation(data):
    """Whether samples with several views relate the views to one another."""
    presence, names = data.presence.astype(int), data.view_names
    both = presence.T @ presence
    parts = connected_components(both)[1]
    sides = (np.flatnonzero((parts == parts[0]) == side) for side in (True, False))
    together, apart = (", ".join(names[v] for v in side) for side in sides)
    if apart:
        return [f"no sample is both in {together} and in {apart}: nothing relates these views"]
    return [f"only {both[v, w]} samples are both in {names[w]} and in {names[v]}"
            for v in range(len(names)) for w in range(v)
            if 0 < both[v, w] < 0.1 * min(both[v, v], both[w, w])]  # fmt: skip


def _digest(data, i):
    parts = []
    for _, X, present in data.each():
        if not present[i]:
            parts.append(b"-")
        elif sparse.issparse(X):
            span = slice(X.indptr[i], X.indptr[i + 1])
            parts.append(X.indices[span].tobytes() + X.data[span].tobytes())
        else:
            parts.append(np.ascontiguousarray(X[i]).tobytes())
    return hash(tuple(parts))
