"""MMNMF (a reconstruction, so that there is no oracle): what its objective promises."""

import numpy as np
import pytest

from mvclust.estimators import mmnmf
from mvclust.estimators.mmnmf import MMNMF
from mvclust.estimators.multinmf import MultiNMF
from mvclust.numerics.graphs import laplacian, neighbor_graph

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


def smoothness(Xs, n_neighbors=5):
    return laplacian(sum(neighbor_graph(X, n_neighbors) for X in Xs) / len(Xs)).toarray()


@pytest.mark.parametrize("variant", VARIANTS)
def test_objective_and_consensus_are_those_of_the_definition(variant):
    Xs, lam, mu = random_views(1), 0.3, 0.7
    limits = {"n_neighbors": 4, "max_iter": 3, "random_state": 0}
    model = MMNMF(3, lam=lam, mu=mu, variant=variant, **limits).fit(Xs)
    L = smoothness(Xs, 4)
    value = mu * np.trace(model.V_star_.T @ L @ model.V_star_)
    for X, U, V in zip(Xs, model.U_, model.V_, strict=True):
        np.testing.assert_allclose(U.sum(axis=0), 1)
        value += np.sum((X / X.sum() - V @ U.T) ** 2)
        value += lam * np.sum((V - model.V_star_) ** 2)
    np.testing.assert_allclose(model.objective_[-1], value, rtol=1e-8)
    gradient = lam * sum(model.V_star_ - V for V in model.V_) + mu * L @ model.V_star_
    assert np.abs(gradient).max() < 1e-12


@pytest.mark.parametrize("variant", VARIANTS)
def test_without_smoothness_it_is_multinmf(monkeypatch, variant):
    monkeypatch.setattr(mmnmf, "STEPS", 1)  # as MultiNMF
    Xs = random_views(2)
    limits = {"lam": 0.1, "init": random_start(Xs, 2), "max_iter": 5, "max_inner": 10}
    limits |= {"variant": variant, "random_state": 0}
    ours, other = MMNMF(3, mu=0, **limits).fit(Xs), MultiNMF(3, **limits).fit(Xs)
    np.testing.assert_allclose(ours.V_star_, other.V_star_, rtol=1e-8, atol=1e-15)
    np.testing.assert_allclose(ours.objective_, other.objective_, rtol=1e-8)
