"""Reuters: 1200 documents in five languages, as tf-idf."""

import numpy as np

from mvclust.datasets.readers.matlab import read_columns, read_mat

# Which of the last two is Spanish and which Italian is not settled.
VIEWS = ["english", "french", "german", "view4", "view5"]


def read(files, subset):
    """Read the five views; there is one version only, so `subset` changes nothing."""
    path = files["Reuters-1200.mat"]
    Xs = [X.tocsr() for X in read_columns(path, "X")]
    y = read_mat(path, ["y"])["y"].ravel().astype(np.int64) - 1
    presence = np.ones((len(y), len(Xs)), dtype=bool)
    return Xs, list(VIEWS), y, [str(label) for label in range(1, 7)], presence
