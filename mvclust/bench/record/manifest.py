"""What a run was: versions, machine, configuration, data, cost, checksums."""

import json
import platform
import time
from importlib import metadata
from pathlib import Path

import mvclust
from mvclust.bench.arithmetic import Arithmetic, own_digits
from mvclust.bench.record.cost import costs_of, workflow_cpu_seconds
from mvclust.bench.record.provenance import commit_of, machine
from mvclust.datasets.files import completed, sha256_of

LIBRARIES = [
    *("numpy", "scipy", "scikit-learn", "pandas", "pyarrow", "h5py", "matplotlib"),
    *("snakemake", "threadpoolctl", "pooch"),
]
WHOSE_CODE = ("method", "estimator", "code", "param_command")  # the last of a few methods


def make_manifest(*, runs, config, root, records, folder, files):
    """Describe a run.

    Parameters
    ----------
    runs : DataFrame
        The table of runs.
    config : dict
        What the configuration says of what is computed.
    root : path-like
        The project's folder.
    records : list of path-like
        The records of the run's jobs, see `mvclust.bench.record.records`.
    folder : path-like
        The run's results.
    files : list of path-like
        Files in that folder whose checksums are kept.

    Returns
    -------
    dict
    """
    pythons = {json.loads(text)["python"] for text in runs["versions"].dropna()}
    return {
        "created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "mvclust": mvclust.__version__,
        "commit": commit_of(root),
        "libraries": {name: metadata.version(name) for name in LIBRARIES},
        "python": ", ".join(sorted(pythons)) or platform.python_version(),
        "machine": machine(),
        "config": config,
        **_described(runs),
        "cost": _cost(costs_of(records), float(runs["spent_cpu_seconds"].sum())),
        "sha256": {str(Path(f).relative_to(folder)): sha256_of(f) for f in sorted(files)},
    }


def with_runs(manifest, runs):
    """The manifest of a run of which some fits were made again.

    Parameters
    ----------
    manifest : dict
    runs : DataFrame
        The table of runs.

    Returns
    -------
    dict
    """
    described = _described(runs)
    cost, spent = manifest["cost"], described["fits"]["cpu_seconds"]
    stages = cost["work_cpu_seconds"]
    total = cost["cpu_seconds"] + spent - stages.get("fit", spent)
    cost = cost | {"cpu_seconds": round(total, 1), "work_cpu_seconds": stages | {"fit": spent}}
    return manifest | described | {"cost": cost}


def _described(runs):
    """What follows from the table of runs."""
    failed = runs[runs["error"].notna()]
    return {
        **_arithmetic(runs),
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


def _arithmetic(runs):
    """What the fits were computed with; nothing of runs that did not record it."""
    if "kernel" not in runs or runs.empty:
        return {}
    arithmetic = Arithmetic(*runs[[*Arithmetic._fields]].iloc[0])
    return {"arithmetic": str(arithmetic), "own_digits": own_digits(arithmetic)}


def code_of_methods(runs):
    """Which code made the fits of each method.

    Parameters
    ----------
    runs : DataFrame
        The table of runs, of which the columns `WHOSE_CODE` count.

    Returns
    -------
    dict
        Method -> estimator (its class), code (the digests of its rows, one if the same code made
        all), commands (of a method that runs programs).
    """
    if runs.empty:
        return {}
    made = runs.reindex(columns=list(WHOSE_CODE)).drop_duplicates()
    return {
        method: {
            "estimator": of["estimator"].iloc[-1],
            "code": sorted(set(of["code"])),
            "commands": sorted(set(of["param_command"].dropna())),
        }
        for method, of in made.groupby("method")
    }


def write_manifest(manifest, path):
    """Write a manifest, whole or not at all."""
    with completed(path) as unfinished:
        unfinished.write_text(json.dumps(manifest, indent=1) + "\n")


def _cost(jobs, spent):
    """CPU of all that made the results, in however many calls, and what the last call took.

    Parameters
    ----------
    jobs : list of dict
        As `mvclust.bench.record.cost.costs_of` gives them.
    spent : float
        CPU seconds of the fits, which may be older than their jobs.
    """
    by_stage = {}
    for job in jobs:
        by_stage[job["stage"]] = by_stage.get(job["stage"], 0.0) + job["work_cpu_seconds"]
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


def _last_call(jobs):
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
