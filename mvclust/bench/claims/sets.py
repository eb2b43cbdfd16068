"""A method against a set of others: best, worst, not the best, below the median."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import stats

from mvclust.bench.claims.paired import ALPHA, interval, p_value
from mvclust.bench.claims.verdicts import FAILS, HOLDS, OPEN
from mvclust.numerics.multiple import holm

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy.typing import ArrayLike

    from mvclust.bench.claims.paired import Difference


class Lead(NamedTuple):
    """The lead over the best other method."""

    mean: float
    low: float  # no correction for choosing the best on the same masks (Berger 1982)
    high: float  # corrected (Bonferroni's form of Hsu's comparison, 1984)
    best_p: float  # two-sided, of no lead
    not_best_p: float  # two-sided, of a lead


def lead(differences: Sequence[Difference]) -> Lead:
    """Lead of a method from its differences to each other one."""
    m = len(differences)
    lows = [interval(d)[0] for d in differences]
    highs = [interval(d, 1 - ALPHA / m)[1] for d in differences]
    above = [p_value(d) if d.mean > 0 else 1.0 for d in differences]
    below = [p_value(d) if d.mean < 0 else 1.0 for d in differences]
    return Lead(
        float(min(d.mean for d in differences)),
        float(np.min(lows)),
        float(np.nanmin(highs)) if not np.isnan(highs).all() else np.nan,
        max(above),
        min(1.0, m * min(below)),
    )


def best(leads: Sequence[Lead]) -> list[str]:
    """State of each unit of "best of a set", with Holm's correction over them."""
    above, below = holm([x.best_p for x in leads]), holm([x.not_best_p for x in leads])
    return [
        "+" if p < ALPHA else "-" if q < ALPHA else "?" for p, q in zip(above, below, strict=True)
    ]


def not_best(given: Lead, margin: float = 3.0) -> str:
    """Verdict of "no superiority" for one unit."""
    if given.low > 0:
        return FAILS
    return HOLDS if given.high < margin else OPEN


def gain(
    ours: Sequence[ArrayLike], others: Sequence[ArrayLike], stated: float
) -> tuple[str, Any, Any, Any]:
    """Verdict on a relative gain of the mean, and the gain with Fieller's interval (1954), in
    percent.

    Each setting has one score per mask, paired; `stated` is the paper's gain in percent.

    Examples
    --------
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
    low, high = _fieller(a, b, (v_a, v_b, c), stats.t.ppf(1 - ALPHA / 2, df))
    ratio, low, high = (100 * (value - 1) for value in (a / b, low, high))
    if np.isnan(low):
        verdict = OPEN
    elif low > 0:
        verdict = HOLDS if high >= stated else "partly"
    else:
        verdict = FAILS if high < stated else OPEN
    return verdict, ratio, low, high


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
