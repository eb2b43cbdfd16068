"""Whether a data set is worth fetching again, from what an earlier run noted of it."""

import json
from pathlib import Path


def attempt(path, entry, mirror, missing_data):
    """How many times a data set is asked for anew; a larger number makes its rule run again.

    It grows where the earlier fetch found nothing and files have come since, or nothing may be
    missing; and where it found only a replacement (a rounded copy) and the mirror has the original.

    Parameters
    ----------
    path : path-like
        What the rule that fetches wrote.
    entry : dict
        The data set's entry in the catalogue.
    mirror : path-like or None
    missing_data : {"stop", "skip"}

    Returns
    -------
    int
    """
    path = Path(path)
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        done = int(record["attempt"])
    except (OSError, ValueError, KeyError, TypeError):
        return 0
    in_mirror = mirror is not None and holds_all(Path(mirror, path.stem), entry["files"])
    if "unavailable" in record:
        placed = holds_all(path.with_suffix(""), entry["files"])
        return done + (in_mirror or placed or missing_data == "stop")
    return done + (record.get("set", 0) > 0 and in_mirror)


def holds_all(folder, files):
    """Whether a folder has all files of a data set."""
    return all(Path(folder, name).is_file() for name in files)
