"""What is decided before anything runs."""

from types import SimpleNamespace

import pytest
from pipeline.planned import lay_out

from mvclust.pipeline.plan.resources import Packing
from mvclust.pipeline.run import (
    CannotRun,
    cancel_left_jobs,
    experiments_of,
    looks_only,
    plan_run,
    start_run,
)


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MVCLUST_MIRROR", raising=False)
    return lay_out(tmp_path)


def begin(project, config=None, *, workers=2, arguments=("snakemake", "--cores", "2")):
    options = {"config_files": [], "overrides": {}, "workers": workers, "packing": Packing()}
    return plan_run(config or {}, project, arguments=list(arguments), **options)


def test_a_run_makes_its_folders_and_a_dry_run_does_not(project, capsys):
    begin(project, arguments=["snakemake", "-n"])
    assert not (project / "results").exists()
    plan, locks = begin(project)
    assert (project / "results" / "default").is_dir()
    assert plan["folders"]["work"] == "resources/work/default"
    assert locks == {}
    assert capsys.readouterr().err.startswith("mvclust: 2 experiments, ")


def test_folders_that_cannot_be_made_are_told(project):
    (project / "results").write_text("a file in place of the folder")
    with pytest.raises(CannotRun, match="results/default cannot be made"):
        begin(project)
    begin(project, arguments=["snakemake", "--dry-run"])


def test_no_cores_are_told(project):
    with pytest.raises(CannotRun, match="give --cores 1 or more"):
        begin(project, workers=0)


def test_the_mirror_is_that_of_the_configuration_or_of_the_environment(project, monkeypatch):
    (project / "one").mkdir()
    (project / "two").mkdir()
    monkeypatch.setenv("MVCLUST_MIRROR", str(project / "one"))
    assert begin(project)[0]["mirror"] == str(project / "one")
    assert begin(project, {"mirror": "two"})[0]["mirror"] == "two"


@pytest.mark.parametrize(
    ("arguments", "looks"),
    [
        ("--cores 2", False),
        ("--cores 2 -n", True),
        ("-nq --cores 1", True),
        ("--dry-run", True),
        ("--lint", True),
        ("--unlock", True),
        ("--cores 8 --configfile config/runs/paper.yaml ueaf", False),
        ("--jobs 3 --nolock", False),
    ],
)
def test_calls_that_run_nothing_are_known(arguments, looks):
    assert looks_only(["snakemake", *arguments.split()]) == looks


def test_a_run_forgets_the_cost_of_jobs_that_it_does_not_have(project):
    plan, locks = begin(project)
    path = project / "work" / "plan.json"
    jobs = path.with_name("jobs")
    jobs.mkdir(parents=True)
    job = next(iter(plan["uses"]["fit"]))
    for name in (f"fit_method.{job}", "fit_method.DAIMC.99", "score_experiment.gone"):
        (jobs / f"{name}.json").write_text("{}")
    start_run(plan, path, locks, jobs=[], workers=1)
    kept = {record.stem for record in jobs.iterdir()}
    assert kept == {f"fit_method.{job}", "score_experiment.gone"}


def test_what_is_asked_for(project):
    plan = {"papers": {"daimc_fig1": "daimc", "ueaf_fig2": "ueaf", "ueaf_fig3": "ueaf"}}
    plan["folders"] = {"results": "results/default", "work": "resources/work/default"}
    assert experiments_of(plan, ["--cores", "2"]) == ["daimc_fig1", "ueaf_fig2", "ueaf_fig3"]
    assert experiments_of(plan, ["ueaf", "--cores", "2"]) == ["ueaf_fig2", "ueaf_fig3"]
    assert experiments_of(plan, ["results/default/figures/daimc_fig1.svg"]) == ["daimc_fig1"]


def test_jobs_that_a_killed_run_left_are_cancelled_or_named(tmp_path, capsys):
    (tmp_path / "cancel").write_text(f"echo $@ > {tmp_path}/cancelled")
    settings = SimpleNamespace(cancel_cmd=f"sh '{tmp_path}/cancel' --now")
    cancel_left_jobs("cluster-generic", settings, [])
    assert not (tmp_path / "cancelled").exists()
    cancel_left_jobs("cluster-generic", settings, ["17", "18"])
    assert (tmp_path / "cancelled").read_text() == "--now 17 18\n"
    assert "cancelled 2 jobs that an earlier run left" in capsys.readouterr().err
    for executor, unknown in (("cluster-generic", None), ("other", "/no/such/command")):
        cancel_left_jobs(executor, SimpleNamespace(cancel_cmd=unknown), ["17"])
        told = capsys.readouterr().err
        assert "cancel 1 job" in told
        assert told.endswith(": 17\n")
