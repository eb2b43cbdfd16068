"""What a script leaves beside its results."""

import json
import signal
import subprocess
import sys
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from mvclust.bench.record.log import job
from mvclust.bench.record.manifest import costs_of
from mvclust.bench.record.progress import STOPPED, Progress
from mvclust.bench.record.records import read_record
from mvclust.datasets.files import DamagedFile, completed


@pytest.fixture
def script(tmp_path):
    """What Snakemake gives to a script."""
    masks, output = tmp_path / "masks.npz", tmp_path / "tiny.parquet"
    masks.write_text("drawn")
    plan = tmp_path / "plan.json"
    content = {"rule": "score", "name_of_job": "tiny", "outputs": [str(output)]}
    plan.write_text(json.dumps(content | {"versions": {"numpy": "2"}}))
    return SimpleNamespace(
        rule="score", log=[str(tmp_path / "logs" / "score.tiny.log")], input=[str(masks)],
        output=[str(output), f"{output}.record"], params=SimpleNamespace(plan=str(plan)),
        config={"work": str(tmp_path)}, threads=1,
    )  # fmt: skip


def write_output(script):
    Path(script.output[0]).write_text("scored")


def test_the_log_holds_what_was_printed_and_the_record_what_was_read_and_written(
    script, tmp_path, capsys
):
    with job(script) as work:
        print("to standard output")
        print("to standard error", file=sys.stderr)
        Path(script.input[0]).write_text("changed while it is read")
        write_output(script)
    texts = capsys.readouterr()
    assert texts == ("to standard output\n", "to standard error\n")
    assert Path(script.log[0]).read_text() == "".join(texts)
    record = read_record(script.output[1])
    assert work.slice == json.loads(Path(script.params.plan).read_text())
    assert record | {
        "slice": work.slice, "versions": {"numpy": "2"},
        "inputs": {script.input[0]: sha256(b"drawn").hexdigest()},
        "outputs": {script.output[0]: sha256(b"scored").hexdigest()},
    } == record  # fmt: skip
    damaged = tmp_path / "b.record"
    damaged.write_text('{"sta')
    (cost,) = costs_of([script.output[1], damaged, tmp_path / "none"])
    assert cost["stage"] == "score"
    assert cost["work_cpu_seconds"] >= 0


def test_an_error_is_one_sentence_and_a_traceback_in_the_log(script):
    sentence = r"^mvclust: score\.tiny failed: the reason \(log: "
    with pytest.raises(SystemExit, match=sentence), job(script):
        raise ValueError("the reason")
    assert "Traceback" in Path(script.log[0]).read_text()
    assert not Path(script.output[1]).exists()


@pytest.mark.parametrize(
    ("error", "reason"), [(ValueError("why"), "why"), (KeyboardInterrupt(), STOPPED), (None, None)]
)
def test_the_run_knows_what_became_of_a_job(script, tmp_path, error, reason):
    progress = Progress(tmp_path / "progress.jsonl")
    progress.start({"score.tiny": {}}, workers=1, beside=0.0)
    with suppress(SystemExit, KeyboardInterrupt), job(script):
        write_output(script)
        if error is not None:
            raise error
    failed = {} if reason is None else {"score.tiny": (reason, script.log[0])}
    assert progress.not_done() == (failed, [])


def test_a_damaged_file_is_removed_if_a_rule_can_make_it_anew(script, tmp_path):
    masks, of_no_rule = tmp_path / "masks.npz", tmp_path / "raw.mat"
    of_no_rule.write_text("cut")
    removed = r"was damaged .* and is removed; run again"
    for path, said in {of_no_rule: "is damaged", masks: removed}.items():
        with pytest.raises(SystemExit, match=said), job(script):
            raise DamagedFile(path, "not a zip file")
    assert (masks.exists(), of_no_rule.exists()) == (False, True)


def test_a_log_that_cannot_be_written_fails_nothing(script, tmp_path):
    (tmp_path / "logs").write_text("a file in place of the folder")
    with job(script):
        print("done")
        write_output(script)
    with pytest.raises(SystemExit, match="failed: the reason"), job(script):
        raise ValueError("the reason")


STOPPED_AT = """
import sys, time
from types import SimpleNamespace as namespace
class Snakemake(namespace):
    __module__ = "snakemake.script"
snakemake = Snakemake(scriptdir=".", **vars({script}))
if {imports}:
    import mvclust.bench
    print("ready", flush=True)
    time.sleep(60)
from mvclust.bench.record.log import job
with job(snakemake):
    print("ready", flush=True)
    time.sleep(60)
"""


@pytest.mark.fault("Ctrl-C while a job imports or works")
@pytest.mark.parametrize("imports", [True, False])
def test_a_script_that_the_user_stops_ends_without_a_traceback(script, tmp_path, imports):
    progress = Progress(tmp_path / "progress.jsonl")
    progress.start({"score.tiny": {}}, workers=1, beside=0.0)
    code = STOPPED_AT.replace("{script}", repr(script)).replace("{imports}", repr(imports))
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen([sys.executable, "-c", code], **pipes)
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=30) == ("", "")
    assert process.returncode == -signal.SIGINT
    if not imports:
        assert progress.not_done() == ({"score.tiny": (STOPPED, script.log[0])}, [])


def test_all_jobs_have_their_threads(script):
    """So that beside the fits too a job does not take all cores."""
    np.eye(3) @ np.eye(3)
    with threadpool_limits(2), job(script):
        assert {pool["num_threads"] for pool in threadpool_info()} == {1}
        write_output(script)


def test_a_job_whose_plan_is_another_by_then_writes_nothing(script):
    def work():
        plan = Path(script.params.plan)
        plan.write_text(json.dumps(json.loads(plan.read_text()) | {"seed": 2}))
        with completed(script.output[0]) as unfinished:
            unfinished.write_text("scored")

    with pytest.raises(SystemExit, match="planned it anew"), job(script):
        work()
    assert not any(Path(path).exists() for path in script.output)
