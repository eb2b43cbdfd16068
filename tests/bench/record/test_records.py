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


def finish(plan, only=None):
    """Do as if all jobs had run: every output holds a hash of what it was made from."""
    for (rule, name), job in plan.jobs.items():
        if only is None or (rule, name) in only:
            for path in job.outputs:
                Path(path).parent.mkdir(parents=True, exist_ok=True)
                inputs = [Path(each).read_text() for each in job.inputs]
                content = {"set": 0} if rule == "download" else [path, job.slice["fits"], inputs] \
                    if "fits" in job.slice else [path, inputs]  # fmt: skip
                Path(path).write_text(json.dumps(content))
            record = {
                "slice": job.slice,
                "inputs": checksums(job.inputs),
                "outputs": checksums(job.outputs),
            }
            write_json(job.record, record)


def reasons(configuration):
    """(rule, name) -> why its output does not stand, as a new look at the disk finds."""
    plan = plan_of(configuration)
    found = {key: plan.why(*key) for key in plan.jobs}
    return {key: why for key, why in found.items() if why}


@pytest.fixture
def finished(configuration):
    finish(plan_of(configuration))
    assert reasons(configuration) == {}
    return configuration


def job_of(configuration, key):
    return plan_of(configuration).jobs[key]


def test_nothing_stands_before_anything_is_made(configuration):
    assert set(reasons(configuration).values()) == {"not there"}


def test_another_seed_reaches_masks_fits_and_the_pages(finished):
    why = reasons(edited(finished, run={"seed": 1}))
    assert {rule for rule, _ in why} == {"masks", "fit", "paper", "report"}
    assert why["masks", "digits/random-0"] == "seed was 0"


@pytest.mark.fault("keys of a configuration in another order, which output follows")
def test_another_order_of_keys_is_another_slice(finished):
    metrics = finished.experiments["rates"].metrics
    assert len(metrics) > 1
    swapped = dict(reversed(metrics.items()))
    assert swapped == metrics
    why = reasons(edited(finished, experiments={"rates": {"metrics": swapped}}))
    assert why["experiment", "rates"] == "the order of metrics differs"
    plan_of(finished).write()
    plan = plan_of(edited(finished, experiments={"rates": {"metrics": swapped}}))
    plan.write()
    written = read_inputs(plan.folders.study, "experiment", "rates")
    assert list(written["metrics"]) == list(swapped)


def test_a_file_that_is_edited_and_keeps_size_and_time_is_noticed(finished):
    job = job_of(finished, SCORE)
    path = Path(job.outputs[0])
    status, content = path.stat(), path.read_text()
    path.write_text(content[:-1] + "}")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert reasons(finished) == {SCORE: f"{path} was changed since it was written"}


@pytest.mark.parametrize(
    ("content", "why"),
    [(None, "has no record"), ("{", "has no record"), ("[]", "has no record"),
     ('{"slice": {}}', "has no record")],
)  # fmt: skip
def test_an_output_without_a_whole_record_does_not_stand(finished, content, why):
    path = Path(job_of(finished, SCORE).record)
    path.unlink() if content is None else path.write_text(content)
    found = reasons(finished)
    assert found[SCORE] == why
    assert read_record(path) is None


def test_what_was_made_from_another_input_does_not_stand(finished):
    """As after a run that was stopped between the two, whatever the times of the files are."""
    other = edited(finished, run={"seed": 1})
    plan = plan_of(other)
    finish(plan, only=[("masks", "digits/random-0")])
    path = Path(plan.jobs["masks", "digits/random-0"].outputs[0])
    path.write_text(path.read_text() + " ")
    record = read_record(plan.jobs["masks", "digits/random-0"].record)
    record["outputs"] = checksums([path])
    write_json(plan.jobs["masks", "digits/random-0"].record, record)
    assert reasons(other)[SCORE] == f"made from another {path}"


def test_other_versions_of_libraries_are_another_slice(finished, monkeypatch):
    version = planning.metadata.version
    monkeypatch.setattr(
        planning.metadata, "version", lambda name: "9.9" if name == "numpy" else version(name)
    )
    why = reasons(finished)
    assert set(why.values()) == {f"versions.numpy was {version('numpy')}"}
    assert set(why) == set(plan_of(finished).jobs)


def test_an_edit_of_a_script_makes_its_rule_again(finished, monkeypatch):
    def hashed(*modules, script, files):
        return word if "mvclust.bench.score.runs" in modules else ""

    monkeypatch.setattr(planning, "code_hash", hashed)
    word = "new"
    finish(plan_of(finished))
    word = "newer"
    runs = ("runs", "runs")
    assert reasons(finished) == dict.fromkeys([SCORE, runs], "the code differs")


def test_plan_files_are_written_where_they_differ(finished):
    plan = plan_of(finished)
    plan.write()
    path = Path(plan.folders.study)
    assert read_inputs(path, *SCORE) == plan.slices["score"]["rates"]
    os.utime(path, (0, 0))
    plan.write()
    assert path.stat().st_mtime == 0
    path.write_text("{")
    plan.write()
    assert read_inputs(path, *SCORE) == plan.slices["score"]["rates"]


def test_a_job_with_failures_runs_again_until_they_rest(finished):
    key = ("fit", next(iter(plan_of(finished).slices["fit"])))
    path = job_of(finished, key).record
    record = read_record(path)
    write_json(path, record | {"failed": {"a": 1, "b": 2, "c": 1}})
    assert reasons(finished) == {key: "2 failed fits to try again"}
    assert reasons(edited(finished, run={"limits": {"tries": 1}})) == {}
    assert reasons(edited(finished, run={"limits": {"tries": 3}})) == {
        key: "3 failed fits to try again"
    }


def test_another_number_of_tries_runs_no_job_without_failures(finished):
    assert reasons(edited(finished, run={"limits": {"tries": 7}})) == {}
    why = reasons(edited(finished, run={"limits": {"memory_mb": 8000}}))
    assert {rule for rule, _ in why} == {"fit"}
