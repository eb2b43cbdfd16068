"""SIMVCSA against runs of the released code, and what its mathematics promises."""

import numpy as np
import pytest
from estimators.anchor_cases import (
    TOLERANCE,
    VIEWS,
    assert_state,
    incomplete_digits,
    never_rises,
    random_problem,
    scaled_digits,
    states,
)
from helpers import relative
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from mvclust import SIMVCSA
from mvclust.estimators.simvcsa import simvcsa, start_at_random, start_from_samples
from mvclust.numerics.scaled_views import ScaledView
from mvclust.numerics.scaling import unit_samples


def given_start(z, case):
    """The A and F of the first iteration, which are not determined by the method."""
    A = [z[f"{case}_A{v}_start"] for v in VIEWS]
    return {"A": A, "F": z[f"{case}_F_start"].T.copy()}


@pytest.mark.parametrize("case", ["c1", "c2", "c3"])
def test_equals_oracle(oracle, case):
    z = oracle("modern_simvcsa")
    views, presence = scaled_digits("sample_unit")
    start = tuple(given_start(z, case).values())
    last, iterations = states(z, case)
    weights = {"lam": float(z[f"{case}_lambda"]), "mu": float(z[f"{case}_mu"])}
    for n_iter in iterations:
        found, objective, _ = simvcsa(views, presence, [start], **weights, max_iter=n_iter, tol=-1)
        letters = {"F": found["F"].T, "gamma": found["gamma"]}
        for v in VIEWS:
            letters |= {f"A{v}": found["A"][v - 1], f"P{v}": found["P"][v - 1]}
            letters[f"Z{v}"] = found["Z"][v - 1].T
        assert_state(found, z, case, n_iter, letters)
    assert len(objective) == last
    np.testing.assert_allclose(objective, z[f"{case}_obj_iters"], rtol=TOLERANCE)


@pytest.mark.parametrize("case", ["c1", "c2", "c3"])
def test_estimator_equals_oracle(oracle, case):
    z = oracle("modern_simvcsa")
    model = SIMVCSA(
        4,
        n_anchors=int(z[f"{case}_m"]),
        lam=float(z[f"{case}_lambda"]),
        mu=float(z[f"{case}_mu"]),
        init=given_start(z, case),
        random_state=0,
    ).fit(incomplete_digits())
    assert model.n_iter_ == z[f"{case}_n_iter"]
    np.testing.assert_allclose(model.objective_, z[f"{case}_obj_iters"], rtol=TOLERANCE)
    if model.F_.shape[1] == 4:  # else the embedding of the released code is arbitrary
        rows = unit_samples(z[f"{case}_F_it{model.n_iter_}"].T)
        assert relative(model.embedding_ @ model.embedding_.T, rows @ rows.T) < 1e-8


@given(
    seed=st.integers(0, 500),
    m=st.integers(1, 8),
    lam=st.sampled_from([0.0, 0.1, 5.0]),
    mu=st.sampled_from([0.0, 0.3]),
    drawn=st.booleans(),
)
@settings(max_examples=80, deadline=None)
def test_objective_never_rises_and_constraints_are_kept(seed, m, lam, mu, drawn):
    Xs, presence = random_problem(seed, low=2)  # also more anchors than features
    views = [ScaledView(X, "sample_unit") for X in Xs]
    if drawn:
        start = start_at_random(views, m, seed)
    else:
        start = start_from_samples(views, presence, np.arange(m))
    found, objective, _ = simvcsa(
        views, presence, [start], lam=lam, mu=mu, max_iter=40, tol=-np.inf
    )
    assert never_rises(objective[1:])  # the start need not be feasible
    for Z, P in zip(found["Z"], found["P"], strict=True):
        assert Z.min() >= 0
        np.testing.assert_allclose(Z.sum(axis=1), 1)
        np.testing.assert_allclose(P.T @ P, np.eye(m), atol=1e-8)
    for orthonormal in (*found["A"], found["F"]):
        values = np.linalg.svd(orthonormal, compute_uv=False)
        assert np.minimum(abs(values), abs(values - 1)).max() < 1e-5
    assert found["gamma"].sum() == pytest.approx(1)


def test_objective_is_that_of_the_factors():
    Xs, presence = random_problem(3, n=40, low=9, high=12)
    views = [ScaledView(X, "sample_unit") for X in Xs]
    start = start_from_samples(views, presence, np.arange(5))
    found, objective, _ = simvcsa(views, presence, [start], lam=0.3, mu=0.2, max_iter=15, tol=-1)
    expected = 0.0
    for v, view in enumerate(views):
        Z = found["Z"][v]
        residual = view.take(np.arange(40)) - (Z * presence[:, [v]]) @ found["A"][v].T
        expected += found["gamma"][v] ** 2 * np.sum(residual**2) + 0.2 * np.sum(Z**2)
        expected += 0.3 * np.sum((Z @ found["P"][v].T - found["F"]) ** 2)
    assert objective[-1] == pytest.approx(expected, rel=1e-9)


def test_neither_the_order_of_samples_nor_that_of_views_matters_to_a_start():
    Xs, presence = random_problem(1, n=50, low=8, high=12)
    order = np.random.default_rng(0).permutation(50)
    samples = np.array([3, 30, 11, 8])

    def run(Xs, presence, samples):
        views = [ScaledView(X, "sample_unit") for X in Xs]
        start = start_from_samples(views, presence, samples)
        return simvcsa(views, presence, [start], lam=0.5, mu=0.1, max_iter=12, tol=-1)

    one = run(Xs, presence, samples)
    two = run([X[order] for X in Xs], presence[order], np.argsort(order)[samples])
    three = run(Xs[::-1], presence[:, ::-1], samples)
    assert relative(two.factors["F"], one.factors["F"][order]) < 1e-8
    assert relative(three.factors["F"], one.factors["F"]) < 1e-8


def test_drawn_starts_are_orthonormal_completions_of_one_anchor():
    views, _ = scaled_digits("sample_unit")
    A, F = start_at_random(views, 5, 3)
    for Q in (*A, F):
        np.testing.assert_allclose(Q.T @ Q, np.eye(5), atol=1e-12)
    assert F[:, 0] == pytest.approx(0.1)
    mean = views[0].take(np.arange(100)).sum(axis=0)
    np.testing.assert_allclose(A[0][:, 0], mean / np.linalg.norm(mean), atol=1e-12)
    assert relative(start_at_random(views, 5, 3)[1], F) == 0
    assert relative(start_at_random(views, 5, 4)[1], F) > 0.1


@pytest.mark.parametrize("init", ["k-means++", "random", "first", "completion"])
def test_every_start_groups_clear_clusters(init, blobs):
    Xs, y = blobs
    model = SIMVCSA(3, init=init, n_starts=3, random_state=0).fit(Xs)
    assert len({tuple(pair) for pair in zip(y, model.labels_, strict=True)}) == 3


def test_without_weights_missing_samples_join_all_anchors_alike():
    """Nothing is known about their rows then; the released code divides 0 by 0."""
    Xs = incomplete_digits()
    with pytest.warns(ConvergenceWarning):
        model = SIMVCSA(4, lam=0, mu=0, max_iter=12, random_state=0).fit(Xs)
    missing = np.isnan(Xs[1]).all(axis=1)
    np.testing.assert_allclose(model.Z_[1][missing], 1 / 8)
    assert np.isfinite(model.embedding_).all()


def test_transform_represents_the_samples_of_fit_as_they_are():
    Xs = incomplete_digits()
    model = SIMVCSA(4, tol=1e-10, max_iter=3000, random_state=0).fit(Xs)
    assert relative(model.transform(Xs), model.embedding_) < 1e-3
    assert (model.predict(Xs) == model.labels_).mean() > 0.95


def test_says_when_it_did_not_converge_and_what_is_wrong():
    Xs = incomplete_digits()
    with pytest.warns(ConvergenceWarning, match="SIMVCSA stopped at max_iter=2"):
        SIMVCSA(4, max_iter=2, random_state=0).fit(Xs)
    with pytest.raises(ValueError, match="SIMVCSA: view 1 is zero throughout; leave it out"):
        SIMVCSA(4).fit([Xs[0], np.zeros((100, 2))])
    with pytest.raises(ValueError, match="n_anchors=101 is more than the 100 samples"):
        SIMVCSA(4, n_anchors=101).fit(Xs)
    model = SIMVCSA(4, init={"A": [np.zeros((X.shape[1], 8)) for X in Xs]})
    with pytest.raises(ValueError, match="init lacks 'F', it gives A"):
        model.fit(Xs)
