"""Every published number beside ours: the same, different, or what keeps that from being told."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from mvclust.bench.claims.cells import RELEASED
from mvclust.bench.claims.numbers import WORDS, compare_number, compare_released
from mvclust.bench.claims.tables import role_of
from mvclust.bench.score.names import FIXED, cut_text, setting_text
from mvclust.bench.score.results import DECLARED
from mvclust.bench.score.significance import FEWEST_RUNS
from mvclust.bench.score.tuning import ORACLE, metric_key
from mvclust.datasets.catalogue import REBUILT, is_rebuilt

STARTS = "open: starts"  # masks of the authors, each fitted from one start
FEW = f"open: fewer than {FEWEST_RUNS} runs"
NOT_DECIDED, NOT_AVAILABLE = "not decided", "not available"
VERDICTS = (*WORDS, STARTS, FEW, NOT_DECIDED, REBUILT, NOT_AVAILABLE)
IMPOSSIBLE = "no partition has this row"
PLACE = ["missing_rate", "paired_rate", "view"]
KEYS = ["paper", "item", "dataset", *PLACE, "method", "metric"]
NUMBERS = ["reproduced", "std", "n_runs", "declared", "step", "ci_low", "ci_high"]
NUMBERS += ["masks_mean", "starts_se", "starts_df"]
PRINTED = (  # the columns of the tables
    *("paper", "item", "dataset", "setting", "method", "role", "metric", "published"),
    *("published_std", "reproduced", "std", "n_runs", "ci_low", "ci_high", "difference"),
    *("prediction", "equivalence", "verdict", "flag", "note", "experiment", "other_name"),
)


def compare(
    described: list[dict],
    results: Mapping[str, pd.DataFrame],
    published: list[dict],
    methods: list[dict],
    roles: dict | None = None,
    checked: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """Compare every published number with the reproduced one, in percent points.

    `results` are tables by experiment, `checked` comes from `multiverse.consistency.check_printed`.
    Ours is the number with oracle tuning, as the papers tune. The verdict is "not decided" if
    samples or the grid were reduced or masks are too few, open if runs do not measure chance, and
    else that of `numbers.compare_number`. prediction and equivalence are half widths of the 95 %
    prediction interval and of the 90 % interval of the difference. other_name is our recall for
    mPAC's precision and the reverse, since the paper seems to exchange the two in its own row.
    """
    names = {method["key"]: method["published"] for method in methods}
    numbered = [e for e in described if e.get("item") and len(results.get(e["id"], ()))]
    parts = [_ours(experiment, results[experiment["id"]], names) for experiment in numbered]
    ours = pd.concat(parts, ignore_index=True) if parts else _nothing()
    ours = ours.drop_duplicates(KEYS)  # the first experiment that has a number counts
    table = in_percent(_typed(pd.DataFrame(published, columns=[*KEYS, "mean", "std"])))
    table = table.rename(columns={"mean": "published", "std": "published_std"})
    table = table.merge(ours, on=KEYS, how="left")
    table["difference"] = table["reproduced"] - table["published"]
    table["other_name"] = _under_the_other_name(table)
    judged = [_judged(row) for row in table.itertuples()]
    for i, name in enumerate(("verdict", "prediction", "equivalence")):
        table[name] = [each[i] for each in judged]
    proposed, reconstructed = ((roles or {}).get(key, {}) for key in ("proposed", "reconstructed"))
    table["role"] = [
        role_of(method, paper, proposed, reconstructed)
        for method, paper in zip(table["method"], table["paper"], strict=True)
    ]
    table["flag"] = _flags(table, checked)
    table["n_runs"] = table["n_runs"].astype("Int64")
    table["view"] = table["view"].astype("Int64")
    table["note"] = table["note"].fillna("not in this run")
    table["experiment"] = table["experiment"].fillna("")
    protocols = {(e["paper"], e["item"]): results[e["id"]]["protocol"].iloc[0] for e in numbered}
    table["setting"] = [
        setting_text(row | {"protocol": protocols.get((row["paper"], row["item"]))})
        for row in table.to_dict("records")
    ]
    return table[[*PRINTED[:4], *PLACE, *PRINTED[4:]]]


def _flags(table: pd.DataFrame, checked: pd.DataFrame | None) -> list[str] | str:
    """Mark printed rows that no partition can have."""
    if checked is None:
        return ""
    places = ["paper", "item", "dataset", "setting", "method"]
    broken = checked.loc[~checked["holds"].astype(bool), places]
    impossible = set(broken.itertuples(index=False, name=None))
    settings = [setting_text(row) for row in table.to_dict("records")]
    named = table.assign(setting=settings)[places].itertuples(index=False, name=None)
    return [IMPOSSIBLE if place in impossible else "" for place in named]


def _typed(table: pd.DataFrame) -> pd.DataFrame:
    """Convert the key columns to types that merge."""
    numbers = table[table.columns.intersection([*PLACE, "mean", "std"])]
    return table.assign(**numbers.apply(pd.to_numeric).astype(float).round(6))


def in_percent(published: pd.DataFrame) -> pd.DataFrame:
    """Published numbers in percent; a table of a paper has either shares or percent."""
    largest = published.groupby(["paper", "item"])["mean"].transform("max")
    factor = np.where(largest <= 1, 100.0, 1.0)
    return published.assign(mean=published["mean"] * factor, std=published["std"] * factor)


def _ours(experiment: dict, results: pd.DataFrame, names: Mapping[str, list[str]]) -> pd.DataFrame:
    """Rows of a results table under the keys of the published numbers, in percent."""
    table = results[results["tuning"].isin([ORACLE, FIXED])]
    factor = 1.0 if experiment["unit"] == "percent" else 100.0
    scores = table[["mean", "std", "ci_low", "ci_high", "masks_mean", "starts_se"]] * factor
    scores = scores.rename(columns={"mean": "reproduced"})
    ours = table[["dataset", *PLACE, "starts_df"]].join(scores).assign(
        paper=experiment["paper"], item=experiment["item"], experiment=experiment["id"],
        method=table["method_key"].map(names),
        metric=[metric_key(name) for name in table["metric"]],
        n_runs=table["n_runs"].astype(float),
        declared=table["repetitions_declared"].astype(float),
        step=100 / table["n_samples"].astype(float),
        cut=_is_cut(table), rebuilt=table["source"].map(is_rebuilt),
        released=table["protocol"] == RELEASED, note=_notes(table),
    )  # fmt: skip
    ours = _typed(ours.explode("method").dropna(subset="method"))
    unclear = ours.duplicated(KEYS, keep=False)  # points of a sweep: none is the published one
    ours.loc[unclear, "reproduced"] = np.nan
    ours.loc[unclear, "note"] = "several results, none chosen"
    return ours


def _notes(results: pd.DataFrame) -> list[str]:
    """Note of every row, and how the run was reduced."""
    texts, notes = {}, []
    for row in results.to_dict("records"):
        cut = tuple(row[name] for name in ("protocol", *DECLARED))
        if cut not in texts:
            texts[cut] = cut_text(pd.DataFrame([row]))
        notes.append(" ".join(filter(None, [row["note"], texts[cut]])))
    return notes


def _is_cut(results: pd.DataFrame) -> pd.Series:
    """Whether samples or grid were reduced, or the masks are too few to decide, for every row."""
    names = ("n_runs", *DECLARED)
    n = {name: pd.to_numeric(results[name]).astype(float) for name in names}
    few = (n["n_runs"] < FEWEST_RUNS) & (n["n_runs"] < n["repetitions_declared"])
    samples = n["n_samples"] < n["n_samples_declared"]
    return few | samples | (n["grid_points"] < n["grid_points_declared"])


def _nothing() -> pd.DataFrame:
    columns = [*KEYS, *NUMBERS, "cut", "rebuilt", "released", "note", "experiment"]
    types = dict.fromkeys([*PLACE, *NUMBERS], float)
    return pd.DataFrame(columns=columns).astype(types)


def _under_the_other_name(table: pd.DataFrame) -> np.ndarray:
    other = {"precision": "recall", "recall": "precision"}
    keys = KEYS[:-1]
    pairs = table[table["metric"].isin(other)]
    swapped = pairs.assign(metric=pairs["metric"].map(other))[[*KEYS, "reproduced"]]
    merged = table[KEYS].merge(swapped, on=[*keys, "metric"], how="left")
    return merged["reproduced"].to_numpy()


def _judged(row: Any) -> tuple[str, float, float]:
    """Verdict, half width of the prediction interval, and of that of equivalence."""
    if np.isnan(row.reproduced):
        return NOT_AVAILABLE, np.nan, np.nan
    if row.released and not np.isnan(row.starts_se):
        found = compare_released(
            row.masks_mean - row.published, row.starts_se, row.starts_df, row.step
        )
    else:
        found = compare_number(
            row.reproduced, row.std, int(row.n_runs), row.published, row.published_std,
            int(row.declared), row.step,
        )  # fmt: skip
    if row.rebuilt:
        word = REBUILT
    elif row.cut:
        word = NOT_DECIDED
    else:
        word = STARTS if row.released and np.isnan(row.starts_se) else found.word or FEW
    return word, found.half_width, found.equivalence


def counts(comparison: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Count verdicts per group of `by` and in all, and decided numbers above and below print."""
    told = comparison["verdict"].isin(WORDS)
    sides = pd.DataFrame({
        "above print": told & (comparison["difference"] > 0),
        "below print": told & (comparison["difference"] < 0),
    })  # fmt: skip
    verdicts = pd.DataFrame({v: comparison["verdict"] == v for v in VERDICTS})
    table = verdicts.assign(numbers=True).join(sides).astype(int)
    groups = table.groupby([comparison[name] for name in by]).sum().reset_index()
    whole = pd.DataFrame([dict.fromkeys(by, "all") | table.sum().to_dict()])
    return pd.concat([groups, whole], ignore_index=True)
