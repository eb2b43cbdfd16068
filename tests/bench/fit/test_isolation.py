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
from bench.blobs import fits_of, joined, planned, prepare
from bench.blobs import run as run_here

from mvclust.bench.fit.guard import Limits
from mvclust.bench.fit.jobs import failures, run_shares


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
}
PLACE = " (test_isolation.py:"
RAISES = {  # what a fit raises, and how the error of its row begins
    "interrupt": (KeyboardInterrupt("no"), f"KeyboardInterrupt: no{PLACE}"),
    "generator": (GeneratorExit("no"), f"GeneratorExit: no{PLACE}"),
    "exit": (SystemExit(3), f"SystemExit: 3{PLACE}"),
    "no error": (NoError("no"), f"NoError: no{PLACE}"),
    "no text": (WithoutText(), f"WithoutText: its text failed with NoError{PLACE}"),
    "much text": (ValueError("no " * 2_000_000), "ValueError: no no no"),
    "odd text": (ValueError("no \udcff"), f"ValueError: no ?{PLACE}"),
}
DOES |= {name: partial(raises, error) for name, (error, _) in RAISES.items()}
DOES["value"] = partial(raises, ValueError("no"))


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


FILL, NO_LIMITS = {"fill": "mean"}, Limits()


def fit(does, repetition=0, estimator=Does):
    return fits_of(estimator, repetitions=2).fit(FILL | {"does": does}, repetition)


@pytest.mark.fault("a fit that changes the process of the fits after it")
@pytest.mark.parametrize("does", ["folder", "numpy", "stream", "rights"])
def test_what_a_fit_changes_ends_with_it(does, tmp_path):
    clean = fit("nothing")
    before = os.getcwd(), np.mean, sys.stdout
    assert fit(does)["error"] is None
    assert (os.getcwd(), np.mean, sys.stdout) == before
    (tmp_path / "readable").write_text("")
    assert (tmp_path / "readable").read_text() == ""
    assert fit("nothing")["labels"] == clean["labels"]


@pytest.mark.fault("a fit that raises what is no error, or whose text cannot be read")
@pytest.mark.parametrize("does", RAISES)
def test_whatever_a_fit_raises_is_a_row_of_bounded_text(does):
    row = fit(does)
    assert row["labels"] is None
    assert row["error"].startswith(RAISES[does][1])
    assert len(row["error"].encode()) < 1100


def test_of_very_many_warnings_the_first_are_told():
    row = fit("warnings")
    assert row["labels"] is not None
    assert row["warnings"][-1] == "... and 980 more warnings"
    assert sum(map(len, row["warnings"])) < 22_000


def test_generators_that_all_share_begin_at_the_seed_of_the_fit():
    class Drawn(Does):
        def fit(self, Xs):
            self.labels_ = np.random.randint(3, size=len(Xs[0]))
            return self

    other, first, again = (fit("nothing", repetition, Drawn)["labels"] for repetition in (1, 0, 0))
    assert first == again != other


def plan_of(*does, classes=(Does,)):
    """A job of fits of classes, one per mask, deed and class."""
    points, names = [FILL | {"does": each} for each in does], [each.__name__ for each in classes]
    return joined(*(planned(f"{__name__}.{name}", points, method=name) for name in names))


def run(folder, used, limits=NO_LIMITS):
    """Run a job as the script of the workflow does."""
    return run_shares(used, partial(run_here, folder, name=uuid4().hex), limits)


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
    used, twin = plan_of("hidden", classes=(Does, Twin)), plan_of("nothing", classes=(Twin,))
    alone = run(tmp_path, twin)
    used["fits"] = [used["fits"][0], twin["fits"][0]]
    shutil.rmtree(tmp_path / "journals")
    assert run(tmp_path, used)[1]["labels"] == alone[0]["labels"]
    ours = planned()
    assert run_shares(ours, lambda share, **_: [share["fits"]], Limits()) == [ours["fits"]]


@pytest.mark.fault("a class that changes what its job writes with")
def test_a_class_that_breaks_its_process_costs_no_fit(tmp_path):
    prepare(tmp_path)
    other = plan_of("nothing", classes=(Twin,))
    used = joined(plan_of("json"), other)
    rows = run(tmp_path, used)
    assert [row["key"] for row in rows] == [fit[0] for fit in used["fits"]]
    assert [row["error"] for row in rows] == [None] * 4
    assert run(tmp_path, other) == rows[2:]


def test_a_class_that_cannot_be_loaded_is_the_reason_of_its_rows(tmp_path):
    prepare(tmp_path)
    used = plan_of("nothing", classes=(Does, Twin))
    used["methods"]["Twin"]["estimator"] = "no.such.Twin"
    rows = run(tmp_path, used)
    assert [row["error"] is None for row in rows] == [True, True, False, False]
    assert rows[-1]["error"].startswith("LookupError: ")


def test_a_run_that_goes_on_after_a_loss_does_not_try_its_own_failures_again(tmp_path):
    prepare(tmp_path)
    used = plan_of("value", "watcher", "nothing")
    assert [row["tries"] for row in run(tmp_path, used)] == [1] * 6


@pytest.mark.fault("a failure that has passed by the next run")
def test_what_failed_as_often_as_the_run_allows_rests_until_something_changes(
    tmp_path, monkeypatch
):
    prepare(tmp_path)
    used = plan_of("value")

    def tries(**where):
        rows = run_here(tmp_path, used | {"where": used["where"] | where})
        (number,) = set(failures(rows).values())
        return number

    assert [tries(), tries(), tries(), tries()] == [1, 2, 2, 2]
    assert [tries(tries=3), tries(tries=3), tries(forced=True)] == [3, 3, 4]
    used["limits"] = {"seconds": 8, "memory_mb": None}
    assert [tries(), tries(), tries()] == [1, 2, 2]
    used["methods"]["Does"]["code"] = "2"
    assert tries() == 1
    monkeypatch.setitem(DOES, "value", int)
    rows = run_here(tmp_path, used)
    assert [(row["error"], row["tries"]) for row in rows] == [(None, 2)] * 2
    assert run_here(tmp_path, used) == rows


def test_a_fit_that_takes_too_long_is_tried_again_under_another_limit(tmp_path, monkeypatch):
    prepare(tmp_path)
    monkeypatch.setitem(DOES, "value", partial(time.sleep, 1.5))
    used = plan_of("value")
    del used["fits"][1:]
    for tries in (1, 2):
        (row,) = run(tmp_path, used, Limits(seconds=0.7))
        assert (row["error"], row["tries"]) == ("OverLimit: took more than 0.7 s", tries)
    used["limits"] = {"seconds": 60, "memory_mb": None}
    (row,) = run(tmp_path, used, Limits(seconds=60))
    assert row["error"] is None
