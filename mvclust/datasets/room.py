"""Sizes that files declare are checked before memory is taken."""

import os


class TooLarge(MemoryError):
    """A file declares more than this machine can hold."""


def room_for(n_bytes, what):
    """Refuse what would take more than a quarter of the machine's memory.

    Parameters
    ----------
    n_bytes : int
        What is declared.
    what : str
        What declares it, for the message.

    Raises
    ------
    TooLarge
        If there is no room.

    Examples
    --------
    >>> room_for(1000, "a.npy")
    """
    most = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 4
    if n_bytes > most:
        raise TooLarge(
            f"{what} would take {n_bytes / 2**30:.1f} GiB of memory, more than a quarter of what "
            f"this machine has."
        )
