"""Means and intervals over masks, which means are equal, and tests over data sets."""

from functools import cache

import numpy as np
import pandas as pd
import scipy
from numpy.typing import ArrayLike
from scipy import special

from mvclust.numerics.multiple import holm
from mvclust.numerics.ties import settled

FEWEST_RUNS = 3  # for an interval: that of two runs often spans the whole range


def settled_table(scores: pd.DataFrame) -> pd.DataFrame:
    """Apply `mvclust.numerics.ties.settled` to a table."""
    return pd.DataFrame(settled(scores), scores.index, scores.columns)


def summarise(values: ArrayLike) -> dict[str, float]:
    """Mean, standard deviation, number and 95 % Student interval of values without NaN.

    >>> summary = summarise([1.0, 2.0, 3.0])
    >>> summary["mean"], summary["n_runs"], round(summary["ci_low"], 3)
    (2.0, 3, -0.484)
    """
    values = np.asarray(values, dtype=float)
    values = values[~np.isnan(values)]
    n = len(values)
    mean = float(values.mean()) if n else np.nan
    std = float(values.std(ddof=1)) if n > 1 else np.nan
    half = _quantile(n - 1) * std / n**0.5 if n > 1 else np.nan
    return {"mean": mean, "std": std, "n_runs": n, "ci_low": mean - half, "ci_high": mean + half}


@cache
def _quantile(freedom: int) -> float:
    """97.5 % quantile of Student's t, cached: called once per table cell."""
    return float(special.stdtrit(freedom, 0.975))


def complete_part(scores: pd.DataFrame) -> pd.DataFrame:
    """Methods that have at least 80 % of all blocks, on the blocks that they all have."""
    return scores.loc[:, scores.notna().mean() >= 0.8].dropna()


def compare_methods(scores: pd.DataFrame, sign: int = 1) -> tuple[pd.DataFrame, float]:
    """Friedman's test of all, and Wilcoxon's tests against the best [1]_; best method first.

    `sign` is -1 if lower scores are better. Means have bootstrap intervals over the blocks; wins
    and losses count pairs of block and other method. The second value is Friedman's p.

    .. [1] J. Demsar, "Statistical comparisons of classifiers over multiple data sets", JMLR 2006.
    """
    ranks = mean_ranks(sign * scores)
    scores = scores[ranks.index]
    wins = win_matrix(sign * scores)
    friedman_p = scipy.stats.friedmanchisquare(*settled(scores).T).pvalue
    best = scores.iloc[:, 0]
    raw = [wilcoxon_p(best, scores[name]) for name in scores.columns[1:]]
    intervals = [bootstrap_interval(scores[name]) for name in scores]
    low, high = zip(*intervals, strict=True)
    table = {"method": scores.columns, "rank": ranks.to_numpy(), "mean": scores.mean().to_numpy()}
    table |= {"ci_low": low, "ci_high": high, "p_holm": [np.nan, *holm(raw)]}
    table |= {"wins": wins.sum(axis=1).to_numpy(), "losses": wins.sum(axis=0).to_numpy()}
    return pd.DataFrame(table), float(friedman_p)


def mean_ranks(scores: pd.DataFrame) -> pd.Series:
    """Mean rank of each method over the blocks, best first.

    >>> mean_ranks(pd.DataFrame({"a": [0.1, 0.3], "b": [0.2, 0.1 + 0.2]})).to_dict()
    {'b': 1.25, 'a': 1.75}
    """
    return settled_table(scores).rank(axis=1, ascending=False).mean().sort_values(kind="stable")


def is_best(scores: np.ndarray) -> np.ndarray:
    """Whether each score of (n_methods, n_columns) is the highest of its column; NaN never is."""
    levelled = settled(scores)
    return levelled == np.fmax.reduce(levelled, axis=0)


def wilcoxon_p(scores: ArrayLike, other: ArrayLike) -> float:
    """p-value of Wilcoxon's signed-rank test; 1 if all pairs are equal."""
    difference = np.asarray(scores, dtype=float) - np.asarray(other, dtype=float)
    size = settled([0.0, *np.abs(difference)])[1:]
    if not size.any():
        return 1.0
    return scipy.stats.wilcoxon(np.sign(difference) * size).pvalue


def bootstrap_interval(values: ArrayLike, n_draws: int = 2000) -> tuple[float, float]:
    """95 % percentile interval of the mean over bootstrap draws, with a fixed seed.

    >>> low, high = bootstrap_interval([1.0, 2.0, 3.0, 4.0])
    >>> 1.0 < low < 2.5 < high < 4.0
    True
    """
    values = np.asarray(values, dtype=float)
    rng = np.random.default_rng(0)
    means = rng.choice(values, (n_draws, len(values))).mean(axis=1)
    low, high = np.quantile(means, [0.025, 0.975])
    return float(low), float(high)


def critical_difference(n_methods: int, n_blocks: int) -> float:
    """Nemenyi's critical difference: mean ranks that differ by more differ significantly (5 %).

    >>> round(critical_difference(5, 30), 2)  # q = 2.728 (Demsar 2006, table 5a)
    1.11
    """
    q = scipy.stats.studentized_range.ppf(0.95, n_methods, np.inf) / np.sqrt(2)
    return float(q * np.sqrt(n_methods * (n_methods + 1) / (6 * n_blocks)))


def win_matrix(scores: pd.DataFrame) -> pd.DataFrame:
    """Number of blocks in which the method of a row has a higher score than that of a column."""
    values, names = settled(scores), scores.columns
    wins = (values[:, :, None] > values[:, None, :]).sum(axis=0)
    return pd.DataFrame(wins, index=names, columns=names)
