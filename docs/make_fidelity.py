"""Make the table of docs/fidelity.md: python docs/make_fidelity.py

Runs the tests that compare estimators with states of other code, and notes how far each state of
ours is from the one in the file.
"""

import sys
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from docs.pages import DOCS, fill, table
from mvclust.bench.arithmetic import start_again

TESTS = DOCS.parent / "tests"


class Recorder:
    """A plugin of pytest: method -> (file, array, distance) of comparisons with states."""

    def __init__(self):
        from helpers import relative

        self.relative, self.found = relative, defaultdict(list)
        self.known = []

    def pytest_sessionstart(self):
        """Listen before the test modules take the names."""
        import helpers

        self._load, np.load = np.load, self.load
        helpers.relative = self.listen(helpers.relative)
        np.testing.assert_allclose = self.listen(np.testing.assert_allclose)

    def pytest_runtest_setup(self, item):
        self.known = []

    def load(self, path, *args, **options):
        """`numpy.load`, remembering the arrays of a file of states."""
        loaded = self._load(path, *args, **options)
        if Path(str(path)).parent != TESTS / "oracles":
            return loaded
        arrays = dict(loaded)
        self.known += [(Path(path).stem, name, array) for name, array in arrays.items()]
        return arrays

    def listen(self, compare):
        """A comparison that notes how far the first array is from one of a file."""

        def listening(ours, theirs, *args, **options):
            source = self.source_of(theirs)
            if source is not None and np.linalg.norm(theirs) > 0:
                distance = float(self.relative(ours, theirs))
                self.found[method_of(source[0])].append((*source, distance))
            return compare(ours, theirs, *args, **options)

        return listening

    def source_of(self, array):
        """File and name of the array that this is, or is a part of."""
        if isinstance(array, np.ndarray) and array.dtype.kind == "f":
            for file, name, stored in self.known:
                if np.may_share_memory(array, stored):
                    return file, name
        return None


def method_of(file):
    """Name of the method, or methods, whose states a file has."""
    import mvclust

    names = {name.lower(): name for name in mvclust.__all__}
    names |= {"nmf": "NMFClustering", "snfpy": "SNF", "spectral": "CoRegSpectral, CoTrainSpectral"}
    stem = file.removeprefix("baselines_").removeprefix("modern_").partition("_")[0]
    return names[stem]


def lines_of(found):
    """One line per method: where, how many arrays, and the largest distance."""
    lines = []
    for name in sorted(found, key=str.lower):
        compared = found[name]
        files = sorted({file for file, _, _ in compared})
        arrays = {(file, name) for file, name, _ in compared}
        worst = max(compared, key=lambda one: one[2])
        cells = [name, f"`{'`, `'.join(files)}`", len(arrays), f"{worst[2]:.1e}", f"`{worst[1]}`"]
        lines.append(cells)
    return lines


def main():
    sys.path.insert(0, str(TESTS))  # for their helpers
    recorder = Recorder()
    options = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", str(TESTS / "estimators")]
    failed = pytest.main([*options, "-k", "oracle or author"], plugins=[recorder])
    if failed:
        sys.exit("some tests failed; the page stays as it is.")
    head = ["method", "states", "arrays", "largest relative difference", "in"]
    fill("fidelity.md", "distances", table(head, lines_of(recorder.found)))


if __name__ == "__main__":
    start_again()
    main()
