"""Snakemake's locks on its folder: a dead run's are released, a living run's folder is respected.

Every run notes beside the locks which process it is, which locks it took and where its results go;
in the folder of its results it notes from which working folder it makes them.
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


def list_locks(folder: Path | str = ".") -> dict[str, list[int]]:
    """Current locks in a folder: name -> [inode, time of change]."""
    locks = {}
    for path in Path(folder, ".snakemake", "locks").glob("*.lock"):
        with contextlib.suppress(OSError):
            status = path.stat()
            locks[path.name] = [status.st_ino, status.st_mtime_ns]
    return locks


def note_owner(results: Path | str, before: dict[str, list[int]], folder: Path | str = ".") -> None:
    """Record that this process makes the results, and which locks it took since `before`."""
    owner = _this_process() | {
        "since": time.strftime("%H:%M"),
        "results": str(Path(results).resolve()),
        "locks": {n: mark for n, mark in list_locks(folder).items() if before.get(n) != mark},
    }
    path = Path(folder, ".snakemake", OWNERS, f"{platform.node()}-{os.getpid()}.json")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(owner))


def _this_process() -> dict:
    return {"host": platform.node(), "pid": os.getpid(), "start": start_of(os.getpid())}


def claim_results(results: Path | str, root: Path | str, folder: Path | str = ".") -> str | None:
    """Record that the checkout `root` makes results in `folder`, or say why not (`other_owner`)."""
    note = Path(results, OWNER)
    owner = _this_process() | {
        "root": str(Path(root).resolve()),
        "folder": str(Path(folder).resolve()),
        "inode": Path(results).stat().st_ino,
    }
    mine = note.with_name(f"{OWNER}.{os.getpid()}.part")
    mine.write_text(json.dumps(owner))
    other = None
    try:
        os.link(mine, note)  # of two at once one is first
    except OSError:
        other = other_owner(results, folder)
        if other is None:
            os.replace(mine, note)
    finally:
        mine.unlink(missing_ok=True)
    return other


def other_owner(results: Path | str, folder: Path | str = ".") -> str | None:
    """Describe another origin of these results, with what to do; None without one.

    A note does not count if it was copied with the results, or if its folder is gone.
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


def release_dead_locks(folder: Path | str = ".") -> list[str]:
    """Remove the locks that killed runs of this machine are known to have taken; return them."""
    owners, locks, removed = _owners(folder), list_locks(folder), []
    living = [owner for owner in owners.values() if _is_alive(owner)]
    kept = [lock for owner in living for lock in owner["locks"].items()]
    for path, owner in owners.items():
        if owner not in living:
            for name, mark in owner["locks"].items():
                if locks.get(name) == mark and (name, mark) not in kept:
                    Path(folder, ".snakemake", "locks", name).unlink(missing_ok=True)
                    removed.append(name)
            path.unlink(missing_ok=True)
    return removed


def living_owner(results: Path | str, folder: Path | str = ".") -> str | None:
    """Describe the living process that makes these results; None without one."""
    wanted = str(Path(results).resolve())
    for path, owner in _owners(folder).items():
        if owner["results"] == wanted and _is_alive(owner) and owner["pid"] != os.getpid():
            who = f"process {owner['pid']} on {owner['host']}, since {owner['since']}"
            if owner["host"] == platform.node():
                return who
            return f"{who}; if it is dead, delete {path} and call snakemake --unlock"
    return None


def _owners(folder: Path | str) -> dict[Path, dict]:
    """Readable notes of runs by their paths."""
    owners = {}
    for path in sorted(Path(folder, ".snakemake", OWNERS).glob("*.json")):
        with contextlib.suppress(ValueError, OSError):
            owner = json.loads(path.read_text())
            if isinstance(owner, dict) and owner.keys() >= KEYS:
                owners[path] = owner
    return owners


def _is_alive(owner: dict) -> bool:
    """Whether the process runs; one of another machine is assumed to be alive."""
    if owner["host"] != platform.node():
        return True
    return start_of(owner["pid"]) == owner["start"] is not None


def start_of(pid: int) -> str | None:
    """Start time of a process, independent of changes of the clock; None if it has ended."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        # After the name of the program, which may hold anything: the state and then numbers.
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return None if fields[0] == "Z" else f"{boot} {fields[19]}"
    except (FileNotFoundError, ProcessLookupError):
        if Path("/proc/self/stat").exists():
            return None
    import psutil

    with contextlib.suppress(psutil.NoSuchProcess):
        return str(psutil.Process(pid).create_time())
    return None
