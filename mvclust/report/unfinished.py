"""The page of a run in which jobs failed: its results, and the failures."""

from pathlib import Path

import pandas as pd

from mvclust.pipeline.plan.schema import counted
from mvclust.pipeline.record.progress import STOPPED, UNFINISHED, Progress
from mvclust.report.run_page import write_run_page

LOST = ["job", "methods", "data", "why", "log"]
MOST_NAMED = 5  # jobs that are named at the end of a run


def write_unfinished(plan, plan_path, root, jobs):
    """Write the page of a run that did not finish: its results, and which jobs failed.

    Nothing is written if no job failed, for instance if the user stopped the run.

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
        Messages for the user.
    """
    progress = Progress(Path(plan_path).with_name("progress.jsonl"))
    ended, waiting = progress.not_done()
    undone = {*ended, *waiting}
    failed = {name: end for name, end in ended.items() if end[0] != STOPPED}
    if not failed or "report" not in plan["uses"]["page"]:
        return []
    page, work = Path(plan["folders"]["results"], UNFINISHED), Path(plan["folders"]["work"])
    made = [files for name, files in jobs.items() if name not in undone]
    used = plan["uses"]["page"]["report"]
    asked = [e for e in used["experiments"] if f"render_experiment.{e['id']}" in jobs]
    outputs = [path for files in made for path in files if Path(path).exists()]
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
    messages = [f"{name} failed: {reason} (log: {log})" for name, (reason, log) in failed.items()]
    more = len(messages) - MOST_NAMED
    return [
        *messages[:MOST_NAMED],
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
