"""Bring the raw files of a data set into a folder, from the first source that has the right bytes.

Sources are tried in the order of the catalogue: files that come with the package, a mirror folder,
public addresses, a folder or an archive of images, which become one file. Files that are
already in the folder with the right checksum are kept, so a user can also put them there by hand.

Several sets of files can make the same data set. The first set is preferred; another one, for
instance other features of the same images, is used only if no source has the preferred files.
"""

import contextlib
import json
import lzma
import os
import shutil
import sys
import threading
from pathlib import Path

from mvclust.datasets.catalogue import find_entry, load_catalogue
from mvclust.datasets.files import (
    CHECKSUMS,
    BadMirror,
    DataNotAvailable,
    compare,
    completed,
    scratch,
    sha256_of,
)
from mvclust.datasets.images.packing import (
    differing_folders,
    image_names,
    images_in_archive,
    pack,
)
from mvclust.extras import need

# A download that is slower than this, after a first minute, is given up, so that a server that
# only drips cannot stall a run. In seconds, and in bytes per second.
PATIENCE = 60
SLOWEST = 20_000
# A file whose size nobody published is cut off here. In bytes.
LARGEST = 200_000_000
INCLUDED = Path(__file__).with_name("included")
# The source of files that were there before, for instance put there by hand.
_IN_PLACE = "files already in place"


class _SourceFailed(Exception):
    """A source did not give a file; the text is the reason."""


class _HostSilent(_SourceFailed):
    """A host cannot be reached or gives no answer."""


def fetch_dataset(
    name,
    folder,
    mirror=None,
    catalogue=None,
    progress=False,
    timeout=(10, 30),
    bad_mirror="stop",
):
    """Fetch all raw files of a data set into a folder.

    Files in the folder that have the right checksum are not fetched again. A file with a wrong
    checksum is replaced, and a line on stderr names it. If the folder holds only an alternative
    set of files, the sources of a better set are tried when the
    mirror or the folder has a file of it; if they fail, the files in the folder are used.

    Parameters
    ----------
    name : str
        Name of the data set.
    folder : path-like
        Where the files go; created if it does not exist.
    mirror : path-like, optional
        A folder with one subfolder per data set; by default the one that the environment variable
        MVCLUST_MIRROR names, if any.
    catalogue : dict, optional
        As `load_catalogue` returns it; by default the one of the package.
    progress : bool, default=False
        Whether to show a progress bar for each download.
    timeout : tuple of (float, float), default=(10, 30)
        Seconds to wait for a connection, and for each next piece of an answer.
    bad_mirror : {"stop", "warn"}, default="stop"
        What to do if the named mirror does not exist, or if a file that is needed from it has a
        wrong size or checksum: raise BadMirror, or print a warning on stderr and go on with the
        next source. A mirror that lacks the data set or a file is no error.

    Returns
    -------
    str
        The source in words, for instance "mirror folder", with a note if an alternative set of
        files is used. The file ``source.json`` in the folder also records it, with the set (0 is
        the preferred one) and the name, checksum and size of each file.

    Raises
    ------
    ValueError
        If there is no data set of this name, or `bad_mirror` is unknown.
    BadMirror
        If the mirror does not exist or has a damaged file, and `bad_mirror` is "stop".
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
    folder, mirror = Path(folder), find_mirror(mirror, bad_mirror)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return _complete(name, entry, folder, mirror, progress, timeout, bad_mirror)
    except DataNotAvailable:
        raise
    except OSError as error:
        raise DataNotAvailable(
            f"The data set {name} cannot be written into the folder {folder}: "
            f"{error.strerror or error}. Make room or make it writable, or choose another folder."
        ) from error


def find_mirror(mirror=None, bad_mirror="stop"):
    """Find the mirror folder: the given one, or that of the variable MVCLUST_MIRROR, if any.

    None if no mirror is named. If the folder does not exist, BadMirror is raised; with `bad_mirror`
    "warn", a warning is printed instead and the folder returned, see `fetch_dataset`. ValueError if
    `bad_mirror` is neither "stop" nor "warn".
    """
    if bad_mirror not in ("stop", "warn"):
        raise ValueError(f"bad_mirror={bad_mirror!r} is unknown; expected 'stop' or 'warn'.")
    named_by = "the argument mirror" if mirror else "the environment variable MVCLUST_MIRROR"
    mirror = mirror or os.environ.get("MVCLUST_MIRROR")
    if not mirror:
        return None
    if not Path(mirror).is_dir():
        _report_mirror(
            f"The mirror folder {mirror}, which {named_by} names, does not exist. Correct the path"
            ", or name no mirror to use the other sources.",
            bad_mirror,
        )
    return Path(mirror)


def mirror_has_better(name, entry, mirror, file_set):
    """Whether the mirror has a file of a set that is preferred to the given set.

    `entry` is that of the data set in the catalogue, `mirror` what `find_mirror` returns, and
    `file_set` the number of the set that is in use; 0 is the preferred one.
    """
    if mirror is None:
        return False
    better = _file_sets(entry)[:file_set]
    folders = [mirror / mirror_folder(name, source) for source in entry["sources"]
               if source["kind"] == "mirror"]  # fmt: skip
    return any((f / file).is_file() for f in folders for files in better for file in files)


def mirror_folder(name, source):
    """Where in the mirror folder the files of a source are: by default under the data's name."""
    return source.get("folder") or name


def check_raw_files(name, folder, entry):
    """Check the raw files that `fetch_dataset` put into a folder and find out where they came from.

    `entry` is that of the data set in the catalogue. Returns the source in words, the number of the
    set of files that is complete (0 is the preferred one), and a list of name, sha256 and bytes of
    each file. DataNotAvailable if no set of files is complete and right.
    """
    folder = Path(folder)
    file_set, records = _find_complete(folder, entry)
    if file_set is None:
        damaged = {
            f"{_IN_PLACE}: {file}: {reason}"
            for files in _file_sets(entry)
            for file, reason in _damaged(folder, files).items()
        }
        raise DataNotAvailable(_explain(name, entry, folder, sorted(damaged)))
    return _earlier_source(folder, file_set, records), file_set, records


def _complete(name, entry, folder, mirror, progress, timeout, bad_mirror):
    """Complete the best set of files that can be had, record its source and return it in words."""
    openers = {
        "mirror": lambda source, files: _mirror(name, source, mirror, files, bad_mirror),
        "url": lambda source, files: _addresses(source["addresses"], progress, timeout),
        "included": lambda source, files: _included(name),
        "images": lambda source, files: _images(name, source, mirror, bad_mirror),
        "archive": lambda source, files: _archive(source, folder, progress, timeout),
    }
    giver, tried = {}, []
    file_set, records = _find_complete(folder, entry)
    if file_set is None:
        wanted = len(_file_sets(entry))
    elif mirror_has_better(name, entry, mirror, file_set) or _has_begun(folder, entry, file_set):
        wanted = file_set
    else:
        wanted = 0
    if wanted:
        giver, tried = _try_sources(entry, folder, openers, wanted)
        file_set, records = _find_complete(folder, entry)
    if file_set is None:
        raise DataNotAvailable(_explain(name, entry, folder, tried))
    words = dict.fromkeys(giver[r["name"]] for r in records if r["name"] in giver)
    if words:
        source = " and ".join(words) + _notes(file_set, records)
    else:
        source = _earlier_source(folder, file_set, records)
    if file_set and tried:
        _tell(f"{name}: the preferred files are not available; using {source}.", *tried)
    document = {"dataset": name, "source": source, "set": file_set, "files": records}
    if document != _read_source(folder):
        with completed(folder / "source.json") as path:
            path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    return source


def _file_sets(entry):
    """The alternative sets of files, each of which makes the data set; the preferred one first."""
    sets = [entry["files"]]
    for source in entry["sources"]:
        if source.get("files", entry["files"]) not in sets:
            sets.append(source["files"])
    return sets


def _find_complete(folder, entry):
    """Number and records of the first set of files that is complete and right; None if none is."""
    for number, files in enumerate(_file_sets(entry)):
        records = []
        for file, expected in files.items():
            path = folder / file
            match = compare(path, expected)[0] if path.is_file() else None
            if match is None:
                break
            record = {"name": file, "sha256": sha256_of(path), "bytes": path.stat().st_size}
            records.append(record | ({"note": match["note"]} if "note" in match else {}))
        else:
            return number, records
    return None, []


def _has_begun(folder, entry, file_set):
    """Whether the folder has a file, right or wrong, of a set preferred to the given one."""
    chosen = _file_sets(entry)[file_set]
    better = {file for files in _file_sets(entry)[:file_set] for file in files}
    return any((folder / file).is_file() for file in better.difference(chosen))


def _notes(file_set, records):
    """What is special about the files, in brackets."""
    notes = dict.fromkeys(record["note"] for record in records if "note" in record)
    if file_set and not notes:
        notes = ["alternative files"]
    return f" ({', '.join(notes)})" if notes else ""


def _earlier_source(folder, file_set, records):
    """The source in words of files that were not fetched now."""
    earlier = _read_source(folder)
    if earlier and earlier.get("files") == records and "source" in earlier:
        return earlier["source"]
    return _IN_PLACE + _notes(file_set, records)


def _read_source(folder):
    """What source.json says, None if it is missing or damaged."""
    try:
        document = json.loads((folder / "source.json").read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return None
    return document if isinstance(document, dict) else None


def _tell(*lines):
    print(f"mvclust: {lines[0]}", *(f"  - {line}" for line in lines[1:]), sep="\n", file=sys.stderr)


def _report_mirror(message, bad_mirror):
    if bad_mirror == "stop":
        raise BadMirror(f'{message} With bad_mirror="warn" the next source is used instead.')
    _tell(f"warning: {message} The next source is used instead.")


def _try_sources(entry, folder, openers, wanted):
    """Try the sources of the first `wanted` sets until one of these sets is complete.

    Returns which source gave which file, and all failures with their reasons.
    """
    sets = _file_sets(entry)[:wanted]
    giver, tried, damaged = {}, [], {}
    for source in entry["sources"]:
        files = source.get("files", entry["files"])
        if files not in sets:
            continue
        label = _label(source)
        reasons = {file: _what_is_wrong(folder / file, files[file]) for file in files}
        missing = {file: files[file] for file, reason in reasons.items() if reason is not None}
        damaged |= {file: reason for file, reason in reasons.items() if reason}
        try:
            with openers[source["kind"]](source, missing) as get:
                for file in missing:
                    try:
                        _place(folder / file, files[file], get)
                    except _HostSilent:
                        raise  # every further file would have to wait as long
                    except _SourceFailed as failure:
                        tried.append(f"{label}: {failure}")
                        continue
                    giver[file] = label
                    if file in damaged:
                        reason = damaged.pop(file)
                        _tell(f"{folder / file} has a wrong checksum ({reason}); fetched again.")
        except _SourceFailed as failure:
            tried.append(f"{label}: {failure}")
        if all(_what_is_wrong(folder / file, files[file]) is None for file in files):
            break
    return giver, [f"{_IN_PLACE}: {file}: {reason}" for file, reason in damaged.items()] + tried


def _place(target, expected, get):
    """Let `get` make a file, and give it its name if it is right."""
    versions = expected.get("accepted", [expected])
    largest = max(version.get("bytes", LARGEST) for version in versions)
    with completed(target) as path:
        where = get(target.name, path, largest)
        match, reason = compare(path, expected)
        if match is None:
            raise _SourceFailed(f"{where}: {reason}")


def _what_is_wrong(path, expected):
    """None if the file is right, "" if it is missing, else why it is wrong."""
    if not path.is_file():
        return ""
    match, reason = compare(path, expected)
    return None if match else reason


def _damaged(folder, files):
    """The files that are in the folder but wrong or unreadable, with the reason."""
    damaged = {}
    for file, expected in files.items():
        try:
            reason = _what_is_wrong(folder / file, expected)
        except OSError as error:
            reason = error.strerror
        if reason:
            damaged[file] = reason
    return damaged


def _label(source):
    labels = {
        "included": "repository",
        "mirror": "mirror folder",
        "images": "mirror folder",
        "url": "public URL",
        "archive": "publisher's archive",
    }
    return labels[source["kind"]]


# The kinds of source. Each is a context that gives a function get(file, path, largest): it
# writes the file to the path and returns the words that name the place, or raises _SourceFailed.


@contextlib.contextmanager
def _mirror(name, source, mirror, files, bad_mirror):
    _needs_mirror(mirror)
    within = mirror_folder(name, source)
    damaged = _damaged(mirror / within, files)
    if damaged:
        found = [
            f"{within}/{file}: {reason} (expected: {_describe(files[file])})"
            for file, reason in damaged.items()
        ]
        _report_damage(name, mirror, "; ".join(found), bad_mirror)

    def get(file, path, largest):
        if file in damaged:
            raise _SourceFailed(f"{within}/{file}: {damaged[file]}")
        path.write_bytes(_read_from(mirror, f"{within}/{file}"))
        return f"{within}/{file}"

    yield get


@contextlib.contextmanager
def _images(name, source, mirror, bad_mirror):
    """A folder of images in the mirror, packed into one file."""
    _needs_mirror(mirror)
    within = source["folder"]
    if not (mirror / within).is_dir():
        raise _SourceFailed(f"{within}: No such file or directory")
    names = image_names(source["images"])

    def get(file, path, largest):
        images = {name: _read_from(mirror, f"{within}/{name}") for name in names}
        differing = [f"{within}/{each}" for each in differing_folders(images, source["images"])]
        if differing:
            reason = f"the checksum of the images differs in {', '.join(differing)}"
            _report_damage(name, mirror, reason, bad_mirror)
            raise _SourceFailed(reason)
        pack(images.items(), path)
        return within

    yield get


@contextlib.contextmanager
def _archive(source, folder, progress, timeout):
    """The images inside a publisher's archive, packed into one file."""
    names = image_names(source["images"])

    def get(file, path, largest):
        address = source["addresses"][file]
        with scratch(folder) as temporary:
            archive = temporary / "archive"
            _download(address, archive, source.get("bytes", LARGEST), progress, timeout)
            try:
                images = images_in_archive(archive, source.get("inner"), source["folder"], names)
            except ValueError as error:
                raise _SourceFailed(f"{address}: {error}") from error
        lost = [name for name in names if name not in images]
        if lost:
            raise _SourceFailed(f"{address}: {len(lost)} images are missing, first {lost[0]}")
        pack(((name, images[name]) for name in names), path)
        return address

    yield get


def _needs_mirror(mirror):
    if mirror is None:
        raise _SourceFailed("none is set (environment variable MVCLUST_MIRROR)")
    if not mirror.is_dir():
        raise _SourceFailed(f"there is no folder {mirror}")


def _report_damage(name, mirror, damage, bad_mirror):
    _report_mirror(
        f"The mirror folder {mirror} holds damaged files of the data set {name}: {damage}. Copy "
        "them again, or delete them to use the other sources.",
        bad_mirror,
    )


def _read_from(mirror, file):
    if (mirror / file).exists() and not (mirror / file).is_file():
        raise _SourceFailed(f"{file}: it is no regular file")
    try:
        return (mirror / file).read_bytes()
    except OSError as error:
        raise _SourceFailed(f"{file}: {error.strerror}") from error


@contextlib.contextmanager
def _addresses(addresses, progress, timeout):
    def get(file, path, largest):
        if file not in addresses:
            raise _SourceFailed(f"{file}: no address is known")
        _download(addresses[file], path, largest, progress, timeout)
        return addresses[file]

    yield get


@contextlib.contextmanager
def _included(name):
    """Files that come with the package, compressed."""

    def get(file, path, largest):
        try:
            with lzma.open(INCLUDED / name / f"{file}.xz") as packed, open(path, "wb") as target:
                shutil.copyfileobj(packed, target)
        except (OSError, EOFError, lzma.LZMAError) as error:
            raise _SourceFailed(f"{file}.xz: {error}") from error
        return file

    yield get


def _download(address, path, largest, progress, timeout):
    """Download to a path, or raise _SourceFailed with the reason in words."""
    tqdm = need("tqdm")

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
    pooch = need("pooch")
    requests = need("requests")
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
        lines += [f"  {file} ({_describe(expected)})" for file, expected in files.items()]
    for source in entry["sources"]:
        if source["kind"] == "images":
            lines.append(f"or put the publisher's images into <mirror>/{source['folder']}/")
    return "\n".join([*lines, "and run again."])


def _describe(expected):
    """Size and checksum of all known versions of a file."""
    words = []
    for version in expected.get("accepted", [expected]):
        known = [f"{version['bytes']} bytes"] if "bytes" in version else []
        known += [f"{k.replace('_', ' ')} {version[k]}" for k in CHECKSUMS if k in version][:1]
        words.append(", ".join(known) or "any content")
    return "; or ".join(words)
