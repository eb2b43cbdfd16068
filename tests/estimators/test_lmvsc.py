"""LMVSC against a run of the released code, and what its mathematics promises."""

import numpy as np
import pytest
from helpers import assert_equal_to_oracle, relative

from mvclust import LMVSC
from mvclust.estimators import lmvsc as module
from mvclust.metrics import accuracy, adjusted_rand_index
from mvclust.testing import make_blobs

VIEWS = (1, 2, 3)
CASES = [f"m{m}_a{a}" for m in (4, 10) for a in (1, 2, 3)]


@pytest.mark.parametrize("case", CASES)
def test_equals_oracle(oracle, case):
    """Representations, singular values and the embedding, up to the signs of its columns."""
    z = oracle("modern_lmvsc")
    start = {"H": [z[f"{case.split('_')[0]}_H{v}"] for v in VIEWS]}
    model = LMVSC(4, alpha=float(z[f"{case}_alpha"]), scale=None, init=start, random_state=0)
    model.fit([z[f"X{v}"] for v in VIEWS])
    assert_equal_to_oracle(z, f"{case}_{{}}{{}}", Z=[Z.T for Z in model.Z_])
    np.testing.assert_allclose(model.sigma_, z[f"{case}_sig"], rtol=1e-8)
    U, expected = model.U_, z[f"{case}_U"]
    assert relative(U * np.sign((U * expected).sum(axis=0)), expected) < 1e-8
    if case == "m10_a1":
        assert adjusted_rand_index(model.labels_, z[f"{case}_labels_km20"]) == 1


def test_objective_is_that_of_the_factors(blobs):
    Xs, _ = blobs
    model = LMVSC(3, scale=None, random_state=0).fit(Xs)
    parts = zip(Xs, model.Z_, model.H_, strict=True)
    value = sum(((X - Z @ H) ** 2).sum() + 0.1 * (Z**2).sum() for X, Z, H in parts)
    np.testing.assert_allclose(model.objective_, [value])


def test_anchors_come_from_a_sample_of_many_samples(monkeypatch, blobs):
    Xs, y = blobs
    everything = LMVSC(3, random_state=0).fit(Xs)
    monkeypatch.setattr(module, "ANCHOR_SAMPLES", 30)
    model = LMVSC(3, random_state=0).fit(Xs)
    assert not np.allclose(model.H_[0], everything.H_[0])
    assert accuracy(y, model.labels_) == 1


def test_fewer_directions_than_clusters():
    """With one anchor all samples are the same: one direction, which is constant."""
    Xs, _ = make_blobs()
    with pytest.warns(match="found 1 clusters of the 3"):
        model = LMVSC(3, n_anchors=1, random_state=0).fit(Xs)
    assert model.embedding_.shape == (45, 1)
    np.testing.assert_allclose(model.Z_[0], 1)
    assert model.transform(Xs).shape == (45, 1)
