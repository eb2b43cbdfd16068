"""CPU time and memory of a fit."""

import contextlib
import resource
import sys
import time
from pathlib import Path
from typing import Self


def cpu_seconds() -> float:
    """CPU seconds of this process so far, with its ended child processes."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


class PeakMemory:
    """Measure the highest resident memory, in 1e6 bytes; an upper bound except on Linux."""

    def __enter__(self) -> Self:
        with contextlib.suppress(OSError):
            Path("/proc/self/clear_refs").write_text("5")
        return self

    def __exit__(self, *_: object) -> None:
        self.peak_mb = _peak_bytes() / 1e6


def _peak_bytes() -> int:
    with contextlib.suppress(OSError, StopIteration, ValueError):
        status = Path("/proc/self/status").read_text().splitlines()
        line = next(line for line in status if line.startswith("VmHWM:"))
        return int(line.split()[1]) * 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
