"""Data sets in one MATLAB file each: a cell array with the views, and the classes from 1.

The files do not name their views. Which variables they have, and whether a column or a row is a
sample, differs from file to file.
"""

from typing import NamedTuple

import numpy as np
from scipy import sparse

from mvclust.datasets.readers.matlab import read_mat


class Layout(NamedTuple):
    """What is where in a file."""

    views: str  # name of the variable
    classes: str  # name of the variable
    by_column: bool = False  # whether samples are columns
    counts: bool = False  # whether the views hold counts of words, which are kept sparse
    names: tuple | None = None  # of the views, where it is known what they are


LAYOUTS = {
    "MSRC-v1.mat": Layout("X", "y"),
    "yaleA_3view.mat": Layout("X", "Y"),
    "ORL_4views.mat": Layout("X", "y", by_column=True),
    "NGs.mat": Layout("X", "Y", counts=True),
    "100leaves.mat": Layout("data", "truelabel", by_column=True),
    "LandUse-21.mat": Layout("X", "Y"),
    "BDGP_fea_Per1.mat": Layout("data", "truelabel", by_column=True),
    "Scene-15.mat": Layout("X", "Y"),
    "CCV.mat": Layout("X", "y"),
    "Hdigit.mat": Layout("X", "Y", names=("mnist", "usps")),
}


def read(files, subset):
    """Read the views; there is one version only, so `subset` changes nothing."""
    ((name, path),) = files.items()
    layout = LAYOUTS[name]
    content = read_mat(path, [layout.views, layout.classes])
    y = _classes(content[layout.classes], name)
    Xs = [np.asarray(X.T if layout.by_column else X, dtype=np.float64) for X in
          content[layout.views]]  # fmt: skip
    for v, X in enumerate(Xs):
        if len(X) != len(y):
            raise ValueError(
                f"{name}: view {v} has {len(X)} samples, but there are {len(y)} labels."
            )
    if layout.counts:
        Xs = [sparse.csr_array(X) for X in Xs]
    else:
        Xs = [np.ascontiguousarray(X) for X in Xs]
    names = layout.names or [f"view{v}" for v in range(1, len(Xs) + 1)]
    label_names = [str(label) for label in range(1, y.max() + 2)]
    return Xs, list(names), y, label_names, np.ones((len(y), len(Xs)), dtype=bool)


def _classes(found, name):
    """The classes from 0; some files repeat them for each view."""
    several = found if isinstance(found, list) else [found]
    first = several[0].ravel().astype(np.int64) - 1
    if any((other.ravel() - 1 != first).any() for other in several):
        raise ValueError(f"{name} gives the views different classes, expected the same for all.")
    return first
