"""What is true in most cases: the share of the units, with its interval over masks."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mvclust.bench.claims.verdicts import ALPHA, FAILS, HOLDS, OPEN

DRAWS = 1000


def most(
    units: Sequence[Sequence[Mapping[Any, ArrayLike]]],
    margin: float = 0.0,
    favoured: Sequence[bool] = (),
    hindered: Sequence[bool] = (),
) -> str:
    """Verdict of "true in most units", whose share is compared with one half.

    A unit has the differences to each other method, by place; the claim is true of it if all mean
    differences are above the margin. Masks are drawn again within each place, alike for all units,
    and units with them. A favoured unit does not count as true, a hindered one not as false.

    >>> ahead, behind = [{"a": [3.0, 4.0, 5.0]}], [{"a": [-3.0, -4.0, -5.0]}]
    >>> most([ahead] * 9 + [behind]), most([ahead, behind]), most([behind] * 9 + [ahead])
    ('holds', 'open', 'fails')
    """
    rng = np.random.default_rng(0)
    weights: dict = {}
    true = np.stack([_true(unit, margin, weights, rng) for unit in units], axis=1)
    if len(favoured):
        true = np.where(favoured, 0.0, np.where(hindered, 1.0, true))
    again = rng.multinomial(len(units), np.full(len(units), 1 / len(units)), DRAWS)
    low, high = np.quantile((again * true).sum(axis=1) / len(units), [ALPHA / 2, 1 - ALPHA / 2])
    return HOLDS if low > 0.5 else FAILS if high < 0.5 else OPEN


def _true(
    unit: Sequence[Mapping[Any, ArrayLike]], margin: float, weights: dict, rng: np.random.Generator
) -> np.ndarray:
    """Whether each draw of the masks puts all mean differences of a unit above the margin."""
    means = []
    for rival in unit:
        of_places = []
        for place, values in rival.items():
            values = np.asarray(values, dtype=float)
            n, known = len(values), ~np.isnan(values)
            if (place, n) not in weights:
                weights[place, n] = rng.multinomial(n, np.full(n, 1 / n), DRAWS)
            W = weights[place, n][:, known]
            of_places.append(W @ values[known] / np.maximum(W.sum(axis=1), 1))
        means.append(np.mean(of_places, axis=0))
    return (np.min(means, axis=0) > margin).astype(float)
