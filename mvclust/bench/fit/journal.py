"""Append-only files of finished fits, for a run that was killed and for a plan that changed."""

import contextlib
import json
import os
from collections.abc import Collection, Iterable
from hashlib import sha256
from pathlib import Path
from typing import Self

from mvclust.datasets.files import DamagedFile, check_writing, completed

CHECKSUM = b', "sha256": "'


def _line_of(entry: dict) -> bytes:
    """An entry as a line of JSON whose last key is a checksum of the others."""
    text = json.dumps(entry).encode()
    return text[:-1] + CHECKSUM + _checksum(text)


def entry_of(line: bytes) -> dict:
    """Entry of a line; ValueError if it is truncated, damaged, or not of a journal."""
    text, _, checksum = line.rstrip(b"\n").rpartition(CHECKSUM)
    text += b"}"
    if checksum != _checksum(text):
        raise ValueError("another checksum")
    return json.loads(text)


def _checksum(text: bytes) -> bytes:
    return sha256(text).hexdigest()[:16].encode() + b'"}'


class Journal:
    """Rows of JSON, one per line, each on disk before the next begins; damaged lines are skipped.

    `rows` maps keys over all that a fit depends on to rows of fits with labels, `failures` to (row,
    run) of the last failure.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self.rows, self.failures = {}, {}
        if self.path.is_file():  # reading a pipe may never end
            with open(self.path, "rb") as file:
                for line in file:
                    with contextlib.suppress(ValueError, KeyError, TypeError, AttributeError):
                        self._take_in(entry_of(line))

    def _take_in(self, entry: dict) -> None:
        row = entry["row"]
        if not isinstance(row.get("versions", {}), dict):
            raise TypeError("no row of a fit")
        if "failed" in entry:
            self.failures[entry["failed"]] = row, entry["run"]
        elif row.get("error") is None:
            self.rows[entry["id"]] = row

    def take(self, other: Self) -> list[dict]:
        """Add the rows of another journal that this one lacks, without failures; return them."""
        new = {key: row for key, row in other.rows.items() if key not in self.rows}
        if new:
            lines = [_line_of({"id": key, "row": row}) for key, row in new.items()]
            self._write(b"\n".join(lines))
            self.rows |= new
        return list(new.values())

    def append(self, key: str, row: dict) -> dict:
        """Add a row, write it to disk and return it as it will be read."""
        line = _line_of({"id": key, "row": row})
        self._write(line)
        self.rows[key] = json.loads(line)["row"]
        return self.rows[key]

    def append_failure(self, key: str, row: dict, run: str) -> dict:
        """Add the row of a failed fit, in a run of a job."""
        self._write(_line_of({"failed": key, "row": row, "run": run}))
        self.failures[key] = row, run
        return row

    def _write(self, lines: bytes) -> None:
        check_writing()
        if self.path.exists() and not self.path.is_file():
            raise OSError(f"{self.path} is no regular file; delete it and run again.")
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with open(self.path, "ab") as file:
            # The leading line feed ends a line that a crash may have cut.
            file.write(b"\n" + lines + b"\n")
            file.flush()
            os.fsync(file.fileno())


def merge_journals(source: Path | str, target: Path | str) -> list[dict]:
    """Add the fits of another resources folder to this one; return the new rows."""
    paths = sorted(path for path in Path(source, "journals").glob("*.jsonl") if path.is_file())
    if not paths:
        raise FileNotFoundError(
            f"{source} has no fits: expected a resources folder of a run, with journals/*.jsonl."
        )
    new = []
    for path in paths:
        new += Journal(Path(target, "journals", path.name)).take(Journal(path))
    return new


def write_rows(rows: Iterable[dict], path: Path | str) -> None:
    """Write rows as lines of JSON, completely or not at all."""
    with completed(path) as unfinished:
        unfinished.write_text("".join(json.dumps(row) + "\n" for row in rows))


def read_rows(path: Path | str, keys: Collection[str]) -> list[dict]:
    """Read the rows of some fits (keys); DamagedFile if a line is truncated or a fit is missing."""
    try:
        rows = {row["key"]: row for row in map(json.loads, Path(path).read_text().splitlines())}
    except (ValueError, TypeError, KeyError) as error:
        raise DamagedFile(path, f"a line is cut: {error}") from error
    missing = [key for key in keys if key not in rows]
    if missing:
        raise DamagedFile(path, f"{len(missing)} of {len(keys)} fits are not in it")
    return [rows[key] for key in keys]
