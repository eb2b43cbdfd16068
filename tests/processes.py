"""What tests wait for: a moment, the end of a process."""

import time

import psutil


def wait_until(condition, seconds=300, run=None):
    """Wait for a moment; fail where it does not come in time or while the run lasts."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert run is None or run.poll() is None, "the run ended too early"
        assert time.monotonic() < deadline, f"not within {seconds} seconds"
        time.sleep(0.05)


def has_ended(process):
    """Whether a process of psutil has ended, be it asked for its exit code or not."""
    try:
        return process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True
