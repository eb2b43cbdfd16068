"""What every script of the workflow does around its work: a log, a record of its cost."""

import contextlib
import json
import resource
import sys
import time
import traceback
from pathlib import Path


@contextlib.contextmanager
def job(snakemake):
    """Run a script's work; keep what it cost, and on an error its traceback in the rule's log.

    The record tells start-up (interpreter and imports, everything before the context) from
    work, which is how a run knows its overhead.

    Parameters
    ----------
    snakemake : the object that Snakemake gives to scripts
    """
    startup, wall = time.process_time(), time.perf_counter()
    name = ".".join([snakemake.rule, *map(str, snakemake.wildcards)])
    log = Path(snakemake.log[0])
    try:
        yield
    except Exception as error:
        log.write_text(traceback.format_exc())
        sys.exit(f"mvclust: {name} failed: {error}\n         (traceback in {log})")
    log.write_text("done\n")
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    record = {
        "stage": snakemake.rule,
        "name": name,
        "startup_cpu_seconds": startup,
        "work_cpu_seconds": (time.process_time() - startup + children.ru_utime + children.ru_stime),
        "wall_seconds": time.perf_counter() - wall,
        "finished": time.time(),
    }
    folder = Path(snakemake.config["work"], "jobs")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.json").write_text(json.dumps(record))


def read_jobs(folder):
    """The records that `job` wrote, sorted by name."""
    return [json.loads(path.read_text()) for path in sorted(Path(folder).glob("*.json"))]
