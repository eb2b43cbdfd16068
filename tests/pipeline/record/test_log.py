"""What a script leaves beside its results."""

import sys
from contextlib import suppress
from types import SimpleNamespace

import pytest

from mvclust.datasets.files import DamagedFile
from mvclust.pipeline.record.cost import read_jobs
from mvclust.pipeline.record.log import job
from mvclust.pipeline.record.progress import STOPPED, Progress


@pytest.fixture
def script(tmp_path):
    """What Snakemake gives to a script."""
    return SimpleNamespace(
        rule="score_experiment",
        wildcards=["tiny"],
        log=[str(tmp_path / "logs" / "score.tiny.log")],
        input=[str(tmp_path / "masks.npz")],
        config={"plan": str(tmp_path / "plan.json")},
    )


def test_the_log_holds_what_was_printed(script, tmp_path, capsys):
    with job(script):
        print("to standard output")
        print("to standard error", file=sys.stderr)
    text = (tmp_path / "logs" / "score.tiny.log").read_text()
    assert text == "to standard output\nto standard error\n"
    assert capsys.readouterr() == ("to standard output\n", "to standard error\n")
    (record,) = read_jobs(tmp_path / "jobs")
    assert record["stage"] == "score_experiment"
    assert record["work_cpu_seconds"] >= 0


def test_an_error_is_one_sentence_and_a_traceback_in_the_log(script, tmp_path):
    with pytest.raises(SystemExit) as caught, job(script):
        raise ValueError("the reason")
    assert str(caught.value).startswith("mvclust: score_experiment.tiny failed: the reason (log: ")
    assert "Traceback" in (tmp_path / "logs" / "score.tiny.log").read_text()


@pytest.mark.parametrize(
    ("error", "reason"), [(ValueError("why"), "why"), (KeyboardInterrupt(), STOPPED), (None, None)]
)
def test_the_run_knows_what_became_of_a_job(script, tmp_path, error, reason):
    progress = Progress(tmp_path / "progress.jsonl")
    progress.start({"score_experiment.tiny": {}}, workers=1, beside=0.0)
    with suppress(SystemExit, KeyboardInterrupt), job(script):
        if error is not None:
            raise error
    failed = {} if reason is None else {"score_experiment.tiny": (reason, script.log[0])}
    assert progress.not_done() == (failed, [])


def test_a_damaged_input_is_removed_so_that_it_is_made_anew(script, tmp_path):
    masks = tmp_path / "masks.npz"
    masks.write_text("cut")
    with pytest.raises(SystemExit, match=r"was damaged .* and is removed; run again"), job(script):
        raise DamagedFile(masks, "not a zip file")
    assert not masks.exists()


def test_a_damaged_file_that_no_rule_made_stays(script, tmp_path):
    raw = tmp_path / "raw.mat"
    raw.write_text("cut")
    with pytest.raises(SystemExit, match="is damaged"), job(script):
        raise DamagedFile(raw, "cut")
    assert raw.exists()


def test_a_log_that_cannot_be_written_fails_nothing(script, tmp_path):
    (tmp_path / "logs").write_text("a file in place of the folder")
    with job(script):
        print("done")
    with pytest.raises(SystemExit, match="failed: the reason"), job(script):
        raise ValueError("the reason")


def test_records_that_are_cut_are_left_out(tmp_path):
    (tmp_path / "a.json").write_text('{"stage": "x"}')
    (tmp_path / "b.json").write_text('{"sta')
    assert read_jobs(tmp_path) == [{"stage": "x"}]
