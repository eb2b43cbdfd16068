"""OMVC against a run of the authors' code, and what its mathematics promises."""

import numpy as np
import pytest
from helpers import assert_equal_to_oracle, relative
from hypothesis import given, settings
from hypothesis import strategies as st

from mvclust.estimators import omvc as module
from mvclust.estimators.omvc import OMVC, Stream
from mvclust.masking import apply_mask, random_mask
from mvclust.testing import make_blobs

VIEWS = (1, 2, 3)


def streams_of(z):
    return [
        Stream(np.where(m[:, None], z[f"X{v}"], 0), m, 50)
        for v, m in zip(VIEWS, z["mask"].T.astype(bool), strict=True)
    ]


def start_of(z):
    return {
        "U": [np.vstack([z[f"U{v}_init_block{b}"] for b in (1, 2, 3)]) for v in VIEWS],
        "B": [z[f"V{v}_init"] for v in VIEWS],
    }


def test_filling_and_weights_equal_oracle(oracle):
    z = oracle("baselines_omvc")
    for v, stream in zip(VIEWS, streams_of(z), strict=True):
        blocks = [stream.rows(slice(first, first + 50)) for first in (0, 50, 100)]
        assert relative(np.vstack(blocks), z[f"X{v}"]) < 1e-12
        np.testing.assert_allclose(stream.weights, z["Wdiag"][:, v - 1] ** 2, rtol=1e-12)


def test_author_variant_equals_oracle(oracle):
    z = oracle("baselines_omvc")
    start = start_of(z)
    limits = {"block_size": 50, "n_passes": 2, "max_iter": 200, "tol": 1e-4}
    weights = {"alpha": z["alpha"], "beta": z["beta"], "variant": "author"}
    factors, _, _ = module.omvc(streams_of(z), start["U"], start["B"], **weights, **limits)
    assert relative(factors["U_star"], z["Ustar_pass2"]) < 1e-6
    assert_equal_to_oracle(z, "{}{}_final", 1e-6, U=factors["U"])
    for i, block in enumerate(factors["blocks"]):
        end = f"pass{i // 3 + 1}_block{i % 3 + 1}"
        assert len(block["objective"]) == z["iters"][i // 3, i % 3]
        np.testing.assert_allclose(block["objective"], z[f"inner_obj_{end}"], rtol=1e-6)
        for ours, theirs in zip("BAH", "VAB", strict=True):
            for v in VIEWS:
                if f"{theirs}{v}_{end}" in z:
                    assert relative(block[ours][v - 1], z[f"{theirs}{v}_{end}"]) < 1e-6


def test_estimator_equals_oracle(oracle):
    z = oracle("baselines_omvc")
    Xs = apply_mask([z[f"X{v}"] for v in VIEWS], z["mask"].astype(bool))
    beta = z["beta"] / [stream.norm for stream in streams_of(z)]
    settings = {"variant": "author", "scale": None, "shuffle": False, "random_state": 0}
    model = OMVC(5, alpha=z["alpha"], beta=beta, init=start_of(z), **settings)
    one = OMVC(5, alpha=z["alpha"], beta=beta, init=start_of(z), n_passes=1, **settings)
    assert relative(model.fit(Xs).U_star_, z["Ustar_pass2"]) < 1e-6
    assert relative(one.fit(Xs).U_star_, z["Ustar_pass1"]) < 1e-6


@given(seed=st.integers(0, 1000), zeros=st.booleans())
@settings(max_examples=40, deadline=None)
def test_halving_without_needless_trials_is_the_same(seed, zeros):
    rng = np.random.default_rng(seed)
    B, step = rng.random((6, 3)), rng.normal(size=(6, 3))
    B[rng.random((6, 3)) < 0.3 * zeros] = 0
    G = rng.random((5, 3))
    S, P = G.T @ G, rng.random((6, 3))
    plain = module._halve(B, step, lambda B: np.vdot(S, B.T @ B) - 2 * np.vdot(P, B))
    assert relative(module._halve_quadratic(B, step, P, S), plain) < 1e-10


@given(
    seed=st.integers(0, 1000),
    rate=st.sampled_from([0.0, 0.3]),
    alpha=st.sampled_from([0.0, 1e-2, 1.0]),
    block_size=st.sampled_from([1, 7, 20, 100]),
)
@settings(max_examples=20, deadline=None)
def test_objective_falls_within_blocks_and_from_pass_to_pass(seed, rate, alpha, block_size):
    Xs, _ = make_blobs(n_per_cluster=7, seed=seed)
    presence = random_mask(21, 3, rate, seed)
    streams = [
        Stream(np.where(m[:, None], X, 0), m, block_size)
        for X, m in zip(Xs, presence.T, strict=True)
    ]
    start = module.start_at_random(streams, 3, seed)
    weights = np.full(3, alpha), 0.01 * np.array([s.norm for s in streams])
    limits = {"block_size": block_size, "n_passes": 4, "max_iter": 10, "tol": 1e-6}
    options = {"alpha": weights[0], "beta": weights[1], "variant": "exact"} | limits
    factors, objective, stop = module.omvc(streams, start["U"], start["B"], **options)
    blocks = factors["blocks"]
    slack = 1e-9 * sum(s.norm for s in streams)
    assert (np.diff(objective) <= slack).all()
    for block in blocks:
        assert (np.diff(block["objective"]) <= slack).all()
    last = [block["objective"] for block in blocks[-(len(blocks) // 4) :]]
    changes = [abs(f[-2] - f[-1]) / f[-2] if len(f) > 1 else np.inf for f in last]
    assert stop == max(changes)
    for U_v, B_v in zip(factors["U"], factors["B"], strict=True):
        assert min(U_v.min(), B_v.min()) >= 0
        np.testing.assert_allclose(B_v.sum(axis=0), 1, atol=1e-10)


@pytest.mark.parametrize("variant", ["exact", "author"])
def test_objective_is_that_of_the_filled_views(blobs, variant):
    presence = random_mask(45, 3, 0.3, 1)
    settings = {"shuffle": False, "scale": None, "variant": variant, "block_size": 10}
    model = OMVC(3, alpha=0.1, beta=0.1, random_state=0, **settings)
    model.fit(apply_mask(blobs[0], presence))
    total = 0
    for X, U, B, m in zip(blobs[0], model.U_, model.B_, presence.T, strict=True):
        X, w = np.where(m[:, None], X, 0), np.ones(45)
        for t in np.flatnonzero(~m):
            X[t] = X[:t][m[:t]].mean(axis=0) if m[:t].any() else X[np.argmax(m)]
            w[t] = max(m[:t].sum(), 1) / (t + 1)
        X, w = X / X.sum(), w[:, None]
        total += np.sum((w * (X - U @ B.T)) ** 2) + 0.1 * np.sum((w * (U - model.U_star_)) ** 2)
        total += 0.1 * np.sum((w * X) ** 2) * U.sum()
    np.testing.assert_allclose(model.objective_[-1], total, rtol=1e-8)


def test_a_view_may_begin_with_missing_samples(blobs):
    Xs = [X.copy() for X in blobs[0]]
    Xs[0][:30] = np.nan
    model = OMVC(3, shuffle=False, block_size=10, random_state=0).fit(Xs)
    assert np.isfinite(model.U_star_).all()
