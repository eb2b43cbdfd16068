"""What computing cost: CPU of the jobs of a run, and of the whole."""

import contextlib
from pathlib import Path

import psutil

from mvclust.bench.record.records import read_record


def costs_of(records):
    """What jobs took, from their records.

    Parameters
    ----------
    records : iterable of path-like
        Those that cannot be read are left out.

    Returns
    -------
    list of dict
        With the rule as "stage".
    """
    read = [read_record(path) for path in records]
    return [r["cost"] | {"stage": r["slice"]["rule"]} for r in read if r and "cost" in r]


def snakemake_above():
    """The nearest Snakemake process above this one; None if there is none.

    Returns
    -------
    psutil.Process or None
    """
    for parent in psutil.Process().parents():
        with contextlib.suppress(psutil.Error):
            if _is_snakemake(parent.cmdline()):
                return parent
    return None


def _is_snakemake(command):
    return any(Path(part).name == "snakemake" for part in command[:3])


def workflow_cpu_seconds():
    """CPU of the Snakemake process above this one and of its finished children.

    None if there is none, or if it was started on a cluster for this job alone.
    """
    process = snakemake_above()
    if process is None:
        return None
    with contextlib.suppress(psutil.Error):
        if "--mode" not in process.cmdline():
            times = process.cpu_times()
            return {
                "started": process.create_time(),
                "own": times.user + times.system,
                "children": times.children_user + times.children_system,
            }
    return None
