"""What computing cost: CPU of the jobs of a run, and of the whole."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from mvclust.bench.record.records import read_record

if TYPE_CHECKING:
    from collections.abc import Iterable


def costs_of(records: Iterable[Path | str]) -> list[dict]:
    """Cost of jobs from their readable records, with the rule as "stage"."""
    read = [read_record(path) for path in records]
    return [r["cost"] | {"stage": r["slice"]["rule"]} for r in read if r and "cost" in r]


def snakemake_above() -> psutil.Process | None:
    """Nearest Snakemake process above this one; None without one."""
    for parent in psutil.Process().parents():
        with contextlib.suppress(psutil.Error):
            if _is_snakemake(parent.cmdline()):
                return parent
    return None


def _is_snakemake(command: list[str]) -> bool:
    return any(Path(part).name == "snakemake" for part in command[:3])


def workflow_cpu_seconds() -> dict[str, float] | None:
    """CPU of the Snakemake process above this one and of its finished children.

    None without one, or if it was started on a cluster for this job alone.
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
