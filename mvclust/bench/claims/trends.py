"""Scores along an axis: trends, slopes, a rise that flattens."""

from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import permutations

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from mvclust.bench.claims.paired import Difference, difference, interval, is_within, p_below
from mvclust.bench.claims.verdicts import ALPHA, FAILS, HOLDS, OPEN, PARTLY
from mvclust.numerics.multiple import holm

MOST_EXACT = 8  # points of an axis of which all orders are listed
SHARE = 0.9  # of a rise, after which it is flat


def page(scores: ArrayLike) -> tuple[float, float, float]:
    """Page's test (1963) that scores of shape (n_masks, n_points) rise along the axis.

    Returns L, the sum over masks and points of the point's place times its rank within the mask,
    and the one-sided p-values of rising and falling, exact up to eight points.

    >>> L, _, p = page(np.array([[71, 68, 60, 61], [75, 74, 66, 58], [70, 72, 63, 59]]))
    >>> L, round(p, 5)
    (62.0, 0.00289)
    """
    scores = np.asarray(scores, dtype=float)
    n, k = scores.shape
    places = np.arange(1, k + 1)
    ranks = stats.rankdata(scores, axis=1)
    L = float((ranks * places).sum())
    if k > MOST_EXACT:
        mean = n * k * (k + 1) ** 2 / 4
        sd = np.sqrt(n * k**2 * (k + 1) ** 2 * (k - 1)) / 12
        return L, float(stats.norm.sf((L - mean) / sd)), float(stats.norm.cdf((L - mean) / sd))
    values, chances = _null_of_page(n, k)
    slack = 1e-9
    rising, falling = values >= L - slack, values <= L + slack
    return L, float(chances[rising].sum()), float(chances[falling].sum())


@cache
def _null_of_page(n: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Distribution of L if every order of a mask is equally likely."""
    places = np.arange(1, k + 1)
    counts = Counter(int(np.dot(places, order)) for order in permutations(places))
    first = min(counts)
    of_one = np.zeros(max(counts) - first + 1)
    for value, count in counts.items():
        of_one[value - first] = count
    of_one /= of_one.sum()
    chances = of_one
    for _ in range(n - 1):
        chances = np.convolve(chances, of_one)
    return n * first + np.arange(len(chances)), chances


def trends(units: Sequence[ArrayLike], rises: bool, step: float) -> list[str]:
    """Verdicts of "the scores rise" (or fall) of units, with Holm's correction over them."""
    units = [_complete(scores) for scores in units]
    chances = np.array([_chances(scores) for scores in units])
    rising, falling = (holm(p_values) for p_values in chances.T)
    for_it, against = (rising, falling) if rises else (falling, rising)
    return [
        _verdict(scores, 1 if rises else -1, step, p, q)
        for scores, p, q in zip(units, for_it, against, strict=True)
    ]


def _complete(scores: ArrayLike) -> np.ndarray:
    """Masks without a failed fit."""
    scores = np.asarray(scores, dtype=float)
    return scores[~np.isnan(scores).any(axis=1)]


def _chances(scores: np.ndarray) -> tuple[float, float]:
    """P-values of rising and falling; 1 with too few masks or points."""
    return page(scores)[1:] if min(scores.shape) >= 3 else (1.0, 1.0)


def _verdict(scores: np.ndarray, sign: int, step: float, for_it: float, against: float) -> str:
    """Verdict of a unit from its corrected p-values."""
    if for_it < ALPHA:
        steps = [difference([sign * d], step) for d in np.diff(scores, axis=1).T]
        return PARTLY if min(holm([p_below(d) for d in steps])) < ALPHA else HOLDS
    return FAILS if against < ALPHA else OPEN


def slopes(scores: np.ndarray, axis: Sequence[float] | np.ndarray) -> np.ndarray:
    """Slope of each mask's scores on the axis (least squares).

    >>> slopes(np.array([[71, 68, 60, 61]]), [1, 3, 5, 7]).round(2).tolist()
    [-1.9]
    """
    centred = np.asarray(axis, dtype=float) - np.mean(axis)
    return np.asarray(scores, dtype=float) @ centred / (centred @ centred)


def reach(axis: Sequence[float] | np.ndarray, scores: ArrayLike) -> float:
    """Where the running maximum of a mask reaches 90 % of its rise, linear between points.

    >>> x = [0, 0.5, 1, 1.5, 2, 3, 5]
    >>> round(reach(x, [40, 48, 70, 78, 80, 80, 81]), 3)
    1.431
    """
    highest = np.maximum.accumulate(np.asarray(scores, dtype=float))
    wanted = highest[0] + SHARE * (highest[-1] - highest[0])
    after = int(np.argmax(highest >= wanted))
    if after == 0:
        return float(axis[0])
    low, high = highest[after - 1], highest[after]
    part = (wanted - low) / (high - low)
    return float(axis[after - 1] + part * (axis[after] - axis[after - 1]))


def rises_then_flat(
    series: Sequence[Sequence], stated: Sequence[float] | None
) -> list[tuple[str, Difference]]:
    """Verdicts of "rises until a point in a range, then stable", and where 90 % of the rise are.

    Each unit is (axis, scores of shape (n_masks, n_points), one sample in points). Scores rise up
    to the end of the range, and differ by at most 3 points from there on.
    """
    assert stated is not None  # the configuration has checked it
    parts = [np.asarray(scores)[:, : _last_of(axis, stated) + 1] for axis, scores, _ in series]
    rises = trends(parts, True, max(step for *_, step in series))
    return [
        _rise_then_flat(*unit, stated, rise, len(series))
        for unit, rise in zip(series, rises, strict=True)
    ]


def _last_of(axis: Sequence[float] | np.ndarray, stated: Sequence[float]) -> int:
    """Index of the last point of a range."""
    return int(np.flatnonzero(np.asarray(axis) <= stated[1] + 1e-12)[-1])


def _rise_then_flat(
    axis: Sequence[float] | np.ndarray,
    scores: np.ndarray,
    step: float,
    stated: Sequence[float],
    rises: str,
    n_units: int,
) -> tuple[str, Difference]:
    scores = _complete(scores)
    if len(scores) < 3:
        return OPEN, Difference(np.nan, np.nan, np.nan, len(scores), step)
    where = difference([[reach(axis, row) for row in scores]], 0.0)
    (low, high), (least, most) = interval(where), interval(where, 1 - ALPHA / n_units)
    if rises == FAILS or most < stated[0] or least > stated[1]:
        return FAILS, where
    flat = is_within(difference([scores[:, -1] - scores[:, _last_of(axis, stated)]], step), 3.0)
    if rises == HOLDS and flat and stated[0] <= low and high <= stated[1]:
        return HOLDS, where
    return (PARTLY if rises in (HOLDS, PARTLY) else OPEN), where
