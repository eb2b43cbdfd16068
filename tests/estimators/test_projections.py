"""LSIMVC, PIMVC and EEIMVC: the released code, and what their mathematics promises."""

import numpy as np
import pytest
from estimators.shared_cases import by_view, fit_states, masked_views, oracle_views
from helpers import assert_equal_to_oracle, relative
from hypothesis import given, settings
from hypothesis import strategies as st

from mvclust import EEIMVC, LSIMVC, PIMVC
from mvclust.estimators import eeimvc as eeimvc_steps
from mvclust.estimators import lsimvc as lsimvc_steps
from mvclust.estimators import pimvc as pimvc_steps
from mvclust.masking import apply_mask, random_mask
from mvclust.metrics import accuracy, adjusted_rand_index
from mvclust.numerics.scaling import unit_samples
from mvclust.testing import make_blobs


@pytest.mark.parametrize("n_iter", [1, 5, 100])
@pytest.mark.parametrize("case", ["c1", "c2"])
def test_lsimvc_equals_oracle(oracle, case, n_iter):
    """The view of 240 features and 77 samples is replaced by coordinates."""
    z, end = oracle("modern_lsimvc"), f"{case}_{{}}{{}}_it{n_iter}"
    names = {"lam": "lambda", "beta": "beta", "r": "r"}
    options = {name: float(z[f"{case}_{theirs}"]) for name, theirs in names.items()}
    options |= {"n_neighbors": int(z[f"{case}_knn"]), "init": {"U": by_view(z, "U0_{}")}}
    model = LSIMVC(4, **options, max_iter=n_iter, tol=0, n_init=20, random_state=0)
    model.fit(masked_views(z))
    there = z["mask"].astype(bool)
    P = [P_v[rows].T for P_v, rows in zip(model.P_, there.T, strict=True)]
    assert_equal_to_oracle(z, end, C=model.C_.T, U=model.U_, P=P, alpha=model.alpha_)
    assert lsimvc_steps.short_rows(oracle_views(z)[1][there[:, 1]], 4)[0].shape == (77, 77)
    np.testing.assert_allclose(model.objective_, z[f"{case}_obj_iters"][:n_iter], rtol=1e-8)
    assert (model.P_[1][~there[:, 1]] == 0).all()
    if (case, n_iter) == ("c1", 100):
        assert accuracy(z["c1_labels_km20"], model.labels_) > 0.95


def test_a_view_of_lsimvc_with_fewer_features_than_clusters_counts_as_with_zeros_added():
    rng = np.random.default_rng(0)
    Xs = [rng.normal(size=(25, 2)), rng.normal(size=(25, 4))]
    padded = [np.pad(Xs[0], ((0, 0), (0, 2))), Xs[1]]
    U = [rng.normal(size=(4, 3)), rng.normal(size=(4, 3))]
    one = LSIMVC(3, init={"U": [U[0][:2], U[1]]}, random_state=0).fit(Xs)
    other = LSIMVC(3, init={"U": U}, random_state=0).fit(padded)
    np.testing.assert_allclose(one.objective_, other.objective_, rtol=1e-10)
    np.testing.assert_allclose(one.C_, other.C_, atol=1e-10)
    assert one.U_[0].shape == (2, 3)


def test_graph_of_lsimvc_joins_neighbours_and_each_sample_to_itself():
    X = np.array([[0.0], [1.0], [5.0]])
    W, t = lsimvc_steps.heat_graph(X, 1, 0)
    assert t == pytest.approx(2 * (1 + 4 + 5) / 9)
    near, far = np.exp(-1 / (2 * t**2)), np.exp(-16 / (2 * t**2))
    np.testing.assert_allclose(W.toarray(), [[1, near, 0], [near, 1, far], [0, far, 1]])
    assert lsimvc_steps.heat_graph(np.ones((4, 2)), 2, 0)[1] == 0
    assert lsimvc_steps.heat_graph(np.ones((1, 2)), 2, 0)[0].toarray().tolist() == [[1.0]]


def test_width_of_many_samples_comes_from_some(monkeypatch):
    X = np.random.default_rng(0).normal(size=(60, 3))
    whole = lsimvc_steps.mean_distance(X, 0)
    monkeypatch.setattr(lsimvc_steps, "BLOCK", 100)
    assert lsimvc_steps.mean_distance(X, 0) == pytest.approx(whole, rel=1e-12)
    monkeypatch.setattr(lsimvc_steps, "MOST", 40)
    some = lsimvc_steps.mean_distance(X, 0)
    assert some == lsimvc_steps.mean_distance(X, 0) != whole
    assert some == pytest.approx(whole, rel=0.2)


def test_codes_of_new_samples_by_lsimvc_are_the_best():
    """Against coordinate steps on the objective of one sample, written out."""
    rng = np.random.default_rng(0)
    XU, c_near, p_near = rng.normal(size=(3, 2, 4, 2))
    degree, weights = rng.random((2, 4)), np.array([0.3, 0.6])
    views = [(XU[v], c_near[v], p_near[v], degree[v]) for v in range(2)]
    there = np.ones((4, 2), dtype=bool)
    C = lsimvc_steps.represent_new(views, there, weights, lam=0.7, beta=0.2)

    def value(c, p):
        total = 0.0
        for v in range(2):
            fit = (p[v] ** 2).sum() - 2 * XU[v][0] @ p[v] + 0.2 * np.abs(p[v]).sum()
            graph = ((c - p[v]) ** 2).sum() + degree[v][0] * (c @ c + p[v] @ p[v])
            graph -= 2 * (c @ p_near[v][0] + p[v] @ c_near[v][0])
            total += weights[v] * (fit + 0.7 * graph)
        return total

    curvature = 1 + 0.7 * (1 + degree[:, 0])
    target = (0.7 * (C[0] + c_near[:, 0]) + XU[:, 0]) / curvature[:, None]
    p = lsimvc_steps.soft_threshold(target, 0.1 / curvature)
    least = value(C[0], p)
    for _ in range(200):
        step = 10.0 ** rng.uniform(-5, 0) * rng.normal(size=(3, 2))
        assert value(C[0] + step[0], p + step[1:]) >= least - 1e-12


@pytest.mark.parametrize("case", ["c1", "c2", "c3"])
def test_pimvc_equals_oracle(oracle, case):
    z = oracle("modern_pimvc")
    init = {"P": [P_v.T for P_v in by_view(z, f"{case}_P{{}}_start")]}
    options = {"lam": float(z[f"{case}_lambda"]), "beta": float(z[f"{case}_beta"])}
    options |= {"init": init, "n_neighbors": int(z[f"{case}_knn"]), "n_init": 20}
    model = PIMVC(4, **options, random_state=0)
    fit_states(model, masked_views(z), z, case, "Y P", transposed="YP", tolerance=1e-8)
    assert adjusted_rand_index(model.labels_, z[f"{case}_labels_km20"]) > 0.95


def test_principal_directions_are_those_of_the_oracle_whose_signs_do_not_matter_once_aligned(
    oracle,
):
    z = oracle("modern_pimvc")
    rows = [np.flatnonzero(there) for there in z["mask"].T]
    Xs = [unit_samples(X[of]) for X, of in zip(oracle_views(z), rows, strict=True)]
    P = [pimvc_steps.principal_directions(X, 4) for X in Xs]
    for ours, start in zip(P, by_view(z, "c1_P{}_start"), strict=True):
        np.testing.assert_allclose(np.abs((ours.T * start).sum(axis=1)), 1, atol=1e-8)
    flipped = [P[0], P[1] * np.array([1, -1, -1, 1]), P[2] @ np.eye(4)[[2, 0, 1, 3]]]
    one, other = (pimvc_steps.aligned(Xs, start, rows, 100) for start in (P, flipped))
    for ours, theirs in zip(one, other, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-8)


def test_views_of_pimvc_with_fewer_features_than_clusters():
    rng = np.random.default_rng(0)
    model = PIMVC(4, scale=None, random_state=0).fit([rng.normal(size=(30, d)) for d in (1, 6)])
    assert model.P_[0].shape == (1, 4)
    assert model.P_[0].any()
    assert (np.diff(model.objective_) <= 1e-12).all()


def test_new_samples_minimise_the_objective_of_pimvc_for_fixed_factors(blobs):
    Xs, _ = blobs
    model = PIMVC(3, beta=0.7, n_neighbors=2, random_state=0).fit(Xs)
    new = [X.copy() for X in make_blobs(n_per_cluster=2, seed=3)[0]]
    new[1][0] = np.nan
    first, near = 0.0, []
    for v in (0, 2):
        x, known = unit_samples(new[v][:1]), unit_samples(Xs[v])
        first = first + x @ model.P_[v]
        near += np.argsort(((known - x) ** 2).sum(axis=1))[:2].tolist()
    expected = (first + 0.7 * model.Y_[near].sum(axis=0)) / (2 + 0.7 * len(near))
    np.testing.assert_allclose(model.transform(new)[:1], expected)


def eeimvc_start(z, case):
    return {"HP": by_view(z, f"{case}_HP{{}}_start"), "H0": z[f"{case}_H0"]}


def masked_kernels(z):
    """Kernels whose missing rows are NaN, and whose missing columns no one should read."""
    Ks = apply_mask(by_view(z, "K{}"), z["mask"].astype(bool))
    for K, there in zip(Ks, z["mask"].T.astype(bool), strict=True):
        K[np.ix_(there, ~there)] = 1e9
    return Ks


@pytest.mark.parametrize("case", ["c1", "c2", "c3"])
def test_eeimvc_equals_oracle(oracle, case):
    z = oracle("modern_eeimvc")
    options = {"init": eeimvc_start(z, case), "n_init": 20, "random_state": 0}
    model = EEIMVC(4, lam=float(z[f"{case}_lambda"]), kernel="precomputed", **options)
    fit_states(model, masked_kernels(z), z, case, "H HP WP beta", transposed="", tolerance=1e-8)
    assert adjusted_rand_index(model.labels_, z[f"{case}_labels_km20"]) > 0.95


def test_start_and_kernel_of_eeimvc_equal_oracle(oracle):
    """The start up to rotations; the kernel on the samples of the oracle of LMVSC."""
    z, views = oracle("modern_eeimvc"), oracle("modern_lmvsc")
    model = EEIMVC(4, kernel="precomputed")
    start, expected = model._start(*model.check_input(masked_kernels(z))), eeimvc_start(z, "c1")
    parts = zip([start["H0"], *start["HP"]], [expected["H0"], *expected["HP"]], strict=True)
    for found, wanted in parts:
        assert relative(found @ found.T, wanted @ wanted.T) < 1e-8
    for X, expected in zip(oracle_views(views), by_view(z, "K{}"), strict=True):
        K = eeimvc_steps.centred_kernel(eeimvc_steps.rbf_kernel(unit_samples(X.astype(float))))
        assert relative(K, expected) < 1e-8


@given(
    seed=st.integers(0, 1000), lam=st.sampled_from([0.0, 0.1, 10.0]),
    q=st.sampled_from([1.3, 2.0, 5.0]), init=st.sampled_from(["aligned", "identity"]),
    kernel=st.sampled_from(["rbf", "linear"]),
)  # fmt: skip
@settings(max_examples=40, deadline=None)
def test_objective_of_eeimvc_never_falls_and_constraints_hold(seed, lam, q, init, kernel):
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
def test_no_other_weights_of_eeimvc_are_better(seed, q):
    rng = np.random.default_rng(seed)
    tau = rng.random(4)
    beta = eeimvc_steps.best_weights(tau, q)
    others = rng.random((200, 4))
    others /= (others**q).sum(axis=1, keepdims=True) ** (1 / q)
    assert (others @ tau <= beta @ tau + 1e-12).all()
    np.testing.assert_allclose(eeimvc_steps.best_weights(np.zeros(4), q), 4 ** (-1 / q))


def test_linear_kernels_need_no_matrix_of_samples(blobs):
    """Features and kernels give the same start and so the same fit."""
    presence = random_mask(45, 3, 0.3, 0)
    Xs, Ks = apply_mask(blobs[0], presence), []
    for X, there in zip(Xs, presence.T, strict=True):
        X = unit_samples(X[there])
        X, K = unit_samples(X - X.mean(axis=0)), np.full((45, 45), np.nan)
        K[there] = 0.0
        K[np.ix_(there, there)] = X @ X.T
        Ks.append(K)
    model = EEIMVC(3, kernel="linear", random_state=0).fit(Xs)
    other = EEIMVC(3, kernel="precomputed", random_state=0).fit(Ks)
    np.testing.assert_allclose(model.objective_, other.objective_, rtol=1e-8)
    assert relative(model.H_ @ model.H_.T, other.H_ @ other.H_.T) < 1e-7
    assert adjusted_rand_index(model.labels_, other.labels_) == 1


def test_signs_of_eigenvectors_of_eeimvc_do_not_matter_once_aligned(oracle):
    z = oracle("modern_eeimvc")
    options = {"presence": z["mask"].astype(bool), "lam": 1.0, "q": 2, "max_iter": 30, "tol": 1e-6}
    start = eeimvc_start(z, "c1")
    turned = [H * np.array([1, -1, -1, 1]) for H in start["HP"]]
    one = eeimvc_steps.eeimvc(**start, aligned=True, **options)
    other = eeimvc_steps.eeimvc(turned, start["H0"], aligned=True, **options)
    np.testing.assert_allclose(one.objective, other.objective, rtol=1e-10)
    np.testing.assert_allclose(one.factors["H"], other.factors["H"], atol=1e-8)
    plain = eeimvc_steps.eeimvc(turned, start["H0"], aligned=False, **options)
    assert abs(plain.objective[0] / one.objective[0] - 1) > 1e-3


def test_eeimvc_with_fewer_directions_than_clusters():
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
