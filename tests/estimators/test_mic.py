"""MIC against runs of the authors' code, and what its mathematics promises."""

import numpy as np
import pytest
from helpers import relative
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from mvclust.estimators import mic as module
from mvclust.estimators.mic import MIC, FilledView
from mvclust.masking import apply_mask, random_mask
from mvclust.testing import make_blobs

VIEWS = (1, 2, 3)


def views_of(z):
    """The oracle's views with missing instances as NaN, and the presence."""
    presence = z["mask"].astype(bool)
    return apply_mask([z[f"X{v}"] for v in VIEWS], presence), presence


def filled(Xs, presence):
    return [FilledView(np.where(m[:, None], X, 0), m) for X, m in zip(Xs, presence.T, strict=True)]


def run_oracle(z, rounds, inner):
    Xs, presence = views_of(z)
    model = MIC(
        5,
        alpha=z["alpha"],
        beta=z["beta"] / [X.norm for X in filled(Xs, presence)],
        variant="author",
        scale=None,
        init={"U": [z[f"U{v}_init"] for v in VIEWS], "B": [z[f"V{v}_init"] for v in VIEWS]},
        max_iter=rounds,
        tol=0,
        max_inner=inner,
        random_state=0,
    )
    return model.fit(Xs)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("inner", [1, 30])
@pytest.mark.parametrize("rounds", [1, 10])
def test_author_variant_equals_oracle(oracle, inner, rounds):
    z = oracle("baselines_mic")
    model = run_oracle(z, rounds, inner)
    assert relative(model.U_star_, z[f"inner{inner}_Ustar_round{rounds}"]) < 1e-8
    for v in VIEWS:
        assert relative(model.U_[v - 1], z[f"inner{inner}_U{v}_round{rounds}"]) < 1e-8
        assert relative(model.B_[v - 1], z[f"inner{inner}_V{v}_round{rounds}"]) < 1e-8


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
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
    assert relative(U, z["view1_inner_U30"]) < 1e-8
    assert relative(B, z["view1_inner_V30"]) < 1e-8


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@given(
    seed=st.integers(0, 1000),
    rate=st.sampled_from([0.0, 0.3, 0.5]),
    alpha=st.sampled_from([0.0, 1e-2, 1.0]),
    beta=st.sampled_from([0.0, 0.01, 0.3]),
)
@settings(max_examples=25, deadline=None)
def test_objective_falls_and_constraints_hold(seed, rate, alpha, beta):
    Xs, _ = make_blobs(seed=seed)
    Xs = apply_mask(Xs, random_mask(45, 3, rate, seed))
    model = MIC(3, alpha=alpha, beta=beta, tol=0, max_iter=30, random_state=seed).fit(Xs)
    assert (np.diff(model.objective_) <= 1e-9 * model.objective_[0]).all()
    for U, B in zip(model.U_, model.B_, strict=True):
        assert min(U.min(), B.min()) >= 0
        np.testing.assert_allclose(B.sum(axis=0), 1, atol=1e-10)


def test_objective_is_that_of_the_filled_views(blobs):
    presence = random_mask(45, 3, 0.3, 1)
    model = MIC(3, alpha=0.1, beta=0.1, scale=None, random_state=0).fit(
        apply_mask(blobs[0], presence)
    )
    total = 0
    for X, U, B, m in zip(blobs[0], model.U_, model.B_, presence.T, strict=True):
        X = np.where(m[:, None], X, X[m].mean(axis=0))
        X, w = X / X.sum(), np.where(m, 1, m.mean())[:, None]
        total += np.sum((w * (X - U @ B.T)) ** 2) + 0.1 * np.sum((w * (U - model.U_star_)) ** 2)
        total += 0.1 * np.sum((w * X) ** 2) * np.linalg.norm(U, axis=1).sum()
    np.testing.assert_allclose(model.objective_[-1], total, rtol=1e-9)


def test_a_large_beta_empties_the_factors(blobs):
    model = MIC(3, alpha=0, beta=10, random_state=0).fit(blobs[0])
    assert max(U.max() for U in model.U_) < 1e-4 / 45


@pytest.mark.parametrize("variant", ["exact", "author"])
def test_sparse_views_give_the_same_result(blobs, variant):
    Xs = [np.where(X > 1.3, X, 0) for X in blobs[0]]
    presence = random_mask(45, 3, 0.3, 1)
    model = MIC(3, variant=variant, random_state=0, max_iter=300)
    dense = model.fit(apply_mask(Xs, presence)).objective_.copy()
    labels = model.labels_
    model.fit(apply_mask([sparse.csr_array(X) for X in Xs], presence))
    np.testing.assert_allclose(model.objective_, dense, rtol=1e-8)
    assert (model.labels_ == labels).all()


@pytest.mark.parametrize("init", ["kmeans", "nmf"])
def test_drawn_start_gives_the_same_fit(blobs, init):
    model = MIC(3, init=init, random_state=4).fit(blobs[0])
    start = MIC(3, init=init, random_state=4).draw_start(blobs[0])
    started = MIC(3, init=start, random_state=4).fit(blobs[0])
    assert (started.U_star_ == model.U_star_).all()
    assert (started.labels_ == model.labels_).all()


def test_labels_by_the_largest_coefficient(blobs):
    model = MIC(3, labels="argmax", random_state=0).fit(blobs[0])
    assert (model.labels_ == model.U_star_.argmax(axis=1)).all()


def test_says_when_it_did_not_converge(blobs):
    with pytest.warns(ConvergenceWarning, match="MIC stopped at max_iter=2"):
        MIC(3, max_iter=2, tol=1e-12, random_state=0).fit(blobs[0])


def test_bad_weights_and_zero_views_are_refused(blobs):
    for name, value in [("alpha", [0.1, 0.1]), ("beta", [0.1, 0.1, -1])]:
        with pytest.raises(ValueError, match=f"MIC: {name} must be a number from 0"):
            MIC(3, **{name: value}).fit(blobs[0])
    with pytest.raises(ValueError, match="view 1 is zero throughout"):
        MIC(3).fit([blobs[0][0], np.zeros((45, 3))])
