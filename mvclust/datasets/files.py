"""Files: written completely or not at all, identified by checksums, damage reported by name."""

import contextlib
import errno
import hashlib
import os
import platform
import re
import shutil
import time
import uuid
import zlib
from pathlib import Path

DAY = 86400  # seconds
CHECKSUMS = ("sha256", "git_blob")  # by which the catalogue knows a file


class DataNotAvailable(OSError):
    """No source gave the right files; the message says why and how to supply them by hand."""


class BadMirror(DataNotAvailable):
    """The named mirror folder does not exist, or holds a damaged file; the message says which."""


class Refused(Exception):
    """A process may no longer write, see `writing_only_if`; the message is for the user."""


class DamagedFile(OSError):
    """A file is cut or its content is damaged.

    Parameters
    ----------
    path : path-like
        The file.
    reason : str
        What is wrong with it.
    """

    def __init__(self, path, reason):
        super().__init__(f"{path} is damaged ({reason}); delete it and run again.")
        self.path, self.reason = Path(path), reason

    def __reduce__(self):
        return type(self), (self.path, self.reason)


@contextlib.contextmanager
def damage_named(path, *, of_the_file=Exception):
    """Turn errors that come from a damaged file into a DamagedFile that names it.

    `of_the_file` are the exceptions by which the reading code shows that the content is damaged.
    Errors of the system (no such file, no permission) and of memory pass unchanged.
    """
    try:
        yield
    except (DamagedFile, MemoryError):
        raise
    except of_the_file as error:
        of_system = isinstance(error, OSError) and error.errno not in (None, errno.EINVAL)
        if of_system:  # a place before the start of the file is EINVAL
            raise
        raise DamagedFile(path, _reason(error)) from error


def _reason(error):
    text = " ".join(str(error.args[0] if error.args else error).split())[:200].rstrip(".")
    inside = re.search(r"\((.*)\)$", text)  # HDF5 puts the reason in brackets
    return inside[1] if inside else text or type(error).__name__


_CHECKS = []


@contextlib.contextmanager
def writing_only_if(check):
    """Call a function before any file takes its name; what it raises refuses the file."""
    _CHECKS.append(check)
    try:
        yield
    finally:
        _CHECKS.remove(check)


def check_writing():
    """Call what `writing_only_if` was given, for a file that does not go through `completed`."""
    for check in _CHECKS:
        check()


@contextlib.contextmanager
def completed(path):
    """Give a path beside `path` to write to, renamed to `path` if all went well, else removed.

    The name is unique, so that two processes may write the same file at once: the last one wins,
    and a reader always sees a whole file.
    """
    path = Path(path)
    unfinished = _unfinished(path)
    try:
        yield unfinished
        with open(unfinished, "rb+") as file:
            os.fsync(file.fileno())
        check_writing()
        os.replace(unfinished, path)
    finally:
        # A folder that became unreadable must not hide the error that is on its way.
        with contextlib.suppress(OSError):
            unfinished.unlink()


def _unfinished(path):
    """A name beside `path` that says which process writes there; unique."""
    machine = zlib.crc32(platform.node().encode())
    return path.with_name(f".{path.name}.{machine:08x}-{os.getpid()}-{uuid.uuid4().hex[:8]}.part")


@contextlib.contextmanager
def scratch(folder):
    """Give a new folder within a folder, removed at the end."""
    path = _unfinished(Path(folder, "scratch"))
    path.mkdir()
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def sweep(folder, *, shared=False):
    """Remove what killed processes left unfinished in a folder and below.

    If the folder is `shared`, living processes may write there: then what one of this machine
    writes stays, and what another machine began within a day.
    """
    for path in Path(folder).rglob(".*.part"):
        with contextlib.suppress(OSError):
            if not (shared and _is_written(path)):
                shutil.rmtree(path) if path.is_dir() else path.unlink()


def _is_written(path):
    """Whether a process may still write an unfinished file."""
    writer = re.search(r"\.([0-9a-f]{8})-([0-9]+)-[0-9a-f]{8}\.part$", path.name)
    if writer is None or int(writer[1], 16) != zlib.crc32(platform.node().encode()):
        return time.time() - path.stat().st_mtime < DAY
    with contextlib.suppress(PermissionError):
        try:
            os.kill(int(writer[2]), 0)
        except ProcessLookupError:
            return False
    return True


def sha256_of(path):
    """SHA-256 of a file, as hexadecimal digits."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def git_blob_of(path):
    """The id that git gives a file's content, as hexadecimal digits."""
    content = Path(path).read_bytes()
    header = b"blob %d\0" % len(content)
    return hashlib.sha1(header + content, usedforsecurity=False).hexdigest()


def checksum_of_files(records):
    """One SHA-256 over the names and checksums of several files, whatever their order."""
    lines = sorted(f"{record['name']} {record['sha256']}\n" for record in records)
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def compare(path, expected):
    """Compare a file with what the catalogue knows of it.

    `expected` has ``sha256`` or ``git_blob``, optionally ``bytes``, or ``accepted``: a list of
    such. Without a checksum any content will do. Returns the known version that equals the file, or
    None, and why no version equals it, which is empty if one does.
    """
    versions = expected.get("accepted", [expected])
    size = path.stat().st_size
    for version in versions:
        if version.get("bytes", size) != size:
            continue
        if not version.keys() & set(CHECKSUMS):
            return version, ""
        if "sha256" in version and version["sha256"] == sha256_of(path):
            return version, ""
        if "git_blob" in version and version["git_blob"] == git_blob_of(path):
            return version, ""
    return None, _what_it_is_instead(path, size, versions)


def _what_it_is_instead(path, size, versions):
    with open(path, "rb") as file:
        start = file.read(200).lstrip().lower()
    if start.startswith((b"<!doctype html", b"<html")):
        return "an HTML page instead of the data"
    if start.startswith(b"version https://git-lfs"):
        return "a pointer to a file in Git LFS instead of the data"
    sizes = sorted({version.get("bytes", 0) for version in versions})
    if sizes[0] and size < sizes[0]:
        return f"truncated: {size} of {sizes[0]} bytes"
    if sizes[0] and size not in sizes:
        return f"wrong size: {size} bytes, expected {' or '.join(map(str, sizes))}"
    return "wrong content: the checksum differs"
