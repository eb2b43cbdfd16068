"""The pipeline as a user runs it: whole, killed, beside another run."""

import json
import re
import signal
import subprocess
import zipfile
from pathlib import Path

import pandas as pd
import pytest
import yaml
from helpers import ROOT
from processes import wait_until

from mvclust.bench.plan.products import CLAIMS, PRODUCTS
from workflow.project import (
    FITS,
    NUMBERS,
    bytes_of,
    fail,
    fits_in,
    jobs_at_work,
    living_run,
    planned_rules,
    snakemake,
    snapshot,
    succeed,
)


def locks_in(folder):
    return {path: path.stat().st_mtime_ns for path in folder.glob(".snakemake/locks/*")}


@pytest.mark.parametrize("profile", ["default", "slurm"])
def test_profiles_name_rules_that_exist(profile):
    rules = "".join(path.read_text() for path in (ROOT / "workflow/rules").glob("*.smk"))
    settings = yaml.safe_load((ROOT / "profiles" / profile / "config.yaml").read_text())
    named = {*settings["set-threads"], *settings["set-resources"]}
    known = re.findall(r"^rule (\w+):", rules, re.MULTILINE)
    assert named <= {*known, *(product.rule for product in PRODUCTS)}


def test_a_whole_run_ends_by_comparing_itself_with_the_repository(project):
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b.example", "-C", str(project)]
    for words in (["init", "-q"], ["add", "-f", "results"], ["commit", "-q", "-m", "results"]):
        subprocess.run([*git, *words], check=True)
    (project / "results/tiny/tables/tiny.md").unlink()
    told = succeed(project)
    assert re.search("tables and .* figures are those of the repository, byte for byte", told)


def test_snakemake_reports_tables_and_figures_by_paper(finished, tmp_path):
    made = bytes_of(finished, "results/tiny/*/*")
    succeed(finished, "--report", str(tmp_path / "report.zip"))
    assert bytes_of(finished, "results/tiny/*/*") == made
    with zipfile.ZipFile(tmp_path / "report.zip") as archive:
        held = {Path(name).name for name in archive.namelist()}
        text = archive.read("report/report.html").decode()
    shown, categories = (
        json.loads(re.search(rf"var {name} = (\{{.*\}});$", text, re.MULTILINE)[1])
        for name in ("results", "categories")
    )
    assert {entry["filename"] for entry in shown.values()} <= held
    found = {
        (category, *shown[path]["labels"].values())
        for category, parts in categories.items()
        for paths in parts.values()
        for path in paths
    }
    drawn = ("cost", "published_vs_reproduced", "claims")
    expected = {("beyond", name, "table") for name in (*drawn, "facts", "consistency", *CLAIMS)}
    expected |= {("beyond", name, "figure") for name in drawn}
    expected |= {("ueaf", "tiny", "table"), ("ueaf", "tiny", "figure")}
    assert found == expected | {("report", "report", "page")}
    # The run is described as a research object.
    crate = tmp_path / "ro-crate-metadata.json"
    succeed(finished, "--reporter", "fairscape", "--report-fairscape-path", str(crate))
    assert bytes_of(finished, "results/tiny/*/*") == made
    described, *entities = json.loads(crate.read_text())["@graph"]
    assert described["conformsTo"]["@id"].startswith("https://w3id.org/ro/crate/")
    names = {entity["name"] for entity in entities}
    assert {"tiny.csv", "tiny.svg", "report.html", "handwritten.h5"} <= names


def test_the_run_says_how_far_it_is_and_its_provenance_is_complete(finished):
    output = (finished.parent / "output.txt").read_text()
    assert f"mvclust: 2 experiments, {FITS} fits in 3 jobs" in output
    assert "mvclust: report: results/tiny/report.html" in output
    assert "mvclust: data: handwritten from " in output
    assert "fits failed" not in output
    lines = (finished / "resources/work/tiny/progress.jsonl").read_text().splitlines()
    assert sum("fitted" in json.loads(line) for line in lines) == FITS
    manifest = json.loads((finished / "results/tiny/manifest.json").read_text())
    assert manifest["threads_per_fit"] == [1]
    assert manifest["libraries"]["scikit-learn"]
    cost = manifest["cost"]
    assert cost["start_cpu_seconds"] < cost["cpu_seconds"] < 2 * cost["last_call"]["cpu_seconds"]
    assert cost["last_call"]["jobs"] == cost["jobs"] > 5
    runs = pd.read_parquet(finished / "results/tiny/runs.parquet")
    assert len(runs) == manifest["fits"]["number"] == FITS
    # A start that several fits share was computed once.
    records = (finished / "resources/work/tiny/fits").rglob("*.record")
    worked = sum(json.loads(path.read_text())["cost"]["work_cpu_seconds"] for path in records)
    assert 0 < manifest["fits"]["cpu_seconds"] <= 1.05 * worked + 0.1


LOOKS = ("-n", "--dag", "--summary", "--lint", "--list-rules", "--unlock", "--list-changes params")


def test_a_look_changes_no_file_and_another_run_takes_prepared_data(project):
    planned = planned_rules(project, "--config", "run=other")
    assert "fit" in planned
    assert not planned & {"download", "prepare"}
    fits = project / "resources/work/tiny/fits/handwritten/DAIMC.0.jsonl"
    fits.write_bytes(fits.read_bytes() + b"\n")  # so that there is something to do
    before = snapshot(project)
    for look in LOOKS:
        snakemake(project, *look.split())
        assert snapshot(project) == before, look


@pytest.mark.fault("a second run of the same results beside a living one")
@pytest.mark.fault("a lock left by a dead process on this machine")
def test_runs_beside_a_living_one_and_after_its_death(finished, data_only):
    taken = "results/tiny is being made by another run (process"
    with living_run(data_only, until=lambda: len(fits_in(data_only)) >= 2, cores=1) as living:
        living.send_signal(signal.SIGSTOP)  # so that it does not end before
        locks = locks_in(data_only)
        assert locks
        assert taken in fail(data_only, "--config", "seed=3")
        for keys in (["seed=3"], ["run=other", "seed=3"]):
            succeed(data_only, "--dry-run", "--config", *keys)
        assert locks_in(data_only) == locks
        living.kill()
        living.wait()
        wait_until(lambda: not jobs_at_work(data_only), seconds=20)  # no job outlives it
    assert not (data_only / "results/tiny/report.html").exists()
    dead = locks_in(data_only)
    assert dead
    journals = list((data_only / "resources/journals").glob("*.jsonl"))
    kept = {path: path.read_bytes() for path in journals}
    assert kept

    plan = data_only / "resources/work/tiny/study.json"
    plan.unlink()
    with living_run(data_only, until=plan.exists, cores=1, warm_jobs=True) as process:
        process.send_signal(signal.SIGSTOP)
        assert locks_in(data_only).items().isdisjoint(dead.items())
        masks = "resources/work/other/masks/handwritten/paired-0.3.npz"
        succeed(data_only, masks, "--config", "run=other")
        assert (data_only / masks).exists()
        # Snakemake removes all locks of the folder when a run ends; this one is still known.
        assert taken in fail(data_only)
        process.send_signal(signal.SIGCONT)
        assert process.wait(timeout=600) == 0
    for path, content in kept.items():
        assert path.read_bytes().startswith(content)
    assert len(fits_in(data_only)) in (FITS, FITS + 1, FITS + 2)  # two lines may have been cut
    assert bytes_of(data_only, NUMBERS) == bytes_of(finished, NUMBERS)
    assert not locks_in(data_only)


def test_probes_are_measured_once_and_claims_are_tested_on_them(project):
    before = bytes_of(project, NUMBERS)
    assert "\nfit " not in succeed(project, "--config", "probes=True")
    assert "Nothing to be done" in succeed(project, "--config", "probes=True")
    measured = pd.read_csv(project / "results/tiny/tables/probes.csv")
    assert list(measured["arm"]) == 2 * ["MultiNMF", "NMF"]
    after = bytes_of(project, NUMBERS)
    assert {path: after[path] for path in before} == before
    claims = pd.read_csv(project / "results/tiny/tables/claims.csv", index_col="id")
    gap = measured.groupby("arm")["value"].mean()
    assert claims.loc["agreeing", "effect"] == pytest.approx(gap["MultiNMF"] - gap["NMF"], abs=1e-5)
    assert claims.loc["agreeing", "verdict"] == "open"  # two seeds say nothing
