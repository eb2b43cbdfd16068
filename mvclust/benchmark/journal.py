"""An append-only file of finished fits: what a killed job leaves for the next."""

import json
import os
from pathlib import Path


class Journal:
    """Rows of JSON, one a line, each on disk before the next begins.

    A line cut short by a crash, and rows made by other code or from other data, are passed
    over when reading.

    Parameters
    ----------
    path : path
    fingerprint : str
        What the rows depend on besides their fit: code, data, masks, libraries.
    """

    def __init__(self, path, fingerprint):
        self.path = Path(path)
        self.fingerprint = fingerprint
        self.rows = {}
        if self.path.exists():
            for line in self.path.read_bytes().split(b"\n"):
                try:
                    row = json.loads(line)
                except ValueError:
                    continue
                if isinstance(row, dict) and row.get("fingerprint") == fingerprint:
                    self.rows[row["key"]] = row

    def append(self, row):
        """Add a row, bring it to the disk and return it as it will be read again."""
        row = row | {"fingerprint": self.fingerprint}
        self.path.parent.mkdir(parents=True, exist_ok=True)
        # The leading line feed ends a line that a crash may have cut.
        line = b"\n" + json.dumps(row).encode() + b"\n"
        with open(self.path, "ab") as file:
            file.write(line)
            file.flush()
            os.fsync(file.fileno())
        self.rows[row["key"]] = row
        return row
