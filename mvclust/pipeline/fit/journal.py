"""Append-only files of finished fits, for a run that was killed and for a plan that changed."""

import json
import os
from pathlib import Path


class Journal:
    """Rows of JSON, one per line, each on disk before the next begins.

    A row is found by a key over all that its fit depends on, so rows of other code, data or
    parameters are never taken for it. A line that a crash cut short is passed over.

    Parameters
    ----------
    path : path-like
    """

    def __init__(self, path):
        self.path = Path(path)
        self.rows = {}
        if self.path.exists():
            for line in self.path.read_bytes().split(b"\n"):
                try:
                    entry = json.loads(line)
                    self.rows[entry["id"]] = entry["row"]
                except (ValueError, KeyError, TypeError):
                    continue

    def append(self, key, row):
        """Add a row, bring it to the disk and return it as it will be read again."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        # The leading line feed ends a line that a crash may have cut.
        line = b"\n" + json.dumps({"id": key, "row": row}).encode() + b"\n"
        with open(self.path, "ab") as file:
            file.write(line)
            file.flush()
            os.fsync(file.fileno())
        self.rows[key] = json.loads(line)["row"]
        return self.rows[key]
