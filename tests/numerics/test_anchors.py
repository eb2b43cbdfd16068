"""Anchor graphs: polar factors, exact steps for the graph, residuals, starts, embeddings."""

import itertools

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mvclust.numerics import anchors, gram_svd, kernel_bases
from mvclust.numerics.scaled_views import ScaledView

shapes = {"d": st.integers(1, 7), "m": st.integers(1, 7), "rank": st.integers(1, 7)}


def of_rank(seed, d, m, rank, spread=1.0):
    rng = np.random.default_rng(seed)
    rank = min(rank, d, m)
    left = rng.normal(size=(d, rank)) * np.geomspace(1, spread, rank)
    return left @ rng.normal(size=(rank, m)), rank


@pytest.mark.parametrize("polar", [anchors.polar, kernel_bases.polar])
@given(seed=st.integers(0, 999), spread=st.sampled_from([1.0, 1e3, 1e6]), **shapes)
@settings(max_examples=60, deadline=None)
def test_polar_maximises_and_adds_nothing_in_null_directions(polar, seed, d, m, rank, spread):
    C, rank = of_rank(seed, d, m, rank, spread)
    B = polar(C)
    left, values, right = np.linalg.svd(C, full_matrices=False)
    assert np.vdot(B, C) == pytest.approx(values.sum())
    np.testing.assert_allclose(B, left[:, :rank] @ right[:rank], atol=1e-9)
    np.testing.assert_allclose(B @ B.T @ B, B, atol=1e-10)  # partial isometry
    assert np.sum(B**2) == pytest.approx(rank)
    null = np.linalg.svd(C)[2][rank:]
    np.testing.assert_allclose(B @ null.T, 0, atol=1e-8)
    assert not polar(0 * C).any()


@given(seed=st.integers(0, 999), **shapes)
@example(seed=0, d=3, m=5, rank=1)
@settings(max_examples=60, deadline=None)
def test_completed_polar_is_orthonormal_and_as_near_to_the_guide_as_any(seed, d, m, rank):
    C, rank = of_rank(seed, d, m, rank)
    rng = np.random.default_rng(seed)
    guide = np.linalg.qr(rng.normal(size=(max(d, m), min(d, m))))[0]
    guide = guide if d >= m else guide.T
    A = anchors.completed_polar(C, guide)
    for each in (A, anchors.completed_polar(C, 0 * guide)):  # with a guide, and without
        short = each if d >= m else each.T
        np.testing.assert_allclose(short.T @ short, np.eye(min(d, m)), atol=1e-10)
    assert np.vdot(A, C) == pytest.approx(np.vdot(anchors.polar(C), C))
    known = anchors.polar(C)
    for _ in range(20):  # other completions: those of the polar factor of C + a little noise
        other = anchors.completed_polar(C + 1e-9 * rng.normal(size=(d, m)), np.zeros((d, m)))
        assert np.linalg.norm(other - known) < np.sqrt(min(d, m)) + 1e-6
        assert np.vdot(other, guide) <= np.vdot(A, guide) + 1e-6


def problem(seed, m, n_views=2, n=25):
    rng = np.random.default_rng(seed)
    presence = rng.random((n, n_views)) > 0.3
    presence[~presence.any(axis=1), 0] = True
    Xs = [rng.normal(size=(n, 6)) * there[:, None] for there in presence.T]
    views = [ScaledView(X, "sample_unit") for X in Xs]
    dense = [view.take(np.arange(n)) for view in views]
    weights = rng.random(n_views) + 0.2
    B = [np.linalg.qr(rng.normal(size=(6, m)))[0] for _ in views]
    return views, dense, presence, B, weights


def best_on_simplex(H, b):
    """Minimise z'Hz - 2 b'z over the simplex: the best of all supports."""
    m, best = len(b), (np.inf, None)
    for size in range(1, m + 1):
        for support in map(list, itertools.combinations(range(m), size)):
            K = np.ones((size + 1, size + 1))
            K[:size, :size], K[-1, -1] = 2 * H[np.ix_(support, support)], 0
            s = np.linalg.lstsq(K, np.append(2 * b[support], 1), rcond=None)[0][:size]
            z = np.zeros(m)
            z[support] = s
            if (s > -1e-12).all():
                best = min(best, (z @ H @ z - 2 * b @ z, tuple(z)))
    return np.array(best[1])


@pytest.mark.parametrize("block", [anchors.BLOCK, 40])
@pytest.mark.parametrize("lam", [0.0, 0.7])
@pytest.mark.parametrize("pull", [None, np.array([1.0, 2.0])])
def test_each_row_of_the_graph_solves_its_quadratic_program(monkeypatch, pull, lam, block):
    monkeypatch.setattr(anchors, "BLOCK", block)
    views, dense, presence, B, weights = problem(0, 4)
    Z = np.empty((25, 4))
    fit = anchors.update_graph(views, presence, B, weights, lam, Z, pull=pull)
    linear = weights if pull is None else pull
    for i, there in enumerate(presence):
        b = sum(w_v * X[i] @ B_v for w_v, X, B_v in zip(linear * there, dense, B, strict=True))
        H = (weights @ there + lam) * np.eye(4)
        np.testing.assert_allclose(Z[i], best_on_simplex(H, b), atol=1e-9)
    masked = [Z * there[:, None] for there in presence.T]
    for v, X in enumerate(dense):
        np.testing.assert_allclose(fit.products[v], X.T @ Z, atol=1e-12)
        assert fit.lengths[v] == pytest.approx(np.sum(masked[v] ** 2))
    assert fit.norm == pytest.approx(np.sum(Z**2))
    direct = [np.sum((X - M @ B_v.T) ** 2) for X, M, B_v in zip(dense, masked, B, strict=True)]
    found = anchors.squared_residuals(views, B, fit.products, fit.lengths)
    np.testing.assert_allclose(found, direct)


def test_a_view_that_its_graph_explains_has_no_residual():
    B, Z = np.linalg.qr(np.random.default_rng(0).normal(size=(6, 2)))[0], np.eye(4, 2)
    views = [ScaledView(Z @ B.T, "sample_unit")]
    found = anchors.squared_residuals(views, [B], anchors.graph_products(views, Z), np.sum(Z**2))
    np.testing.assert_allclose(found, [0.0], atol=1e-12)


@given(st.integers(0, 999), st.sampled_from([0.0, 0.5]))
@settings(max_examples=30, deadline=None)
def test_touching_steps_descend_to_the_solution_of_the_quadratic_program(seed, lam):
    rng = np.random.default_rng(seed)
    views, dense, presence, W, weights = problem(seed, 2)
    A = np.linalg.qr(rng.normal(size=(4, 2)))[0].T  # more anchors than components
    B = [W_v @ A for W_v in W]

    def value(Z):
        parts = [
            w * np.sum((X - (Z * there[:, None]) @ B_v.T) ** 2)
            for w, X, there, B_v in zip(weights, dense, presence.T, B, strict=True)
        ]
        return sum(parts) + lam * np.sum(Z**2)

    Z = rng.dirichlet(np.ones(4), size=25)
    values = [value(Z)]
    for _ in range(5):
        fit = anchors.update_graph(
            views, presence, B, weights, lam, Z, A=A, touching=True, grams=True
        )
        values.append(value(Z))
    assert (np.diff(values) <= 1e-12 * values[0]).all()
    np.testing.assert_allclose(fit.grams[0], (Z * presence[:, [0]]).T @ Z, atol=1e-12)
    squared = anchors.squared_residuals(views, B, fit.products, fit.lengths)
    assert weights @ squared + lam * fit.norm == pytest.approx(values[-1])
    if lam:  # the solution is unique then
        found = anchors.new_graph(views, presence, B, weights, lam, A=A, exact=True)
        for i in range(5):
            w = weights * presence[i]
            b = sum(w_v * X[i] @ B_v for w_v, X, B_v in zip(w, dense, B, strict=True))
            solution = best_on_simplex(w.sum() * A.T @ A + lam * np.eye(4), b)
            np.testing.assert_allclose(found[i], solution, atol=1e-6)


def test_the_first_consensus_anchors_are_the_leading_directions_of_the_products():
    views, dense, _, _, _ = problem(4, 3)
    samples = np.array([7, 0, 9])
    products = anchors.sample_products(views, samples)
    A = anchors.consensus_start(products, 2)
    total = sum((X[samples] @ X[samples].T) for X in dense)
    values = np.linalg.eigvalsh(total)
    np.testing.assert_allclose(A @ A.T, np.eye(2), atol=1e-12)
    np.testing.assert_allclose(np.trace(A @ total @ A.T), values[-2:].sum())
    assert (anchors.consensus_start(products, 4) == np.eye(4, 3)).all()


def test_anchors_are_drawn_among_complete_samples_far_from_each_other(monkeypatch):
    rng = np.random.default_rng(0)
    presence = np.ones((40, 2), dtype=bool)
    presence[::2, 1] = False
    X = np.repeat(np.eye(4), 10, axis=0) + 0.01 * rng.random((40, 4))
    views = [ScaledView(X * there[:, None], "sample_unit") for there in presence.T]
    for seed in range(5):
        drawn = anchors.draw_anchors(views, presence, 4, "k-means++", seed)
        assert presence[drawn].all()
        assert sorted(drawn // 10) == [0, 1, 2, 3]
        assert presence[anchors.draw_anchors(views, presence, 4, "random", seed)].all()
        assert len(set(anchors.draw_anchors(views, presence, 30, "k-means++", seed))) == 30
    assert (anchors.draw_anchors(views, presence, 4, "first", 0) == range(4)).all()
    same = [ScaledView(np.ones((6, 2)), "sample_unit")]
    assert len(set(anchors.draw_anchors(same, np.ones((6, 1), dtype=bool), 4, "k-means++", 0))) == 4
    monkeypatch.setattr(anchors, "CANDIDATES", 8)  # many samples are thinned before the draw
    assert len(set(anchors.draw_anchors(views, presence, 5, "k-means++", 0))) == 5


def test_singular_vectors_and_roots_without_null_directions():
    rng = np.random.default_rng(0)
    Z = rng.random((30, 3)) @ rng.random((3, 5))
    U = Z @ gram_svd.singular_map(Z.T @ Z)
    assert U.shape == (30, 3)
    np.testing.assert_allclose(U.T @ U, np.eye(3), atol=1e-8)
    left = np.linalg.svd(Z)[0]
    np.testing.assert_allclose(U @ U.T, left[:, :3] @ left[:, :3].T, atol=1e-8)
    two = Z @ gram_svd.singular_map(Z.T @ Z, 2)
    np.testing.assert_allclose(two @ two.T, left[:, :2] @ left[:, :2].T, atol=1e-8)
    values, _ = gram_svd.gram_eigenpairs(Z.T @ Z)
    np.testing.assert_allclose(values, np.linalg.svd(Z, compute_uv=False)[:3] ** 2)
    np.testing.assert_allclose(Z @ gram_svd.inverse_root(Z.T @ Z), anchors.polar(Z), atol=1e-7)


@pytest.mark.parametrize(("n_features", "d"), [(9, 4), (5, 4), (4, 4), (3, 4)])
def test_null_directions_are_led_out_of_the_products(n_features, d):
    rng = np.random.default_rng(0)
    W = anchors.polar(rng.normal(size=(n_features, 2)) @ rng.normal(size=(2, d)))
    products = np.c_[W @ rng.normal(size=(d, 2)), rng.normal(size=(n_features, 1))]
    full = anchors.isometry(W, products)
    added = full - W
    np.testing.assert_allclose(added @ W.T, 0, atol=1e-12)
    if n_features >= d:
        np.testing.assert_allclose(full.T @ full, np.eye(d), atol=1e-10)
    if n_features >= 5:  # 2 of W, 1 more of the products, 2 that are free
        np.testing.assert_allclose(added.T @ products, 0, atol=1e-10)
    assert np.linalg.matrix_rank(full) == min(n_features, d)


@given(st.integers(0, 10**6), st.lists(st.integers(1, 5), min_size=1, max_size=4), st.booleans())
@settings(deadline=None, max_examples=50)
def test_singular_vectors_of_blocks_without_directions_of_no_weight(seed, widths, dependent):
    rng = np.random.default_rng(seed)
    blocks = [rng.standard_normal((30, width)) for width in widths]
    blocks += [blocks[0] @ np.ones((widths[0], 3)), np.zeros((30, 1))] if dependent else []
    U, sigma, V = gram_svd.left_singular_vectors(blocks, 3)
    _, expected, _ = np.linalg.svd(np.hstack(blocks), full_matrices=False)
    np.testing.assert_allclose(sigma, expected[: min(3, sum(widths))], rtol=1e-10)
    np.testing.assert_allclose(U.T @ U, np.eye(len(sigma)), atol=1e-10)
    np.testing.assert_allclose(np.hstack(blocks) @ V, U * sigma, atol=1e-10)


def test_zeros_have_no_singular_vectors():
    assert gram_svd.left_singular_vectors([np.zeros((4, 2))], 2)[0].shape == (4, 0)
