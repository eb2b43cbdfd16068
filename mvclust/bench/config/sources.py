"""What is known of a data set's files, and whether it is worth fetching again."""

from collections.abc import Iterable
from pathlib import Path

from mvclust.bench.config.models import DataSet, File
from mvclust.bench.record.records import read_json
from mvclust.datasets.fetch import mirror_folder
from mvclust.datasets.files import sha256_of


def why_again(
    path: Path | str, dataset: dict, mirror: Path | str | None, missing_data: str
) -> str | None:
    """Why a data set should be fetched again although the `path` that tells of it is unchanged."""
    path, record = Path(path), read_json(path) or {}
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


def is_unavailable(path: Path | str) -> bool:
    """Whether no source had a data set when it was last fetched (`path`: output of the rule)."""
    return "unavailable" in (read_json(path) or {})


def mirror_holds(name: str, dataset: dict, mirror: Path | str) -> bool:
    """Whether the mirror folder has all files of a data set."""
    folders = [mirror_folder(name, each) for each in dataset["sources"] if each["kind"] == "mirror"]
    return any(holds_all(Path(mirror, folder), dataset["files"]) for folder in folders)


def image_folders(dataset: dict, mirror: Path | str) -> list[Path]:
    """Folders in the mirror with images from which a data set can be computed."""
    folders = [Path(mirror, s["folder"]) for s in dataset["sources"] if s["kind"] == "images"]
    return [folder for folder in folders if folder.is_dir()]


def identified(datasets: dict[str, DataSet], mirror: Path | str | None) -> dict[str, DataSet]:
    """Add the checksums of the users' files in the mirror folder, so that an edit is noticed."""
    if mirror is None:
        return datasets
    found = dict(datasets)
    for name, dataset in datasets.items():
        if None in dataset.files.values():
            named = next((each.folder for each in dataset.sources if each.kind == "mirror"), None)
            folder, known = Path(mirror, named or name), dataset.files
            files = {file: known[file] or _identity(folder / file) for file in known}
            found[name] = dataset.model_copy(update={"files": files})
    return found


def _identity(path: Path) -> File | None:
    """Checksum and size of a file; None if it cannot be read (fetching gives the reason)."""
    try:
        return File(sha256=sha256_of(path), bytes=path.stat().st_size)
    except OSError:
        return None


def holds_all(folder: Path, files: Iterable[str]) -> bool:
    """Whether a folder has all files of a data set."""
    return all(Path(folder, name).is_file() for name in files)
