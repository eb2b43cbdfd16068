"""One number alone: whether one run suffices, and exponents of cost."""

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from mvclust.bench.claims.verdicts import FAILS, HOLDS, OPEN

MOST = 1.0  # points that runs may differ by
FEWEST_SIZES, SPAN = 5, 16  # of an axis of sizes
CURVED = 0.3  # difference of slopes beyond which a line is none
BEYOND = 0.3  # a measured exponent that is larger by less meets a bound: sizes are finite


def one_run(scores: ArrayLike) -> tuple[float, float, float, float, float]:
    """P-values that runs differ by less, and more, than a point; the std and its one-sided limits.

    >>> float(limits_of_std(0.5, 10)[1].round(3)), float(limits_of_std(1.2, 10)[0].round(3))
    (0.823, 0.875)
    """
    values = np.asarray(scores, dtype=float)
    values = values[~np.isnan(values)]
    if len(values) < 3:
        return 1.0, 1.0, np.nan, np.nan, np.nan
    std, df = float(values.std(ddof=1)), len(values) - 1
    less = float(stats.chi2.cdf(df * (std / MOST) ** 2, df))
    return min(1.0, 2 * less), min(1.0, 2 - 2 * less), std, *limits_of_std(std, len(values))


def limits_of_std(std: float, n: int) -> tuple[float, float]:
    """Lower and upper limit of a standard deviation."""
    low, high = stats.chi2.ppf([0.95, 0.05], n - 1)
    return std * np.sqrt((n - 1) / low), std * np.sqrt((n - 1) / high)


def exponent(
    sizes: ArrayLike, seconds: ArrayLike, stated: float | None
) -> tuple[str, float, float]:
    """Verdict of "the time grows at most as a power of the size", the slope and the half width of
    its 95 % interval.

    The bound is met by what is cheaper: it holds if the upper limit is not beyond it, and fails if
    the lower one is. Seconds are the least of several times for each size.

    >>> n, t = [250, 500, 1000, 2000, 4000], [0.031, 0.118, 0.52, 2.3, 9.8]
    >>> verdict, slope, half = exponent(n, t, 2)
    >>> verdict, round(slope, 3), round(half, 2), exponent(n, t, 3)[0]
    ('holds', 2.089, 0.07, 'holds')
    """
    x, y = np.log(np.asarray(sizes, float)), np.log(np.asarray(seconds, float))
    if len(x) < FEWEST_SIZES or np.exp(x.max() - x.min()) < SPAN * (1 - 1e-9):
        return OPEN, np.nan, np.nan
    slope, half = _line(x, y)
    last = (y[-1] - y[-2]) / (x[-1] - x[-2])
    if abs(last - slope) > CURVED:  # overheads bend small sizes
        slope, half = _line(x[len(x) // 2 :], y[len(y) // 2 :])
    if slope + half <= stated + BEYOND:
        return HOLDS, slope, half
    return (FAILS if slope - half > stated + BEYOND else OPEN), slope, half


def _line(x: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    fit = stats.linregress(x, y)
    half = stats.t.ppf(0.975, len(x) - 2) * fit.stderr if len(x) > 2 else np.inf
    return float(fit.slope), float(half)
