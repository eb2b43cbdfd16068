"""Scores over a grid of a parameter: good in a window, insensitive, less spread."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from mvclust.bench.claims.paired import Difference, difference, interval
from mvclust.bench.claims.verdicts import FAILS, HOLDS, OPEN, PARTLY
from mvclust.numerics.ties import best_of

MARGIN = 5.0  # points below the best that are still good
DECADES = 2.0  # beyond a window, on either side
ENOUGH, TOO_FEW = 0.75, 0.5  # shares of the points inside
LOWER = 3.0  # points: beyond, less spread has its price
GOOD, BAD, UNCLEAR = "good", "bad", "unclear"


def losses(
    scores: ArrayLike, step: float, margin: float = MARGIN
) -> list[tuple[float, float, str]]:
    """Loss of each point against the best, its lower limit, and "good", "bad" or "unclear".

    Scores have the shape (n_points, n_masks); step is one sample in points.
    """
    scores = np.asarray(scores, dtype=float)
    top = best_of(np.nanmean(scores, axis=1))
    found = []
    for point in scores:
        given = difference([scores[top] - point], step)
        loss, (low, _) = given.mean, interval(given)
        name = GOOD if loss <= margin else BAD if low > margin else UNCLEAR
        found.append((loss, low, name))
    return found


def window(
    values: ArrayLike, names: Sequence[str], stated: Any, in_decades: bool = True
) -> tuple[str, tuple[float, float], str]:
    """Verdict of "good in a window", the shares inside that are good and not bad, and the reason.

    Decades of the window `stated` that were not run count as unclear. A sweep that is not in
    decades needs two steps beyond one end; the parameter may begin at the other.

    >>> names = ["good", "unclear", "unclear"]
    >>> window([10, 100, 1000], names, (10, 1e5))[:2]
    ('open', (0.2, 1.0))
    """
    low, high = stated
    place = np.log10 if in_decades else np.asarray
    at = place(np.asarray(values, dtype=float))
    ends = [float(place(end)) for end in (low, high)] if in_decades else [low, high]
    inside = (at >= ends[0] - 1e-9) & (at <= ends[1] + 1e-9)
    count = inside.sum() + (_not_run(at, ends) if in_decades else 0)
    if not inside.any():
        return OPEN, (np.nan, np.nan), "sweep: no point of the window was run"
    inner = [name for name, here in zip(names, inside, strict=True) if here]
    good, bad = inner.count(GOOD) / count, inner.count(BAD) / count
    shares = float(good), float(1 - bad)
    if shares[1] < TOO_FEW:
        return FAILS, shares, ""
    if bad:
        return PARTLY, shares, ""
    if shares[0] < ENOUGH:
        return OPEN, shares, "underpowered: too many points of the window are unclear"
    beyond = DECADES if in_decades else 0
    reached = at.min() <= ends[0] - beyond + 1e-9 and at.max() >= ends[1] + beyond - 1e-9
    steps = max((at < ends[0] - 1e-9).sum(), (at > ends[1] + 1e-9).sum())
    if reached if in_decades else steps >= DECADES:
        return HOLDS, shares, ""
    return OPEN, shares, "sweep: it does not reach beyond the window"


def _not_run(at: np.ndarray, ends: list[float]) -> int:
    """Number of whole decades of a window without a point."""
    wanted = np.arange(np.ceil(ends[0] - 1e-9), np.floor(ends[1] + 1e-9) + 1)
    return sum(not np.isclose(at, decade).any() for decade in wanted)


def is_specific(values: ArrayLike, names: Sequence[str], stated: Sequence[float] | None) -> bool:
    """Whether points inside a window are good more often than those outside."""
    values = np.asarray(values, dtype=float)
    good = np.array([name == GOOD for name in names])
    inside = (values >= stated[0]) & (values <= stated[1])
    return bool(inside.all() or good[inside].mean() > good[~inside].mean())


def insensitive(scores: ArrayLike, margin: float = MARGIN) -> tuple[float, float, float, float]:
    """P-values that the means over a grid range less, and more, than a margin; the range, and its
    lower limit.

    Scores have the shape (n_points, n_masks). Less: for every two points (Berger 1982). More:
    corrected for the number of pairs of points.

    >>> scores = np.array([[70, 72, 69], [71, 71, 70], [68, 71, 69], [66, 69, 66]])
    >>> less, _, spread, low = insensitive(scores)
    >>> round(less, 3), round(spread, 3), round(low, 3)
    (0.044, 3.667, 1.407)
    """
    scores = np.asarray(scores, dtype=float)
    points, masks = scores.shape
    means = scores.mean(axis=1)
    spread = float(means.max() - means.min())
    if masks < 2:
        return float(spread > margin), float(spread <= margin), spread, spread
    rest = scores - means[:, None] - scores.mean(axis=0) + scores.mean()
    df = (points - 1) * (masks - 1)
    se = np.sqrt((rest**2).sum() / df / masks)
    low = spread - _range_quantile(points, df) * se
    beyond = (spread - margin) / max(se, 1e-12)
    less = float(stats.t.cdf(beyond / np.sqrt(2), df))
    more = min(1.0, points * (points - 1) * float(stats.t.sf(beyond / np.sqrt(2), df)))
    return less, more, spread, float(low)


@cache
def _range_quantile(points: int, df: int) -> float:
    """Quantile of the studentized range; it takes a tenth of a second."""
    return float(stats.studentized_range.ppf(0.95, points, df))


def less_spread(first: ArrayLike, second: ArrayLike) -> tuple[Difference, bool]:
    """Difference in log spread over the grid of the second condition, and whether it scores as
    high.

    Scores have the shape (n_points, n_masks).
    """
    first, second = (np.asarray(x, dtype=float) for x in (first, second))
    ratios = np.log(second.std(axis=0, ddof=1) / first.std(axis=0, ddof=1))
    given = difference([ratios], 0.0, exact=len(ratios) == 1)
    return given, bool(second.mean() - first.mean() >= -LOWER)
