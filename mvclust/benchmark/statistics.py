"""Means and intervals over masks."""

import numpy as np
from scipy import stats


def summarise(values, confidence=0.95):
    """Mean, standard deviation and Student interval of a few values; NaN ones are left out.

    Parameters
    ----------
    values : array-like
    confidence : float, default=0.95

    Returns
    -------
    dict with mean, std, n_runs, ci_low, ci_high; NaN where too few values are there (one value
    has no std and no interval).

    Examples
    --------
    >>> summary = summarise([1.0, 2.0, 3.0])
    >>> summary["mean"], summary["n_runs"], round(summary["ci_low"], 3)
    (2.0, 3, -0.484)
    """
    values = np.asarray(values, dtype=float)
    values = values[~np.isnan(values)]
    n = len(values)
    mean = float(values.mean()) if n else np.nan
    std = float(values.std(ddof=1)) if n > 1 else np.nan
    half = float(stats.t.ppf((1 + confidence) / 2, n - 1) * std / n**0.5) if n > 1 else np.nan
    return {"mean": mean, "std": std, "n_runs": n, "ci_low": mean - half, "ci_high": mean + half}
