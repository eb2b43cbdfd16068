"""What a file was made from: the plan file that a job reads, and the record that it leaves.

The record of a job is its last output. It holds the slice as the job read it, the checksums of what
it read and of what it wrote, the versions of libraries and what the job took.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from mvclust.datasets.files import completed, sha256_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mvclust.bench.plan.selection import Folders

SHARED = ("download", "prepare")  # rules whose files all runs share


def plan_file(folders: Folders, rule: str, name: str) -> str:
    """Path of the inputs of a job, written when a run starts.

    It is a parameter of the rule: for files that all runs share it must be the same in each.
    """
    folder = folders.resources if rule in SHARED else folders.work
    return f"{folder}/plan/{rule}/{name}.json"


def record_of(output: str, rule: str, name: str, folders: Folders) -> str:
    """Path of the record of a job: next to its first output, or in the work folder for results.

    The folder of results contains results only.
    """
    if output.startswith(f"{folders.results}/"):
        return f"{folders.work}/records/{rule}/{name}.json"
    return f"{output}.record"


def read_json(path: Path | str) -> dict | None:
    """Read a JSON file with an object; None if it is missing or damaged."""
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return content if isinstance(content, dict) else None


def without_where(content: dict) -> dict:
    """Part of a job's inputs that decides whether its output is up to date."""
    return {key: value for key, value in content.items() if key != "where"}


def different_keys(new: dict, old: dict) -> list[str]:
    """Keys of two inputs of a job whose values differ, or the order within them.

    Tables have columns and rows in the order of metrics, methods and axes.
    """
    new, old = without_where(new), without_where(old)
    keys = sorted({*new, *old})
    return [key for key in keys if json.dumps(new.get(key)) != json.dumps(old.get(key))]


def read_record(path: Path | str) -> dict | None:
    """Read the record of a job; None if it is missing, damaged, or incomplete."""
    record = read_json(path)
    whole = record is not None and all(
        isinstance(record.get(part), dict) for part in ("slice", "inputs", "outputs")
    )
    return record if whole else None


def write_if_other(path: Path | str, content: dict) -> None:
    """Write an object as JSON, unless the file has it already, in this order."""
    there = read_json(path)
    if there is None or json.dumps(there) != json.dumps(content):
        write_json(path, content)


def write_json(path: Path | str, content: dict) -> None:
    """Write an object as JSON, completely or not at all."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    with completed(path) as unfinished:
        unfinished.write_text(json.dumps(content), encoding="utf-8")


def checksums(paths: Iterable[Path | str]) -> dict[str, str]:
    """SHA-256 of each file by path."""
    return {str(path): sha256_of(path) for path in paths}
