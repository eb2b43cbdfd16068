"""Whatever happened to a finished run, the next one makes again what does not stand.

Each trial does something to a copy of a finished run. Then a dry run says which jobs a run does,
the run does just these, and its results are those of a run from nothing. The other trials take
half an hour and run where the variable MVCLUST_FAULTS is set.
"""

import fcntl
import json
import os
import shutil
import time
from pathlib import Path

import pytest

from workflow.project import (
    NUMBERS,
    bytes_of,
    edit,
    kill_a_job,
    planned_jobs,
    share_data,
    snakemake,
    start,
    succeed,
)

WORK = "resources/work/tiny"
FITS, MASKS = f"{WORK}/fits/handwritten/DAIMC.0.jsonl", f"{WORK}/masks/handwritten/paired-0.3.npz"
SEED = ("--config", "seed=1")
LONG = pytest.mark.skipif(not os.environ.get("MVCLUST_FAULTS"), reason="long: MVCLUST_FAULTS")


@pytest.fixture
def project(finished, tmp_path):
    return shutil.copytree(finished, tmp_path / "project")


@pytest.fixture(scope="session")
def with_other_seed(finished, tmp_path_factory):
    """The small project, run from nothing with another seed. Do not change it."""
    folder = finished.parent / "other_seed"
    folder.mkdir(exist_ok=True)
    with open(folder / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "done").exists():
            made = shutil.ignore_patterns("results", "resources", ".snakemake")
            shutil.rmtree(folder / "project", ignore_errors=True)
            shutil.copytree(finished, folder / "project", ignore=made)
            share_data(finished, folder / "project")
            succeed(folder / "project", *SEED)
            (folder / "done").touch()
    return folder / "project"


def lose(project):
    """Lose what Snakemake itself remembers."""
    shutil.rmtree(project / ".snakemake")


def alter(path, old, new):
    """Edit a file so that it stays valid and keeps its times."""
    status, content = path.stat(), path.read_bytes()
    assert old in content
    path.write_bytes(content.replace(old, new, 1))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def flip_a_label(project):
    alter(project / FITS, b'"n_iter": ', b'"n_iter": 1')


def jobs_of(output):
    return {rule: n for rule, n in planned_jobs(output).items() if rule not in ("all", "default")}


def run_as_foretold(project, *arguments):
    """What a dry run says is what the run does; gives the number of jobs by rule."""
    before = snapshot(project)
    foretold = jobs_of(succeed(project, "--dry-run", *arguments))
    assert snapshot(project) == before
    done = jobs_of(succeed(project, *arguments))
    assert done == foretold
    return done


def snapshot(folder):
    """Path -> time and size, of all files but what Snakemake notes for itself."""
    return {
        path: (path.stat().st_mtime_ns, path.stat().st_size)
        for path in folder.rglob("*")
        if path.is_file() and ".snakemake" not in path.parts
    }


def is_as(project, other, *arguments):
    assert bytes_of(project, NUMBERS) == bytes_of(other, NUMBERS)
    assert "Nothing to be done" in succeed(project, "--dry-run", *arguments)


@pytest.mark.fault("Snakemake's own memory lost, and another seed")
def test_another_seed_is_noticed_without_snakemakes_memory(project, with_other_seed):
    lose(project)
    said = succeed(project, "--dry-run", *SEED)
    assert "mvclust: masks handwritten/paired-0.3 runs again: seed was 0; 4 more\n" in said
    done = run_as_foretold(project, *SEED)
    assert done["masks"] == 2
    assert done["fit"] == 3
    is_as(project, with_other_seed, *SEED)


@pytest.mark.fault("a file of fits edited so that it stays valid")
def test_edited_fits_are_made_again_with_a_target_on_the_command_line(project, finished):
    flip_a_label(project)
    done = run_as_foretold(project, "results/tiny/report.html")
    assert done["fit"] == 1
    is_as(project, finished)


@pytest.mark.fault("masks edited, Snakemake's memory lost, times alone compared")
def test_edited_masks_are_made_again(project, finished):
    lose(project)
    path = project / MASKS
    status, content = path.stat(), path.read_bytes()
    path.write_bytes(content + b"\0")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    done = run_as_foretold(project, "--rerun-triggers", "mtime")
    assert done["masks"] == 1
    is_as(project, finished)


@pytest.mark.fault("a job that fails, then a plain run")
def test_what_a_failed_job_left_out_is_made_by_the_next_run(
    project, finished, with_other_seed, tmp_path
):
    run = start(project, *SEED, warm=True)
    kill_a_job(project, "score", run=run)
    assert run.wait(timeout=300) != 0
    back = shutil.copytree(project, tmp_path / "back")
    assert run_as_foretold(project, *SEED)["score"] == 1
    is_as(project, with_other_seed, *SEED)
    assert run_as_foretold(back)["masks"] == 2
    is_as(back, finished)


@pytest.mark.fault("a run of the masks alone, all times made equal, Snakemake's memory lost")
def test_what_was_made_from_other_masks_is_made_again(project, with_other_seed):
    succeed(project, "--until", "masks", *SEED)
    lose(project)
    now = time.time()
    # Of what runs made alone: to Snakemake an output as old as its script is older than it.
    for made in (project / "resources", project / "results"):
        for path in made.rglob("*"):
            os.utime(path, (now, now))
    done = run_as_foretold(project, *SEED)
    assert "masks" not in done
    assert done["fit"] == 3
    is_as(project, with_other_seed, *SEED)


@pytest.mark.fault("another numpy")
def test_other_versions_of_libraries_make_all_again(project, finished):
    for record in [*project.rglob("*.record"), *(project / WORK / "records").rglob("*.json")]:
        content = json.loads(record.read_text())
        content["slice"]["versions"]["numpy"] = "0.1"
        record.write_text(json.dumps(content))
    done = run_as_foretold(project)
    assert set(done) >= {"download", "prepare", "masks", "fit", "score", "experiment", "report"}
    is_as(project, finished)


@pytest.mark.fault("a record gone, another one cut")
def test_what_has_no_record_is_made_again(project, finished):
    Path(f"{project / MASKS}.record").unlink()
    record = project / WORK / "records/experiment/tiny.json"
    record.write_bytes(record.read_bytes()[:100])
    assert run_as_foretold(project)["masks"] == 1
    is_as(project, finished)


LOOKS = ("-n", "--dag", "--rulegraph", "--filegraph", "--d3dag", "--summary", "--detailed-summary")
LOOKS += ("--lint", "--list-rules", "--list-target-rules", "--unlock", "--list-changes params")


def test_a_look_changes_no_file(project):
    flip_a_label(project)
    before = snapshot(project)
    for look in LOOKS:
        snakemake(project, *look.split())
        assert snapshot(project) == before, look


@LONG
@pytest.mark.parametrize("lost", [False, True], ids=["kept", "lost"])
def test_a_finished_run_has_nothing_to_do(lost, project):
    if lost:
        lose(project)
    assert "Nothing to be done" in succeed(project)


@LONG
def test_all_made_again_is_the_same(project, finished):
    assert run_as_foretold(project, "--forceall")["fit"] == 3
    is_as(project, finished)


@LONG
def test_touched_files_of_another_seed_are_not_believed(project, with_other_seed):
    succeed(project, "--touch", *SEED)
    assert run_as_foretold(project, *SEED)["masks"] == 2
    is_as(project, with_other_seed, *SEED)


@LONG
def test_jobs_that_were_left_out_are_made_later(project, with_other_seed):
    succeed(project, "--omit-from", "score", *SEED)
    assert run_as_foretold(project, *SEED)["score"] == 1
    is_as(project, with_other_seed, *SEED)


@LONG
def test_a_rate_more_draws_no_other_masks(project):
    edit(project / "config/experiments/tiny.yaml", "[0.3, 0.7]", "[0.3, 0.5, 0.7]")
    kept = (project / MASKS).read_bytes()
    assert run_as_foretold(project)["masks"] == 1
    assert (project / MASKS).read_bytes() == kept
    assert "Nothing to be done" in succeed(project)


@LONG
def test_an_edited_table_is_made_again(project, finished):
    table = project / "results/tiny/tables/tiny.csv"
    alter(table, b"0", b"1")
    assert run_as_foretold(project)["experiment"] == 1
    is_as(project, finished)


@LONG
def test_an_edited_script_of_the_page_makes_the_pages_again(project):
    path = project / "mvclust/bench/report/page_parts.js"
    path.write_text(path.read_text() + "\n// edited\n")
    done = run_as_foretold(project)
    assert done == {"report": 1}
