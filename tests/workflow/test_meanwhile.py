"""What happens while a run is at work, beside it, or unseen by Snakemake, never passes for done."""

import re
import shutil

import pytest

from workflow.project import NUMBERS, bytes_of, fail, jobs_at_work, living_run, succeed

FITS = "resources/work/tiny/fits/handwritten"


@pytest.mark.fault("code edited while a run is at work, and the edit taken back")
def test_what_edited_code_computed_is_not_taken_for_that_of_the_plan(finished, data_only):
    code = data_only / "mvclust/estimators/daimc.py"
    before = code.read_text()
    with living_run(data_only, until=lambda: jobs_at_work(data_only, "masks.")) as run:
        code.write_text(before + "\nEDITED = True\n")
        assert run.wait(timeout=600) != 0
    code.write_text(before)
    log = (data_only / "resources/work/tiny/logs/fit.handwritten.DAIMC.0.log").read_text()
    assert f"{code} was edited after the run began; run again" in log
    assert not list((data_only / "resources/journals").glob("*.DAIMC.jsonl"))
    succeed(data_only)
    assert bytes_of(data_only, NUMBERS) == bytes_of(finished, NUMBERS)


@pytest.mark.fault("two checkouts with one folder of results")
def test_results_that_another_checkout_makes_are_left_to_it(finished, tmp_path):
    one, two = (shutil.copytree(finished, tmp_path / name) for name in ("one", "two"))
    together = ["--config", f"results={tmp_path / 'results'}"]
    succeed(one, *together)
    made = bytes_of(tmp_path, NUMBERS)
    told = fail(two, *together, "seed=1")
    sentence = f"the checkout {one} makes in {one}"
    assert sentence in told
    assert "Nothing was started" in told
    assert bytes_of(tmp_path, NUMBERS) == made
    (note,) = re.findall(r"delete (\S+) to make them here", told)
    (two / note).unlink()
    succeed(two, *together, "--dry-run")
    assert "Nothing to be done" in succeed(one, *together)


@pytest.mark.fault("a folder in place of a file of fits")
def test_what_the_plan_cannot_read_is_said(project):
    path = project / FITS / "DAIMC.0.jsonl"
    path.unlink()
    path.mkdir()
    told = fail(project)
    assert f"{FITS}/DAIMC.0.jsonl cannot be read: Is a directory" in told
    assert "Nothing to be done" not in told


def test_jobs_ask_for_the_minutes_that_are_written(project):
    """Some versions of Snakemake take the 60 minutes of a profile for one."""
    slurm = ["--workflow-profile", "profiles/slurm", "--forcerun", "fit", "--quiet", "host"]
    output = succeed(project, "--dry-run", *slurm)
    asked = re.findall(r"^rule (\w+):.*?runtime=(\d+)", output, re.MULTILINE | re.DOTALL)
    minutes = {rule: int(number) for rule, number in asked}
    assert minutes.pop("fit") == 11  # 10, and three times the few seconds that it takes
    assert set(minutes.values()) == {60}
