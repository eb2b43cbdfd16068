"""Time `mvclust run` on one's own data: python benchmarks/own_data.py [small] [large]

Small: 24 samples, three complete views. Large: 300 patients, three omics of 20,000 genes each,
genes x patients, with a table of survival. Prints wall and CPU seconds, children included.
"""

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

LIMITS = {"small": 60, "large": 180}  # seconds on two idle cores


def write_large(folder):
    """300 patients; survival depends on the group."""
    rng = np.random.default_rng(1)
    group = rng.integers(0, 4, 300)
    _write(folder, group, (20_000,) * 3)
    facts = {"OS.time": rng.exponential(900, 300) / (1 + group), "OS": rng.integers(0, 2, 300)}
    facts |= {"age": rng.normal(60, 10, 300).round(), "plate": rng.integers(0, 4, 300)}
    table = pd.DataFrame(facts, _names(300)).round(1)
    table.to_csv(folder / "clinical.csv", index_label="patient")


def _names(n):
    return [f"TCGA-{i:04d}" for i in range(n)]


def _write(folder, group, widths):
    """Tables of genes x samples; the last quarter of the genes depends on the group."""
    rng = np.random.default_rng(0)
    for view, width in zip(("rna", "methylation", "mirna"), widths, strict=True):
        means = 2 * rng.normal(size=(3 + group.max(), width)) * (np.arange(width) > 0.75 * width)
        X = means[group] + rng.normal(size=(len(group), width))
        genes = [f"{view}-{g}" for g in range(width)]
        table = pd.DataFrame(X.T.round(3), genes, _names(len(group)))
        table.to_csv(folder / f"{view}.csv", index_label="gene")


def measure(name):
    """Wall and CPU seconds of a run in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder, name)
        data.mkdir()
        if name == "large":
            write_large(data)
        else:
            _write(data, np.repeat([0, 1, 2], 8), (8, 6, 5))
        line = [sys.executable, "-m", "mvclust.cli", "run", name, "--cores", "2"]
        line += ["--answer", "1,1"] if name == "large" else []
        began, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(line, cwd=folder, capture_output=True, text=True, check=False)
        wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode:
            sys.exit(f"{done.stdout[-2000:]}\n{done.stderr[-3000:]}")
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return wall, cpu


def main(names):
    for name in names or LIMITS:
        wall, cpu = measure(name)
        print(f"{name}: {wall:.0f} s of wall time, {cpu:.0f} s of CPU (limit {LIMITS[name]} s)")


if __name__ == "__main__":
    main(sys.argv[1:])
