"""What a file was made from: the plan file that a job reads, and the record that it leaves.

The record, the last output of a job, holds its slice, checksums of what it read and wrote, versions
of libraries and cost.
"""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from mvclust.bench.record.syntax import hash_of
from mvclust.datasets.files import completed, sha256_of

MOST_NAMED = 2  # differences between two plans of a job


def read_json(path: Path | str) -> dict | None:
    """Read a JSON file with an object; None if it is missing, damaged or no regular file."""
    try:  # reading a pipe may never end
        content = Path(path).is_file() and json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):  # the last of brackets without end
        return None
    return content if isinstance(content, dict) else None


def read_inputs(path: Path | str, rule: str, name: str) -> dict | None:
    """Read the inputs of a job from its plan file, or from that of the run."""
    content = read_json(path)
    return content if content is None or "rule" in content else content.get(rule, {}).get(name)


def script_of(content: dict, folder: Path) -> Path:
    """Script of a job in the folder of scripts; a product has the name of a function."""
    return folder / f"{'product' if 'make' in content else content['rule']}.py"


def without_where(content: dict) -> dict:
    """Part of a job's inputs that decides whether its output is up to date."""
    return {key: value for key, value in content.items() if key != "where"}


def digest_of_inputs(content: dict) -> str:
    """Digest of what a job follows from beside its files."""
    text = json.dumps(sorted(without_where(content).items()))
    return hash_of(text.encode())[:16]


def difference(old: dict, new: dict) -> str | None:
    """How two inputs of a job differ, in the user's words; None if they are the same.

    The order of keys counts: tables have columns and rows in that of metrics, methods and axes.
    """
    old, new = without_where(old), without_where(new)
    changes = list(_changes(old, new, sorted({*new, *old})))
    more = len(changes) - MOST_NAMED
    return "; ".join(changes[:MOST_NAMED] + [f"{more} more"] * (more > 0)) or None


def _changes(old: dict, new: dict, keys: Iterable[str], above: str = "") -> Iterator[str]:
    """Yield the changes between two objects; `above` begins the names of their keys."""
    for key in keys:
        name, was, now = f"{above}{key}", old.get(key), new.get(key)
        if key not in old:
            yield f"{name} is new"
        elif key in new and json.dumps(was) == json.dumps(now):
            continue
        elif isinstance(was, dict) and isinstance(now, dict):
            if list(was) != list(now) and was.keys() == now.keys():
                yield f"the order of {name} differs"
            else:
                yield from _changes(was, now, dict.fromkeys([*now, *was]), f"{name}.")
        elif key == "code" and key in new:
            of = above.removesuffix(".").rpartition(".")[2]
            yield f"the code{f' of {of}' if of else ''} differs"
        elif key in new and (isinstance(was, list | dict) or isinstance(now, list | dict)):
            yield f"{name} differs"
        else:
            yield f"{name} was {was}"


def read_record(path: Path | str) -> dict | None:
    """Read the record of a job; None if it is missing, damaged, or incomplete."""
    record = read_json(path) or {}
    parts = [record.get(part) for part in ("slice", "inputs", "outputs")]
    return record if all(isinstance(part, dict) for part in parts) else None


def write_if_other(path: Path | str, content: dict) -> None:
    """Write an object as JSON, unless the file has it already, in this order."""
    if json.dumps(read_json(path)) != json.dumps(content):
        write_json(path, content)


def write_json(path: Path | str, content: dict) -> None:
    """Write an object as JSON, completely or not at all."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    with completed(path) as unfinished:
        unfinished.write_text(json.dumps(content), encoding="utf-8")


def checksums(paths: Iterable[Path | str]) -> dict[str, str]:
    """SHA-256 of each file by path."""
    return {str(path): sha256_of(path) for path in paths}
