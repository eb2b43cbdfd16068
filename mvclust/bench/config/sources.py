"""What is known of a data set's files, and whether it is worth fetching again."""

import json
from pathlib import Path

from mvclust.bench.config.models import File
from mvclust.datasets.fetch import mirror_folder
from mvclust.datasets.files import sha256_of


def why_again(path, dataset, mirror, missing_data):
    """Say why a data set is worth fetching again, though what was fetched is as it was written.

    Parameters
    ----------
    path : path-like
        What the rule that fetches wrote.
    dataset : dict
        The data set's entry in the catalogue.
    mirror : path-like or None
    missing_data : {"stop", "skip"}

    Returns
    -------
    str or None
        None if there is no reason.
    """
    path, record = Path(path), _fetched(path)
    original = mirror is not None and mirror_holds(path.stem, dataset, mirror)
    if "unavailable" in record:
        if missing_data == "stop":
            return "no source had it, and nothing may be missing now"
        placed = original or holds_all(path.with_suffix(""), dataset["files"])
        images = mirror is not None and image_folders(dataset, mirror)
        return "no source had it, and its files are there now" if placed or images else None
    if record.get("set", 0) > 0 and original:
        return "made from a replacement, and the mirror has the original files"
    return None


def is_unavailable(path):
    """Whether no source had a data set when it was fetched last.

    Parameters
    ----------
    path : path-like
        What the rule that fetches wrote.
    """
    return "unavailable" in _fetched(path)


def _fetched(path):
    """What is known of a data set that was fetched; nothing if that is not there or damaged."""
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def mirror_holds(name, dataset, mirror):
    """Whether the mirror folder has all files of a data set.

    Parameters
    ----------
    name : str
    dataset : dict
        Its entry in the catalogue.
    mirror : path-like

    Returns
    -------
    bool
    """
    folders = [mirror_folder(name, each) for each in dataset["sources"] if each["kind"] == "mirror"]
    return any(holds_all(Path(mirror, folder), dataset["files"]) for folder in folders)


def image_folders(dataset, mirror):
    """The folders in the mirror from whose images a data set can be computed.

    Parameters
    ----------
    dataset : dict
        Its entry in the catalogue.
    mirror : path-like

    Returns
    -------
    list of Path
    """
    folders = [Path(mirror, s["folder"]) for s in dataset["sources"] if s["kind"] == "images"]
    return [folder for folder in folders if folder.is_dir()]


def identified(datasets, mirror):
    """The catalogue with a checksum of each file in the mirror folder for which it states none.

    So an edit of one's own file is noticed as an edit of a checksum in the catalogue.

    Parameters
    ----------
    datasets : dict
        Name -> DataSet.
    mirror : path-like or None

    Returns
    -------
    dict
    """
    return {name: _identified(name, dataset, mirror) for name, dataset in datasets.items()}


def _identified(name, dataset, mirror):
    if mirror is None or None not in dataset.files.values():
        return dataset
    folder = next((s.folder for s in dataset.sources if s.kind == "mirror"), None) or name
    files = {
        file: known or _identity(Path(mirror, folder, file))
        for file, known in dataset.files.items()
    }
    return dataset.model_copy(update={"files": files})


def _identity(path):
    """Checksum and size of a file; None if it cannot be read, for which fetching says why."""
    try:
        return File(sha256=sha256_of(path), bytes=path.stat().st_size)
    except OSError:
        return None


def holds_all(folder, files):
    """Whether a folder has all files of a data set."""
    return all(Path(folder, name).is_file() for name in files)
