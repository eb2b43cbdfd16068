"""Sizes that files declare are checked before memory is taken."""

import os

VARIABLE = "MVCLUST_READ_GB"  # what one file may take, in units of 1e9 bytes
OF_TEXT = 14  # bytes of memory for each byte of a table as text: each cell is an object


class TooLarge(MemoryError):
    """A file declares more than it may take."""


def room_for(n_bytes, what):
    """Refuse what would take too much memory.

    Parameters
    ----------
    n_bytes : int
        What is declared.
    what : str
        What declares it, for the message.

    Raises
    ------
    TooLarge
        If it is more than a quarter of the machine's memory, or than the environment variable
        MVCLUST_READ_GB allows.

    Examples
    --------
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
    most = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 4
    return most, f"a quarter of what this machine has ({most / 1e9:.1f} GB)"
