"""A job ends with the Snakemake that started it, from its first instruction on.

Snakemake notes itself in the environment, which a job inherits; on a cluster this is the Snakemake
that was started for the job alone.
"""

import os
import signal
import threading
import time

from mvclust.bench.record.lock import start_of

BEGAN = time.time()  # in a job before all that computes is imported
VARIABLE = "MVCLUST_SNAKEMAKE"
LOOK = 1  # seconds between two looks at whether Snakemake still runs


def note_snakemake() -> None:
    """Record this process as the Snakemake of the jobs that it will start."""
    os.environ[VARIABLE] = f"{os.getpid()} {start_of(os.getpid())}"


def snakemake_noted() -> str:
    """Recorded Snakemake of this job, or ""."""
    return os.environ.get(VARIABLE, "")


def snakemake_lives(noted: str) -> bool:
    """Whether a recorded Snakemake runs; true without one."""
    pid, _, start = noted.partition(" ")
    return not pid or start_of(int(pid)) == start


def end_with_snakemake() -> None:
    """End this process at once if its Snakemake is gone, else soon after it."""
    noted = snakemake_noted()
    if not snakemake_lives(noted):
        os._exit(1)
    if noted:
        threading.Thread(target=_end_after, args=[noted], daemon=True).start()


def _end_after(noted: str) -> None:
    while snakemake_lives(noted):
        time.sleep(LOOK)
    os.kill(os.getpid(), signal.SIGTERM)
