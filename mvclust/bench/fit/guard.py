"""Run fits in a child process; a hang or a crash becomes a row with an error.

A fit whose child was killed is tried once more. The next child notes a row for a lost fit and goes
on; all processes that fits started end with their child.
"""

import contextlib
import ctypes
import mmap
import os
import pickle
import resource
import select
import signal
import struct
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import psutil

LOOK = 0.1  # seconds between two looks at the child
BETWEEN = 600  # seconds, at least, that a child may take between two fits: it reads data there
LATE = "OverLimit: took more than"
TRIES = 2  # of a fit that takes the process down
STOPPED = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)  # by the user, or by the fit itself
PATIENCE = 1  # seconds until a signal of the user to all processes has also come to this one
PR_SET_CHILD_SUBREAPER = 36  # of prctl: what a child leaves becomes ours, not the system's
PLACE = struct.Struct("<d64s")  # time when the fit began, its key; no key between two fits


class Limits(NamedTuple):
    """Limits of one fit; None for none."""

    seconds: float | None = None  # wall time
    memory_mb: float | None = None  # address space beyond that before the fits, in 1e6 bytes


def guarded(work: Callable, limits: Limits) -> Any:
    """Run the fits of a job in a child process, and again without those that were lost.

    `work` is called with ``began``, for the key of each fit before it runs and "" after it, and
    ``lost``, keys of fits -> reasons not to run them. Returns or raises what it does, or
    ChildProcessError if the child was lost between two fits.
    """
    lost, tries = {}, {}
    with contextlib.suppress(AttributeError, OSError):  # only Linux has it
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    while True:
        with mmap.mmap(-1, PLACE.size) as place:
            answer, reason = _run_child(partial(work, lost=lost), limits, place)
            key = _fit_in(place)[1]
        if reason is None:
            failed, value = answer
            if failed:
                raise value
            return value
        tries[key] = tries.get(key, 0) + 1
        if tries[key] >= TRIES or reason.startswith(LATE):
            if not key:
                raise ChildProcessError(f"{reason} between two fits")
            lost[key] = reason


def _run_child(work: Callable, limits: Limits, place: mmap.mmap) -> tuple:
    """Run a child to its end: (its answer, None), or (None, the reason)."""
    before = set(psutil.Process().children(recursive=True))
    place[:] = PLACE.pack(time.monotonic(), b"")
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    child = os.fork()
    with contextlib.suppress(OSError):  # here and in the child: whichever is first
        os.setpgid(child, child)  # programs that the child starts end with its group
    if child == 0:
        os.close(reading)
        _be_child(work, limits, place, writing)
    os.close(writing)
    try:
        with _ended_with_us(child):
            return _watch(child, limits, place, reading)
    finally:
        os.close(reading)
        _kill(child)  # also what is left of its group
        remaining = set(psutil.Process().children(recursive=True)) - before
        for process in remaining:  # also those that left its group
            with contextlib.suppress(psutil.Error):
                process.kill()
        psutil.wait_procs(remaining, timeout=LOOK)


def _be_child(work: Callable, limits: Limits, place: mmap.mmap, writing: int) -> NoReturn:
    """Main loop of the child."""
    parent, own = os.getppid(), os.getpid()
    threading.Thread(target=_end_with, args=[parent], daemon=True).start()

    def began(key: str) -> None:
        place[:] = PLACE.pack(time.monotonic(), key.encode())

    code = 1
    try:
        # A KeyboardInterrupt that a class raises is an error of its fit, a signal ends the child.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        _limit_memory(limits.memory_mb)
        answer = _answer(work, began)
        if os.getpid() == own:  # else a copy that a fit forked, and did not end
            with os.fdopen(writing, "wb") as pipe:
                pipe.write(answer)
            code = 0
    finally:
        os._exit(code)


def _answer(work: Callable, began: Callable[[str], None]) -> bytes:
    """Result or exception of the work, pickled."""
    try:
        return pickle.dumps((False, work(began=began)))
    except Exception as error:
        with contextlib.suppress(Exception):
            text = pickle.dumps((True, error))
            pickle.loads(text)  # some exceptions cannot be made again
            return text
        return pickle.dumps((True, RuntimeError(f"{type(error).__name__}: {error}")))


def _end_with(parent: int) -> None:
    """End this process when the parent is gone."""
    while os.getppid() == parent:
        time.sleep(1)
    _kill(os.getpid())


def _limit_memory(memory_mb: float | None) -> None:
    if memory_mb is None:
        return
    with contextlib.suppress(OSError, ValueError):  # no /proc; a lower limit is in force already
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        limit = pages * resource.getpagesize() + int(memory_mb * 1e6)
        _, most = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (limit, most))


def _watch(child: int, limits: Limits, place: mmap.mmap, reading: int) -> tuple:
    """Wait for the child's end; kill it if a fit takes too long."""
    parts, late, status = [], None, None
    pipe = select.poll()
    pipe.register(reading, select.POLLIN)
    while status is None:
        if pipe.poll(1000 * LOOK) and not _drain(reading, parts):
            time.sleep(LOOK / 10)  # closed by the child, at its end or by what a fit did
        ended, code = os.waitpid(child, os.WNOHANG)
        status = code if ended else None
        began, key = _fit_in(place)
        allowed = float("inf") if limits.seconds is None else limits.seconds
        allowed = allowed if key else max(allowed, BETWEEN)
        if late is None and time.monotonic() - began > allowed:
            late = allowed
            _kill(child)
    _drain(reading, parts)  # a process that the child left may hold the pipe open
    if parts and status == 0:
        return pickle.loads(b"".join(parts)), None
    if late is not None:
        return None, f"{LATE} {late:g} s"
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number in STOPPED:
            time.sleep(PATIENCE)
        return None, f"Lost: the process was killed by {signal.Signals(number).name}"
    return None, f"Lost: the process ended with exit code {os.WEXITSTATUS(status)}"


def _drain(reading: int, parts: list[bytes]) -> bool:
    """Read the pipe; return whether more may come."""
    with contextlib.suppress(BlockingIOError):
        while part := os.read(reading, 1 << 20):
            parts.append(part)
        return False
    return True


def _fit_in(place: mmap.mmap) -> tuple[float, str]:
    began, key = PLACE.unpack(place[:])
    return began, key.rstrip(b"\0").decode()


@contextlib.contextmanager
def _ended_with_us(child: int) -> Iterator[None]:
    """End the child when this process is asked to end."""

    def end(number: int, _: object) -> None:
        _kill(child)
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _kill(child: int) -> None:
    """Kill the child and the processes that it started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
