"""What is asked for: a paper, single experiments, data that are not there, methods that fail."""

import importlib.util
import re

import pandas as pd
import pytest

from mvclust.bench.record.progress import Progress
from workflow.project import (
    command,
    copy_project,
    data_of_page,
    edit,
    fail,
    planned_jobs,
    planned_rules,
    run_python,
    share_data,
    succeed,
)


def test_a_paper_has_a_page_of_its_own(project):
    assert planned_rules(project, "results/tiny/ueaf.html") == {"paper"}
    output = succeed(project, "ueaf")
    assert set(planned_jobs(output)) == {"ueaf", "paper"}
    assert "results/tiny/ueaf.html" in output
    shown = data_of_page(project / "results/tiny/ueaf.html")["experiments"]
    assert [experiment["title"] for experiment in shown] == ["A tiny experiment"]
    assert "chooses no experiment of daimc" in fail(project, "--dry-run", "daimc")


FAILING = """
from mvclust.estimators.concat_kmeans import ConcatKMeans


class Raising(ConcatKMeans):
    def fit(self, Xs, y=None):
        raise ArithmeticError("no solution")


class Senseless(ConcatKMeans):
    def fit(self, Xs, y=None):
        self.labels_ = [0.7] * len(Xs[0])
        return self
"""


TELLS_TIMERS = """
import threading
from snakemake.cli import main

Timer = threading.Timer
threading.Timer = lambda *how: print("a timer", *how) or Timer(*how)
main()
"""


def run_with_timers(folder, *arguments):
    done = run_python(folder, "-c", TELLS_TIMERS, *command(*arguments))
    assert done.returncode == 0, done.stdout[-4000:]
    return done.stdout


@pytest.mark.fault("methods that raise, or give labels of no sense, in all fits")
def test_a_run_whose_fits_all_fail_has_a_report(data_only):
    (data_only / "mvclust/estimators/failing.py").write_text(FAILING)
    methods = data_only / "config/methods.yaml"
    methods.write_text(
        methods.read_text()
        + "\nRaising: {estimator: mvclust.estimators.failing.Raising}\n"
        + "Senseless: {estimator: mvclust.estimators.failing.Senseless}\n"
    )
    tiny = data_only / "config/experiments/tiny.yaml"
    edit(tiny, "[DAIMC, BestSingleView, ConcatKMeans-knn]", "[Raising, Senseless]")
    edit(tiny, "repetitions: 2", "repetitions: 1")
    claims = data_only / "config/claims.yaml"
    edit(claims, "experiments: [tiny], methods: [DAIMC]", "experiments: [tiny], methods: [Raising]")
    output = run_with_timers(data_only)
    assert "a timer " not in output  # finished jobs leave none
    assert "mvclust: 4 of 4 fits failed" in output
    assert "mvclust: the next run tries 4 failed fits again" in output
    assert "mvclust: report: results/tiny/report.html" in output
    table = pd.read_csv(data_only / "results/tiny/tables/tiny.csv")
    assert table["mean"].isna().all()
    notes = table.groupby("method")["note"].first()
    assert "ArithmeticError: no solution" in notes["Raising"]
    assert "the labels hold 0.7" in notes["Senseless"]
    assert "failed" in (data_only / "results/tiny/tables/tiny.md").read_text()
    output = run_with_timers(data_only, "--max-jobs-per-timespan", "1000/1s")
    assert "a timer 1.0 " in output  # the user's own limit is kept, and timers are seen
    assert "4 fits failed in 2 runs and will not be tried again" in output
    assert "Nothing to be done" in succeed(data_only, "--dry-run")


def test_the_smoke_configuration_runs_and_writes_its_results_alone(finished, tmp_path):
    project = copy_project(tmp_path / "project")
    share_data(finished, project)
    succeed(project, configfile="config/runs/smoke.yaml")
    assert [path.name for path in (project / "results").iterdir()] == ["smoke"]


OTHERS = """
others:
  {title: Data that came incomplete and out of reach, paper: mpac, item: table3, render: groups,
   data: [{dataset: 3sources, label: 3sources (416), subset: "416"},
          {dataset: caltech101-7, label: Caltech7}, {dataset: breast-tcga, label: Tumours}],
   protocol: natural, repetitions: 2, methods: [DAIMC, ConcatKMeans],
   metrics: {NMI: nmi_arithmetic}, unit: fraction}
given:
  {title: Masks of the authors, paper: ueaf, item: table3, render: curves,
   data: [{dataset: 3sources, label: 3 Sources}], protocol: published, missing_rates: [0.3],
   repetitions: 2, methods: [DAIMC], metrics: {NMI: nmi_max}, unit: percent}
"""


def test_other_data_other_protocols_and_data_out_of_reach(tmp_path, mirror):
    project = copy_project(tmp_path / "project")
    (project / "config/experiments/others.yaml").write_text(OTHERS)
    (project / "tiny.yaml").write_text(
        "{run: tiny, experiments: [others, given], missing_data: skip, datasets: null, "
        "budget: {repetitions: null, samples_per_class: null, grid_points: 1}}\n"
    )
    catalogue = project / "config/datasets.yaml"
    reachable = catalogue.read_text().replace("https://", "http://127.0.0.1:9/")
    catalogue.write_text(reachable.replace("folder: caltech101-raw", "folder: lost"))
    output = succeed(project)
    assert "caltech101-7 is not available" in output
    assert "resources/raw/caltech101-7" in output
    assert "caltech101-7 from no source" in output
    tables = project / "results/tiny/tables"
    others = pd.read_csv(tables / "others.csv").set_index("dataset")
    assert others.loc["3sources (416)", "mean"].between(0.05, 1).all()
    assert others.loc["Caltech7", "mean"].isna().all()
    assert (others.loc["Caltech7", "note"] == "data not available").all()
    # Without the library that reads its file, a data set is one that is not available.
    if importlib.util.find_spec("rdata") or not (mirror / "omics").is_dir():
        assert others.loc["Tumours", "mean"].notna().any() == (mirror / "omics").is_dir()
    else:
        assert "rdata is not installed" in output
        assert (others.loc["Tumours", "note"] == "data not available").all()
    given = pd.read_csv(tables / "given.csv")
    assert given["mean"].between(10, 100).all()
    # What has no data counts as done.
    line = Progress(project / "resources/work/tiny/progress.jsonl").line()
    assert re.fullmatch(r"mvclust: (\d+) of \1 jobs, (\d+) of \2 fits done", line)
