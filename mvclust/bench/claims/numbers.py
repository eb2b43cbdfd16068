"""A printed number against ours: a prediction interval, and a test of equivalence.

An interval answers whether chance explains the difference (Patil, Peng & Leek 2016), equivalence
whether the two are the same for practice (Schuirmann 1987). Neither alone does.
"""

from functools import cache
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
    """A printed number compared with ours."""

    word: str  # one of `WORDS`, or "" if undecidable
    difference: float  # ours minus the printed one
    half_width: float  # of the 95 % prediction interval
    equivalence: float  # half width of the 90 % interval of the difference


def compare_number(
    mean: float,
    std: float,
    n: int,
    printed: float,
    printed_std: float | None = None,
    printed_n: int | None = None,
    step: float = 0.0,
) -> Comparison:
    """Compare a printed mean with the mean, std and number of our runs.

    Our std replaces a missing printed one, as for a single printed run; `printed_n` defaults to our
    number of runs; `step` is one sample in points.

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


def compare_released(delta: float, se: float, df: float, step: float = 0.0) -> Comparison:
    """Compare on the masks of the authors themselves, where only starts differ.

    `delta` is ours minus the printed mean over masks, `se` and `df` come from the starts on the
    same masks (`score.tuning`).

    >>> found = compare_released(63.2 - 64.0, 0.7348, 5)
    >>> found.word, round(found.half_width, 3), round(found.equivalence, 3)
    ('same', 1.889, 1.481)
    """
    return _judged(delta, se or resolution_floor(step), df)


def _judged(delta: float, se: float, df: float) -> Comparison:
    half = float(stats.t.ppf(0.975, df) * se)
    narrow = float(stats.t.ppf(0.95, df) * se)
    inside = abs(delta) <= half + SCORE_TOLERANCE
    equivalent = abs(delta) + narrow <= MARGIN + SCORE_TOLERANCE
    words = {(True, True): SAME, (True, False): UNDECIDED, (False, True): NEGLIGIBLE}
    return Comparison(words.get((inside, equivalent), DIFFERENT), float(delta), half, narrow)


class Row(NamedTuple):
    """A printed row compared jointly with ours."""

    inside: bool  # whether every number is in the joint 95 % region
    largest: float  # difference in standard errors
    limit: float  # of `largest`
    correlation: np.ndarray  # of the metrics, shrunk to the identity
    shrinkage: float
    word: str  # of the mean difference of the first metric, as in `Comparison`
    shift: float
    half_width: float


def compare_row(
    scores: np.ndarray, printed: np.ndarray, printed_n: int | None = None, step: float = 0.0
) -> Row:
    """Compare all numbers of a printed row at once.

    Scores have the shape (n_settings, n_metrics, n_masks); the shift is of the first metric.
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
    return Row(largest <= limit, largest, limit, R, shrinkage, *shift[:3])


def shrunk_correlation(z: np.ndarray, nu: int) -> tuple[np.ndarray, float]:
    """Correlation of metrics, shrunk as much as it is uncertain (Schaefer & Strimmer 2005), and how
    much.

    z are residuals of shape (n_runs, n_metrics), nu the degrees of freedom of a variance.
    """
    z = z / np.sqrt((z**2).mean(axis=0))
    products = z[:, :, None] * z[:, None, :]
    R, uncertain = products.mean(axis=0), products.var(axis=0) / nu
    away = ~np.eye(len(R), dtype=bool)
    total = (R[away] ** 2).sum()
    shrinkage = float(min(1.0, uncertain[away].sum() / total)) if total else 1.0
    return np.where(away, (1 - shrinkage) * R, 1.0), shrinkage


def joint_limit(R: np.ndarray, settings: int, nu: int, level: float = 0.95) -> float:
    """Quantile of the largest of correlated t with `nu` degrees of freedom, by seeded draws.

    R is the correlation of the metrics; settings are independent.
    """
    return _joint_limit(tuple(map(tuple, R.tolist())), settings, nu, level)


@cache
def _joint_limit(R: tuple, settings: int, nu: int, level: float) -> float:
    """The halves of a split run ask for the same limit many times."""
    rng = np.random.default_rng(0)
    root = np.linalg.cholesky(np.array(R) + 1e-12 * np.eye(len(R))).T
    normal = rng.standard_normal((DRAWS, settings, len(R))) @ root
    squares = np.zeros((DRAWS, len(R)))  # every metric has a deviation of its own, correlated too
    for _ in range(nu):
        squares += (rng.standard_normal((DRAWS, len(R))) @ root) ** 2
    scale = np.sqrt(squares / nu)[:, None, :]
    return float(np.quantile(np.abs(normal / scale).max(axis=(1, 2)), level))
