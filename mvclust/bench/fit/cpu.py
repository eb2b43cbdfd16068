"""CPU time and memory of a fit."""

import contextlib
import resource
import sys
import time
from pathlib import Path


def cpu_seconds():
    """CPU seconds of this process so far, with its child processes that have ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


class PeakMemory:
    """Context that measures the highest resident memory of the process while it is open.

    Where the system cannot reset its high-water mark (Linux can), the mark of the whole process
    is taken, which is an upper bound.

    Attributes
    ----------
    peak_mb : float, in units of 1e6 bytes
    """

    def __enter__(self):
        with contextlib.suppress(OSError):
            Path("/proc/self/clear_refs").write_text("5")
        return self

    def __exit__(self, *_):
        self.peak_mb = _peak_bytes() / 1e6


def _peak_bytes():
    with contextlib.suppress(OSError, StopIteration, ValueError):
        status = Path("/proc/self/status").read_text().splitlines()
        line = next(line for line in status if line.startswith("VmHWM:"))
        return int(line.split()[1]) * 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
