"""How sure labels are, how many clusters, and what sets them apart: numbers worked out by hand."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from mvclust.metrics import simplified_silhouette
from mvclust.numerics.scaling import balanced
from mvclust.own.answer import clusters_of, differences
from mvclust.own.certainty import Perturbation, certainty, cluster_stability, matched, perturbations
from mvclust.own.how_many import consensus, eigengaps, silhouettes
from mvclust.testing import make_blobs

REFERENCE = np.array([0, 0, 0, 1, 1, 1])
FITS = ["000111", "00111-", "11-000", "0-0110"]  # "-" was not drawn
PARTS = [Perturbation(np.array([i for i, c in enumerate(f) if c != "-"]), None) for f in FITS]
FOUND = [np.array([int(c) for c in f if c != "-"]) for f in FITS]


def test_certainty_is_the_share_of_fits_and_stability_the_mean_largest_jaccard_index():
    """Sample 2 leaves in the second of its three fits, sample 5 in the last of three."""
    assert certainty(REFERENCE, PARTS, FOUND).tolist() == [1, 1, 2 / 3, 1, 1, 2 / 3]
    stability = cluster_stability(REFERENCE, PARTS, FOUND)
    assert [stability[0], stability[1]] == pytest.approx([(1 + 2 / 3 + 1 + 2 / 3) / 4] * 2)
    never = certainty(np.array([0, 0, 1]), [Perturbation(np.array([0, 2]), None)], [[0, 1]])
    np.testing.assert_array_equal(never, [1, np.nan, 1])
    # Clusters that are left over get numbers of their own.
    assert matched(REFERENCE, np.array([7, 7, 9, 8, 8, 8])).tolist() == [0, 0, 2, 1, 1, 1]
    assert matched(REFERENCE, np.array([1, 1, 1, 1, 1, 1])).tolist() == [0] * 6


def test_perturbed_data_keep_an_instance_of_every_sample_and_view():
    presence = np.random.default_rng(0).random((50, 3)) > 0.5
    presence[~presence.any(axis=1), 0] = True
    parts = perturbations(presence, 8, seed=1)
    for draw, part in enumerate(parts):
        given = presence[part.rows]
        assert len(np.unique(part.rows)) == 40
        assert not (part.presence & ~given).any()
        assert part.presence.any(axis=1).all()
        hidden = given.sum() - part.presence.sum()
        assert hidden == (round(0.1 * given.sum()) if draw % 2 else 0)


def test_the_effect_of_a_feature_and_its_interval():
    rng = np.random.default_rng(0)
    X, inside = rng.normal(size=(30, 2)), np.arange(30) < 12
    X[inside, 0] += 2
    found = differences(X, inside)
    n, m = 12, 18
    t = stats.ttest_ind(X[inside], X[~inside]).statistic  # d = t sqrt(1/n + 1/m)
    g = t * np.sqrt(1 / n + 1 / m) * (1 - 3 / (4 * (n + m - 2) - 1))
    np.testing.assert_allclose(found.effect, g)
    error = np.sqrt(1 / n + 1 / m + g**2 / (2 * (n + m)))
    np.testing.assert_allclose(found.high - found.low, 2 * 1.959964 * error)
    # What is not known counts in no effect.
    rng = np.random.default_rng(0)
    X, inside = rng.normal(size=(30, 3)), np.arange(30) < 12
    X[::3, 0], X[1:12, 1] = np.nan, np.nan
    found, known = differences(X, inside), np.isfinite(X[:, 0])
    alone = differences(X[known], inside[known])
    for a, b in zip(found, alone, strict=True):
        np.testing.assert_allclose(a[0], b[0], rtol=1e-12)
    np.testing.assert_array_equal(np.isnan(found.effect), [False, True, False])


def test_effects_of_constant_features_and_of_clusters_of_one():
    X = np.array([[1.0, 5.0]] * 3 + [[0.0, 5.0]] * 3)
    found = differences(X, np.arange(6) < 3)
    np.testing.assert_array_equal(found.effect, [np.inf, np.nan])
    assert np.isnan(found.low).all()
    assert np.isnan(differences(np.eye(4), np.arange(4) < 1).effect).all()
    # An effect of nearly nothing has no sign.
    row = {"feature": "f", "effect": -0.02, "ci_low": -0.8, "ci_high": 0.5}
    effects = pd.DataFrame([{"cluster": 1, "view": "a", **row}])
    table = pd.DataFrame({"cluster": [1], "certainty": [1.0]})
    found = clusters_of(table, {1: 1.0}, np.ones((1, 1)), ["a"], effects)
    assert found["features: a"][0] == "f +0.0 [-0.8, 0.5]"


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
