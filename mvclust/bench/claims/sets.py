"""A method against a set of others: best, worst, not the best, below the median."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from mvclust.bench.claims.paired import Difference, interval, p_above, p_below
from mvclust.bench.claims.verdicts import ALPHA, FAILS, HOLDS, OPEN, PARTLY, states_of

FACTOR = 2  # by which a stated number is refuted


class Lead(NamedTuple):
    """The lead over the best other method."""

    mean: float
    low: float  # no correction for choosing the best on the same masks (Berger 1982)
    high: float  # corrected (Bonferroni's form of Hsu's comparison, 1984)
    best_p: float  # two-sided, of no lead beyond the margin
    not_best_p: float  # two-sided, of a lead beyond the margin


def lead(differences: Sequence[Difference], margin: float = 0.0) -> Lead:
    """Lead of a method from its differences to each other one; p-values are against the margin."""
    m = len(differences)
    lows = [interval(d)[0] for d in differences]
    highs = [interval(d, 1 - ALPHA / m)[1] for d in differences]
    above = [p_above(d, margin) for d in differences]
    below = [p_below(d, margin) for d in differences]
    return Lead(
        float(min(d.mean for d in differences)),
        float(np.min(lows)),
        float(np.nanmin(highs)) if not np.isnan(highs).all() else np.nan,
        max(above),
        min(1.0, m * min(below)),
    )


def best(leads: Sequence[Lead]) -> list[str]:
    """State of each unit of "best of a set", with Holm's correction over them."""
    return states_of([x.best_p for x in leads], [x.not_best_p for x in leads])


def not_best(units: Sequence[Sequence[Difference]], margin: float = 3.0) -> list[str]:
    """State of each unit of "no lead beyond a margin"; a unit is its differences to each other."""
    shown = [lead(differences, margin).not_best_p for differences in units]
    return states_of(shown, [lead(differences).best_p for differences in units])


def gain(
    ours: Sequence[ArrayLike], others: Sequence[ArrayLike], stated: float, n_units: int = 1
) -> tuple[str, Any, Any, Any]:
    """Verdict on a relative gain of the mean, and the gain with Fieller's interval (1954), in
    percent.

    Each setting has one score per mask, paired; `stated` is the paper's gain in percent. It holds
    if the interval has the stated gain, or lies above it, and excludes half of it; it fails if the
    stated gain is wrong by a factor of 2 or more. `n_units` corrects both (Bonferroni).

    >>> a, b = [[62, 58, 66, 61, 63]], [[50, 49, 55, 53, 48]]
    >>> verdict, *numbers = gain(a, b, 8.65)
    >>> verdict, [round(float(number), 3) for number in numbers]
    ('holds', [21.569, 14.366, 29.437])
    """
    pairs = [_complete(a, b) for a, b in zip(ours, others, strict=True)]
    n = min(len(a) for a, _ in pairs)
    if n < 3:
        return OPEN, np.nan, np.nan, np.nan
    count, df = len(pairs), sum(len(a) - 1 for a, _ in pairs)
    covariances = [np.cov(a, b) / len(a) for a, b in pairs]
    (v_a, c), (_, v_b) = sum(covariances) / count**2  # pyright: ignore[reportGeneralTypeIssues]
    a, b = (np.mean([pair[side].mean() for pair in pairs]) for side in (0, 1))
    ends = [
        100 * (np.array(_fieller(a, b, (v_a, v_b, c), stats.t.ppf(1 - alpha / 2, df))) - 1)
        for alpha in (ALPHA, ALPHA / n_units)
    ]
    return _number(*ends[1], stated), 100 * (a / b - 1), *ends[0]


def _number(low: float, high: float, stated: float) -> str:
    """Verdict of an interval on a stated number."""
    if high < stated / FACTOR or low > FACTOR * stated:
        return FAILS
    if not low > 0:  # also without an interval
        return OPEN
    return HOLDS if high >= stated and low > stated / FACTOR else PARTLY


def _fieller(
    a: Any, b: Any, variances: tuple[float, float, float], t: float
) -> tuple[float, float]:
    v_a, v_b, c = variances
    r, g = a / b, t**2 * v_b / b**2
    if g >= 1:
        return np.nan, np.nan
    within = v_a - 2 * r * c + r**2 * v_b
    if v_b > 0:
        within -= g * (v_a - c**2 / v_b)
        half, centre = t / b * np.sqrt(max(within, 0)), r - g * c / v_b
    else:
        half, centre = t / b * np.sqrt(v_a), r
    return (centre - half) / (1 - g), (centre + half) / (1 - g)


def _complete(a: ArrayLike, b: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    known = ~np.isnan(a) & ~np.isnan(b)
    return a[known], b[known]
