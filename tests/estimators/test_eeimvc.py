"""EEIMVC against a run of the released code, and what its mathematics promises."""

import numpy as np
import pytest
from helpers import assert_equal_to_oracle, relative
from hypothesis import given, settings
from hypothesis import strategies as st

from mvclust import EEIMVC
from mvclust.estimators import eeimvc as module
from mvclust.masking import apply_mask, random_mask
from mvclust.metrics import adjusted_rand_index
from mvclust.numerics.scaling import unit_samples

VIEWS = (1, 2, 3)


def start_of(z, case):
    return {"HP": [z[f"{case}_HP{v}_start"] for v in VIEWS], "H0": z[f"{case}_H0"]}


def masked_kernels(z):
    """Kernels whose missing rows are NaN, and whose missing columns no one should read."""
    Ks = []
    for v in VIEWS:
        there = z["mask"][:, v - 1].astype(bool)
        K = np.where(there[:, None], z[f"K{v}"], np.nan)
        K[np.ix_(there, ~there)] = 1e9
        Ks.append(K)
    return Ks


@pytest.mark.parametrize("case", ["c1", "c2", "c3"])
def test_equals_oracle(oracle, case):
    z = oracle("modern_eeimvc")
    options = {"kernel": "precomputed", "init": start_of(z, case), "n_init": 20, "random_state": 0}
    model, last = EEIMVC(4, lam=float(z[f"{case}_lambda"]), **options), int(z[f"{case}_n_iter"])
    for n_iter in sorted({1, min(5, last), 100}):
        model.set_params(max_iter=n_iter).fit(masked_kernels(z))
        end = f"{case}_{{}}{{}}_it{min(n_iter, last)}"
        expected = z[f"{case}_obj_iters"][: min(n_iter, last)]
        np.testing.assert_allclose(model.objective_, expected, rtol=1e-8)
        np.testing.assert_allclose(model.beta_, z[end.format("beta", "")], rtol=1e-8)
        assert_equal_to_oracle(z, end, H=model.H_, HP=model.HP_, WP=model.WP_)
    assert adjusted_rand_index(model.labels_, z[f"{case}_labels_km20"]) > 0.95


def projector(H):
    return H @ H.T


def test_start_equals_oracle_up_to_rotation(oracle):
    z = oracle("modern_eeimvc")
    model = EEIMVC(4, kernel="precomputed")
    Ks, presence = model.check_input(masked_kernels(z))
    start, expected = model._start(Ks, presence), start_of(z, "c1")
    assert relative(projector(start["H0"]), projector(expected["H0"])) < 1e-8
    for found, wanted in zip(start["HP"], expected["HP"], strict=True):
        assert relative(projector(found), projector(wanted)) < 1e-8


def test_kernel_equals_oracle(oracle):
    """On complete views, of the same samples as in the oracle of LMVSC."""
    z, views = oracle("modern_eeimvc"), oracle("modern_lmvsc")
    assert (z["y"] == views["y"]).all()
    for v in VIEWS:
        K = module.centred_kernel(module.rbf_kernel(unit_samples(views[f"X{v}"].astype(float))))
        assert relative(K, z[f"K{v}"]) < 1e-8


@given(
    seed=st.integers(0, 1000),
    lam=st.sampled_from([0.0, 0.1, 10.0]),
    q=st.sampled_from([1.3, 2.0, 5.0]),
    init=st.sampled_from(["aligned", "identity"]),
    kernel=st.sampled_from(["rbf", "linear"]),
)
@settings(max_examples=40, deadline=None)
def test_objective_never_falls_and_constraints_hold(seed, lam, q, init, kernel):
    rng = np.random.default_rng(seed)
    presence = random_mask(30, 2, 0.3, seed)
    Xs = apply_mask([rng.normal(size=(30, d)) for d in (4, 6)], presence)
    model = EEIMVC(3, lam=lam, q=q, init=init, kernel=kernel, tol=1e-7, random_state=0).fit(Xs)
    assert (np.diff(model.objective_) >= -1e-10 * model.objective_[-1]).all()
    np.testing.assert_allclose(model.H_.T @ model.H_, np.eye(3), atol=1e-8)
    assert (model.beta_**q).sum() == pytest.approx(1)
    assert (model.beta_ >= 0).all()
    for H, W, there in zip(model.HP_, model.WP_, presence.T, strict=True):
        np.testing.assert_allclose(W.T @ W, np.eye(3), atol=1e-8)
        np.testing.assert_allclose(H[there].T @ H[there], np.eye(3), atol=1e-8)
        if (~there).sum() >= 3:
            np.testing.assert_allclose(H[~there].T @ H[~there], np.eye(3), atol=1e-8)


@given(st.integers(0, 1000), st.sampled_from([1.2, 2.0, 4.0]))
@settings(max_examples=30, deadline=None)
def test_no_other_weights_are_better(seed, q):
    rng = np.random.default_rng(seed)
    tau = rng.random(4)
    beta = module.best_weights(tau, q)
    others = rng.random((200, 4))
    others /= (others**q).sum(axis=1, keepdims=True) ** (1 / q)
    assert (others @ tau <= beta @ tau + 1e-12).all()
    np.testing.assert_allclose(module.best_weights(np.zeros(4), q), 4 ** (-1 / q))


@pytest.mark.parametrize("shape", [(20, 4), (3, 4), (4, 4)])
@pytest.mark.parametrize("spread", [1.0, 1e3, 1e6])
def test_polar_factor_is_that_of_the_singular_value_decomposition(shape, spread):
    rng = np.random.default_rng(0)
    A = rng.normal(size=shape) * np.geomspace(1, spread, 4)
    left, _, right = np.linalg.svd(A, full_matrices=False)
    # Vectors of singular values that are small against the largest have fewer digits.
    np.testing.assert_allclose(module.polar(A), left @ right, atol=1e-9)


def test_directions_without_data_stay_zero():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(20, 2)) @ rng.normal(size=(2, 4))
    M = module.polar(A)
    assert np.linalg.matrix_rank(M) == 2
    np.testing.assert_allclose(np.vdot(M, A), np.linalg.svd(A)[1].sum())
    assert (module.polar(np.zeros((5, 2))) == 0).all()


def test_linear_kernels_need_no_matrix_of_samples(blobs):
    """Features and kernels give the same start and so the same fit."""
    Xs = apply_mask(blobs[0], random_mask(45, 3, 0.3, 0))
    model = EEIMVC(3, kernel="linear", random_state=0).fit(Xs)
    rows = [~np.isnan(X).any(axis=1) for X in Xs]
    Ks = [np.full((45, 45), np.nan) for _ in Xs]
    for K, X, there in zip(Ks, Xs, rows, strict=True):
        X = unit_samples(X[there])
        X = unit_samples(X - X.mean(axis=0))
        K[there] = 0.0
        K[np.ix_(there, there)] = X @ X.T
    other = EEIMVC(3, kernel="precomputed", random_state=0).fit(Ks)
    np.testing.assert_allclose(model.objective_, other.objective_, rtol=1e-8)
    assert relative(projector(model.H_), projector(other.H_)) < 1e-7
    assert adjusted_rand_index(model.labels_, other.labels_) == 1


def test_signs_of_eigenvectors_do_not_matter_once_aligned(oracle):
    z = oracle("modern_eeimvc")
    options = {"presence": z["mask"].astype(bool), "lam": 1.0, "q": 2, "max_iter": 30, "tol": 1e-6}
    start = start_of(z, "c1")
    turned = [H * np.array([1, -1, -1, 1]) for H in start["HP"]]
    one = module.eeimvc(**start, aligned=True, **options)
    other = module.eeimvc(turned, start["H0"], aligned=True, **options)
    np.testing.assert_allclose(one.objective, other.objective, rtol=1e-10)
    np.testing.assert_allclose(one.factors["H"], other.factors["H"], atol=1e-8)
    plain = module.eeimvc(turned, start["H0"], aligned=False, **options)
    assert abs(plain.objective[0] / one.objective[0] - 1) > 1e-3


def test_fewer_directions_than_clusters():
    """Two different samples, repeated, have one direction after centring."""
    X = np.repeat([[1.0, 2.0], [3.0, 1.0]], 6, axis=0)
    with pytest.warns(match="found 2 clusters of the 3"):
        model = EEIMVC(3, scale=None, random_state=0).fit([X, X])
    assert np.linalg.matrix_rank(model.H_) == 1
    assert set(model.labels_[:6]) != set(model.labels_[6:])


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_a_view_without_content_takes_no_part(blobs, kernel):
    Xs, same = apply_mask(blobs[0][:2], random_mask(45, 2, 0.3, 0)), np.full((45, 2), 0.1)
    same[::5] = np.nan
    one = EEIMVC(3, kernel=kernel, random_state=0).fit(Xs)
    other = EEIMVC(3, kernel=kernel, random_state=0).fit([*Xs, same])
    assert (other.HP_[2] == 0).all()
    assert other.beta_[2] == 0
    assert (other.labels_ == one.labels_).all()
