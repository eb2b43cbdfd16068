"""Fits in a child process: what hangs or crashes is a reason, and the others go on."""

import faulthandler
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from functools import partial

import numpy as np
import psutil
import pytest
from processes import has_ended, wait_until

from mvclust.bench.fit import guard
from mvclust.bench.fit.guard import Limits, guarded


def three_fits(does, folder, *, began, lost):
    """Work of three fits, of which the second does something; each leaves a file."""
    for key in ("a", "b", "c"):
        began(key)
        if key not in lost:
            with open(folder / key, "a") as file:
                file.write("x")
            if key == "b":
                does()
    began("")
    return [(key, lost.get(key)) for key in ("a", "b", "c")]


def hang():
    while True:
        time.sleep(1)


def crash():
    faulthandler.disable()  # that of the test runner
    os.kill(os.getpid(), signal.SIGSEGV)


def raises(error):
    raise error


class Strange(Exception):
    """An exception that cannot be made again from its pickle."""

    def __init__(self, one, two):
        super().__init__(f"{one} {two}")


def fault(*row):
    return pytest.param(*row, marks=pytest.mark.fault("a fit that hangs or ends its process"))


@pytest.mark.parametrize(
    ("does", "reason", "tries"),
    [
        (int, None, 1),  # nothing
        fault(hang, "OverLimit: took more than 0.3 s", 1),
        fault(crash, "Lost: the process was killed by SIGSEGV", 2),
        fault(partial(os._exit, 7), "Lost: the process ended with exit code 7", 2),
        fault(partial(os.killpg, 0, signal.SIGTERM), "Lost: the process was killed by SIGTERM", 2),
    ],
)
def test_a_fit_that_is_lost_has_a_reason_and_the_others_go_on(does, reason, tries, tmp_path):
    done = guarded(partial(three_fits, does, tmp_path), Limits(seconds=0.3))
    assert done == [("a", None), ("b", reason), ("c", None)]
    assert len((tmp_path / "b").read_text()) == tries


@pytest.mark.fault("kill -9 of the process of a fit")
def test_a_process_that_is_killed_once_loses_nothing(tmp_path):
    def once():
        if len((tmp_path / "b").read_text()) == 1:
            os.kill(os.getpid(), signal.SIGKILL)

    rows = guarded(partial(three_fits, once, tmp_path), Limits())
    assert rows == [("a", None), ("b", None), ("c", None)]


@pytest.mark.parametrize(
    ("error", "kind", "said"),
    [(ValueError("no"), ValueError, "no"), (Strange("a", "b"), RuntimeError, "Strange: a b")],
)
def test_errors_of_the_work_are_raised_here(error, kind, said, tmp_path):
    with pytest.raises(kind, match=said):
        guarded(partial(three_fits, partial(raises, error), tmp_path), Limits())


HANGS = pytest.mark.fault("a process of fits that hangs between two fits")


@pytest.mark.parametrize(
    ("does", "said"),
    [(partial(os._exit, 3), "exit code 3"), pytest.param(hang, r"more than 0\.5 s", marks=HANGS)],
)
def test_a_process_that_ends_or_hangs_between_two_fits_is_an_error(does, said, monkeypatch):
    monkeypatch.setattr(guard, "BETWEEN", 0.5)

    def work(*, began, lost):
        began("a")
        began("")
        does()

    with pytest.raises(ChildProcessError, match=f"{said} between two fits"):
        guarded(work, Limits(seconds=0.1))


@pytest.mark.fault("a fit that takes too much memory")
def test_memory_is_limited():
    def much(*, began, lost):
        began("a")
        with suppress(MemoryError):
            return np.ones(30_000_000).sum()  # 240 MB

    assert guarded(much, Limits(memory_mb=100)) is None
    assert guarded(much, Limits(memory_mb=1000)) == 3e7


PARENT = """
import signal, subprocess
signal.signal(signal.SIGINT, signal.default_int_handler)
from mvclust.bench.fit.guard import Limits, guarded
def work(*, began, lost):
    began("a")
    subprocess.run(["sleep", "60"])
guarded(work, Limits())
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_the_child_and_its_programs_end_with_its_parent(number):
    parent = subprocess.Popen([sys.executable, "-c", PARENT], stderr=subprocess.DEVNULL)
    descendants = partial(psutil.Process(parent.pid).children, recursive=True)
    wait_until(lambda: len(descendants()) == 2, seconds=20, run=parent)
    children = descendants()
    parent.send_signal(number)
    assert parent.wait(20) != 0
    wait_until(lambda: all(map(has_ended, children)), seconds=5)
