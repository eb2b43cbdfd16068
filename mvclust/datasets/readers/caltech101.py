"""Caltech101-7 and -20: images of objects by six kinds of features.

Several copies of the features go round. They differ in the names of the variables, in the
orientation and in the format of the file, so the views are known by their dimensions. Where none of
them can be had, the features are computed from the images.
"""

from pathlib import PurePosixPath

import numpy as np

from mvclust.datasets.images.extract import six_views
from mvclust.datasets.images.packing import unpack
from mvclust.datasets.readers.matlab import read_mat

# The classes in the order of the labels.
TWENTY = (
    *("Faces", "Leopards", "Motorbikes", "binocular", "brain", "camera", "car_side"),
    *("dollar_bill", "ferry", "garfield", "hedgehog", "pagoda", "rhino", "snoopy", "stapler"),
    *("stop_sign", "water_lilly", "windsor_chair", "wrench", "yin_yang"),
)
SEVEN = (
    *("Faces", "Motorbikes", "dollar_bill", "garfield", "snoopy", "stop_sign", "windsor_chair"),
)
VIEWS = {
    "gabor": 48,
    "wavelet_moments": 40,
    "centrist": 254,
    "hog": 1984,
    "gist": 512,
    "lbp": 928,
}


def read(files, subset):
    """Read or compute the six views; there is one version only, so `subset` changes nothing."""
    (path,) = files.values()
    Xs, y, names = _from_images(path) if path.suffix == ".tar" else _from_features(path)
    return Xs, list(VIEWS), y, names, np.ones((len(y), len(Xs)), dtype=bool)


def _from_images(path):
    folders = []

    def contents():
        for name, content in unpack(path):
            folders.append(PurePosixPath(name).parent.name)
            yield content

    Xs = six_views(contents())
    names, y = np.unique(folders, return_inverse=True)
    return Xs, y, names.tolist()


def _from_features(path):
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
    values, y = np.unique(labels, return_inverse=True)
    names = {len(names): names for names in (SEVEN, TWENTY)}.get(len(values))
    if names is None:
        raise ValueError(f"{path.name} has {len(values)} classes, expected 7 or 20.")
    return [by_dimension[dimension] for dimension in VIEWS.values()], y, list(names)


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
