"""IMG: runs of the authors' code, the graph in its two forms, and what must not matter."""

import numpy as np
import pytest
from helpers import assert_equal_to_oracle, relative
from hypothesis import given, settings
from hypothesis import strategies as st

from mvclust.estimators.img import DistanceGraph, img

WEIGHTS = {"default": (0.01, 1.0, 100.0), "alt": (0.01, 0.1, 1.0)}


def run_of(z, run, max_iter):
    """The authors' order of the samples: in both views, in the first only, in the second only."""
    lam, beta, gamma = WEIGHTS[run]
    X = np.vstack([z["X_paired"], z["X_only"], np.zeros((25, 240))])
    Y = np.vstack([z["Y_paired"], np.zeros((25, 76)), z["Y_only"]])
    presence = np.repeat([[1, 1], [1, 0], [0, 1]], [50, 25, 25], axis=0).astype(bool)
    P = np.vstack([z["P2_init"], z["P1_init"], z["P3_init"]])
    return img(
        [X, Y], presence, P, z["La_init"], lam=lam, beta=beta, gamma=gamma,
        variant="author", max_iter=max_iter, tol=1e-8,
    )  # fmt: skip


@pytest.mark.parametrize("run", ["default", "alt"])
@pytest.mark.parametrize("iterations", [1, 5])
def test_first_iterations_are_the_authors(oracle, run, iterations):
    z = oracle("baselines_img")
    factors, objective, _ = run_of(z, run, iterations)
    P2, P1, P3 = np.split(factors["P"], [50, 75])
    arrays = {"Q": factors["Q"], "U": factors["U"], "P": [P1, P2, P3]}
    assert_equal_to_oracle(z, f"{run}_{{}}{{}}_it{iterations}", **arrays)
    assert relative(np.array(objective), z[f"{run}_obj_iters"][:iterations]) < 1e-8


@pytest.mark.parametrize("run", ["default", "alt"])
def test_whole_run_is_the_authors(oracle, run):
    z = oracle("baselines_img")
    factors, objective, gap = run_of(z, run, 200)
    n = int(z[f"{run}_n_iter"])
    assert len(objective) == n
    assert gap < 1e-8
    arrays = {"Q": factors["Q"], "P2": factors["P"][:50], "A": factors["graph"] @ np.eye(100)}
    assert_equal_to_oracle(z, f"{run}_{{}}_it{n}", **arrays)
    assert relative(np.array(objective), z[f"{run}_obj_iters"]) < 1e-8


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
