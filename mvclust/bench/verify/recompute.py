"""One cell of a table, computed again from the table of runs, with the fits behind it."""

from pathlib import Path

import numpy as np
import pandas as pd

from mvclust.bench.config.messages import counted, unknown
from mvclust.bench.plan.settings import Setting
from mvclust.bench.score.names import FIXED, params_text, setting_text
from mvclust.bench.score.significance import summarise
from mvclust.bench.score.tuning import CRITERIA, of_view
from mvclust.bench.verify.finished import FinishedRun, NotChecked
from mvclust.metrics import INTERNAL, SCORES

WORDS = ["dataset", "setting", "method", "variant", "tuning", "metric", "params"]
ARITHMETIC = {
    "mean": "sum of the scores / n",
    "std": "root of: sum of squared distances from the mean / (n - 1)",
    "ci_low": "mean - t(0.975, n - 1) * std / root of n, at least the worst score",
    "ci_high": "mean + t(0.975, n - 1) * std / root of n, at most the best score",
    "n_runs": "n, the fits with a score",
}


def check(
    folder: Path | str, root: Path | str, table: str, words: list[str]
) -> tuple[list[str], bool]:
    """Recompute one cell (see `find_row`) from the table of runs: lines, and whether all agree."""
    run = FinishedRun(folder, root)
    row = find_row(run.table(table, {*WORDS, *ARITHMETIC, "published"}), words)
    runs = run.runs.set_index("key")
    name = table.removesuffix("_extended")
    form = getattr(run.plan([name]).study.chosen[name], "form", None)
    uses = run.plan([name, *(form.beside if form else [])]).slices["experiment"].values()
    used, points = next(((u, p) for u in uses if (p := _points(u, row))), ({}, []))
    if not points:
        raise NotChecked(f"{table} has no such cell as it is configured today.")
    keys = {key for point in points for key in point["keys"]}
    run.require(keys - set(runs.index), f"this cell as {table}")
    return _compared(used, row, points, [runs.loc[point["keys"]] for point in points])  # pyright: ignore[reportArgumentType]


def find_row(rows: pd.DataFrame, words: list[str]) -> dict:
    """Row of a table of results that has all words: data set, setting, method, metric, ..."""
    for word in words:
        known = pd.unique(rows[WORDS].to_numpy().ravel())
        rows = rows[(rows[WORDS] == word).any(axis=1)]
        if rows.empty:
            raise NotChecked(unknown("value", word, filter(None, known)))
    if len(rows) != 1:
        several = [name for name in WORDS if rows[name].nunique() > 1] or WORDS
        values = ", ".join(map(repr, pd.unique(rows[several[0]])))
        raise NotChecked(f"{len(rows)} cells have these values; add a {several[0]}: {values}.")
    return rows.iloc[0].to_dict()


def _points(used: dict, row: dict) -> list[dict]:
    """Grid points of a cell, each with the keys of its fits; empty if it has none."""
    if row["metric"] not in used["metrics"] or row["tuning"] not in (FIXED, *CRITERIA):
        return []
    methods = [method["key"] for method in used["methods"] if method["label"] == row["method"]]
    for case in used["cases"]:
        setting = Setting.from_record(case["setting"])
        here = row["setting"] if setting.per_view else setting_text(setting.columns)
        if (case["label"], here) == (row["dataset"], row["setting"]):
            points = [point for key in methods for point in case["points"].get(key, [])]
            known = [params_text([point["values"]]) for point in points]
            return points if row["tuning"] != FIXED or row["params"] in known else []
    return []


def _compared(
    used: dict, row: dict, points: list[dict], runs: list[pd.DataFrame]
) -> tuple[list[str], bool]:
    """Lines of `check`, from the row of a cell, the points of its grid, and their runs."""
    texts = [params_text([point["values"]]) for point in points]
    if row["tuning"] == FIXED:
        chosen, chosen_by = np.full(len(runs[0]), texts.index(row["params"])), "nothing is chosen"
    else:
        criterion = CRITERIA[row["tuning"]]
        chosen, chosen_by = criterion.choose(runs), criterion.text
    if chosen is None:
        raise NotChecked(f"{row['dataset']} has no classes to choose by.")
    column = SCORES[used["metrics"][row["metric"]]]
    factor = 100.0 if used["unit"] == "percent" else 1.0
    if (view := row["setting"].removeprefix("view=")) == row["setting"]:
        scores = [list(of[column.name]) for of in runs]
    else:
        scores = [of_view(of["per_view"], int(view), column.name) for of in runs]
    scores = factor * np.array(scores, float)
    grid = pd.DataFrame({
        "": np.where(np.isin(range(len(points)), chosen), "*", ""),
        row["metric"]: pd.DataFrame(scores).mean(axis=1),
        "accuracy": [of["acc"].mean() for of in runs],
        INTERNAL: [of[INTERNAL].mean() for of in runs],
        "point": texts,
    })  # fmt: skip
    fits = pd.DataFrame([runs[p].iloc[mask] for mask, p in enumerate(chosen)])
    of_cell = scores[chosen, range(len(chosen))]
    shown = pd.DataFrame({
        row["metric"]: of_cell,
        **{name: list(fits[name]) for name in ("repetition", "seed", "n_samples", "code")},
        "fit": fits.index,
        "point": [texts[p] for p in chosen],
    }).rename(columns={"repetition": "mask", "n_samples": "samples"})  # fmt: skip
    summary, bounds = summarise(of_cell), factor * np.array(column.bounds)
    summary |= {end: np.clip(summary[end], *bounds) for end in ("ci_low", "ci_high")}
    again = {name: "" if np.isnan(x) else f"{x:.6f}" for name, x in summary.items()}  # as in a csv
    again["n_runs"] = str(summary["n_runs"])
    differing = [name for name in ARITHMETIC if row[name] != again[name]]
    lines = [
        ", ".join(row[name] for name in WORDS[:-1] if row[name]),
        f"grid: {counted(len(grid), 'point')}, means over {counted(len(fits), 'mask')}; "
        f"{chosen_by} (*)",
        _text(grid),
        "chosen fits, one per mask",
        _text(shown),
        f"{'':8} {'here':>12} {'committed':>12}",
        *(f"{n:8} {again[n]:>12} {row[n]:>12}  {how}" for n, how in ARITHMETIC.items()),
        *([f"{'printed':8} {'':12} {row['published']:>12}"] if row["published"] else []),
        f"differs: {', '.join(differing)}" if differing else "the same numbers",
    ]
    return lines, not differing


def _text(table: pd.DataFrame) -> str:
    """A table as indented text; missing values stay empty."""
    text = table.to_string(index=False, na_rep="", float_format="{:.6f}".format)
    return "\n".join(f"  {line.rstrip()}" for line in text.splitlines())
