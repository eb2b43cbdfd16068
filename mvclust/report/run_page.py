"""The page of a run, from the files that its rules wrote; and that of a run that did not finish."""

from pathlib import Path

import pandas as pd

from mvclust.pipeline.plan.schema import counted
from mvclust.pipeline.record.manifest import make_manifest
from mvclust.pipeline.record.progress import STOPPED, UNFINISHED, Progress
from mvclust.pipeline.score.results import read_finding, read_results
from mvclust.pipeline.score.runs import merge_runs, read_runs
from mvclust.report.consistency import TITLE as CONSISTENCY
from mvclust.report.page import write_page
from mvclust.report.published import compare
from mvclust.report.readings import TITLE as READINGS
from mvclust.report.style import look_of

EXTRA_FIGURES = {
    "Published beside reproduced": "published_vs_reproduced",
    "What a choice is worth": "readings",
    "Cost": "cost",
}
LOST = ["job", "methods", "data", "why", "log"]
MOST_TOLD = 5  # jobs that are named at the end of a run


def write_run_page(page, used, *, scores, results, products, root, jobs_folder, lost=None):
    """Write the report page of a run, or of one paper.

    Parameters
    ----------
    page : path
        Tables and figures are in folders beside it.
    used : dict
        The page's slice of the plan.
    scores, results : list of path-like
        What rules score_experiment and render_experiment wrote.
    products : list of path-like
        Tables and figures.
    root : path-like
        The project's folder.
    jobs_folder : path-like
        See `mvclust.pipeline.record.manifest.make_manifest`.
    lost : DataFrame, default=None
        The jobs that failed, of a run that did not finish.

    Returns
    -------
    dict
        The manifest.
    """
    page, there = Path(page), {str(path) for path in products}
    figures, tables = page.parent / "figures", page.parent / "tables"
    by_id = {Path(path).stem: read_results(path) for path in results}
    runs = merge_runs([read_runs(path) for path in scores])
    manifest = make_manifest(
        runs=runs,
        config=used["config"],
        root=root,
        jobs_folder=jobs_folder,
        folder=page.parent,
        files=products,
    )
    stated = {use["id"]: use["title"] for use in used["statistics"]}
    stated |= {"consistency": CONSISTENCY} | ({"readings": READINGS} if used["readings"] else {})
    drawn, compared = used["experiments"] + used["partitions"], used["compared"]
    write_page(
        page,
        title=used["title"],
        experiments=drawn,
        results=by_id,
        findings={Path(path).stem: read_finding(path) for path in results},
        figures=_figures(figures, {use["id"]: use["id"] for use in drawn}, there),
        statistics={
            name: (title, _read_table(tables / f"{name}.csv"))
            for name, title in stated.items()
            if str(tables / f"{name}.csv") in there
        },
        comparison=compare(
            compared["experiments"], by_id, compared["published"], compared["methods"]
        ),
        extra_figures=_figures(figures, EXTRA_FIGURES, there),
        manifest=manifest,
        runs=runs,
        looks=look_of(used["looks"]),
        controls=used["controls"],
        lost=lost,
    )
    return manifest


def write_unfinished(plan, plan_path, root, jobs):
    """Write the page of a run that did not finish: what it made, and which of its jobs failed.

    Nothing is written where no job failed, as where the user stopped the run.

    Parameters
    ----------
    plan : dict
    plan_path : path-like
    root : path-like
        The project's folder.
    jobs : dict
        Name of each job that the call of Snakemake asked for, done before or not -> its outputs.

    Returns
    -------
    list of str
        What to tell the user.
    """
    progress = Progress(Path(plan_path).with_name("progress.jsonl"))
    ended, waiting = progress.not_done()
    failed = {name: told for name, told in ended.items() if told[0] != STOPPED}
    if not failed or "report" not in plan["uses"]["page"]:
        return []
    page, work = Path(plan["folders"]["results"], UNFINISHED), Path(plan["folders"]["work"])
    made = {name: files for name, files in jobs.items() if name not in {*ended, *waiting}}
    used = plan["uses"]["page"]["report"]
    asked = [e for e in used["experiments"] if f"render_experiment.{e['id']}" in jobs]
    outputs = [path for files in made.values() for path in files if Path(path).exists()]
    write_run_page(
        page,
        used | {"experiments": asked},
        scores=[path for path in outputs if Path(path).parent == work / "scores"],
        results=[path for path in outputs if Path(path).parent == work / "results"],
        products=[path for path in outputs if Path(path).is_relative_to(page.parent)],
        root=root,
        jobs_folder=Path(plan_path).with_name("jobs"),
        lost=_lost(plan, failed),
    )
    told = [f"{name} failed: {reason} (log: {log})" for name, (reason, log) in failed.items()]
    more = len(told) - MOST_TOLD
    return [
        *told[:MOST_TOLD],
        *([f"{more} more failed"] if more > 0 else []),
        f"{counted(len(waiting), 'job')} did not run; what was made and what failed: {page}",
    ]


def _lost(plan, failed):
    """The jobs that failed, with what they were to fit."""
    rows = []
    for name, (reason, log) in failed.items():
        rule, _, rest = name.partition(".")
        used = plan["uses"]["fit"].get(rest, {}) if rule == "fit_method" else {}
        datasets = {setting["dataset"] for setting in used.get("settings", {}).values()}
        row = [name, ", ".join(used.get("methods", ())), ", ".join(sorted(datasets)), reason, log]
        rows.append(row)
    return pd.DataFrame(rows, columns=LOST)


def _figures(folder, names, there):
    """Title -> path of those that were drawn."""
    paths = {title: folder / f"{name}.svg" for title, name in names.items()}
    return {title: path for title, path in paths.items() if str(path) in there}


def _read_table(path):
    """A table as text; of the checks of printed rows those that fail."""
    table = pd.read_csv(path, dtype=str, keep_default_na=False)
    if path.stem == "consistency":
        return table[table["holds"] == "False"].drop(columns="holds")
    return table
