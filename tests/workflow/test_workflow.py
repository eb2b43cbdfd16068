"""The pipeline as a user runs it: whole, killed, on other cores, after edits, with mistakes."""

import base64
import gzip
import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pandas as pd
import pytest
import yaml
from helpers import ROOT

from workflow.project import (
    bytes_of,
    command,
    copy_project,
    environment,
    planned_jobs,
    snakemake,
    succeed,
)


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    """A project whose tiny experiment has run to its end on two cores."""
    folder = copy_project(tmp_path_factory.mktemp("finished") / "project")
    output = succeed(folder)
    (folder / "output.txt").write_text(output)
    return folder


@pytest.fixture
def data_only(finished, tmp_path):
    """A fresh project that has the raw and prepared data, but no fits."""
    folder = copy_project(tmp_path / "project")
    for part in ("raw", "datasets"):
        target = folder / "resources" / part
        target.parent.mkdir(exist_ok=True)
        target.symlink_to(finished / "resources" / part)
    return folder


@pytest.mark.parametrize("profile", ["default", "slurm"])
def test_profiles_name_rules_that_exist(profile):
    folder = ROOT / "workflow"
    rules = re.findall(r"^rule (\w+):", "".join(map(Path.read_text, folder.rglob("*.smk"))), re.M)
    settings = yaml.safe_load((folder / "profiles" / profile / "config.yaml").read_text())
    assert {*settings["set-threads"], *settings["set-resources"]} <= set(rules)


def test_everything_is_there(finished):
    for name in ("csv", "md", "tex"):
        assert (finished / f"results/tables/tiny.{name}").stat().st_size > 100
    for name in ("svg", "pdf", "png"):
        assert (finished / f"results/figures/tiny.{name}").stat().st_size > 1000
    page = (finished / "results/report.html").read_text()
    packed = re.search(r'id="data">([^<]+)<', page)[1]
    data = json.loads(gzip.decompress(base64.b64decode(packed)))
    assert "tiny" in [experiment["id"] for experiment in data["experiments"]]
    assert 'src="http' not in page
    for name in ("published_vs_reproduced", "cost"):
        for part in ("tables/{}.csv", "tables/{}.tex", "figures/{}.svg", "figures/{}.pdf"):
            assert (finished / "results" / part.format(name)).stat().st_size > 100
    assert len(pd.read_csv(finished / "results/costs.csv")) == 3
    table = pd.read_csv(finished / "results/tables/tiny.csv")
    assert set(table["tuning"]) == {"oracle", "default", "label-free"}
    assert table["published"].notna().any()
    assert table["mean"].between(20, 100).all()


def test_progress_is_shown(finished):
    output = (finished / "output.txt").read_text()
    assert "mvclust: 3/3 jobs, 52/52 fits done" in output
    assert " left" in output


def test_provenance_is_complete(finished):
    manifest = json.loads((finished / "results/manifest.json").read_text())
    assert manifest["fits"]["failed"] == 0
    assert manifest["threads_per_fit"] == [1]
    assert manifest["machine"]["cpu"]
    assert manifest["libraries"]["scikit-learn"]
    assert len(manifest["data"][0]["sha256"]) == 64
    assert 0 < manifest["cost"]["overhead_share"] < 1
    assert manifest["cost"]["work_cpu_seconds"]["fit_method"] > 1
    runs = pd.read_parquet(finished / "results/runs.parquet")
    assert len(runs) == manifest["fits"]["number"] == 52
    for column in (
        "versions", "threads", "seed", "params", "wall_seconds", "cpu_seconds", "peak_mb",
        "source", "data_sha256", "commit", "cpu",
    ):  # fmt: skip
        assert column in runs
    assert str(finished) not in json.dumps(manifest)  # no path of a machine


def test_second_run_has_nothing_to_do(finished):
    assert "Nothing to be done" in succeed(finished)


def test_one_core_gives_the_same_bytes(finished, data_only):
    succeed(data_only, cores=1)
    for part in ("tables", "figures"):  # but for what it cost
        ours, theirs = (bytes_of(at, f"results/{part}/[!c]*") for at in (data_only, finished))
        assert ours == theirs


def test_killed_run_goes_on_and_gives_the_same_bytes(finished, data_only):
    process = subprocess.Popen(
        command(),
        cwd=data_only,
        env=environment(data_only),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    journals = data_only / "resources/work/journals"
    deadline = time.monotonic() + 300
    while rows_in(journals) < 7:
        assert process.poll() is None, "the run ended before it could be killed"
        assert time.monotonic() < deadline
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert not (data_only / "results/report.html").exists()
    kept = {path: path.read_bytes() for path in journals.glob("*.jsonl")}
    succeed(data_only)
    for path, content in kept.items():
        assert path.read_bytes().startswith(content)
    assert rows_in(journals) in (52, 53)  # one line may have been cut
    for part in ("tables", "figures"):  # but for what it cost
        ours, theirs = (bytes_of(at, f"results/{part}/[!c]*") for at in (data_only, finished))
        assert ours == theirs


def rows_in(journals):
    return sum(path.read_bytes().count(b'"labels"') for path in journals.glob("*.jsonl"))


def test_an_edit_of_daimc_reruns_its_fits_and_nothing_else(finished):
    module = finished / "mvclust/estimators/daimc.py"
    before = module.read_text()
    try:
        module.write_text(before + "\n# an edit\n")
        output = succeed(finished, "--dry-run", "--workflow-profile", "none")
    finally:
        module.write_text(before)
    jobs = planned_jobs(output)
    assert jobs == {
        "fit_method": 1, "score_experiment": 1, "collect_runs": 1, "render_experiment": 1,
        "compare_published": 1, "tabulate_cost": 1, "write_report": 1, "all": 1,
    }  # fmt: skip
    fits = [line for line in output.splitlines() if "output:" in line and "/fits/" in line]
    assert "handwritten.DAIMC.0.jsonl" in fits[0]
    assert "Nothing to be done" in succeed(finished)


def test_lock_of_a_living_run_is_respected(data_only):
    process = subprocess.Popen(
        command(),
        cwd=data_only,
        env=environment(data_only),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    while not (data_only / "resources/work/owner.json").exists():
        assert process.poll() is None
        time.sleep(0.05)
    second = snakemake(data_only)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert second.returncode != 0
    assert "cannot be locked" in second.stdout


def test_mistakes_are_told_before_anything_starts(data_only):
    config = data_only / "config/config.yaml"
    config.write_text(config.read_text().replace("seed: 0", "sead: 0"))
    experiments = data_only / "config/experiments/tiny.yaml"
    experiments.write_text(experiments.read_text().replace("rates: [0.3", "rates: [1.3"))
    done = snakemake(data_only)
    assert done.returncode != 0
    assert "The configuration has 3 mistakes:" in done.stdout
    assert "config/config.yaml:14: sead: unknown key 'sead'; did you mean 'seed'?" in done.stdout
    assert "config/experiments/tiny.yaml:11: tiny.rates.0: 1.3 is out of range" in done.stdout
    assert "Traceback" not in done.stdout
    assert not (data_only / "resources/work").exists()


def test_failing_method_is_a_row_and_the_run_goes_on(data_only):
    edit = data_only / "config/algorithms.yaml"
    edit.write_text(edit.read_text().replace("variant: author", "variant: nonsense"))
    succeed(data_only)
    table = pd.read_csv(data_only / "results/tables/tiny.csv")
    daimc, others = table[table["method"] == "DAIMC"], table[table["method"] != "DAIMC"]
    assert daimc["mean"].isna().all()
    assert daimc["note"].str.contains("variant").all()
    assert others["mean"].notna().all()
    assert "fits failed" in (data_only / "results/tables/tiny.md").read_text()


def test_no_source_reachable_is_told_with_reasons(data_only, monkeypatch, tmp_path):
    (data_only / "resources/raw").unlink()
    (data_only / "resources/datasets").unlink()
    catalogue = data_only / "config/datasets.yaml"
    text = catalogue.read_text().replace("https://", "http://127.0.0.1:9/")
    catalogue.write_text(text.replace("version: 0.5.0", "version: 0.0.0.dev404"))
    monkeypatch.setenv("MVCLUST_MIRROR", str(tmp_path / "nowhere"))
    monkeypatch.setattr("workflow.project.find_mirror", lambda: None)
    done = snakemake(data_only)
    assert done.returncode != 0
    assert "handwritten" in done.stdout
    assert "mirror" in done.stdout
    assert "resources/raw/handwritten" in done.stdout
    assert not (data_only / "resources/raw/handwritten.json").exists()


def test_smoke_configuration_makes_every_file(data_only):
    succeed(data_only, configfile="config/smoke.yaml")
    ids = ["daimc_fig1", "daimc_fig2a", "daimc_fig2b", "daimc_fig2cd", "ueaf_table2"]
    ids += ["cmvnmf_fig1", "all_methods", "published_vs_reproduced", "cost"]
    for name in ids:
        for kind in ("tables/{}.csv", "tables/{}.md", "tables/{}.tex", "figures/{}.svg",
                     "figures/{}.pdf", "figures/{}.png"):  # fmt: skip
            path = data_only / "smoke/results" / kind.format(name)
            assert path.stat().st_size > 100, path
    assert not (data_only / "results").exists()


OTHERS = """
others:
  title: Data that came incomplete, with published masks, and out of reach
  paper: mpac
  item: table3
  render: curves
  data:
    - {dataset: 3sources, label: 3sources (416), subset: "416"}
    - {dataset: caltech101-7, label: Caltech7}
  protocol: natural
  repetitions: 2
  methods: [DAIMC, Concat]
  metrics: {NMI: nmi_arithmetic}
  unit: fraction

given:
  title: Masks of the authors
  paper: ueaf
  item: table3
  render: curves
  data:
    - {dataset: 3sources, label: 3 Sources}
  protocol: published
  rates: [0.3]
  repetitions: 2
  methods: [DAIMC]
  metrics: {NMI: nmi_max}
  unit: percent
"""


def test_other_data_other_protocols_and_data_out_of_reach(data_only, mirror):
    for part in ("raw", "datasets"):
        (data_only / "resources" / part).unlink()
    (data_only / "config/experiments/others.yaml").write_text(OTHERS)
    settings = data_only / "tiny.yaml"
    settings.write_text(
        "experiments: [others, given, mpac_table1]\n"
        "missing_data: skip\n"
        "datasets: null\n"
        "budget: {repetitions: null, samples_per_class: null, grid_points: 1}\n"
    )
    catalogue = data_only / "config/datasets.yaml"
    catalogue.write_text(catalogue.read_text().replace("https://", "http://127.0.0.1:9/"))
    output = succeed(data_only)
    assert "caltech101-7 is not available" in output
    assert "resources/raw/caltech101-7" in output
    others = pd.read_csv(data_only / "results/tables/others.csv").set_index("dataset")
    assert others.loc["3sources (416)", "mean"].between(0.05, 1).all()
    assert others.loc["Caltech7", "mean"].isna().all()
    assert (others.loc["Caltech7", "note"] == "data not available").all()
    given = pd.read_csv(data_only / "results/tables/given.csv")
    assert given["mean"].between(10, 100).all()
    statistics = pd.read_csv(data_only / "results/tables/mpac_table1.csv", dtype=str)
    assert (statistics.loc[statistics["source"] == "data not available", "called"]).tolist() == [
        "Caltech7", "Caltech7", "Caltech7", "Caltech20", "Caltech20", "Caltech20",
    ]  # fmt: skip
    known = statistics[statistics["source"] != "data not available"]
    assert (known["agrees"] == "yes").all()
