"""PVC and IMG: the released code, and what their mathematics promises."""

import numpy as np
import pytest
from helpers import assert_equal_to_oracle, relative
from hypothesis import given, settings
from hypothesis import strategies as st

from mvclust.estimators.img import DistanceGraph, img
from mvclust.estimators.pvc import PVC, pvc
from mvclust.masking import apply_mask, paired_mask
from mvclust.numerics.lasso import exact_lasso

LIMITS = {"tol": 1e-6, "max_start": 20, "max_inner": 500, "inner_tol": 1e-6}
PARTS = {"P2": slice(0, 40), "P1": slice(40, 70), "P3": slice(70, 100)}


def problem_of(z):
    """The oracle's two views in one order of samples: both views, the first only, the second."""
    X = np.vstack([z["X2"], z["X1"], np.full((30, 76), np.nan)])
    return [X, np.vstack([z["Y2"], np.full((30, 240), np.nan), z["Y3"]])]


def pvc_start(z):
    return {"U": [z["Ux0"], z["Uy0"]], "P": np.vstack([z["P20"], z["P10"], z["P30"]])}


def run_pvc(oracle, case, variant, max_iter, **limits):
    """The arrays of the oracle of a variant, and a run on its data."""
    z = oracle("pvc" if variant == "author" else "pvc_paper")
    Xs = problem_of(z)
    presence = ~np.isnan(np.column_stack([X[:, 0] for X in Xs]))
    options = {"lam": z["lams"][case - 1], "variant": variant, "max_iter": max_iter}
    options |= LIMITS | limits | pvc_start(oracle("pvc"))
    return z, *pvc([np.nan_to_num(X) for X in Xs], presence, **options)


def assert_factors_equal(factors, z, end, parts=PARTS):
    U, P = factors["U"], factors["P"]
    assert relative(U[0], z[f"Ux_{end}"]) < 1e-8
    assert relative(U[1], z[f"Uy_{end}"]) < 1e-8
    for name, rows in parts.items():
        expected = z[f"{name}_{end}"]
        assert np.linalg.norm(P[rows] - expected) <= 1e-8 * np.linalg.norm(expected)


AUTHOR = [("author", n, f"it{n}") for n in (1, 5, 20)]
STARTS = [(*run[:2], f"_{run[2]}") for run in AUTHOR] + [("paper", 20, "")]
RUNS = [*AUTHOR, ("paper", 1, "it1"), ("paper", 5, "it5"), ("paper", 200, "itend")]


@pytest.mark.parametrize("case", [1, 2])
@pytest.mark.parametrize(("variant", "iterations", "end"), STARTS)
def test_start_of_pvc_equals_oracle(oracle, variant, case, iterations, end):
    z, factors, _, _ = run_pvc(oracle, case, variant, 0, max_start=iterations)
    assert_factors_equal(factors, z, f"init_c{case}{end}", {"P2": PARTS["P2"]})
    expected = z[f"obj_init_c{case}{end}"]
    np.testing.assert_allclose(factors["start_objective"], expected, rtol=1e-8)
    for name in ("P1", "P3"):  # which only the released code moves
        assert variant == "author" or (factors["P"][PARTS[name]] == z[f"{name}0"]).all()


@pytest.mark.parametrize("case", [1, 2])
@pytest.mark.parametrize(("variant", "iterations", "end"), RUNS)
def test_pvc_equals_oracle(oracle, variant, case, iterations, end):
    z, factors, objective, _ = run_pvc(oracle, case, variant, iterations)
    P, lam = factors["P"], z["lams"][case - 1]
    assert_factors_equal(factors, z, f"c{case}_{end}")
    if variant == "author":  # whose squared errors leave out the l1 terms
        np.testing.assert_allclose(factors["stop_values"], z[f"obj_c{case}_{end}"], rtol=1e-8)
        weights = lam * np.array([316, 76, 240]) / 5
        l1 = sum(w * P[rows].sum() for w, rows in zip(weights, PARTS.values(), strict=True))
        np.testing.assert_allclose(objective[-1] - l1, z[f"sqobj_c{case}_{end}"][0], rtol=1e-8)
    else:  # the objective as printed counts the shared rows twice
        np.testing.assert_allclose(objective, z[f"obj_c{case}"][:iterations], rtol=1e-8)
        twice = objective[-1] + lam * P[PARTS["P2"]].sum()
        np.testing.assert_allclose(twice, z[f"obj2_c{case}"][:iterations][-1], rtol=1e-8)


def test_pvc_as_an_estimator_equals_oracle(oracle):
    z = oracle("pvc")
    options = {"scale": None, "max_iter": 20, "tol": 1e-6, "variant": "author"}
    model = PVC(5, lam=0.01, init=pvc_start(z), random_state=0, **options).fit(problem_of(z))
    assert_factors_equal({"U": model.U_, "P": model.P_}, z, "c1_it20")
    assert model.n_iter_ == len(model.objective_) == 20


def random_problem(seed, rate):
    rng = np.random.default_rng(seed)
    Xs = [rng.random((24, d)) * (rng.random((24, d)) < 0.6) for d in (6, 9)]
    return apply_mask(Xs, paired_mask(24, rate, seed))


def test_exact_pvc_ends_where_no_row_can_be_improved():
    Xs = random_problem(3, 0.5)
    model = PVC(3, lam=0.05, scale=None, max_iter=1000, tol=1e-12, random_state=0).fit(Xs)
    for X, U in zip(Xs, model.U_, strict=True):
        present = ~np.isnan(X[:, 0])
        P = model.P_[present]
        gradient = P.T @ (P @ U - X[present])
        assert gradient.min() > -1e-4
        assert np.abs(gradient * U).max() < 1e-4


def test_start_of_pvc_with_no_iterations_is_left_out():
    Xs, rng = random_problem(0, 1.0), np.random.default_rng(0)
    start = {"U": [rng.random((2, 6)), rng.random((2, 9))], "P": rng.random((24, 2))}
    options = {"lam": 0.1, "scale": None, "max_start": 0, "max_iter": 1}
    model = PVC(2, **options, init=start, random_state=0).fit(Xs)
    U, X = np.hstack(start["U"]), np.hstack(Xs)
    expected = exact_lasso(U @ U.T, X @ U.T, start["P"], 2 * 0.1)
    np.testing.assert_allclose(model.P_, expected, atol=1e-8)


@pytest.mark.parametrize(("run", "beta", "gamma"), [("default", 1.0, 100.0), ("alt", 0.1, 1.0)])
@pytest.mark.parametrize("max_iter", [1, 5, 200])
def test_iterations_of_img_are_the_authors(oracle, run, beta, gamma, max_iter):
    """Their order of the samples: in both views, in the first only, in the second only."""
    z = oracle("baselines_img")
    X = np.vstack([z["X_paired"], z["X_only"], np.zeros((25, 240))])
    Y = np.vstack([z["Y_paired"], np.zeros((25, 76)), z["Y_only"]])
    presence = np.repeat([[1, 1], [1, 0], [0, 1]], [50, 25, 25], axis=0).astype(bool)
    P = np.vstack([z["P2_init"], z["P1_init"], z["P3_init"]])
    options = {"lam": 0.01, "beta": beta, "gamma": gamma, "variant": "author"}
    options |= {"max_iter": max_iter, "tol": 1e-8}
    factors, objective, gap = img([X, Y], presence, P, z["La_init"], **options)
    n = min(max_iter, int(z[f"{run}_n_iter"]))
    assert len(objective) == n
    assert relative(np.array(objective), z[f"{run}_obj_iters"][:n]) < 1e-8
    P2, P1, P3 = np.split(factors["P"], [50, 75])
    arrays = {"Q": factors["Q"], "U": factors["U"], "P": [P1, P2, P3]}
    if max_iter == 200:
        assert gap < 1e-8
        arrays = {"Q": factors["Q"], "P2": P2, "A": factors["graph"] @ np.eye(100)}
    assert_equal_to_oracle(z, f"{run}_{{}}{{}}_it{n}", **arrays)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 1000), weight=st.floats(1e-4, 10), n=st.integers(4, 40))
def test_exact_graph_of_img_is_the_projection_on_the_simplex(seed, weight, n):
    Q = np.random.default_rng(seed).normal(size=(n, 3))
    graph = DistanceGraph(Q, weight, "exact")
    A = graph @ np.eye(n)
    np.testing.assert_allclose(A, A.T, atol=1e-12)
    np.testing.assert_allclose(A.sum(axis=1), graph.degrees, atol=1e-10)
    assert A.min() >= -1e-12
    assert A.sum() == pytest.approx(n)  # every row of B sums to 1, and A = (B + B')/2
