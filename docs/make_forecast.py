"""Costs of fits from all committed runs, and how well they forecast these: docs/make_forecast.py"""

import subprocess
from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from docs.pages import ROOT, fill, read_manifest, table
from mvclust.bench.config.load import load_run
from mvclust.bench.plan.costs import expected, read_costs
from mvclust.bench.plan.plan import Plan
from mvclust.bench.score.runs import OF_COSTS

COSTS = ROOT / "workflow/costs.csv"
HEAD = ["run", "fits", "CPU minutes expected", "measured", "ratio"]
# Jobs that measure something else than fits of the plan, and those that prepare data for all runs.
UNFORESEEN = ("probe", "growth", "download", "prepare")
SECONDS = {"start_cpu_seconds": "masks", "fit_cpu_seconds": "fits"}  # what each is a mean over


def write_costs_of(runs: Iterable[str], path: Path) -> None:
    """Write the costs of committed runs as one file: means over all their masks and fits."""
    read = pd.concat(pd.read_csv(ROOT / f"results/{run}/costs.csv") for run in runs)
    read = read.assign(**{mean: read[mean] * read[over] for mean, over in SECONDS.items()})
    rules = dict.fromkeys((*SECONDS.values(), *SECONDS), "sum") | {"memory_mb": "max"}
    costs = read.groupby(list(OF_COSTS)).agg(rules).reset_index()
    costs = costs.assign(**{mean: costs[mean] / costs[over] for mean, over in SECONDS.items()})
    costs.to_csv(path, index=False, float_format="%.4f", lineterminator="\n")


def plan_of_run(run, costs):
    """The plan of a run as its file asks for it, packed by the defaults."""
    return Plan(load_run(ROOT / f"config/runs/{run}.yaml", ROOT), ROOT, costs)


def row_of(run, costs):
    """A run's row of the table: what was expected of its fits and tables, and what they took."""
    plan, manifest = plan_of_run(run, costs), read_manifest(ROOT / "results" / run)
    plan.absent |= {d["dataset"] for d in manifest["data"] if d["source"] == "not available"}
    fits, _, seconds = expected(plan, plan.slices["score"], costs)
    took, work = manifest["cost"]["cpu_seconds"], manifest["cost"]["work_cpu_seconds"]
    took -= sum(work.get(rule, 0.0) for rule in UNFORESEEN)
    return [run, f"{fits:,}", f"{seconds / 60:.0f}", f"{took / 60:.0f}", f"{seconds / took:.2f}"]


def committed_runs():
    """Names of the committed runs of which the costs are known."""
    words = ["git", "-C", ROOT, "ls-files", "results/*/costs.csv"]
    files = subprocess.check_output(words, text=True)
    return sorted(Path(file).parent.name for file in files.splitlines())


if __name__ == "__main__":
    runs = committed_runs()
    write_costs_of(runs, COSTS)
    costs = read_costs(COSTS)
    today = [run for run in runs if (ROOT / f"config/runs/{run}.yaml").is_file()]
    fill("cluster.md", "forecast", table(HEAD, [row_of(run, costs) for run in today]))
