"""CPU and scores of the same fits in two runs: python benchmarks/compare_runs.py BEFORE AFTER

BEFORE and AFTER are results folders of two versions of the code, made on one machine. With --write
the table goes into docs/profile.md.
"""

import sys
from pathlib import Path

import pandas as pd

from docs.pages import fill, table
from mvclust.metrics import METRICS

HEAD = ["method", "fits", "before, CPU s", "after, CPU s", "ratio", "largest difference of a score"]


def compare(before, after):
    """One row per method, and one for all, of the fits that both runs have.

    Parameters
    ----------
    before, after : DataFrame
        Tables of runs.

    Returns
    -------
    list of list of str, the most CPU first
    """
    both = before.merge(after, on="key", suffixes=("_before", "_after"))
    for metric in METRICS:
        both[metric] = (both[f"{metric}_before"] - both[f"{metric}_after"]).abs()
    both["score"] = both[list(METRICS)].max(axis=1)
    groups = sorted(
        both.groupby("method_before"), key=lambda pair: -pair[1]["cpu_seconds_before"].sum()
    )
    return [_row(name, part) for name, part in [*groups, ("all", both)]]


def _row(name, part):
    old, new = part["cpu_seconds_before"].sum(), part["cpu_seconds_after"].sum()
    worst = part["score"].max()
    return [name, len(part), f"{old:.1f}", f"{new:.1f}", f"{old / new:.2f}", f"{worst:.1g}"]


def main(arguments):
    folders = [Path(name) for name in arguments if name != "--write"]
    if len(folders) != 2:
        sys.exit(__doc__)
    rows = compare(*(pd.read_parquet(folder / "runs.parquet") for folder in folders))
    text = table(HEAD, rows)
    print(text)
    if "--write" in arguments:
        fill("profile.md", "before and after", text)


if __name__ == "__main__":
    main(sys.argv[1:])
