"""The one reader of the folder of a finished run."""

import contextlib
import json
import os
import tempfile
from collections.abc import Iterator
from functools import cached_property
from numbers import Real
from pathlib import Path

import numpy as np
import pandas as pd

from mvclust.bench.config.load import ConfigError, load
from mvclust.bench.config.messages import counted, unknown
from mvclust.bench.plan.costs import Costs
from mvclust.bench.plan.folders import Folders
from mvclust.bench.plan.plan import Plan
from mvclust.bench.record.records import read_json
from mvclust.bench.score.runs import TwoArithmetics, read_runs, write_runs
from mvclust.datasets.files import DamagedFile, DataNotAvailable, damage_named
from mvclust.metrics import SCORES

# Columns of a table of runs by what they hold; those of `GAPS` lack a value in some rows.
TEXTS = ("key", "dataset", "method", "setting", "estimator", "code", "versions", "source")
TEXTS += ("data_sha256", "error", "commit")
NUMBERS = ("repetition", "tries", "threads", "seed", "samples", "n_samples", "n_samples_declared")
NUMBERS += ("n_iter", "peak_mb", "cpu_seconds", "start_cpu_seconds", "spent_cpu_seconds")
NUMBERS += ("wall_seconds", *SCORES)
LISTS = {"views": str, "warnings": str, "objective": Real, "per_view": object}  # of what
GAPS = {"error", "commit", "objective", "per_view", *NUMBERS} - {"repetition", "tries", "threads"}
EXPECTED = "expected the results folder of a run, such as results/default"
MOST_SECONDS = 1e15
DESCRIBED = ("config", "cost", "libraries", "sha256")  # what a manifest says, each as an object


class NotChecked(ValueError):
    """Why a number cannot be checked, in one sentence."""


REFUSED = (NotChecked, TwoArithmetics, DataNotAvailable, DamagedFile)


class FinishedRun:
    """A folder of results; NotChecked or DamagedFile if it is that of no run, or damaged.

    >>> FinishedRun("nowhere", ".").manifest
    Traceback (most recent call last):
    ...
    mvclust.bench.verify.finished.NotChecked: nowhere has no manifest.json ...
    """

    def __init__(self, folder: Path | str, root: Path | str) -> None:
        self.folder, self.root = Path(folder), Path(root)

    @cached_property
    def _said(self) -> dict:
        return read_json(self.folder / "manifest.json") or {}

    @cached_property
    def manifest(self) -> dict:
        """What the run says of itself."""
        manifest = self._said
        missing = [name for name in DESCRIBED if not isinstance(manifest.get(name), dict)]
        if missing or not _is_cost(manifest["cost"]):
            lacking = [*missing, "cost"][0]
            where = f"{self.folder} has no manifest.json with a {lacking}, or a damaged one"
            raise NotChecked(f"{where}; {EXPECTED}.")
        return manifest

    @property
    def commit(self) -> str | None:
        """Commit of the code that made the run; None if unknown."""
        commit = self._said.get("commit")
        return commit if isinstance(commit, str) else None

    @property
    def code(self) -> dict[str, dict]:
        """Code of the fits of each method (`record.manifest.code_of_methods`); empty if unknown."""
        code = self._said.get("code")
        return code if isinstance(code, dict) and all(map(_is_code, code.values())) else {}

    @cached_property
    def runs(self) -> pd.DataFrame:
        """The table of runs."""
        path = self.folder / "runs.parquet"
        if not path.is_file():
            raise NotChecked(f"{path} does not exist; {EXPECTED}; not all have one in git.")
        runs = read_runs(path)
        missing = [name for name in (*TEXTS, *NUMBERS, *LISTS) if name not in runs]
        if missing:
            raise NotChecked(f"{path} is no table of runs: it has no column {missing[0]}.")
        wrong = next(_wrong_columns(runs), None)
        if wrong:
            raise NotChecked(f"{path} is no table of runs: see its column {wrong}.")
        return runs

    def plan(self, experiments: list[str] | None = None, folders: Folders | None = None) -> Plan:
        """Plan of the run by today's configuration, for its experiments by default."""
        config = self.manifest["config"] | ({"experiments": experiments} if experiments else {})
        try:
            configuration = load(config, self.root, mirror=os.environ.get("MVCLUST_MIRROR"))
        except ConfigError as error:
            raise NotChecked(
                f"{self.folder} was made by another configuration than that of today: "
                f"{error.problems[0].removeprefix('--config: ')}"
            ) from error
        return Plan(configuration, self.root, Costs({}), folders=folders)

    @contextlib.contextmanager
    def drawing(self, runs: pd.DataFrame) -> Iterator[Plan]:
        """Plan that makes its products in the folder of the run, from a table of runs."""
        with tempfile.TemporaryDirectory() as work:
            plan = self.plan(folders=Folders(str(self.folder), work, work, work))
            for part in ("scores", "results"):
                Path(work, part).mkdir()
            place = {key: i for i, key in enumerate(runs["key"])}
            for name, use in plan.slices["score"].items():
                keys = {key for keys in use["fits"].values() for key in keys}
                self.require(keys - place.keys(), f"{name} as it")
                rows = runs.iloc[sorted(map(place.get, keys))]  # pyright: ignore[reportArgumentType]
                write_runs(rows, Path(plan.folders.scores(name)))
            yield plan

    def require(self, missing: set[str], what: str) -> None:
        """Raise NotChecked if fits (keys) are missing; `what` names their purpose."""
        if missing:
            raise NotChecked(
                f"{self.folder} lacks {counted(len(missing), 'fit')} of {what} is configured "
                "today; run it again, or check out the commit in its manifest.json."
            )

    def table(self, name: str, columns: set[str]) -> pd.DataFrame:
        """A table of results with some columns, all cells as texts."""
        folder = self.folder / "tables"
        path = folder / f"{name}.csv"
        if not path.is_file():
            tables = sorted(each.stem for each in folder.glob("*.csv") if each.is_file())
            where = f"{folder} holds no tables; {EXPECTED}." if not tables else ""
            raise NotChecked(where or unknown("table", name, tables))
        with damage_named(path):
            rows = pd.read_csv(path, dtype=str, keep_default_na=False)
        if rows.empty or not columns <= set(rows):
            raise NotChecked(f"{path} is no table of results.")
        return rows


def _wrong_columns(runs: pd.DataFrame) -> Iterator[str]:
    """Yield the names of columns whose cells no table of runs has."""
    whole = [name for name in (*TEXTS, *NUMBERS, *LISTS) if name not in GAPS]
    yield from (name for name in whole if runs[name].isna().any())
    mixed = (name for name in TEXTS if not isinstance(runs[name].dtype, pd.StringDtype))
    yield from (name for name in mixed if not all(map(_is_text, runs[name].dropna())))
    yield from (name for name in NUMBERS if not pd.api.types.is_numeric_dtype(runs[name]))
    yield from (name for name, of in LISTS.items() if not all(_is_list(runs[name].dropna(), of)))
    if not (runs["threads"] >= 1).all():
        yield "threads"
    if runs["error"][runs["tries"] < 1].isna().any():
        yield "tries"
    if not runs["versions"].drop_duplicates().map(_is_object).all():
        yield "versions"
    if not runs["key"].is_unique:
        yield "key"


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_list(column: pd.Series, of: type) -> Iterator[bool]:
    """Whether each cell is a list of something."""
    for cell in column:
        numbers = isinstance(cell, np.ndarray) and cell.dtype.kind in "fiu" and of is not str
        yield np.ndim(cell) > 0 and (numbers or all(isinstance(item, of) for item in cell))


def _is_code(of: object) -> bool:
    if not isinstance(of, dict) or not isinstance(of.get("commands"), list) or "code" not in of:
        return False
    return all(map(_is_text, [of.get("estimator"), *of["commands"]]))


def _is_cost(cost: dict) -> bool:
    stages = cost.get("work_cpu_seconds")
    numbers = [cost.get("cpu_seconds"), *stages.values()] if isinstance(stages, dict) else [None]
    return all(isinstance(n, int | float) and abs(n) < MOST_SECONDS for n in numbers)


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False
