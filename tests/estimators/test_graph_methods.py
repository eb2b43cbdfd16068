"""Graphs and spectra: runs of the authors' code, and what their mathematics promises."""

import numpy as np
import pytest
from helpers import relative
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.linalg import eigh
from scipy.optimize import brentq

from mvclust import AMGL, CLR, SNF, CoRegSpectral, CoTrainSpectral, SwMC
from mvclust.estimators.amgl import amgl, normalized_laplacian
from mvclust.estimators.clr import clr, suggest_n_clusters
from mvclust.estimators.coreg_spectral import coreg_centroid, coreg_pairwise
from mvclust.estimators.cotrain_spectral import cotrain
from mvclust.estimators.imscagl import imscagl
from mvclust.estimators.lfimvc import lfimvc
from mvclust.estimators.mvsc import SelfRepresentation, start_from_graphs
from mvclust.estimators.nemo import nemo_similarity
from mvclust.estimators.snf import snf_similarity
from mvclust.estimators.swmc import swmc
from mvclust.estimators.tensor_steps import presence_graph
from mvclust.masking import random_mask
from mvclust.metrics import adjusted_rand_index
from mvclust.numerics import neighborhoods as near
from mvclust.numerics.affinity import gaussian_affinity, normalized_affinity
from mvclust.numerics.connected import graph_spectrum, nearest_connected_graph
from mvclust.numerics.eigen import smallest_eigenpairs
from mvclust.numerics.graphs import adaptive_neighbor_graph, connected_components, laplacian
from mvclust.numerics.scaling import unit_samples


def test_amgl_equals_oracle(oracle):
    z = oracle("baselines_amgl")
    Ws = [adaptive_neighbor_graph(z[f"X{v}"]) for v in (1, 2, 3)]
    for v, W in enumerate(Ws, 1):
        assert relative(W.toarray(), z[f"W{v}"]) < 1e-10
    Ls = [normalized_laplacian(W) for W in Ws]
    factors, objective, change = amgl(Ls, 5, max_iter=100, tol=1e-8)
    F, weights = factors["F"], factors["alpha"]
    np.testing.assert_allclose(weights, z["alpha_iters"], rtol=1e-8)
    np.testing.assert_allclose(objective, z["obj_iters"], rtol=1e-10)
    assert change < 1e-8
    assert relative(F @ F.T, z["P_it10"]) < 1e-8
    alpha = np.vstack([np.full(3, 1 / 3), weights[:-1]])
    for iteration in (1, 5, 10):
        L = sum(a * L for a, L in zip(alpha[iteration - 1], Ls, strict=True))
        values, _ = smallest_eigenpairs(L, 6)
        np.testing.assert_allclose(values, z[f"eig_it{iteration}"], rtol=1e-8)
    model = AMGL(5, random_state=0).fit([z[f"X{v}"] for v in (1, 2, 3)])
    assert model.n_iter_ == 10
    np.testing.assert_allclose(model.alpha_, z["alpha_iters"][-1], rtol=1e-8)


def test_a_graph_that_can_be_cut_for_nothing_does_not_spoil_the_weights():
    """Three components in every view, and the views agree: all traces are 0."""
    W = sparse.block_diag([np.ones((5, 5)) - np.eye(5)] * 3, format="csr")
    factors, objective, change = amgl([normalized_laplacian(W)] * 2, 3, max_iter=9, tol=1e-8)
    assert objective == [0.0] * 3
    assert change == 0
    assert np.isfinite(factors["alpha"]).all()
    assert np.linalg.matrix_rank(factors["F"].round(8)) == 3


@pytest.mark.parametrize("max_iter", [1, 5, 50])
def test_swmc_equals_oracle(oracle, max_iter):
    z = oracle("baselines_swmc")
    Ws = [sparse.csr_array(z[f"W{v}"]) for v in (1, 2, 3)]
    factors, objective, change = swmc(Ws, z["alpha0"], 5, max_iter=max_iter, tol=1e-8, max_inner=50)
    S = factors["S"]
    n_iter = min(max_iter, 20)
    assert len(objective) == n_iter
    assert relative(S.toarray(), z[f"S_it{n_iter}"]) < 1e-10
    np.testing.assert_allclose(objective, z["obj_iters"][:n_iter], rtol=1e-10)
    np.testing.assert_allclose(factors["alpha"], z["alpha_iters"][:n_iter], rtol=1e-10)
    if max_iter == 50:
        assert change < 1e-8
        A = (S + S.T).toarray() > 0
        assert ((z["labels"][:, None] == z["labels"]) >= A).all()


def test_swmc_finds_clear_clusters_from_any_weights(blobs):
    Xs, y = blobs
    model = SwMC(3, init={"alpha": [0.2, 0.3, 0.5]}).fit(Xs)
    assert adjusted_rand_index(y, model.labels_) == 1
    np.testing.assert_allclose(model.S_.sum(axis=1), 1)
    np.testing.assert_allclose(model.objective_[-1], (0.5 / model.alpha_).sum())
    for init in ("random", "uniform"):
        assert adjusted_rand_index(y, SwMC(3, init=init, random_state=0).fit(Xs).labels_) == 1


@pytest.mark.parametrize("n_clusters", [5, 8])
def test_clr_equals_oracle(oracle, n_clusters):
    z, c = oracle("baselines_clr"), f"c{n_clusters}_"
    np.testing.assert_array_equal(suggest_n_clusters(z["A0"]), z["suggested"])
    A0 = sparse.csr_array(z["A0"])
    F, _, _ = graph_spectrum(A0, n_clusters)
    for max_iter in (1, 5, 11, 30):
        found = nearest_connected_graph(A0, F, max_iter=max_iter)
        name = "S_final" if max_iter == 30 else f"S_it{max_iter}"
        assert relative(found.S.toarray(), z[c + name]) < 1e-10
    assert found.converged
    np.testing.assert_allclose(found.lam, z[c + "lambda_used"], rtol=1e-14)
    np.testing.assert_allclose(np.c_[found.low, found.high], z[c + "fn1_fn2"], atol=1e-12)
    model = CLR(n_clusters, init={"A0": z["A0"]}).fit([z["A0"]])
    assert adjusted_rand_index(model.labels_, z[c + "labels"]) == 1
    distance = ((model.S_.toarray() - z["A0"]) ** 2).sum()
    np.testing.assert_allclose(model.objective_[-1], distance, rtol=1e-8)
    assert model.n_iter_ == len(z[c + "lambda_used"])


def test_l1_equals_its_formulas_row_by_row(oracle):
    """The authors' runs are of l2 only, so these are the formulas as they stand."""
    A0 = oracle("baselines_clr")["A0"]
    S, u, lam, k = np.zeros_like(A0), np.ones_like(A0), 0.1, 5
    F = eigh(np.diag(A0.sum(axis=1)) - A0)[1][:, :k]
    for n_iter in range(1, 5):
        for i, a in enumerate(A0):
            J = np.flatnonzero(a)
            p = ((F[i] - F[J]) ** 2).sum(axis=1)
            top = u[i, J] * a[J] - lam / 2 * p

            def row(theta, top=top, c=u[i, J]):
                return np.maximum((top + theta) / c, 0)

            theta = brentq(lambda t, row=row: row(t).sum() - 1, -1e9, 1e9, xtol=1e-13, rtol=1e-14)
            S[i, J] = row(theta)
            u[i, J] = 0.5 / np.sqrt((S[i, J] - a[J]) ** 2 + np.finfo(float).eps)
        W = (S + S.T) / 2
        values, vectors = eigh(np.diag(W.sum(axis=1)) - W)
        F = vectors[:, :k]
        found = clr(sparse.csr_array(A0), k, norm="l1", lam=0.1, max_iter=n_iter)
        assert relative(found.factors["S"].toarray(), S) < 1e-6
        expected = np.abs(S - A0).sum() + 2 * lam * values[:k].sum()
        np.testing.assert_allclose(found.objective[-1], expected, rtol=1e-8)
        np.testing.assert_allclose(found.stop, values[:k].sum(), rtol=1e-6)
        lam *= 2


def test_a_graph_with_the_right_components_is_returned_at_once(blobs):
    Xs, y = blobs
    model = CLR(3).fit(Xs)
    assert adjusted_rand_index(y, model.labels_) == 1
    assert (model.S_ != model.A0_).nnz == 0
    np.testing.assert_array_equal(model.objective_, [0.0])


def test_more_neighbors_are_taken_if_the_graph_falls_apart(blobs):
    Xs, _ = blobs
    model = CLR(2, n_neighbors=3).fit(Xs)
    assert connected_components(model.A0_).max() < 2
    assert len(np.unique(model.labels_)) == 2
    apart = np.kron(np.eye(3), np.ones((15, 15)) - np.eye(15))
    with pytest.raises(ValueError, match="falls into 3 components, more than n_clusters=2"):
        CLR(2, init={"A0": apart}).fit(Xs)


def test_subproblems_of_mvsc_equal_oracle(oracle):
    """Objectives to 1e-10; the oracle's Z itself is less exact: its objective is the larger one."""
    z = oracle("baselines_mvsc")
    F, lambda1, affinity = z["F"], float(z["lambda1"]), 0
    P = ((F[:, None] - F) ** 2).sum(axis=2)
    for v in (1, 2):
        X, E = z[f"X{v}"].T, z[f"E{v}_in"].T
        view = SelfRepresentation(X, start_from_graphs([X], 5)[0][0], E)
        view.update_Z(F, lambda1, 20000, 1e-12)
        Z = view.Z.toarray().T
        value = np.linalg.norm(X.T - X.T @ Z - E.T) ** 2 + lambda1 / 2 * (P * np.abs(Z)).sum()
        np.testing.assert_allclose(value, z[f"subobj{v}_opt"], rtol=1e-10)
        assert relative(Z, z[f"Z{v}_opt"]) < 2e-7
        view.update_E(float(z["lambda2"]))
        np.testing.assert_allclose(view.E.T, z[f"E{v}_next"], atol=2e-9)
        np.testing.assert_allclose(laplacian(view.affinity()).toarray(), z[f"L{v}"], atol=5e-7)
        affinity += view.affinity()
    values, _ = smallest_eigenpairs(laplacian(affinity), 6)
    np.testing.assert_allclose(values, z["F_next_eigs"], atol=1e-7)
    values, vectors = smallest_eigenpairs(sparse.csr_array(z["L1"] + z["L2"]), 6)
    np.testing.assert_allclose(values, z["F_next_eigs"], atol=1e-12)
    np.testing.assert_allclose(vectors[:, :5] @ vectors[:, :5].T, z["F_next_P"], atol=1e-10)


@pytest.fixture
def authors(oracle):
    z = oracle("baselines_spectral")
    return z, [gaussian_affinity(z[f"X{v}"]) for v in (1, 2, 3)]


def agree(U, columns):
    """Whether U U' has these first columns."""
    return relative(U @ U[: columns.shape[1]].T, columns) <= 1e-8


@pytest.mark.parametrize("rounds", [1, 5, 10])
def test_coregularised_bases_are_the_authors(authors, rounds):
    authors, Ks = authors
    Ls = [normalized_affinity(K) for K in Ks]
    pairs = coreg_pairwise(Ls, 5, lam=0.1, max_iter=rounds, tol=0).factors["U"]
    factors, _, _ = coreg_centroid(Ls, 5, lam=0.1, max_iter=rounds, tol=0)
    for v in range(3):
        assert agree(pairs[v], authors[f"pair_P{v + 1}_it{rounds}"])
        assert agree(factors["U"][v], authors[f"cent_P{v + 1}_it{rounds}"])
    assert agree(factors["U_star"], authors[f"cent_Pstar_it{rounds}"])
    if rounds == 10:
        assert agree(unit_samples(np.hstack(pairs)), authors["pair_concat_gram"])
        assert agree(unit_samples(pairs[0]), authors["pair_view1_rownorm_gram"])


@pytest.mark.parametrize(("run", "n_vectors"), [("p1", 5), ("p15", 8)])
@pytest.mark.parametrize("rounds", [1, 5, 10])
def test_cotraining_is_the_authors(authors, run, n_vectors, rounds):
    authors, Ks = authors
    solution = cotrain(Ks, n_vectors, rounds)
    assert np.isnan(solution.stop)
    for v, Z_v in enumerate(solution.factors["Z"]):
        assert agree(Z_v, authors[f"co_{run}_P{v + 1}_it{rounds}"])
        assert agree(unit_samples(Z_v[:, :5]), authors[f"co_{run}_embed_gram{v + 1}_it{rounds}"])


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 1000), lam=st.floats(0, 10), n_views=st.integers(2, 4))
def test_objectives_never_fall_and_are_what_they_say(seed, lam, n_views):
    rng = np.random.default_rng(seed)
    Ls = [normalized_affinity(gaussian_affinity(rng.normal(size=(25, 3)))) for _ in range(n_views)]
    factors, pairwise, _ = coreg_pairwise(Ls, 3, lam=lam, max_iter=8, tol=0)
    U = factors["U"]
    pairs = sum(np.sum((U[v].T @ U[w]) ** 2) for w in range(n_views) for v in range(w))
    np.testing.assert_allclose(pairwise[-1], traces(U, Ls) + lam * pairs, rtol=1e-10)
    factors, centroid, _ = coreg_centroid(Ls, 3, lam=lam, max_iter=8, tol=0)
    U, consensus = factors["U"], factors["U_star"]
    shared = sum(np.sum((U_v.T @ consensus) ** 2) for U_v in U)
    np.testing.assert_allclose(centroid[-1], traces(U, Ls) + lam * shared, rtol=1e-10)
    for objective in (pairwise, centroid):
        assert (np.diff(objective) >= -1e-10 * np.abs(objective[:-1])).all()
    for U_v in [*U, consensus]:
        np.testing.assert_allclose(U_v.T @ U_v, np.eye(3), atol=1e-10)


def traces(U, Ls):
    return sum(np.vdot(U_v, L @ U_v) for U_v, L in zip(U, Ls, strict=True))


@pytest.mark.parametrize("method", [CoRegSpectral, CoTrainSpectral])
def test_choice_of_the_view(blobs, method):
    for view in ("all", 0, 2):
        assert len(set(method(3, view=view, random_state=0).fit(blobs[0]).labels_)) == 3
    with pytest.raises(ValueError, match="view=3 does not exist"):
        method(3, view=3).fit(blobs[0])
    if method is CoRegSpectral:
        assert method(3, view="best", random_state=0).fit(blobs[0]).n_iter_ >= 2
    else:
        one = method(3, random_state=0).fit(blobs[0][:1])
        assert (len(one.Z_), len(one.labels_)) == (1, 45)


@pytest.mark.parametrize(("case", "every"), [("sim", 4), ("digits", 2)])
def test_snf_equals_oracle(oracle, case, every):
    """snfpy 0.2.2 on the data that it ships: K = 20, mu = 0.5, 20 steps, squared distances.

    "sim" are both of its simulated views; "digits" every fifth sample of three of its views of
    digits. The oracle holds every tenth row of the first affinity, and some rows of the result.
    """
    z = oracle("snfpy")
    Xs = [z[name] for name in sorted(z) if name.startswith(f"{case}_X")]
    squared = near.symmetric_squared_distances(near.standardised(Xs[0]))
    first = near.local_affinity(squared, 20, 0.5)
    assert relative(first[::10], z[f"{case}_affinity"]) < 1e-8
    W = SNF(3, variant="snfpy", random_state=0).fit(Xs).similarity_
    assert relative(W[::every], z[f"{case}_W"]) < 1e-8


@pytest.mark.parametrize("variant", ["snftool", "snfpy"])
def test_equal_views_fuse_to_the_same_however_many(variant, blobs):
    W = near.local_affinity(near.symmetric_squared_distances(blobs[0][0]), 5, 0.5)
    two, three = (
        snf_similarity([W] * n, n_neighbors=5, n_iter=20, variant=variant) for n in (2, 3)
    )
    np.testing.assert_allclose(two, three, rtol=1e-12)
    np.testing.assert_array_equal(two, two.T)
    strongest = near.strongest(W, 5, ties=variant == "snfpy")
    np.testing.assert_allclose(strongest.sum(axis=1), 1)


def test_nemo_of_six_samples_by_hand():
    """Six samples on a line, two views: the second lacks the last two samples."""
    X = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [12.5]])
    S = nemo_similarity([X, X[:4]], [np.arange(6), np.arange(4)], 6, n_neighbors=2, mu=0.5)
    both = []
    for size in (6, 4):
        W = near.local_affinity(((X[:size] - X[:size].T) ** 2), 2, 0.5)
        N = W * (np.sort(W, axis=1)[:, [-2]] <= W)
        N /= N.sum(axis=1, keepdims=True)
        both.append(N + N.T)
    expected, second = both
    expected[:4, :4] = (expected[:4, :4] + second) / 2
    np.testing.assert_allclose(S, expected)


def test_pairs_that_share_no_view_are_as_similar_as_others_in_the_mean():
    X = np.random.default_rng(0).random((6, 2))
    S = nemo_similarity([X[:4], X[2:]], [np.arange(4), np.arange(2, 6)], 6, n_neighbors=2, mu=0.5)
    known = np.ones((6, 6), dtype=bool)
    known[:2, 4:] = known[4:, :2] = False
    np.testing.assert_allclose(S[~known], S[np.tril(known, -1)].mean())
    # a sixth of the samples as neighbours: each alone
    alone = nemo_similarity([X], [np.arange(6)], 6, n_neighbors=None, mu=0.5)
    np.testing.assert_allclose(np.diag(alone), 2)


def test_imscagl_keeps_its_constraints(blobs):
    Xs, presence = blobs[0], random_mask(45, 3, 0.3, 0)
    rows = [np.flatnonzero(there) for there in presence.T]
    views = [unit_samples(X[of]).T for X, of in zip(Xs, rows, strict=True)]
    start = [presence_graph(X, np.arange(X.shape[1]), 3) for X in views]
    options = {"lambda1": 0.01, "lambda2": 1000.0, "lambda3": 0.1, "tol": 0.0, "max_iter": 250}
    factors = imscagl(views, rows, start, len(Xs[0]), 3, **options).factors
    for each in (factors["U"], *factors["F"]):
        np.testing.assert_allclose(each.T @ each, np.eye(3), atol=1e-10)
    for X, Z, S, W, E in zip(views, *(factors[f] for f in "ZSWE"), strict=True):
        assert (W >= 0).all()
        np.testing.assert_allclose(W.sum(axis=1), 1)
        assert not np.diagonal(W).any()
        assert max(np.abs(Z - S).max(), np.abs(Z - W).max(), np.abs(X - X @ Z - E).max()) < 1e-5


@pytest.mark.parametrize("lam", [2.0**-15, 1.0, 2.0**15])
def test_lfimvc_never_falls_and_stays_orthonormal(lam):
    bases = [np.linalg.qr(np.random.default_rng(v).normal(size=(20, 3)))[0] for v in range(3)]
    bases[0][:5] = 0
    factors, objective, _ = lfimvc(bases, lam=lam, max_iter=50, tol=0.0)
    assert (np.diff(objective) >= -1e-12 * objective[-1]).all()
    for each in (factors["H"], *factors["HP"], *factors["WP"]):
        np.testing.assert_allclose(each.T @ each, np.eye(3), atol=1e-10)
