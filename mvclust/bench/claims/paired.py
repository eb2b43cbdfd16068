"""Paired differences over masks: their intervals, states, and what they could have shown.

All scores are in points. Every interval is 95 % and two-sided unless it says otherwise.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import special, stats

from mvclust.bench.claims.verdicts import ALPHA, states_of
from mvclust.bench.score.significance import FEWEST_RUNS
from mvclust.numerics.ties import SCORE_TOLERANCE

POWER = 0.8
EQUAL = 1.0  # points within which two methods are the same
MOST_LOST = 0.2  # share of the masks that may have failed


class Difference(NamedTuple):
    """A mean difference and its uncertainty."""

    mean: float
    se: float  # of Student's t; NaN with too few masks
    df: float
    n: int  # number of masks
    step: float  # one sample in points; a smaller difference is none
    exact: bool = False  # both sides agree in every repetition: no error


def resolution_floor(step: float) -> float:
    """Smallest standard deviation of the difference of two scores in steps of 100 / N points.

    Each is rounded with variance step^2 / 12 (Sheppard).

    >>> round(resolution_floor(100 / 90), 3)
    0.454
    """
    return step / 6**0.5


def difference(
    differences: Sequence[ArrayLike], step: float, nested: bool = False, exact: bool = False
) -> Difference:
    """Mean of the paired differences of one or several settings of a data set.

    Each setting has one value per mask, NaN for a failed fit. With `nested`, masks of the same
    number belong together over the settings, as released masks do; else settings are strata
    (Satterthwaite's degrees of freedom).

    >>> d = difference([[60 - 50, 62 - 51, 58 - 49, 61 - 52]], step=0.1)
    >>> d.mean, round(d.se, 3), d.df
    (9.75, 0.479, 3.0)
    """
    settings = [np.asarray(values, dtype=float) for values in differences]
    whole = sum(map(len, settings))
    if nested and len({len(values) for values in settings}) == 1:
        settings = [np.mean(settings, axis=0)]
    known = [values[~np.isnan(values)] for values in settings]
    sizes = [len(values) for values in known]
    mean = float(np.mean([values.mean() for values in known])) if all(sizes) else np.nan
    lost = 1 - sum(sizes) / max(sum(map(len, settings)), 1)
    if exact or not all(sizes) or min(sizes) < FEWEST_RUNS or lost > MOST_LOST:
        return Difference(mean, np.nan, np.nan, min(sizes, default=0), step, exact and whole > 0)
    floor = resolution_floor(step)
    parts = [max(values.std(ddof=1), floor) ** 2 / len(values) for values in known]
    if not any(parts):  # what is no score of labels has no floor
        return Difference(mean, np.nan, np.nan, min(sizes), step, True)
    se = np.sqrt(sum(parts)) / len(parts)
    weights = sum(part**2 / (size - 1) for part, size in zip(parts, sizes, strict=True))
    df = sum(parts) ** 2 / weights if weights else min(sizes) - 1
    return Difference(mean, float(se), float(df), min(sizes), step)


def over_data_sets(differences: list[Difference]) -> Difference:
    """Mean over data sets as fixed effects: it holds for these data sets."""
    if len(differences) == 1:
        return differences[0]
    mean = float(np.mean([d.mean for d in differences]))
    n, step = min(d.n for d in differences), min(d.step for d in differences)
    parts = [0.0 if d.exact else d.se**2 for d in differences]
    total = sum(parts)
    if not total > 0:
        exact = all(d.exact for d in differences)
        return Difference(mean, np.nan, np.nan, n, step, exact)
    weights = sum(p**2 / d.df for p, d in zip(parts, differences, strict=True) if p)
    return Difference(mean, np.sqrt(total) / len(parts), total**2 / weights, n, step)


def interval(given: Difference, confidence: float = 0.95) -> tuple[float, float]:
    """Student's interval of a difference; NaN without a standard error."""
    if given.exact:
        return given.mean, given.mean
    half = special.stdtrit(given.df, (1 + confidence) / 2) * given.se
    return float(given.mean - half), float(given.mean + half)


def p_value(given: Difference, value: float = 0.0) -> float:
    """Two-sided p-value of a difference against a value; 1 if undecidable."""
    away = given.mean - value
    if np.isnan(away) or abs(away) < given.step - SCORE_TOLERANCE:
        return 1.0
    if given.exact:
        return 0.0
    return 1.0 if np.isnan(given.se) else float(2 * special.stdtr(given.df, -abs(away) / given.se))


def is_within(given: Difference, margin: float) -> bool:
    """Whether the 90 % interval lies within a margin on both sides (Schuirmann's two tests)."""
    if given.exact:
        return abs(given.mean) <= margin
    low, high = interval(given, 0.9)
    return bool(-margin < low and high < margin)


def p_above(given: Difference, value: float = 0.0) -> float:
    """Two-sided p-value that a difference is above a value; 1 if it is below."""
    return p_value(given, value) if given.mean > value else 1.0


def p_below(given: Difference, value: float = 0.0) -> float:
    """Two-sided p-value that a difference is below a value; 1 if it is above."""
    return p_value(given, value) if given.mean < value else 1.0


def within(differences: list[Difference], margin: float = 3.0) -> list[str]:
    """State of each unit of "the difference is within a margin" (Schuirmann's two tests)."""
    shown = [
        float(not is_within(d, margin)) if d.exact
        else max(p_below(d, margin), p_above(d, -margin)) / 2
        for d in differences
    ]  # fmt: skip
    against = [min(p_above(d, margin), p_below(d, -margin)) for d in differences]
    return states_of(shown, against)


def states(differences: list[Difference], margin: float = 0.0) -> list[str]:
    """State of each unit with Holm's correction over all (see `claims.verdicts.verdict_of`).

    A unit is shown if its difference is above the margin, and reversed if it is below it.
    """
    shown = [p_above(d, margin) for d in differences]
    against = [p_below(d, margin) for d in differences]
    return [
        "=" if state == "?" and margin == 0 and is_within(d, EQUAL) else state
        for d, state in zip(differences, states_of(shown, against), strict=True)
    ]


def detectable_with(se: float, df: float) -> float:
    """Smallest difference found with 80 % power: (t(1 - alpha / 2) + t(.8)) se."""
    return float((stats.t.ppf(1 - ALPHA / 2, df) + stats.t.ppf(POWER, df)) * se)


def power_text(differences: list[Difference]) -> tuple[str, float]:
    """Describe what the masks can show, with the mean difference found with 80 % power (or NaN)."""
    if not differences:
        return "", np.nan
    found = [detectable_with(d.se, d.df) for d in differences if not np.isnan(d.se)]
    masks = sorted({d.n for d in differences})
    runs = f"{masks[0]}" if len(masks) == 1 else f"{masks[0]} to {masks[-1]}"
    if not found:
        exact = all(d.exact for d in differences)
        return (f"{runs} runs, all equal" if exact else f"{runs} runs, no interval"), np.nan
    smallest = float(np.mean(found))
    return f"{runs} runs; {smallest:.1f} points are found with 80 % power", smallest
