"""Controls of the sets of protocols: one that is planted must be found, other rows not accepted."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd

from mvclust.bench.multiverse.protocols import Row
from mvclust.bench.multiverse.sets import MARGIN, Agreeing, agrees, noise_of, standard_errors

SPLITS = 10  # of the masks, or the starts, into halves
SHIFT = 3.0  # points by which an implementation of one's own may differ


class Planted(NamedTuple):
    """Recovery of protocols whose rows are made from the other half of the masks."""

    found: float  # how often the protocol is in the set
    shifted: float  # how often it is if its row is shifted, as by another implementation
    size: float  # mean number of protocols in the set
    first: float  # how often the protocol nearest to its row is within 3 points of it
    trials: int


def plant(row: Row, agreeing: Agreeing) -> Planted:
    """Plant every protocol of a row in turn; NaN if there is only one run of each."""
    rng = np.random.default_rng(0)
    found, shifted, sizes, first = [], [], [], []
    for ours, others in _halves(row, rng):
        mine, theirs = row.numbers(*ours), row.numbers(*others)
        noise = agreeing.noise
        if not row.released:
            noise, _ = noise_of(row, mine, agreeing.correlation)
        runs = mine.shape[2:], theirs.shape[2:]
        errors = standard_errors(row, noise, *runs)[:, None]
        means = mine.mean(axis=(2, 3))
        planted = np.round(theirs.mean(axis=(2, 3)), row.digits)
        there = np.isfinite(means).all(axis=1) & np.isfinite(planted).all(axis=1)
        means, errors, planted = means[there], errors[there], planted[there]
        inside = agrees(means[:, None], planted, errors, noise.limit)
        found += list(np.diag(inside))
        sizes += list(inside.sum(axis=0))
        moved = planted + _shifts(rng, planted.shape)
        shifted += list(np.diag(agrees(means[:, None], moved, errors, noise.limit)))
        gaps = np.abs(means[:, None] - planted).mean(axis=2)
        nearest = np.abs(means[gaps.argmin(axis=0)] - means).mean(axis=1)
        first += list(nearest <= MARGIN)
    if not found:
        return Planted(np.nan, np.nan, np.nan, np.nan, 0)
    return Planted(*(float(np.mean(x)) for x in (found, shifted, sizes, first)), len(found))


def _halves(row: Row, rng: np.random.Generator) -> Iterator[tuple[tuple, tuple]]:
    """Yield (masks, starts) of two halves, both ways; of released masks the starts are halved."""
    n_masks, n_starts = row.scores.shape[3:5]
    n = n_starts if row.released else n_masks
    if n < 2 or (not row.released and n < 4):
        return
    for _ in range(1 if n == 2 else SPLITS):
        order = rng.permutation(n)
        halves = np.sort(order[: n // 2]), np.sort(order[n // 2 :])
        for mine, theirs in (halves, halves[::-1]):
            if row.released:
                yield (slice(None), mine), (slice(None), theirs)
            else:
                yield (mine, slice(None)), (theirs, slice(None))


def _shifts(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Random shifts of a row, as by another implementation: half in common, half per number."""
    common, own = rng.standard_normal((shape[0], 1)), rng.standard_normal(shape)
    return SHIFT * (common + own) / np.sqrt(2)


def accepted(row: Row, agreeing: Agreeing, others: list[pd.Series]) -> tuple[int, int]:
    """How many printed rows of other methods agree with a protocol, and how many were tried."""
    index, (means, errors, limit, *_) = row.printed.index, agreeing
    same = [other.loc[index].to_numpy() for other in others if set(index) <= set(other.index)]
    return sum(bool(agrees(means, other, errors, limit).any()) for other in same), len(same)
