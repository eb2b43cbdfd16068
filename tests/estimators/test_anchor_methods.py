"""What the methods with an anchor graph promise alike: descent, constraints, order, transform."""

from functools import partial

import numpy as np
import pytest
from estimators.shared_cases import digits, incomplete_digits, never_rises, random_problem
from helpers import relative
from hypothesis import given, settings
from hypothesis import strategies as st

from mvclust import EOMSCCA, FIMVCVIA, IMVCCBG, SIMVCSA, SMVSC
from mvclust.estimators.eomscca import eomscca
from mvclust.estimators.fimvcvia import fimvcvia
from mvclust.estimators.imvccbg import imvccbg
from mvclust.estimators.simvcsa import simvcsa, start_at_random, start_from_samples
from mvclust.estimators.smvsc import smvsc
from mvclust.numerics.anchors import consensus_start, sample_products
from mvclust.numerics.scaled_views import ScaledView


def with_consensus(views, samples, d, first):
    """Products of the samples that start, and A: zero, or of the samples."""
    C = sample_products(views, samples)
    return C, np.zeros((d, len(samples))) if first else consensus_start(C, d)


def run_fimvcvia(views, presence, samples, d, first, mu, **options):
    return fimvcvia(views, presence, [sample_products(views, samples)], **options)


def run_imvccbg(views, presence, samples, d, first, mu, variant, **options):
    start = with_consensus(views, samples, d, first)
    return imvccbg(views, presence, [start], variant=variant, **options)


def run_simvcsa(views, presence, samples, d, first, mu, **options):
    start = start_from_samples(views, presence, samples)
    start = start if first else start_at_random(views, len(samples), d)
    return simvcsa(views, presence, [start], mu=mu, **options)


def run_smvsc(views, presence, samples, d, first, mu, variant, **options):
    start = with_consensus(views, samples, d, first)
    return smvsc(views, [start], variant=variant, **options)


def run_eomscca(views, presence, samples, d, first, mu, lam, **options):
    return eomscca(views, [(samples, *with_consensus(views, samples, d, first))], 3, **options)


RUNS = {
    "FIMVCVIA": run_fimvcvia,
    "IMVCCBG": partial(run_imvccbg, variant="exact"),
    "IMVCCBG, released": partial(run_imvccbg, variant="author"),
    "SIMVCSA": run_simvcsa,
    "SMVSC": partial(run_smvsc, variant="exact"),
    "SMVSC, released": partial(run_smvsc, variant="author"),
    "EOMSCCA": run_eomscca,
}
EXACT = ["FIMVCVIA", "IMVCCBG", "SIMVCSA", "SMVSC"]


def problem(name, seed, **sizes):
    """Scaled views, and their presence; the methods for complete views get these."""
    complete = name.startswith(("SMVSC", "EOMSCCA"))
    Xs, presence = random_problem(seed, missing=0 if complete else 0.3, **sizes)
    return Xs, presence, "feature_zscore" if complete else "sample_unit"


def scaled(Xs, scale):
    return [ScaledView(X, scale) for X in Xs]


def parts_of(found, v):
    """Graph, basis and weight of a view: X_v is about Z_v B_v'."""
    weight = found.get("alpha", found.get("gamma"))[v]
    if "P" in found:
        return found["Z"][v], found["A"][v], weight
    return found["Z"], found["W"][v] @ found["A"] if "W" in found else found["A"][v], weight


@pytest.mark.parametrize("name", EXACT)
@given(
    seed=st.integers(0, 500), m=st.integers(1, 8), d=st.integers(1, 8), first=st.booleans(),
    lam=st.sampled_from([0.0, 0.1, 5.0]), mu=st.sampled_from([0.0, 0.3]),
)  # fmt: skip
@settings(max_examples=60, deadline=None)
def test_objective_never_rises_and_constraints_are_kept(name, seed, m, d, first, lam, mu):
    Xs, presence, scale = problem(name, seed, low=2)  # also more anchors than features
    options = {"lam": lam, "mu": mu, "max_iter": 40, "tol": -np.inf}
    found, objective, _ = RUNS[name](scaled(Xs, scale), presence, np.arange(m), d, first, **options)
    assert never_rises(objective[name == "SIMVCSA" :])  # whose start need not be feasible
    parts = [parts_of(found, v) for v in range(len(Xs))]
    assert sum(weight for _, _, weight in parts) == pytest.approx(1)
    for Z, _, _ in parts:
        assert Z.min() >= 0
        np.testing.assert_allclose(Z.sum(axis=1), 1)
    for P in found.get("P", []):
        np.testing.assert_allclose(P.T @ P, np.eye(m), atol=1e-8)
    if "W" in found:
        A = found["A"] if m <= d else found["A"].T
        np.testing.assert_allclose(A.T @ A, np.eye(min(m, d)), atol=1e-8)
    isometries = found["W"] if "W" in found else found["A"]
    for basis in [*isometries, *([found["F"]] if "F" in found else [])]:
        values = np.linalg.svd(basis, compute_uv=False)
        assert np.minimum(abs(values), abs(values - 1)).max() < 1e-5 if "F" in found else 1e-8


@pytest.mark.parametrize(("m", "d"), [(4, 4), (8, 4), (8, 3)])
@pytest.mark.parametrize("name", RUNS)
def test_objective_is_that_of_the_factors(name, m, d):
    Xs, presence, scale = problem(name, 3, n=40, low=9, high=12)
    if name.startswith(("SMVSC", "EOMSCCA")):
        m, d = m + 1, min(m, d)  # whose maps have null directions with as many components
    views, samples = scaled(Xs, scale), np.arange(m)
    options = {"lam": 0.3, "mu": 0.2, "max_iter": 15, "tol": 0}
    found, objective, _ = RUNS[name](views, presence, samples, d, True, **options)
    expected = 0.0 if name == "SIMVCSA" else 0.3 * np.sum(found["Z"] ** 2)
    if name == "EOMSCCA":  # for its components
        expected = 0.05 * 3
    for v, view in enumerate(views):
        Z, B, weight = parts_of(found, v)
        residual = view.take(np.arange(40)) - (Z * presence[:, [v]]) @ B.T
        expected += weight**2 * np.sum(residual**2)
        if name == "SIMVCSA":
            expected += 0.2 * np.sum(Z**2) + 0.3 * np.sum((Z @ found["P"][v].T - found["F"]) ** 2)
    assert objective[-1] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("name", RUNS)
def test_neither_the_order_of_samples_nor_that_of_views_matters_to_a_start(name):
    Xs, presence, scale = problem(name, 1, n=50, low=8, high=12)
    order = np.random.default_rng(0).permutation(50)
    samples = np.array([3, 30, 11, 8])

    def run(Xs, presence, samples):
        options = {"lam": 0.5, "mu": 0.1, "max_iter": 3 if name == "EOMSCCA" else 8, "tol": -1}
        found = RUNS[name](
            scaled(Xs, scale), presence, samples, 4, name in ("SIMVCSA", "FIMVCVIA"), **options
        )
        return found.factors["F" if name == "SIMVCSA" else "Z"], found.objective

    one, values = run(Xs, presence, samples)
    two, same = run([X[order] for X in Xs], presence[order], np.argsort(order)[samples])
    three, _ = run(Xs[::-1], presence[:, ::-1], samples)
    assert relative(two, one[order]) < 1e-8
    assert relative(three, one) < 1e-8
    np.testing.assert_allclose(same, values, rtol=1e-10)


@pytest.mark.parametrize("estimator", [EOMSCCA, FIMVCVIA])
def test_dict_gives_the_graph_to_start_from(estimator):
    Xs = digits()[0] if estimator is EOMSCCA else incomplete_digits()
    init = {"Z": np.eye(100, 6)} | ({"A": np.zeros((4, 6))} if estimator is EOMSCCA else {})
    one, two = (estimator(4, n_anchors=6, init=i, random_state=0).fit(Xs) for i in (init, "first"))
    np.testing.assert_allclose(one.objective_, two.objective_, rtol=1e-10)
    assert (one.labels_ == two.labels_).all()


@pytest.mark.parametrize(
    ("model", "error"),
    [
        (FIMVCVIA(4, tol=1e-9), 1e-4),
        (IMVCCBG(4, n_anchors=4, tol=1e-9), 1e-5),
        (IMVCCBG(4, n_anchors=9, variant="author", tol=1e-9), 1e-5),
        (SIMVCSA(4, tol=1e-10), 1e-3),
        (SMVSC(4, tol=1e-9), 1e-4),
        (EOMSCCA(4, n_anchors=8), None),
    ],
)
def test_transform_represents_the_samples_of_fit_as_they_are(model, error):
    Xs = incomplete_digits() if model.view_tags.incomplete else digits()[0]
    model.set_params(max_iter=3000, random_state=0).fit(Xs)
    if error is not None:
        assert relative(model.transform(Xs), model.embedding_) < error
    assert (model.predict(Xs) == model.labels_).mean() > (0.95 if error else 0.9)
    assert (model.predict(incomplete_digits()) == model.labels_).mean() > 0.8
