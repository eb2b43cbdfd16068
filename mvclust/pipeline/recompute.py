"""One cell of a table, computed again from the table of runs, with the fits behind it."""

import os
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import stats

from mvclust.metrics import INTERNAL, SCORES
from mvclust.pipeline.config.load import ConfigError, load
from mvclust.pipeline.config.sentences import counted, unknown
from mvclust.pipeline.plan.costs import Costs
from mvclust.pipeline.plan.plan import Plan
from mvclust.pipeline.plan.settings import Setting
from mvclust.pipeline.record.made import read_json
from mvclust.pipeline.score.names import FIXED, params_text, setting_text
from mvclust.pipeline.score.runs import read_runs
from mvclust.pipeline.score.tuning import CRITERIA

WORDS = ("dataset", "setting", "method", "variant", "tuning", "metric", "params")
NUMBERS = ("mean", "std", "ci_low", "ci_high")
CONFIDENCE = 0.95


class NotChecked(ValueError):
    """Why a number cannot be checked, in one sentence."""


class Cell(NamedTuple):
    """A cell of a table, and what it follows from.

    Attributes
    ----------
    row : dict
        The row of the table, as texts.
    chosen_by : str
        How its parameters are chosen.
    grid : DataFrame
        One row per point: chosen, the means over the masks, the point.
    fits : DataFrame
        One row per mask: the fit that counts.
    again : dict
        The numbers of the row as they follow from the fits, as texts.
    """

    row: dict
    chosen_by: str
    grid: pd.DataFrame
    fits: pd.DataFrame
    again: dict

    @property
    def differing(self):
        """Names of the numbers that are others in the table."""
        return [name for name, text in self.again.items() if self.row[name] != text]


def plan_of(folder, root, experiments=None):
    """The plan of a run that was made, by the configuration of today.

    Parameters
    ----------
    folder : path-like
        The results of the run.
    root : path-like
        The project's folder.
    experiments : list of str, default=None
        By default those of the run.

    Returns
    -------
    Plan

    Raises
    ------
    NotChecked
        If the configuration of today cannot say what the run was.
    """
    manifest = read_json(Path(folder, "manifest.json"))
    if manifest is None:
        raise NotChecked(
            f"{folder} has no manifest.json; expected the results folder of a run, such as "
            "results/default."
        )
    config = dict(manifest["config"])
    if experiments is not None:
        config["experiments"] = experiments
    try:
        configuration = load(config, root, mirror=os.environ.get("MVCLUST_MIRROR"))
    except ConfigError as error:
        raise NotChecked(
            f"{folder} was made at commit {manifest['commit']} by another configuration: {error}"
        ) from error
    return Plan(configuration, root, Costs({}))


def runs_of(folder):
    """The table of runs of a results folder.

    Raises
    ------
    NotChecked
        If it is not there.
    """
    path = Path(folder, "runs.parquet")
    if not path.is_file():
        raise NotChecked(f"{path} is not there; a run writes it, of some it is not committed.")
    return read_runs(path)


def recompute(folder, root, table, words):
    """Compute one cell of a table again.

    Parameters
    ----------
    folder : path-like
        The results of a run.
    root : path-like
        The project's folder.
    table : str
        Id of an experiment.
    words : list of str
        Each is a value in the cell's row of the csv: its data set, setting, method, variant,
        tuning, metric or params. Together they name one row.

    Returns
    -------
    Cell

    Raises
    ------
    NotChecked
        If there is no such cell, or a fit behind it is not in the table of runs.
    """
    row = find_row(Path(folder, "tables", f"{table}.csv"), words)
    runs = runs_of(folder)
    used = plan_of(folder, root, [table]).slices["experiment"].get(table)
    if used is None:
        raise NotChecked(f"{table} does not follow from fits.")
    points = _points(used, row)
    missing = {key for point in points for key in point["keys"]} - set(runs["key"])
    if missing:
        raise NotChecked(
            f"{folder} lacks {counted(len(missing), 'fit')} of this cell as {table} is configured "
            "today; run it again, or check out the commit in its manifest."
        )
    return _computed(used, row, points, runs.set_index("key"))


def find_row(path, words):
    """The row of a table that some words name.

    Parameters
    ----------
    path : path-like
        A csv with results.
    words : list of str

    Returns
    -------
    dict
        All cells as texts.
    """
    if not path.is_file():
        tables = sorted(each.stem for each in path.parent.glob("*.csv"))
        raise NotChecked(unknown("table", path.stem, tables))
    rows = pd.read_csv(path, dtype=str, keep_default_na=False)
    if not {*WORDS, *NUMBERS} <= set(rows):
        raise NotChecked(f"{path} is no table of results.")
    for word in words:
        fits = (rows[list(WORDS)] == word).any(axis=1)
        if not fits.any():
            known = sorted({*rows[list(WORDS)].to_numpy().ravel()} - {""})
            raise NotChecked(unknown("word", word, known))
        rows = rows[fits]
    if len(rows) > 1:
        open_ = {name: list(dict.fromkeys(rows[name])) for name in WORDS}
        choices = [f"{name} ({', '.join(of)})" for name, of in open_.items() if len(of) > 1]
        raise NotChecked(f"{len(rows)} cells fit; name also {'; '.join(choices)}.")
    return rows.iloc[0].to_dict()


def _points(used, row):
    """The points of the grid of a cell, each with the keys of its fits."""
    for case in used["cases"]:
        setting = Setting.from_record(case["setting"])
        here = row["setting"] if setting.per_view else setting_text(setting.columns)
        if (case["label"], here) != (row["dataset"], row["setting"]):
            continue
        for method in used["methods"]:
            if method["label"] == row["method"] and method["key"] in case["points"]:
                return case["points"][method["key"]]
    raise NotChecked(f"{used['id']} has no such cell as it is configured today.")


def _computed(used, row, points, by_key):
    """The cell, from its row, the points of its grid and the runs."""
    column = used["metrics"][row["metric"]]
    factor = 100.0 if used["unit"] == "percent" else 1.0
    runs = [by_key.loc[point["keys"]] for point in points]
    if row["tuning"] == FIXED:
        texts = [params_text([point["values"]]) for point in points]
        chosen = np.full(len(runs[0]), texts.index(row["params"]))
        chosen_by = "nothing is chosen"
    else:
        criterion = CRITERIA[row["tuning"]]
        chosen, chosen_by = criterion.choose(runs), criterion.text
    scores = [[_score(fit, column, row["setting"]) for fit in _rows(of)] for of in runs]
    grid = pd.DataFrame({
        "": ["*" if p in chosen else "" for p in range(len(points))],
        row["metric"]: [factor * np.nanmean(of) for of in scores],
        "accuracy": [of["acc"].mean() for of in runs],
        INTERNAL: [of[INTERNAL].mean() for of in runs],
        "point": [params_text([point["values"]]) for point in points],
    })  # fmt: skip
    counted_ = [runs[p].iloc[mask] for mask, p in enumerate(chosen)]
    of_cell = np.array([scores[p][mask] for mask, p in enumerate(chosen)], dtype=float)
    fits = pd.DataFrame({
        row["metric"]: factor * of_cell,
        "mask": [fit["repetition"] for fit in counted_],
        "seed": [fit["seed"] for fit in counted_],
        "samples": [fit["n_samples"] for fit in counted_],
        "code": [fit["code"] for fit in counted_],
        "fit": [fit.name for fit in counted_],
        "point": [params_text([points[p]["values"]]) for p in chosen],
    })  # fmt: skip
    return Cell(row, chosen_by, grid, fits, _summary(of_cell, SCORES[column].bounds, factor))


def _rows(table):
    return table.to_dict("records")


def _score(fit, column, setting):
    """A score of a fit: of all views, or of the one that the setting names."""
    view = setting.removeprefix("view=")
    if view == setting:
        return fit[column]
    return np.nan if fit["per_view"] is None else fit["per_view"][int(view) - 1][column]


def _summary(scores, bounds, factor):
    """Mean, deviation and Student's interval of the masks, as a csv has them."""
    scores = scores[~np.isnan(scores)]
    n = len(scores)
    mean = scores.mean() if n else np.nan
    std = scores.std(ddof=1) if n > 1 else np.nan
    half = stats.t.ppf((1 + CONFIDENCE) / 2, n - 1) * std / np.sqrt(n) if n > 1 else np.nan
    ends = np.clip([mean - half, mean + half], *bounds)
    numbers = dict(zip(NUMBERS, factor * np.array([mean, std, *ends]), strict=True))
    texts = {name: "" if np.isnan(x) else f"{x:.6f}" for name, x in numbers.items()}
    return texts | {"n_runs": str(n)}


def described(cell):
    """A cell as lines of text.

    Parameters
    ----------
    cell : Cell

    Returns
    -------
    list of str
    """
    row = cell.row
    place = [row[name] for name in WORDS[:-1] if row[name]]
    masks = counted(len(cell.fits), "mask")
    lines = [
        ", ".join(place),
        f"grid of {counted(len(cell.grid), 'point')}, means over {masks}; {cell.chosen_by} (*):",
        _text(cell.grid),
        f"fits that count, of {masks}:",
        _text(cell.fits),
    ]
    lines += [f"{name:7} {text:>12}  in the table {row[name]}" for name, text in cell.again.items()]
    if row["published"]:
        lines.append(f"printed {row['published']:>12}")
    differing = ", ".join(cell.differing)
    return [*lines, f"differs: {differing}" if differing else "the same numbers"]


def _text(table):
    """A table as indented text; missing values stay empty."""
    text = table.to_string(index=False, na_rep="", float_format="{:.6f}".format)
    return "\n".join(f"  {line.rstrip()}" for line in text.splitlines())
