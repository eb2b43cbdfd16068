"""A whole run: fits repeated, all that follows from the fits drawn again, bytes compared."""

import hashlib
import math
import shutil
import tempfile
from pathlib import Path

import pandas as pd

from mvclust.bench.arithmetic import of_process
from mvclust.bench.config.messages import counted
from mvclust.bench.verify.finished import REFUSED, FinishedRun, NotChecked
from mvclust.bench.verify.redraw import redraw
from mvclust.bench.verify.refit import differing, repeated
from mvclust.bench.verify.repository import checksum, counts_of

MOST_LINES = 20
NOT_KEPT = (".pdf", ".png", "fitted.parquet")  # what a repository does not have
TABLES = ("runs.parquet", "costs.csv")  # from which all else follows


def check(folder: Path | str, root: Path | str, share: float) -> tuple[list[str], bool]:
    """Repeat a share of the fits, redraw the run and compare: lines, and whether all agree."""
    fits, same_fits = _repeated(FinishedRun(folder, root), share)
    drawn, same_files = _drawn_again(folder, root)
    return [f"computed here with {of_process()}", *fits, *drawn], same_files and same_fits


def _repeated(run: FinishedRun, share: float) -> tuple[list[str], bool]:
    runs = run.runs[run.runs["tries"] > 0]  # others had no data
    fits, lines = sample_of(runs, share), []
    for before, after in repeated(run, fits):
        follows, gives = differing(before, after)
        if gives:
            causes = f"differs here: {', '.join(follows)}" if follows else "nothing else differs"
            lines.append(f"  {before['key']} {before['method']}: {', '.join(gives)}; {causes}")
    same = len(fits) - len(lines)
    total = f"{same} of {counted(len(fits), 'sampled fit')} (of {len(runs)}) have the same digits"
    return [total, *_first(lines)], not lines


def sample_of(runs: pd.DataFrame, share: float) -> pd.DataFrame:
    """Some rows of a table of runs, the same at each call."""
    if not 0 <= share <= 1:
        raise NotChecked(f"--sample {share}: expected a share of the fits, from 0 to 1.")
    order = runs["key"].map(lambda key: hashlib.sha256(key.encode()).hexdigest())
    return runs.loc[order.sort_values(kind="stable").index[: math.ceil(share * len(runs))]]


def _drawn_again(folder: Path | str, root: Path | str) -> tuple[list[str], bool]:
    """Made in a copy: what is checked stays as it is."""
    with tempfile.TemporaryDirectory() as place:
        copy = Path(place, Path(folder).resolve().name)
        try:
            shutil.copytree(folder, copy)
            changed = redraw(copy, root, take_new=False)
        except shutil.Error as error:
            source, _, why = error.args[0][0]
            raise NotChecked(f"{source} cannot be read: {why}.") from error
        except (*REFUSED, OSError) as error:
            raise NotChecked(str(error).replace(str(copy), str(folder))) from error
        made = FinishedRun(copy, root).manifest["sha256"]
    named, there = FinishedRun(folder, root).manifest["sha256"], Path(folder)
    files = [name for name in made if (there / name).exists()]
    lines = [f"  {name} differs" for name in changed if name in files]
    gone = [name for name in made if name not in files and not name.endswith(NOT_KEPT)]
    lines += [f"  {name} is not there" for name in gone]
    other = [name for name in TABLES if named.get(name) != checksum(there / name)]
    lines += [f"  {name} is another than manifest.json names" for name in other]
    extra = (path.relative_to(there).as_posix() for path in sorted(there.glob("[tf]*s/*")))
    lines += [f"  {name} is made by nothing" for name in extra if name not in made]
    total = f"{counts_of(files, [line.split()[0] for line in lines])} are made again byte for byte"
    return [total, *_first(lines)], not lines


def _first(lines: list[str]) -> list[str]:
    rest = len(lines) - MOST_LINES
    return lines[:MOST_LINES] + [f"  and {rest} more"] * (rest > 0)
