"""The manifest says what a run was and cost, and counts what was computed once."""

import json
import os
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import psutil
import pytest

from mvclust.bench.fit.cpu import PeakMemory, cpu_seconds
from mvclust.bench.record import manifest as module
from mvclust.bench.record.manifest import make_manifest, with_runs, write_manifest
from mvclust.bench.record.records import write_json


@pytest.fixture
def runs():
    """Three fits, the last two on the start of the first, and one that failed."""
    return pd.DataFrame({
        "method": "A", "estimator": "a.b.A", "dataset": "digits", "threads": 1,
        "code": ["1"] * 3 + ["2"], "commit": ["c1"] * 3 + ["c2"],
        "source": ["mirror folder"] * 3 + [""], "data_sha256": ["0" * 64] * 3 + [""],
        "versions": json.dumps({"python": "3.11.7"}),
        "cpu_seconds": [12.0, 11.0, 13.0, 0.0], "spent_cpu_seconds": [12.0, 1.0, 3.0, 0.0],
        "wall_seconds": [12.5, 1.5, 3.5, 0.0], "error": [None, None, None, "ValueError: no"],
    })  # fmt: skip


def manifest_of(runs, folder, records=()):
    (folder / "tables").mkdir()
    (folder / "tables" / "a.csv").write_text("a\n")
    files = {"products": [folder / "tables" / "a.csv"]}
    used = {"config": {"seed": 0}, "where": {"root": folder, "records": records}, "inputs": files}
    return make_manifest(used, runs, folder)


def test_it_describes_fits_data_and_machine_and_names_no_path(runs, tmp_path):
    manifest = manifest_of(runs, tmp_path)
    write_manifest(manifest, tmp_path / "manifest.json")
    assert json.loads((tmp_path / "manifest.json").read_text()) == manifest
    assert manifest["fits"] == {  # a start that fits share counts once
        "number": 4, "failed": 1, "cpu_seconds": 16.0, "wall_seconds": 17.5,
        "commits": {"c1": 3, "c2": 1}, "reasons": ["ValueError: no"],
    }  # fmt: skip
    assert list(manifest["machine"]) == ["cpu", "cores", "memory_gb", "system"]
    assert manifest["machine"]["cores"] == os.cpu_count()
    made = {"A": {"estimator": "a.b.A", "code": ["1", "2"], "commands": []}}
    assert manifest["code"] == made
    assert {d["source"] for d in manifest["data"]} == {"mirror folder", "not available"}
    assert list(manifest["sha256"]) == ["tables/a.csv"]
    assert str(tmp_path) not in json.dumps(manifest)
    assert manifest["commit"] is None  # not a repository


def test_the_cost_is_that_of_all_calls(runs, tmp_path, monkeypatch):
    """The fits of a job may be older than the job, which then took them from journals."""
    records = [tmp_path / f"{name}.record" for name in "abc"]
    for path, rule, work in zip(records, ("fit", "fit", "score"), (0.5, 9.0, 2.0), strict=True):
        cost = {"startup_cpu_seconds": 3.0, "work_cpu_seconds": work, "finished": 0.0}
        write_json(path, {"slice": {"rule": rule}, "inputs": {}, "outputs": {}, "cost": cost})
    above = {"started": 0.0, "own": 5.0, "children": 7.0}
    monkeypatch.setattr(module, "workflow_cpu_seconds", lambda: above)
    cost = manifest_of(runs, tmp_path, records)["cost"]
    assert cost["last_call"]["cpu_seconds"] > 12.0  # this process is not among the finished ones
    assert cost["work_cpu_seconds"] == {"fit": 16.0, "score": 2.0}
    assert (cost["jobs"], cost["start_cpu_seconds"], cost["cpu_seconds"]) == (3, 9.0, 27.0)


def test_fits_that_were_made_again_count_in_the_cost(runs):
    stages = {"fit": 16.0, "score": 2.0}
    before = {"cost": {"cpu_seconds": 27.0, "work_cpu_seconds": stages, "jobs": 3}, "created": "x"}
    after = with_runs(before, runs.assign(spent_cpu_seconds=1.0, commit="c3"))
    work = {"fit": 4.0, "score": 2.0}
    assert after["cost"] == {"cpu_seconds": 15.0, "work_cpu_seconds": work, "jobs": 3}
    assert (after["created"], after["fits"]["commits"]) == ("x", {"c3": 4})
    assert stages["fit"] == 16.0


def test_peak_memory_sees_what_was_freed_again():
    with PeakMemory() as memory:
        np.ones(10**7).sum()
    assert memory.peak_mb > 80


def test_cpu_counts_the_processes_that_a_fit_starts():
    before, own = cpu_seconds(), time.process_time()
    subprocess.run([sys.executable, "-c", "sum(range(10**6))"], check=True)
    assert cpu_seconds() - before > time.process_time() - own


def test_the_cost_of_a_run_is_not_that_of_one_job_on_a_cluster(monkeypatch):
    assert module.workflow_cpu_seconds() is None  # of the tests
    above = psutil.Process()
    monkeypatch.setattr(psutil.Process, "parents", lambda self: [above])
    for words, found in (["snakemake"], True), (["snakemake", "--mode", "remote"], False):
        line = ["python", *words]
        monkeypatch.setattr(psutil.Process, "cmdline", lambda self, line=line: line)
        assert (module.workflow_cpu_seconds() is not None) == found
