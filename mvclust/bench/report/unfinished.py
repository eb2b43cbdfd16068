"""The page of a run in which jobs failed: its results, and the failures."""

from collections.abc import Collection, Mapping
from pathlib import Path

import pandas as pd

from mvclust.bench.config.messages import counted
from mvclust.bench.plan.plan import Plan
from mvclust.bench.record.progress import PROGRESS, STOPPED, UNFINISHED, Progress
from mvclust.bench.report.page import write_run_page

LOST = ["job", "methods", "data", "why", "log"]
MOST_NAMED = 5  # jobs that are named at the end of a run


def write_unfinished(plan: Plan, outputs: Mapping[str, Collection]) -> list[str]:
    """Write the page of an unfinished run; return messages. `outputs` are those of all jobs."""
    progress = Progress(Path(plan.folders.work, PROGRESS))
    ended, waiting = progress.not_done()
    undone = {*ended, *waiting}
    failed = {name: end for name, end in ended.items() if end[0] != STOPPED}
    if not failed or "report" not in plan.slices["report"]:
        return []
    page = Path(plan.folders.results, UNFINISHED)
    page.parent.mkdir(parents=True, exist_ok=True)  # Snakemake removes empty folders
    made = {p for name, paths in outputs.items() if name not in undone for p in paths}
    made = {path for path in made if Path(path).exists()}
    used = plan.slices["report"]["report"]
    inputs: dict = {
        part: [path for path in used["inputs"].get(part, ()) if path in made]
        for part in ("scores", "products", "answer")
    }
    inputs = {part: paths for part, paths in inputs.items() if paths or part != "answer"}
    inputs["results"] = {n: path for n, path in used["inputs"]["results"].items() if path in made}
    asked = [e for e in used["experiments"] if f"experiment.{e['id']}" in outputs]
    used = used | {"experiments": asked, "inputs": inputs}
    write_run_page(page, used, lost=_lost(plan, failed))
    messages = [f"{name} failed: {reason} (log: {log})" for name, (reason, log) in failed.items()]
    more = len(messages) - MOST_NAMED
    return [
        *messages[:MOST_NAMED],
        *([f"{more} more failed"] if more > 0 else []),
        f"{counted(len(waiting), 'job')} did not run; what was made and what failed: {page}",
    ]


def _lost(plan: Plan, failed: Mapping[str, tuple[str, str]]) -> pd.DataFrame:
    """Failed jobs, with the methods and data that they were to fit."""
    rows = []
    for name, (reason, log) in failed.items():
        rule, _, rest = name.partition(".")
        used = plan.slices["fit"].get(rest, {}) if rule == "fit" else {}
        datasets = {setting["dataset"] for setting in used.get("settings", {}).values()}
        row = [name, ", ".join(used.get("methods", ())), ", ".join(sorted(datasets)), reason, log]
        rows.append(row)
    return pd.DataFrame(rows, columns=LOST)
