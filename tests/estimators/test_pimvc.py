"""PIMVC against a run of the released code, and what its mathematics promises."""

import numpy as np
import pytest
from helpers import assert_equal_to_oracle

from mvclust import PIMVC
from mvclust.estimators import pimvc as module
from mvclust.masking import apply_mask
from mvclust.metrics import adjusted_rand_index
from mvclust.numerics.scaling import unit_samples
from mvclust.testing import make_blobs

VIEWS = (1, 2, 3)


def problem(z, case):
    """The present samples of the views, of unit length, their places, and the joint Laplacian."""
    rows = [np.flatnonzero(there) for there in z["mask"].T]
    Xs = [unit_samples(z[f"X{v}"][rows[v - 1]]) for v in VIEWS]
    return Xs, rows, module.joint_laplacian(Xs, rows, 100, int(z[f"{case}_knn"]))


@pytest.mark.parametrize("case", ["c1", "c2", "c3"])
def test_equals_oracle(oracle, case):
    z = oracle("modern_pimvc")
    Xs = apply_mask([z[f"X{v}"] for v in VIEWS], z["mask"].astype(bool))
    init = {"P": [z[f"{case}_P{v}_start"].T for v in VIEWS]}
    weights = {"lam": float(z[f"{case}_lambda"]), "beta": float(z[f"{case}_beta"])}
    model = PIMVC(4, init=init, n_neighbors=int(z[f"{case}_knn"]), n_init=20, random_state=0)
    for n_iter in (1, 5, 100):
        model.set_params(**weights, max_iter=n_iter).fit(Xs)
        end = min(n_iter, int(z[f"{case}_n_iter"]))
        assert model.n_iter_ == end
        np.testing.assert_allclose(model.objective_, z[f"{case}_obj_iters"][:end], rtol=1e-8)
        P = [P_v.T for P_v in model.P_]
        assert_equal_to_oracle(z, f"{case}_{{}}{{}}_it{end}", Y=model.Y_.T, P=P)
    assert adjusted_rand_index(model.labels_, z[f"{case}_labels_km20"]) > 0.95


def test_principal_directions_are_those_of_the_oracle_up_to_signs(oracle):
    z = oracle("modern_pimvc")
    for X, v in zip(problem(z, "c1")[0], VIEWS, strict=True):
        P = module.principal_directions(X, 4)
        cosines = np.abs((P.T * z[f"c1_P{v}_start"]).sum(axis=1))
        np.testing.assert_allclose(cosines, 1, atol=1e-8)


def test_signs_of_principal_directions_do_not_matter_once_aligned():
    Xs, _ = make_blobs()
    rows = [np.arange(45)] * 3
    P = [module.principal_directions(X, 3) for X in Xs]
    signs = np.array([1, -1, -1])
    flipped = [P[0], P[1] * signs, P[2] @ np.eye(3)[[2, 0, 1]]]
    for one, other in zip(
        module.aligned(Xs, P, rows, 45), module.aligned(Xs, flipped, rows, 45), strict=True
    ):
        np.testing.assert_allclose(one, other, atol=1e-8)


def test_views_with_fewer_features_than_clusters():
    rng = np.random.default_rng(0)
    Xs = [rng.normal(size=(30, 1)), rng.normal(size=(30, 6))]
    model = PIMVC(4, scale=None, random_state=0).fit(Xs)
    assert model.P_[0].shape == (1, 4)
    assert np.linalg.matrix_rank(model.P_[0]) == 1
    assert (np.diff(model.objective_) <= 1e-12).all()


def test_new_samples_minimise_the_objective_for_fixed_factors(blobs):
    Xs, _ = blobs
    model = PIMVC(3, beta=0.7, n_neighbors=2, random_state=0).fit(Xs)
    new = [X.copy() for X in make_blobs(n_per_cluster=2, seed=3)[0]]
    new[1][0] = np.nan
    rows, first = model.transform(new), 0.0
    near, count = [], 0
    for v, (X, fitted) in enumerate(zip(new, Xs, strict=True)):
        if v == 1:
            continue
        x, known = unit_samples(X[:1]), unit_samples(fitted)
        first = first + x @ model.P_[v]
        near += np.argsort(((known - x) ** 2).sum(axis=1))[:2].tolist()
        count += 1
    expected = (first + 0.7 * model.Y_[near].sum(axis=0)) / (count + 0.7 * len(near))
    np.testing.assert_allclose(rows[:1], expected)
