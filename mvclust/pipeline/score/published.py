"""Every published number beside ours, and how many of them hold."""

import numpy as np
import pandas as pd

from mvclust.datasets.catalogue import REBUILT, is_rebuilt
from mvclust.metrics import SCORE_TOLERANCE
from mvclust.pipeline.score.names import cut_text, setting_text
from mvclust.pipeline.score.results import DECLARED
from mvclust.pipeline.score.significance import FEWEST_RUNS
from mvclust.pipeline.score.tuning import FIXED, ORACLE, metric_key

NEAR = 2.0  # points


HOLDS = (f"within {NEAR:g} points", "within the interval")


NOT_DECIDED, NOT_AVAILABLE = "not decided", "not available"


VERDICTS = (*HOLDS, "better", "worse", NOT_DECIDED, REBUILT, NOT_AVAILABLE)

UNDECIDED = (NOT_DECIDED, REBUILT, NOT_AVAILABLE)  # no verdict on whether a number holds


PLACE = ["missing_rate", "paired_rate", "view"]


KEYS = ["paper", "item", "dataset", *PLACE, "method", "metric"]


NUMBERS = ["reproduced", "n_runs", "ci_low", "ci_high"]


PRINTED = (  # the columns of the tables
    *("paper", "item", "dataset", "setting", "method", "metric", "published", "published_std"),
    *("reproduced", "n_runs", "ci_low", "ci_high", "difference", "verdict", "note"),
    *("experiment", "other_name"),
)


def compare(described, results, published, methods):
    """Put every published number beside the reproduced one, in percent points.

    Parameters
    ----------
    described : list of dict
        The experiments.
    results : dict
        Id of an experiment -> its results table.
    published : list of dict
        The papers' numbers, with the keys paper, item, dataset, missing_rate, paired_rate, view,
        method, metric, mean and std.
    methods : list of dict
        The catalogue of methods, with "key" and "published", the names in the papers.

    Returns
    -------
    DataFrame
        One row per published number: paper, item, dataset, setting (text), missing_rate,
        paired_rate, view, method, metric, published, published_std, reproduced, n_runs, ci_low,
        ci_high, difference, verdict, note, experiment, other_name. Ours is the number with oracle
        tuning, as the papers tune. The verdict is "not available" without a number, "rebuilt
        features" if the data are not the file that the paper used, "not decided" if samples or
        the grid were cut or masks are too few, and else the first that holds of "within 2
        points", "within the interval" (95 %, three masks or more), "better", "worse". other_name:
        for the precision of mPAC's tables our recall and the reverse, since the paper seems to
        have exchanged the two in its own row.
    """
    names = {method["key"]: method["published"] for method in methods}
    parts = [
        _ours(experiment, results[experiment["id"]], names)
        for experiment in described
        if _has_numbers(experiment, results)
    ]
    ours = pd.concat(parts, ignore_index=True) if parts else _nothing()
    ours = ours.drop_duplicates(KEYS)  # the first experiment that has a number counts
    table = in_percent(_typed(pd.DataFrame(published, columns=[*KEYS, "mean", "std"])))
    table = table.rename(columns={"mean": "published", "std": "published_std"})
    table = table.merge(ours, on=KEYS, how="left")
    table["difference"] = table["reproduced"] - table["published"]
    table["other_name"] = _under_the_other_name(table)
    table["verdict"] = [_verdict(row) for row in table.itertuples()]
    table["n_runs"] = table["n_runs"].astype("Int64")
    table["view"] = table["view"].astype("Int64")
    table["note"] = table["note"].fillna("not in this run")
    table["experiment"] = table["experiment"].fillna("")
    protocols = {
        (e["paper"], e["item"]): next(iter(results[e["id"]]["protocol"]), "")
        for e in described
        if _has_numbers(e, results)
    }
    table["setting"] = [
        setting_text(row | {"protocol": protocols.get((row["paper"], row["item"]))})
        for row in table.to_dict("records")
    ]
    return table[[*PRINTED[:4], *PLACE, *PRINTED[4:]]]


def _has_numbers(experiment, results):
    """Whether an experiment is an item of a paper and has results."""
    return bool(experiment.get("item")) and len(results.get(experiment["id"], ())) > 0


def _typed(table):
    """Give the key columns types that merge."""
    numbers = {
        name: pd.to_numeric(table[name]).astype(float).round(6)
        for name in (*PLACE, "mean", "std")
        if name in table
    }
    return table.assign(**numbers)


def in_percent(published):
    """The published numbers in percent; a table of a paper has either shares or percent.

    Parameters
    ----------
    published : DataFrame

    Returns
    -------
    DataFrame
    """
    largest = published.groupby(["paper", "item"])["mean"].transform("max")
    factor = np.where(largest <= 1, 100.0, 1.0)
    return published.assign(mean=published["mean"] * factor, std=published["std"] * factor)


def _ours(experiment, results, names):
    """The rows of a results table under the keys of the published numbers, in percent."""
    table = results[results["tuning"].isin([ORACLE, FIXED])]
    factor = 1.0 if experiment["unit"] == "percent" else 100.0
    ours = pd.DataFrame(
        {
            "paper": experiment["paper"],
            "item": experiment["item"],
            **{name: table[name] for name in ("dataset", *PLACE)},
            "method": table["method_key"].map(names),
            "metric": [metric_key(name) for name in table["metric"]],
            "reproduced": table["mean"] * factor,
            "n_runs": table["n_runs"].astype(float),
            "ci_low": table["ci_low"] * factor,
            "ci_high": table["ci_high"] * factor,
            "cut": _is_cut(table),
            "rebuilt": table["source"].map(is_rebuilt),
            "note": _notes(table),
            "experiment": experiment["id"],
        }
    )
    ours = _typed(ours.explode("method").dropna(subset="method"))
    unclear = ours.duplicated(KEYS, keep=False)  # points of a sweep: none is the published one
    ours.loc[unclear, "reproduced"] = np.nan
    ours.loc[unclear, "note"] = "several results, none chosen"
    return ours


def _notes(results):
    """The note of every row, and how the run was cut."""
    texts, notes = {}, []
    for row in results.to_dict("records"):
        cut = tuple(row[name] for name in ("protocol", *DECLARED))
        if cut not in texts:
            texts[cut] = cut_text(pd.DataFrame([row]))
        notes.append(" ".join(filter(None, [row["note"], texts[cut]])))
    return notes


def _is_cut(results):
    """Whether samples or grid were cut, or the masks are too few to decide, for every row."""
    names = ("n_runs", *DECLARED)
    n = {name: pd.to_numeric(results[name]).astype(float) for name in names}
    few = (n["n_runs"] < FEWEST_RUNS) & (n["n_runs"] < n["repetitions_declared"])
    samples = n["n_samples"] < n["n_samples_declared"]
    return few | samples | (n["grid_points"] < n["grid_points_declared"])


def _nothing():
    columns = [*KEYS, *NUMBERS, "cut", "rebuilt", "note", "experiment"]
    types = dict.fromkeys([*PLACE, *NUMBERS], float)
    return pd.DataFrame(columns=columns).astype(types)


def _under_the_other_name(table):
    other = {"precision": "recall", "recall": "precision"}
    keys = KEYS[:-1]
    pairs = table[table["metric"].isin(other)]
    swapped = pairs.assign(metric=pairs["metric"].map(other))[[*KEYS, "reproduced"]]
    merged = table[KEYS].merge(swapped, on=[*keys, "metric"], how="left")
    return merged["reproduced"].to_numpy()


def _verdict(row):
    if np.isnan(row.reproduced):
        return NOT_AVAILABLE
    if row.rebuilt:
        return REBUILT
    if row.cut:
        return NOT_DECIDED
    if abs(row.difference) <= NEAR + SCORE_TOLERANCE:
        return HOLDS[0]
    low, high = row.ci_low - SCORE_TOLERANCE, row.ci_high + SCORE_TOLERANCE
    if row.n_runs >= FEWEST_RUNS and low <= row.published <= high:
        return HOLDS[1]
    return "better" if row.difference > 0 else "worse"


def shares(comparison, by):
    """How many numbers have which verdict, by paper or by method.

    Parameters
    ----------
    comparison : DataFrame
        As `compare` makes it.
    by : str
        A column.

    Returns
    -------
    DataFrame
        One row per group (and "all"), one column per verdict, then the number of numbers and the
        share within 2 points or the interval among those with a verdict.
    """
    counts = pd.crosstab(comparison[by], comparison["verdict"])
    counts = counts.reindex(columns=list(VERDICTS), fill_value=0)
    counts.loc["all"] = counts.sum()
    counts = counts.astype(int)
    counts["numbers"] = counts[list(VERDICTS)].sum(axis=1)
    decided = counts["numbers"] - counts[list(UNDECIDED)].sum(axis=1)
    holds = counts[list(HOLDS)].sum(axis=1)
    counts["holds (%)"] = (100 * holds / decided.where(decided > 0)).round(1)
    return counts.rename_axis(by).reset_index()
