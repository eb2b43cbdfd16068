"""MMNMF (a reconstruction, so that there is no oracle): what its objective promises."""

import numpy as np
import pytest

from mvclust.estimators import mmnmf
from mvclust.estimators.mmnmf import MMNMF
from mvclust.estimators.multinmf import MultiNMF

VARIANTS = ("paper", "exact")


def random_views(seed):
    rng = np.random.default_rng(seed)
    return [rng.random((25, d)) * (rng.random((25, d)) < 0.7) + 1e-3 for d in (6, 9)]


def random_start(Xs, seed):
    rng = np.random.default_rng(seed)
    return {
        "U": [rng.random((X.shape[1], 3)) for X in Xs],
        "V": [rng.random((len(X), 3)) for X in Xs],
    }


@pytest.mark.parametrize("variant", VARIANTS)
def test_without_smoothness_it_is_multinmf(monkeypatch, variant):
    monkeypatch.setattr(mmnmf, "STEPS", 1)  # as MultiNMF
    Xs = random_views(2)
    limits = {"lam": 0.1, "init": random_start(Xs, 2), "max_iter": 5, "max_inner": 10}
    limits |= {"variant": variant, "random_state": 0}
    ours, other = MMNMF(3, mu=0, **limits).fit(Xs), MultiNMF(3, **limits).fit(Xs)
    np.testing.assert_allclose(ours.V_star_, other.V_star_, rtol=1e-8, atol=1e-15)
    np.testing.assert_allclose(ours.objective_, other.objective_, rtol=1e-8)
