"""Relative errors of 1e-13 change no labels, also not where ties and equal samples abound."""

import numpy as np
import pytest

import mvclust
from mvclust import fill_missing
from mvclust.masking import apply_mask, random_mask

NAMES = ["AMGL", "CLR", "DAIMC", "EOMSCCA", "MPAC", "MVSC", "PIMVC", "SwMC", "UEAF"]


def texts(n_per_cluster=14, n_words=40):
    """Counts of words in three views: whole numbers, many rows without a word in common."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], n_per_cluster)
    rates = 0.05 + 0.4 * (np.arange(n_words) % 3 == y[:, None])
    Xs = [rng.poisson(rates).astype(float) + np.eye(len(y), n_words) for _ in range(3)]
    return fill_missing(apply_mask(Xs, random_mask(len(y), 3, 0.4, seed=1)), "mean")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", NAMES)
def test_rounding_errors_of_the_data_change_no_labels(name):
    Xs, labels = texts(), []
    for draw in range(4):
        rng = np.random.default_rng(draw)
        size = 1e-13 if draw else 0.0
        Zs = [X * (1 + size * rng.standard_normal(X.shape)) for X in Xs]
        labels.append(getattr(mvclust, name)(3, random_state=0).fit(Zs).labels_.tolist())
    assert all(each == labels[0] for each in labels[1:])
