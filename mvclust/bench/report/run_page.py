"""The page of a run, or of one paper, from the files that its rules wrote."""

import json
from pathlib import Path

import pandas as pd

from mvclust.bench.record.manifest import make_manifest
from mvclust.bench.report.answer import DRAWINGS
from mvclust.bench.report.claims import TITLE as CLAIMS
from mvclust.bench.report.claims import for_page
from mvclust.bench.report.consistency import TITLE as CONSISTENCY
from mvclust.bench.report.multiverse import ABOUT
from mvclust.bench.report.page import write_page
from mvclust.bench.report.published import comparison_of
from mvclust.bench.report.style import look_of
from mvclust.bench.score.results import read_finding, read_results
from mvclust.bench.score.runs import merge_runs, read_runs

EXTRA_TABLES = {
    "claims": CLAIMS,
    "consistency": CONSISTENCY,
    **{name: title for name, (title, _) in ABOUT.items() if name != "multiverse_protocols"},
}
EXTRA_FIGURES = {
    CLAIMS: "claims",
    "Published beside reproduced": "published_vs_reproduced",
    "Specification curves": "multiverse",
    "What an option is worth": "multiverse_effects",
    "Cost": "cost",
}


def write_run_page(page, used, *, root, lost=None, made_by=None):
    """Write the report page of a run, or of one paper.

    Parameters
    ----------
    page : path
        Tables and figures are in folders beside it.
    used : dict
        The page's slice of the plan. Of its inputs "scores" and "results" are what the rules score
        and experiment wrote, "products" tables and figures.
    root : path-like
        The project's folder.
    lost : DataFrame, default=None
        The jobs that failed, of a run that did not finish.
    made_by : dict, default=None
        The manifest of a run whose results are drawn again; by default one is made.

    Returns
    -------
    dict
        The manifest.
    """
    inputs = used["inputs"]
    page, results, made = Path(page), inputs["results"], set(inputs["products"])
    figures, tables = page.parent / "figures", page.parent / "tables"
    by_id = {name: read_results(path) for name, path in results.items()}
    runs = merge_runs([read_runs(path) for path in inputs["scores"]])
    manifest = made_by or make_manifest(
        runs=runs,
        config=used["config"],
        root=root,
        records=used["where"]["records"],
        folder=page.parent,
        files=inputs["products"],
    )
    stated = {use["id"]: use["title"] for use in used["statistics"]} | EXTRA_TABLES
    drawn = used["experiments"] + used["partitions"]
    write_page(
        page,
        title=used["title"],
        experiments=drawn,
        results=by_id,
        findings={name: read_finding(path) for name, path in results.items()},
        figures=_figures(figures, {use["id"]: use["id"] for use in drawn}, made),
        statistics={
            name: (title, _read_table(tables / f"{name}.csv"))
            for name, title in stated.items()
            if str(tables / f"{name}.csv") in made
        },
        comparison=comparison_of(used["compared"], by_id),
        extra_figures=_figures(figures, EXTRA_FIGURES, made),
        manifest=manifest,
        runs=runs,
        looks=look_of(used["looks"]),
        protocols=used["multiverse"],
        controls=used["controls"],
        lost=lost,
        answer=_answer(inputs, figures),
    )
    return manifest


def _answer(inputs, figures):
    """The content of answer.json and the paths of its pictures; None if there is no answer."""
    if "answer" not in inputs:
        return None
    (path,) = inputs["answer"]
    content = json.loads(Path(path).read_text(encoding="utf-8"))
    return content, {name: figures / f"answer_{name}.svg" for name in DRAWINGS}


def _figures(folder, names, made):
    """Title -> path of the figures that exist."""
    paths = {title: folder / f"{name}.svg" for title, name in names.items()}
    return {title: path for title, path in paths.items() if str(path) in made}


def _read_table(path):
    """A table as text; of the ledger what a reader needs first, of the checks those that fail."""
    if path.stem == "claims":
        return for_page(pd.read_csv(path))
    table = pd.read_csv(path, dtype=str, keep_default_na=False)
    if path.stem == "consistency":
        return table[table["holds"] == "False"].drop(columns="holds")
    return table
