"""What is known of a data set's files, and whether it is worth fetching again."""

import json
from pathlib import Path

from mvclust.datasets.files import sha256_of


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


def identified(datasets, mirror):
    """The catalogue with a checksum of each file in the mirror folder for which it states none.

    So an edit of one's own file is noticed as an edit of a checksum in the catalogue.

    Parameters
    ----------
    datasets : dict
        The catalogue.
    mirror : path-like or None

    Returns
    -------
    dict
    """
    return {
        name: entry
        | {
            "files": {
                file: known or (_identity(Path(mirror, name, file)) if mirror else {})
                for file, known in entry["files"].items()
            }
        }
        for name, entry in datasets.items()
    }


def _identity(path):
    """Checksum and size of a file; nothing if it cannot be read, for which fetching says why."""
    try:
        return {"sha256": sha256_of(path), "bytes": path.stat().st_size}
    except OSError:
        return {}


def holds_all(folder, files):
    """Whether a folder has all files of a data set."""
    return all(Path(folder, name).is_file() for name in files)
