"""Whether a protocol that is chosen on one part of the print tells the rest."""

from typing import NamedTuple

import numpy as np

NAMES = ("stated", "crossed", "from_other_rows", "at_random", "in_sample")


class Missed(NamedTuple):
    """Mean absolute difference from a printed row, in points.

    Attributes
    ----------
    stated : float
        Under the protocol that the table's experiment states.
    crossed : float
        Chosen on every second setting in the order of rates, judged on the others, both ways;
        NaN for rows with one setting.
    from_other_rows : float
        Chosen on the other rows of the method in the paper, judged on this one; NaN without any.
    at_random : float
        Mean over the protocols.
    in_sample : float
        Of the nearest protocol; no finding, it falls with the number that is tried.
    """

    stated: float
    crossed: float
    from_other_rows: float
    at_random: float
    in_sample: float


def missed(row, means, others):
    """How far chosen protocols are from a printed row.

    Parameters
    ----------
    row : Row
    means : ndarray of shape (n_protocols, n_numbers)
    others : list of ndarray of shape (n_protocols,)
        For each other row of the method in the paper the mean absolute difference.

    Returns
    -------
    Missed
    """
    gaps = np.abs(means - row.printed.to_numpy())
    whole = gaps.mean(axis=1)
    elsewhere = np.nan
    if others:
        elsewhere = whole[_nearest(np.mean(others, axis=0))]
    return Missed(
        float(whole[row.stated]),
        _crossed(row, gaps),
        float(elsewhere),
        float(np.nanmean(whole)),
        float(np.nanmin(whole)),
    )


def _crossed(row, gaps):
    rates = row.printed.index.to_frame(index=False)[["missing_rate", "paired_rate"]].sum(axis=1)
    values = np.unique(rates)
    if len(values) < 2:
        return np.nan
    odd = np.isin(rates, values[::2])
    judged = [
        gaps[_nearest(gaps[:, chosen].mean(axis=1))][~chosen].mean() for chosen in (odd, ~odd)
    ]
    return float(np.mean(judged))


def _nearest(gaps):
    return int(np.nan_to_num(gaps, nan=np.inf).argmin())
