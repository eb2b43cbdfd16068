"""What probes have in common: masks, parts of the samples, scores in points."""

import numpy as np

from mvclust.masking import apply_mask, random_mask
from mvclust.metrics import accuracy, nmi

RATE = 0.3  # of the instances of each view, removed at random
PART = 0.8  # of the samples


def clusters_of(y):
    """The number of classes."""
    return len(np.unique(y))


def masked(Xs, seed, rate=RATE):
    """The views with some instances removed."""
    return apply_mask(Xs, random_mask(len(Xs[0]), len(Xs), rate, seed))


def without_some(X, seed, rate=RATE):
    """A view with some instances removed, whatever the other views have."""
    X, rng = np.array(X, dtype=float), np.random.default_rng(seed)
    X[rng.permutation(len(X))[: round(rate * len(X))]] = np.nan
    return X


def part_of(Xs, y, seed):
    """The views and classes of some of the samples, so that a method without chance varies."""
    kept = np.sort(np.random.default_rng(seed).permutation(len(y))[: round(PART * len(y))])
    return [X[kept] for X in Xs], y[kept]


def nmi_of(y, labels):
    """Normalised mutual information in points."""
    return 100 * nmi(y, labels, "arithmetic")


def acc_of(y, labels):
    """Accuracy in points."""
    return 100 * accuracy(y, labels)
