"""CPU time of a fit."""

import resource
import time


def cpu_seconds():
    """CPU seconds of this process so far, with its child processes that have ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime
