"""Cost of fits: CPU seconds and memory by method and data, beside the accuracy."""

import numpy as np
import pandas as pd

from mvclust.bench.score.results import PARAMETER
from mvclust.numerics.ties import settled

COLUMNS = ("method", "dataset", "views", "n_samples", "n_fits", "cpu_seconds", "peak_mb", "acc")


def cost_table(runs: pd.DataFrame, methods: list[dict]) -> pd.DataFrame:
    """Median cost of a fit by method and data, except those with a limit on their iterations.

    acc (in percent) is that of the best parameters, on the setting that most methods share.
    """
    labels = {method["key"]: method["label"] for method in methods}
    fitted = runs[runs["error"].isna() & runs["method"].isin(labels)] if len(runs) else runs
    if f"{PARAMETER}max_iter" in fitted:
        fitted = fitted[fitted[f"{PARAMETER}max_iter"].isna()]
    if fitted.empty:
        return pd.DataFrame(columns=COLUMNS)
    views = [v if isinstance(v, str) else "+".join(v) for v in fitted["views"]]
    fitted = fitted.assign(views=views)
    shared = fitted.groupby("setting")["method"].nunique().idxmax()
    here = fitted[fitted["setting"] == shared]
    points = [name for name in here if name.startswith(PARAMETER) and here[name].notna().any()]
    means = here.groupby(["method", *points], dropna=False)["acc"].mean()
    best = means.groupby("method").max()
    where = here[["dataset", "views", "n_samples"]].iloc[0]
    medians = {name: (name, "median") for name in ("cpu_seconds", "peak_mb")}
    groups = fitted.groupby(["method", "dataset", "views", "n_samples"], sort=False)
    table = groups.agg(n_fits=("key", "size"), **medians).reset_index()
    is_shared = (table[list(where.index)] == where).all(axis=1)
    table["acc"] = 100 * table["method"].map(best).where(is_shared)
    table["place"] = table["method"].map(list(labels).index)
    table = table.sort_values(["place", "n_samples", "dataset", "views"], ignore_index=True)
    return table.assign(method=table["method"].map(labels))[list(COLUMNS)]


def seconds_table(table: pd.DataFrame) -> pd.DataFrame:
    """CPU seconds of methods (rows) on data sets (columns), from a `cost_table` that is not empty.

    Each data set has the views and samples that most methods share, of these the largest.
    """
    data = ["dataset", "views", "n_samples"]
    shared = table.groupby(data)["method"].nunique().rename("methods").reset_index()
    shared = shared.sort_values(["methods", "n_samples"]).drop_duplicates("dataset", keep="last")
    here = table.merge(shared[data], on=data)
    names = here["dataset"] + ", " + here["n_samples"].astype(str)
    wide = here.assign(data=names).pivot(index="method", columns="data", values="cpu_seconds")
    return wide.reindex(table["method"].drop_duplicates()).rename_axis(columns=None)


def pareto_front(cost: np.ndarray, gain: np.ndarray) -> np.ndarray:
    """Indices of the points that no other beats in both, cheapest first.

    >>> pareto_front(np.array([1.0, 2.0, 3.0]), np.array([5.0, 4.0, 6.0])).tolist()
    [0, 2]
    """
    order = np.lexsort((-gain, cost))
    best = np.maximum.accumulate(settled(gain)[order])
    keep = np.r_[True, best[1:] > best[:-1]] if len(order) else np.zeros(0, dtype=bool)
    return order[keep]
