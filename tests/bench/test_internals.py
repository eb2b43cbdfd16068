"""Jobs of a cluster that does not answer."""

import asyncio
import os
import time
from types import SimpleNamespace

import pytest

from mvclust.bench import internals


class Silent:
    """An executor that says nothing of some jobs, as the plugin for Slurm."""

    def __init__(self, knows):
        self.knows, self.reported = knows, []

    async def check_active_jobs(self, jobs):
        for job in jobs:
            if job.name in self.knows:
                self.knows[job.name](self, job)
                if self.knows[job.name] is goes_on:
                    yield job

    def report_job_success(self, job):
        self.reported.append((job.name, "done"))

    def report_job_error(self, job, msg=None, aux_logs=None):
        self.reported.append((job.name, msg))


def goes_on(executor, job):
    """Nothing is reported."""


def ends(executor, job):
    executor.report_job_success(job)


def fails(executor, job):
    executor.report_job_error(job, msg="no", aux_logs=[])


def checked(executor, jobs):
    async def collect():
        return [job.name async for job in executor.check_active_jobs(jobs)]

    return asyncio.run(collect())


def patient(executor):
    workflow = SimpleNamespace(scheduler=SimpleNamespace(_executor=executor))
    internals.Inside(workflow).wait_for_answers()


@pytest.fixture
def jobs(tmp_path):
    return [
        SimpleNamespace(name=name, job=SimpleNamespace(output=[tmp_path / f"{name}.record"]))
        for name in ("a", "b", "c", "d")
    ]


def test_jobs_of_which_nothing_is_known_are_asked_for_again(jobs, monkeypatch):
    executor = Silent({"a": goes_on, "b": ends, "c": fails})
    patient(executor)
    assert checked(executor, jobs) == ["a", "d"]
    assert executor.reported == [("b", "done"), ("c", "no")]
    monkeypatch.setattr(internals, "PATIENCE", 0)
    assert checked(executor, [jobs[0], jobs[3]]) == ["a"]
    assert executor.reported[2:] == [("d", "The cluster has not answered for 0 minutes.")]


def test_a_job_that_the_cluster_has_forgotten_is_known_by_its_record(jobs):
    executor = Silent({"a": goes_on, "b": goes_on})
    patient(executor)
    for job, age in zip(jobs[:2], (1000, 0), strict=True):
        record = job.job.output[-1]
        record.touch()
        os.utime(record, (0, time.time() - age))
    assert checked(executor, jobs[:2]) == ["b"]
    assert executor.reported == [("a", "done")]
