"""Caltech101-7 and -20: images of objects by six kinds of features.

Several copies go round. They differ in the names of the variables, in the orientation and in the
format of the file, so the views are known by their dimensions.
"""

import numpy as np

from mvclust.datasets.readers.matlab import read_mat

VIEWS = {
    "gabor": 48,
    "wavelet_moments": 40,
    "centrist": 254,
    "hog": 1984,
    "gist": 512,
    "lbp": 928,
}


def read(files, subset):
    """Read the six views; there is one version only, so `subset` changes nothing."""
    (path,) = files.values()
    cells, labels = split_variables(read_mat(path), path.name)
    by_dimension = {}
    for cell in cells:
        X = _to_rows(cell, len(labels), path.name)
        by_dimension[X.shape[1]] = X
    if sorted(by_dimension) != sorted(VIEWS.values()):
        raise ValueError(
            f"{path.name} has views of {sorted(by_dimension)} features, "
            f"expected {sorted(VIEWS.values())}."
        )
    Xs = [by_dimension[dimension] for dimension in VIEWS.values()]
    values, y = np.unique(labels, return_inverse=True)
    presence = np.ones((len(y), len(Xs)), dtype=bool)
    return Xs, list(VIEWS), y, [str(label + 1) for label in range(len(values))], presence


def split_variables(variables, file):
    """Return the cell array of views and the vector of labels, whatever they are called."""
    cells = [value for value in variables.values() if isinstance(value, list) and len(value) > 1]
    vectors = [
        value.ravel()
        for value in variables.values()
        if not isinstance(value, list) and value.ndim == 2 and value.size == max(value.shape) > 1
    ]
    if len(cells) != 1 or len(vectors) != 1:
        raise ValueError(
            f"{file} holds {', '.join(variables)}: expected one cell array of views "
            "and one vector of labels."
        )
    return cells[0], vectors[0]


def _to_rows(X, n_samples, file):
    """Make a view dense, with one row per sample."""
    X = np.asarray(X if isinstance(X, np.ndarray) else X.toarray(), dtype=np.float64)
    if X.shape[0] != n_samples:
        X = X.T
    if X.shape[0] != n_samples:
        raise ValueError(f"{file} has {n_samples} labels, but a view of shape {X.shape}.")
    return np.ascontiguousarray(X)
