"""GPMVC: runs of the authors' code in both forms, and what must not matter."""

import numpy as np
import pytest
from helpers import ORACLES, relative
from scipy import sparse
from sklearn.datasets import load_digits

from mvclust import GPMVC
from mvclust.estimators.gpmvc import gpmvc, unit_sums
from mvclust.masking import apply_mask, random_mask
from mvclust.metrics import accuracy
from mvclust.numerics.graph_nmf import graph_nmf
from mvclust.numerics.graphs import neighbor_graph
from mvclust.testing import make_blobs

TIGHT = 1e-8
GAMMA = {"equal": None, "weighted": 2.0}


@pytest.fixture(scope="module")
def oracle():
    return np.load(ORACLES / "baselines_gpmvc.npz")


@pytest.mark.parametrize("run", ["equal", "weighted"])
@pytest.mark.parametrize("rounds", [1, 10])
def test_multiview_is_the_authors(oracle, run, rounds):
    views = (1, 2, 3)
    Xs = [oracle[f"m_X{v}"] for v in views]
    rows = [oracle[f"m_idx{v}"].astype(int) for v in views]
    rows = [of_view - (1 if max(map(np.max, rows)) == 150 else 0) for of_view in rows]
    Ss = [sparse.csr_array(oracle[f"m_W{v}"].astype(float)) for v in views]
    for X, S in zip(Xs, Ss, strict=True):
        assert abs(neighbor_graph(X, 5) - S).sum() == 0
    starts = [
        graph_nmf(X, S, oracle[f"m_U{v}_init"], oracle[f"m_V{v}_init"], max_iter=100)
        for v, X, S in zip(views, Xs, Ss, strict=True)
    ]
    for v, (U, V, _) in zip(views, starts, strict=True):
        assert relative(U, oracle[f"m_{run}_U{v}_after_gnmf"]) < TIGHT
        assert relative(V, oracle[f"m_{run}_V{v}_after_gnmf"]) < TIGHT
    U, V = zip(*[unit_sums(U, V) for U, V, _ in starts], strict=True)
    factors, objective, _ = gpmvc(
        Xs, rows, np.ones(150, bool), Ss, U, V,
        delta=0.1, gamma=GAMMA[run], max_iter=rounds, tol=0, max_inner=100,
    )  # fmt: skip
    assert relative(factors["V_star"], oracle[f"m_{run}_Vstar_round{rounds}"]) < TIGHT
    for v in views:
        assert relative(factors["U"][v - 1], oracle[f"m_{run}_U{v}_round{rounds}"]) < TIGHT
        assert relative(factors["V"][v - 1], oracle[f"m_{run}_V{v}_round{rounds}"]) < TIGHT
    assert relative(np.array(objective), oracle[f"m_{run}_obj_rounds"][:rounds]) < TIGHT
    expected = (
        np.full(3, 1 / 3) if run == "equal" else oracle["m_weighted_weights_rounds"][rounds - 1]
    )
    assert relative(factors["w"], expected) < TIGHT


@pytest.mark.parametrize("run", ["equal", "weighted"])
@pytest.mark.parametrize("rounds", [1, 10])
def test_twoview_is_the_authors(oracle, run, rounds):
    # The authors' order is: first view alone, then paired; paired, then second view alone.
    Xs = [
        np.vstack([oracle["t_X_only"], oracle["t_X_paired"]]),
        np.vstack([oracle["t_Y_paired"], oracle["t_Y_only"]]),
    ]
    rows = [np.r_[75:113, :75], np.r_[:75, 113:150]]
    Ss = [sparse.csr_array(oracle[f"t_W{v}"].astype(float)) for v in (1, 2)]
    starts = [
        graph_nmf(X, S, oracle[f"t_U{v}_init"], oracle[f"t_V{v}_init"], max_iter=100)
        for v, X, S in zip((1, 2), Xs, Ss, strict=True)
    ]
    U, V = zip(*[unit_sums(U, V) for U, V, _ in starts], strict=True)
    factors, objective, _ = gpmvc(
        Xs, rows, np.arange(150) < 75, Ss, U, V,
        delta=0.1, gamma=GAMMA[run], max_iter=rounds, tol=0, max_inner=100, floor=1e-10,
    )  # fmt: skip
    assert relative(factors["V_star"][:75], oracle[f"t_{run}_Vstar_round{rounds}"]) < TIGHT
    for v in (1, 2):
        assert relative(factors["U"][v - 1], oracle[f"t_{run}_U{v}_round{rounds}"]) < TIGHT
        assert relative(factors["V"][v - 1], oracle[f"t_{run}_V{v}_round{rounds}"]) < TIGHT
    assert relative(factors["w"], oracle[f"t_{run}_weights_rounds"][rounds - 1]) < TIGHT
    if run == "equal":
        assert relative(np.array(objective), oracle["t_equal_obj_rounds"][:rounds]) < TIGHT


@pytest.mark.parametrize("variant", ["multiview", "twoview", "exact"])
@pytest.mark.parametrize("gamma", [None, 2.0])
def test_clusters_incomplete_views(variant, gamma):
    Xs, y = make_blobs(n_per_cluster=40)
    Xs = apply_mask(Xs, random_mask(len(y), 3, 0.2, 0))
    model = GPMVC(3, variant=variant, gamma=gamma, random_state=0).fit(Xs)
    assert accuracy(y, model.labels_) > 0.9
    assert model.weights_.sum() == pytest.approx(1)
    assert model.objective_[-1] < model.objective_[0]
    for U, V in zip(model.U_, model.V_, strict=True):
        np.testing.assert_allclose(U.sum(axis=0), 1, atol=1e-10)
        assert U.min() >= 0 <= V.min()


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("gamma", [None, 2.0])
@pytest.mark.parametrize("delta", [0.1, 1.0])
def test_exact_steps_never_raise_the_objective_and_end_no_higher(gamma, delta):
    pixels, _ = load_digits(return_X_y=True)
    Xs = [pixels[:200, :24], pixels[:200, 24:44], pixels[:200, 44:]]
    Xs = apply_mask(Xs, random_mask(200, 3, 0.3, 0))
    start = GPMVC(10, random_state=0).draw_start(Xs)
    limits = {"delta": delta, "gamma": gamma, "init": start, "random_state": 0}
    multiplicative = GPMVC(10, variant="twoview", **limits).fit(Xs).objective_
    exact = GPMVC(10, variant="exact", **limits).fit(Xs).objective_
    assert (np.diff(exact) <= 1e-12 * exact[0]).all()
    assert exact[-1] <= multiplicative[-1] * (1 + 1e-6)
