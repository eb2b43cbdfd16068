"""The line that shows how far a run is."""

import json
import time

import pytest

from mvclust.bench.record.progress import KILLED, Progress

DAIMC = {"a": 10.0, "b": 10.0, "c": 10.0, "d": 10.0}


@pytest.fixture
def progress(tmp_path):
    progress = Progress(tmp_path / "work" / "progress.jsonl")
    jobs = {"fit.DAIMC.0": DAIMC, "fit.BSV.0": {"e": 10.0, "f": 10.0}, "score.x": {}}
    progress.start(jobs, workers=2, beside=0.0)
    return progress


def happened(progress, *events):
    """Write events with times of one's own: (event, job, fit or None, second)."""
    with open(progress.path, "a") as file:
        for event, job, fit, at in events:
            file.write(json.dumps([event, job, fit or "", 1e9 + at]) + "\n")
    return 1e9 + at


def test_counts_jobs_and_fits(progress):
    assert progress.line() == "mvclust: 0 of 3 jobs, 0 of 6 fits done"
    progress.began("fit.DAIMC.0")
    for fit in DAIMC:
        progress.fitted("fit.DAIMC.0", fit)
    progress.fitted("fit.DAIMC.0", "a")  # again, after a restart of the job
    assert progress.line().startswith("mvclust: 0 of 3 jobs, 4 of 6 fits done, about ")
    progress.ended("fit.DAIMC.0")
    for job, fits in (("fit.BSV.0", "ef"), ("score.x", "")):
        progress.began(job)
        for fit in fits:
            progress.fitted(job, fit, taken=True)
        progress.ended(job)
    assert progress.line() == "mvclust: 3 of 3 jobs, 6 of 6 fits done"


def test_time_is_shared_by_the_workers_but_a_job_is_not(progress):
    job = "fit.DAIMC.0"
    now = happened(progress, ("began", job, None, 0), ("fitted", job, "a", 10))
    # 30 s of this job, and 20 s of another beside it
    assert progress.line(now).endswith("about 30 s left")
    now = happened(progress, ("fitted", job, "b", 20), ("fitted", job, "c", 30))
    assert progress.line(now).endswith("about 20 s left")  # the other job alone
    now = happened(progress, ("ended", "fit.BSV.0", None, 30))
    late = "about 1 s left; longer than expected: DAIMC.0 (about 60 min)"  # never 0 s
    assert progress.line(now + 3600).endswith(late)


@pytest.mark.parametrize(
    ("event", "seconds", "left"),
    [("fitted", 300.0, "about 4 min left; longer than expected: DAIMC.0 (about 15 min)"),
     ("taken", 0.01, "about 20 s left")],  # the other job, at the forecast
)  # fmt: skip
def test_the_pace_of_the_run_counts_without_fits_that_were_there(progress, event, seconds, left):
    job = "fit.DAIMC.0"
    events = [(event, job, fit, seconds * (i + 1)) for i, fit in enumerate("abc")]
    now = happened(progress, ("began", job, None, 0), *events)
    assert progress.line(now).endswith(f", {left}")  # a fit of 10 s took 300 or came at once


def test_the_pace_of_the_run_is_that_of_all_methods(progress):
    for job, began, fits in (("fit.DAIMC.0", 0, "abc"), ("fit.BSV.0", 600, "e")):
        events = [("fitted", job, fit, began + 300.0 * (i + 1)) for i, fit in enumerate(fits)]
        now = happened(progress, ("began", job, None, began), *events)
    assert "about 3 min left" in progress.line(now)  # as seen for all of 1200 s, not of 300


def test_a_line_is_printed_where_counts_have_changed(progress, monkeypatch, capsys):
    looks = iter([None, None])  # the third one ends it
    monkeypatch.setattr(time, "sleep", lambda _: next(looks))
    with pytest.raises(StopIteration):
        progress._watch()
    assert capsys.readouterr().err == "mvclust: 0 of 3 jobs, 0 of 6 fits done\n"


@pytest.mark.parametrize(
    "garbage", ["{", "\x00", "3\n", "[]\n", '["fitted", ["x"], "", 1]\n', '["began", "x", "", 1]\n']
)
def test_a_damaged_file_fails_nothing(progress, garbage):
    with open(progress.path, "a") as file:
        file.write(garbage)
    progress.fitted("fit.DAIMC.0", "a")
    assert progress.line().startswith("mvclust: 0 of 3 jobs")


def test_a_file_that_cannot_be_read_or_written_fails_nothing(progress):
    progress.path.write_bytes(b"\xff\xfe")
    progress.fitted("fit.DAIMC.0", "a")
    assert progress.line() == ""
    progress.path.unlink()
    progress.fitted("fit.DAIMC.0", "a")
    assert not progress.path.exists()  # without a run nothing is written
    assert progress.line() == ""
    progress.path.mkdir()
    progress.began("fit.DAIMC.0")
    progress.start({"a": {"f": 1.0}}, workers=1, beside=0.0)
    assert progress.line() == ""


def test_jobs_that_did_not_do_their_work(progress):
    daimc, others = "fit.DAIMC.0", ["fit.BSV.0", "score.x"]
    assert progress.not_done() == ({}, [daimc, *others])
    progress.began(daimc, "logs/daimc.log")
    assert progress.not_done() == ({daimc: (KILLED, "logs/daimc.log")}, others)
    progress.failed(daimc, "the reason")
    assert progress.not_done() == ({daimc: ("the reason", "logs/daimc.log")}, others)
    progress.began(daimc)  # tried again
    assert progress.not_done() == ({daimc: (KILLED, "")}, others)
    progress.ended(daimc)
    assert progress.not_done() == ({}, others)
