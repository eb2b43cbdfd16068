"""DAIMC against the authors' runs, and what its mathematics promises."""

import numpy as np
import pytest
from helpers import assert_equal_to_oracle, relative
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import solve_sylvester

from mvclust import DAIMC
from mvclust.estimators import daimc as module
from mvclust.masking import apply_mask
from mvclust.numerics.patterns import PresencePatterns

VIEWS = (1, 2, 3)


def start_of(z):
    return {
        "U": [z[f"U0__v{v}"] for v in VIEWS],
        "V": z["V0"],
        "B": [z[f"B0__v{v}"] for v in VIEWS],
    }


def masked_views(z):
    """The oracle's views, already of unit length, with missing instances as NaN."""
    return apply_mask([z[f"X__v{v}"].T for v in VIEWS], z["mask"].astype(bool))


ITERATIONS = [("author", n, f"it{n}") for n in (1, 5, 30)]
ITERATIONS += [("paper", 1, "it1"), ("paper", 5, "it5"), ("paper", 500, "itend")]


@pytest.mark.parametrize("case", [1, 2, 3])
@pytest.mark.parametrize(("variant", "iterations", "end"), ITERATIONS)
def test_equals_oracle(oracle, variant, case, iterations, end):
    z = oracle("daimc" if variant == "author" else "daimc_paper")
    alpha, beta = z["cfg"][case - 1]
    limits = {"max_iter": iterations, "tol": 1e-4, "max_inner": 30}
    limits |= {"tol": 0, "max_inner": 500} if variant == "paper" else {}
    model = DAIMC(
        5, alpha=alpha, beta=beta, variant=variant, scale=None, init=start_of(z), **limits,
        n_init=50, random_state=0,
    ).fit(masked_views(z))  # fmt: skip
    end = f"c{case}_{end}"
    assert_equal_to_oracle(z, f"{{}}_{end}", V=model.V_)
    assert_equal_to_oracle(z, f"{{}}_{end}__v{{}}", U=model.U_, B=model.B_)
    objective = z[f"F_{end}"] if variant == "author" else z[f"F_c{case}"][:iterations]
    np.testing.assert_allclose(model.objective_, objective, rtol=1e-8)
    if (variant, iterations) == ("author", 30):
        # Both take the best of many k-means starts on the same V, not the same starts.
        V, labels = z[f"V_{end}"], z[f"labels20_{end}"]
        assert within_cluster(V, model.labels_) <= within_cluster(V, labels) * 1.005


def within_cluster(V, labels):
    return sum(((V[labels == c] - V[labels == c].mean(axis=0)) ** 2).sum() for c in set(labels))


def test_latent_steps_equal_oracle(oracle):
    z = oracle("daimc")
    presence = z["mask"].astype(bool)
    Xs = [np.where(m[:, None], z[f"X__v{v}"].T, 0) for v, m in zip(VIEWS, presence.T, strict=True)]
    start, norms = start_of(z), sum(np.vdot(X, X) for X in Xs)
    patterns = PresencePatterns(presence)
    views = module.present_rows(Xs, presence, patterns)
    args = views, patterns, start["U"], patterns.sort(start["V"]), norms
    for max_inner, name in ((1, "V_inner1"), (30, "V_innerconv")):
        V = patterns.unsort(module.update_latent(*args, max_inner, 1e-4))
        assert relative(V, z[name]) < 1e-8


@given(seed=st.integers(0, 1000), log_alpha=st.floats(-4, 3))
@settings(max_examples=30, deadline=None)
def test_basis_step_solves_the_sylvester_equation(seed, log_alpha):
    rng, alpha = np.random.default_rng(seed), 10.0**log_alpha
    V, B, XV = rng.random((30, 4)), rng.normal(size=(12, 4)), rng.normal(size=(12, 4))
    expected = solve_sylvester(alpha * B @ B.T, V.T @ V, XV + alpha * B)
    assert relative(module.update_basis(XV, V.T @ V, B, alpha), expected) < 1e-8


def test_regression_step_equals_the_large_inverse():
    rng = np.random.default_rng(0)
    U, B, beta = rng.normal(size=(9, 3)), rng.normal(size=(9, 3)), 0.7
    D = np.diag(1 / np.sqrt((B**2).sum(axis=1) + module.GUARD))
    expected = np.linalg.solve(U @ U.T + 0.5 * beta * D, U)  # Eq. (25)
    assert relative(module.update_regression(U, B, beta), expected) < 1e-10
