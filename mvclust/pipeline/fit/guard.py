"""Fits in a process of their own: one that hangs, or takes the process down, is a row too.

The job's process forks a child that runs the fits, and watches it. Where the child is killed (out
of memory, a crash in compiled code) the fit is tried once more in a new child; where a fit takes
too long the child is killed. The next child notes a row for the fit that was lost, and goes on.
"""

import contextlib
import mmap
import os
import pickle
import resource
import signal
import struct
import threading
import time
from pathlib import Path
from typing import NamedTuple

LOOK = 0.1  # seconds between two looks at the child
LATE = "OverLimit: took more than"
TRIES = 2  # of a fit that takes the process down
STOPPED = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)  # by the user, not by the fit
PLACE = struct.Struct("<d64s")  # time when the fit began, its key; no key between two fits


class Limits(NamedTuple):
    """Limits of one fit; None for none.

    Attributes
    ----------
    seconds : float or None
        Wall time.
    memory_mb : float or None
        Address space beyond what the process has when the fits begin, in units of 1e6 bytes.
    """

    seconds: float | None = None
    memory_mb: float | None = None


def guarded(work, limits):
    """Run the fits of a job in a child process, and again without those that were lost.

    Parameters
    ----------
    work : callable
        Called in the child with ``began``, to be called with the key of each fit before it is
        run and with "" after the last, and ``lost``, a dict: key of a fit -> why it is not run.
        What it returns must be picklable.
    limits : Limits

    Returns
    -------
    object
        What `work` returned.

    Raises
    ------
    Exception
        What `work` raised; ChildProcessError if the child was lost between two fits.
    """
    lost, tries = {}, {}
    while True:
        with mmap.mmap(-1, PLACE.size) as place:
            answer, reason = _run_child(work, limits, lost, place)
            key = _fit_in(place)[1]
        if reason is None:
            failed, value = answer
            if failed:
                raise value
            return value
        if not key:
            raise ChildProcessError(f"{reason} between two fits")
        tries[key] = tries.get(key, 0) + 1
        if tries[key] >= TRIES or reason.startswith(LATE):
            lost[key] = reason


def _run_child(work, limits, lost, place):
    """Run a child to its end: (its answer, None), or (None, why it ended without one)."""
    reading, writing = os.pipe()
    child = os.fork()
    _lead_a_group(child)  # here and in the child: whichever is first
    if child == 0:
        os.close(reading)
        _be_child(work, limits, lost, place, writing)
    os.close(writing)
    with _ended_with_us(child), os.fdopen(reading, "rb") as pipe:
        try:
            return _watch(child, limits, place, pipe)
        except BaseException:
            _kill(child)  # before the pipe is closed, which a thread is reading
            raise


def _be_child(work, limits, lost, place, writing):
    """The child's life; it never returns."""
    parent = os.getppid()
    threading.Thread(target=_end_with, args=[parent], daemon=True).start()

    def began(key):
        place[:] = PLACE.pack(time.monotonic(), key.encode())

    code = 1
    try:
        _limit_memory(limits.memory_mb)
        answer = _answer(work, began, lost)
        with os.fdopen(writing, "wb") as pipe:
            pipe.write(answer)
        code = 0
    finally:
        os._exit(code)


def _answer(work, began, lost):
    """What the work returned or raised, pickled."""
    try:
        return pickle.dumps((False, work(began=began, lost=lost)))
    except Exception as error:
        with contextlib.suppress(Exception):
            text = pickle.dumps((True, error))
            pickle.loads(text)  # some exceptions cannot be made again
            return text
        return pickle.dumps((True, RuntimeError(f"{type(error).__name__}: {error}")))


def _end_with(parent):
    """End this process when the parent is gone."""
    while os.getppid() == parent:
        time.sleep(1)
    _kill(os.getpid())


def _limit_memory(memory_mb):
    if memory_mb is None:
        return
    with contextlib.suppress(OSError, ValueError):  # no /proc; a lower limit is in force already
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        limit = pages * resource.getpagesize() + int(memory_mb * 1e6)
        _, most = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (limit, most))


def _watch(child, limits, place, pipe):
    """Wait for the child's end; kill it where a fit takes too long."""
    parts, late = [], False
    reader = threading.Thread(target=_read_all, args=[pipe, parts], daemon=True)
    reader.start()
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            break
        began, key = _fit_in(place)
        if limits.seconds is not None and key and time.monotonic() - began > limits.seconds:
            late = True
            _kill(child)
        time.sleep(LOOK)
    reader.join()
    if parts[0]:
        return pickle.loads(parts[0]), None
    if late:
        return None, f"{LATE} {limits.seconds:g} s"
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number in STOPPED:
            raise KeyboardInterrupt
        return None, f"Lost: the process was killed by {signal.Signals(number).name}"
    return None, f"Lost: the process ended with exit code {os.WEXITSTATUS(status)}"


def _read_all(pipe, parts):
    parts.append(pipe.read())


def _fit_in(place):
    began, key = PLACE.unpack(place[:])
    return began, key.rstrip(b"\0").decode()


@contextlib.contextmanager
def _ended_with_us(child):
    """Let the child end when this process is told to."""

    def end(number, _):
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


def _lead_a_group(child):
    """Make the child the first of a group: programs that it starts end with it."""
    with contextlib.suppress(OSError):
        os.setpgid(child, child)


def _kill(child):
    """Kill the child and what it started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
