"""Whether a protocol that is chosen on one part of the print tells the rest."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mvclust.bench.multiverse.protocols import Row


class Missed(NamedTuple):
    """Mean absolute difference from a printed row, in points."""

    stated: float  # under the protocol that the table's experiment states
    crossed: float  # chosen on every second setting by rate, judged on the others
    from_other_rows: float  # chosen on the method's other rows in the paper; NaN without any
    at_random: float  # mean over the protocols
    in_sample: float  # of the nearest protocol; falls with the number tried, so no finding


def missed(row: Row, means: np.ndarray, others: Sequence[np.ndarray]) -> Missed:
    """Distance of chosen protocols from a printed row; `others` are gaps of its other rows."""
    gaps = np.abs(means - row.printed.to_numpy())
    whole = gaps.mean(axis=1)
    elsewhere = whole[nearest(np.mean(others, axis=0))] if others else np.nan
    stated, crossed = float(whole[row.stated]), _crossed(row, gaps)
    return Missed(stated, crossed, float(elsewhere), np.nanmean(whole), np.nanmin(whole))


def _crossed(row: Row, gaps: np.ndarray) -> float:
    rates = row.printed.index.to_frame(index=False)[["missing_rate", "paired_rate"]].sum(axis=1)
    values = np.unique(rates)
    if len(values) < 2:
        return np.nan
    odd = np.isin(rates, values[::2])
    judged = [gaps[nearest(gaps[:, half].mean(axis=1))][~half].mean() for half in (odd, ~odd)]
    return float(np.mean(judged))


def nearest(gaps: np.ndarray) -> int:
    """Index of the smallest gap that is known."""
    return int(np.nan_to_num(gaps, nan=np.inf).argmin())
