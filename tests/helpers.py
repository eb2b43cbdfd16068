"""Small multi-view data, paths and distances that many tests use."""

import os
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[1]
ORACLES = Path(__file__).parent / "oracles"


def find_mirror():
    """Folder with the original data files, or None."""
    for folder in (os.environ.get("MVCLUST_MIRROR"), ROOT.parent / "shared" / "mirror"):
        if folder and Path(folder, "handwritten").is_dir():
            return Path(folder)
    return None


def make_blobs(n_per_cluster=15, seed=0):
    """Three groups of samples in three non-negative views."""
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1, 2], n_per_cluster)
    Xs = []
    for n_features in (5, 4, 6):
        centres = 6 * np.eye(3, n_features) + 1
        Xs.append(centres[y] + 0.5 * rng.random((len(y), n_features)))
    return Xs, y


def relative(A, B):
    """Relative Frobenius distance."""
    return np.linalg.norm(A - B) / np.linalg.norm(B)
