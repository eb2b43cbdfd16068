"""Flowers17: 17 kinds of flowers, 80 images each, by the distances or kernels of seven features.

The copies that go round hold one n x n matrix per feature: as a cell array, as a stack
n x n x 7, or as one variable per feature, as the publisher names them.
"""

import numpy as np

from mvclust.datasets.readers.matlab import read_mat

# The publisher's variables, in alphabetical order, which is also the usual order of the stacks.
FEATURES = ["colourgc", "hog", "hsv", "shapegc", "siftbdy", "siftint", "texturegc"]
N_CLASSES = 17


def read(files, subset):
    """Read the seven views; there is one version only, so `subset` changes nothing."""
    variables = {}
    for path in files.values():
        variables |= read_mat(path)
    matrices = _find_matrices(variables)
    if len(matrices) != len(FEATURES):
        raise ValueError(
            f"{', '.join(files)}: {len(matrices)} square matrices, expected {len(FEATURES)}."
        )
    n = len(matrices[0])
    # The images are in order, so no labels are needed; some copies hold them nevertheless.
    y = np.arange(n) * N_CLASSES // n
    for value in variables.values():
        if not isinstance(value, list) and value.size == n:
            y = np.unique(value.ravel(), return_inverse=True)[1]
    Xs = [np.ascontiguousarray(matrix, dtype=np.float64) for matrix in matrices]
    presence = np.ones((n, len(Xs)), dtype=bool)
    return Xs, list(FEATURES), y, [str(label + 1) for label in range(N_CLASSES)], presence


def _find_matrices(variables):
    """The square matrices, in order, however they are kept."""
    if "D_hog" in variables:
        return [variables[f"D_{feature}"] for feature in FEATURES]
    for value in variables.values():
        if isinstance(value, list):
            return value
        if value.ndim == 3:
            return list(np.moveaxis(value, 2, 0))
    return []
