"""Time `mvclust run` on one's own data: python benchmarks/own_data.py [small] [large]

Prints wall and CPU seconds, children included, of 24 samples in three complete views, and of 300
patients in three omics of 20,000 genes each with a table of survival.
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.harness import cpu_of_children

LIMITS = {"small": 60, "large": 180}  # seconds on two idle cores


def write(folder, name):
    """Tables of genes x samples; the last quarter of the genes, and survival, depend on a group."""
    rng, patients = np.random.default_rng(0), np.random.default_rng(1)
    large = name == "large"
    group = patients.integers(0, 4, 300) if large else np.repeat([0, 1, 2], 8)
    names = [f"TCGA-{i:04d}" for i in range(len(group))]
    widths = (20_000,) * 3 if large else (8, 6, 5)
    for view, width in zip(("rna", "methylation", "mirna"), widths, strict=True):
        means = 2 * rng.normal(size=(3 + group.max(), width)) * (np.arange(width) > 0.75 * width)
        X = means[group] + rng.normal(size=(len(group), width))
        table = pd.DataFrame(X.T.round(3), [f"{view}-{g}" for g in range(width)], names)
        table.to_csv(folder / f"{view}.csv", index_label="gene")
    if large:
        days, dead = patients.exponential(900, 300) / (1 + group), patients.integers(0, 2, 300)
        facts = {"OS.time": days, "OS": dead, "age": patients.normal(60, 10, 300).round()}
        table = pd.DataFrame(facts | {"plate": patients.integers(0, 4, 300)}, names).round(1)
        table.to_csv(folder / "clinical.csv", index_label="patient")


def measure(name):
    """Wall and CPU seconds of a run in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder, name)
        data.mkdir()
        write(data, name)
        line = [sys.executable, "-m", "mvclust.cli", "run", name, "--cores", "2"]
        line += ["--answer", "1,1"] if name == "large" else []
        began, before = time.perf_counter(), cpu_of_children()
        done = subprocess.run(line, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"{done.stdout[-2000:]}\n{done.stderr[-3000:]}")
        return time.perf_counter() - began, cpu_of_children() - before


def main(names):
    for name in names or LIMITS:
        wall, cpu = measure(name)
        print(f"{name}: {wall:.0f} s of wall time, {cpu:.0f} s of CPU (limit {LIMITS[name]} s)")


if __name__ == "__main__":
    main(sys.argv[1:])
