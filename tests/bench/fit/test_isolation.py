"""What a class does in a fit changes no other fit and stops no run: it is in the row."""

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
import warnings
from functools import partial
from uuid import uuid4

import numpy as np
import psutil
import pytest
from bench.blobs import SETTING, fits_of, planned, prepare
from bench.blobs import run as run_here

from mvclust.bench.fit.guard import Limits
from mvclust.bench.fit.jobs import failures, run_job, run_share, shares_of
from mvclust.bench.plan.settings import Fit


class NoError(BaseException):
    """Not an Exception."""


class WithoutText(Exception):
    def __str__(self):
        raise NoError


def leave_a_copy():
    """The copy keeps the pipe to the job open, and would go on with the fits of the job."""
    if os.fork() == 0:
        os.setsid()
        time.sleep(60)


def warn_often():
    for number in range(1000):
        warnings.warn(f"{number} " * 1000, stacklevel=2)


def raises(error):
    raise error


HIDDEN = {}  # stands for what a class can change in a process without being noticed


DOES = {
    "json": partial(setattr, json, "dumps", str),
    "hidden": partial(HIDDEN.__setitem__, "labels", 0),
    "nothing": int,
    "folder": partial(os.chdir, "/"),
    "numpy": partial(setattr, np, "mean", np.max),
    "stream": partial(setattr, sys, "stdout", None),
    "rights": partial(os.umask, 0o777),
    "thread": lambda: threading.Thread(target=time.sleep, args=[60], daemon=True).start(),
    "program": partial(subprocess.Popen, ["sleep", "60"]),
    "group": partial(subprocess.Popen, ["sleep", "61"], start_new_session=True),
    "copy": leave_a_copy,
    "fork": os.fork,
    "files": partial(os.closerange, 3, os.sysconf("SC_OPEN_MAX")),
    "watcher": lambda: os.kill(os.getppid(), signal.SIGKILL),
    "warnings": warn_often,
    "interrupt": partial(raises, KeyboardInterrupt("no")),
    "generator": partial(raises, GeneratorExit("no")),
    "exit": partial(raises, SystemExit(3)),
    "no error": partial(raises, NoError("no")),
    "no text": partial(raises, WithoutText()),
    "much text": partial(raises, ValueError("no " * 2_000_000)),
    "odd text": partial(raises, ValueError("no \udcff")),
    "value": partial(raises, ValueError("no")),
}


class Does:
    """A class of somebody else, which does what it is told and labels samples by their means."""

    def __init__(self, n_clusters, *, does="nothing"):
        self.n_clusters, self.does = n_clusters, does

    def fit(self, Xs):
        DOES[self.does]()
        self.labels_ = np.argsort(np.argsort(np.mean(Xs[0], axis=1))) % self.n_clusters
        return self


class Twin(Does):
    """Another class, whose labels follow from what no check of functions sees."""

    def fit(self, Xs):
        super().fit(Xs)
        self.labels_ = (self.labels_ > 0) * HIDDEN.get("labels", 1)
        return self


@pytest.fixture
def fits():
    return fits_of(Does, repetitions=2)


FILL, NO_LIMITS = {"fill": "mean"}, Limits()


@pytest.mark.fault("a fit that changes the process of the fits after it")
@pytest.mark.parametrize("does", ["folder", "numpy", "stream", "rights"])
def test_what_a_fit_changes_ends_with_it(does, fits, tmp_path):
    clean = fits.fit(FILL | {"does": "nothing"}, 0)
    before = os.getcwd(), np.mean, sys.stdout
    assert fits.fit(FILL | {"does": does}, 0)["error"] is None
    assert (os.getcwd(), np.mean, sys.stdout) == before
    (tmp_path / "readable").write_text("")
    assert (tmp_path / "readable").read_text() == ""
    assert fits.fit(FILL | {"does": "nothing"}, 0)["labels"] == clean["labels"]


@pytest.mark.fault("a fit that raises what is no error, or whose text cannot be read")
@pytest.mark.parametrize(
    ("does", "error"),
    [
        ("interrupt", "KeyboardInterrupt: no (test_isolation.py:"),
        ("generator", "GeneratorExit: no (test_isolation.py:"),
        ("exit", "SystemExit: 3 (test_isolation.py:"),
        ("no error", "NoError: no (test_isolation.py:"),
        ("no text", "WithoutText: its text failed with NoError (test_isolation.py:"),
        ("much text", "ValueError: no no no"),
        ("odd text", "ValueError: no ? (test_isolation.py:"),
    ],
)
def test_whatever_a_fit_raises_is_a_row_of_bounded_text(does, error, fits):
    row = fits.fit(FILL | {"does": does}, 0)
    assert row["labels"] is None
    assert row["error"].startswith(error)
    assert len(row["error"]) < 1100
    row["error"].encode()


def test_of_very_many_warnings_the_first_are_told(fits):
    row = fits.fit(FILL | {"does": "warnings"}, 0)
    assert row["labels"] is not None
    assert row["warnings"][-1] == "... and 980 more warnings"
    assert sum(map(len, row["warnings"])) < 22_000


def test_generators_that_all_share_begin_at_the_seed_of_the_fit():
    class Drawn(Does):
        def fit(self, Xs):
            self.labels_ = np.random.randint(3, size=len(Xs[0]))
            return self

    drawn = fits_of(Drawn, repetitions=2)
    first, other, again = drawn.fit(FILL, 0), drawn.fit(FILL, 1), drawn.fit(FILL, 0)
    assert first["labels"] == again["labels"] != other["labels"]


def plan_of(*does, classes=(Does,)):
    """A job of fits of classes, one per mask, deed and class."""
    used = planned()
    used["methods"] = {
        cls.__name__: {"estimator": f"{__name__}.{cls.__name__}", "code": "1"} for cls in classes
    }
    fits = [
        Fit(SETTING, r, cls.__name__, FILL | {"does": each})
        for cls in classes
        for r in range(2)
        for each in does
    ]
    used["fits"] = [[f.key, SETTING.id, f.repetition, f.params, f.method] for f in fits]
    return used


def run(folder, used, limits=NO_LIMITS):
    """Run a job as the script of the workflow does."""
    run_of_job, rows = uuid4().hex, []
    for share in shares_of(used):
        work = partial(
            run_job, share, dataset_files={"blobs": folder / "blobs.h5"},
            mask_files={SETTING.masks: folder / "blobs.npz"}, journals=folder / "journals",
            threads=1, root=folder, report=lambda *_: None, run=run_of_job,
        )  # fmt: skip
        rows += run_share(share, work, limits)
    return rows


LOST = {
    "files": "Lost: the process ended with exit code 1",
    "watcher": "Lost: the process was killed by SIGKILL",
}


@pytest.mark.fault("a fit that leaves a thread, a program or a copy of itself at work")
@pytest.mark.parametrize("does", ["thread", "program", "group", "copy", "fork", *LOST])
def test_a_fit_that_leaves_something_at_work_stalls_nothing(does, tmp_path):
    prepare(tmp_path)
    begun, before = time.monotonic(), set(psutil.Process().children(recursive=True))
    rows = run(tmp_path, plan_of("nothing", does, "nothing"))
    assert time.monotonic() - begun < 55  # what is left sleeps for 60
    assert not set(psutil.Process().children(recursive=True)) - before
    assert [row["error"] for row in rows] == [None, LOST.get(does), None] * 2
    assert len({frozenset(row) for row in rows}) == 1
    assert rows[0]["labels"] == rows[2]["labels"]


def test_fits_of_other_classes_share_no_process(tmp_path):
    prepare(tmp_path)
    used = plan_of("hidden", classes=(Does, Twin))
    alone = run(tmp_path, plan_of("nothing", classes=(Twin,)))
    used["fits"] = [used["fits"][0], plan_of("nothing", classes=(Twin,))["fits"][0]]
    shutil.rmtree(tmp_path / "journals")
    assert run(tmp_path, used)[1]["labels"] == alone[0]["labels"]
    ours = planned()
    assert [share["fits"] for share in shares_of(ours)] == [ours["fits"]]


@pytest.mark.fault("a class that changes what its job writes with")
def test_a_class_that_breaks_its_process_costs_no_fit(tmp_path):
    prepare(tmp_path)
    used = plan_of("json", classes=(Does,))
    used["fits"] += (other := plan_of("nothing", classes=(Twin,)))["fits"]
    used["methods"] |= other["methods"]
    rows = run(tmp_path, used)
    assert [row["key"] for row in rows] == [fit[0] for fit in used["fits"]]
    assert [row["error"] is None for row in rows] == [True] * 4
    assert {row["method"] for row in rows[:2]} == {"Does"}
    assert run(tmp_path, other) == rows[2:]


def test_a_class_that_cannot_be_loaded_is_the_reason_of_its_rows(tmp_path):
    prepare(tmp_path)
    used = plan_of("nothing", classes=(Does, Twin))
    used["methods"]["Twin"]["estimator"] = "no.such.Twin"
    rows = run(tmp_path, used)
    assert [row["error"] is None for row in rows] == [True, True, False, False]
    assert rows[-1]["error"].startswith("LookupError: ")


@pytest.mark.fault("a failure that has passed by the next run")
def test_a_failure_is_tried_again_and_then_taken_over_no_more(tmp_path, monkeypatch):
    prepare(tmp_path)
    used = plan_of("nothing", "value")
    first = run_here(tmp_path, used)
    assert [row["error"] is None for row in first] == [True, False, True, False]
    assert [row["tries"] for row in first] == [1] * 4
    monkeypatch.setitem(DOES, "value", int)
    again = run_here(tmp_path, used)
    assert [row["error"] for row in again] == [None] * 4
    assert [row["tries"] for row in again] == [1, 2, 1, 2]
    assert again[1]["labels"] == again[0]["labels"]
    assert run_here(tmp_path, used) == again


def test_what_failed_as_often_as_the_run_allows_rests_until_something_changes(tmp_path):
    prepare(tmp_path)
    used = plan_of("value")

    def tries(**where):
        rows = run_here(tmp_path, used | {"where": used["where"] | where})
        (number,) = set(failures(rows).values())
        return number

    assert [tries(), tries(), tries(), tries()] == [1, 2, 2, 2]
    assert tries(tries=3) == 3
    assert tries(tries=3) == 3
    assert tries(forced=True) == 4
    used["limits"] = {"seconds": 8, "memory_mb": None}
    assert [tries(), tries(), tries()] == [1, 2, 2]
    used["methods"]["Does"]["code"] = "2"
    assert tries() == 1


def test_a_fit_that_failed_is_tried_once_by_a_run_whatever_comes_after_it(tmp_path):
    prepare(tmp_path)
    rows = run(tmp_path, plan_of("value", "thread", "nothing"))  # in several processes
    assert [row["tries"] for row in rows] == [1] * 6
    assert run(tmp_path, plan_of("value", "thread", "nothing"))[0]["tries"] == 2


def test_a_fit_that_takes_too_long_is_tried_again_under_another_limit(tmp_path, monkeypatch):
    prepare(tmp_path)
    monkeypatch.setitem(DOES, "value", partial(time.sleep, 1.5))
    used = plan_of("value")
    used["fits"] = used["fits"][:1]
    (row,) = run(tmp_path, used, Limits(seconds=0.7))
    assert (row["error"], row["tries"]) == ("OverLimit: took more than 0.7 s", 1)
    (row,) = run(tmp_path, used, Limits(seconds=0.7))
    assert row["tries"] == 2
    used["limits"] = {"seconds": 60, "memory_mb": None}
    (row,) = run(tmp_path, used, Limits(seconds=60))
    assert row["error"] is None
