"""Co-regularised and co-trained spectral clustering: runs of the authors' code, and the theory."""

import numpy as np
import pytest
from helpers import relative
from hypothesis import given, settings
from hypothesis import strategies as st

from mvclust import CoRegSpectral, CoTrainSpectral
from mvclust.estimators.coreg_spectral import coreg_centroid, coreg_pairwise
from mvclust.estimators.cotrain_spectral import cotrain
from mvclust.numerics.affinity import gaussian_affinity, normalized_affinity
from mvclust.numerics.scaling import unit_samples
from mvclust.testing import make_blobs


@pytest.fixture
def authors(oracle):
    return oracle("baselines_spectral")


@pytest.fixture
def Ks(authors):
    return [gaussian_affinity(authors[f"X{v}"]) for v in (1, 2, 3)]


def agree(U, columns):
    """Whether U U' has these first columns."""
    return relative(U @ U[: columns.shape[1]].T, columns) <= 1e-8


@pytest.mark.parametrize("rounds", [1, 5, 10])
def test_pairwise_is_the_authors(authors, Ks, rounds):
    Ls = [normalized_affinity(K) for K in Ks]
    U = coreg_pairwise(Ls, 5, lam=0.1, max_iter=rounds, tol=0).factors["U"]
    for v, U_v in enumerate(U):
        assert agree(U_v, authors[f"pair_P{v + 1}_it{rounds}"])
    if rounds == 10:
        assert agree(unit_samples(np.hstack(U)), authors["pair_concat_gram"])
        assert agree(unit_samples(U[0]), authors["pair_view1_rownorm_gram"])


@pytest.mark.parametrize("rounds", [1, 5, 10])
def test_centroid_is_the_authors(authors, Ks, rounds):
    Ls = [normalized_affinity(K) for K in Ks]
    factors, _, _ = coreg_centroid(Ls, 5, lam=0.1, max_iter=rounds, tol=0)
    for v, U_v in enumerate(factors["U"]):
        assert agree(U_v, authors[f"cent_P{v + 1}_it{rounds}"])
    assert agree(factors["U_star"], authors[f"cent_Pstar_it{rounds}"])


@pytest.mark.parametrize(("run", "n_vectors"), [("p1", 5), ("p15", 8)])
@pytest.mark.parametrize("rounds", [1, 5, 10])
def test_cotraining_is_the_authors(authors, Ks, run, n_vectors, rounds):
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


def test_choice_of_the_view():
    Xs, y = make_blobs()
    for model in (CoRegSpectral, CoTrainSpectral):
        for view in ("all", 0, 2):
            assert len(set(model(3, view=view, random_state=0).fit(Xs).labels_)) == 3
        with pytest.raises(ValueError, match="view=3 does not exist"):
            model(3, view=3).fit(Xs)
    assert CoRegSpectral(3, view="best", random_state=0).fit(Xs).n_iter_ >= 2
    one = CoTrainSpectral(3, random_state=0).fit(Xs[:1])
    assert len(one.Z_) == 1
    assert len(one.labels_) == len(y)
