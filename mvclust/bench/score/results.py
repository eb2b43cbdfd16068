"""Results of an experiment as a file between the stages: JSON that keeps types and lists."""

import json
from pathlib import Path
from typing import Any

import pandas as pd

from mvclust.bench.plan.settings import RATES
from mvclust.datasets.files import DamagedFile, completed

PARAMETER = "param_"  # how the columns of a table of runs begin that hold a parameter
DECLARED = (  # what a run used, and what its experiment declares
    *("n_samples", "n_samples_declared", "repetitions", "repetitions_declared"),
    *("grid_points", "grid_points_declared"),
)
WHOLE = ("n_runs", "n_views", "view", *DECLARED)
NUMBERS = (*RATES, "mean", "std", "ci_low", "ci_high")
NUMBERS += ("published", "published_std", "difference", "masks_mean", "starts_se", "starts_df")


def write_results(results: pd.DataFrame, path: Path | str, finding: str = "") -> None:
    """Write a table of results and its finding, completely or not at all."""
    records = results.to_dict("records")
    rows = [{name: plain(value) for name, value in row.items()} for row in records]
    columns = list(results.columns)
    text = json.dumps({"finding": finding, "columns": columns, "n_rows": len(rows), "rows": rows})
    with completed(path) as unfinished:
        unfinished.write_text(text, encoding="utf-8")


def read_results(path: Path | str) -> tuple[pd.DataFrame, str]:
    """Read the table and the finding that `write_results` wrote; DamagedFile if truncated."""
    try:
        with open(path, encoding="utf-8") as file:
            content = json.load(file)
        rows, n_rows, columns = (content[key] for key in ("rows", "n_rows", "columns"))
        finding = content["finding"]
    except (ValueError, KeyError, TypeError) as error:
        raise DamagedFile(path, str(error)) from error
    if len(rows) != n_rows:
        raise DamagedFile(path, f"{len(rows)} of {n_rows} rows")
    return typed(pd.DataFrame(rows, columns=columns)), finding


def typed(table: pd.DataFrame) -> pd.DataFrame:
    """Set the column types of a table of results, also of an empty one."""
    types = dict.fromkeys(WHOLE, "Int64") | dict.fromkeys(NUMBERS, float)
    return table.astype({name: types[name] for name in table if name in types})


def plain(value: Any) -> Any:
    """Convert a cell of a table to a JSON value."""
    if isinstance(value, list | dict | str) or value is None:
        return value
    if pd.isna(value):
        return None
    return value.item() if hasattr(value, "item") else value
