"""Make docs/natural.md: python docs/make_natural.py

From results/natural. Methods since 2019 beside kNN-filled spectral clustering on data whose views
are really missing.
"""

import numpy as np
import pandas as pd
from scipy import stats

from docs import pages
from docs.pages import said, table, with_interval

RUN = pages.ROOT / "results/natural"
REFERENCE = "ConcatSpectral-knn"
WITHOUT_CLASSES = "Stability"  # what methods are compared by where there are no classes
TUNINGS = ("oracle", "label-free", "default")


def scores() -> pd.DataFrame:
    """The rows that data sets are compared by: accuracy, or the agreement of starts."""
    rows = pages.read_table(RUN / "tables/natural.csv")
    rows = rows[rows["mean"].notna()]
    known = rows.loc[rows["metric"] == "ACC", "dataset"]
    return rows[rows["metric"] == np.where(rows["dataset"].isin(known), "ACC", WITHOUT_CLASSES)]


def beside(rows: pd.DataFrame, reference: str, n: int) -> pd.DataFrame:
    """Every method of one data set and tuning beside the reference: difference, and its interval.

    The interval is that of Welch, 95 % over starts, for `n` methods at once (Bonferroni).
    """
    own = rows[rows["method"] == reference].iloc[0]
    found = []
    for row in rows[rows["method"] != reference].itertuples():
        v1, v2 = row.std**2 / row.n_runs, own["std"] ** 2 / own["n_runs"]
        half = 0.0
        if v1 + v2:
            df = (v1 + v2) ** 2 / (v1**2 / (row.n_runs - 1) + v2**2 / (own["n_runs"] - 1))
            half = stats.t.ppf(1 - 0.025 / n, df) * np.sqrt(v1 + v2)
        difference = row.mean - own["mean"]
        found.append([row.method, row.mean, difference, difference - half, difference + half])
    return pd.DataFrame(found, columns=["method", "mean", "difference", "low", "high"])


def answer(rows: pd.DataFrame, reference: str, later: list[str]) -> str:
    """For each tuning on how many sets a later method is ahead, in a sentence."""
    lines = []
    for tuning in TUNINGS:
        of_sets = dict(iter(rows[rows["tuning"] == tuning].groupby("dataset", sort=False)))
        found = {name: beside(of, reference, len(later)) for name, of in of_sets.items()}
        found = {name: of[of["method"].isin(later)] for name, of in found.items()}
        ahead = sum((of["difference"] > 0).any() for of in found.values())
        sure = [name for name, of in found.items() if (of["low"] > 0).any()]
        surely = f"{len(sure)}{': ' + ', '.join(sure) if sure else ''}"
        values = {"ahead": ahead, "n": len(found), "later": len(later), "sure": surely}
        lines.append(said("natural", "tuning", tuning=tuning, reference=reference, **values))
    return "\n".join(lines)


def table_of_sets(rows: pd.DataFrame, reference: str, later: list[str]) -> str:
    """For each data set and tuning the reference, and the best of the later and of all methods."""
    lines = []
    for (name, tuning), of in rows.groupby(["dataset", "tuning"], sort=False):
        own = of[of["method"] == reference].iloc[0]
        methods = beside(of, reference, len(of) - 1).sort_values("difference", ascending=False)
        latest = beside(of[of["method"].isin([reference, *later])], reference, len(later))
        best = latest.sort_values("difference", ascending=False).iloc[0]
        first = methods.iloc[0]
        lines.append([
            f"{name} ({own['metric']})", tuning, f"{own['mean']:.1f}",
            f"{best['method']} {best['mean']:.1f}",
            with_interval(best["difference"], best["low"], best["high"]),
            f"{first['method']} {first['mean']:.1f}",
            f"{(methods['low'] > 0).sum()} of {len(methods)}",
        ])  # fmt: skip
    head = ["data", "tuning", reference, "best since 2019", "difference", "best of all", "above"]
    return table(head, lines)


def blocks() -> dict[str, str]:
    """The blocks of the page by name."""
    labels, _ = pages.labels_of_methods()
    reference, later = labels[REFERENCE], [labels[key] for key in pages.LATER]
    rows = scores()
    return {
        "answer": answer(rows, reference, later),
        "sets": table_of_sets(rows, reference, later),
        "provenance": pages.provenance(RUN),
    }


if __name__ == "__main__":
    pages.write("natural", blocks())
