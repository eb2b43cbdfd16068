"""IMVCCBG against runs of the released code, and what its mathematics promises."""

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
from scipy import io
from sklearn.exceptions import ConvergenceWarning

from mvclust import FIMVCVIA, IMVCCBG
from mvclust.estimators.imvccbg import imvccbg
from mvclust.numerics.anchors import consensus_start, sample_products
from mvclust.numerics.scaled_views import ScaledView
from mvclust.numerics.scaling import unit_samples


def first_start(views, m, d):
    return sample_products(views, np.arange(m)), np.zeros((d, m))


@pytest.mark.parametrize("case", ["c1", "c2"])
def test_equals_oracle(oracle, case):
    """The improved version; c2 has more anchors than components."""
    z = oracle("modern_imvccbg")
    views, presence = scaled_digits("sample_unit")
    start = first_start(views, int(z[f"{case}_m"]), int(z[f"{case}_d"]))
    _, iterations = states(z, case)
    for n_iter in iterations:
        found, objective, _ = imvccbg(
            views, presence, [start], lam=0, variant="author", max_iter=n_iter, tol=-1
        )
        letters = {"A": found["A"], "Z": found["Z"].T, "alpha": found["alpha"]}
        letters |= {f"W{v}": found["W"][v - 1] for v in VIEWS}
        assert_state(found, z, case, n_iter, letters)
    np.testing.assert_allclose(objective, z[f"{case}_obj_iters"], rtol=TOLERANCE)
    values = np.linalg.svd(found["Z"], compute_uv=False)
    np.testing.assert_allclose(values, z[f"{case}_sv_Z_final"], atol=1e-9)


@pytest.mark.parametrize("case", ["c1", "c2"])
def test_estimator_equals_oracle(oracle, case):
    z = oracle("modern_imvccbg")
    model = IMVCCBG(
        4, n_anchors=int(z[f"{case}_m"]), lam=0, variant="author", init="first", random_state=0
    ).fit(incomplete_digits())
    assert model.n_iter_ == z[f"{case}_n_iter"]
    np.testing.assert_allclose(model.objective_, z[f"{case}_obj_iters"], rtol=TOLERANCE)
    U = unit_samples(z[f"{case}_UU_final"])  # columns are determined up to signs
    assert relative(model.embedding_ @ model.embedding_.T, U @ U.T) < 1e-8


@pytest.mark.parametrize("share", ["per07", "per08"])
def test_original_version_equals_the_results_that_the_authors_stored(oracle, mirror, share):
    """MATLAB's Z and singular vectors of BDGP, every 25th sample; 70 and 80 % paired samples."""
    file = mirror / "bdgp" / "BDGP_fea_Per1.mat"
    if not file.is_file():
        pytest.skip("the mirror has no BDGP")
    z, data = oracle("modern_imvccbg_bdgp"), io.loadmat(file)["data"].ravel()
    presence = np.unpackbits(z[f"{share}_mask"], axis=0)[:2500].astype(bool)
    Xs = [np.where(there[:, None], X.T, np.nan) for X, there in zip(data, presence.T, strict=True)]
    lam = float(z[f"{share}_lambda"])
    model = IMVCCBG(
        5, lam=lam, variant="author", embedding="all", init="first", n_init=1, random_state=0
    ).fit(Xs)
    np.testing.assert_allclose(model.Z_[::25].T, z[f"{share}_Z"], atol=1e-12)
    np.testing.assert_allclose(np.abs(model.embedding_[::25]), np.abs(z[f"{share}_F"]), atol=1e-11)


@given(
    seed=st.integers(0, 500),
    m=st.integers(1, 8),
    d=st.integers(1, 8),
    lam=st.sampled_from([0.0, 0.1, 5.0]),
    first=st.booleans(),
)
@settings(max_examples=80, deadline=None)
def test_exact_never_rises_and_keeps_its_constraints(seed, m, d, lam, first):
    Xs, presence = random_problem(seed, low=2)  # also more anchors than features
    views = [ScaledView(X, "sample_unit") for X in Xs]
    C, A = first_start(views, m, d)
    start = (C, A if first else consensus_start(C, d))
    found, objective, _ = imvccbg(
        views, presence, [start], lam=lam, variant="exact", max_iter=40, tol=-np.inf
    )
    assert never_rises(objective)
    assert found["Z"].min() >= 0
    np.testing.assert_allclose(found["Z"].sum(axis=1), 1)
    assert found["alpha"].sum() == pytest.approx(1)
    A = found["A"] if m <= d else found["A"].T
    np.testing.assert_allclose(A.T @ A, np.eye(min(m, d)), atol=1e-8)
    for W in found["W"]:
        values = np.linalg.svd(W, compute_uv=False)
        assert np.minimum(abs(values), abs(values - 1)).max() < 1e-8


@pytest.mark.parametrize(("m", "d"), [(4, 4), (8, 4), (4, 6)])
def test_objective_is_that_of_the_factors(m, d):
    Xs, presence = random_problem(3, n=40, low=9, high=12)
    views = [ScaledView(X, "sample_unit") for X in Xs]
    for variant in ("exact", "author"):
        found, objective, _ = imvccbg(
            views, presence, [first_start(views, m, d)], lam=0.3, variant=variant, max_iter=7, tol=0
        )
        expected = 0.3 * np.sum(found["Z"] ** 2)
        for v, view in enumerate(views):
            Z = found["Z"] * presence[:, [v]]
            residual = view.take(np.arange(40)) - Z @ found["A"].T @ found["W"][v].T
            expected += found["alpha"][v] ** 2 * np.sum(residual**2)
        assert objective[-1] == pytest.approx(expected, rel=1e-10)


def test_with_as_many_components_as_anchors_A_stays_and_views_have_their_own_anchors():
    views, presence = scaled_digits("sample_unit")
    start = first_start(views, 4, 4)
    one, many = (
        imvccbg(views, presence, [start], lam=1, variant="exact", max_iter=n, tol=-1).factors
        for n in (1, 9)
    )
    assert relative(many["A"], one["A"]) < 1e-10
    # and so from the same start the method is FIMVCVIA
    Xs = incomplete_digits()
    Z = np.eye(100, 4)
    A = np.eye(4)
    a = IMVCCBG(4, variant="exact", init={"Z": Z, "A": A}, random_state=0).fit(Xs)
    b = FIMVCVIA(4, n_anchors=4, init={"Z": Z}, random_state=0).fit(Xs)
    np.testing.assert_allclose(a.objective_, b.objective_, rtol=1e-10)
    assert relative(a.Z_, b.Z_) < 1e-9
    assert (a.labels_ == b.labels_).all()


@pytest.mark.parametrize("variant", ["exact", "author"])
def test_neither_the_order_of_samples_nor_that_of_views_matters_to_a_start(variant):
    Xs, presence = random_problem(1, n=50, low=8, high=12)
    order = np.random.default_rng(0).permutation(50)
    samples = np.array([3, 30, 11, 8])

    def run(Xs, presence, samples):
        views = [ScaledView(X, "sample_unit") for X in Xs]
        C = sample_products(views, samples)
        start = (C, consensus_start(C, 3))
        return imvccbg(views, presence, [start], lam=0.5, variant=variant, max_iter=8, tol=-1)

    one = run(Xs, presence, samples)
    two = run([X[order] for X in Xs], presence[order], np.argsort(order)[samples])
    three = run(Xs[::-1], presence[:, ::-1], samples)
    assert relative(two.factors["Z"], one.factors["Z"][order]) < 1e-8
    assert relative(three.factors["Z"], one.factors["Z"]) < 1e-8
    np.testing.assert_allclose(one.objective, two.objective, rtol=1e-10)


def test_original_and_improved_version_cluster_other_rows():
    Xs = incomplete_digits()
    unit, plain = (
        IMVCCBG(4, n_anchors=8, embedding=e, init="first", random_state=0).fit(Xs)
        for e in ("leading_unit", "all")
    )
    assert unit.embedding_.shape == (100, 4)
    np.testing.assert_allclose(np.linalg.norm(unit.embedding_, axis=1), 1)
    rank = np.linalg.matrix_rank(plain.Z_, tol=1e-6)
    assert plain.embedding_.shape == (100, rank)
    np.testing.assert_allclose(plain.embedding_.T @ plain.embedding_, np.eye(rank), atol=1e-8)


@pytest.mark.parametrize("variant", ["exact", "author"])
@pytest.mark.parametrize("m", [4, 9])
def test_transform_represents_the_samples_of_fit_as_they_are(variant, m):
    Xs = incomplete_digits()
    model = IMVCCBG(4, n_anchors=m, variant=variant, tol=1e-9, max_iter=3000, random_state=0)
    model.fit(Xs)
    assert relative(model.transform(Xs), model.embedding_) < 1e-5
    assert (model.predict(Xs) == model.labels_).mean() > 0.95


def test_best_of_several_starts_is_kept():
    Xs = incomplete_digits()
    ends = [
        IMVCCBG(4, lam=0, n_starts=n, random_state=1).fit(Xs).objective_[-1] for n in (1, 3, 10)
    ]
    assert ends[2] <= ends[1] <= ends[0]
    assert ends[2] < ends[0]


def test_says_when_it_did_not_converge():
    with pytest.warns(ConvergenceWarning, match="IMVCCBG stopped at max_iter=2"):
        IMVCCBG(4, lam=0, max_iter=2, random_state=0).fit(incomplete_digits())


def test_bad_views_anchors_and_starts_are_named():
    Xs = incomplete_digits()
    with pytest.raises(ValueError, match="IMVCCBG: view 1 is zero throughout; leave it out"):
        IMVCCBG(4).fit([Xs[0], np.zeros((100, 2))])
    with pytest.raises(ValueError, match="n_anchors=101 is more than the 100 samples"):
        IMVCCBG(4, n_anchors=101).fit(Xs)
    with pytest.raises(ValueError, match=r"A has shape \(4, 5\), expected \(4, 4\)"):
        IMVCCBG(4, init={"Z": np.zeros((100, 4)), "A": np.zeros((4, 5))}).fit(Xs)
    with pytest.raises(ValueError, match="lam"):
        IMVCCBG(4, lam=-1).fit(Xs)
