"""Snakemake's lock on its folder, released when the run that took it is dead."""

import json
import os
import platform
from pathlib import Path


def note_owner(path):
    """Write down which process runs here (in `path`, a file)."""
    import psutil

    owner = {
        "host": platform.node(),
        "pid": os.getpid(),
        "started": psutil.Process().create_time(),
    }
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(json.dumps(owner))


def release_dead_lock(path, folder="."):
    """Remove the lock that a killed run left, so that a plain rerun goes on.

    A lock stays if its owner is alive, ran on another machine, or is not known.

    Parameters
    ----------
    path : path
        The file that `note_owner` wrote.
    folder : path
        The folder that Snakemake works in.

    Returns
    -------
    bool, whether a lock was removed
    """
    locks = list(Path(folder, ".snakemake", "locks").glob("*"))
    if not locks or not Path(path).exists():
        return False
    import psutil

    try:
        owner = json.loads(Path(path).read_text())
        if owner["host"] != platform.node():
            return False
        if psutil.Process(owner["pid"]).create_time() == owner["started"]:
            return False
    except psutil.NoSuchProcess:
        pass
    except (ValueError, KeyError):
        return False
    for lock in locks:
        lock.unlink(missing_ok=True)
    return True
