"""The page of a run, or of one paper, from the files that its rules wrote."""

import json
from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from mvclust.bench.record.manifest import make_manifest, write_manifest
from mvclust.bench.report.answer import DRAWINGS
from mvclust.bench.report.claims import for_page
from mvclust.bench.report.page import write_page
from mvclust.bench.report.published import comparison_of
from mvclust.bench.report.titles import TITLES
from mvclust.bench.score.results import read_finding, read_results
from mvclust.bench.score.runs import merge_runs, read_runs
from mvclust.datasets.files import sha256_of

EXTRA_TABLES = {name: each.title for name, each in TITLES.items() if each.page}
EXTRA_FIGURES = {each.figure: name for name, each in TITLES.items() if each.figure}


def make_page(used: dict) -> None:
    """Make the page of a run or a paper, and the manifest of a run beside it."""
    page, *others = map(Path, used["outputs"])
    manifest = write_run_page(page, used)
    manifest["sha256"][page.name] = sha256_of(page)
    for file in others:
        write_manifest(manifest, file)


def write_run_page(
    page: Path | str, used: dict, lost: pd.DataFrame | None = None, made_by: dict | None = None
) -> dict:
    """Write the page of a run or a paper beside its tables and figures; return its manifest.

    `lost` are failed jobs of an unfinished run, `made_by` is the manifest of a run that is redrawn.
    """
    inputs, where = used["inputs"], used["where"]
    page, results, made = Path(page), inputs["results"], set(inputs["products"])
    figures, tables = page.parent / "figures", page.parent / "tables"
    by_id = {name: read_results(path) for name, path in results.items()}
    runs = merge_runs([read_runs(path) for path in inputs["scores"]])
    manifest = made_by or make_manifest(
        runs=runs, config=used["config"], root=where["root"],
        records=where["records"], folder=page.parent, files=inputs["products"],
    )  # fmt: skip
    stated = {use["id"]: use["title"] for use in used["statistics"]} | EXTRA_TABLES
    shown = {each["id"]: each["id"] for each in used["experiments"] + used["partitions"]}
    write_page(
        page,
        used,
        results=by_id,
        findings={name: read_finding(path) for name, path in results.items()},
        figures=_figures(figures, shown, made),
        statistics={
            name: (title, _read_table(tables / f"{name}.csv"))
            for name, title in stated.items()
            if str(tables / f"{name}.csv") in made
        },
        comparison=comparison_of(used["compared"], by_id),
        extra_figures=_figures(figures, EXTRA_FIGURES, made),
        manifest=manifest,
        runs=runs,
        lost=lost,
        answer=_answer(inputs, figures),
    )
    return manifest


def _answer(inputs: dict, figures: Path) -> tuple[dict, dict] | None:
    """Content of answer.json and the paths of its pictures; None without an answer."""
    if "answer" not in inputs:
        return None
    (path,) = inputs["answer"]
    content = json.loads(Path(path).read_text(encoding="utf-8"))
    return content, {name: figures / f"answer_{name}.svg" for name in DRAWINGS}


def _figures(folder: Path, names: Mapping[str, str], made: set[str]) -> dict[str, Path]:
    """Paths of the available figures by title."""
    paths = {title: folder / f"{name}.svg" for title, name in names.items()}
    return {title: path for title, path in paths.items() if str(path) in made}


def _read_table(path: Path) -> pd.DataFrame:
    """Table as text; the main columns of the ledger, the failed rows of the checks."""
    if path.stem == "claims":
        return for_page(pd.read_csv(path))
    table = pd.read_csv(path, dtype=str, keep_default_na=False)
    if path.stem == "consistency":
        return table[table["holds"] == "False"].drop(columns="holds")
    return table
