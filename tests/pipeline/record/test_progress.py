"""The line that shows how far a run is."""

import pytest

from mvclust.pipeline.record.progress import Progress


@pytest.fixture
def progress(tmp_path):
    progress = Progress(tmp_path / "work" / "progress.jsonl")
    progress.start({"DAIMC.0": [4, 40.0], "BSV.0": [2, 20.0]}, workers=2)
    return progress


def test_counts_jobs_fits_and_time(progress):
    assert progress.line() == "mvclust: 0 of 2 jobs, 0 of 6 fits done"
    progress.began("DAIMC.0")
    progress.fitted("DAIMC.0")
    # three of four fits of 40 s, and 20 s, by two workers
    assert progress.line() == "mvclust: 0 of 2 jobs, 1 of 6 fits done, about 25 s left"
    for _ in range(3):
        progress.fitted("DAIMC.0")
    progress.ended("DAIMC.0")
    assert progress.line().startswith("mvclust: 1 of 2 jobs, 4 of 6 fits done")
    progress.began("BSV.0")
    progress.fitted("BSV.0")
    progress.fitted("BSV.0")
    progress.ended("BSV.0")
    assert progress.line() == "mvclust: 2 of 2 jobs, 6 of 6 fits done"


def test_a_fit_that_hangs_is_named_and_time_does_not_reach_zero(progress):
    progress.began("DAIMC.0")
    line = progress.line(now=progress_began(progress) + 3600)
    assert "longer than expected: DAIMC.0 (about 60 min)" in line
    assert "about 0 s left" not in line


def progress_began(progress):
    import json

    rows = map(json.loads, progress.path.read_text().splitlines())
    return next(row["at"] for row in rows if "began" in row)


def test_the_pace_of_the_run_counts(progress):
    progress.began("BSV.0")
    progress.ended("BSV.0")
    start = progress_began(progress)
    text = progress.path.read_text()
    ended = text.splitlines()[-1]
    progress.path.write_text(text.replace(ended, f'{{"ended": "BSV.0", "at": {start + 60}}}'))
    # took three times as long as expected, so the other is expected to take 120 s, by two
    assert "about 60 s left" in progress.line()


@pytest.mark.parametrize(
    "garbage", ["{", "\x00", "3\n", "[]\n", '{"fitted": ["x"]}\n', '{"began": "other", "at": 1}\n']
)
def test_a_damaged_file_fails_nothing(progress, garbage):
    with open(progress.path, "a") as file:
        file.write(garbage)
    progress.fitted("DAIMC.0")
    assert progress.line().startswith("mvclust: 0 of 2 jobs")


def test_a_file_that_cannot_be_read_or_written_fails_nothing(progress, tmp_path):
    progress.path.write_bytes(b"\xff\xfe")
    progress.fitted("DAIMC.0")
    assert progress.line() == ""
    progress.path.unlink()
    progress.path.mkdir()
    progress.began("DAIMC.0")
    progress.start({"a": [1, 1.0]}, workers=1)
    assert progress.line() == ""


def test_without_a_run_nothing_is_written(tmp_path):
    progress = Progress(tmp_path / "progress.jsonl")
    progress.fitted("DAIMC.0")
    assert not progress.path.exists()
    assert progress.line() == ""
