"""LSIMVC against a run of the released code, and what its mathematics promises."""

import numpy as np
import pytest
from helpers import assert_equal_to_oracle, relative

from mvclust import LSIMVC
from mvclust.estimators import lsimvc as module
from mvclust.masking import apply_mask
from mvclust.metrics import accuracy
from mvclust.numerics.scaling import unit_samples

VIEWS = (1, 2, 3)


def options_of(z, case):
    return {
        "lam": float(z[f"{case}_lambda"]),
        "beta": float(z[f"{case}_beta"]),
        "r": float(z[f"{case}_r"]),
    }


@pytest.mark.parametrize("n_iter", [1, 5, 100])
@pytest.mark.parametrize("short", [False, True])
@pytest.mark.parametrize("case", ["c1", "c2"])
def test_equals_oracle(oracle, case, short, n_iter):
    """Also with the view of 240 features and 77 samples replaced by coordinates."""
    z = oracle("modern_lsimvc")
    rows = [np.flatnonzero(there) for there in z["mask"].T]
    Xs = [unit_samples(z[f"X{v}"][rows[v - 1]]) for v in VIEWS]
    Ws = [module.heat_graph(X, int(z[f"{case}_knn"]), 0)[0] for X in Xs]
    assert relative(Ws[0].toarray(), z[f"{case}_graph1"]) < 1e-8
    P = [X @ z[f"U0_{v}"] for X, v in zip(Xs, VIEWS, strict=True)]
    if short:
        Xs, turns = zip(*[module.short_rows(X, 4) for X in Xs], strict=True)
        assert Xs[1].shape == (77, 77)
    options = options_of(z, case) | {"max_iter": n_iter, "tol": 0}
    factors, objective, _ = module.lsimvc(Xs, rows, Ws, P, 100, **options)
    U, P = factors["U"], [P_v.T for P_v in factors["P"]]
    if short:
        U = [U_v if turn is None else turn @ U_v for U_v, turn in zip(U, turns, strict=True)]
    assert_equal_to_oracle(z, f"{case}_{{}}{{}}_it{n_iter}", C=factors["C"].T, U=U, P=P)
    np.testing.assert_allclose(factors["alpha"], z[f"{case}_alpha_it{n_iter}"], rtol=1e-8)
    np.testing.assert_allclose(factors["errors"], z[f"{case}_err_it{n_iter}"], rtol=1e-8)
    np.testing.assert_allclose(objective, z[f"{case}_obj_iters"][:n_iter], rtol=1e-8)


def test_estimator_equals_oracle(oracle):
    z = oracle("modern_lsimvc")
    Xs = apply_mask([z[f"X{v}"] for v in VIEWS], z["mask"].astype(bool))
    init = {"U": [z[f"U0_{v}"] for v in VIEWS]}
    options = options_of(z, "c1") | {"max_iter": 100, "tol": 0, "n_init": 20}
    model = LSIMVC(4, n_neighbors=5, init=init, random_state=0, **options).fit(Xs)
    there = z["mask"].astype(bool)
    P = [P_v[rows].T for P_v, rows in zip(model.P_, there.T, strict=True)]
    assert_equal_to_oracle(z, "c1_{}{}_it100", C=model.C_.T, U=model.U_, P=P)
    assert (model.P_[1][~there[:, 1]] == 0).all()
    assert accuracy(z["c1_labels_km20"], model.labels_) > 0.95


def test_a_view_with_fewer_features_than_clusters_counts_as_with_zeros_added():
    rng = np.random.default_rng(0)
    Xs = [rng.normal(size=(25, 2)), rng.normal(size=(25, 4))]
    padded = [np.pad(Xs[0], ((0, 0), (0, 2))), Xs[1]]
    U = [rng.normal(size=(4, 3)), rng.normal(size=(4, 3))]
    one = LSIMVC(3, init={"U": [U[0][:2], U[1]]}, random_state=0).fit(Xs)
    other = LSIMVC(3, init={"U": U}, random_state=0).fit(padded)
    np.testing.assert_allclose(one.objective_, other.objective_, rtol=1e-10)
    np.testing.assert_allclose(one.C_, other.C_, atol=1e-10)
    assert one.U_[0].shape == (2, 3)


def test_graph_joins_neighbours_and_each_sample_to_itself():
    X = np.array([[0.0], [1.0], [5.0]])
    W, t = module.heat_graph(X, 1, 0)
    assert t == pytest.approx(2 * (1 + 4 + 5) / 9)
    near, far = np.exp(-1 / (2 * t**2)), np.exp(-16 / (2 * t**2))
    np.testing.assert_allclose(W.toarray(), [[1, near, 0], [near, 1, far], [0, far, 1]])
    assert module.heat_graph(np.ones((4, 2)), 2, 0)[1] == 0
    assert module.heat_graph(np.ones((1, 2)), 2, 0)[0].toarray().tolist() == [[1.0]]


def test_width_of_many_samples_comes_from_some(monkeypatch):
    X = np.random.default_rng(0).normal(size=(60, 3))
    whole = module.mean_distance(X, 0)
    monkeypatch.setattr(module, "BLOCK", 100)
    assert module.mean_distance(X, 0) == pytest.approx(whole, rel=1e-12)
    monkeypatch.setattr(module, "MOST", 40)
    some = module.mean_distance(X, 0)
    assert some == module.mean_distance(X, 0) != whole
    assert some == pytest.approx(whole, rel=0.2)


def test_codes_of_new_samples_are_the_best():
    """Against coordinate steps on the objective of one sample, written out."""
    rng = np.random.default_rng(0)
    XU, c_near, p_near = rng.normal(size=(3, 2, 4, 2))
    degree, weights = rng.random((2, 4)), np.array([0.3, 0.6])
    views = [(XU[v], c_near[v], p_near[v], degree[v]) for v in range(2)]
    there = np.ones((4, 2), dtype=bool)
    C = module.represent_new(views, there, weights, lam=0.7, beta=0.2)

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
    p = module.soft_threshold(target, 0.1 / curvature)
    least = value(C[0], p)
    for _ in range(200):
        step = 10.0 ** rng.uniform(-5, 0) * rng.normal(size=(3, 2))
        assert value(C[0] + step[0], p + step[1:]) >= least - 1e-12
