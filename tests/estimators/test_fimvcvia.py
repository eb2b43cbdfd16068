"""FIMVCVIA against runs of the released code, and what its mathematics promises."""

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

from mvclust import FIMVCVIA
from mvclust.estimators.fimvcvia import fimvcvia
from mvclust.numerics.anchors import sample_products
from mvclust.numerics.scaled_views import ScaledView
from mvclust.numerics.scaling import unit_samples


@pytest.mark.parametrize("case", ["c1", "c2", "c3"])
def test_equals_oracle(oracle, case):
    z = oracle("modern_fimvcvia")
    views, presence = scaled_digits("sample_unit")
    start = sample_products(views, np.arange(int(z[f"{case}_m"])))
    last, iterations = states(z, case)
    for n_iter in iterations:
        found, objective, _ = fimvcvia(
            views, presence, [start], lam=float(z[f"{case}_lambda"]), max_iter=n_iter, tol=-1
        )
        letters = {"Z": found["Z"].T, "alpha": found["alpha"]}
        letters |= {f"A{v}": found["A"][v - 1] for v in VIEWS}
        assert_state(found, z, case, n_iter, letters)
    assert len(objective) == last
    np.testing.assert_allclose(objective, z[f"{case}_obj_iters"], rtol=TOLERANCE)


@pytest.mark.parametrize("case", ["c1", "c2", "c3"])
def test_estimator_equals_oracle(oracle, case):
    z = oracle("modern_fimvcvia")
    model = FIMVCVIA(
        4,
        n_anchors=int(z[f"{case}_m"]),
        lam=float(z[f"{case}_lambda"]),
        init="first",
        random_state=0,
    ).fit(incomplete_digits())
    assert model.n_iter_ == z[f"{case}_n_iter"]
    np.testing.assert_allclose(model.objective_, z[f"{case}_obj_iters"], rtol=TOLERANCE)
    U = unit_samples(z[f"{case}_UU_final"])  # columns are determined up to signs
    assert relative(model.embedding_ @ model.embedding_.T, U @ U.T) < 1e-8


@given(seed=st.integers(0, 500), m=st.integers(1, 8), lam=st.sampled_from([0.0, 0.1, 5.0]))
@settings(max_examples=60, deadline=None)
def test_objective_never_rises_and_constraints_are_kept(seed, m, lam):
    Xs, presence = random_problem(seed, low=2)  # also more anchors than features
    views = [ScaledView(X, "sample_unit") for X in Xs]
    start = sample_products(views, np.arange(m))
    found, objective, _ = fimvcvia(views, presence, [start], lam=lam, max_iter=40, tol=-np.inf)
    assert never_rises(objective)
    assert found["Z"].min() >= 0
    np.testing.assert_allclose(found["Z"].sum(axis=1), 1)
    assert found["alpha"].sum() == pytest.approx(1)
    for A in found["A"]:
        values = np.linalg.svd(A, compute_uv=False)
        assert np.minimum(abs(values), abs(values - 1)).max() < 1e-8


def test_objective_is_that_of_the_factors():
    Xs, presence = random_problem(3, n=40, low=9, high=12)
    views = [ScaledView(X, "sample_unit") for X in Xs]
    start = sample_products(views, np.arange(5))
    found, objective, _ = fimvcvia(views, presence, [start], lam=0.3, max_iter=7, tol=0)
    expected = 0.3 * np.sum(found["Z"] ** 2)
    for v, view in enumerate(views):
        Z = found["Z"] * presence[:, [v]]
        residual = view.take(np.arange(40)) - Z @ found["A"][v].T
        expected += found["alpha"][v] ** 2 * np.sum(residual**2)
    assert objective[-1] == pytest.approx(expected, rel=1e-10)


def test_neither_the_order_of_samples_nor_that_of_views_matters_to_a_start():
    Xs, presence = random_problem(1, n=50, low=8, high=12)
    order = np.random.default_rng(0).permutation(50)
    samples = np.array([3, 30, 11, 8])

    def run(Xs, presence, samples):
        views = [ScaledView(X, "sample_unit") for X in Xs]
        start = sample_products(views, samples)
        return fimvcvia(views, presence, [start], lam=0.5, max_iter=8, tol=-1)

    one = run(Xs, presence, samples)
    two = run([X[order] for X in Xs], presence[order], np.argsort(order)[samples])
    three = run(Xs[::-1], presence[:, ::-1], samples)
    assert relative(two.factors["Z"], one.factors["Z"][order]) < 1e-8
    assert relative(three.factors["Z"], one.factors["Z"]) < 1e-8


def test_start_samples_without_a_view_leave_no_arbitrary_anchor():
    """The anchor of such a sample is zero in that view at first; the graph then gives it one."""
    Xs = incomplete_digits()
    Xs[1][:3] = np.nan
    model = FIMVCVIA(4, n_anchors=4, lam=0.1, init="first", max_iter=1, random_state=0)
    with pytest.warns(ConvergenceWarning):
        model.fit(Xs)
    assert (np.linalg.norm(model.A_[1], axis=0) < 1e-12).sum() == 3
    model.set_params(max_iter=50).fit(Xs)
    np.testing.assert_allclose(model.A_[1].T @ model.A_[1], np.eye(4), atol=1e-10)


def test_transform_represents_the_samples_of_fit_as_they_are():
    Xs = incomplete_digits()
    model = FIMVCVIA(4, tol=1e-9, max_iter=3000, random_state=0).fit(Xs)
    assert relative(model.transform(Xs), model.embedding_) < 1e-4
    assert (model.predict(Xs) == model.labels_).mean() > 0.95


def test_dict_gives_the_graph_to_start_from():
    Xs = incomplete_digits()
    one = FIMVCVIA(4, n_anchors=6, init={"Z": np.eye(100, 6)}, random_state=0).fit(Xs)
    two = FIMVCVIA(4, n_anchors=6, init="first", random_state=0).fit(Xs)
    np.testing.assert_allclose(one.objective_, two.objective_, rtol=1e-12)
    assert (one.labels_ == two.labels_).all()


def test_says_when_it_did_not_converge_and_what_is_wrong():
    Xs = incomplete_digits()
    with pytest.warns(ConvergenceWarning, match="FIMVCVIA stopped at max_iter=2"):
        FIMVCVIA(4, lam=0, max_iter=2, random_state=0).fit(Xs)
    with pytest.raises(ValueError, match="FIMVCVIA: view 1 is zero throughout; leave it out"):
        FIMVCVIA(4).fit([Xs[0], np.zeros((100, 2))])
    with pytest.raises(ValueError, match="n_anchors=101 is more than the 100 samples"):
        FIMVCVIA(4, n_anchors=101).fit(Xs)
    with pytest.raises(ValueError, match=r"Z has shape \(100, 4\), expected \(100, 8\)"):
        FIMVCVIA(4, init={"Z": np.zeros((100, 4))}).fit(Xs)
