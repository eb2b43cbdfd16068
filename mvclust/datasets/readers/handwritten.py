"""Handwritten digits 0-9: the text files of UCI."""

import numpy as np

VIEWS = ["fou", "fac", "kar", "pix", "zer", "mor"]


def read(files, subset):
    """Read the six views; there is one version only, so `subset` changes nothing."""
    Xs = [np.loadtxt(files[f"mfeat-{view}"]) for view in VIEWS]
    # No file holds the labels: the rows are 200 zeros, then 200 ones and so on.
    y = np.repeat(np.arange(10), 200)
    presence = np.ones((len(y), len(Xs)), dtype=bool)
    return Xs, list(VIEWS), y, [str(digit) for digit in range(10)], presence
