"""MIC against runs of the authors' code, and what its mathematics promises."""

import numpy as np
import pytest
from helpers import assert_equal_to_oracle

from mvclust.estimators import mic as module
from mvclust.estimators.mic import MIC, FilledView
from mvclust.masking import apply_mask

VIEWS = (1, 2, 3)


def views_of(z):
    """The oracle's views with missing instances as NaN, and the presence."""
    presence = z["mask"].astype(bool)
    return apply_mask([z[f"X{v}"] for v in VIEWS], presence), presence


def filled(Xs, presence):
    return [FilledView(np.where(m[:, None], X, 0), m) for X, m in zip(Xs, presence.T, strict=True)]


def run_oracle(z, rounds, inner):
    Xs, presence = views_of(z)
    start = {"U": [z[f"U{v}_init"] for v in VIEWS], "B": [z[f"V{v}_init"] for v in VIEWS]}
    beta = z["beta"] / [X.norm for X in filled(Xs, presence)]
    model = MIC(5, alpha=z["alpha"], beta=beta, variant="author", scale=None, init=start)
    model.set_params(max_iter=rounds, tol=0, max_inner=inner, random_state=0)
    return model.fit(Xs)


@pytest.mark.parametrize("inner", [1, 30])
@pytest.mark.parametrize("rounds", [1, 10])
def test_author_variant_equals_oracle(oracle, inner, rounds):
    z = oracle("baselines_mic")
    model = run_oracle(z, rounds, inner)
    arrays = {"Ustar": model.U_star_, "U": model.U_, "V": model.B_}
    assert_equal_to_oracle(z, f"inner{inner}_{{}}{{}}_round{rounds}", **arrays)


def test_objective_that_the_released_code_prints(oracle):
    """At the beginning of a round, with norms of columns in place of rows."""
    z = oracle("baselines_mic")
    Xs, presence = views_of(z)
    Xs = filled(Xs, presence)
    model = run_oracle(z, 9, 30)
    U_star, total = module.consensus(Xs, model.U_), 0
    for X, U, B, c in zip(Xs, model.U_, model.B_, z["Wdiag"].T ** 2, strict=True):
        total += np.sum(c[:, None] * (X.toarray() - U @ B.T) ** 2)
        total += 0.01 * np.sum(c[:, None] * (U - U_star) ** 2)
        total += 1e-4 * np.linalg.norm(U, axis=0).sum()
    np.testing.assert_allclose(total, z["inner30_obj_reported"][9], rtol=1e-8)


def test_steps_within_a_view_equal_oracle(oracle):
    z = oracle("baselines_mic")
    X = filled(*views_of(z))[0]
    U_star = z["inner30_Ustar_round1"]
    U, B = module.multiply_view(X, z["U1_init"], z["V1_init"], U_star, 0.01, 1e-4, 30)
    assert_equal_to_oracle(z, "view1_inner_{}30", U=U, V=B)
