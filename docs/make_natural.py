"""The blocks of docs/natural.md: methods since 2019 on data whose views are really missing."""

import numpy as np
import pandas as pd
from scipy import stats

from docs import pages
from docs.pages import said, table_of

RUN = pages.ROOT / "results/natural"
REFERENCE = "ConcatSpectral-knn"
WITHOUT_CLASSES = "Stability"  # what methods are compared by where there are no classes
TUNINGS = ("oracle", "label-free", "default")


def scores() -> pd.DataFrame:
    """The rows that data sets are compared by: accuracy, or the agreement of starts."""
    rows = pages.read_table(RUN / "tables/natural.csv").dropna(subset="mean")
    known = rows.loc[rows["metric"] == "ACC", "dataset"]
    return rows[rows["metric"] == np.where(rows["dataset"].isin(known), "ACC", WITHOUT_CLASSES)]


def beside(rows: pd.DataFrame, reference: str, n: int) -> pd.DataFrame:
    """Differences of the methods of one data set and tuning to the reference, largest first.

    The interval is that of Welch, 95 % over starts, for `n` methods at once (Bonferroni).
    """
    own = rows[rows["method"] == reference].iloc[0]
    rows = rows[rows["method"] != reference]
    v1, v2 = rows["std"] ** 2 / rows["n_runs"], own["std"] ** 2 / own["n_runs"]
    df = (v1 + v2) ** 2 / (v1**2 / (rows["n_runs"] - 1) + v2**2 / (own["n_runs"] - 1))
    half = (stats.t.ppf(1 - 0.025 / n, df) * np.sqrt(v1 + v2)).where(v1 + v2 != 0, 0.0)
    difference = rows["mean"] - own["mean"]
    rows = rows.assign(difference=difference, low=difference - half, high=difference + half)
    return rows.sort_values("difference", ascending=False)


def answer(rows: pd.DataFrame, reference: str, later: list[str]) -> str:
    """For each tuning on how many sets a later method is ahead, in a sentence."""
    lines = []
    for tuning in TUNINGS:
        part = rows[(rows["tuning"] == tuning) & rows["method"].isin([reference, *later])]
        groups = part.groupby("dataset", sort=False)
        found = {name: beside(of, reference, len(later)) for name, of in groups}
        ahead = sum(of["difference"].max() > 0 for of in found.values())
        sure = [name for name, of in found.items() if of["low"].max() > 0]
        surely = ": ".join(filter(None, [str(len(sure)), ", ".join(sure)]))
        values = {"ahead": ahead, "n": len(found), "later": len(later), "sure": surely}
        lines.append(said("natural", "tuning", tuning=tuning, reference=reference, **values))
    return "\n".join(lines)


def table_of_sets(rows: pd.DataFrame, reference: str, later: list[str]) -> str:
    """For each data set and tuning the reference, and the best of the later and of all methods."""
    lines = []
    for _, of in rows.groupby(["dataset", "tuning"], sort=False):
        own = of[of["method"] == reference].iloc[0]
        methods = beside(of, reference, len(of) - 1)
        latest = beside(of[of["method"].isin([reference, *later])], reference, len(later))
        first = methods.iloc[0].add_prefix("first_")
        above = {"above": (methods["low"] > 0).sum(), "others": len(methods)}
        lines.append({**latest.iloc[0], **first, **above, "own": own["mean"]})
    return table_of("natural", "sets", pd.DataFrame(lines), reference=reference)


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
