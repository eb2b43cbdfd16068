"""The table of runs: one row a fit, scored from its stored labels."""

import json
from itertools import groupby

import numpy as np
import pandas as pd

from mvclust.benchmark.run import unpack_labels
from mvclust.datasets.files import completed
from mvclust.datasets.record import read_dataset
from mvclust.metrics import METRICS, score, simplified_silhouette
from mvclust.numerics.scaling import balanced

INTERNAL = "simplified_silhouette"


def score_rows(rows, dataset_file, mask_files):
    """Add all metrics to the rows of fits on one data set.

    Parameters
    ----------
    rows : list of dict, as `mvclust.benchmark.run.run_job` returns them
    dataset_file : path
    mask_files : dict, setting id -> path

    Returns
    -------
    list of dict
        With the names in `mvclust.metrics.METRICS` and "simplified_silhouette", the internal
        criterion on the observed instances, features standardised; NaN where a fit failed.
    """
    failed = [row for row in rows if row["labels"] is None]
    scored = [row | dict.fromkeys([*METRICS, INTERNAL], np.nan) for row in failed]
    fitted = [row for row in rows if row["labels"] is not None]
    fitted.sort(key=lambda row: (row["setting"], row["repetition"], row["key"]))
    for setting, group in groupby(fitted, key=lambda row: row["setting"]):
        group = list(group)
        dataset = read_dataset(dataset_file, views=group[0]["views"].split("+"))
        masks = np.load(mask_files[setting])
        y = dataset.y[masks["rows"]]
        views = [X if isinstance(X, np.ndarray) else X.toarray() for X in dataset.Xs]
        for repetition, same_mask in groupby(group, key=lambda row: row["repetition"]):
            presence = masks["presence"][repetition]
            Xs = [
                balanced(X[masks["rows"]], present)
                for X, present in zip(views, presence.T, strict=True)
            ]
            scored += [row | _score(row, Xs, presence, y) for row in same_mask]
    return scored


def _score(row, Xs, presence, y):
    labels = unpack_labels(row["labels"])
    return score(y, labels) | {INTERNAL: simplified_silhouette(Xs, presence, labels)}


def runs_table(scored):
    """Scored rows as a table with plain columns, sorted, ready for parquet."""
    table = pd.DataFrame(scored)
    table["labels"] = [
        None if row["labels"] is None else unpack_labels(row["labels"]).astype(np.int16)
        for row in scored
    ]
    table["versions"] = [json.dumps(v, sort_keys=True) for v in table["versions"]]
    table["variant"] = [json.loads(p).get("variant", "") for p in table["params"]]
    table["n_iter"] = table["n_iter"].astype("Int64")
    order = ["dataset", "views", "protocol", "rate", "repetition", "method", "params"]
    table = table.drop(columns=["fingerprint"], errors="ignore").sort_values(
        order, ignore_index=True
    )
    return table[order + [name for name in table.columns if name not in order]]


def write_runs(table, path):
    """Write the table of runs as parquet, whole or not at all."""
    with completed(path) as unfinished:
        table.to_parquet(unfinished, index=False, compression="zstd")


def read_runs(path):
    """Read what `write_runs` wrote."""
    return pd.read_parquet(path)
