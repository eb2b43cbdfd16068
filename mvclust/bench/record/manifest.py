"""What a run was: versions, machine, configuration, data, cost, checksums."""

import contextlib
import json
import platform
import time
from collections import defaultdict
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path

import pandas as pd
import psutil

import mvclust
from mvclust.bench.arithmetic import Arithmetic, own_digits
from mvclust.bench.record.provenance import commit_of, machine
from mvclust.bench.record.records import read_record
from mvclust.datasets.files import completed, sha256_of

LIBRARIES = [
    *("numpy", "scipy", "scikit-learn", "pandas", "pyarrow", "h5py", "matplotlib"),
    *("snakemake", "threadpoolctl", "pooch"),
]


def make_manifest(used: dict, runs: pd.DataFrame, folder: Path | str) -> dict:
    """Describe a run from the inputs `used` of its page, with its results in a folder."""
    where, files = used["where"], used["inputs"]["products"]
    pythons = {json.loads(text)["python"] for text in runs["versions"].dropna()}
    return {
        "created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "mvclust": mvclust.__version__,
        "commit": commit_of(where["root"]),
        "libraries": {name: metadata.version(name) for name in LIBRARIES},
        "python": ", ".join(sorted(pythons)) or platform.python_version(),
        "machine": machine(),
        "config": used["config"],
        **_described(runs),
        "cost": _cost(costs_of(where["records"]), float(runs["spent_cpu_seconds"].sum())),
        "sha256": {str(Path(f).relative_to(folder)): sha256_of(f) for f in sorted(files)},
    }


def with_runs(manifest: dict, runs: pd.DataFrame) -> dict:
    """Manifest of a run after some of its fits were repeated."""
    described = _described(runs)
    cost, spent = manifest["cost"], described["fits"]["cpu_seconds"]
    stages = cost["work_cpu_seconds"]
    total = cost["cpu_seconds"] + spent - stages.get("fit", spent)
    cost = cost | {"cpu_seconds": round(total, 1), "work_cpu_seconds": stages | {"fit": spent}}
    return manifest | described | {"cost": cost}


def _described(runs: pd.DataFrame) -> dict:
    """Properties that follow from the table of runs."""
    failed, computed = runs[runs["error"].notna()], {}
    if {*Arithmetic._fields} <= {*runs} and len(runs):  # old runs did not record it
        arithmetic = Arithmetic(*runs[[*Arithmetic._fields]].iloc[0])
        computed = {"arithmetic": str(arithmetic), "own_digits": own_digits(arithmetic)}
    return {
        **computed,
        "threads_per_fit": sorted(int(n) for n in runs["threads"].unique()),
        "data": [
            {"dataset": name, "source": source or "not available", "sha256": sha256}
            for name, source, sha256 in sorted(
                set(zip(runs["dataset"], runs["source"], runs["data_sha256"], strict=True))
            )
        ],
        "fits": {
            "number": len(runs),
            "failed": len(failed),
            "commits": {c: int(n) for c, n in runs["commit"].value_counts().sort_index().items()},
            # A start that several fits share was computed once.
            "cpu_seconds": round(float(runs["spent_cpu_seconds"].sum()), 1),
            "wall_seconds": round(float(runs["wall_seconds"].sum()), 1),
            "reasons": sorted(set(failed["error"])),
        },
        "code": code_of_methods(runs),
    }


def code_of_methods(runs: pd.DataFrame) -> dict[str, dict]:
    """Class of each method, digests of the code of its fits, and the programs that they run."""
    if runs.empty:
        return {}
    columns = ["method", "estimator", "code", "param_command"]  # the last of a few methods
    made = runs.reindex(columns=columns).drop_duplicates()
    return {
        method: {
            "estimator": of["estimator"].iloc[-1],
            "code": sorted(set(of["code"])),
            "commands": sorted(set(of["param_command"].dropna())),
        }
        for method, of in made.groupby("method")
    }


def write_manifest(manifest: dict, path: Path | str) -> None:
    """Write a manifest, completely or not at all."""
    with completed(path) as unfinished:
        unfinished.write_text(json.dumps(manifest, indent=1) + "\n")


def costs_of(records: Iterable[Path | str]) -> list[dict]:
    """Cost of jobs from their readable records, with the rule as "stage"."""
    read = [read_record(path) for path in records]
    return [r["cost"] | {"stage": r["slice"]["rule"]} for r in read if r and "cost" in r]


def workflow_cpu_seconds() -> dict[str, float] | None:
    """CPU of the nearest Snakemake above, and of its children; None in a job on a cluster."""
    for process in psutil.Process().parents():
        with contextlib.suppress(psutil.Error):
            words = process.cmdline()
            if any(Path(word).name == "snakemake" for word in words[:3]):
                times = process.cpu_times()
                of_process = {
                    "started": process.create_time(),
                    "own": times.user + times.system,
                    "children": times.children_user + times.children_system,
                }
                return None if "--mode" in words else of_process
    return None


def _cost(jobs: list[dict], spent: float) -> dict:
    """CPU of all jobs of the results over all calls; the fits, maybe older than these, `spent`."""
    by_stage = defaultdict(float)
    for job in jobs:
        by_stage[job["stage"]] += job["work_cpu_seconds"]
    if "fit" in by_stage:
        by_stage["fit"] = spent
    started = sum(job["startup_cpu_seconds"] for job in jobs)
    return {
        "jobs": len(jobs),
        "cpu_seconds": round(sum(by_stage.values()) + started, 1),
        "start_cpu_seconds": round(started, 1),
        "work_cpu_seconds": {stage: round(s, 1) for stage, s in sorted(by_stage.items())},
        "last_call": _last_call(jobs),
    }


def _last_call(jobs: list[dict]) -> dict | None:
    """Wall time and CPU of the call of Snakemake that is about to end; None on a cluster."""
    workflow = workflow_cpu_seconds()
    if workflow is None:
        return None
    total = workflow["own"] + workflow["children"] + time.process_time()
    return {
        "jobs": sum(job["finished"] >= workflow["started"] for job in jobs),
        "wall_seconds": round(time.time() - workflow["started"], 1),
        "cpu_seconds": round(total, 1),
        "snakemake_cpu_seconds": round(workflow["own"], 1),
    }
