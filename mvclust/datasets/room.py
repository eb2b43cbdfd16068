"""Sizes that files declare are checked before memory is taken."""

import os
import resource
from contextlib import suppress
from pathlib import Path

VARIABLE = "MVCLUST_READ_GB"  # what one file may take, in units of 1e9 bytes
OF_CONTAINER = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
OF_TEXT = 14  # bytes of memory for each byte of a table as text: each cell is an object


class TooLarge(MemoryError):
    """A file declares more than it may take."""


def room_for(n_bytes, what):
    """Refuse what would take too much memory: n_bytes declared by `what`.

    TooLarge if they are more than a quarter of the memory of the machine, of ``ulimit -v`` or of
    the container, or than the environment variable MVCLUST_READ_GB allows.

    >>> room_for(1000, "a.npy")
    """
    most, said = _most()
    if n_bytes > most:
        raise TooLarge(
            f"{what} would take {n_bytes / 1e9:.1f} GB of memory, more than {said}; if it is right,"
            f" allow more by the environment variable {VARIABLE}"
        )


def most_bytes():
    """The most bytes that one file may take."""
    return int(_most()[0])


def _most():
    """The most bytes that may be taken, and what says so."""
    given = os.environ.get(VARIABLE)
    if given:
        try:
            return float(given) * 1e9, f"the {given} of {VARIABLE}"
        except ValueError:
            raise TooLarge(f"{VARIABLE}={given}, expected a number of gigabytes") from None
    most = min(_limits()) // 4
    return most, f"a quarter of what this process may take ({most / 1e9:.1f} GB)"


def _limits():
    """Bytes of memory: of the machine, by ``ulimit -v``, and of the container."""
    limits = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")]
    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    limits += [soft] * (soft != resource.RLIM_INFINITY)
    for file in OF_CONTAINER:
        with suppress(OSError, ValueError):  # the text is "max" where there is no limit
            limits.append(int(Path(file).read_text()))
    return limits
