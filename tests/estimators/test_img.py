"""IMG: runs of the authors' code, the graph in its two forms, and what must not matter."""

import numpy as np
import pytest
from helpers import ORACLES, relative
from hypothesis import given, settings
from hypothesis import strategies as st

from mvclust.estimators.img import DistanceGraph, img

TIGHT = 1e-8
WEIGHTS = {"default": (0.01, 1.0, 100.0), "alt": (0.01, 0.1, 1.0)}


@pytest.fixture(scope="module")
def oracle():
    return np.load(ORACLES / "baselines_img.npz")


def run_of(oracle, run, max_iter):
    """The authors' order of the samples: in both views, in the first only, in the second only."""
    lam, beta, gamma = WEIGHTS[run]
    X = np.vstack([oracle["X_paired"], oracle["X_only"], np.zeros((25, 240))])
    Y = np.vstack([oracle["Y_paired"], np.zeros((25, 76)), oracle["Y_only"]])
    presence = np.repeat([[1, 1], [1, 0], [0, 1]], [50, 25, 25], axis=0).astype(bool)
    P = np.vstack([oracle["P2_init"], oracle["P1_init"], oracle["P3_init"]])
    return img(
        [X, Y], presence, P, oracle["La_init"], lam=lam, beta=beta, gamma=gamma,
        variant="author", max_iter=max_iter, tol=1e-8,
    )  # fmt: skip


@pytest.mark.parametrize("run", ["default", "alt"])
@pytest.mark.parametrize("iterations", [1, 5])
def test_first_iterations_are_the_authors(oracle, run, iterations):
    factors, objective, _ = run_of(oracle, run, iterations)
    key = f"it{iterations}"
    assert relative(factors["Q"], oracle[f"{run}_Q_{key}"]) < TIGHT
    for v in (0, 1):
        assert relative(factors["U"][v], oracle[f"{run}_U{v + 1}_{key}"]) < TIGHT
    for block, name in ((slice(50), "P2"), (slice(50, 75), "P1"), (slice(75, 100), "P3")):
        assert relative(factors["P"][block], oracle[f"{run}_{name}_{key}"]) < TIGHT
    assert relative(np.array(objective), oracle[f"{run}_obj_iters"][:iterations]) < TIGHT


@pytest.mark.parametrize("run", ["default", "alt"])
def test_whole_run_is_the_authors(oracle, run):
    factors, objective, gap = run_of(oracle, run, 200)
    n = int(oracle[f"{run}_n_iter"])
    assert len(objective) == n
    assert gap < 1e-8
    assert relative(factors["Q"], oracle[f"{run}_Q_it{n}"]) < TIGHT
    assert relative(factors["P"][:50], oracle[f"{run}_P2_it{n}"]) < TIGHT
    assert relative(factors["graph"] @ np.eye(100), oracle[f"{run}_A_it{n}"]) < TIGHT
    assert relative(np.array(objective), oracle[f"{run}_obj_iters"]) < TIGHT


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 1000), weight=st.floats(1e-4, 10), n=st.integers(4, 40))
def test_exact_graph_is_the_projection_on_the_simplex(seed, weight, n):
    Q = np.random.default_rng(seed).normal(size=(n, 3))
    graph = DistanceGraph(Q, weight, "exact")
    A = graph @ np.eye(n)
    np.testing.assert_allclose(A, A.T, atol=1e-12)
    np.testing.assert_allclose(A.sum(axis=1), graph.degrees, atol=1e-10)
    assert A.min() >= -1e-12
    assert A.sum() == pytest.approx(n)  # every row of B sums to 1, and A = (B + B')/2
