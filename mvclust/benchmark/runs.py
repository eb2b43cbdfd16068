"""The table of runs: one row a fit, scored from its stored labels."""

import json
from itertools import groupby

import numpy as np
import pandas as pd

from mvclust.benchmark.masks import rows_of_views
from mvclust.benchmark.plan import PER_VIEW
from mvclust.benchmark.run import unpack_labels
from mvclust.datasets.files import completed
from mvclust.datasets.record import read_dataset
from mvclust.metrics import METRICS, score, simplified_silhouette
from mvclust.numerics.scaling import balanced

INTERNAL = "simplified_silhouette"
ORDER = ["setting", "repetition", "method", "params"]


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
        Under the protocols "unmapped" and "mapped" these are means over the views, and "per_view"
        holds the scores of each as JSON.
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
            if group[0]["protocol"] in PER_VIEW:
                ids = rows_of_views(masks, repetition)
                scored += [row | _score_views(row, Xs, ids, y) for row in same_mask]
            else:
                scored += [row | _score(unpack(row), Xs, presence, y) for row in same_mask]
    return scored


def unpack(row):
    """The labels of a row."""
    return unpack_labels(row["labels"])


def _score(labels, Xs, presence, y):
    return score(y, labels) | {INTERNAL: simplified_silhouette(Xs, presence, labels)}


def _score_views(row, Xs, ids, y):
    """The scores of every view on its own rows, and their means."""
    labels = unpack(row)
    if row["sizes"] is None:
        labels = [labels[rows] for rows in ids]
    else:
        labels = np.split(labels, np.cumsum(row["sizes"])[:-1])
    scores = [
        _score(own, [X[rows]], np.ones((len(rows), 1), dtype=bool), y[rows])
        for own, X, rows in zip(labels, Xs, ids, strict=True)
    ]
    means = {name: float(np.mean([view[name] for view in scores])) for name in scores[0]}
    return means | {"per_view": json.dumps(scores)}


def runs_table(scored):
    """Scored rows as a table with plain columns, sorted, ready for parquet."""
    table = pd.DataFrame(scored)
    table["labels"] = [
        None if row["labels"] is None else unpack_labels(row["labels"]).astype(np.int16)
        for row in scored
    ]
    table["versions"] = [json.dumps(v, sort_keys=True) for v in table["versions"]]
    table["variant"] = [json.loads(p).get("variant", "") for p in table["params"]]
    if "per_view" not in table:
        table["per_view"] = None
    table["n_iter"] = table["n_iter"].astype("Int64")
    table = table.drop(columns=["fingerprint"], errors="ignore")
    return table[ORDER + [n for n in table.columns if n not in ORDER]].sort_values(
        ORDER, ignore_index=True
    )


def merge_runs(tables):
    """The runs of several experiments as one table, each fit once."""
    table = pd.concat(tables, ignore_index=True)
    return table.drop_duplicates("key").sort_values(ORDER, ignore_index=True)


def write_runs(table, path):
    """Write the table of runs as parquet, whole or not at all."""
    with completed(path) as unfinished:
        table.to_parquet(unfinished, index=False, compression="zstd")


def read_runs(path):
    """Read what `write_runs` wrote."""
    return pd.read_parquet(path)


def write_costs(table, path):
    """Write the mean CPU seconds of a fit by data set and method, for the forecast of a run."""
    fitted = table[table["error"].isna()]
    seconds = fitted.groupby(["dataset", "method"])["cpu_seconds"]
    costs = seconds.agg(fits="size", cpu_seconds="mean").reset_index()
    with completed(path) as unfinished:
        costs.to_csv(unfinished, index=False, float_format="%.4f", lineterminator="\n")
