"""PVC against the released code, and what its mathematics promises."""

import numpy as np
import pytest
from helpers import relative
from sklearn.exceptions import ConvergenceWarning

from mvclust.estimators.pvc import PVC, pvc
from mvclust.masking import apply_mask, paired_mask
from mvclust.metrics import accuracy
from mvclust.numerics.lasso import exact_lasso
from mvclust.testing import make_blobs

LIMITS = {"tol": 1e-6, "max_start": 20, "max_inner": 500, "inner_tol": 1e-6}
PARTS = {"P2": slice(0, 40), "P1": slice(40, 70), "P3": slice(70, 100)}


def problem_of(z):
    """The oracle's two views in one order of samples: both views, the first only, the second."""
    X = np.vstack([z["X2"], z["X1"], np.full((30, 76), np.nan)])
    Y = np.vstack([z["Y2"], np.full((30, 240), np.nan), z["Y3"]])
    return [X, Y]


def start_of(z):
    return {"U": [z["Ux0"], z["Uy0"]], "P": np.vstack([z["P20"], z["P10"], z["P30"]])}


def run_oracle(z, start, case, variant, max_iter, **limits):
    Xs = [np.nan_to_num(X) for X in problem_of(z)]
    presence = ~np.isnan(np.column_stack([X[:, 0] for X in problem_of(z)]))
    options = {"lam": z["lams"][case - 1], "variant": variant, "max_iter": max_iter}
    return pvc(Xs, presence, **start, **options, **(LIMITS | limits))


def assert_factors_equal(factors, z, end, parts=PARTS):
    U, P = factors["U"], factors["P"]
    assert relative(U[0], z[f"Ux_{end}"]) < 1e-8
    assert relative(U[1], z[f"Uy_{end}"]) < 1e-8
    for name, rows in parts.items():
        expected = z[f"{name}_{end}"]
        assert np.linalg.norm(P[rows] - expected) <= 1e-8 * np.linalg.norm(expected)


@pytest.mark.parametrize("case", [1, 2])
@pytest.mark.parametrize("iterations", [1, 5, 20])
def test_author_start_equals_oracle(oracle, case, iterations):
    z = oracle("pvc")
    factors, _, _ = run_oracle(z, start_of(z), case, "author", 0, max_start=iterations)
    assert_factors_equal(factors, z, f"init_c{case}_it{iterations}", {"P2": PARTS["P2"]})
    expected = z[f"obj_init_c{case}_it{iterations}"]
    np.testing.assert_allclose(factors["start_objective"], expected, rtol=1e-8)


@pytest.mark.parametrize("case", [1, 2])
@pytest.mark.parametrize("iterations", [1, 5, 20])
def test_author_variant_equals_oracle(oracle, case, iterations):
    z = oracle("pvc")
    factors, objective, _ = run_oracle(z, start_of(z), case, "author", iterations)
    end = f"c{case}_it{iterations}"
    assert_factors_equal(factors, z, end)
    np.testing.assert_allclose(factors["stop_values"], z[f"obj_{end}"], rtol=1e-8)
    # The oracle's squared errors leave out the l1 terms.
    lam = z["lams"][case - 1] * np.array([316, 76, 240]) / 5
    l1 = sum(w * factors["P"][rows].sum() for w, rows in zip(lam, PARTS.values(), strict=True))
    np.testing.assert_allclose(objective[-1] - l1, z[f"sqobj_{end}"][0], rtol=1e-8)


@pytest.mark.parametrize("case", [1, 2])
def test_paper_start_equals_oracle(oracle, case):
    z, first = oracle("pvc_paper"), oracle("pvc")
    factors, _, _ = run_oracle(z, start_of(first), case, "paper", 0)
    assert_factors_equal(factors, z, f"init_c{case}", {"P2": PARTS["P2"]})
    np.testing.assert_allclose(factors["start_objective"], z[f"obj_init_c{case}"], rtol=1e-8)
    np.testing.assert_array_equal(factors["P"][PARTS["P1"]], z["P10"])
    np.testing.assert_array_equal(factors["P"][PARTS["P3"]], z["P30"])


@pytest.mark.parametrize("case", [1, 2])
@pytest.mark.parametrize(("iterations", "end"), [(1, "it1"), (5, "it5"), (200, "itend")])
def test_paper_variant_equals_oracle(oracle, case, iterations, end):
    z, first = oracle("pvc_paper"), oracle("pvc")
    factors, objective, _ = run_oracle(z, start_of(first), case, "paper", iterations)
    assert_factors_equal(factors, z, f"c{case}_{end}")
    np.testing.assert_allclose(objective, z[f"obj_c{case}"][:iterations], rtol=1e-8)
    # obj2 counts the shared rows twice, as the printed objective does.
    twice = objective[-1] + z["lams"][case - 1] * factors["P"][PARTS["P2"]].sum()
    np.testing.assert_allclose(twice, z[f"obj2_c{case}"][:iterations][-1], rtol=1e-8)


def test_estimator_runs_the_same_steps_as_the_oracle(oracle):
    z = oracle("pvc")
    settings_of_the_code = {"scale": None, "max_iter": 20, "tol": 1e-6, "variant": "author"}
    model = PVC(5, lam=0.01, init=start_of(z), random_state=0, **settings_of_the_code)
    model.fit(problem_of(z))
    assert_factors_equal({"U": model.U_, "P": model.P_}, z, "c1_it20")
    assert model.n_iter_ == len(model.objective_) == 20


def random_problem(seed, rate):
    rng = np.random.default_rng(seed)
    Xs = [rng.random((24, d)) * (rng.random((24, d)) < 0.6) for d in (6, 9)]
    return apply_mask(Xs, paired_mask(24, rate, seed))


def test_exact_ends_where_no_row_can_be_improved():
    Xs = random_problem(3, 0.5)
    model = PVC(3, lam=0.05, scale=None, max_iter=1000, tol=1e-12, random_state=0).fit(Xs)
    for X, U in zip(Xs, model.U_, strict=True):
        present = ~np.isnan(X[:, 0])
        P = model.P_[present]
        gradient = P.T @ (P @ U - X[present])
        assert gradient.min() > -1e-4
        assert np.abs(gradient * U).max() < 1e-4


@pytest.mark.parametrize("rate", [0.3, 1.0])
def test_finds_clusters_from_either_view(rate):
    Xs, y = make_blobs()
    labels = PVC(3, random_state=0).fit(apply_mask(Xs[:2], paired_mask(45, rate, 1))).labels_
    assert accuracy(y, labels) > 0.95


def test_start_of_zero_iterations_is_left_out():
    Xs = random_problem(0, 1.0)
    rng = np.random.default_rng(0)
    start = {"U": [rng.random((2, 6)), rng.random((2, 9))], "P": rng.random((24, 2))}
    model = PVC(2, lam=0.1, scale=None, init=start, max_start=0, max_iter=1, random_state=0)
    with pytest.warns(ConvergenceWarning, match="PVC stopped at max_iter=1"):
        model.fit(Xs)
    U, X = np.hstack(start["U"]), np.hstack(Xs)
    expected = exact_lasso(U @ U.T, X @ U.T, start["P"], 2 * 0.1)
    np.testing.assert_allclose(model.P_, expected, atol=1e-8)
