"""Measure pairs of functions side by side in one process, or one in a process of its own."""

import multiprocessing
import resource
import statistics
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

import numpy as np
import pandas as pd
import psutil

ENOUGH = 60.0  # CPU seconds after which the other way is not run again


@dataclass(frozen=True)
class Case:
    """Two ways to the same numbers."""

    name: str  # what is measured, with its sizes
    ours: Callable  # without arguments, returning an array or a list of arrays
    other: Callable
    other_name: str  # whose way it is
    tolerance: float | None  # of the relative difference of the results; None: not comparable


def apart(function, *arguments, before=None):
    """What a function of a module returns in a process of its own, which has done nothing else.

    The process calls the function `before` first.
    """
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context, initializer=before) as pool:
        return pool.submit(function, *arguments).result()


def exponent(sizes, values):
    """Slope of the logarithms over the largest three sizes; NaN of a single one."""
    x, y = (np.log(np.maximum(each, 1e-9))[-3:] for each in (sizes, values))
    return np.polyfit(x, y, 1)[0] if len(x) > 1 else np.nan


def append(rows, columns, path):
    """Add measurements, dicts, to a csv file, where those of other processes may be added too."""
    table, new = pd.DataFrame(rows, columns=columns), not path.exists()
    table.to_csv(path, mode="a", header=new, index=False, lineterminator="\n")


def measure(case, repeats=5):
    """Median CPU seconds of calls by turns, and the last results: ours, then the other."""
    seconds, others = [], []
    for _ in range(repeats):
        result = _timed(case.ours, seconds)
        if sum(others) < ENOUGH:
            expected = _timed(case.other, others)
    return statistics.median(seconds), statistics.median(others), result, expected


def _timed(function, seconds):
    before, start = cpu_of_children(), time.process_time()
    result = function()
    own = time.process_time() - start  # before it looks at the children, which takes 1 ms
    seconds.append(own + cpu_of_children() - before)
    return result


def cpu_of_children():
    """CPU seconds of the processes that this one started (imml's OMVC runs in Octave)."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    running = (child.cpu_times() for child in psutil.Process().children(recursive=True))
    return sum(times.user + times.system for times in running) + ended.ru_utime + ended.ru_stime


def relative_difference(A, B):
    """Largest relative Frobenius distance between two arrays or lists of arrays."""
    pairs = zip(A, B, strict=True) if isinstance(A, list) else [(A, B)]
    return max(float(np.linalg.norm(a - b) / np.linalg.norm(b)) for a, b in pairs)
