"""Hartigan's dip: how far a sample in one dimension is from having one mode."""

import numpy as np


def dip(x):
    """The largest distance between the distribution of a sample and the nearest unimodal one.

    A unimodal distribution is convex before its mode and concave after it; at the mode it may have
    an atom. The distance is from 1 / (2 n_samples) to 1/4; 0 if all values are equal. See J. A.
    Hartigan and P. M. Hartigan, "The dip test of unimodality", Annals of Statistics 13 (1985),
    section 3.

    >>> dip(np.array([0.0, 1.0, 2.0, 3.0])), dip(np.array([0.0, 0.1, 9.0, 9.1]))
    (0.125, 0.24722222222222223)
    >>> dip(np.array([0.0, 0.0, 0.0, 1.0]))
    0.125
    """
    points, counts = np.unique(x, return_counts=True)
    above = counts.cumsum().astype(float)  # the distribution, times n, right of each point
    below = above - counts  # and left of it
    largest = int(counts.argmax())
    twice = _twice_with_atom(points, below, above, largest)
    # An atom at the mode is of use only if it is larger than twice the distance.
    if twice >= counts[largest]:
        twice = _twice_without_atoms(points, below, above)
    return float(twice / (2 * above[-1]))


def _twice_with_atom(points, below, above, mode):
    """Twice the distance, times n, if the mode is the atom of a point; a lower limit if small."""
    left, right = slice(mode + 1), slice(mode, None)
    low = _interpolated(points[left], below[left])
    high = -_interpolated(points[right], -above[right])
    before = (above[left] - low)[:-1].max(initial=0.0)
    after = (high - below[right])[1:].max(initial=0.0)
    return max(before, after)


def _twice_without_atoms(points, below, above):
    """Twice the distance, times n, to the nearest unimodal distribution without atoms."""
    first, last, twice = 0, len(points) - 1, 1.0
    while first < last:
        inside = slice(first, last + 1)
        at = points[inside]
        low = _hull(at, below[inside])  # convex before the mode
        high = _hull(at, -above[inside])  # concave after it
        minorant = np.interp(at, at[low], below[inside][low])
        majorant = np.interp(at, at[high], above[inside][high])
        gaps = majorant - minorant
        widest = int(gaps.argmax())
        if gaps[widest] <= twice:
            break
        left = low[np.searchsorted(low, widest, side="right") - 1]
        right = high[np.searchsorted(high, widest)]
        before = (above[inside] - minorant)[: left + 1].max()
        after = (majorant - below[inside])[right:].max()
        twice = max(twice, before, after)
        if left == 0 and right == len(at) - 1:
            break
        first, last = first + left, first + right
    return twice


def _interpolated(x, y):
    """The greatest convex function below some points, at these."""
    corners = _hull(x, y)
    return np.interp(x, x[corners], y[corners])


def _hull(x, y):
    """Indices of the corners of the greatest convex function below some points."""
    corners = []
    for i, (a, b) in enumerate(zip(x.tolist(), y.tolist(), strict=True)):
        while len(corners) > 1:
            (_, x0, y0), (_, x1, y1) = corners[-2:]
            if (y1 - y0) * (a - x1) < (b - y1) * (x1 - x0):
                break
            corners.pop()
        corners.append((i, a, b))
    return np.array([i for i, _, _ in corners])
