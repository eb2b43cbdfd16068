"""Columns of tables as numbers, and what they may hold."""

import numpy as np

from mvclust.datasets.foreign.texts import is_number
from mvclust.datasets.foreign.words import is_gap

PLAIN_GAPS = {"", "NA", "?", "null", "NULL", "None", "N/A", "-"}
TRUTH = {"true": 1.0, "false": 0.0}


def as_column(entries):
    """A column as numbers, or as texts if one entry is none.

    Parameters
    ----------
    entries : list
        None where there is no value.

    Returns
    -------
    ndarray

    Examples
    --------
    >>> as_column([1, None]), as_column(["a", None])
    (array([ 1., nan]), array(['a', ''], dtype='<U1'))
    """
    try:
        return np.array([np.nan if x is None else x for x in entries], dtype=float)
    except (ValueError, TypeError):
        return np.array(["" if x is None else str(x) for x in entries])


def codes_of_classes(values):
    """The place of a first or last column that counts classes among columns of fractions.

    Parameters
    ----------
    values : ndarray of shape (n_samples, n_features)

    Returns
    -------
    int or None
    """
    n, width = values.shape
    if width < 3:
        return None
    wholes = [c for c in range(width) if whole(values[:, c])]
    if len(wholes) != 1 or wholes[0] not in (0, width - 1):
        return None
    codes = np.unique(values[:, wholes[0]])
    counted = codes[0] in (0, 1) and np.array_equal(codes, np.arange(len(codes)) + codes[0])
    return wholes[0] if counted and 1 < len(codes) <= n / 5 else None


def beyond_floats(values):
    """The columns of whole numbers that have too many digits for a float: names, no values.

    Parameters
    ----------
    values : ndarray of shape (n_rows, n_columns)

    Returns
    -------
    set of int
    """
    large = np.abs(np.where(np.isfinite(values), values, 0)) >= 2**53
    return {
        c
        for c in np.flatnonzero(large.any(axis=0))
        if whole(values[:, c]) and values[:, c].max() < 1e25 and large[:, c].mean() > 0.5
    }


def are_few(entries):
    """Whether entries are few distinct texts or whole numbers."""
    if entries.dtype.kind in "US":
        return len(set(entries)) < max(len(entries), 2)
    known = entries[np.isfinite(entries)]
    distinct = np.unique(known)
    return bool(len(distinct)) and len(distinct) <= len(entries) / 2 and whole(distinct)


def whole(values):
    """Whether all values are whole numbers."""
    return bool((np.asarray(values) == np.round(values)).all())


def numbers_of(rows):
    """The cells as numbers, and the columns that hold other texts."""
    values = np.full((len(rows), len(rows[0])), np.nan)
    texts, lead = set(), 0  # lead: so many first columns are texts
    for r, row in enumerate(rows):
        cells = row[lead:] if lead else row
        try:
            values[r, lead:] = _all_numbers(cells)
        except ValueError:
            for c, cell in enumerate(cells, lead):
                if is_number(cell):
                    values[r, c] = float(cell.lower().replace("d", "e"))
                elif cell.strip().casefold() in TRUTH:
                    values[r, c] = TRUTH[cell.strip().casefold()]
                elif not is_gap(cell):
                    texts.add(c)
            while lead in texts:
                lead += 1
    return values, texts


def _all_numbers(cells):
    """Cells as numbers; a ValueError if one is none."""
    if "_" in "".join(cells):  # which Python takes in numbers
        raise ValueError
    try:
        return np.array(cells, dtype=float)
    except ValueError:
        return np.array(["nan" if cell in PLAIN_GAPS else cell for cell in cells], dtype=float)
