"""The files of a folder: regular ones only, unpacked, and named as what they are."""

import gzip
import re
import stat
import zipfile
import zlib
from pathlib import Path
from typing import NamedTuple

from mvclust.datasets.foreign.record import NotUnderstood, reason_of
from mvclust.datasets.foreign.words import (
    FEATURE_FILES,
    NO_TABLES,
    PARTS,
    SAMPLE_FILES,
    parts_of,
    plain,
)
from mvclust.datasets.room import room_for, room_for_members

TEXT = (".csv", ".tsv", ".txt", ".tab", ".dat", ".data", ".asc", ".list")
LISTS = (".docs", ".terms", ".clist")  # beside matrices in the Matrix Market format
WHOLE = (".npz", ".mat", ".h5ad", ".h5mu", ".rda", ".rdata", ".rds", ".h5", ".hdf5")
SHEETS = (".xlsx", ".xls", ".xlsb", ".ods")
ENDINGS = (*TEXT, *LISTS, *WHOLE, *SHEETS, ".npy", ".mtx", ".parquet", ".feather", ".arrow")
PACKED = (".gz", ".zip")
LAYOUTS = (
    "one file with all views (.npz, .mat, .h5ad, .h5mu, .rda, .rds, .xlsx), or one file per view "
    "(.csv, .tsv, .txt, .npy, .mtx, .parquet, .feather), also as .gz or .zip"
)
# What is at the start of files that are not what their name says.
STARTS = (
    (b"version https://git-lfs", "a pointer of Git LFS instead of the data (git lfs pull)"),
    (b"/annex/objects/", "a pointer of git-annex instead of the data (git annex get)"),
    (b"<!doctype html", "an HTML page instead of the data; download the file itself"),
    (b"<html", "an HTML page instead of the data; download the file itself"),
    (b"%pdf", "a PDF document"),
    (b"\x89png", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"7z\xbc\xaf", "a 7z archive; unpack it"),
    (b"rar!", "a RAR archive; unpack it"),
)  # fmt: skip
SYSTEM = (".ds_store", "thumbs.db", "desktop.ini")
# Folders that hold something else than one view.
NO_VIEWS = {"raw", "processed", "old", "backup", "results", "output", "cache", "tmp", *PARTS}
NO_VIEWS |= {"analysis", "figures", "plots", "scripts", "src", "code"}
PICKLES = (".pkl", ".pickle", ".joblib", ".pt", ".pth", ".dill")
PICKLE = "a pickle of Python objects, which is never loaded; save each view as an array of its own"


class Source(NamedTuple):
    """A file to read.

    Attributes
    ----------
    shown : str
        Its name in messages, as in the folder.
    path : Path
        Where its bytes are; in another folder if it was packed.
    stem, ending : str
        Of the name without ``.gz``.
    given : Path
        The user's file: itself, or the archive that it is in.
    """

    shown: str
    path: Path
    stem: str
    ending: str
    given: Path


def sources_of(path, unpacked, log):
    """The files to read, and in `log` those that are left out.

    Parameters
    ----------
    path : Path
        A file or a folder.
    unpacked : Path
        A folder for what is packed.
    log : Log

    Returns
    -------
    list of Source

    Raises
    ------
    NotUnderstood
        If there is nothing to read; or if the only file is not what its name says.
    """
    if path.is_dir():
        path = _only_folder_with_data(path, log)
        folders = _folders_of_views(path)
        entries = [entry for entry in sorted(path.iterdir(), key=_by_name) if entry not in folders]
        sources = [s for entry in entries for s in _sources(entry, entry.name, unpacked, log)]
        sources += [s for f in folders for s in _sources_of_view(f, folders[f], unpacked, log)]
        if not sources:
            left = f"; {'; '.join(log.notes)}" if log.notes else ""
            raise NotUnderstood(f"{path}: no file to read; looked for {LAYOUTS}{left}.")
        return sources
    if not path.exists():
        raise NotUnderstood(f"{path}: there is no such file or folder.")
    sources = _sources(path, path.name, unpacked, log)
    if not sources:
        reason = log.notes[0].partition(" (")[2].rstrip(")") if log.notes else "empty"
        raise NotUnderstood(f"{path}: {reason}; looked for {LAYOUTS}.")
    return sources


def _only_folder_with_data(path, log):
    """A folder, or the one in it that alone has files of data."""
    while not any(map(_may_be_packed, path.iterdir())):
        below = [entry for entry in sorted(path.iterdir()) if entry.is_dir()]
        plainly = [entry for entry in below if not set(parts_of(entry.name)) & NO_VIEWS]
        inside = [entry for entry in plainly if any(map(_may_be_packed, _entries(entry)))]
        if len(inside) != 1:
            break
        for entry in sorted(path.iterdir(), key=_by_name):
            if entry != inside[0]:
                log.leave_out(entry.name, "beside the one folder with data")
        path = inside[0]
    return path


def _may_be_packed(file):
    return _may_be_data(file) or (_is_file(file) and file.name.lower().endswith(PACKED))


def _entries(folder):
    try:
        return list(folder.iterdir())
    except OSError:  # it cannot be opened
        return []


def _folders_of_views(path):
    """The folders below one that hold one view each, in files of the same names.

    Returns
    -------
    dict
        Folder -> its files; empty if there is one such folder, or as many files beside them.
    """
    folders = {
        entry: _files_by_rest(entry)
        for entry in sorted(path.iterdir(), key=_by_name)
        if entry.is_dir() and not set(parts_of(entry.name)) & NO_VIEWS
    }
    folders = {folder: files for folder, files in folders.items() if files}
    rests = {tuple(files) for files in folders.values()}
    beside = sum(_may_be_data(entry) for entry in path.iterdir())
    if len(folders) < 2 or len(rests) > 1 or beside > len(folders):
        return {}
    if sum(not _names_one_side(file) for file in rests.pop()) != 1:
        return {}
    return {folder: list(files.values()) for folder, files in folders.items()}


def _files_by_rest(folder):
    """Name without that of the folder -> file, of the files in it that may hold data."""
    files = sorted(filter(_may_be_data, _entries(folder)), key=_by_name)
    return {file.name.replace(folder.name, ""): file for file in files}


def _may_be_data(file):
    name = file.name.lower().removesuffix(".gz")
    if plain(name.partition(".")[0]) in NO_TABLES:
        return False
    return _is_file(file) and name.endswith(ENDINGS) and not name.startswith("._")


def _names_one_side(file):
    """Whether a file is called as a list of samples or of features."""
    return bool(set(parts_of(file)) & (SAMPLE_FILES | FEATURE_FILES))


def _sources_of_view(folder, files, unpacked, log):
    """The sources in a folder of its own: the data are called as the folder."""
    found = []
    for file in files:
        for source in _sources(file, f"{folder.name}/{file.name}", unpacked, log):
            beside = f"{folder.name}_{source.stem}"
            stem = beside if _names_one_side(file.name) else folder.name
            found.append(source._replace(stem=stem))
    return found


def _by_name(path):
    return natural(path.name)


def _sources(path, shown, unpacked, log, depth=0):
    """The sources in a file: one, several if it is an archive, none if it is left out."""
    if not _is_file(path):
        kind = "a folder of its own" if path.is_dir() else "no regular file"
        log.leave_out(shown, kind)
        return []
    if path.name.startswith("._") or path.name.casefold() in SYSTEM:
        log.leave_out(shown, "a file of the operating system")
        return []
    reason, matters = what_it_is_instead(path)
    if reason:
        log.leave_out(shown, reason, matters)
        return []
    ending = path.suffix.lower()
    try:
        if ending == ".gz" and depth < 2 and not path.name.lower().endswith(".tar.gz"):
            inside = unpacked / f"{len(list(unpacked.iterdir()))}" / path.stem
            with gzip.open(path) as stream:
                _unpack(stream, inside, unpacked)
            found = _sources(inside, shown, unpacked, log, depth + 1)
            return [source._replace(shown=shown, given=path) for source in found]
        if ending == ".zip" and depth < 2:
            return _from_zip(path, shown, unpacked, log, depth)
    except MemoryError as error:
        log.leave_out(shown, str(error).rstrip("."), matters=True)
        return []
    except (OSError, EOFError, zipfile.BadZipFile, zlib.error, RuntimeError) as error:
        log.leave_out(shown, f"it is cut or damaged ({reason_of(error)})", matters=True)
        return []
    if path.name.lower().endswith((".tar.gz", ".tgz", ".tar", ".tar.bz2", ".tar.xz")):
        log.leave_out(shown, "a tar archive; unpack it", matters=True)
        return []
    if ending not in ENDINGS and not _may_be_table(path):
        log.leave_out(shown, f"unknown ending '{ending}'" if ending else "no table")
        return []
    stem = path.stem if ending in ENDINGS else path.name
    return [Source(shown, path, stem, ending or ".txt", path)]


def _from_zip(path, shown, unpacked, log, depth):
    sources = []
    with zipfile.ZipFile(path) as archive:
        room_for_members(archive, shown)
        for member in archive.infolist():
            if member.is_dir() or member.filename.startswith("__MACOSX"):
                continue
            folder = unpacked / f"{len(list(unpacked.iterdir()))}"
            inside = folder / Path(member.filename).name
            with archive.open(member) as stream:
                _unpack(stream, inside, unpacked)
            name = f"{shown}/{member.filename}"
            found = _sources(inside, name, unpacked, log, depth + 1)
            sources += [source._replace(given=path) for source in found]
    return sources


def _unpack(stream, path, unpacked):
    """Write a packed stream to a file, piece by piece, up to the room there is for all."""
    path.parent.mkdir()
    size = sum(file.stat().st_size for file in unpacked.glob("*/*"))
    with open(path, "wb") as file:
        while piece := stream.read(1 << 20):
            size += len(piece)
            room_for(size, path.name)
            file.write(piece)


def what_it_is_instead(path):
    """What a file is instead of data, and whether data are lost by that.

    Returns
    -------
    reason : str or None
    matters : bool
    """
    if path.suffix.lower() in PICKLES:
        return PICKLE, True
    try:
        with open(path, "rb") as file:
            start = file.read(512)
    except OSError as error:
        return f"it cannot be opened: {error.strerror}", True
    if not start:
        return "the file is empty", path.suffix.lower() in ENDINGS + PACKED
    head = start.lstrip().lower()
    for mark, said in STARTS:
        if head.startswith(mark) or (mark.startswith(b"/") and mark in head[:300]):
            matters = path.suffix.lower() in ENDINGS + PACKED
            return f"it is {said}", matters
    if start[0] == 0x80 and start[1] in range(2, 6) and path.suffix.lower() not in (".h5", ".npy"):
        return PICKLE, True
    return None, False


def _may_be_table(path):
    """Whether a file without a known ending is a table of numbers: the first lines are."""
    if path.suffix and not path.suffix[1:].isdigit():
        return False
    with open(path, "rb") as file:
        lines = file.read(1 << 14).split(b"\n")[:-1][:20]
    words = [word for line in lines for word in line.replace(b",", b" ").split()]
    return len(words) > 20 and sum(map(_is_number, words)) > 0.9 * len(words)


def _is_number(word):
    try:
        float(word)
    except ValueError:
        return False
    return True


def _is_file(path):
    """Whether a path is a regular file, of which the folder lets one know."""
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except OSError:
        return False


def natural(name):
    """A key to sort by, so that view10 comes after view9.

    Examples
    --------
    >>> sorted(["view10", "view9", "a"], key=natural)
    ['a', 'view9', 'view10']
    """
    return [
        (0, int(part), "") if part.isdecimal() else (1, 0, part)
        for part in re.split(r"(\d+)", str(name).casefold())
        if part
    ]
