"""Jobs of a cluster that does not answer."""

import asyncio
import os
import time
from types import SimpleNamespace

import pytest

from mvclust.bench import internals


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
