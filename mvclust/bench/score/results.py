"""Results of an experiment as a file between the stages: JSON that keeps types and lists."""

import json
import math

import pandas as pd

from mvclust.bench.plan.settings import RATES
from mvclust.datasets.files import DamagedFile, completed

PARAMETER = "param_"  # how the columns of a table of runs begin that hold a parameter
DECLARED = (  # what a run used, and what its experiment declares
    *("n_samples", "n_samples_declared", "repetitions", "repetitions_declared"),
    *("grid_points", "grid_points_declared"),
)
WHOLE = ("n_runs", "n_views", "view", *DECLARED)


def write_results(results, path, finding=""):
    """Write a table of results, completely or not at all.

    Parameters
    ----------
    results : DataFrame
        As `mvclust.bench.score.tuning.results_of` makes it.
    path : path-like
    finding : str, default=""
        As `mvclust.bench.report.findings.finding` makes it.
    """
    rows = [
        {name: plain(value) for name, value in row.items()} for row in results.to_dict("records")
    ]
    columns = list(results.columns)
    text = json.dumps({"finding": finding, "columns": columns, "n_rows": len(rows), "rows": rows})
    with completed(path) as unfinished:
        unfinished.write_text(text, encoding="utf-8")


def read_results(path):
    """Read the table that `write_results` wrote.

    Raises
    ------
    DamagedFile
        If the file is cut.
    """
    content = _read(path)
    rows, n_rows = content["rows"], content["n_rows"]
    if len(rows) != n_rows:
        raise DamagedFile(path, f"{len(rows)} of {n_rows} rows")
    return typed(pd.DataFrame(rows, columns=content["columns"]))


def read_finding(path):
    """Read the finding that `write_results` wrote beside the table."""
    return _read(path)["finding"]


def _read(path):
    try:
        with open(path, encoding="utf-8") as file:
            content = json.load(file)
        return {key: content[key] for key in ("finding", "columns", "n_rows", "rows")}
    except (ValueError, KeyError, TypeError) as error:
        raise DamagedFile(path, str(error)) from error


def typed(table):
    """Give the columns of a table of results their types, also if they are empty."""
    for name in table.columns:
        if name in WHOLE:
            table[name] = table[name].astype("Int64")
        elif name in NUMBERS:
            table[name] = table[name].astype(float)
    return table


NUMBERS = (*RATES, "mean", "std", "ci_low", "ci_high")
NUMBERS += ("published", "published_std", "difference")


def plain(value):
    """A cell of a table as JSON can hold it."""
    if isinstance(value, list | dict | str) or value is None:
        return value
    if pd.isna(value) or (isinstance(value, float) and math.isnan(value)):
        return None
    return value.item() if hasattr(value, "item") else value
