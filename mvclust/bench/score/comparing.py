"""Differences between the tables of two runs."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from mvclust.datasets.files import DamagedFile, damage_named
from mvclust.numerics.ties import SCORE_TOLERANCE

PLACE = ["table", "dataset", "setting", "method", "variant", "tuning", "metric"]
BOTH = ["mean", "ci_low", "ci_high"]
TEXTS = ["dataset", "setting", "method", "variant", "tuning", "metric", "params", "note"]
TYPES = dict.fromkeys(TEXTS, str) | dict.fromkeys(BOTH, float)

# How a number of one run is to that of the other; beyond: each mean is outside the other interval.
EQUAL, WITHIN, BEYOND = "equal", "within the intervals", "beyond the intervals"
UNSURE = "changed without intervals"
ONLY_A, ONLY_B = "only in A", "only in B"
KINDS = (EQUAL, WITHIN, BEYOND, UNSURE, ONLY_A, ONLY_B)
MOST_LINES = 20


def compare_tables(a: Path | str, b: Path | str) -> pd.DataFrame:
    """Compare every number of two results folders, one per row; differences are b - a."""
    tables = [read_tables(folder) for folder in (a, b)]
    place = [*PLACE, "params"]
    both = tables[0].merge(tables[1], on=place, how="outer", suffixes=("_a", "_b"), indicator=True)
    both["difference"] = both["mean_b"] - both["mean_a"]
    both["kind"] = [_kind(row) for row in both.to_dict("records")]
    return both.drop(columns="_merge")


def read_tables(folder: Path | str) -> pd.DataFrame:
    """Read all tables of results of a folder; only points of a sweep keep their params."""
    parts = []
    for path in sorted(Path(folder, "tables").glob("*.csv")):
        with damage_named(path):
            if not path.is_file():  # reading a pipe may never end
                raise ValueError("no regular file")
            head = pd.read_csv(path, nrows=0).columns
            if {"mean", "ci_low", "tuning"} <= set(head):
                part = pd.read_csv(path, dtype=TYPES).assign(table=path.stem)
                parts.append(part[[*PLACE, "params", *BOTH]])
    if not parts:
        raise FileNotFoundError(
            f"{Path(folder)} has no tables of results: expected a results folder of a run, such as "
            "results/default, with csv files under tables/."
        )
    rows = pd.concat(parts, ignore_index=True)
    rows[["variant", "params"]] = rows[["variant", "params"]].fillna("")
    twice = rows[rows.duplicated([*PLACE, "params"])]
    if len(twice):
        raise DamagedFile(Path(folder, "tables", f"{twice['table'].iloc[0]}.csv"), "a cell twice")
    rows["params"] = rows["params"].where(rows.duplicated(PLACE, keep=False), "")
    return rows


def _kind(row: Mapping) -> str:
    if row["_merge"] != "both":
        return ONLY_A if row["_merge"] == "left_only" else ONLY_B
    missing = [pd.isna(row["mean_a"]), pd.isna(row["mean_b"])]
    if all(missing) or abs(row["difference"]) <= SCORE_TOLERANCE:
        return EQUAL
    if any(missing):
        return ONLY_B if missing[0] else ONLY_A
    if pd.isna(row["ci_low_a"]) or pd.isna(row["ci_low_b"]):
        return UNSURE
    inside = (
        row["ci_low_a"] <= row["mean_b"] <= row["ci_high_a"]
        or row["ci_low_b"] <= row["mean_a"] <= row["ci_high_b"]
    )
    return WITHIN if inside else BEYOND


def described(comparison: pd.DataFrame) -> list[str]:
    """Lines of text for a comparison: counts per table, and the largest changes."""
    width = max(len(name) for name in comparison["table"])
    lines = []
    for name, part in comparison.groupby("table", sort=True):
        counts = part["kind"].value_counts()
        texts = ", ".join(f"{counts[kind]} {kind}" for kind in KINDS if kind in counts)
        lines.append(f"{name:{width}}  {texts}")
    changed = comparison[comparison["kind"].isin([BEYOND, UNSURE])]
    changed = changed.sort_values("difference", key=lambda x: -x.abs(), kind="stable")
    if len(changed):
        lines += ["", f"Largest of {len(changed)} changes that no interval covers, B minus A:"]
    for row in changed.head(MOST_LINES).to_dict("records"):
        where = [row[name] for name in (*PLACE, "params") if not pd.isna(row[name]) and row[name]]
        lines.append(
            f"{row['difference']:+9.4g}  {row['mean_a']:.4g} to {row['mean_b']:.4g}  "
            f"{', '.join(map(str, where))}"
        )
    return lines
