"""TSVDMSC, IMVTSC, ASCR, JPLTD and HCPIMSC: their steps, and what the order of samples does."""

import inspect

import numpy as np
import pytest
from helpers import relative

import mvclust
from mvclust import ASCR, HCPIMSC, IMVTSC, JPLTD, TSVDMSC, load_dataset
from mvclust.estimators import tensor_steps
from mvclust.estimators.ascr import ascr
from mvclust.estimators.hcpimsc import hcpimsc, hypergraph_laplacian
from mvclust.estimators.hcpimsc import inferred as inferred_by_hypergraph
from mvclust.estimators.imscagl import shrink_singular
from mvclust.estimators.imvtsc import imvtsc, inferred
from mvclust.estimators.jpltd import jpltd, represented
from mvclust.estimators.tsvdmsc import errors, short_columns, tsvdmsc
from mvclust.estimators.tsvdmsc import represented as represented_by_columns
from mvclust.masking import apply_mask, random_mask
from mvclust.metrics import accuracy
from mvclust.numerics.products import dense
from mvclust.numerics.tensors import multi_rank, tensor_nuclear_norm

N, K = 33, 3  # an odd number of samples


def data(rate=0.3, seed=0, widths=(5, 40, 8)):
    """Sorted groups that overlap, in views that are wide and narrow."""
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(K), N // K)
    Xs = [1.5 * rng.random((K, d))[y] + 0.5 * rng.random((N, d)) for d in widths]
    return apply_mask(Xs, random_mask(N, len(Xs), rate, seed)) if rate else Xs


def columns_of(Xs):
    presence = np.column_stack([~np.isnan(X).any(axis=1) for X in Xs])
    return tensor_steps.unit_columns(TSVDMSC(K), [np.nan_to_num(X) for X in Xs], presence)


def options_of(model, solver):
    """The parameters of a model that a solver takes by keyword."""
    named = inspect.signature(solver).parameters.values()
    return {p.name: getattr(model, p.name) for p in named if p.kind is p.KEYWORD_ONLY}


ORDERED = [
    ("TSVDMSC", {}), ("TSVDMSC", {"variant": "paper", "lam": 2.0}), ("IMVTSC", {}), ("JPLTD", {}),
    ("ASCR", {"alpha": 1.0}), ("ASCR", {"variant": "paper", "alpha": 0.03}),
    ("ASCR", {"alpha": 1.0, "init": "svd"}), ("HCPIMSC", {}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "parameters"), ORDERED)
def test_only_affine_orders_of_the_file_are_harmless(name, parameters):
    """Reversal, shifts and i -> a i + b change nothing; a shuffle only along the samples."""
    Xs = data(0.0 if name == "TSVDMSC" else 0.3)

    def product_of(order, more):
        """What the labels follow from, one row and column per sample."""
        model = getattr(mvclust, name)(K, random_state=0, **parameters, **more)
        model.fit([X[order] for X in Xs])
        rows = None if hasattr(model, "similarity_") else np.hstack(model.H_)
        return model.similarity_ if rows is None else rows @ rows.T

    samples, shuffle = np.arange(N), np.random.default_rng(0).permutation(N)
    affine = [(a * samples + b) % N for a, b in [(-1, 0), (1, N // 3), (7, 2)]]
    for more in ({}, {"axis": "views"}, {"tubes": "identity"})[: 1 if name == "HCPIMSC" else 3]:
        one = product_of(samples, more)
        for order in [shuffle] if more else [*affine, shuffle]:
            moved = relative(product_of(order, more), one[np.ix_(order, order)])
            if order is not shuffle:
                assert moved < 1e-10
            else:
                assert moved < 1e-8 if more or name == "HCPIMSC" else moved > 1e-3


def test_shared_steps_are_proximal():
    """To the lengths of the columns, to the entries and to the singular values."""
    rng = np.random.default_rng(0)
    F = rng.normal(size=(4, 6))
    F[:, 0] = 0
    B, total = shrink_singular(F, 0.8)
    assert total == pytest.approx(np.linalg.norm(B, "nuc"))
    columns, entries = tensor_steps.shrink_columns(F, 0.8), tensor_steps.soft_threshold(F, 0.8)

    def values(A):
        norms = [np.linalg.norm(A, axis=0).sum(), np.abs(A).sum(), np.linalg.norm(A, "nuc")]
        return 0.8 * np.array(norms) + ((A - F) ** 2).sum() / 2

    for i, best in enumerate((columns, entries, B)):
        for _ in range(200):
            change = 10.0 ** rng.uniform(-4, 0) * rng.normal(size=F.shape)
            assert values(best)[i] <= values(best + change)[i]


@pytest.mark.parametrize("d", [3, 30])
def test_ridge_solver_solves(d):
    X, R = np.random.default_rng(0).normal(size=(d, 20)), np.random.default_rng(1).random((20, 20))
    expected = np.linalg.solve(0.3 * np.eye(20) + 2 * X.T @ X, R)
    np.testing.assert_allclose(tensor_steps.ridge_solver(X, 0.3, 2.0)(R), expected, atol=1e-9)


def test_tsvdmsc_steps_are_exact():
    rng = np.random.default_rng(0)
    X, E, Y = rng.normal(size=(3, 6, 20))
    G, W = rng.normal(size=(2, 20, 20))
    mu, rho = 0.3, 0.7
    Z = represented_by_columns(X, tensor_steps.ridge_solver(X, 1.0, mu / rho), E, Y, G, W, mu, rho)
    gradient = -X.T @ (Y + mu * (X - X @ Z - E)) + W + rho * (Z - G)
    assert np.abs(gradient).max() < 1e-10 * np.abs(W).max()
    together = errors([X, 2 * X], [Y, Y], mu, 0.5)
    expected = tensor_steps.shrink_columns(np.vstack([X + Y / mu, 2 * X + Y / mu]), 0.5 / mu)
    np.testing.assert_array_equal(np.vstack(together), expected)


@pytest.mark.parametrize("variant", ["author", "paper"])
def test_tsvdmsc_meets_its_constraints_and_may_take_shorter_columns(variant):
    views, _ = columns_of(data(0.0))
    options = options_of(TSVDMSC(K, variant=variant), tsvdmsc)
    one, objective, stop = tsvdmsc(views, **options)
    assert stop <= 1e-7
    assert np.abs(one["Z"] - one["G"]).max() <= 1e-7
    for X, Z, E in zip(views, one["Z"], one["E"], strict=True):
        assert np.abs(X - X @ Z - E).max() <= 1e-7
    short = [short_columns(X) for X in views]
    assert [len(X) for X in short] == [5, N, 8]
    other = tsvdmsc(short, **options)
    assert relative(other.factors["Z"], one["Z"]) < 1e-9
    np.testing.assert_allclose(other.objective, objective, rtol=1e-9)


def test_equal_views_get_equal_representations():
    views, _ = columns_of(data(0.0)[:1] * 3)
    Z = tsvdmsc(views, **options_of(TSVDMSC(K, variant="paper", lam=5.0), tsvdmsc)).factors["Z"]
    np.testing.assert_allclose(Z, Z[[1, 2, 0]], atol=1e-12)


def test_imvtsc_stays_on_the_simplex_and_meets_its_constraints():
    views, rows = columns_of(data())
    start = np.stack([tensor_steps.presence_graph(*of, 5) for of in zip(views, rows, strict=True)])
    factors, _, stop = imvtsc(views, rows, start, **options_of(IMVTSC(K), imvtsc))
    assert stop < 1e-6
    assert (factors["Z"] >= 0).all()
    np.testing.assert_allclose(factors["Z"].sum(axis=2), 1)
    assert not np.diagonal(factors["Z"], axis1=1, axis2=2).any()
    for X, Y, Z, B, E, r in zip(views, *(factors[f] for f in "YZBE"), rows, strict=True):
        assert np.abs(Y - Y @ Z - B).max() < 1e-6
        np.testing.assert_array_equal(Y[:, r], X[:, r])
        np.testing.assert_array_equal(np.delete(Y, r, axis=1), E)
    complete, rows = columns_of(data(0.0))
    factors = imvtsc(complete, rows, start, **options_of(IMVTSC(K, max_iter=3), imvtsc)).factors
    assert [E.shape for E in factors["E"]] == [(len(X), 0) for X in complete]
    np.testing.assert_array_equal(factors["Y"][0], complete[0])


def test_imvtsc_infers_the_best_instances():
    rng = np.random.default_rng(0)
    X, B, C = rng.normal(size=(3, 5, 12))
    Z, missing, mu, lambda1 = rng.random((12, 12)), np.array([2, 7]), 0.4, 0.05
    X[:, missing] = 0
    E = inferred(X, Z, B, C, missing, lambda1, mu)
    Y = X.copy()
    Y[:, missing] += E
    Q = np.eye(12)[missing] - Z[missing]
    gradient = 2 * lambda1 * E + (C + mu * (Y - Y @ Z - B)) @ Q.T
    assert np.abs(gradient).max() < 1e-12


@pytest.mark.parametrize(("variant", "alpha"), [("author", 0.5), ("author", 4.0), ("paper", 0.03)])
@pytest.mark.parametrize("init", ["first", "svd"])
def test_ascr_never_rises(variant, alpha, init):
    Xs = data(0.4, widths=(2, 40, 8))  # fewer features than clusters
    model = ASCR(K, alpha=alpha, variant=variant, init=init, max_iter=40, tol=0, random_state=0)
    objective = model.fit(Xs).objective_
    assert (np.diff(objective) <= 1e-12 * objective[0]).all()
    views, rows = columns_of([X for X in Xs if X.shape[1] >= K])
    options = options_of(model.set_params(max_iter=3), ascr)
    start = [np.eye(len(X), K) for X in views]
    last = ascr(views, rows, start, **options).factors
    before = ascr(views, rows, start, **options | {"max_iter": 2}).factors
    for v, X in enumerate(views):
        for factor in (last["A"][v], last["G"][v]):
            np.testing.assert_allclose(factor.T @ factor, np.eye(K), atol=1e-12)
        common = before["H"][v] @ before["G"][v].T
        missing = np.setdiff1d(np.arange(N), rows[v])
        if variant == "author":
            np.testing.assert_array_equal(last["codes"][v][missing], common[missing])
            np.testing.assert_array_equal(
                np.delete(last["codes"][v] - X.T @ last["A"][v], missing, 0), 0
            )
        else:
            assert (last["codes"][v] >= 0).all()


def test_ascr_refines_what_a_perturbation_cannot():
    """The last step is the minimiser over the embeddings: by the value that is reported."""
    views, rows = columns_of(data(0.0))
    A = [np.eye(len(X), K) for X in views]
    options = options_of(ASCR(K, alpha=1.0, max_iter=5, tol=0), ascr)
    factors, objective, _ = ascr(views, rows, A, **options)

    def value(H):
        parts = zip(views, factors["A"], factors["G"], H, strict=True)
        fit = sum(((X - A @ G @ H_v.T) ** 2).sum() for X, A, G, H_v in parts)
        return fit + tensor_nuclear_norm(H)

    assert objective[-1] == pytest.approx(value(factors["H"]), rel=1e-10)
    rng = np.random.default_rng(0)
    for _ in range(100):
        change = 10.0 ** rng.uniform(-4, 0) * rng.normal(size=factors["H"].shape)
        assert value(factors["H"] + change) >= objective[-1] * (1 - 1e-12)


def test_jpltd_steps_are_exact_and_meet_the_constraints():
    rng = np.random.default_rng(0)
    rows = np.array([0, 2, 3, 5, 6, 9])
    T, E, Y = rng.normal(size=(3, 4, 6))
    target, rho = rng.normal(size=(10, 10)), 0.6
    Z = represented(T, rows, E, Y, target, rho)
    gradient = Z - target
    gradient[np.ix_(rows, rows)] -= T.T @ (T - T @ Z[np.ix_(rows, rows)] - E + Y / rho)
    assert np.abs(gradient).max() < 1e-12
    views, rows = columns_of(data())
    views = [X[:, r] for X, r in zip(views, rows, strict=True)]
    options = options_of(JPLTD(K, max_iter=200), jpltd)
    factors, _, stop = jpltd(views, rows, N, **options)
    assert stop < 1e-5
    assert np.abs(factors["Z"] - factors["L"] - factors["S"]).max() < 1e-5
    for X, r, Z, W, E in zip(views, rows, *(factors[f] for f in "ZWE"), strict=True):
        np.testing.assert_allclose(W @ W.T, np.eye(len(W)), atol=1e-12)
        assert np.abs(W @ (X - X @ Z[np.ix_(r, r)]) - E).max() < 1e-5


def test_hcpimsc_keeps_graphs_and_the_tubal_rank():
    views, rows = columns_of(data())
    factors = hcpimsc(views, rows, K, **options_of(HCPIMSC(K), hcpimsc)).factors
    assert (multi_rank(factors["G"], axis="views") <= K).all()
    for Z in [factors["R"], *factors["Z"]]:
        np.testing.assert_array_equal(Z, Z.T)
        assert (Z >= 0).all()
        assert not np.diagonal(Z).any()
    for X, given, r in zip(factors["X"], views, rows, strict=True):
        np.testing.assert_array_equal(X[:, r], given[:, r])
        np.testing.assert_allclose(np.linalg.norm(X, axis=0), 1)


def test_hcpimsc_infers_the_best_instances():
    rng = np.random.default_rng(0)
    X, Z = rng.normal(size=(5, 12)), rng.random((12, 12)) / 12
    L, missing = hypergraph_laplacian(rng.random((12, 12)), 3), np.array([2, 7])
    present = np.setdiff1d(np.arange(12), missing)
    X[:, missing] = inferred_by_hypergraph(X, Z, L, present, missing, 0.3)
    M = (np.eye(12) - Z) @ (np.eye(12) - Z).T + 0.3 * L
    assert np.abs((X @ M)[:, missing]).max() < 1e-10


def test_hypergraph_of_three_samples():
    L = hypergraph_laplacian(np.array([[0.0], [1.0], [3.0]]) * np.ones((1, 3)), 1)
    width = (3**0.5 * (1 + 1 + 2) / 3) ** 2
    near, far = np.exp(-3 / width), np.exp(-12 / width)
    H = np.array([[1, near, 0], [near, 1, far], [0, 0, 1]])
    H /= np.sqrt((H**2).sum(axis=1))[:, None]
    np.testing.assert_allclose(L, np.eye(3) - H @ H.T / 2)


def test_many_samples_are_refused_except_by_ascr():
    X = np.random.default_rng(0).random((2001, 2))
    with pytest.raises(ValueError, match=r"TSVDMSC keeps n x n matrices .* at most 2000"):
        TSVDMSC(2).fit([X])
    assert len(ASCR(2, max_iter=2, n_init=1).fit([X, X]).labels_) == 2001


SORTED = [("yale", TSVDMSC, 0, 0.05), ("msrc-v1", JPLTD, 0.7, 0.3), ("ngs", ASCR, 0.3, 0.3)]


@pytest.mark.parametrize(("name", "estimator", "rate", "gap"), SORTED)
def test_class_sorted_files_are_easier_than_shuffled_ones(mirror, name, estimator, rate, gap):
    files = load_dataset(name, mirror=mirror)
    rng, y, model = np.random.default_rng(0), files.y, estimator(files.n_clusters, random_state=0)
    in_classes = np.lexsort((rng.random(len(y)), y))
    Xs = [dense(X) for X in files.Xs]
    Xs = apply_mask(Xs, random_mask(len(y), len(Xs), rate, 0)) if rate else Xs
    reached = [
        accuracy(y[order], model.fit([X[order] for X in Xs]).labels_)
        for order in (in_classes, rng.permutation(len(y)))
    ]
    assert reached[0] > reached[1] + gap
