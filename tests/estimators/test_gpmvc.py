"""GPMVC: runs of the authors' code in both forms, and what must not matter."""

import numpy as np
import pytest
from helpers import assert_equal_to_oracle, relative
from scipy import sparse
from sklearn.datasets import load_digits

from mvclust import GPMVC
from mvclust.estimators.gpmvc import gpmvc, unit_sums
from mvclust.masking import apply_mask, random_mask
from mvclust.metrics import accuracy
from mvclust.numerics.graph_nmf import graph_nmf
from mvclust.numerics.graphs import neighbor_graph
from mvclust.testing import make_blobs

GAMMA = {"equal": None, "weighted": 2.0}


def problem_of(z, form):
    """Views, the samples of their rows, and which samples are paired."""
    if form == "m":
        rows = [z[f"m_idx{v}"].astype(int) for v in (1, 2, 3)]
        rows = [of_view - (max(map(np.max, rows)) == 150) for of_view in rows]
        return [z[f"m_X{v}"] for v in (1, 2, 3)], rows, np.ones(150, bool)
    # The authors' order is: first view alone, then paired; paired, then second view alone.
    Xs = [("t_X_only", "t_X_paired"), ("t_Y_paired", "t_Y_only")]
    rows = [np.r_[75:113, :75], np.r_[:75, 113:150]]
    return [np.vstack([z[name] for name in pair]) for pair in Xs], rows, np.arange(150) < 75


@pytest.mark.parametrize("form", ["m", "t"], ids=["multiview", "twoview"])
@pytest.mark.parametrize("run", ["equal", "weighted"])
@pytest.mark.parametrize("rounds", [1, 10])
def test_rounds_are_the_authors(oracle, form, run, rounds):
    z = oracle("baselines_gpmvc")
    Xs, rows, paired = problem_of(z, form)
    U, V, Ss = [], [], []
    for v, X in enumerate(Xs, 1):
        Ss.append(sparse.csr_array(z[f"{form}_W{v}"].astype(float)))
        start = z[f"{form}_U{v}_init"], z[f"{form}_V{v}_init"]
        U_v, V_v, _ = graph_nmf(X, Ss[-1], *start, max_iter=100)
        if form == "m":
            assert abs(neighbor_graph(X, 5) - Ss[-1]).sum() == 0
            assert_equal_to_oracle(z, f"m_{run}_{{}}{v}_after_gnmf", U=U_v, V=V_v)
        U_v, V_v = unit_sums(U_v, V_v)
        U, V = [*U, U_v], [*V, V_v]
    limits = {"delta": 0.1, "max_iter": rounds, "tol": 0, "max_inner": 100}
    limits |= {"floor": 1e-10} if form == "t" else {}
    factors, objective, _ = gpmvc(Xs, rows, paired, Ss, U, V, gamma=GAMMA[run], **limits)
    arrays = {"Vstar": factors["V_star"][paired], "U": factors["U"], "V": factors["V"]}
    assert_equal_to_oracle(z, f"{form}_{run}_{{}}{{}}_round{rounds}", **arrays)
    if (form, run) != ("t", "weighted"):
        assert relative(objective, z[f"{form}_{run}_obj_rounds"][:rounds]) < 1e-8
    if (form, run) == ("m", "equal"):
        np.testing.assert_allclose(factors["w"], 1 / 3)
    else:
        assert relative(factors["w"], z[f"{form}_{run}_weights_rounds"][rounds - 1]) < 1e-8


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
