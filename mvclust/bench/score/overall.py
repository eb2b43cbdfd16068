"""Results over the rates of an experiment, mean ranks, and methods against a reference."""

from collections.abc import Mapping
from functools import partial

import numpy as np
import pandas as pd
from scipy import special

from mvclust.bench.plan.settings import RATES
from mvclust.bench.score import significance
from mvclust.bench.score.names import column_names, row_names
from mvclust.metrics import SCORES
from mvclust.numerics.multiple import holm
from mvclust.numerics.ties import SCORE_TOLERANCE, best_of, settled

ROW = ["dataset", "method_key", "view", "n_views", "tuning", "metric"]
AGAINST = [
    *("metric", "tuning", "reference", "method", "n_datasets", "above", "below"),
    *("difference", "ci_low", "ci_high", "p_holm"),
]
LEVEL = 0.05  # of significance
UNLIKE = ["metric", "tuning", "own", "method", "n_blocks", "p_holm", "differs"]


def over_rates(results: pd.DataFrame) -> pd.DataFrame:
    """Replace the results at each rate by their mean over the rates, NaN if one of them is.

    "std" is that of masks of one rate; the interval is of the mean over these rates.
    """
    groups = results.groupby(ROW, sort=False, dropna=False)
    place = groups.ngroup().to_numpy()
    total = partial(np.bincount, place)  # over the rates; NaN if one is
    std, n = results["std"].to_numpy(float), results["n_runs"].to_numpy(float)
    size, freedom = total(), total(n - 1)
    with np.errstate(divide="ignore", invalid="ignore"):  # no fit, no deviation
        error = np.sqrt(total(std**2 / n)) / size
        quantile = special.stdtrit(freedom, 0.975)
    mean = total(results["mean"].to_numpy(float)) / size
    half = np.where(freedom > 0, quantile * error, np.nan)
    points, notes = [[] for _ in size], [{} for _ in size]
    for i, of_rate, note in zip(place, results["points"], results["note"], strict=True):
        for point in of_rate:
            if point not in points[i]:
                points[i].append(point)
        notes[i] |= {note: None} if note else {}
    rows = results.iloc[np.unique(place, return_index=True)[1]].reset_index(drop=True)
    empty = [*RATES, "published", "published_std", "difference"]
    rows = rows.assign(
        **dict.fromkeys(empty, np.nan),
        mean=mean,
        std=np.sqrt(total(std**2) / size),
        n_runs=groups["n_runs"].min().to_numpy(),
        ci_low=mean - half,
        ci_high=mean + half,
        points=points,
        note=[" ".join(of_rates) for of_rates in notes],
    )
    return rows.astype(results.dtypes)


def against_reference(
    results: pd.DataFrame, references: list[str], signs: Mapping[str, int] | None = None
) -> pd.DataFrame:
    """Compare each method with the best reference over the data sets, largest difference first.

    `results` are by block (see `blocks_of`), `signs` -1 where lower is better. Wins and losses are
    beyond the 95 % interval of the difference, from the two intervals as if masks were not shared,
    which makes it wider.
    """
    parts = []
    for (metric, tuning), part in results.groupby(["metric", "tuning"], sort=False):
        part = part.assign(half=part["ci_high"] - part["mean"])
        by = {"index": "dataset", "columns": "method_key", "sort": False, "dropna": False}
        means, halves = (part.pivot_table(values=value, **by) for value in ("mean", "half"))
        whole = [key for key in references if key in means and means[key].notna().all()]
        if not whole:
            continue
        sign = (signs or {}).get(metric, 1)
        best = whole[best_of(sign * means[whole].mean())]  # pyright: ignore[reportArgumentType]
        names = dict(zip(part["method_key"], part["method"], strict=True))
        rows = [_beside(means, halves, key, best, sign) for key in means if key != best]
        rows = pd.DataFrame([{"method": names[row.pop("key")]} | row for row in rows if row])
        if rows.empty:
            continue
        rows["p_holm"] = holm(rows.pop("p"))
        order = np.argsort(-sign * settled(rows["difference"]), kind="stable")
        rows = rows.iloc[order]
        parts.append(rows.assign(metric=metric, tuning=tuning, reference=names[best]))
    return pd.concat(parts, ignore_index=True)[AGAINST] if parts else pd.DataFrame(columns=AGAINST)


def _beside(means: pd.DataFrame, halves: pd.DataFrame, key: str, best: str, sign: int) -> dict:
    """Compare one method with the best reference; empty if they share under three data sets."""
    pairs = means[[key, best]].dropna()
    if len(pairs) < 3:
        return {}
    difference = pairs[key] - pairs[best]
    margin = np.hypot(halves[key], halves[best])[difference.index]
    low, high = significance.bootstrap_interval(difference)
    return {
        "key": key,
        "n_datasets": len(difference),
        "above": int((sign * difference > margin + SCORE_TOLERANCE).sum()),
        "below": int((-sign * difference > margin + SCORE_TOLERANCE).sum()),
        "difference": difference.mean(),
        "ci_low": low,
        "ci_high": high,
        "p": significance.wilcoxon_p(pairs[key], pairs[best]),
    }


def unlike_own(described: dict, results: pd.DataFrame) -> pd.DataFrame:
    """Methods that differ significantly from the paper's own method (the first with results).

    `results` are by block. Empty for a sweep, or if so few blocks cannot reach the level.
    """
    labels = [] if described["sweep"] else described["own"]
    own = next((label for label in labels if label in set(results["method"])), None)
    rows = []
    of_own = results[results["method"] == own].groupby(["metric", "tuning"], sort=False)
    for (metric, tuning), most_blocks in of_own.size().items():
        if 2.0 ** (1 - most_blocks) >= LEVEL:  # below not even for a single other method
            continue
        scores = scores_of(results, metric, tuning)
        if own not in scores:
            continue
        mine = scores.pop(own)
        pairs = {name: mine.notna() & score.notna() for name, score in scores.items()}
        pairs = {name: both for name, both in pairs.items() if both.any()}
        n_blocks = max((both.sum() for both in pairs.values()), default=0)
        if len(pairs) * 2.0 ** (1 - n_blocks) >= LEVEL:
            continue
        tested = ((mine[both], scores.loc[both, name]) for name, both in pairs.items())
        corrected = holm([significance.wilcoxon_p(*pair) for pair in tested])
        rows += [
            (metric, tuning, own, name, both.sum(), p, p < LEVEL)
            for (name, both), p in zip(pairs.items(), corrected.tolist(), strict=True)
        ]
    return pd.DataFrame(rows, columns=UNLIKE)


def blocks_of(described: dict, results: pd.DataFrame) -> pd.DataFrame:
    """Results by block: means over the rates if a block is a data set, else unchanged."""
    whole = described["blocks"] == "datasets" and not results.empty
    return over_rates(results) if whole else results


def scores_of(results: pd.DataFrame, metric: str, tuning: str) -> pd.DataFrame:
    """One metric under one tuning as a table of blocks (rows) and methods; NaN where missing."""
    part = results[(results["metric"] == metric) & (results["tuning"] == tuning)]
    keys, names = row_names(part)
    block = pd.Series(column_names(part), index=part.index)
    method = pd.Series([names[key] for key in keys], index=part.index)
    return part["mean"].groupby([part["dataset"], block, method]).mean().unstack()


def rank_table(described: dict, results: pd.DataFrame) -> pd.DataFrame:
    """Tests (`compare_methods`) for every metric and tuning of results by block."""
    parts = []
    tunings = [] if results.empty else dict.fromkeys(results["tuning"])
    for metric in described["metrics"]:
        for tuning in tunings:
            scores = scores_of(results, metric, tuning)
            complete = significance.complete_part(scores)
            if min(complete.shape) < 3:
                continue
            sign = SCORES[described["metrics"][metric]].sign
            table, friedman_p = significance.compare_methods(complete, sign)
            table.insert(0, "metric", metric)
            table.insert(1, "tuning", tuning)
            left_out = [sorted(set(scores) - set(complete))] * len(table)
            about = {"friedman_p": friedman_p, "n_blocks": len(complete), "left_out": left_out}
            parts.append(table.assign(**about))
    if not parts:
        return pd.DataFrame(columns=["metric", "tuning", "method", "rank", "n_blocks", "left_out"])
    return pd.concat(parts, ignore_index=True)


def reference_table(described: dict, results: pd.DataFrame) -> pd.DataFrame:
    """Apply `against_reference` to the results of an experiment by block."""
    references = [method["key"] for method in described["methods"] if method["reference"]]
    signs = {name: SCORES[column].sign for name, column in described["metrics"].items()}
    return against_reference(results, references, signs)
