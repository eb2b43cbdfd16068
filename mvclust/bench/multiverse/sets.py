"""Which protocols agree with a printed row: a confidence set, by inverting the test of a row.

A protocol is in the set if the printed row is in the joint region around our means under it
(`mvclust.bench.claims.numbers.compare_row`). This keeps its coverage for every protocol without a
prior; an empty set says that no protocol that was tried made the row.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy import stats

from mvclust.bench.claims.numbers import joint_limit, shrunk_correlation
from mvclust.bench.claims.paired import resolution_floor
from mvclust.bench.multiverse.protocols import Row
from mvclust.numerics.ties import SCORE_TOLERANCE

LEVEL = 0.90
MARGIN = 3.0  # points, for implementations that differ


class Noise(NamedTuple):
    """Random variation of the numbers of a row."""

    s: np.ndarray  # of a single run, (n_protocols, n_numbers), pooled over settings by metric
    limit: float  # of the largest difference in standard errors


def noise_of(
    row: Row, numbers: np.ndarray, correlation: np.ndarray | None = None
) -> tuple[Noise, Any]:
    """Noise of a row's numbers from the masks (released ones: the starts), and correlation.

    The correlation is pooled over the protocols, or given if it was estimated from more runs.
    """
    residuals, nu = _residuals(row, numbers)
    settings, of_each = row.shape
    s = np.sqrt(np.nansum(residuals**2, axis=(1, 3)) / nu)
    varies = s.min(axis=1) > 0
    if correlation is None and varies.any():
        z = residuals[varies] / s[varies][:, None, :, None]
        correlation, _ = shrunk_correlation(z.transpose(0, 1, 3, 2).reshape(-1, of_each), nu)
    limit = float(stats.t.ppf(1 - (1 - LEVEL) / 2 / (settings * of_each), nu))
    if correlation is not None:
        limit = joint_limit(correlation, settings, nu, LEVEL)
    s = np.maximum(s, resolution_floor(row.step))
    return Noise(np.tile(s, settings), limit), correlation


def _residuals(row: Row, numbers: np.ndarray) -> tuple[np.ndarray, int]:
    """Differences from the mean, (n_protocols, settings, numbers of each, runs), and their df."""
    settings, of_each = row.shape
    shaped = numbers.reshape(len(numbers), settings, of_each, *numbers.shape[2:])
    if row.released:
        masks, starts = shaped.shape[3:]
        residuals = shaped - shaped.mean(axis=4, keepdims=True)
        return residuals.reshape(*shaped.shape[:3], -1), settings * masks * (starts - 1)
    shaped = shaped.mean(axis=4)
    return shaped - shaped.mean(axis=3, keepdims=True), settings * (shaped.shape[3] - 1)


def standard_errors(
    row: Row, noise: Noise, ours: tuple[int, int], printed: tuple[int, int]
) -> np.ndarray:
    """Standard errors of the difference of means of our runs and printed ones, by protocol."""
    runs = [masks * starts if row.released else masks for masks, starts in (ours, printed)]
    return noise.s * np.sqrt(1 / runs[0] + 1 / runs[1])


def agrees(
    means: np.ndarray, printed: np.ndarray, errors: np.ndarray, limit: float, margin: float = 0.0
) -> Any:
    """Whether printed rows of shape (..., n_numbers) agree with our means, up to a margin."""
    beyond = np.maximum(np.abs(means - printed) - margin, 0.0) / errors
    return (beyond <= limit + SCORE_TOLERANCE).all(axis=-1)


class Agreeing(NamedTuple):
    """The protocols that agree with a printed row."""

    means: np.ndarray  # of shape (n_protocols, n_numbers)
    errors: np.ndarray  # standard errors of the difference, (n_protocols, n_numbers)
    limit: float
    inside: np.ndarray  # of shape (n_protocols,): whether in the set
    near: np.ndarray  # the same at `MARGIN` points
    correlation: np.ndarray
    noise: Noise


def agreeing(row: Row) -> Agreeing:
    """The protocols that agree with a printed row."""
    numbers = row.numbers()
    noise, correlation = noise_of(row, numbers)
    means = numbers.mean(axis=(2, 3))
    masks, starts = numbers.shape[2:]
    printed_runs = masks if row.released else row.printed_runs  # one start on each released mask
    errors = standard_errors(row, noise, (masks, starts), (printed_runs, 1))
    printed = row.printed.to_numpy()
    inside = agrees(means, printed, errors, noise.limit)
    near = agrees(means, printed, errors, noise.limit, MARGIN)
    return Agreeing(means, errors, noise.limit, inside, near, correlation, noise)
