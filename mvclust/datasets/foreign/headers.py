"""The names of columns and rows in a table of texts."""

from itertools import groupby, pairwise

import numpy as np

from mvclust.datasets.foreign.blocks import FEWEST
from mvclust.datasets.foreign.columns import TRUTH, whole
from mvclust.datasets.foreign.texts import is_number
from mvclust.datasets.foreign.words import (
    FEATURES,
    GAPS,
    IDS,
    SCALES,
    SUMMARIES,
    is_gap,
    names_labels,
    parts_of,
    plain,
)

ROW_NUMBERS = {"", "no", "nr", "number", "row", "num", "unnamed0", "sno", "rownumber", "index"}


def tables_beside(rows):
    """Tables that stand side by side, each with its own names of rows, empty columns between.

    Parameters
    ----------
    rows : list of list of str

    Returns
    -------
    list of list of list of str
        `rows` alone if it is one table.
    """
    width = len(rows[0])
    if any(len(row) != width for row in rows) or "" not in rows[0][1:-1]:
        return [rows]
    empty = [c for c in range(width) if not any(row[c].strip() for row in rows)]
    edges = [-1, *empty, width]
    parts = [range(a + 1, b) for a, b in pairwise(edges) if b - a > 2]
    first = plain(rows[0][0])
    if len(parts) < 2 or any(plain(rows[0][part[0]]) not in IDS & {first} for part in parts):
        return [rows]
    tables = [[[row[c] for c in part] for row in rows] for part in parts]
    return [[row for row in table if any(cell.strip() for cell in row)] for table in tables]


def with_one_header(rows, shown, log):
    """Two lines of titles as pandas writes them, views above features, as one."""
    if len(rows) < 4 or len(rows[0]) < 2 * FEWEST:
        return rows
    named = not any(cell.strip() for cell in rows[2][1:])  # a third line names the rows
    if not named and (rows[0][0].strip() or rows[1][0].strip()):
        return rows
    above, below = ([cell.strip() for cell in row[1:]] for row in rows[:2])
    runs = [len(list(of)) for _, of in groupby(above)]
    if len(runs) < 2 or min(runs) < 2 or any(map(is_number, above + below)) or not all(below):
        return rows
    log.note(f"{shown}: the first line names views, the second their features")
    titles = [f"{view}:{feature}" for view, feature in zip(above, below, strict=True)]
    return [[rows[2][0], *titles], *rows[3:]] if named else [["", *titles], *rows[2:]]


def split_header(rows, shown, log):
    """The names of the columns, the rows below, and whether that is certain."""
    first, body = [cell.strip().strip('"') for cell in rows[0]], rows[1:]
    if not body:
        return None, rows, True
    if len(first) == len(body[0]) - 1:
        return first, body, True
    sample = body[:: max(1, len(body) // 50)]
    numeric = [
        all(
            is_number(row[c]) or is_gap(row[c]) or row[c].strip().lower() in TRUTH for row in sample
        )
        and not all(is_gap(row[c]) for row in sample)
        for c in range(len(first))
    ]
    above = [
        bool(cell) and not is_number(cell) and cell.lower() not in GAPS | set(TRUTH)
        for cell in first
    ]
    n_texts = sum(a and n for a, n in zip(above, numeric, strict=True))
    if n_texts and n_texts >= sum(is_number(cell) for cell in first):  # else a stray text
        return first, body, True
    known = [plain(cell) in IDS | FEATURES or names_labels(cell) == 2 for cell in first if cell]
    if any(known):
        return first, body, True
    if not first[0] and len(first) > 1 and all(map(is_number, first[1:])):
        below = [row[0].strip() for row in body]
        if any(below == [str(n + start) for n in range(len(below))] for start in (0, 1)):
            return first, body, True
    numbers = first[1:] if not first[0] or above[0] else first
    if len(numbers) > 1 and all(map(is_number, numbers)) and _counts(numbers, sample, len(first)):
        log.note(f"{shown}: the first line numbers the columns and is no sample")
        return first, body, True
    if not any(numeric):  # texts under texts: a header, or the first row?
        again = any(row[c].strip() == first[c] for row in body for c in range(len(first)))
        return None, rows, again
    return None, rows, True


def _counts(numbers, sample, width):
    """Whether a row of numbers counts columns or is a scale, as no other row is."""
    values = np.array([float(number) for number in numbers])
    if not whole(values) and not (len(values) >= 5 and (np.diff(values) > 0).all()):
        return False
    below = [row[width - len(numbers) :] for row in sample]
    others = [np.array([float(c) if is_number(c) else np.nan for c in row]) for row in below]
    if any(len(row) > 2 and (np.diff(row) > 0).all() for row in others):
        return False
    steps = np.diff(values)
    if values[0] in (0, 1) and (steps == 1).all():
        fractions = any(not whole(row[np.isfinite(row)]) for row in others)
        return len(values) > 2 or fractions
    return len(values) >= 5 and (steps > 0).all() and np.allclose(steps, steps[0], rtol=0.05)


def without_summaries(body, shown, log):
    """The rows of a table without those at its end that sum it up, such as Total and Mean."""
    n = len(body)
    while n > 4 and plain(body[n - 1][0]) in SUMMARIES:
        n -= 1
    if n < len(body):
        names = ", ".join(row[0].strip() for row in body[n:])
        log.note(f"{shown}: the rows at the end called {names} sum up the others and are left out")
    return body[:n]


def index_column(header, values, texts, certain, long_numbers=()):
    """The column that names the rows, and whether it only numbers them."""
    n, width = values.shape
    if n == 1:
        return None, False
    if header is not None:
        for c in range(width):
            named = plain(header[c]) in IDS | FEATURES if c == 0 else plain(header[c]) in IDS
            named |= parts_of(header[c])[-1:] in (["id"], ["ids"], ["barcode"])
            named |= c == 0 and _is_scale(header[c], values[:, c])
            if named and (c == 0 or _distinct(c, values, texts)):
                continuous = c not in texts and not whole(values[:, c][np.isfinite(values[:, c])])
                continuous &= not _is_scale(header[c], values[:, c])
                if not continuous and not (width == 1 and names_labels(header[c])):
                    return c, plain(header[c]) == "index" and are_row_numbers(values[:, c])
        if plain(header[0]) in ROW_NUMBERS and width > 1 and (0 in texts or whole(values[:, 0])):
            return 0, 0 not in texts and are_row_numbers(values[:, 0])
    for c in texts:
        named = c in long_numbers or sum(map(is_number, texts[c])) < n / 2
        if width > 1 and len(set(texts[c])) == n and named:
            return c, False
    if (
        width > 1
        and 0 in texts
        and certain
        and len(set(texts[0])) >= 0.9 * n
        and len(texts) < width
    ):
        return 0, False
    if width > 2 and n > 4 and 0 not in texts and are_row_numbers(values[:, 0]):
        return 0, True
    return None, False


def _is_scale(title, column):
    """Whether a column is a scale such as wavelengths, of which each row is a feature."""
    steps = np.diff(column)
    called = plain(title) in SCALES or parts_of(title)[:1] in [[scale] for scale in SCALES]
    return called and bool((steps > 0).all() or (steps < 0).all())


def _distinct(c, values, texts):
    entries = texts[c] if c in texts else values[:, c].tolist()
    return len(set(entries)) == len(entries)


def are_row_numbers(column):
    return any(np.array_equal(column, np.arange(start, len(column) + start)) for start in (0, 1))
