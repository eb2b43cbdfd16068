"""How time and memory of the methods grow: python benchmarks/growth.py [--write] [METHOD ...]

docs/profile.md says how; --write puts the tables there.
"""

import sys
import time
import warnings

import numpy as np
import psutil
from threadpoolctl import threadpool_limits

from benchmarks.harness import apart, exponent
from docs.pages import table, tell, words
from mvclust.bench.claims.growth import MODELS, problem
from mvclust.bench.fit.cpu import PeakMemory

SAMPLES, FEATURES = [500, 1000, 2000, 4000, 8000], [100, 200, 400, 800, 1600, 3200]
FIXED_SAMPLES, FIXED_FEATURES = 1000, 100  # while the other grows
LIMIT = 60  # seconds that a fit may be expected to take, from the growth seen so far


def measure(model, Xs, arguments):
    """CPU seconds of a fit on one BLAS thread, and the memory that it needs beside the data."""
    warnings.simplefilter("ignore")
    with threadpool_limits(1):
        small = np.random.default_rng(0).random((2, 50, 20))
        type(model)(2, max_iter=1).fit(list(small))  # loads code
        before = psutil.Process().memory_info().rss
        start = time.process_time()
        with PeakMemory() as memory:
            model.fit(Xs, **arguments)
        return time.process_time() - start, memory.peak_mb - before / 1e6


def measure_size(name, n, d):
    """`measure` of a method on synthetic views of a size."""
    return measure(MODELS[name], *problem(name, n, d))


def grow(name, sizes):
    """Measure until a fit would take too long: n, d, seconds and MB of each fit."""
    fits, expected = [], 0.0
    for n, d in sizes:
        if expected > LIMIT:
            break
        s, mb = apart(measure_size, name, n, d)
        expected = s**2 / max(fits[-1][2], 1e-9) if fits else 0.0
        fits.append((n, d, s, mb))
        print(f"{name:9} n={n:5} d={d:5} {s:8.2f} s {mb:8.1f} MB", flush=True)
    return zip(*fits, strict=True)


def line(name, sizes, grows=0, label=""):
    """A row of a table of what grows, n or d: the largest size, and exponents of the last three."""
    *size, seconds, memory = grow(name, sizes)
    unit = (8e-6 * size[0][-1] ** 2, 16e-6 * FIXED_SAMPLES * size[1][-1])[grows]
    grown = size[grows]
    of_time = f"{seconds[-1]:.2f}", f"{exponent(grown, seconds):.1f}"
    of_memory = f"{memory[-1]:.0f}", f"{exponent(grown, memory):.1f}", f"{memory[-1] / unit:.2g}"
    return [f"`{name}`{label}", f"{grown[-1]}", *of_time, *of_memory]


def tables(names):
    """The rows of the two tables, growth with n and with d, as strings."""
    with_n, with_d = [], []
    for name in names:
        with_n.append(line(name, [(n, FIXED_FEATURES) for n in SAMPLES]))
        if name == "MPAC":  # with few features it keeps thin factors instead of n x n matrices
            with_n.append(line(name, [(n, n) for n in SAMPLES], label=", d = n"))
        with_d.append(line(name, [(FIXED_SAMPLES, d) for d in FEATURES], grows=1))
    return with_n, with_d


def main(arguments):
    with_n, with_d = tables(words(arguments) or list(MODELS))
    columns = ["CPU s", "exponent", "MB beside the data", "exponent"]
    by_n = table(["method", "n", *columns, "matrices of n x n"], with_n)
    tell("profile.md", "growth with n", by_n)
    tell("profile.md", "growth with d", table(["method", "d", *columns, "times the data"], with_d))


if __name__ == "__main__":
    main(sys.argv[1:])
