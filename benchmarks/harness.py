"""Measure pairs of functions side by side in one process, or one in a process of its own."""

import multiprocessing
import resource
import statistics
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

import numpy as np
import psutil
from threadpoolctl import threadpool_limits

ENOUGH = 60.0  # CPU seconds after which the other way is not run again


@dataclass(frozen=True)
class Case:
    """Two ways to the same numbers."""

    name: str  # what is measured, with its sizes
    ours: Callable  # without arguments, returning an array or a list of arrays
    other: Callable
    other_name: str  # whose way it is
    tolerance: float | None  # of the relative difference of the results; None: not comparable


def apart(function, *arguments):
    """What a function of a module returns in a process of its own, which has done nothing else."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(function, *arguments).result()


def measure(case, repeats):
    """Median CPU seconds of calls by turns, and the last results: ours, then the other."""
    seconds, others = [], []
    for _ in range(repeats):
        result = _timed(case.ours, seconds)
        if sum(others) < ENOUGH:
            expected = _timed(case.other, others)
    return statistics.median(seconds), statistics.median(others), result, expected


def _timed(function, seconds):
    before, start = _cpu_of_children(), time.process_time()
    result = function()
    own = time.process_time() - start  # before it looks at the children, which takes 1 ms
    seconds.append(own + _cpu_of_children() - before)
    return result


def _cpu_of_children():
    """Of the processes that this one started (imml's OMVC runs in Octave)."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    running = (child.cpu_times() for child in psutil.Process().children(recursive=True))
    return sum(times.user + times.system for times in running) + ended.ru_utime + ended.ru_stime


def relative_difference(A, B):
    """Largest relative Frobenius distance between two arrays or lists of arrays."""
    pairs = zip(A, B, strict=True) if isinstance(A, list) else [(A, B)]
    return max(float(np.linalg.norm(a - b) / np.linalg.norm(b)) for a, b in pairs)


def run(cases, repeats=5):
    """Measure every case on one BLAS thread and print its ratio: cases with the two times."""
    rows = []
    print(f"{'case':100} {'ours s':>8} {'other s':>9} {'ratio':>7}  difference")
    with threadpool_limits(1):
        for case in cases:
            ours, other, result, expected = measure(case, repeats)
            shown = "not compared"
            if case.tolerance is not None:
                difference = relative_difference(result, expected)
                shown = f"{difference:.1e}{' TOO LARGE' if difference > case.tolerance else ''}"
            name, ratio = f"{case.name} / {case.other_name}", other / ours
            print(f"{name:100} {ours:8.3f} {other:9.3f} {ratio:7.3g}  {shown}")
            rows.append((case, ours, other))
    return rows
