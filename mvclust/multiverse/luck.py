"""The control against luck: the same searches for rows that no protocol made.

With thousands of readings some come near to any row. So every search is repeated for random rows,
with the means and covariances of what a table prints on the same data. A row counts as explained
where few random rows are explained as well, so few that among all rows that count the expected
share of such luck stays below a level (Benjamini & Hochberg 1995).
"""

import numpy as np
from scipy.spatial.distance import cdist
from scipy.stats import false_discovery_control

NEAR, FAR = 2.0, 5.0  # points: in the mean over a row, and for each of its numbers
LEVEL = 0.1  # largest expected share of luck among the readings that count
RANDOM_ROWS = 5000
AT_ONCE = 500  # rows whose distances are in memory together


def explains(mean, largest):
    """Whether candidates are near enough to a row."""
    return (mean <= NEAR) & (largest <= FAR)


def random_rows(printed, weights):
    """Rows with the means and covariances of printed ones.

    Parameters
    ----------
    printed : ndarray of shape (n_rows, n_numbers)
        In percent.
    weights : ndarray of shape (n_random, n_rows)
        Independent, normal, of mean 0 and variance 1.

    Returns
    -------
    ndarray of shape (n_random, n_numbers)
        All equal to the printed row if there is but one, so that none can be told from it.

    Examples
    --------
    >>> import numpy as np
    >>> printed = np.array([[40.0, 30.0], [60.0, 50.0]])
    >>> random_rows(printed, np.array([[0.0, 0.0], [1.0, -1.0]])).round(1)
    array([[50., 40.],
           [30., 20.]])
    """
    center = printed.mean(axis=0)
    spread = (printed - center) / np.sqrt(max(len(printed) - 1, 1))
    return np.clip(center + weights @ spread, 0.0, 100.0)


def gaps(values, rows):
    """How far candidates are from rows.

    Parameters
    ----------
    values : ndarray of shape (n_candidates, n_numbers)
    rows : ndarray of shape (n_rows, n_numbers)

    Returns
    -------
    mean, within : ndarray of shape (n_candidates, n_rows)
        The mean absolute difference, and the same with infinity where a candidate is not within
        both limits.
    """
    mean = cdist(values, rows, "cityblock") / values.shape[1]
    within = np.where(explains(mean, cdist(values, rows, "chebyshev")), mean, np.inf)
    return mean, within


def least_gaps(values, rows, searches):
    """How near each search comes to each row.

    Parameters
    ----------
    values, rows
        See `gaps`.
    searches : list of ndarray of bool of shape (n_candidates,)
        The candidates of each search.

    Returns
    -------
    mean, within : ndarray of shape (n_searches, n_rows)
        The least of `gaps`; infinity for a search without candidates.
    """
    least = np.full((2, len(searches), len(rows)), np.inf)
    for start in range(0, len(rows), AT_ONCE):
        part = slice(start, start + AT_ONCE)
        found = gaps(values, rows[part])
        for number, among in enumerate(searches):
            for kind, of in enumerate(found):
                least[kind, number, part] = of[among].min(axis=0, initial=np.inf)
    return least[0], least[1]


def least_joint_gap(values, rows):
    """How near one reading comes to rows on several data sets together.

    Parameters
    ----------
    values : list of ndarray of shape (n_candidates, n_numbers)
        For each data set, of the same candidates.
    rows : list of ndarray of shape (n_rows, n_numbers)
        For each data set.

    Returns
    -------
    within : ndarray of shape (n_rows,)
        The least mean over the data sets, among candidates within both limits on each of them;
        infinity without such.
    candidate : ndarray of int of shape (n_rows,)
        The candidate that has it.
    """
    within, candidate = np.empty(len(rows[0])), np.empty(len(rows[0]), dtype=int)
    for start in range(0, len(within), AT_ONCE):
        part = slice(start, start + AT_ONCE)
        each = [gaps(v, r[part])[1] for v, r in zip(values, rows, strict=True)]
        both = np.mean(each, axis=0)
        within[part], candidate[part] = both.min(axis=0), both.argmin(axis=0)
    return within, candidate


def chances(near, n_rows):
    """How often random rows are explained as well as given ones.

    Parameters
    ----------
    near : ndarray of shape (n_searches, n_rows + n_random)
        How near each search comes to the given rows, then to the random ones; infinity where it
        explains them not.
    n_rows : int

    Returns
    -------
    by_search : ndarray of shape (n_searches, n_rows)
        The share of random rows to which the search comes as near.
    together : ndarray of shape (n_rows,)
        The share of random rows of which any search has so small a share.

    Notes
    -----
    Given rows count among the random ones, as a permutation test has it: no share is 0.
    """
    n_random = near.shape[1] - n_rows
    ranks = np.array([np.searchsorted(np.sort(of[n_rows:]), of, side="right") for of in near])
    ranks[:, :n_rows] += 1
    smallest = ranks.min(axis=0)
    as_small = np.searchsorted(np.sort(smallest[n_rows:]), smallest[:n_rows], side="right")
    return ranks[:, :n_rows] / (1 + n_random), (1 + as_small) / (1 + n_random)


def expected_luck(lucks):
    """For each row the expected share of luck among those that are explained as well or better.

    Parameters
    ----------
    lucks : array-like of shape (n_rows,)
        The share of random rows that are explained as well.

    Returns
    -------
    ndarray of shape (n_rows,)

    References
    ----------
    Benjamini, Y. & Hochberg, Y. (1995). Controlling the false discovery rate. Journal of the
    Royal Statistical Society B 57(1), 289-300.

    Examples
    --------
    >>> expected_luck([0.01, 0.02, 0.9]).round(2)
    array([0.03, 0.03, 0.9 ])
    """
    lucks = np.asarray(lucks, dtype=float)
    return false_discovery_control(lucks) if len(lucks) else lucks
