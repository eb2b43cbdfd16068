"""The code of a job is that of its plan, from its start to its end.

A job that imported an edited module would write its results under the hash of the code that the
plan read: once the edit is taken back they would count as those of that code for ever.
"""

import contextlib
import os
import sys
import time
from pathlib import Path

from mvclust.bench.record.digest import code_hash, computed_now, forget, parts_of
from mvclust.datasets.files import Refused

COARSE = 0.05  # seconds by which the clock of a file system may be behind


class Edited(Refused):
    """A file of a job's code was edited after the run began; the message is for the user."""

    def __init__(self, path: Path | str) -> None:
        super().__init__(f"{path} was edited after the run began; run again")
        self.path = path

    def __reduce__(self) -> tuple:
        return type(self), (self.path,)


class Unedited:
    """The files of a job's code, compared with the plan.

    A file that was saved after `began`, when Python may have read it, counts as edited. `copied` is
    the copy of the `script` that Snakemake executes.
    """

    def __init__(self, content: dict, script: Path, copied: Path, began: float) -> None:
        forget()
        modules, files = content.get("modules", ()), tuple(content.get("files", ()))
        self.parts = parts_of(*modules, script=script, files=files)
        self.again = set(files)  # read by every fit that calls them
        self.seen, self.loaded = self._signatures(), set(sys.modules)
        changed = {path: times[0] for (_, path), times in self.seen.items()}
        newest = max(changed, key=changed.get)  # pyright: ignore[reportArgumentType]
        if not Path(copied).read_bytes().endswith(Path(script).read_bytes()):
            raise Edited(script)
        if code_hash(*modules, script=script, files=files) != content["code"]:
            raise Edited(newest)
        # Times in the future are of a clock that was set back.
        meanwhile = [p for p, t in changed.items() if began - COARSE < t / 1e9 < time.time() + 1]
        if meanwhile:
            raise Edited(meanwhile[0])

    def check(self) -> None:
        """Raise Edited if a file was edited since the last check."""
        seen, loaded = self._signatures(), set(sys.modules)
        for (name, path), signature_now in seen.items():
            if signature_now != self.seen[name, path] and self._is_edited(name):
                raise Edited(path)
        self.seen, self.loaded = seen, loaded

    def _is_edited(self, name: str) -> bool:
        if name in self.again or (name in sys.modules and name not in self.loaded):
            return True
        with contextlib.suppress(OSError):
            return computed_now(name, self.parts[name]) != self.parts[name].computed
        return True

    def _signatures(self) -> dict[tuple[str, Path], tuple]:
        """Signature of each file by part and path."""
        parts = self.parts.items()
        return {(name, path): signature(path) for name, part in parts for path in part.files}


def signature(path: Path | str) -> tuple[int, ...]:
    """Times and inode of a file, which change with its content; zeros without a file."""
    try:
        status = os.stat(path)
    except OSError:
        return (0, 0, 0)
    return (status.st_ctime_ns, status.st_mtime_ns, status.st_ino)
