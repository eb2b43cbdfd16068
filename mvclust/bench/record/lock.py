"""Snakemake's locks on its folder: a dead run's are released, a living run's folder is respected.

Every run notes beside the locks which process it is, which of the locks it took and where its
results go. Only locks that a dead run is known to have taken are removed. In the folder of its
results it notes from where it makes them: another working folder has records and locks of its own.
"""

import contextlib
import json
import os
import platform
import time
from pathlib import Path

KEYS = {"host", "pid", "since", "start", "results", "locks"}
OWNER = ".owner.json"  # in a folder of results
OWNERS = "mvclust"  # folder beside Snakemake's locks; Snakemake empties that of the locks


def list_locks(folder="."):
    """The locks in a folder as they are now: name -> [inode, time of change]."""
    locks = {}
    for path in Path(folder, ".snakemake", "locks").glob("*.lock"):
        with contextlib.suppress(OSError):
            status = path.stat()
            locks[path.name] = [status.st_ino, status.st_mtime_ns]
    return locks


def note_owner(results, before, folder="."):
    """Write down that this process makes the results, and which locks it took.

    Parameters
    ----------
    results : path-like
        Folder of the run's results.
    before : dict
        What `list_locks` said before Snakemake took its locks.
    folder : path-like
        The folder that Snakemake works in.
    """
    owner = {
        "host": platform.node(),
        "pid": os.getpid(),
        "since": time.strftime("%H:%M"),
        "start": start_of(os.getpid()),
        "results": str(Path(results).resolve()),
        "locks": {n: mark for n, mark in list_locks(folder).items() if before.get(n) != mark},
    }
    path = Path(folder, ".snakemake", OWNERS, f"{platform.node()}-{os.getpid()}.json")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(owner))


def claim_results(results, root, folder="."):
    """Note in a folder of results from where they are made, unless that is noted of another.

    Parameters
    ----------
    results : path-like
        Folder of the run's results.
    root : path-like
        The checkout.
    folder : path-like
        The folder that Snakemake works in.

    Returns
    -------
    str or None
        What `other_owner` says; then nothing is noted.
    """
    note = Path(results, OWNER)
    owner = {
        "root": str(Path(root).resolve()),
        "folder": str(Path(folder).resolve()),
        "inode": Path(results).stat().st_ino,
        "host": platform.node(),
        "pid": os.getpid(),
        "start": start_of(os.getpid()),
    }
    mine = note.with_name(f"{OWNER}.{os.getpid()}.part")
    mine.write_text(json.dumps(owner))
    try:
        os.link(mine, note)  # of two at once one is first
    except OSError:
        other = other_owner(results, folder)
        if other is not None:
            return other
        os.replace(mine, note)
    finally:
        mine.unlink(missing_ok=True)
    return None


def other_owner(results, folder="."):
    """Say from where else these results are made.

    A note does not count where its folder of results was copied with it, or where the folder that
    it names is gone.

    Parameters
    ----------
    results, folder : path-like
        As for `claim_results`.

    Returns
    -------
    str or None
        A sentence with the folder, the checkout, and what to do.
    """
    note = Path(results, OWNER)
    try:
        owner = json.loads(note.read_text())
        is_copy = owner["inode"] != note.parent.stat().st_ino
        made_in, root, runs = owner["folder"], owner["root"], _is_alive(owner)
    except (OSError, ValueError, KeyError, TypeError):
        return None
    if is_copy or made_in == str(Path(folder).resolve()) or not (runs or Path(made_in).is_dir()):
        return None
    return (
        f"{results} holds results that the checkout {root} makes in {made_in}: give this run "
        f"another name (config key 'run'), or delete {note} to make them here."
    )


def release_dead_locks(folder="."):
    """Remove the locks that killed runs left, so that a plain rerun goes on.

    A lock stays if its owner is alive, ran on another machine, or is not known.

    Parameters
    ----------
    folder : path-like
        The folder that Snakemake works in.

    Returns
    -------
    list of str
        Names of the locks that were removed.
    """
    dead, living = [], []
    for path, owner in _owners(folder):
        (living if _is_alive(owner) else dead).append((path, owner))
    kept = [lock for _, owner in living for lock in owner["locks"].items()]
    there, removed = list_locks(folder), []
    for path, owner in dead:
        for name, mark in owner["locks"].items():
            if there.get(name) == mark and (name, mark) not in kept:
                Path(folder, ".snakemake", "locks", name).unlink(missing_ok=True)
                removed.append(name)
        path.unlink(missing_ok=True)
    return removed


def living_owner(results, folder="."):
    """Say which living process makes these results.

    Parameters
    ----------
    results : path-like
    folder : path-like
        The folder that Snakemake works in.

    Returns
    -------
    str or None
        For example "process 1234 on node7, since 12:30; if it is dead, delete FILE and
        call snakemake --unlock".
    """
    wanted = str(Path(results).resolve())
    for path, owner in _owners(folder):
        if owner["results"] == wanted and _is_alive(owner) and owner["pid"] != os.getpid():
            who = f"process {owner['pid']} on {owner['host']}, since {owner['since']}"
            here = owner["host"] == platform.node()
            dead = f"if it is dead, delete {path} and call snakemake --unlock"
            return who if here else f"{who}; {dead}"
    return None


def _owners(folder):
    owners = []
    for path in sorted(Path(folder, ".snakemake", OWNERS).glob("*.json")):
        with contextlib.suppress(ValueError, OSError):
            owner = json.loads(path.read_text())
            if isinstance(owner, dict) and set(owner) >= KEYS:
                owners.append((path, owner))
    return owners


def _is_alive(owner):
    """Whether the process runs; that of another machine is taken for alive."""
    if owner["host"] != platform.node():
        return True
    return start_of(owner["pid"]) == owner["start"] is not None


def start_of(pid):
    """When a process began, as nothing changes it: the clock of a machine may be set.

    Parameters
    ----------
    pid : int

    Returns
    -------
    str or None
        On Linux the boot of the machine and the ticks from there; elsewhere the time that the
        system noted. None if there is no such process, or it has ended.
    """
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        # After the name of the program, which may hold anything: the state and then numbers.
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return None if fields[0] == "Z" else f"{boot} {fields[19]}"
    except (FileNotFoundError, ProcessLookupError):
        return None if Path("/proc/self/stat").exists() else _noted_start(pid)


def _noted_start(pid):
    import psutil

    with contextlib.suppress(psutil.NoSuchProcess):
        return str(psutil.Process(pid).create_time())
