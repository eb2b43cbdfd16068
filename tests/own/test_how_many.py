"""How many clusters: the range of the eigengap, the consensus, silhouettes of samples."""

import numpy as np
import pytest

from mvclust.metrics import simplified_silhouette
from mvclust.numerics.scaling import balanced
from mvclust.own.certainty import Perturbation
from mvclust.own.how_many import consensus, eigengaps, silhouettes
from mvclust.testing import make_blobs


def test_the_gap_of_separate_groups_is_largest_in_every_subsample():
    Xs, _ = make_blobs()
    found = eigengaps(Xs, 5, seed=0)
    assert found["best"] == 3
    assert found["share"][found["candidates"].index(3)] == 1
    assert found["candidates"][-1] == 10
    assert (np.array(found["low"]) <= found["high"]).all()
    assert found["sentence"] == (
        "The largest eigengap is that of 3 clusters (100% of 20 subsamples agree)."
    )
    assert eigengaps([np.eye(3)], 2, seed=0) is None


def test_consensus_is_the_share_of_the_fits_that_have_both():
    parts = [Perturbation(np.array([0, 1, 2]), None), Perturbation(np.array([0, 2, 3]), None)]
    found = consensus(np.array([2, 0, 1, 3]), parts, [[0, 0, 1], [5, 5, 5]])
    assert found.loc[0, 1] == 1
    assert found.loc[0, 2] == 0.5
    assert found.loc[3, 2] == 1
    assert np.isnan(found.loc[1, 3])
    assert (found.to_numpy() == found.to_numpy().T)[np.isfinite(found)].all()
    # Of many samples some are shown.
    parts = [Perturbation(np.arange(0, 1500, 2), None)]
    found = consensus(np.arange(1500), parts, [np.zeros(750)])
    assert found.shape == (1000, 1000)
    assert np.nanmin(found) == 1


def test_the_mean_silhouette_of_samples_of_complete_views_is_that_of_the_partition():
    Xs, y = make_blobs()
    presence = np.ones((len(y), len(Xs)), dtype=bool)
    found = silhouettes(Xs, presence, y)
    scaled = [balanced(X, present) for X, present in zip(Xs, presence.T, strict=True)]
    assert found.mean() == pytest.approx(simplified_silhouette(scaled, presence, y))
    presence[3] = False
    assert np.isnan(silhouettes(Xs, presence, y)[3])
