"""The table of runs: one row per fit, scored from its stored labels."""

import json
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from mvclust.bench.arithmetic import Arithmetic, own_digits
from mvclust.bench.config.messages import counted
from mvclust.bench.fit.journal import read_rows
from mvclust.bench.fit.labels import unpack_labels
from mvclust.bench.fit.masks import read_masks, rows_of_views
from mvclust.bench.plan.settings import Setting, canonical
from mvclust.bench.score.names import value_text
from mvclust.bench.score.results import PARAMETER
from mvclust.datasets.files import DamagedFile, completed, damage_named
from mvclust.datasets.record import read_dataset
from mvclust.metrics import SCORES, Metric, Silhouettes, score
from mvclust.numerics.products import dense
from mvclust.numerics.scaling import balanced

ORDER = ["setting", "repetition", "method"]
OF_COSTS = ("dataset", "samples", "views", "method")  # what a row of costs is of
ALWAYS = ["key", "dataset", "method", "setting", "repetition", "samples", "views"]
ALWAYS += ["source", "data_sha256", "error", "warnings", "versions", "threads", "commit"]
ALWAYS += ["cpu_seconds", "start_cpu_seconds", "spent_cpu_seconds", "wall_seconds"]


def score_rows(
    rows: list[dict],
    settings: dict[str, Setting],
    dataset_files: Mapping[str, Path | str],
    mask_files: Mapping[str, Path | str],
) -> list[dict]:
    """Add all metrics of `mvclust.metrics.SCORES` to the rows of fits.

    A metric is NaN if the fit failed, or if it needs classes and the data set has none. If views
    have rows of their own, scores are means over the views, and "per_view" holds those of each.
    """
    nothing = dict.fromkeys(SCORES, np.nan)
    scored = [row | nothing for row in rows if row["labels"] is None]
    fitted = [row for row in rows if row["labels"] is not None]
    fitted.sort(key=lambda row: (row["setting"], row["repetition"], row["key"]))
    for setting_id, group in groupby(fitted, key=lambda row: row["setting"]):
        setting = settings[setting_id]
        dataset = read_dataset(dataset_files[setting.dataset], views=list(setting.views))
        masks = read_masks(mask_files[setting.masks], setting_id)
        y = dataset.y[masks["rows"]]
        views = [dense(X)[masks["rows"]] for X in dataset.Xs]
        observed = None
        for repetition, same_mask in groupby(group, key=lambda row: row["repetition"]):
            presence = masks["presence"][repetition]
            if observed is None or (presence != observed).any():
                observed = presence
                Xs = [balanced(X, present) for X, present in zip(views, presence.T, strict=True)]
            if setting.per_view:
                ids = rows_of_views(masks, repetition)
                parts = [
                    (y[i], Silhouettes([X[i]], np.ones((len(i), 1), dtype=bool)))
                    for X, i in zip(Xs, ids, strict=True)
                ]
                scored += [row | _score_views(row, ids, parts) for row in same_mask]
            else:
                whole = Silhouettes(Xs, presence)
                for row in same_mask:
                    scored.append(row | _score(unpack_labels(row["labels"]), y, whole))
    return _with_agreement(scored, settings)


def _score(labels: np.ndarray, y: np.ndarray, silhouettes: Silhouettes) -> dict[str, float]:
    known = (y >= 0).all()
    external = score(y, labels) if known else {m.name: np.nan for m in _metrics_of("classes")}
    return external | {m.name: m.function(silhouettes, labels) for m in _metrics_of("instances")}


def _metrics_of(what: str) -> list[Metric]:
    return [metric for metric in SCORES.values() if metric.takes == what]


def _with_agreement(scored: list[dict], settings: dict[str, Setting]) -> list[dict]:
    """Add the metrics of fits that differ only in their repetition."""
    groups = defaultdict(list)
    for place, row in enumerate(scored):
        if row["labels"] is not None and not settings[row["setting"]].per_view:
            groups[row["setting"], row["method"], canonical(row["params"])].append(place)
    missing = {metric.name: np.nan for metric in _metrics_of("partitions")}
    scored = [row | missing for row in scored]
    for places in groups.values():
        partitions = [unpack_labels(scored[place]["labels"]) for place in places]
        for metric in _metrics_of("partitions"):
            for place, value in zip(places, metric.function(partitions).tolist(), strict=True):
                scored[place][metric.name] = value
    return scored


def _score_views(row: Mapping, ids: list[np.ndarray], parts: list[tuple]) -> dict:
    """Scores of every view on its own rows, and their means."""
    labels = unpack_labels(row["labels"])
    if row["sizes"] is None:
        labels = [labels[rows] for rows in ids]
    else:
        labels = np.split(labels, np.cumsum(row["sizes"])[:-1])
    scores = [_score(of_view, *part) for of_view, part in zip(labels, parts, strict=True)]
    means = {name: float(np.mean([view[name] for view in scores])) for name in scores[0]}
    return means | {"per_view": scores}


def runs_table(scored: list[dict]) -> pd.DataFrame:
    """Convert scored rows to a sorted table for parquet, with a typed column per parameter."""
    params = [{f"{PARAMETER}{n}": x for n, x in row["params"].items()} for row in scored]
    table = pd.DataFrame([row | of for row, of in zip(scored, params, strict=True)])
    packed = [row["labels"] for row in scored]
    table["labels"] = [None if text is None else unpack_labels(text) for text in packed]
    table["versions"] = [json.dumps(v, sort_keys=True) for v in table["versions"]]
    table["variant"] = [row["params"].get("variant", "") for row in scored]
    table["params"] = table["params"].map(canonical)
    if "per_view" not in table:
        table["per_view"] = None
    for name in ("n_iter", "n_samples", "n_samples_declared", "samples", "seed", "tries"):
        table[name] = table[name].astype("Int64")
    table = _one_type_per_parameter(table)
    first = [*ORDER, *sorted(name for name in table if name.startswith(PARAMETER))]
    table = table.sort_values([*ORDER, "params"], ignore_index=True).drop(columns="params")
    return table[first + [name for name in table.columns if name not in first]]


def _one_type_per_parameter(table: pd.DataFrame) -> pd.DataFrame:
    """Give each parameter one type for parquet: truth values, numbers, or else texts."""
    columns = [name for name in table if name.startswith(PARAMETER)]
    return table.assign(**{name: _one_type(table[name]) for name in columns})


def _one_type(column: pd.Series) -> pd.Series:
    kind = pd.api.types.infer_dtype(column.dropna().astype(object))
    if kind in ("boolean", "empty"):
        return column.astype("boolean")
    if kind in ("integer", "floating", "mixed-integer-float"):
        return column.astype(float)
    return column.map(_text, na_action="ignore").astype("string")


def _text(value: Any) -> str:
    is_number = pd.api.types.is_number(value) and not pd.api.types.is_bool(value)
    return f"{value:g}" if is_number else value_text(value)


def merge_runs(tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Join the runs of several experiments, each fit once; refuse two arithmetics."""
    if not tables:
        return pd.DataFrame(columns=ALWAYS)
    table = pd.concat([t for t in tables if len(t)] or tables[:1], ignore_index=True)
    require_one_arithmetic(table)
    table = _one_type_per_parameter(table.drop_duplicates("key"))
    return table.sort_values(ORDER, ignore_index=True, kind="stable")


class TwoArithmetics(ValueError):
    """Fits whose arithmetics differ by more than a table shows."""


def require_one_arithmetic(table: pd.DataFrame) -> None:
    """Refuse a table of runs whose fits were computed by different arithmetics."""
    fields = [*Arithmetic._fields, "threads"]
    fits = table.reindex(columns=[*fields, "commit"]).astype(object).fillna("not recorded")
    groups = fits.groupby(fields, sort=False)["commit"]
    if groups.ngroups > 1:
        parts = [
            f"{counted(len(commits), 'fit')} with {Arithmetic(*of[:3])}, threads {of[3]} (commit "
            f"{commits.iloc[0]})"
            for of, commits in groups
        ]
        raise TwoArithmetics(f"no table mixes arithmetics: {'; '.join(parts)}; run all here")


def digits_of(table: pd.DataFrame) -> list[str]:
    """`own_digits` of each fit; empty where its arithmetic was not recorded."""
    if not {*Arithmetic._fields} <= set(table):
        return [""] * len(table)
    rows = table[[*Arithmetic._fields]].astype(object).itertuples(index=False, name=None)
    return ["" if pd.isna(row[0]) else own_digits(Arithmetic(*row)) for row in rows]


def scores_and_fitted(
    table: pd.DataFrame, curves: Collection[str]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Split off labels and objectives; the first part keeps the objectives of `curves`."""
    fitted = table.reindex(columns=["key", "labels", "objective"])
    runs = table.drop(columns="labels", errors="ignore")
    shown = table["key"].isin(curves)
    return runs.assign(objective=fitted["objective"].where(shown, None)), fitted


def write_runs(table: pd.DataFrame, path: Path) -> None:
    """Write the table of runs as parquet, completely or not at all."""
    with completed(path) as unfinished:
        table.to_parquet(unfinished, index=False, compression="zstd")


def read_runs(path: Path | str, keys: Collection[str] | None = None) -> pd.DataFrame:
    """Read what `write_runs` wrote; DamagedFile if it is truncated or lacks one of `keys`."""
    with damage_named(path):
        table = pd.read_parquet(path)
        if "key" not in table:
            raise DamagedFile(path, "it has no column key")
        missing = set(keys or ()) - set(table["key"])
    if missing:
        raise DamagedFile(path, f"{len(missing)} of {len(keys)} fits are not in it")  # pyright: ignore[reportArgumentType]
    return table


def write_costs(table: pd.DataFrame, path: Path | str) -> None:
    """Write the cost of fits by data set and method: of a start per mask, and of each fit."""
    fitted = table[table["error"].isna()]
    # What a fit shares with another was spent by one of the two: a start, or a whole solution.
    spent = fitted["spent_cpu_seconds"]
    start = (spent - (fitted["cpu_seconds"] - fitted["start_cpu_seconds"])).clip(lower=0)
    fitted = fitted.assign(
        samples=fitted["samples"].fillna(0).astype(int),
        views=fitted["views"].map(len),
        fit=spent - start,
        start=start,
    )
    key = list(OF_COSTS)
    masks = fitted.groupby([*key, "setting", "repetition"])["start"].sum().groupby(key)
    fits = fitted.groupby(key)["fit"]
    costs = pd.DataFrame({
        "masks": masks.size(), "fits": fits.size(),
        "start_cpu_seconds": masks.mean(), "fit_cpu_seconds": fits.mean(),
        "memory_mb": fitted.groupby(key)["peak_mb"].max(),
    }).reset_index()  # fmt: skip
    with completed(path) as unfinished:
        costs.to_csv(unfinished, index=False, float_format="%.4f", lineterminator="\n")


def make_scores(used: dict) -> None:
    """Make the scores of an experiment from its fits."""
    inputs, fits = used["inputs"], used["fits"]
    rows = [row for job, path in inputs["fits"].items() for row in read_rows(path, fits[job])]
    settings = {i: Setting.from_record(record) for i, record in used["settings"].items()}
    scored = score_rows(rows, settings, inputs["data"], inputs["masks"])
    write_runs(runs_table(scored), used["outputs"][0])


def make_runs(used: dict) -> None:
    """Make the table of runs of all experiments, and that of their costs."""
    table = merge_runs([read_runs(path) for path in used["inputs"]["scores"]])
    runs, fitted = scores_and_fitted(table, used["curves"])
    of_runs, of_fitted, costs = used["outputs"]
    write_runs(runs, of_runs)
    write_runs(fitted, of_fitted)
    write_costs(runs, costs)
