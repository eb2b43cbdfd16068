"""EEIMVC against a run of the authors' code, and what its steps promise."""

import numpy as np
import pytest
from helpers import relative
from scipy.stats import ortho_group

from mvclust import EEIMVC
from mvclust.datasets import make_multiview
from mvclust.estimators.eeimvc import bases_of_features, bases_of_kernels, eeimvc
from mvclust.metrics import accuracy, adjusted_rand_index
from mvclust.numerics.scaling import scale_views
from mvclust.numerics.stiefel import nearest_orthonormal
from mvclust.numerics.tall_polar import tall_polar


def run(z, case, max_iter, tol):
    Hs = [z[f"c{case}_HP{p}_start"] for p in (1, 2, 3)]
    H0, eye, presence = z[f"c{case}_H0"], [np.eye(4)] * 3, z["mask"].astype(bool)
    lam = float(z[f"c{case}_lambda"])
    return eeimvc(Hs, H0, eye, presence, lam=lam, q=2, max_iter=max_iter, tol=tol)


@pytest.mark.parametrize("max_iter", [1, 5, 100])
@pytest.mark.parametrize("case", [1, 2, 3])
def test_equals_oracle(oracle, case, max_iter):
    z = oracle("modern_eeimvc")
    factors, objective, change = run(z, case, max_iter, tol=1e-4)
    n_iter = min(max_iter, int(z[f"c{case}_n_iter"]))
    assert len(objective) == n_iter
    np.testing.assert_allclose(objective, z[f"c{case}_obj_iters"][:n_iter], rtol=1e-12)
    assert relative(factors["H"], z[f"c{case}_H_it{n_iter}"]) < 1e-10
    np.testing.assert_allclose(factors["beta"], z[f"c{case}_beta_it{n_iter}"], rtol=1e-10)
    for p in (1, 2, 3):
        assert relative(factors["W"][p - 1], z[f"c{case}_WP{p}_it{n_iter}"]) < 1e-10
        assert relative(factors["Hs"][p - 1], z[f"c{case}_HP{p}_it{n_iter}"]) < 1e-10
    if max_iter == 100:
        assert change < 1e-4


def test_bases_are_those_of_the_oracle_but_for_signs(oracle):
    z = oracle("modern_eeimvc")
    presence = z["mask"].astype(bool)
    Ks = [z[f"K{p}"] for p in (1, 2, 3)]
    present = [K[np.ix_(there, there)] for K, there in zip(Ks, presence.T, strict=True)]
    Hs, H0 = bases_of_kernels(present, presence, 4, center=False)
    for p, H in enumerate(Hs, start=1):
        np.testing.assert_allclose(np.abs(H), np.abs(z[f"c1_HP{p}_start"]), atol=1e-12)
    np.testing.assert_allclose(np.abs(H0), np.abs(z["c1_H0"]), atol=1e-12)
    # The estimator takes the same kernels, and the author's start.
    kernels = [np.where(there[:, None], K, np.nan) for K, there in zip(Ks, presence.T, strict=True)]
    start = {"H": [z[f"c1_HP{p}_start"] for p in (1, 2, 3)], "H0": z["c1_H0"]}
    model = EEIMVC(4, kernel="precomputed", init=start, random_state=0).fit(kernels)
    assert relative(model.H_, z["c1_H_it17"]) < 1e-10
    assert adjusted_rand_index(model.labels_, z["c1_labels_km20"]) > 0.95


@pytest.fixture(scope="module")
def views():
    return make_multiview(
        200, n_clusters=4, n_features=(12, 15, 9), noise=0.8, missing=0.4, random_state=1
    )


def problem(Xs, k=4):
    presence = np.column_stack([~np.isnan(X).any(axis=1) for X in Xs])
    Xs = [np.where(there[:, None], X, 0.0) for X, there in zip(Xs, presence.T, strict=True)]
    return scale_views(Xs, presence, "l2"), presence


def test_features_give_the_bases_of_their_kernels(views):
    Xs, presence = problem(views[0])
    Hs, H0 = bases_of_features(Xs, presence, 4)
    Ks = [X[there] @ X[there].T for X, there in zip(Xs, presence.T, strict=True)]
    of_kernels = bases_of_kernels(Ks, presence, 4)
    for one, two in zip([*Hs, H0], [*of_kernels[0], of_kernels[1]], strict=True):
        np.testing.assert_allclose(np.abs(one), np.abs(two), atol=1e-9)
    for H, there in zip(Hs, presence.T, strict=True):
        np.testing.assert_allclose(H.T @ H, np.eye(4), atol=1e-10)
        assert not H[~there].any()


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("q", [1.5, 2, 4])
def test_the_objective_never_falls_and_constraints_hold(views, kernel, q):
    model = EEIMVC(4, kernel=kernel, q=q, tol=0, max_iter=30, random_state=0)
    with pytest.warns(match="stopped at max_iter"):
        model.fit(views[0])
    assert (np.diff(model.objective_) >= -1e-10 * model.objective_[-1]).all()
    np.testing.assert_allclose(model.H_.T @ model.H_, np.eye(4), atol=1e-10)
    for W in model.W_:
        np.testing.assert_allclose(W.T @ W, np.eye(4), atol=1e-10)
    assert (model.beta_ >= 0).all()
    assert (model.beta_**q).sum() == pytest.approx(1)


def test_missing_rows_are_orthonormal_even_if_they_are_few(views):
    Xs, presence = problem([np.where(np.isnan(X), 0.0, X) for X in views[0]])
    presence[3, 0] = presence[5, 0] = False  # fewer than clusters
    presence[10:40, 1] = False
    Hs, H0 = bases_of_features(Xs, presence, 4)
    factors, _, _ = eeimvc(Hs, H0, [np.eye(4)] * 3, presence, lam=1, q=2, max_iter=5, tol=0)
    few, many = factors["Hs"][0][[3, 5]], factors["Hs"][1][10:40]
    np.testing.assert_allclose(few @ few.T, np.eye(2), atol=1e-10)
    np.testing.assert_allclose(many.T @ many, np.eye(4), atol=1e-10)
    np.testing.assert_array_equal(factors["Hs"][0][presence[:, 0]], Hs[0][presence[:, 0]])


def test_aligned_start_does_not_depend_on_the_bases(views):
    """Eigenvectors are determined up to signs, those of equal eigenvalues up to rotations."""
    Xs, presence = problem(views[0])
    Hs, H0 = bases_of_features(Xs, presence, 4)

    def consensus(Hs):
        Ws = [nearest_orthonormal(H.T @ H0) for H in Hs]
        return eeimvc(Hs, H0, Ws, presence, lam=1, q=2, max_iter=10, tol=0)[0]["H"]

    turned = [H @ ortho_group.rvs(4, random_state=i) for i, H in enumerate(Hs)]
    np.testing.assert_allclose(consensus(turned), consensus(Hs), atol=1e-9)


def test_order_of_samples_and_views_does_not_matter(views):
    Xs, y = views
    order = np.random.default_rng(0).permutation(len(y))
    model = EEIMVC(4, random_state=0).fit(Xs)
    shuffled = EEIMVC(4, random_state=0).fit([X[order] for X in Xs])
    assert adjusted_rand_index(model.labels_[order], shuffled.labels_) > 0.97
    assert shuffled.objective_[-1] == pytest.approx(model.objective_[-1], rel=1e-9)
    turned = EEIMVC(4, random_state=0).fit(Xs[::-1])
    np.testing.assert_allclose(turned.beta_[::-1], model.beta_, rtol=1e-9)
    assert accuracy(y, model.labels_) > 0.9


def test_columns_of_missing_samples_are_not_read(views):
    Xs, presence = problem(views[0])
    Ks = [X @ X.T for X in Xs]
    other = [K.copy() for K in Ks]
    for K, there in zip(other, presence.T, strict=True):
        K[:, ~there] = 7.0
    labels = [
        EEIMVC(4, kernel="precomputed", random_state=0)
        .fit([np.where(t[:, None], K, np.nan) for K, t in zip(of, presence.T, strict=True)])
        .labels_
        for of in (Ks, other)
    ]
    np.testing.assert_array_equal(*labels)


def test_messages(views):
    Xs, _ = views
    with pytest.raises(ValueError, match=r"every view must be a symmetric matrix.*\(200, 12\)"):
        EEIMVC(4, kernel="precomputed").fit(Xs)
    K = np.random.default_rng(0).random((5, 5))
    with pytest.raises(ValueError, match="view 0 is not symmetric"):
        EEIMVC(2, kernel="precomputed").fit([K])
    with pytest.raises(ValueError, match="all samples are the same in view 1; leave it out"):
        EEIMVC(2).fit([Xs[0][:20], np.ones((20, 3))])
    with pytest.raises(ValueError, match="init lacks 'H0'"):
        EEIMVC(4, init={"H": [np.zeros((200, 4))] * 3}).fit(Xs)


@pytest.mark.parametrize("shape", [(50, 4), (4, 4), (2, 5)])
@pytest.mark.parametrize("rank", [2, 4])
def test_tall_polar_is_the_nearest(shape, rank):
    rng = np.random.default_rng(0)
    rank = min(rank, *shape)
    M = rng.standard_normal((shape[0], rank)) @ rng.standard_normal((rank, shape[1]))
    Q = tall_polar(M)
    small = min(shape)
    gram = Q.T @ Q if shape[0] >= shape[1] else Q @ Q.T
    np.testing.assert_allclose(gram, np.eye(small), atol=1e-12)
    assert np.vdot(Q, M) == pytest.approx(np.linalg.norm(M, "nuc"), rel=1e-10)
