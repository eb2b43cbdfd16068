"""Whether the tables and figures of a run are those that the repository has of it."""

import contextlib
import io
import subprocess
import tarfile
import tempfile
from pathlib import Path, PurePosixPath

from mvclust.bench.config.messages import counted
from mvclust.bench.record.records import read_json
from mvclust.bench.score.comparing import BEYOND, UNSURE, WITHIN, compare_tables
from mvclust.datasets.files import sha256_of

COMPARED = ("tables", "figures")
MEASURED = {"cost", "growth"}  # they hold seconds
MOST_NAMES = 5


def compared(folder: Path | str, root: Path | str) -> list[str]:
    """Compare the results of a run with its committed ones; empty without committed results."""
    place, top = Path(folder).resolve(), Path(root).resolve()
    with tempfile.TemporaryDirectory() as committed:
        there = Path(committed)
        if place.is_relative_to(top):
            _take_out(top, place.relative_to(top).as_posix(), there)
        paths = [path for kind in COMPARED for path in sorted((there / kind).rglob("*"))]
        names = [path.relative_to(there).as_posix() for path in paths if path.is_file()]
        names = [name for name in names if PurePosixPath(name).stem not in MEASURED]
        return _told(names, place, there) if names else []


def _take_out(root: Path, path: str, there: Path) -> None:
    """Copy a folder of the last commit; nothing without git, or if it has no such folder."""
    archive = ["git", "-C", str(root), "archive", f"HEAD:{path}"]
    with contextlib.suppress(OSError, subprocess.CalledProcessError):
        content = subprocess.run(archive, capture_output=True, check=True).stdout
        with tarfile.open(fileobj=io.BytesIO(content)) as tar:
            tar.extractall(there, filter="data")


def _told(files: list[str], place: Path, there: Path) -> list[str]:
    """How tables and figures (by name) in two folders differ, and why."""
    changed = [name for name in files if checksum(place / name) != checksum(there / name)]
    total = f"{counts_of(files, changed)} are those of the repository"
    if not changed:
        return [f"{total}, byte for byte"]
    names = sorted({PurePosixPath(name).stem for name in changed})
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    then, now = (read_json(each / "manifest.json") or {} for each in (there, place))
    return [
        f"{total}; others differ: {', '.join(names[:MOST_NAMES])}{more}",
        *_by_how_much(there, place),
        f"what differs: {'; '.join(_causes(then, now)) or 'nothing of what is recorded'}",
    ]


def checksum(path: Path) -> str | None:
    """SHA-256 of a file; None if it does not exist."""
    return sha256_of(path) if path.is_file() else None


def counts_of(files: list[str], changed: list[str]) -> str:
    """Count in words the tables and figures that are unchanged, each once with all its forms.

    >>> counts_of(["tables/a.csv", "tables/a.md", "tables/b.md"], ["tables/a.md"])
    '1 of 2 tables'
    """
    parts = []
    for kind in COMPARED:
        names, other = (
            {PurePosixPath(file).stem for file in some if file.startswith(f"{kind}/")} - MEASURED
            for some in (files, changed)
        )
        noun = kind.removesuffix("s")
        parts += [f"{len(names - other)} of {counted(len(names), noun)}"] if names else []
    return " and ".join(parts) or "0 tables"


def _by_how_much(there: Path, place: Path) -> list[str]:
    """Number of differing numbers in the tables, and the largest difference."""
    try:
        rows = compare_tables(there, place)
    except FileNotFoundError:  # one of them has no tables of results
        return []
    other = rows[rows["kind"].isin([BEYOND, UNSURE, WITHIN])]
    if other.empty:
        return ["no number of these tables differs"]
    largest = other["difference"].abs().max()
    return [f"{len(other)} of {len(rows)} numbers differ, by up to {largest:.4g}"]


def _causes(then: dict, now: dict) -> list[str]:
    """What of two manifests may be why results differ."""
    causes = []
    if then.get("arithmetic") != now.get("arithmetic"):
        recorded = then.get("arithmetic", "not recorded")
        causes.append(f"the arithmetic (then {recorded}; now {now.get('arithmetic')})")
    sources = [{d["dataset"]: d["sha256"] for d in each.get("data", [])} for each in (then, now)]
    data = sorted(name for name, digest in sources[0].items() if sources[1].get(name) != digest)
    causes += [f"the data ({', '.join(data)})"] if data else []
    libraries = [each.get("libraries", {}) | {"python": each.get("python")} for each in (then, now)]
    versions = sorted(n for n, version in libraries[0].items() if libraries[1].get(n) != version)
    causes += [f"versions ({', '.join(versions)})"] if versions else []
    code, here = (each.get("code", {}) for each in (then, now))
    methods = [name for name in {*code, *here} if code.get(name) != here.get(name)]
    causes += [f"the code of {counted(len(methods), 'method')}"] if methods else []
    return causes + ["the configuration"] * (then.get("config") != now.get("config"))
