"""What every script of the workflow does around its work: a log, progress, a record of its cost."""

import contextlib
import os
import signal
import sys
import threading
import time
import traceback
from functools import partial
from pathlib import Path
from typing import NamedTuple

import psutil
from threadpoolctl import threadpool_limits

from mvclust.bench.arithmetic import Arithmetic, require
from mvclust.bench.fit.cpu import cpu_seconds
from mvclust.bench.record.cost import snakemake_above
from mvclust.bench.record.progress import PROGRESS, STOPPED, Progress
from mvclust.bench.record.records import checksums, read_json, write_json
from mvclust.datasets.files import DamagedFile

LOOK = 1  # seconds between two looks at whether Snakemake still runs


class Work(NamedTuple):
    """What a script works on.

    Attributes
    ----------
    slice : dict
        All that the job follows from, beside its input files; see `mvclust.bench.plan.job_inputs`.
    fitted : callable
        To be called after each fit of the job, see `Progress.fitted`.
    record : dict
        What the script adds to the record of the job.
    """

    slice: dict
    fitted: object
    record: dict


@contextlib.contextmanager
def job(snakemake):
    """Run a script's work with what it prints in the rule's log, and record what it was made from.

    A file that a job finds damaged is removed where a rule of the workflow made it, so that the
    next run makes it anew. On an error the log ends with the traceback, and the script with one
    sentence.

    Parameters
    ----------
    snakemake : the object that Snakemake gives to scripts

    Yields
    ------
    Work
    """
    startup, wall = cpu_seconds(), time.perf_counter()
    end_with(snakemake_above())
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    content = read_json(snakemake.params.plan)
    planned = content.get("arithmetic")
    name = f"{content['rule']}.{content['name_of_job']}"
    log = Path(snakemake.log[0])
    progress = Progress(Path(snakemake.config["work"], PROGRESS))
    progress.began(name, log)
    added = {}
    # A fit may change the working directory.
    with _copied_to(log.absolute()), threadpool_limits(snakemake.threads):
        try:
            if planned is not None:
                require(Arithmetic(*planned))
            inputs = checksums(snakemake.input)  # as read, not as planned
            yield Work(content, partial(progress.fitted, name), added)
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
    progress.ended(name)


def end_with(process):
    """Let this process end soon after another one: a rerun shall not find it at work.

    Parameters
    ----------
    process : psutil.Process or None
        None for none.
    """
    if process is not None:
        threading.Thread(target=_end_after, args=[process], daemon=True).start()


def _end_after(process):
    while _runs(process):
        time.sleep(LOOK)
    os.kill(os.getpid(), signal.SIGTERM)


def _runs(process):
    with contextlib.suppress(psutil.NoSuchProcess):
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    return False


def _reason(error, inputs):
    if not isinstance(error, DamagedFile):
        return str(error) or type(error).__name__
    if str(error.path) not in [str(path) for path in inputs]:
        return str(error)
    with contextlib.suppress(OSError):
        Path(error.path).unlink()
        return f"{error.path} was damaged ({error.reason}) and is removed; run again to remake it."
    return str(error)


@contextlib.contextmanager
def _copied_to(log):
    """Let what is printed also go into a file."""
    _empty(log)
    streams = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (_Both(stream, log) for stream in streams)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = streams


class _Both:
    """A stream whose text also goes into a log."""

    def __init__(self, stream, log):
        self.stream, self.log = stream, log

    def write(self, text):
        _add(self.log, text)
        return self.stream.write(text)

    def flush(self):
        self.stream.flush()

    def __getattr__(self, name):
        return getattr(self.stream, name)


def _empty(log):
    with contextlib.suppress(OSError):
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_text("")


def _add(log, text):
    with contextlib.suppress(OSError), open(log, "a", encoding="utf-8") as file:
        file.write(text)
