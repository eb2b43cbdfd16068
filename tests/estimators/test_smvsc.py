"""SMVSC against runs of the released code, and what its mathematics promises."""

import numpy as np
import pytest
from estimators.anchor_cases import (
    TOLERANCE,
    VIEWS,
    assert_state,
    digits,
    never_rises,
    random_problem,
    scaled_digits,
    states,
)
from helpers import relative
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from mvclust import SMVSC
from mvclust.estimators.smvsc import smvsc
from mvclust.metrics import adjusted_rand_index
from mvclust.numerics.anchors import consensus_start, sample_products
from mvclust.numerics.scaled_views import ScaledView


def first_start(views, m, d):
    return sample_products(views, np.arange(m)), np.zeros((d, m))


@pytest.mark.parametrize("case", ["c1", "c2", "c3"])
def test_equals_oracle(oracle, case):
    """c2 has more anchors than components, of which three are without samples in the end."""
    z = oracle("modern_smvsc")
    views, _ = scaled_digits("feature_zscore")
    start = first_start(views, int(z[f"{case}_m"]), int(z[f"{case}_d"]))
    last, iterations = states(z, case)
    for n_iter in iterations:
        found, objective, _ = smvsc(
            views,
            [start],
            lam=float(z[f"{case}_lambda"]),
            variant="author",
            max_iter=n_iter,
            tol=np.inf if n_iter == last else -1,
        )
        letters = {"A": found["A"], "Z": found["Z"].T, "alpha": found["alpha"]}
        letters |= {f"W{v}": found["W"][v - 1] for v in VIEWS}
        assert_state(found, z, case, n_iter, letters)
    assert len(objective) == last
    np.testing.assert_allclose(objective, z[f"{case}_obj_iters"], rtol=TOLERANCE)


@pytest.mark.parametrize(("case", "rank"), [("c1", 4), ("c2", 5), ("c3", 4)])
def test_estimator_equals_oracle(oracle, case, rank):
    z = oracle("modern_smvsc")
    Xs = digits()[0]
    model = SMVSC(
        4,
        n_anchors=int(z[f"{case}_m"]),
        lam=float(z[f"{case}_lambda"]),
        variant="author",
        init="first",
        random_state=0,
    ).fit(Xs)
    assert model.n_iter_ == z[f"{case}_n_iter"]
    np.testing.assert_allclose(model.objective_, z[f"{case}_obj_iters"], rtol=TOLERANCE)
    assert model.embedding_.shape == (100, rank)  # singular vectors that mean something
    if rank == 4:
        assert adjusted_rand_index(z[f"{case}_labels_km20"], model.labels_) > 0.95


@given(
    seed=st.integers(0, 500),
    m=st.integers(1, 8),
    d=st.integers(1, 8),
    lam=st.sampled_from([0.0, 0.1, 5.0]),
    first=st.booleans(),
)
@settings(max_examples=80, deadline=None)
def test_exact_never_rises_and_keeps_its_constraints(seed, m, d, lam, first):
    Xs, _ = random_problem(seed, missing=0, low=2)
    views = [ScaledView(X, "feature_zscore") for X in Xs]
    C, A = first_start(views, m, d)
    start = (C, A if first else consensus_start(C, d))
    found, objective, _ = smvsc(views, [start], lam=lam, variant="exact", max_iter=40, tol=-np.inf)
    assert never_rises(objective)
    assert found["Z"].min() >= 0
    np.testing.assert_allclose(found["Z"].sum(axis=1), 1)
    assert found["alpha"].sum() == pytest.approx(1)
    A = found["A"] if m <= d else found["A"].T
    np.testing.assert_allclose(A.T @ A, np.eye(min(m, d)), atol=1e-8)


def test_released_steps_end_higher_and_almost_one_hot():
    """Without alpha^2 in the linear term."""
    Xs = digits()[0]
    author, exact = (
        SMVSC(4, variant=v, init="first", max_iter=200, tol=1e-12, random_state=0).fit(Xs)
        for v in ("author", "exact")
    )
    assert exact.objective_[-1] < author.objective_[-1]
    assert never_rises(exact.objective_)
    assert not never_rises(author.objective_)
    hard = [np.mean(model.Z_.max(axis=1) > 1 - 1e-9) for model in (author, exact)]
    assert hard[0] > 0.95 > hard[1]


@pytest.mark.parametrize(("m", "d"), [(8, 4), (8, 3)])
def test_objective_is_that_of_the_factors(m, d):
    """With more anchors than components, whose maps have no null directions."""
    Xs, _ = random_problem(3, n=40, missing=0, low=9, high=12)
    views = [ScaledView(X, "feature_zscore") for X in Xs]
    for variant in ("exact", "author"):
        found, objective, _ = smvsc(
            views, [first_start(views, m, d)], lam=0.3, variant=variant, max_iter=7, tol=0
        )
        expected = 0.3 * np.sum(found["Z"] ** 2)
        for v, view in enumerate(views):
            residual = view.take(np.arange(40)) - found["Z"] @ found["A"].T @ found["W"][v].T
            expected += found["alpha"][v] ** 2 * np.sum(residual**2)
        assert objective[-1] == pytest.approx(expected, rel=1e-10)


def test_units_and_shifts_of_features_do_not_matter():
    Xs, rng = digits()[0], np.random.default_rng(0)
    other = [X * rng.uniform(0.1, 10, X.shape[1]) + rng.normal(size=X.shape[1]) for X in Xs]
    one, two = (SMVSC(4, init="first", random_state=0).fit(views) for views in (Xs, other))
    np.testing.assert_allclose(one.objective_, two.objective_, rtol=1e-9)
    assert (one.labels_ == two.labels_).all()


def test_sparse_views_are_not_centred_in_memory_and_give_the_same():
    Xs = digits()[0]
    one, two = (
        SMVSC(4, random_state=0).fit(views) for views in (Xs, [sparse.csr_array(X) for X in Xs])
    )
    np.testing.assert_allclose(one.objective_, two.objective_, rtol=1e-9)
    assert (one.labels_ == two.labels_).all()


def test_new_samples_may_lack_views():
    Xs, presence, _ = digits()
    model = SMVSC(4, tol=1e-9, max_iter=2000, random_state=0).fit(Xs)
    assert relative(model.transform(Xs), model.embedding_) < 1e-4
    lacking = [np.where(there[:, None], X, np.nan) for X, there in zip(Xs, presence.T, strict=True)]
    assert (model.predict(lacking) == model.labels_).mean() > 0.85


def test_says_when_it_did_not_converge_and_what_is_wrong():
    Xs = digits()[0]
    with pytest.warns(ConvergenceWarning, match="SMVSC stopped at max_iter=2"):
        SMVSC(4, max_iter=2, random_state=0).fit(Xs)
    with pytest.raises(ValueError, match="SMVSC: view 1 is the same in all samples; leave it out"):
        SMVSC(4).fit([Xs[0], np.ones((100, 2))])
    with pytest.raises(ValueError, match="n_anchors=101 is more than the 100 samples"):
        SMVSC(4, n_anchors=101).fit(Xs)
    with pytest.raises(ValueError, match=r"Z has shape \(100, 3\), expected \(100, 4\)"):
        SMVSC(4, init={"Z": np.zeros((100, 3)), "A": np.eye(4)}).fit(Xs)


@pytest.mark.parametrize("variant", ["exact", "author"])
@pytest.mark.parametrize("m", [3, 4, 6])
def test_objective_is_that_of_the_attributes(variant, m):
    Xs = digits()[0]
    model = SMVSC(4, n_anchors=m, lam=0.3, variant=variant, n_starts=2, random_state=0).fit(Xs)
    expected = 0.3 * np.sum(model.Z_**2)
    for X, W, alpha in zip(Xs, model.W_, model.alpha_, strict=True):
        view = ScaledView(X, "feature_zscore")
        X = view.take(np.arange(len(X)))
        np.testing.assert_allclose(W.T @ W, np.eye(W.shape[1]), atol=1e-8)
        expected += alpha**2 * np.sum((X - model.Z_ @ model.A_.T @ W.T) ** 2)
    assert model.objective_[-1] == pytest.approx(expected, rel=1e-6)
