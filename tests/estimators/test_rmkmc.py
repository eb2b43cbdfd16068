"""RMKMC against a run of public code, and what its mathematics promises."""

import numpy as np
import pytest
from helpers import assert_equal_to_oracle

from mvclust import RMKMC
from mvclust.estimators import rmkmc as module
from mvclust.metrics import accuracy
from mvclust.testing import make_blobs

VIEWS = (1, 2, 3)
CASES = {"g5": 0.5, "g15": 1.5, "g20": 2.0, "g50": 5.0}


@pytest.mark.parametrize("case", CASES)
def test_equals_oracle(oracle, case):
    z = oracle("baselines_rmkmc")
    Xs, start = [z[f"X{v}"] for v in VIEWS], z["init_labels"].astype(int)[None]
    for n_iter in range(1, 21):
        factors, objective, _ = module.rmkmc(
            Xs, start, 5, gamma=CASES[case], max_iter=n_iter, tol=-1
        )
        assert (factors["labels"] == z[f"{case}_labels_iters"][:, n_iter - 1]).all()
        np.testing.assert_allclose(
            factors["alpha"], z[f"{case}_alpha_iters"][n_iter - 1], rtol=1e-8
        )
        if n_iter in (1, 20):
            F = [F_v.T for F_v in factors["F"]]
            assert_equal_to_oracle(z, f"{case}_{{}}{{}}_it{n_iter}", F=F, D=list(factors["D"]))
    np.testing.assert_allclose(objective, z[f"{case}_obj_iters"], rtol=1e-8)


def test_estimator_equals_oracle(oracle):
    z = oracle("baselines_rmkmc")
    init = {"G": np.eye(5)[z["init_labels"]]}
    Xs = [z[f"X{v}"] for v in VIEWS]
    model = RMKMC(5, gamma=2, scale=None, init=init, tol=1e-9).fit(Xs)
    assert model.objective_[-1] == pytest.approx(z["g20_obj_iters"][-1], rel=1e-8)
    assert (model.labels_ == z["g20_labels_iters"][:, -1]).all()


def test_centroids_are_geometric_medians(blobs):
    """Unit residuals cancel."""
    Xs, _ = blobs
    model = RMKMC(3, gamma=2, scale=None, tol=1e-12, random_state=0).fit(Xs)
    for X, F in zip(Xs, model.F_, strict=True):
        for c in range(3):
            R = F[c] - X[model.labels_ == c]
            assert np.linalg.norm((R / np.linalg.norm(R, axis=1)[:, None]).mean(axis=0)) < 1e-4


def test_wide_view_equals_its_coordinates():
    Xs, _ = make_blobs(seed=1)
    rng = np.random.default_rng(0)
    rotation = np.linalg.qr(rng.normal(size=(80, 5)))[0]
    wide = [Xs[0] @ rotation.T, *Xs[1:]]  # more features than samples, same distances
    start = {"G": np.eye(3)[rng.integers(0, 3, size=45)]}
    one, other = (RMKMC(3, scale=None, init=start).fit(views) for views in (Xs, wide))
    np.testing.assert_allclose(one.objective_, other.objective_, rtol=1e-8)
    np.testing.assert_allclose(one.F_[0] @ rotation.T, other.F_[0], rtol=1e-6, atol=1e-8)


def test_best_of_several_runs_is_kept():
    rng = np.random.default_rng(0)
    Xs = [rng.normal(size=(60, 4)), rng.normal(size=(60, 3))]
    starts = rng.integers(0, 5, size=(8, 60))
    options = {"gamma": 3.0, "max_iter": 300, "tol": 1e-8}
    alone = [module.rmkmc(Xs, start[None], 5, **options).objective[-1] for start in starts]
    together = module.rmkmc(Xs, starts, 5, **options).objective[-1]
    assert together == pytest.approx(min(alone), rel=1e-10)


def test_runs_in_blocks_give_the_same(monkeypatch, blobs):
    model = RMKMC(3, init="random", random_state=0).fit(blobs[0])
    monkeypatch.setattr(module, "BLOCK", 1)
    other = RMKMC(3, init="random", random_state=0).fit(blobs[0])
    np.testing.assert_allclose(model.objective_, other.objective_, rtol=1e-12)
    assert (model.labels_ == other.labels_).all()


def test_empty_clusters_are_filled(blobs):
    Xs, y = blobs
    model = RMKMC(3, init={"G": np.eye(3)[np.zeros(45, dtype=int)]}).fit(Xs)
    assert len(set(model.labels_)) == 3
    assert accuracy(y, model.labels_) > 0.6
