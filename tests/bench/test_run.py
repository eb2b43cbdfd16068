"""What is decided before a run, what a job on a cluster knows, and jobs of a silent cluster."""

import asyncio
import errno
import os
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from bench.planned import configuration_of, lay_out
from helpers import ROOT
from snakemake.settings.types import DAGSettings

from mvclust.bench import internals
from mvclust.bench.config.load import load_folders
from mvclust.bench.internals import Inside
from mvclust.bench.plan.folders import Folders
from mvclust.bench.plan.jobs import Packing
from mvclust.bench.record.records import read_json
from mvclust.bench.run import Call, CallOfJob, cancel_left_jobs, experiments_of, named


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return lay_out(tmp_path)


@pytest.fixture
def forced(monkeypatch):
    """What was put down to be made, by a call that runs jobs on two cores."""
    outputs = []
    answers = {"runs_jobs": True, "is_module": False, "cores": 2, "targets": []}
    for name, answer in answers.items():
        monkeypatch.setattr(Inside, name, lambda inside, answer=answer: answer)
    monkeypatch.setattr(Inside, "force", lambda inside, output: outputs.append(output))
    return outputs


def call_of(project, snakemake=None):
    configuration = configuration_of(project, experiments=["rates"])
    return Call(snakemake or Inside(None), configuration, ROOT, Packing())


def test_a_run_makes_its_folders_and_a_look_does_not(project, forced, capsys, monkeypatch):
    monkeypatch.setattr(Inside, "runs_jobs", lambda inside: False)
    inputs = call_of(project).inputs("masks", "digits/random-0")
    assert inputs == {"data": ["resources/datasets/digits.h5"]}
    assert forced == ["resources/work/custom/masks/digits/random-0.npz"]
    assert capsys.readouterr().err.startswith("mvclust: 1 experiment, ")
    assert not (project / "results").exists()
    monkeypatch.setattr(Inside, "runs_jobs", lambda inside: True)
    call_of(project).inputs("masks", "digits/random-0")
    assert (project / "results" / "custom").is_dir()


@pytest.mark.parametrize("asked", [{}, {"forcerun": {"fit"}}, {"forceall": True}])
def test_failures_that_rest_are_tried_where_fits_are_forced(asked, project, forced, monkeypatch):
    snakemake = Inside(SimpleNamespace(dag_settings=DAGSettings(**asked)))
    assert snakemake.is_forced("fit") == bool(asked)
    monkeypatch.setattr(Inside, "is_module", lambda inside: True)
    call = call_of(project, snakemake)
    call.begin()
    for path in Path(call.folders.work, "plan", "fit").rglob("*.json"):
        assert read_json(path)["where"]["forced"] == bool(asked)


def unreadable(*_):
    raise OSError(errno.ESTALE, "Stale file handle", "resources/x")


def mistaken(*_):
    raise KeyError("x")


@pytest.mark.fault("an error in an input function, which Snakemake takes for nothing to be done")
@pytest.mark.parametrize(
    ("how", "sentence"),
    [(unreadable, "resources/x cannot be read: Stale file handle."),
     (mistaken, "the plan cannot be made")],
)  # fmt: skip
def test_an_error_in_an_input_function_ends_the_run(how, sentence, project, forced, monkeypatch):
    call = call_of(project)
    monkeypatch.setattr(call.plan, "why", how)
    with pytest.raises(SystemExit, match=sentence):
        call.inputs("masks", "digits/random-0")
    for name, words in {"products": [], "files_of_paper": ["ueaf"]}.items():
        call = call_of(project)
        monkeypatch.setattr(call, "begin", how)
        with pytest.raises(SystemExit, match=sentence):
            getattr(call, name)(*words)
    job = CallOfJob(call.folders, Packing())
    with pytest.raises(SystemExit, match="the plan cannot be made"):
        job.inputs("fit", "none")


def test_a_job_on_a_cluster_knows_its_own_slice_alone(project, forced):
    call = call_of(project)
    call.plan.write()
    folders = Folders.of(load_folders({"experiments": ["rates"]}, project))
    assert folders == call.folders
    job = CallOfJob(folders, Packing())
    for key, planned in call.plan.jobs.items():
        assert job.inputs(*key) == named(planned.slice["inputs"])
        assert job.digest(*key) == call.digest(*key)
    name = next(iter(call.plan.slices["fit"]))
    assert job.expected(name) == call.expected(name)
    assert job.expected(name)["seconds"] > 0
    assert job.names("fit") == []
    for path in Path(call.folders.work, "plan").rglob("*.json"):
        if "fit" not in path.parts:
            path.unlink()
    assert job.inputs("fit", name) == call.inputs("fit", name)


def test_what_is_asked_for():
    papers = {"daimc_fig1": "daimc", "ueaf_fig2": "ueaf", "ueaf_fig3": "ueaf"}
    folders = SimpleNamespace(results="results/default", work="resources/work/default")
    plan = SimpleNamespace(papers=papers, folders=folders)
    first, *others = papers
    figure = "results/default/figures/daimc_fig1.svg"
    for target, expected in {"all": [*papers], "ueaf": others, figure: [first]}.items():
        assert experiments_of(plan, [target]) == expected


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


def test_reasons_are_told_once_of_the_first_job_with_the_number_of_jobs(project, forced, capsys):
    call = call_of(project)
    download, prepare, masks, *_, last = list(call.plan.jobs)
    seed = dict.fromkeys([last, masks, prepare], "seed was 0")
    call.reasons |= seed | {download: "not there"}  # in the order in which Snakemake asks
    call.print_reasons()
    line = f"mvclust: {' '.join(prepare)} runs again: seed was 0; 2 more\n"
    assert capsys.readouterr().err == line


class Silent:
    """An executor that says nothing of some jobs, as the plugin for Slurm; it is made patient."""

    def __init__(self, **known):
        self.known, self.reported = known, []
        workflow = SimpleNamespace(scheduler=SimpleNamespace(_executor=self))
        internals.Inside(workflow).wait_for_answers()

    async def check_active_jobs(self, jobs):
        for job in jobs:
            match self.known.get(job.name):
                case "goes on":
                    yield job
                case "ends":
                    self.report_job_success(job)
                case "fails":
                    self.report_job_error(job, msg="no", aux_logs=[])

    def report_job_success(self, job):
        self.reported.append((job.name, "done"))

    def report_job_error(self, job, msg=None, aux_logs=None):
        self.reported.append((job.name, msg))

    def active(self, jobs):
        async def collect():
            return [job.name async for job in self.check_active_jobs(jobs)]

        return asyncio.run(collect())


@pytest.fixture
def jobs(tmp_path):
    outputs = {name: SimpleNamespace(output=[tmp_path / f"{name}.record"]) for name in "abcd"}
    return [SimpleNamespace(name=name, job=job) for name, job in outputs.items()]


def test_jobs_of_which_nothing_is_known_are_asked_for_again(jobs, monkeypatch):
    executor = Silent(a="goes on", b="ends", c="fails")
    assert executor.active(jobs) == ["a", "d"]
    assert executor.reported == [("b", "done"), ("c", "no")]
    monkeypatch.setattr(internals, "PATIENCE", 0)
    assert executor.active([jobs[0], jobs[3]]) == ["a"]
    assert executor.reported[2:] == [("d", "The cluster has not answered for 0 minutes.")]


def test_a_job_that_the_cluster_has_forgotten_is_known_by_its_record(jobs):
    executor = Silent(a="goes on", b="goes on")
    for job, age in zip(jobs[:2], (1000, 0), strict=True):
        record = job.job.output[-1]
        record.touch()
        os.utime(record, (0, time.time() - age))
    assert executor.active(jobs[:2]) == ["b"]
    assert executor.reported == [("a", "done")]
