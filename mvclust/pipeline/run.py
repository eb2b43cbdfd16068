"""What the Snakefile does before, at the start and at the end of a run."""

import os
import re
import shlex
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from mvclust.pipeline.plan.check import check_config
from mvclust.pipeline.plan.expected import JOB_START, forecast, read_costs
from mvclust.pipeline.plan.plan import make_plan, write_plan
from mvclust.pipeline.plan.schema import counted
from mvclust.pipeline.plan.settings import PAPERS
from mvclust.pipeline.record.lock import list_locks, living_owner, note_owner, release_dead_locks
from mvclust.pipeline.record.products import remove_changed
from mvclust.pipeline.record.progress import UNFINISHED, Progress

# Calls of Snakemake that run nothing.
LOOKS = ("--dry-run", "--dryrun", "--lint", "--list", "--list-rules", "--summary", "--dag")
LOOKS += ("--detailed-summary", "--rulegraph", "--filegraph", "--d3dag", "--list-target-rules")
LOOKS += ("--unlock", "--list-changes", "--list-input-changes", "--list-params-changes")
LOOKS += ("--report",)


class CannotRun(Exception):
    """A run cannot begin; the message is for the user."""


def plan_run(config, root, *, config_files, overrides, workers, packing, arguments):
    """Check the configuration, make the plan, and say what is ahead.

    Parameters
    ----------
    config : dict
        The configuration as Snakemake merged it.
    root : path-like
        The project's folder.
    config_files : list of path-like
        The files of ``--configfile``.
    overrides : dict
        The values of ``--config``.
    workers : int or None
        How many jobs may run at a time; None where that is not limited.
    packing : mvclust.pipeline.plan.resources.Packing
        What the profile says of jobs of fits.
    arguments : list of str
        The command line.

    Returns
    -------
    plan : dict
    locks : dict
        The locks that were there before Snakemake took its own.

    Raises
    ------
    ConfigError
        If the configuration has mistakes.
    CannotRun
        If another process makes the same results, nothing could be written or run, or a paper
        is asked for of which nothing is chosen.
    """
    mirror = os.environ.get("MVCLUST_MIRROR")
    science = check_config(config, root, config_files, overrides, mirror)
    mirror = science["config"]["mirror"] or mirror
    for warning in science["warnings"]:
        print(f"mvclust: {warning}", file=sys.stderr)
    shipped = Path(root, "workflow", "costs.csv")
    costs = read_costs(shipped)
    plan = make_plan(science, costs, packing.job_seconds, packing.join_below)
    plan["costs"] = [str(shipped), str(Path(plan["folders"]["results"], "costs.csv"))]
    plan["mirror"] = str(mirror) if mirror else None
    for paper in PAPERS:
        if paper in arguments[1:] and paper not in plan["papers"].values():
            raise CannotRun(
                f"the configuration chooses no experiment of {paper}; "
                "--configfile config/runs/paper.yaml chooses all."
            )
    if not looks_only(arguments):
        if workers is not None and workers < 1:
            raise CannotRun("no job can run on 0 cores: give --cores 1 or more.")
        _check_folders(plan["folders"])
        owner = living_owner(plan["folders"]["results"])
        if owner is not None:
            raise CannotRun(
                f"{plan['folders']['results']} is being made by another run ({owner}): wait for "
                "it, or give this one another name (config key 'run')."
            )
        release_dead_locks()
        _remove_changed(plan["folders"]["results"])
    costs = read_costs(*plan["costs"])
    print(forecast(plan, experiments_of(plan, arguments[1:]), costs), file=sys.stderr)
    return plan, list_locks()


def looks_only(arguments):
    """Whether a call of Snakemake runs no job.

    Examples
    --------
    >>> looks_only(["snakemake", "-np"]), looks_only(["snakemake", "--cores", "2"])
    (True, False)
    >>> looks_only(["snakemake", "--report=report.zip"])
    True
    """
    return any(
        argument.partition("=")[0] in LOOKS or re.fullmatch("-[a-zA-Z]*n[a-zA-Z]*", argument)
        for argument in arguments
    )


def experiments_of(plan, arguments):
    """Ids of the experiments that a command line asks for: of papers, of files, or all."""
    folders = [plan["folders"]["results"], plan["folders"]["work"]]
    files = [a for a in arguments if any(Path(a).is_relative_to(folder) for folder in folders)]
    names = {*(Path(file).stem for file in files), *set(arguments) & set(PAPERS)}
    asked = [name for name, paper in plan["papers"].items() if {name, paper} & names]
    return asked or list(plan["papers"])


def start_run(plan, path, locks, jobs, workers):
    """At the start of a run, its lock taken: write the plan, note the owner, show progress.

    Parameters
    ----------
    plan : dict
    path : path-like
        Where the jobs read the plan.
    locks : dict
        The locks before, see `plan_run`.
    jobs : list of str
        Names of the jobs to do: the rule and its wildcards.
    workers : int
        How many run at a time.
    """
    note_owner(plan["folders"]["results"], locks)
    Path(plan["folders"]["results"], UNFINISHED).unlink(missing_ok=True)
    write_plan(plan, path)
    for record in Path(path).with_name("jobs").glob("fit_method.*.json"):
        if record.name.split(".", 1)[1].removesuffix(".json") not in plan["uses"]["fit"]:
            record.unlink()  # of an older packing of the fits; the manifest counts the others
    costs, fits = read_costs(*plan["costs"]), plan["uses"]["fit"]
    expected = {}
    for name in jobs:
        rule, _, job = name.partition(".")
        expected[name] = costs.of_fits(fits[job]) if rule == "fit_method" else {}
    progress = Progress(Path(path).with_name("progress.jsonl"))
    progress.start(expected, workers, JOB_START)
    if expected:
        progress.watch()


def cancel_left_jobs(executor, settings, left):
    """Take jobs out of a cluster's queue that a run left there which was killed.

    Where it is not known how, the user is told.

    Parameters
    ----------
    executor : str
        Name of the executor.
    settings : object or None
        Its settings.
    left : list of str
        Names of the jobs in the queue; some may have ended.
    """
    if not left:
        return
    named = f"{counted(len(left), 'job')} that an earlier run left in the queue"
    cancel = getattr(settings, "cancel_cmd", None) or {"slurm": "scancel"}.get(executor)
    cancelled = False
    if cancel is not None:
        words = [*shlex.split(cancel), *left]
        with suppress(OSError, subprocess.TimeoutExpired):
            subprocess.run(words, capture_output=True, check=False, timeout=60)
            cancelled = True
    told = (
        f"cancelled {named}."
        if cancelled
        else f"cancel {named} yourself, or fits may be done twice: {' '.join(left)}"
    )
    print(f"mvclust: {told}", file=sys.stderr)


def end_run(plan, unfinished=None):
    """At the end: where the report is, which sources were used, what failed; in a few lines.

    Parameters
    ----------
    plan : dict
    unfinished : list of str, default=None
        Of a run that did not finish, what to say of it. Its report is that of an earlier run.
    """
    results, work = Path(plan["folders"]["results"]), Path(plan["folders"]["work"])
    pages = [results / f"{page}.html" for page in plan["uses"]["page"]]
    made = [str(page) for page in pages if page.exists()]
    if unfinished is None:
        lines = [f"report: {', '.join(made)}" if made else f"results: {results}"]
    else:
        lines = [*unfinished, f"of an earlier run: {', '.join(made)}"] if made else [*unfinished]
    lines += _told_of_fits(work / "scores", plan["uses"]["score"])
    print("\n".join(f"mvclust: {line}" for line in lines), file=sys.stderr)


def _told_of_fits(folder, experiments):
    """Which sources the fits of some experiments had, and how many of them failed."""
    import pandas as pd

    paths = [Path(folder, f"{name}.parquet") for name in experiments]
    columns = ["key", "dataset", "source", "error"]
    tables = [pd.read_parquet(path, columns=columns) for path in paths if path.exists()]
    if not tables:
        return []
    runs = pd.concat(tables).drop_duplicates("key")
    origins = runs[["dataset", "source"]].drop_duplicates().sort_values("dataset")
    named = [f"{row.dataset} from {row.source or 'no source'}" for row in origins.itertuples()]
    lines = [f"data: {'; '.join(named)}"]
    failed = runs.loc[runs["error"].notna() & (runs["error"] != "data not available"), "error"]
    if len(failed):
        counts = failed.value_counts()
        lines.append(
            f"{len(failed)} of {len(runs)} fits failed, see the report; "
            f"{counts.iloc[0]} of them: {counts.index[0]}"
        )
    return lines


def _remove_changed(results):
    """Results that were damaged or edited are made again."""
    removed = remove_changed(results)
    if removed:
        more = f" and {len(removed) - 3} more" if len(removed) > 3 else ""
        named = f"{', '.join(removed[:3])}{more}"
        print(f"mvclust: changed since written, made again: {named}", file=sys.stderr)


def _check_folders(folders):
    """The folders can be made and written."""
    for folder in (folders["results"], folders["work"]):
        try:
            Path(folder).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise CannotRun(f"{folder} cannot be made: {error.strerror}.") from error
        if not os.access(folder, os.W_OK | os.X_OK):
            raise CannotRun(
                f"{folder} cannot be written: choose another folder (config key 'results')."
            )
