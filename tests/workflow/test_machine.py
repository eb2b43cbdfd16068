"""Whatever is done to a project between its runs, a run that ends with 0 has a fresh run's tables.

One machine edits, damages, deletes, moves and restores the files of the small project, stops and
kills its runs, and after each whole run compares it with one from nothing. MVCLUST_FAULTS gives the
number of histories; the usual few are the same ones each time.
"""

import contextlib
import itertools
import json
import os
import shutil
import time
from functools import partial
from pathlib import Path

import psutil
import pytest
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test
from processes import wait_until

from mvclust.datasets.files import sha256_of
from workflow.project import (
    bytes_of,
    data_of_page,
    edit,
    fits_in,
    jobs_at_work,
    planned_jobs,
    share_data,
    snakemake,
    snapshot,
    start,
    succeed,
)

HISTORIES = int(os.environ.get("MVCLUST_FAULTS", "3"))
FEW = "MVCLUST_FAULTS" not in os.environ
TINY, JOBS = "config/experiments/tiny.yaml", "mvclust/bench/fit/jobs.py"
# Name of a configuration -> file, text in it, text in its place.
CONFIGURATIONS = {
    "as it was": ("tiny.yaml", "run: tiny", "run: tiny"),
    "a rate more": (TINY, "[0.3, 0.7]", "[0.3, 0.5, 0.7]"),
    "a method less": (TINY, ", ConcatKMeans-knn]", "]"),
    "another seed": ("tiny.yaml", "run: tiny", "run: tiny\nseed: 1"),
    "metrics turned": (TINY, "{ACC: acc, NMI: nmi_max}", "{NMI: nmi_max, ACC: acc}"),
    "another default": ("config/methods.yaml", "{alpha: 10, beta: 1}", "{alpha: 0.1, beta: 1}"),
    "another printed number": ("config/published.csv", "acc,50.45", "acc,50.55"),
    "other code": (JOBS, 'setting, self.used["seed"]', 'setting, self.used["seed"] + 1'),
}
WORK = "resources/work/tiny"
# What is read again, from the first to the last; what a run makes; what it notes.
FILES = ["resources/raw/handwritten.json", "resources/raw/handwritten/mfeat-pix"]
FILES += ["resources/datasets/*.h5", "resources/journals/*.DAIMC.jsonl", ".snakemake/metadata/*"]
FILES += ["results/tiny/manifest.json", "results/tiny/report.html", "results/tiny/tables/tiny.csv"]
FILES += ["results/tiny/runs.parquet", "results/tiny/fitted.parquet", "results/tiny/costs.csv"]
FILES += ["results/tiny/figures/tiny.svg", "results/tiny/tables/claims.md"]
FILES += [
    f"{WORK}/{name}"
    for name in (
        *("masks/handwritten/*.npz", "masks/handwritten/*.record", "fits/handwritten/DAIMC.*"),
        *("scores/tiny.parquet", "results/tiny.json", "records/*/*.json", "study.json"),
        *("plan/fit/handwritten/DAIMC.0.json", "progress.jsonl", "logs/fit.*.log"),
    )
]
RULES = ["masks", "fit", "score", "experiment", "runs", "published", "claims", "costs", "report"]
PARTS = [("--until", "masks"), ("--omit-from", "score"), ("--touch",), ("data",)]


DAMAGE = {
    "half": lambda content: content[: len(content) // 2],
    "no last line": lambda content: content[: content.rstrip(b"\n").rfind(b"\n") + 1],
    "one byte more": lambda content: content + b"\0",
    "another digit": lambda content: content.replace(b"0", b"1", 1),  # files of text stay valid
}


def numbers_of(folder):
    """The tables and figures of a run but those of what it cost."""
    files = bytes_of(folder, "results/tiny/*s/*")
    return {name: content for name, content in files.items() if not name.startswith("cost.")}


def jobs_of(output):
    return {rule: n for rule, n in planned_jobs(output).items() if rule not in ("all", "default")}


class History(RuleBasedStateMachine):
    """What may happen to a project whose run is finished."""

    fresh = {}  # configuration -> a project that ran from nothing

    def __init__(self, finished, folder):
        super().__init__()
        self.finished, self.place = finished, folder
        self.fresh.setdefault("as it was", finished)
        number = len(list(folder.glob("history*")))
        self.project = shutil.copytree(finished, folder / f"history{number}")
        self.configuration, self.holds = "as it was", True

    def configure(self, project, name):
        file, old, new = CONFIGURATIONS[name]
        edit(project / file, old, new)

    def of_fresh_run(self):
        """Tables and figures of a run of this configuration from nothing."""
        name = self.configuration
        if name not in self.fresh:
            project = self.place / name.replace(" ", "_")
            made = shutil.ignore_patterns("results", "resources", ".snakemake")
            shutil.copytree(self.finished, project, ignore=made)
            share_data(self.finished, project)
            self.configure(project, name)
            succeed(project)
            self.fresh[name] = project
        return numbers_of(self.fresh[name])

    @rule(name=st.sampled_from(list(CONFIGURATIONS)))
    def edit(self, name):
        file, *_ = CONFIGURATIONS[self.configuration]
        shutil.copy(self.finished / file, self.project / file)
        self.configure(self.project, name)
        self.configuration = name

    @rule(pattern=st.sampled_from(FILES))
    def delete(self, pattern):
        for path in filter(Path.is_file, self.project.glob(pattern)):
            path.unlink()

    @rule(pattern=st.sampled_from(FILES), how=st.sampled_from(list(DAMAGE)))
    def damage(self, pattern, how):
        """Change files that keep their times."""
        for path in filter(Path.is_file, self.project.glob(pattern)):
            status, content = path.stat(), path.read_bytes()
            path.write_bytes(DAMAGE[how](content))
            os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))

    @rule()
    def lose_what_snakemake_knows(self):
        shutil.rmtree(self.project / ".snakemake", ignore_errors=True)

    @rule(part=st.sampled_from(["results", "resources"]), later=st.sampled_from([0, 86400]))
    def set_all_times(self, part, later):
        """Make them equal, or those of a clock that went back since."""
        now = time.time() + later
        for path in (self.project / part).rglob("*"):
            os.utime(path, (now, now))

    @rule()
    def move_results(self):
        """Away, or back where an earlier move has left some."""
        results, away = self.project / "results", self.project / "away"
        if away.exists():
            shutil.rmtree(results, ignore_errors=True)
            away.rename(results)
        elif results.exists():
            results.rename(away)

    @rule()
    def move_the_project(self):
        self.project = self.project.rename(self.project.with_name(f"{self.project.name}_moved"))

    @rule()
    def restore_what_was_finished(self):
        """As from a backup of the first run."""
        for part in ("results", "resources"):
            shutil.rmtree(self.project / part, ignore_errors=True)
            shutil.copytree(self.finished / part, self.project / part)

    @rule(line=st.sampled_from(PARTS))
    def run_in_part(self, line):
        snakemake(self.project, *line)

    @rule(name=st.sampled_from(RULES), whole=st.booleans())
    def kill(self, name, whole):
        """Kill a run, or the jobs at work, when it begins a job of some rule."""
        run = start(self.project, warm=True)
        wait_until(lambda: run.poll() is not None or jobs_at_work(self.project, f"{name}."))
        for process in [run] if whole else jobs_at_work(self.project):
            with contextlib.suppress(psutil.Error):  # it may have ended just now
                process.kill()
        run.wait(timeout=300)
        wait_until(lambda: not jobs_at_work(self.project), seconds=30)

    @rule()
    def run(self):
        self.holds = False
        kept, before = fits_in(self.project), snapshot(self.project)
        foretold = snakemake(self.project, "--dry-run")
        assert snapshot(self.project) == before, "a look changed a file"
        whole = True
        for _ in range(8):  # a damaged file may be named, and is made again by the next run
            done = snakemake(self.project)
            assert "Traceback" not in done.stdout, done.stdout[-4000:]
            if done.returncode == 0:
                break
            whole = False
            assert "was damaged" in done.stdout, done.stdout[-4000:]
        assert done.returncode == 0, done.stdout[-4000:]
        if whole:
            assert jobs_of(done.stdout) == jobs_of(foretold.stdout)
        self.is_as_fresh(kept)
        assert "Nothing to be done" in succeed(self.project, "--dry-run")
        self.holds = True

    def is_as_fresh(self, kept):
        """The same numbers, all files of the manifest and no others, no fit lost or done twice."""
        assert numbers_of(self.project) == self.of_fresh_run()
        fits, results = fits_in(self.project), self.project / "results/tiny"
        assert set(kept) <= set(fits)
        assert len(fits) == len(set(fits))
        checksums = json.loads((results / "manifest.json").read_text())["sha256"]
        assert {name: sha256_of(results / name) for name in checksums} == checksums
        products = {path for path in results.rglob("[!.]*") if path.is_file()}
        assert products == {results / name for name in ("manifest.json", *checksums)}
        assert data_of_page(results / "report.html")

    def teardown(self):
        if self.holds:
            self.run()
            shutil.rmtree(self.project)


@pytest.mark.fault("files of all stages damaged at once")
def test_damaged_files_are_made_again(finished, tmp_path):
    history = History(finished, tmp_path)
    for pattern, how in zip(FILES, itertools.cycle(DAMAGE), strict=False):
        history.damage(pattern=pattern, how=how)
    history.run()


FAULT = pytest.mark.fault("edits, deletions, damage, kills and moves, then a run")


@pytest.mark.parametrize("number", [pytest.param(HISTORIES, marks=[FAULT] * HISTORIES)])
def test_a_run_that_ends_with_0_has_the_tables_of_a_fresh_one(number, finished, tmp_path_factory):
    for file, text, _ in CONFIGURATIONS.values():  # whichever of them these histories draw
        assert (finished / file).read_text().count(text) == 1
    chosen = settings(
        max_examples=number, stateful_step_count=5 if FEW else 12, phases=[Phase.generate],
        derandomize=False, database=None, deadline=None, suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    history = partial(History, finished, tmp_path_factory.mktemp("histories"))
    if FEW:  # these have the memory lost, another seed, a killed run, damaged and moved files
        history = seed(7)(history)
    run_state_machine_as_test(history, settings=chosen)
