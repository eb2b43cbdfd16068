"""Whether an output stands: the record beside it, its content, its slice and its inputs."""

import json
import os
from pathlib import Path

import pytest
from bench.planned import configuration_of, edited, lay_out, plan_of

from mvclust.bench.plan import plan as planning
from mvclust.bench.record.records import checksums, read_inputs, read_record, write_json

SCORE = ("score", "rates")


@pytest.fixture
def configuration(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return configuration_of(lay_out(tmp_path / "project"), experiments=["rates"], datasets=None)


def reasons(configuration):
    """(rule, name) -> why its output does not stand, as a new look at the disk finds."""
    plan = plan_of(configuration)
    found = {key: plan.why(*key) for key in plan.jobs}
    return {key: why for key, why in found.items() if why}


@pytest.fixture
def finished(configuration):
    """The configuration as if all jobs had run: every output holds what it was made from."""
    for (rule, _), job in plan_of(configuration).jobs.items():
        inputs = [Path(each).read_text() for each in job.inputs]
        for path in map(Path, job.outputs):
            path.parent.mkdir(parents=True, exist_ok=True)
            content = [str(path), job.slice.get("fits"), inputs]
            path.write_text(json.dumps({"set": 0} if rule == "download" else content))
        sums = {"inputs": checksums(job.inputs), "outputs": checksums(job.outputs)}
        write_json(job.record, {"slice": job.slice} | sums)
    assert reasons(configuration) == {}
    return configuration


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (lambda job: Path(job.record).unlink(), "has no record"),
        (lambda job: Path(job.record).write_text('{"slice": {}}'), "has no record"),
        (lambda job: Path(job.outputs[0]).write_text("{}"), "{} was changed since it was written"),
        (lambda job: Path(job.outputs[0]).unlink(), "not there"),
    ],
)
def test_why_an_output_does_not_stand_is_said(spoil, why, finished):
    job = plan_of(finished).jobs[SCORE]
    spoil(job)
    assert reasons(finished)[SCORE] == why.format(job.outputs[0])


def test_what_was_made_from_another_input_does_not_stand(finished):
    """As after a run that was stopped between the two, whatever the times of the files are."""
    masks = plan_of(finished).jobs["masks", "digits/random-0"]
    (path,) = map(Path, masks.outputs)
    path.write_text(path.read_text() + " ")
    write_json(masks.record, read_record(masks.record) | {"outputs": checksums([path])})
    assert reasons(finished)[SCORE] == f"made from another {path}"
    assert reasons(edited(finished, run={"seed": 1}))["masks", "digits/random-0"] == "seed was 0"


@pytest.mark.fault("keys of a configuration in another order, which output follows")
def test_another_order_of_keys_is_another_slice(finished):
    metrics = finished.experiments["rates"].metrics
    assert len(metrics) > 1
    swapped = dict(reversed(metrics.items()))
    other = edited(finished, experiments={"rates": {"metrics": swapped}})
    assert reasons(other)["experiment", "rates"] == "the order of metrics differs"
    for configuration in (finished, other):
        plan = plan_of(configuration)
        plan.write()
    written = read_inputs(plan.folders.study, "experiment", "rates")
    assert list(written["metrics"]) == list(swapped)


def test_other_versions_of_libraries_are_another_slice(finished, monkeypatch):
    real = planning.metadata.version

    def version(name):
        return "9.9" if name == "numpy" else real(name)

    monkeypatch.setattr(planning.metadata, "version", version)
    jobs = plan_of(finished).jobs
    assert reasons(finished) == dict.fromkeys(jobs, f"versions.numpy was {real('numpy')}")


def test_plan_files_are_written_where_they_differ(finished):
    plan = plan_of(finished)
    path = Path(plan.folders.study)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{")
    plan.write()
    assert read_inputs(path, *SCORE) == plan.slices["score"]["rates"]
    os.utime(path, (0, 0))
    plan.write()
    assert path.stat().st_mtime == 0


def test_limits_concern_fits_and_tries_alone_those_with_failures_that_do_not_rest(finished):
    assert reasons(edited(finished, run={"limits": {"tries": 7}})) == {}
    why = reasons(edited(finished, run={"limits": {"memory_mb": 8000}}))
    assert {rule for rule, _ in why} == {"fit"}
    key = ("fit", next(iter(plan_of(finished).slices["fit"])))
    path = plan_of(finished).jobs[key].record
    write_json(path, read_record(path) | {"failed": {"a": 1, "b": 2, "c": 1}})
    assert reasons(finished) == {key: "2 failed fits to try again"}
    for tries, expected in {1: {}, 3: {key: "3 failed fits to try again"}}.items():
        assert reasons(edited(finished, run={"limits": {"tries": tries}})) == expected
