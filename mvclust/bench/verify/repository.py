"""Whether the tables and figures of a run are those that the repository has of it."""

import hashlib
import io
import json
import subprocess
import tarfile
import tempfile
from pathlib import Path, PurePosixPath

from mvclust.bench.config.messages import counted
from mvclust.bench.record.records import read_json
from mvclust.bench.score.comparing import BEYOND, UNSURE, WITHIN, compare_tables

COMPARED = ("tables", "figures")
MEASURED = {"cost", "growth"}  # they hold seconds
MOST_NAMES = 5


def compared(folder: Path | str, root: Path | str) -> list[str]:
    """Compare the results of a run with its committed ones; empty without committed results."""
    place, top = Path(folder).resolve(), Path(root).resolve()
    path = place.relative_to(top).as_posix() if place.is_relative_to(top) else ""
    committed = _committed(root, path) if path else {}
    if not committed:
        return []
    changed = [name for name, blob in committed.items() if _blob(place / name) != blob]
    total = f"{counts_of(list(committed), changed)} are those of the repository"
    if not changed:
        return [f"{total}, byte for byte"]
    names = sorted({PurePosixPath(name).stem for name in changed})
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return [
        f"{total}; others differ: {', '.join(names[:MOST_NAMES])}{more}",
        *_by_how_much(root, path, place),
        _why(json.loads(_git(root, "show", f"HEAD:{path}/manifest.json") or "{}"), place),
    ]


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


def _committed(root: Path | str, path: str) -> dict[str, str]:
    """Objects of tables and figures in the last commit, by name within the results."""
    listed = _git(root, "ls-tree", "-r", "HEAD", f"{path}/") or ""
    objects = {}
    for line in listed.splitlines():
        about, _, file = line.partition("\t")
        name = PurePosixPath(file).relative_to(path)
        if name.parts[0] in COMPARED and name.stem not in MEASURED:
            objects[name.as_posix()] = about.split()[2]
    return objects


def _blob(path: Path) -> str | None:
    """Object name of a file's content in git; None if it does not exist."""
    if not path.is_file():
        return None
    content = path.read_bytes()
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


def _by_how_much(root: Path | str, path: str, place: Path) -> list[str]:
    """Number of differing numbers in the tables, and the largest difference."""
    with tempfile.TemporaryDirectory() as folder:
        archive = subprocess.run(
            ["git", "-C", str(root), "archive", "HEAD", f"{path}/tables"],
            capture_output=True, check=False,
        )  # fmt: skip
        if archive.returncode:
            return []
        with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as tar:
            tar.extractall(folder, filter="data")
        try:
            rows = compare_tables(Path(folder, path), place)
        except FileNotFoundError:  # one of them has no tables of results
            return []
    other = rows[rows["kind"].isin([BEYOND, UNSURE, WITHIN])]
    if other.empty:
        return ["no number of these tables differs"]
    largest = other["difference"].abs().max()
    return [f"{len(other)} of {len(rows)} numbers differ, by up to {largest:.4g}"]


def _why(then: dict, place: Path) -> str:
    """Causes of results that differ from the repository's."""
    now, causes = read_json(place / "manifest.json") or {}, []
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
    causes += ["the configuration"] if then.get("config") != now.get("config") else []
    return f"what differs: {'; '.join(causes) or 'nothing of what is recorded'}"


def _git(root: Path | str, *words: str) -> str | None:
    """Output of git; None if it fails."""
    try:
        done = subprocess.run(
            ["git", "-C", str(root), *words], capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout
