"""One call of Snakemake: what its rules ask for, and what happens at its start and its end."""

from __future__ import annotations

import atexit
import gc
import os
import shlex
import subprocess
import sys
import traceback
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import chain
from pathlib import Path
from typing import Any, NoReturn

from mvclust.bench.arithmetic import own_digits
from mvclust.bench.config.load import ConfigError, Configuration, load, load_folders
from mvclust.bench.config.messages import UNAVAILABLE, counted
from mvclust.bench.internals import Inside
from mvclust.bench.plan.costs import JOB_START, forecast, known_costs, shipped_costs
from mvclust.bench.plan.folders import Folders
from mvclust.bench.plan.jobs import BadProfile, Packing
from mvclust.bench.plan.plan import NOT_THERE, Plan, named
from mvclust.bench.record import lock
from mvclust.bench.record.parent import note_snakemake
from mvclust.bench.record.progress import PROGRESS, UNFINISHED, Progress
from mvclust.bench.record.records import digest_of_inputs, read_inputs, read_record
from mvclust.bench.record.syntax import KEPT
from mvclust.datasets.files import sweep


def open_call(
    snakemake: Inside, config: dict, root: Path | str, config_files: list[str]
) -> CallOfJob:
    """What the Snakefile asks: a plan, or for a job on a cluster its own inputs alone."""
    note_snakemake()
    with errors_told():
        packing = Packing.of_profile(snakemake.resources_in_profile("fit"))
        if not snakemake.is_main():
            return CallOfJob(Folders.of(load_folders(config, root)), packing)
        gc.disable()  # while planning: it took 25 % of the time
        overrides = snakemake.command_line_config()
        mirror = os.environ.get("MVCLUST_MIRROR")
        configuration = load(config, root, config_files, overrides, mirror)
        for warning in configuration.warnings:
            print(f"mvclust: {warning}", file=sys.stderr)
        call = Call(snakemake, configuration, Path(root), packing)
    gc.freeze()
    gc.enable()
    return call


class CallOfJob:
    """The call that a cluster makes for one job: it plans nothing, and knows no names."""

    no_name = ".+"  # a wildcard for which no name is known: anything
    slices, papers, targets = {}, {}, ()  # the plan's; the papers of experiments; those with a page

    def __init__(self, folders: Folders, packing: Packing) -> None:
        self.folders, self.packing = folders, packing

    def inputs(self, rule: str, name: str) -> dict[str, list[str]]:
        """The files that a job reads, by what they are."""
        with errors_told():
            return named(self._slice(rule, name)["inputs"])

    def digest(self, rule: str, name: str) -> str:
        """Digest of what a job follows from beside its files."""
        with errors_told():
            return digest_of_inputs(self._slice(rule, name))

    def names(self, rule: str) -> list[str]:
        """What a rule is planned for."""
        return list(self.slices.get(rule, ()))

    def expected(self, name: str) -> dict[str, float]:
        """Expected CPU seconds and memory of a job of fits."""
        return self._slice("fit", name)["where"]

    def _slice(self, rule: str, name: str) -> Any:
        planned = self.slices.get(rule, {}).get(name)
        return planned or read_inputs(self.folders.plan_file(rule, name), rule, name)


class Call(CallOfJob):
    """A call that plans."""

    no_name = "nothing"

    def __init__(
        self, snakemake: Inside, configuration: Configuration, root: Path, packing: Packing
    ) -> None:
        self.snakemake, self.root = snakemake, root
        shipped = shipped_costs(root, configuration)
        self.plan = Plan(configuration, root, shipped, packing)
        super().__init__(self.plan.folders, packing)
        self.slices, self.papers = self.plan.slices, self.plan.papers
        self.targets = [name for name, paper in configuration.papers.items() if paper.page]
        self.costs = known_costs(shipped, self.folders, configuration)
        self.locks, self.has_begun, self.reasons = {}, False, {}

    def inputs(self, rule: str, name: str) -> dict[str, list[str]]:
        """Nothing is removed: Snakemake replaces an output that is out of date, under its lock."""
        with errors_told():
            self.begin()
            why = self.plan.why(rule, name)
            if why:
                self.snakemake.force(self.plan.jobs[rule, name].outputs[0])
                self.reasons[rule, name] = why
            return super().inputs(rule, name)

    def products(self) -> list[str]:
        """All that a run makes."""
        with errors_told():
            self.begin()
            job = self.plan.jobs.get(("report", "report"))
            return [*self.plan.products, *job.outputs] if job else []

    def files_of_paper(self, paper: str) -> list[str]:
        """What a paper's target makes."""
        with errors_told():
            self.begin()
            files = self.plan.files_of_paper(paper)
        if not files:
            _stop(
                f"the configuration chooses no experiment of {paper}; "
                "--configfile config/runs/paper.yaml chooses all."
            )
        return files

    def jobs_of_old_fits(self) -> list[str]:
        """Names of the jobs with fits that the results have of other code than that of today."""
        # What reads tables takes a second to import, and no other target needs it.
        from mvclust.bench.verify.finished import REFUSED, FinishedRun
        from mvclust.bench.verify.renew import old_fits

        with errors_told():
            self.begin()
            try:
                runs = FinishedRun(self.folders.results, self.root).runs
            except REFUSED as error:
                _stop(str(error))
            return sorted({job for job, _ in old_fits(self.plan, runs).values()})

    def begin(self) -> None:
        """Before Snakemake takes its lock: say what is ahead, and whether it can run."""
        if self.has_begun:
            return
        self.has_begun = True
        if self.snakemake.runs_jobs():
            self._check_run()
            if self.snakemake.is_module():  # its onstart is not called
                self._take_over({}, workers=1)
        elif self.snakemake.is_dry_run():
            atexit.register(self.print_reasons)  # after the list of jobs
        asked = experiments_of(self.plan, self.snakemake.targets())
        print(forecast(self.plan, asked, self.costs), file=sys.stderr)

    def print_reasons(self) -> None:
        """Say why finished jobs run again, one line per reason: of the first job that has it."""
        jobs_by_reason = defaultdict(list)
        for job in filter(self.reasons.get, self.plan.jobs):
            jobs_by_reason[self.reasons[job]].append(" ".join(job))
        jobs_by_reason.pop(NOT_THERE, None)
        for why, jobs in jobs_by_reason.items():
            more = f"; {len(jobs) - 1} more" if len(jobs) > 1 else ""
            print(f"mvclust: {jobs[0]} runs again: {why}{more}", file=sys.stderr)

    def _check_run(self) -> None:
        cores = self.snakemake.cores()
        if cores is not None and cores < 1:
            _stop("no job can run on 0 cores: give --cores 1 or more.")
        results = self.folders.results
        for folder in (results, self.folders.work):
            try:
                Path(folder).mkdir(parents=True, exist_ok=True)
            except OSError as error:
                _stop(f"{folder} cannot be made: {error.strerror}.")
            if not os.access(folder, os.W_OK | os.X_OK):
                _stop(f"{folder} cannot be written: choose another folder (config key 'results').")
        if owner := lock.living_owner(results):
            _stop(
                f"{results} is being made by another run ({owner}): wait for it, or give this one "
                "another name (config key 'run')."
            )
        if other := lock.other_owner(results):
            _stop(other)
        lock.release_dead_locks()
        self.locks = lock.list_locks()

    def start(self) -> None:
        """At the start of a run, its lock taken: write what jobs read, begin to show progress."""
        self.print_reasons()
        name, settings = self.snakemake.executor()
        cancel_left_jobs(name, settings, self.snakemake.left_in_queue())
        fits, absent = self.slices["fit"], self.plan.absent
        expected = {
            f"{rule}.{name}": self.costs.of_fits(fits[name], absent) if rule == "fit" else {}
            for rule, name in map(self._job_of, self.snakemake.scripts_to_run())
        }
        self._take_over(expected, self.snakemake.number_of_workers() or 1)
        self.snakemake.stop_timers()
        self.snakemake.wait_for_answers()

    def _take_over(self, expected: dict, workers: int) -> None:
        """Note whose the results are, write what the jobs read, begin to show progress."""
        progress = Progress(Path(self.folders.work, PROGRESS))
        results, resources = Path(self.folders.results), self.folders.resources
        try:
            if other := lock.claim_results(results, self.root):
                _stop(other)
            lock.note_owner(results, self.locks)
            (results / UNFINISHED).unlink(missing_ok=True)
            for folder in (results, self.folders.work):
                sweep(folder)
            for name in ("raw", "datasets", "plan"):
                sweep(Path(resources, name), shared=True)
            self.plan.write(force_fits=self.snakemake.is_forced("fit"))
            self.plan.configuration.classes.save(Path(resources, "classes.json"))
            KEPT.save(resources)
            progress.start(expected, workers, JOB_START)
        except OSError as error:  # such as a full disk, of which a write does not say where
            place = error.filename or f"{self.folders.results} or {self.folders.resources}"
            _stop(f"{place} cannot be written: {error.strerror}.")
        if expected:
            progress.watch()

    def end(self, unfinished: list[str] | None = None) -> None:
        """Say where the report is, which sources were used, what failed, what is `unfinished`."""
        results = self.folders.results
        pages = [f"{results}/{page}.html" for page in ("report", *self.names("paper"))]
        made = ", ".join(filter(os.path.exists, pages))
        if unfinished is None:
            lines = [f"report: {made}" if made else f"results: {results}"]
        else:
            lines = [*unfinished, *([f"of an earlier run: {made}"] if made else [])]
        lines += _told_of_fits(map(self.folders.scores, self.names("score")))
        lines += filter(None, [own_digits(self.plan.arithmetic)])
        outputs = chain.from_iterable(self.outputs().values())
        if unfinished is None and set(self.products()).issubset(outputs):
            from mvclust.bench.verify.repository import compared

            lines += compared(self.folders.results, self.root)
        lines += self._failure_summary()
        print("\n".join(f"mvclust: {line}" for line in lines), file=sys.stderr)

    def _failure_summary(self) -> list[str]:
        """Which failed fits the next run tries again, and which rest."""
        jobs = [self.plan.jobs["fit", name] for name in self.names("fit")]
        counts = [self.plan.failed(record) for job in jobs if (record := read_record(job.record))]
        again, rest = map(sum, zip(*counts, strict=True)) if counts else (0, 0)
        lines = [f"the next run tries {counted(again, 'failed fit')} again"] if again else []
        if rest:
            runs = counted(self.plan.configuration.run.limits.tries, "run")
            resting = f"{counted(rest, 'fit')} failed in {runs} and will not be tried"
            lines.append(f"{resting} again: raise limits.tries, or give --forceall")
        return lines

    def outputs(self) -> dict[str, list[str]]:
        """Name of each job that was asked for, done before or now -> the files that it makes."""
        jobs = map(self._job_of, self.snakemake.scripts_asked_for())
        return {f"{rule}.{name}": self.plan.jobs[rule, name].outputs for rule, name in jobs}

    def _job_of(self, job: Any) -> tuple[str, str]:
        """(rule, name) of a job of Snakemake; of a module its rules have other names."""
        return self.plan.by_output[str(job.output[0])]


def experiments_of(plan: Plan, targets: Collection[str]) -> list[str]:
    """Ids of the experiments that are asked for: of papers, of files, or all."""
    ours = (plan.folders.results, plan.folders.work)
    files = [path for path in map(Path, targets) if any(map(path.is_relative_to, ours))]
    names = {*(file.stem for file in files), *targets}
    asked = [name for name, paper in plan.papers.items() if {name, paper} & names]
    return asked or list(plan.papers)


@contextmanager
def errors_told() -> Iterator[None]:
    """End with a sentence where the plan cannot be made or compared.

    Snakemake takes an error for an input that is not there: "Nothing to be done" (its issue 3953).
    """
    try:
        yield
    except (BadProfile, ConfigError) as error:
        _stop(str(error))
    except OSError as error:
        _stop(f"{error.filename or 'a file'} cannot be read: {error.strerror or error}.")
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(place.filename).name}:{place.lineno}"
        _stop(f"the plan cannot be made ({where}: {type(error).__name__}: {error}).")


def _stop(sentence: str) -> NoReturn:
    sys.exit(f"mvclust: {sentence}\nNothing was started.")


def cancel_left_jobs(executor: str, settings: object, left: list[str]) -> None:
    """Cancel cluster jobs (names in the queue) left over from a killed run, or say how."""
    if not left:
        return
    named = f"{counted(len(left), 'job')} that an earlier run left in the queue"
    told = f"cancel {named} yourself, or fits may be done twice: {' '.join(left)}"
    cancel = getattr(settings, "cancel_cmd", None) or {"slurm": "scancel"}.get(executor)
    if cancel is not None:
        words = [*shlex.split(cancel), *left]
        with suppress(OSError, subprocess.TimeoutExpired):
            subprocess.run(words, capture_output=True, check=False, timeout=60)
            told = f"cancelled {named}."
    print(f"mvclust: {told}", file=sys.stderr)


def _told_of_fits(scores: Iterable[str]) -> list[str]:
    """Which sources the fits in tables of scores had, and how many of them failed."""
    import pandas as pd

    columns = ["key", "dataset", "source", "error"]
    tables = [pd.read_parquet(path, columns=columns) for path in filter(os.path.exists, scores)]
    if not tables:
        return []
    runs = pd.concat(tables).drop_duplicates("key")
    origins = runs[["dataset", "source"]].drop_duplicates().sort_values("dataset", kind="stable")
    named = [f"{row.dataset} from {row.source or 'no source'}" for row in origins.itertuples()]
    lines = [f"data: {'; '.join(named)}"]
    failed = runs.loc[runs["error"].notna() & (runs["error"] != UNAVAILABLE), "error"]
    if len(failed):
        counts = failed.value_counts()
        share = f"{len(failed)} of {len(runs)} fits failed, see the report"
        lines.append(f"{share}; {counts.iloc[0]} of them: {counts.index[0]}")
    return lines
