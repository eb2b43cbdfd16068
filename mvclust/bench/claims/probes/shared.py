"""What probes have in common: masks, parts of the samples, scores in points."""

import numpy as np

from mvclust.masking import apply_mask, random_mask
from mvclust.metrics import accuracy, nmi

RATE = 0.3  # of the instances of each view, removed at random
PART = 0.8  # of the samples


def clusters_of(y: np.ndarray) -> int:
    """The number of classes."""
    return len(np.unique(y))


def masked(Xs: list[np.ndarray], seed: int, rate: float = RATE) -> list[np.ndarray]:
    """The views with some instances removed."""
    return apply_mask(Xs, random_mask(len(Xs[0]), len(Xs), rate, seed))


def without_some(X: np.ndarray, seed: int) -> np.ndarray:
    """A view with some instances removed, independent of the other views."""
    X, rng = np.array(X, dtype=float), np.random.default_rng(seed)
    X[rng.permutation(len(X))[: round(RATE * len(X))]] = np.nan
    return X


def part_of(Xs: list[np.ndarray], y: np.ndarray, seed: int) -> tuple[list[np.ndarray], np.ndarray]:
    """Draw some of the samples, so that a deterministic method varies."""
    kept = np.sort(np.random.default_rng(seed).permutation(len(y))[: round(PART * len(y))])
    return [X[kept] for X in Xs], y[kept]


def nmi_of(y: np.ndarray, labels: np.ndarray) -> float:
    """Normalised mutual information in points."""
    return 100 * nmi(y, labels, "arithmetic")


def acc_of(y: np.ndarray, labels: np.ndarray) -> float:
    """Accuracy in points."""
    return 100 * accuracy(y, labels)
