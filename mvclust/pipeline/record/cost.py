"""What computing cost: memory of a fit, CPU of a run."""

import contextlib
import json
import resource
import sys
from pathlib import Path


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


def read_jobs(folder):
    """The records that `mvclust.pipeline.record.log.job` wrote, sorted by name.

    Unreadable ones are left out.
    """
    records = []
    for path in sorted(Path(folder).glob("*.json")):
        with contextlib.suppress(ValueError):
            records.append(json.loads(path.read_text()))
    return records


def workflow_cpu_seconds():
    """CPU of the Snakemake process above this one and of its finished children.

    None if there is none, or if it was started on a cluster for this job alone.
    """
    import psutil

    for parent in psutil.Process().parents():
        with contextlib.suppress(psutil.Error):
            command = parent.cmdline()
            if any(Path(part).name == "snakemake" for part in command[:3]):
                if "--mode" in command:
                    return None
                times = parent.cpu_times()
                return {
                    "started": parent.create_time(),
                    "own": times.user + times.system,
                    "children": times.children_user + times.children_system,
                }
    return None
