"""Tables of words as numbers: a column of zeros and ones per word, with weights if declared."""

import numpy as np

from mvclust.own.texts import GAPS, numbers

UNKNOWN = GAPS - {"none", "missing", "-", "."}  # no classes


def in_categories(
    cells: np.ndarray, titles: list, kind: str
) -> tuple[np.ndarray, list, np.ndarray]:
    """Return cells as numbers, the names of the features, and the column that each comes from.

    A column of words gives a column of zeros and ones per word; `mixed` leaves numbers as they are.
    """
    blocks, names, origins = [], [], []
    for j, title in enumerate(titles):
        block, odd = numbers(cells[:, [j]])
        own = [title]
        if kind != "mixed" or odd.any():
            texts = [as_text(c) for c in cells[:, j]]
            levels = sorted({text for text in texts if text.lower() not in UNKNOWN})
            block = np.array([[float(text == level) for level in levels] for text in texts])
            block = block.reshape(len(texts), len(levels))
            block[[text.lower() in UNKNOWN for text in texts]] = np.nan
            own = [f"{title}={level}" for level in levels]
        blocks.append(block)
        names += own
        origins += [j] * len(own)
    return np.hstack(blocks), names, np.array(origins, dtype=int)


def gower(X: np.ndarray, origins: np.ndarray) -> np.ndarray:
    """Scale features so that each column of the table counts alike, after Gower (1971).

    Numbers go from 0 to 1, zeros and ones of categories are divided by the root of 2: between two
    samples a number adds its squared difference in ranges, a category 0 if it is the same, else 1.
    """
    low = np.nanmin(X, axis=0)
    span = np.nanmax(X, axis=0) - low
    several = np.isin(origins, np.flatnonzero(np.bincount(origins, minlength=1) > 1))
    scale = np.where(several, np.sqrt(2), np.where(span > 0, span, 1))
    return (X - np.where(several, 0, low)) / scale


def as_text(cell) -> str:
    """Return a cell as text, empty where it is not known."""
    if isinstance(cell, (float, np.floating)):
        return "" if cell != cell else str(int(cell)) if cell == int(cell) else repr(float(cell))
    if isinstance(cell, np.generic):
        return str(cell.item())
    return "" if cell is None else str(cell).strip().strip('"')
