"""Labels of a fit: checked right after it, and packed into one line of text."""

import base64
import zlib
from typing import Any

import numpy as np


def checked_labels(labels: Any, sizes: list[int]) -> np.ndarray:
    """Check the labels of an estimator, and number its clusters from 0.

    `sizes` are the expected rows of the samples, or of each view, whose labels are then a list of
    arrays; they are joined, and equal labels of two views stay equal.

    >>> checked_labels([7, 7, -1], [3]).tolist()
    [1, 1, 0]
    >>> checked_labels([0.0, float("nan")], [2])
    Traceback (most recent call last):
    ...
    ValueError: the labels hold nan, expected one whole number per row.
    """
    parts = list(labels) if len(sizes) > 1 else [labels]
    if len(parts) != len(sizes):
        raise ValueError(f"there are labels for {len(parts)} views, expected {len(sizes)}.")
    checked = []
    for part, size in zip(parts, sizes, strict=True):
        if np.ma.is_masked(part):
            raise ValueError("the labels hold masked entries, expected one whole number per row.")
        part = np.asarray(part)
        if part.shape != (size,):
            raise ValueError(f"the labels have shape {part.shape}, expected ({size},).")
        if part.dtype.kind not in "iufb":
            raise ValueError(f"the labels are of type {part.dtype}, expected whole numbers.")
        wrong = part[~np.isfinite(part) | (part != np.rint(part))]
        if wrong.size:
            raise ValueError(f"the labels hold {wrong[0]:g}, expected one whole number per row.")
        checked.append(part)
    _, numbered = np.unique(np.concatenate(checked), return_inverse=True)
    return numbered


def pack_labels(labels: np.ndarray) -> str:
    """Labels as text: 32-bit integers, compressed, base64.

    >>> unpack_labels(pack_labels([0, 1, 70_000])).tolist()
    [0, 1, 70000]
    """
    return base64.b64encode(zlib.compress(np.asarray(labels, dtype="<i4").tobytes())).decode()


def unpack_labels(text: str) -> np.ndarray:
    """Undo `pack_labels`."""
    return np.frombuffer(zlib.decompress(base64.b64decode(text)), dtype="<i4").astype(np.int64)
