"""Which protocols agree with a printed row: a confidence set, by inverting the test of a row.

A protocol is in the set if the printed row is in the joint region around our means under it
(`mvclust.bench.claims.numbers.compare_row`). This keeps its coverage for every protocol without a
prior; an empty set says that no protocol that was tried made the row.
"""

from typing import NamedTuple

import numpy as np
from scipy import stats

from mvclust.bench.claims.numbers import joint_limit, shrunk_correlation
from mvclust.bench.claims.paired import resolution_floor
from mvclust.numerics.ties import SCORE_TOLERANCE

LEVEL = 0.90
MARGIN = 3.0  # points, for implementations that differ


class Noise(NamedTuple):
    """How far chance moves the numbers of a row.

    Attributes
    ----------
    s : ndarray of shape (n_protocols, n_numbers)
        Standard deviation of a single run; of a metric it is pooled over the settings.
    limit : float
        What the largest difference in standard errors may be.
    """

    s: np.ndarray
    limit: float


def noise_of(row, numbers, correlation=None):
    """How far chance moves the numbers of a row, from the masks; on released ones from the starts.

    Parameters
    ----------
    row : Row
    numbers : ndarray of shape (n_protocols, n_numbers, n_masks, n_starts)
    correlation : ndarray, default=None
        Of the numbers of a setting, where it was estimated from more runs.

    Returns
    -------
    Noise, ndarray
        And the correlation, pooled over the protocols.
    """
    residuals, nu = _residuals(row, numbers)
    settings, of_each = row.shape
    s = np.sqrt(np.nansum(residuals**2, axis=(1, 3)) / nu)
    varies = s.min(axis=1) > 0
    if correlation is None and varies.any():
        z = residuals[varies] / s[varies][:, None, :, None]
        correlation, _ = shrunk_correlation(z.transpose(0, 1, 3, 2).reshape(-1, of_each), nu)
    if correlation is None:
        limit = float(stats.t.ppf(1 - (1 - LEVEL) / 2 / (settings * of_each), nu))
    else:
        limit = joint_limit(correlation, settings, nu, LEVEL)
    s = np.maximum(s, resolution_floor(row.step))
    return Noise(np.tile(s, settings), limit), correlation


def _residuals(row, numbers):
    """Differences from the mean: (n_protocols, settings, numbers of each, runs); and their df."""
    settings, of_each = row.shape
    shaped = numbers.reshape(len(numbers), settings, of_each, *numbers.shape[2:])
    if row.released:
        masks, starts = shaped.shape[3:]
        residuals = shaped - shaped.mean(axis=4, keepdims=True)
        return residuals.reshape(*shaped.shape[:3], -1), settings * masks * (starts - 1)
    shaped = shaped.mean(axis=4)
    return shaped - shaped.mean(axis=3, keepdims=True), settings * (shaped.shape[3] - 1)


def standard_errors(row, noise, ours, printed):
    """Standard errors of the difference of two means.

    Parameters
    ----------
    row : Row
    noise : Noise
    ours, printed : tuple of int
        Masks and starts behind each mean; on released masks all runs are on the same masks.

    Returns
    -------
    ndarray of shape (n_protocols, n_numbers)
    """
    runs = [masks * starts if row.released else masks for masks, starts in (ours, printed)]
    return noise.s * np.sqrt(1 / runs[0] + 1 / runs[1])


def agrees(means, printed, errors, limit, margin=0.0):
    """Whether printed rows agree with our means.

    Parameters
    ----------
    means, printed : ndarray of shape (..., n_numbers)
    errors : ndarray of shape (..., n_numbers)
    limit : float
    margin : float, default=0.0
        In points, for implementations that differ.

    Returns
    -------
    ndarray of bool of shape (...)
        False where a number is not there.
    """
    beyond = np.maximum(np.abs(means - printed) - margin, 0.0) / errors
    return (beyond <= limit + SCORE_TOLERANCE).all(axis=-1)


class Agreeing(NamedTuple):
    """Which protocols agree with a printed row.

    Attributes
    ----------
    means : ndarray of shape (n_protocols, n_numbers)
    errors : ndarray of shape (n_protocols, n_numbers)
        Standard errors of the difference.
    limit : float
    inside, near : ndarray of bool of shape (n_protocols,)
        In the set, and in that at `MARGIN` points.
    correlation : ndarray or None
    noise : Noise
    """

    means: np.ndarray
    errors: np.ndarray
    limit: float
    inside: np.ndarray
    near: np.ndarray
    correlation: np.ndarray
    noise: Noise


def agreeing(row):
    """The protocols that agree with a printed row.

    Parameters
    ----------
    row : Row

    Returns
    -------
    Agreeing
    """
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
