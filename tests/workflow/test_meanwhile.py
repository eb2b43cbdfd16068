"""What happens while a run is at work, beside it, or unseen by Snakemake, never passes for done."""

import re
import shutil

import pandas as pd
import pytest
from processes import wait_until

from workflow.project import (
    NUMBERS,
    bytes_of,
    edit,
    fail,
    jobs_at_work,
    living_run,
    planned_rules,
    start,
    succeed,
)

FITS = "resources/work/tiny/fits/handwritten"


@pytest.mark.fault("code edited while a run is at work, and the edit taken back")
@pytest.mark.fault("catalogues edited, and one moved away, in the middle of a run")
def test_a_run_computes_its_plan_with_its_code_and_the_next_one_sees_the_edits(finished, data_only):
    code = data_only / "mvclust/estimators/daimc.py"
    before = code.read_text()
    with living_run(data_only, until=lambda: jobs_at_work(data_only, "masks.")) as run:
        code.write_text(before + "\nEDITED = True\n")
        assert run.wait(timeout=600) != 0
    code.write_text(before)
    log = (data_only / "resources/work/tiny/logs/fit.handwritten.DAIMC.0.log").read_text()
    assert f"{code} was edited after the run began; run again" in log
    assert not list((data_only / "resources/journals").glob("*.DAIMC.jsonl"))

    plan, config = data_only / "resources/work/tiny/study.json", data_only / "config"
    plan.unlink()
    run = start(data_only, cores=1, warm=True)  # one core shall give the same bytes
    wait_until(plan.exists, run=run)
    edit(config / "methods.yaml", "alpha: [0.1, 10]", "alpha: [0.2, 10]")
    edit(config / "experiments/tiny.yaml", "A tiny experiment", "Another")
    config.rename(data_only / "away")  # no job opens a catalogue
    assert run.wait(timeout=600) == 0
    assert bytes_of(data_only, NUMBERS) == bytes_of(finished, NUMBERS)
    runs = pd.read_parquet(data_only / "results/tiny/runs.parquet")
    assert set(runs["param_alpha"].dropna()) == {0.1, 10}
    (data_only / "away").rename(config)
    assert {"fit", "experiment"} <= planned_rules(data_only)


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
