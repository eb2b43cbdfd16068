"""Identities and bounds that printed scores must meet, whatever partitions they come from.

A row is what a paper prints of one method on one setting: means over some runs, with or without
standard deviations. Every statement holds for the means, not only for a single partition, and for
all numbers that round to the printed ones; a row that breaks one cannot be right as printed.
"""

from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from mvclust.bench.config.units import UNITS
from mvclust.bench.score.names import setting_text

PLACE = ["paper", "item", "dataset", "missing_rate", "paired_rate", "view", "method"]
COLUMNS = (
    *("paper", "item", "dataset", "setting", "method", "statement", "printed"),
    *("lowest", "highest", "holds", "exchanged"),
)
SLACK = 1e-9  # for rounding in floating point
UNKNOWN = {"classes": None, "repetitions": 2}  # of a table that no experiment makes


class Row(NamedTuple):
    """The printed numbers of one method on one setting, as shares."""

    means: dict  # metric -> number
    deviations: dict  # metric -> number; some may be missing
    n_runs: int  # behind the means
    half: float  # half a unit of the last printed digit

    def interval(self, metric: str) -> tuple[float, float]:
        """Possible values of the mean before rounding."""
        return self.means[metric] - self.half, self.means[metric] + self.half

    def runs_interval(self, metric: str) -> tuple[float, float] | None:
        """Limits of every single run; None without a printed deviation.

        A run among n with sample deviation s is at most s (n - 1) / sqrt(n) from their mean.
        """
        low, high = self.interval(metric)
        if self.n_runs > 1:
            if metric not in self.deviations:
                return None
            s = self.deviations[metric] + self.half
            reach = s * (self.n_runs - 1) / np.sqrt(self.n_runs)
            low, high = low - reach, high + reach
        return max(low, 1e-6), min(high, 1.0)


class Bound(NamedTuple):
    """Limits of a printed mean."""

    statement: str
    metric: str
    low: float
    high: float


def bounds_of(row: Row, sizes: Sequence[int] | None) -> list[Bound]:
    """Bounds that a row must satisfy; `sizes` are those of the classes, None if unknown."""
    found = []
    if {"acc", "purity"} <= set(row.means):
        top = row.interval("purity")[1]
        found.append(Bound("accuracy is at most purity", "acc", 0.0, top))
    if {"precision", "recall"} <= set(row.means):
        found += _bounds_of_pairs(row, sizes)
    if sizes is not None:
        found += _bounds_of_classes(row, np.asarray(sizes, dtype=float))
    return found


def _bounds_of_classes(row: Row, sizes: np.ndarray) -> list[Bound]:
    """Bounds on purity and NMI from the sizes of the classes."""
    found, share = [], sizes / sizes.sum()
    if "purity" in row.means:
        low = float(share.max())
        found.append(Bound("purity is at least the share of the largest class", "purity", low, 1.0))
    hits = [row.interval(name)[0] for name in ("acc", "purity") if name in row.means]
    if hits and "nmi" in row.means:
        entropy = float(-(share * np.log2(share)).sum())
        low = nmi_at_least(max(hits), entropy, len(sizes))
        high = 1.0
        if "purity" in row.means:
            high = nmi_at_most(row.interval("purity")[1], entropy)
        found.append(Bound("NMI is possible with accuracy and purity", "nmi", low, high))
    return found


def nmi_at_least(hits: float, entropy: float, n_clusters: int) -> float:
    """Least mean NMI of partitions with a given mean purity, or accuracy, by Fano's inequality.

    With e = 1 - purity the classes have at most h(e) + e log2(k - 1) bits left given the clusters.
    This is concave in e, so it holds for means. NMI is taken by the larger entropy, the smallest of
    its forms. `hits` is the purity or less, `entropy` that of the classes in bits, `n_clusters` the
    number of classes and the most clusters.
    """
    e = min(1 - hits, 1 - 1 / n_clusters)
    if e <= 0:
        return entropy / max(entropy, np.log2(n_clusters))
    left = -e * np.log2(e) - (1 - e) * np.log2(1 - e) + e * np.log2(max(n_clusters - 1, 1))
    return max(0.0, float((entropy - left) / max(entropy, np.log2(n_clusters))))


def nmi_at_most(purity: float, entropy: float) -> float:
    """Largest mean NMI of partitions with a given mean purity, by Hellman and Raviv's bound.

    The classes, of `entropy` bits, have at least 2 (1 - purity) bits left given the clusters. NMI
    is taken by the geometric mean of the entropies, the largest of its usual forms, and the entropy
    of the clusters is at least the information.
    """
    information = max(0.0, entropy - 2 * (1 - min(purity, 1.0)))
    return float(np.sqrt(information / entropy))


def _bounds_of_pairs(row: Row, sizes: Any) -> list[Bound]:
    """Bounds on F-score and ARI from precision and recall of pairs."""
    found = []
    boxes = [row.runs_interval(name) for name in ("precision", "recall")]
    if "f_score" in row.means:
        low, high = f_score_between(row, boxes)
        found.append(Bound("F-score follows from precision and recall", "f_score", low, high))
    if sizes is None:
        return found
    sizes = np.asarray(sizes, dtype=float)
    if "ari" in row.means and None not in boxes:
        corners = [adjusted_rand(p, r, sizes) for p, r in product(*boxes)]  # pyright: ignore[reportArgumentType]
        found.append(
            Bound("ARI follows from precision and recall", "ari", min(corners), max(corners))
        )
    # Clusters of equal size have the fewest pairs; recall * in_classes = precision * in_clusters.
    n, k = sizes.sum(), len(sizes)
    fewest, in_classes = n * (n / k - 1) / 2, (sizes * (sizes - 1) / 2).sum()
    top = row.interval("recall")[1] * in_classes / fewest
    found.append(
        Bound("as many clusters as classes have enough pairs", "precision", 0.0, min(top, 1.0))
    )
    return found


def f_score_between(row: Row, boxes: list) -> tuple[float, float]:
    """Least and largest mean F-score for given means of precision and recall.

    F = 2PR / (P + R) is concave, so its mean is at most that of the means, and for every run F =
    T(P, R) - 2 (rP - pR)^2 / ((p + r)^2 (P + R)) exactly, where T is the tangent plane at the means
    p, r. `boxes` are the limits of precision and recall of every run.
    """
    (p_low, p_high), (r_low, r_high) = (row.interval(name) for name in ("precision", "recall"))
    low, high = harmonic(p_low, r_low), harmonic(p_high, r_high)
    if row.n_runs == 1:
        return low, high
    if None in boxes:
        return 0.0, high
    p, r = row.means["precision"], row.means["recall"]
    s_p, s_r = (row.deviations[name] + row.half for name in ("precision", "recall"))
    spread = (r * s_p + p * s_r) ** 2 * (row.n_runs - 1) / row.n_runs
    least = boxes[0][0] + boxes[1][0]
    return max(low - 2 * spread / ((p + r) ** 2 * least), harmonic(boxes[0][0], boxes[1][0])), high


def harmonic(p: float, r: float) -> float:
    """Harmonic mean of two positive numbers.

    >>> harmonic(0.5, 1.0)
    0.6666666666666666
    """
    return 2 * p * r / (p + r)


def adjusted_rand(precision: float, recall: float, sizes: Sequence[int]) -> float:
    """Adjusted Rand index of a partition from precision and recall of pairs; it grows with both.

    With the class sizes they determine the number of pairs in common and in the clusters.
    """
    sizes = np.asarray(sizes, dtype=float)
    in_classes, all_pairs = (sizes * (sizes - 1) / 2).sum(), sizes.sum() * (sizes.sum() - 1) / 2
    common = recall * in_classes
    in_clusters = common / precision
    expected = in_classes * in_clusters / all_pairs
    return float((common - expected) / ((in_classes + in_clusters) / 2 - expected))


def check_printed(published: list[dict], tables: list[dict]) -> pd.DataFrame:
    """Check every row of the papers' tables, one row per statement, in percent.

    `tables` have sizes of classes (None if unknown) and runs behind a mean. exchanged: whether
    every statement on the row would hold with precision and recall exchanged.
    """
    about = {(t["paper"], t["item"], t["dataset"]): t for t in tables}
    numbers = pd.DataFrame(published, columns=[*PLACE, "metric", "mean", "std", "unit"])
    numbers = numbers.astype({"mean": float, "std": float})
    found = []
    for (paper, item), part in numbers.groupby(["paper", "item"], sort=False):
        (unit,) = {UNITS[name] for name in part["unit"]}
        half = 0.5 * 10.0 ** -printed_digits(part["mean"]) / unit
        for key, cells in part.groupby(PLACE, sort=False, dropna=False):
            place = dict(zip(PLACE, key, strict=True))
            known = about.get((paper, item, place["dataset"]), UNKNOWN)
            cells = cells.set_index("metric")[["mean", "std"]] / unit
            deviations = cells["std"].dropna().to_dict()
            # In a table with deviations, a row without them is a single run.
            single = not deviations and part["std"].notna().any()
            n_runs = 1 if single else known["repetitions"]
            row = Row(cells["mean"].to_dict(), deviations, n_runs, half)
            found += _statements(row, known["classes"], place)
    return pd.DataFrame(found, columns=COLUMNS)


def _statements(row: Row, sizes: Sequence[int] | None, place: dict) -> list[dict]:
    """Statements about a row, as rows of the table."""
    bounds = bounds_of(row, sizes)
    held = [_holds(row, bound) for bound in bounds]
    exchanged = None
    if {"precision", "recall"} <= set(row.means) and not all(held):
        other = _exchange(row)
        exchanged = all(_holds(other, bound) for bound in bounds_of(other, sizes))
    about = {name: place[name] for name in ("paper", "item", "dataset", "method")}
    about |= {"setting": setting_text(place), "exchanged": exchanged}
    return [
        about
        | {
            "statement": bound.statement,
            "printed": 100 * row.means[bound.metric],
            "lowest": 100 * bound.low,
            "highest": 100 * bound.high,
            "holds": holds,
        }
        for bound, holds in zip(bounds, held, strict=True)
    ]


def _holds(row: Row, bound: Bound) -> bool:
    low, high = row.interval(bound.metric)
    return bool(high >= bound.low - SLACK and low <= bound.high + SLACK)


def _exchange(row: Row) -> Row:
    other = {"precision": "recall", "recall": "precision"}
    means, deviations = (
        {other.get(name, name): value for name, value in numbers.items()}
        for numbers in (row.means, row.deviations)
    )
    return row._replace(means=means, deviations=deviations)


def printed_digits(numbers: Iterable[float]) -> int:
    """Number of decimals that a table prints."""
    return max(len(f"{number:g}".partition(".")[2]) for number in numbers)
