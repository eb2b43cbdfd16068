"""Tables with one line per value, or per class."""

from collections import Counter

import numpy as np

from mvclust.datasets.foreign.record import NotUnderstood, Variable
from mvclust.datasets.foreign.words import (
    FEATURES,
    IDS,
    LINK_ENDS,
    VALUES,
    VIEWS,
    names_one_of,
    plain,
)


def link_ends(header, values, texts):
    """The titles of the two columns that a table of links between samples has; else none.

    Parameters
    ----------
    header : list of str, or None
    values : ndarray of shape (n_rows, n_columns)
    texts : dict
        Column to texts, of those that are not numeric.

    Returns
    -------
    list of str
    """
    titles = [] if header is None or len(header) > 4 else [plain(title) for title in header]
    for pair in LINK_ENDS:
        if set(pair) <= set(titles):
            one, other = (titles.index(end) for end in pair)
            both = [set(texts[c]) if c in texts else set(values[:, c]) for c in (one, other)]
            if both[0] & both[1]:
                return [header[one], header[other]]
    return []


def long_format(stem, header, values, texts, index, ids, shown, log):
    """Tables with one line per value: sample, feature, value, and perhaps view."""
    n, width = values.shape
    if width not in (3, 4) or n < 6 or (ids is not None and len(set(ids)) == n):
        return None
    places = _long_by_names(header, texts, width) if header is not None else None
    places = places or _long_by_texts(values, texts)
    if places is None:
        return None
    sample, feature, value, view = places
    of = {
        c: np.array(texts[c] if c in texts else [f"{x:g}" for x in values[:, c]])
        for c in (sample, feature, view)
        if c is not None
    }
    groups = [None] if view is None else np.unique(of[view])
    found = []
    for group in groups:
        rows = np.arange(n) if group is None else np.flatnonzero(of[view] == group)
        name = stem if group is None else str(group)
        entries = of[sample][rows], of[feature][rows], values[rows, value]
        found.append(_wide(name, *entries, shown))
    log.note(
        f"{shown} has one line per value: {', '.join(v.shown() for v in found)}; pairs that "
        "are not listed are gaps"
    )
    return found


def _long_by_names(header, texts, width):
    """The columns of sample, feature, value and view by their names."""
    names = [plain(cell) for cell in header]
    value = [c for c in range(width) if c not in texts and names[c] in VALUES]
    sample = [c for c in range(width) if names_one_of(header[c], IDS) and names[c] not in VALUES]
    feature = [c for c in range(width) if names_one_of(header[c], FEATURES)]
    view = [c for c in range(width) if names[c] in VIEWS] if width == 4 else []
    if len(value) != 1 or len(sample) != 1 or len(feature) != 1 or len(view) != width - 3:
        return None
    return sample[0], feature[0], value[0], view[0] if view else None


def _long_by_texts(values, texts):
    """Two columns of texts that repeat, but not together, and one of numbers."""
    n, width = values.shape
    if width != 3 or len(texts) != 2:
        return None
    first, second = sorted(texts)
    (value,) = {0, 1, 2} - set(texts)
    pairs = set(zip(texts[first], texts[second], strict=True))
    repeated = all(1 < len(set(texts[c])) <= n / 2 for c in texts)
    return (first, second, value, None) if len(pairs) == n and repeated else None


def _wide(name, samples, features, values, shown):
    ids, rows = np.unique(samples, return_inverse=True)
    columns, places = np.unique(features, return_inverse=True)
    pairs = Counter(zip(rows.tolist(), places.tolist(), strict=True))
    ((pair, count),) = pairs.most_common(1)
    if count > 1:
        raise NotUnderstood(
            f"{shown}: {ids[pair[0]]} and {columns[pair[1]]} are there {count} times, expected one "
            "value per sample and feature."
        )
    wide = np.full((len(ids), len(columns)), np.nan)
    wide[rows, places] = values
    return Variable(
        name, wide, shown, "files", rows=ids.tolist(), columns=columns.tolist(), corner="sample",
        table=True,
    )  # fmt: skip


def memberships(text, source):
    """Lines as ``class: id,id,...``."""
    pairs = [
        (sample.strip(), line.partition(":")[0].strip())
        for line in text.splitlines()
        if ":" in line
        for sample in line.partition(":")[2].split(",")
        if sample.strip()
    ]
    ids = [sample for sample, _ in pairs]
    role = "labels" if len(set(ids)) == len(ids) else "facts"
    return Variable(
        source.stem, np.array([group for _, group in pairs]), source.shown, "lists", rows=ids,
        role=role,
    )  # fmt: skip
