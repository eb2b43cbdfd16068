"""SNF, NEMO, IMSCAGL and LFIMVC: the released code of SNF, and the steps of all."""

import numpy as np
import pytest
from helpers import relative

from mvclust import SNF
from mvclust.estimators.imscagl import imscagl, shrink_singular
from mvclust.estimators.lfimvc import lfimvc
from mvclust.estimators.nemo import nemo_similarity
from mvclust.estimators.snf import snf_similarity
from mvclust.estimators.tensor_steps import presence_graph
from mvclust.masking import apply_mask, random_mask
from mvclust.numerics.neighborhoods import (
    local_affinity,
    standardised,
    strongest,
    symmetric_squared_distances,
)
from mvclust.testing import make_blobs

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def data(rate=0.3):
    Xs, _ = make_blobs(seed=1)
    return apply_mask(Xs, random_mask(len(Xs[0]), len(Xs), rate, 0)) if rate else Xs


@pytest.mark.parametrize(("case", "every"), [("sim", 4), ("digits", 2)])
def test_snf_equals_oracle(oracle, case, every):
    """snfpy 0.2.2 on the data that it ships: K = 20, mu = 0.5, 20 steps, squared distances.

    "sim" are both of its simulated views; "digits" every fifth sample of three of its views of
    digits. The oracle holds every tenth row of the first affinity, and some rows of the result.
    """
    z = oracle("snfpy")
    Xs = [z[name] for name in sorted(z) if name.startswith(f"{case}_X")]
    first = local_affinity(symmetric_squared_distances(standardised(Xs[0])), 20, 0.5)
    assert relative(first[::10], z[f"{case}_affinity"]) < 1e-8
    W = SNF(3, variant="snfpy", random_state=0).fit(Xs).similarity_
    assert relative(W[::every], z[f"{case}_W"]) < 1e-8


@pytest.mark.parametrize("variant", ["snftool", "snfpy"])
def test_equal_views_fuse_to_the_same_however_many(variant):
    W = local_affinity(symmetric_squared_distances(data(0)[0]), 5, 0.5)
    two, three = (
        snf_similarity([W] * n, n_neighbors=5, n_iter=20, variant=variant) for n in (2, 3)
    )
    np.testing.assert_allclose(two, three, rtol=1e-12)
    np.testing.assert_array_equal(two, two.T)
    np.testing.assert_allclose(strongest(W, 5, ties=variant == "snfpy").sum(axis=1), 1)


def test_nemo_of_six_samples_by_hand():
    """Six samples on a line, two views: the second lacks the last two samples."""
    X = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [12.5]])
    rows = [np.arange(6), np.arange(4)]
    S = nemo_similarity([X, X[:4]], rows, 6, n_neighbors=2, mu=0.5)
    both = []
    for size in (6, 4):
        W = local_affinity(((X[:size] - X[:size].T) ** 2), 2, 0.5)
        N = np.zeros_like(W)
        for i, row in enumerate(W):
            kept = row >= np.sort(row)[-2]
            N[i, kept] = row[kept] / row[kept].sum()
        both.append(N + N.T)
    expected = both[0].copy()
    expected[:4, :4] = (expected[:4, :4] + both[1]) / 2
    np.testing.assert_allclose(S, expected)


def test_pairs_that_share_no_view_are_as_similar_as_others_in_the_mean():
    X = np.random.default_rng(0).random((6, 2))
    S = nemo_similarity([X[:4], X[2:]], [np.arange(4), np.arange(2, 6)], 6, n_neighbors=2, mu=0.5)
    known = np.ones((6, 6), dtype=bool)
    known[:2, 4:] = known[4:, :2] = False
    np.testing.assert_allclose(S[~known], S[np.tril(known, -1)].mean())
    alone = nemo_similarity(
        [X], [np.arange(6)], 6, n_neighbors=None, mu=0.5
    )  # a sixth: itself alone
    np.testing.assert_allclose(np.diag(alone), 2)


def test_imscagl_keeps_its_constraints():
    Xs, rows = data(), []
    views = []
    for X in Xs:
        rows.append(np.flatnonzero(~np.isnan(X).any(axis=1)))
        views.append(X[rows[-1]].T / np.linalg.norm(X[rows[-1]], axis=1))
    start = [presence_graph(X, np.arange(X.shape[1]), 3) for X in views]
    options = {"lambda1": 0.01, "lambda2": 1000.0, "lambda3": 0.1, "tol": 0.0}
    factors = imscagl(views, rows, start, len(Xs[0]), 3, **options, max_iter=250).factors
    for each in (factors["U"], *factors["F"]):
        np.testing.assert_allclose(each.T @ each, np.eye(3), atol=1e-10)
    for X, Z, S, W, E in zip(views, *(factors[f] for f in "ZSWE"), strict=True):
        assert (W >= 0).all()
        np.testing.assert_allclose(W.sum(axis=1), 1)
        assert not np.diagonal(W).any()
        assert max(np.abs(Z - S).max(), np.abs(Z - W).max(), np.abs(X - X @ Z - E).max()) < 1e-5


def test_shrinking_singular_values_is_proximal():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(6, 4))
    B, norm = shrink_singular(A, 0.7)
    value = 0.7 * norm + ((B - A) ** 2).sum() / 2
    for _ in range(200):
        other = B + 10.0 ** rng.uniform(-4, 0) * rng.normal(size=A.shape)
        assert value <= 0.7 * np.linalg.norm(other, "nuc") + ((other - A) ** 2).sum() / 2


@pytest.mark.parametrize("lam", [2.0**-15, 1.0, 2.0**15])
def test_lfimvc_never_falls_and_stays_orthonormal(lam):
    bases = [np.linalg.qr(np.random.default_rng(v).normal(size=(20, 3)))[0] for v in range(3)]
    bases[0][:5] = 0
    factors, objective, _ = lfimvc(bases, lam=lam, max_iter=50, tol=0.0)
    assert (np.diff(objective) >= -1e-12 * objective[-1]).all()
    for each in (factors["H"], *factors["HP"], *factors["WP"]):
        np.testing.assert_allclose(each.T @ each, np.eye(3), atol=1e-10)
