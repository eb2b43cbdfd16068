"""Jobs of a run on a cluster, from the cost table: python benchmarks/simulate_cluster.py [RUN.yaml]

With --write the table goes into docs/cluster.md.
"""

import heapq
import sys
from pathlib import Path

from docs.pages import ROOT, table, tell, words
from mvclust.bench.config.load import load_run
from mvclust.bench.plan.costs import JOB_START, read_costs
from mvclust.bench.plan.jobs import Packing
from mvclust.bench.plan.plan import Plan

PACKED = (120, 240, 600, 1800)  # CPU seconds for which fits are packed into a job
JOIN_BELOW = 60  # as in the profiles
WORKERS = (8, 32, 100)
QUEUE = 10  # seconds between a job's end on the cluster and Snakemake's next step
HEAD = ["packed for", "jobs", "shortest", "longest", *(f"{n} workers" for n in WORKERS)]


def makespan(seconds, workers):
    """Seconds until all jobs are done, each in its turn given to the worker that is free first."""
    free = [0] * workers
    for job in seconds:
        heapq.heapreplace(free, free[0] + job)
    return max(free)


def simulate(science, costs, packed):
    """The row of the table for one packing."""
    jobs = Plan(science, ROOT, costs, Packing(packed, JOIN_BELOW)).slices["fit"].values()
    seconds = [QUEUE + JOB_START + job["where"]["seconds"] for job in jobs]
    times = [min(seconds), max(seconds), *(makespan(seconds, workers) for workers in WORKERS)]
    return [f"{packed} s", len(seconds), *(f"{time / 60:.1f} min" for time in times)]


def main(arguments):
    files = words(arguments) or [ROOT / "config/runs/paper.yaml"]
    science, costs = load_run(Path(files[0]), ROOT), read_costs(ROOT / "workflow/costs.csv")
    text = table(HEAD, [simulate(science, costs, packed) for packed in PACKED])
    tell("cluster.md", "simulation", text)


if __name__ == "__main__":
    main(sys.argv[1:])
