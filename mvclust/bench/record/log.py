"""What every script of the workflow does around its work: a log, progress, a record of its cost."""

import contextlib
import signal
import sys
import time
import traceback
from collections.abc import Iterable, Iterator
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from threadpoolctl import threadpool_limits

from mvclust.bench.arithmetic import Arithmetic, require
from mvclust.bench.fit.cpu import cpu_seconds
from mvclust.bench.record.parent import BEGAN, snakemake_lives, snakemake_noted
from mvclust.bench.record.progress import PROGRESS, STOPPED, Progress
from mvclust.bench.record.records import checksums, difference, read_inputs, script_of, write_json
from mvclust.bench.record.syntax import KEPT
from mvclust.bench.record.unedited import Unedited, signature
from mvclust.datasets.files import DamagedFile, Refused, writing_only_if


class Work(NamedTuple):
    """The work of a script."""

    slice: dict  # inputs of the job besides its files, see `plan.job_inputs`
    fitted: object  # called after each fit of the job, see `Progress.fitted`
    record: dict  # what the script adds to the record of the job


@contextlib.contextmanager
def job(snakemake: Any) -> Iterator[Work]:
    """Run a script's work with its output in the rule's log, and write the job's record."""
    startup, wall = cpu_seconds(), time.perf_counter()
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    rule, _, name = getattr(snakemake.params, "job", "").partition("/")
    content = read_inputs(snakemake.params.plan, rule, name)
    if content is None:
        sys.exit(f"mvclust: {snakemake.params.plan} is gone or damaged; run again.")
    name = f"{content['rule']}.{content['name_of_job']}"
    log, added = Path(snakemake.log[0]), {}
    progress = Progress(Path(snakemake.config["work"], PROGRESS))
    progress.began(name, log)
    # A fit may change the working directory.
    with _copied_to(log.absolute()), threadpool_limits(snakemake.threads):
        try:
            if content.get("arithmetic") is not None:
                require(Arithmetic(*content["arithmetic"]))
            with writing_only_if(_Checks(snakemake, content).check):
                inputs = checksums(snakemake.input)  # as read, not as planned
                yield Work(content, partial(progress.fitted, name), added)
                record = added | {
                    "slice": content,
                    "inputs": inputs,
                    "outputs": checksums(content["outputs"]),
                    "versions": content["versions"],
                    "cost": {
                        "startup_cpu_seconds": startup,
                        "work_cpu_seconds": cpu_seconds() - startup,
                        "wall_seconds": time.perf_counter() - wall,
                        "finished": time.time(),
                    },
                }
                write_json(snakemake.output[-1], record)
        except Exception as error:
            _add(log, traceback.format_exc())
            reason = _reason(error, snakemake.input)
            progress.failed(name, reason)
            sys.exit(f"mvclust: {name} failed: {reason} (log: {log})")
        except BaseException as error:
            progress.failed(name, STOPPED)
            if isinstance(error, KeyboardInterrupt) and before == signal.SIG_DFL:
                # In a script of a rule, of which Snakemake says that it ended.
                signal.signal(signal.SIGINT, signal.SIG_DFL)
                signal.raise_signal(signal.SIGINT)
            raise
    progress.ended(name)


def make(used: dict) -> None:
    """Call the function that makes a product of the registry, with the inputs of its job."""
    module, _, name = used["make"].partition(":")
    getattr(import_module(module), name)(used)


class _Checks:
    """Whether a job may still write: Snakemake, its code and its plan are those it began with."""

    def __init__(self, snakemake: Any, content: dict) -> None:
        self.plan, self.content = Path(snakemake.params.plan).absolute(), content
        self.snakemake, self.seen, self.code = snakemake_noted(), None, None
        if "code" in content:
            KEPT.recall(Path(snakemake.config["work"]).parents[1])
            script = script_of(content, Path(snakemake.scriptdir))
            copied = sys.modules["__main__"].__real_file__
            self.code = Unedited(content, script, copied, BEGAN)

    def check(self) -> None:
        """Raise an error if the job may not write."""
        if not snakemake_lives(self.snakemake):
            raise Refused("its Snakemake has ended; run again")
        if self.code is not None:
            self.code.check()
        seen = signature(self.plan)
        if seen != self.seen:
            plan = read_inputs(self.plan, self.content["rule"], self.content["name_of_job"])
            if plan is None or difference(plan, self.content):
                raise Refused("another run has planned it anew meanwhile; run again")
            self.seen = seen


def _reason(error: BaseException, inputs: Iterable) -> str:
    if isinstance(error, DamagedFile) and str(error.path) in map(str, inputs):  # a rule made it
        with contextlib.suppress(OSError):
            Path(error.path).unlink()
            end = f"({error.reason}) and is removed; run again to remake it."
            return f"{error.path} was damaged {end}"
    return str(error) or type(error).__name__


@contextlib.contextmanager
def _copied_to(log: Path) -> Iterator[None]:
    """Copy printed text into a file."""
    with contextlib.suppress(OSError):
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_text("")
    streams = _Both(sys.stdout, log), _Both(sys.stderr, log)
    with contextlib.redirect_stdout(streams[0]), contextlib.redirect_stderr(streams[1]):
        yield


class _Both:
    """A stream whose text also goes into a log."""

    def __init__(self, stream: TextIO, log: Path) -> None:
        self.stream, self.log = stream, log

    def write(self, text: str) -> int:
        _add(self.log, text)
        return self.stream.write(text)

    def flush(self) -> None:
        self.stream.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


def _add(log: Path, text: str) -> None:
    with contextlib.suppress(OSError), open(log, "a", encoding="utf-8") as file:
        file.write(text)
