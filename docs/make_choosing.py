"""The blocks of docs/choosing.md: what choices without labels cost, from results/modern."""

import numpy as np
import pandas as pd

from docs.pages import ROOT, numbers_in, read_table, said, table_of

OVERVIEW = ROOT / "results/modern/tables/modern_overview.csv"
NEARNESS = 0.1  # difference of shares missing at which a weight falls to 1/e


def scores(tuning: str) -> pd.DataFrame:
    """Accuracy in percent by case (data set, share missing) and method, in the methods' order."""
    results = read_table(OVERVIEW, metric="ACC", tuning=tuning)
    results = results.assign(share=numbers_in(results["setting"], "incomplete_rate"))
    by_case = results.pivot(index=["dataset", "share"], columns="method", values="mean")
    return by_case[list(dict.fromkeys(results["method"]))]


def first_picks(misses: pd.DataFrame) -> list[str]:
    """For each case the method that misses least on the other data sets, near shares first.

    `misses` are points below the best method, cases (data set, share missing) x methods; NaN for a
    method without a result, which is never picked.
    """
    datasets, shares = (misses.index.get_level_values(i).to_numpy() for i in (0, 1))
    picks = []
    for (dataset, share), row in misses.iterrows():
        weights = np.exp(-np.abs(shares - share) / NEARNESS) * (datasets != dataset)
        weights = misses.notna().mul(weights, axis=0)
        means = (misses.fillna(0) * weights).sum() / weights.sum()
        picks.append(means[row.notna()].idxmin())
    return picks


def of_methods() -> str:
    """What a method chosen from other data misses, beside a constant choice and a random one."""
    accuracy = scores("default")
    misses = -accuracy.sub(accuracy.max(axis=1), axis=0)
    pairs = zip(misses.index, first_picks(misses), strict=True)
    picked = np.mean([misses.loc[case, name] for case, name in pairs])
    constant = misses.mean()
    values = {"constant": constant.idxmin(), "least": constant.min(), "random": np.nanmean(misses)}
    return said("choosing", "methods", n=len(misses), picked=picked, **values)


def of_tuning() -> str:
    """Mean accuracy of each method under the three ways of tuning, over all cases."""
    points = pd.read_csv(OVERVIEW).groupby("method")["grid_points"].max()
    by_tuning = {tuning: scores(tuning) for tuning in ("oracle", "label-free", "default")}
    tuned = [label for label in by_tuning["oracle"] if points[label] > 1]
    means = pd.DataFrame({tuning: cases[tuned].mean() for tuning, cases in by_tuning.items()})
    means["miss"] = means["oracle"] - means["label-free"]
    rows = means.sort_values("miss")
    rows.loc["mean"] = means.mean()
    rows = rows.assign(points=points.astype(str)).reset_index()
    return table_of("choosing", "table of tunings", rows)


def blocks() -> dict[str, str]:
    """The blocks of the page by name."""
    return {"methods": of_methods(), "tuning": of_tuning()}
