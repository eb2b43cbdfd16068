"""Objective curves: descent, and whether they have settled."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from mvclust.bench.claims.paired import difference, is_within
from mvclust.bench.claims.verdicts import FAILS, HOLDS, OPEN, PARTLY

RISE = 1e-10  # relative; what rounding does
ROUNDING = np.finfo(float).eps  # of the largest value: of terms that cancel as a curve falls
FEWEST_CURVES = 5
REMAINING = 0.05  # of the whole descent
LAST_STEP = 1e-5  # relative, of a curve that has settled


def largest_rise(objective: ArrayLike) -> float:
    """Largest rise of a curve, relative to the value before it.

    An objective is a sum of terms that cancel, so its rounding errors stay as large as the terms
    were at first while it falls by orders of magnitude; these do not count as a rise.

    >>> float(f"{largest_rise([3, 2, 2 + 1e-11, 1.5]):.0e}")
    5e-12
    >>> largest_rise([5e3, 1.5e-5, 1.5e-5 + 3e-14])
    0.0
    """
    values = np.asarray(objective, dtype=float)
    steps = np.diff(values)
    steps = np.where(steps > ROUNDING * np.abs(values).max(initial=0.0), steps, 0.0)
    rises = steps / np.maximum(np.abs(values[:-1]), 1e-300)
    return float(rises.max()) if len(rises) else 0.0


def descent(objectives: Sequence[ArrayLike]) -> tuple[str, int]:
    """Verdict of "the objective never rises", and how many curves rise.

    >>> descent([[3, 2, 2 + 1e-11, 1.5]] * 5)
    ('holds', 0)
    """
    rising = sum(largest_rise(curve) > RISE for curve in objectives)
    if len(objectives) < FEWEST_CURVES:
        return OPEN, rising
    if not rising:
        return HOLDS, 0
    return (PARTLY if rising < len(objectives) / 10 else FAILS), rising


def share_bound(curves: int) -> float:
    """Largest share of rising curves that is compatible with none in so many (95 % confidence).

    >>> round(share_bound(5), 2), round(share_bound(10), 2)
    (0.45, 0.26)
    """
    return 1 - 0.05 ** (1 / curves)


def remaining(objective: ArrayLike, iteration: int) -> float:
    """Part of the whole descent that remains after an iteration.

    >>> round(remaining([100 + 50 * 0.8**k for k in range(61)], 10), 4)
    0.1074
    """
    values = np.asarray(objective, dtype=float)
    whole = values[0] - values[-1]
    here = values[min(iteration, len(values) - 1)]
    return 0.0 if whole == 0 else float((here - values[-1]) / whole)


def last_step(objective: ArrayLike) -> float:
    """Relative change in the last iteration."""
    values = np.asarray(objective, dtype=float)
    return float(abs(values[-1] - values[-2]) / max(abs(values[-2]), 1e-300))


def settled(objectives: Sequence[ArrayLike]) -> str:
    """Verdict of "converges" without a stated iteration; open if a curve still falls at its end."""
    return HOLDS if all(last_step(curve) <= LAST_STEP for curve in objectives) else OPEN


def settled_by(
    objectives: Sequence[ArrayLike],
    iteration: int,
    scores_then: ArrayLike,
    scores_at_end: ArrayLike,
    step: float,
) -> tuple[str, float, str]:
    """Verdict of "converged after so many iterations", largest remaining descent, and the reason.

    Scores, one per curve then and at the end, are empty if they were not kept.
    """
    left = max(remaining(curve, iteration) for curve in objectives)
    if left > REMAINING:
        return FAILS, left, ""
    if settled(objectives) == OPEN:
        return OPEN, left, "not converged: the curves still fall when they end"
    given = difference([np.subtract(scores_then, scores_at_end)], step)
    if is_within(given, 3.0):
        return HOLDS, left, ""
    few = "underpowered: fewer than three curves" if given.n < 3 else ""
    return PARTLY, left, few
