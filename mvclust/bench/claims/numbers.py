"""A printed number against ours: a prediction interval, and a test of equivalence.

An interval answers whether chance explains the difference (Patil, Peng & Leek 2016), equivalence
whether the two are the same for practice (Schuirmann 1987). Neither alone does.
"""

from typing import NamedTuple

import numpy as np
from scipy import stats

from mvclust.bench.claims.paired import resolution_floor
from mvclust.numerics.ties import SCORE_TOLERANCE

MARGIN = 3.0  # points
SAME, NEGLIGIBLE = "same", "negligible difference"
DIFFERENT, UNDECIDED = "different", "undecided"
WORDS = (SAME, NEGLIGIBLE, DIFFERENT, UNDECIDED)
DRAWS = 20_000


class Comparison(NamedTuple):
    """A printed number beside ours.

    Attributes
    ----------
    word : str
        One of `WORDS`; "" where nothing can be said.
    difference : float
        Ours minus the printed one.
    half_width : float
        Of the 95 % prediction interval.
    equivalence : float
        Half width of the 90 % interval of the difference.
    """

    word: str
    difference: float
    half_width: float
    equivalence: float


def compare_number(mean, std, n, printed, printed_std=None, printed_n=None, step=0.0):
    """Compare a printed mean with ours.

    Parameters
    ----------
    mean, std, n : float, float, int
        Of our runs.
    printed : float
    printed_std : float or None, default=None
        Ours is taken where none is printed, and beside a single printed run, which has none.
    printed_n : int or None, default=None
        Runs of the paper; as many as ours if it does not say.
    step : float, default=0.0
        One sample in points.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> found = compare_number(61.6, 3.05, 5, 64.0)
    >>> found.word, round(found.half_width, 2), round(found.equivalence, 2)
    ('undecided', 5.36, 4.11)
    """
    floor = resolution_floor(step)
    delta, n2 = mean - printed, printed_n or n
    if np.isnan(delta) or n < 3 or np.isnan(std):
        return Comparison("", delta, np.nan, np.nan)
    v1 = max(std, floor) ** 2 / n
    if printed_std is None or np.isnan(printed_std) or n2 < 2:
        se, df = np.sqrt(v1 + max(std, floor) ** 2 / n2), n - 1
    elif std == 0 and printed_std == 0:
        se, df = floor, n - 1
    else:
        v2 = printed_std**2 / n2
        se = np.sqrt(v1 + v2)
        df = (v1 + v2) ** 2 / (v1**2 / (n - 1) + v2**2 / (n2 - 1)) if v1 + v2 else n - 1
    return _judged(delta, se, df)


def compare_released(scores, printed, printed_starts=1, step=0.0):
    """The same on the masks of the authors themselves: only starts differ.

    Parameters
    ----------
    scores : ndarray of shape (n_masks, n_starts)
    printed : float
    printed_starts : int, default=1
        Of the paper on each mask.
    step : float, default=0.0

    Returns
    -------
    Comparison

    Examples
    --------
    >>> ours = np.array([[60, 62], [70, 71], [55, 58], [66, 66], [63, 61]])
    >>> found = compare_released(ours, 64.0)
    >>> found.word, round(found.half_width, 3), round(found.equivalence, 3)
    ('same', 1.889, 1.481)
    """
    scores = np.asarray(scores, dtype=float)
    n, starts = scores.shape
    delta = scores.mean() - printed
    if starts < 2:
        return Comparison("", delta, np.nan, np.nan)
    within = scores.var(axis=1, ddof=1).mean()
    se = np.sqrt(within * (1 / (n * starts) + 1 / (n * printed_starts)))
    return _judged(delta, se or resolution_floor(step), n * (starts - 1))


def _judged(delta, se, df):
    half = float(stats.t.ppf(0.975, df) * se)
    narrow = float(stats.t.ppf(0.95, df) * se)
    inside = abs(delta) <= half + SCORE_TOLERANCE
    equivalent = abs(delta) + narrow <= MARGIN + SCORE_TOLERANCE
    words = {(True, True): SAME, (True, False): UNDECIDED, (False, True): NEGLIGIBLE}
    return Comparison(words.get((inside, equivalent), DIFFERENT), float(delta), half, narrow)


class Row(NamedTuple):
    """A printed row against ours, jointly.

    Attributes
    ----------
    inside : bool
        Whether every number is in the joint 95 % region.
    largest : float
        Largest difference in standard errors.
    limit : float
        What it may be.
    correlation : ndarray of shape (n_metrics, n_metrics)
        Of the metrics, shrunk to the identity.
    shrinkage : float
    word : str
        Of the mean difference of the first metric.
    shift, half_width : float
    """

    inside: bool
    largest: float
    limit: float
    correlation: np.ndarray
    shrinkage: float
    word: str
    shift: float
    half_width: float


def compare_row(scores, printed, printed_n=None, step=0.0):
    """Compare all numbers of a printed row at once.

    Parameters
    ----------
    scores : ndarray of shape (n_settings, n_metrics, n_masks)
        The metric that the shift is of comes first.
    printed : ndarray of shape (n_settings, n_metrics)
    printed_n : int or None, default=None
    step : float, default=0.0
        One sample in points.

    Returns
    -------
    Row
    """
    scores = np.asarray(scores, dtype=float)
    S, M, n = scores.shape
    nu, n2 = S * (n - 1), printed_n or n
    residuals = scores - scores.mean(axis=2, keepdims=True)
    s = np.sqrt((residuals**2).sum(axis=(0, 2)) / nu)
    se = np.maximum(s, resolution_floor(step)) * np.sqrt(1 / n + 1 / n2)
    delta = scores.mean(axis=2) - printed
    if not (s > 0).all():
        R, shrinkage = np.eye(M), 1.0
        limit = float(stats.t.ppf(1 - 0.025 / (S * M), nu))
    else:
        z = (residuals / s[:, None]).transpose(0, 2, 1).reshape(-1, M)
        R, shrinkage = shrunk_correlation(z, nu)
        limit = joint_limit(R, S, nu)
    with np.errstate(divide="ignore", invalid="ignore"):
        largest = float(np.nanmax(np.abs(delta) / se))
    shift = _judged(delta[:, 0].mean(), se[0] / np.sqrt(S), nu)
    return Row(
        largest <= limit,
        largest,
        limit,
        R,
        shrinkage,
        shift.word,
        shift.difference,
        shift.half_width,
    )


def shrunk_correlation(z, nu):
    """The correlation of metrics, shrunk as much as it is uncertain (Schaefer & Strimmer 2005).

    Parameters
    ----------
    z : ndarray of shape (n_runs, n_metrics)
        Residuals.
    nu : int
        Degrees of freedom of a metric's variance.

    Returns
    -------
    R : ndarray of shape (n_metrics, n_metrics)
    shrinkage : float
    """
    z = z / np.sqrt((z**2).mean(axis=0))
    products = z[:, :, None] * z[:, None, :]
    R, uncertain = products.mean(axis=0), products.var(axis=0) / nu
    away = ~np.eye(len(R), dtype=bool)
    total = (R[away] ** 2).sum()
    shrinkage = float(min(1.0, uncertain[away].sum() / total)) if total else 1.0
    return np.where(away, (1 - shrinkage) * R, 1.0), shrinkage


def joint_limit(R, settings, nu, level=0.95):
    """A quantile of the largest of correlated t, by seeded draws.

    Parameters
    ----------
    R : ndarray of shape (n_metrics, n_metrics)
        Correlation of the metrics; settings are independent.
    settings : int
    nu : int
        Degrees of freedom.
    level : float, default=0.95

    Returns
    -------
    float
    """
    rng = np.random.default_rng(0)
    root = np.linalg.cholesky(R + 1e-12 * np.eye(len(R))).T
    normal = rng.standard_normal((DRAWS, settings, len(R))) @ root
    squares = np.zeros((DRAWS, len(R)))  # every metric has a deviation of its own, correlated too
    for _ in range(nu):
        squares += (rng.standard_normal((DRAWS, len(R))) @ root) ** 2
    scale = np.sqrt(squares / nu)[:, None, :]
    return float(np.quantile(np.abs(normal / scale).max(axis=(1, 2)), level))
