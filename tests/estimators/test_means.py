"""RMKMC, MVKKM, MVSpec, LMVSC and OPIMC: released code, and what their mathematics promises."""

from unittest import mock

import numpy as np
import pytest
from estimators.shared_cases import by_view, masked_views, oracle_views, zero_views
from helpers import assert_equal_to_oracle, relative
from hypothesis import given, settings
from hypothesis import strategies as st

from mvclust import LMVSC, MVKKM, OPIMC, RMKMC, MVSpec
from mvclust.estimators import lmvsc as lmvsc_steps
from mvclust.estimators import mvkkm as mvkkm_steps
from mvclust.estimators import opimc as opimc_steps
from mvclust.estimators import rmkmc as rmkmc_steps
from mvclust.masking import random_mask
from mvclust.metrics import accuracy, adjusted_rand_index
from mvclust.numerics.scaling import unit_samples
from mvclust.testing import make_blobs


@pytest.mark.parametrize("case", ["g5", "g15", "g20", "g50"])
def test_rmkmc_equals_oracle(oracle, case):
    z = oracle("baselines_rmkmc")
    Xs, start = oracle_views(z), z["init_labels"].astype(int)[None]
    for n_iter in range(1, 21):
        options = {"gamma": int(case[1:]) / 10, "max_iter": n_iter, "tol": -1}
        factors, objective, _ = rmkmc_steps.rmkmc(Xs, start, 5, **options)
        assert (factors["labels"] == z[f"{case}_labels_iters"][:, n_iter - 1]).all()
        alpha = z[f"{case}_alpha_iters"][n_iter - 1]
        np.testing.assert_allclose(factors["alpha"], alpha, rtol=1e-8)
        if n_iter in (1, 20):
            F = [F_v.T for F_v in factors["F"]]
            assert_equal_to_oracle(z, f"{case}_{{}}{{}}_it{n_iter}", F=F, D=list(factors["D"]))
    np.testing.assert_allclose(objective, z[f"{case}_obj_iters"], rtol=1e-8)
    if case == "g20":
        init = {"G": np.eye(5)[z["init_labels"]]}
        model = RMKMC(5, gamma=2, scale=None, init=init, tol=1e-9).fit(Xs)
        assert model.objective_[-1] == pytest.approx(objective[-1], rel=1e-8)
        assert (model.labels_ == factors["labels"]).all()


def test_centroids_of_rmkmc_are_geometric_medians(blobs):
    """Unit residuals cancel."""
    Xs, _ = blobs
    model = RMKMC(3, gamma=2, scale=None, tol=1e-12, random_state=0).fit(Xs)
    for X, F in zip(Xs, model.F_, strict=True):
        for c in range(3):
            R = F[c] - X[model.labels_ == c]
            assert np.linalg.norm((R / np.linalg.norm(R, axis=1)[:, None]).mean(axis=0)) < 1e-4


def test_wide_view_of_rmkmc_equals_its_coordinates():
    Xs, _ = make_blobs(seed=1)
    rng = np.random.default_rng(0)
    rotation = np.linalg.qr(rng.normal(size=(80, 5)))[0]
    wide = [Xs[0] @ rotation.T, *Xs[1:]]  # more features than samples, same distances
    start = {"G": np.eye(3)[rng.integers(0, 3, size=45)]}
    one, other = (RMKMC(3, scale=None, init=start).fit(views) for views in (Xs, wide))
    np.testing.assert_allclose(one.objective_, other.objective_, rtol=1e-8)
    np.testing.assert_allclose(one.F_[0] @ rotation.T, other.F_[0], rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("block", [rmkmc_steps.BLOCK, 1])
def test_best_of_several_runs_of_rmkmc_is_kept(monkeypatch, block):
    monkeypatch.setattr(rmkmc_steps, "BLOCK", block)
    rng = np.random.default_rng(0)
    Xs = [rng.normal(size=(60, 4)), rng.normal(size=(60, 3))]
    starts = rng.integers(0, 5, size=(8, 60))
    options = {"gamma": 3.0, "max_iter": 300, "tol": 1e-8}
    alone = [rmkmc_steps.rmkmc(Xs, start[None], 5, **options).objective[-1] for start in starts]
    together = rmkmc_steps.rmkmc(Xs, starts, 5, **options).objective[-1]
    assert together == pytest.approx(min(alone), rel=1e-10)


def test_empty_clusters_of_rmkmc_are_filled(blobs):
    Xs, y = blobs
    model = RMKMC(3, init={"G": np.eye(3)[np.zeros(45, dtype=int)]}).fit(Xs)
    assert len(set(model.labels_)) == 3
    assert accuracy(y, model.labels_) > 0.6


EXPONENTS = [("p10", 1.0), ("p15", 1.5), ("p20", 2.0), ("p40", 4.0)]


def oracle_kernels(z):
    Ks = np.zeros((3, 150, 150))
    for K, upper in zip(Ks, by_view(z, "K{}_triu"), strict=True):
        K[np.triu_indices(150)] = upper
        K += np.triu(K, 1).T
    return list(Ks)


def assert_run_equal(factors, objective, z, prefix):
    np.testing.assert_allclose(factors["w"], z[f"{prefix}w_in_iters"], rtol=1e-8)
    np.testing.assert_allclose(factors["D"], z[f"{prefix}D_iters"], rtol=1e-8)
    np.testing.assert_allclose(objective, z[f"{prefix}obj_iters"], rtol=1e-8)


@pytest.mark.parametrize(("case", "p"), EXPONENTS)
def test_mvkkm_equals_oracle(oracle, case, p):
    z = oracle("baselines_mvkkm")
    Ks = oracle_kernels(z)
    K = mvkkm_steps.combine(Ks, np.ones(3) / 3, p)
    start = mvkkm_steps.start_from_kernel(K, 5, "global", 1, 0)
    assert adjusted_rand_index(z[f"{case}_init_labels"], start) == 1
    for n_iter, expected in enumerate(z[f"{case}_labels_iters"].T, 1):
        factors, objective, _ = mvkkm_steps.mvkkm(Ks, start, 5, p=p, max_iter=n_iter, tol=1e-4)
        assert adjusted_rand_index(expected, factors["labels"]) == 1
    assert_run_equal(factors, objective, z, f"{case}_")


@pytest.mark.parametrize(("case", "p"), EXPONENTS)
def test_mvspec_equals_oracle(oracle, case, p):
    z = oracle("baselines_mvkkm")
    for max_iter, end in ((1, "it1"), (100, "final")):
        options = {"p": p, "max_iter": max_iter, "tol": 1e-4}
        factors, objective, _ = mvkkm_steps.mvspec(oracle_kernels(z), 5, **options)
        Y, expected = factors["Y"], z[f"{case}_spec_Y_{end}"]
        assert relative(Y @ Y.T, expected @ expected.T) < 1e-8
    assert_run_equal(factors, objective, z, f"{case}_spec_")


def test_mvkkm_and_mvspec_on_given_kernels_equal_oracle(oracle):
    z = oracle("baselines_mvkkm")
    Ks = oracle_kernels(z)
    model = MVKKM(5, p=1.5, kernel="precomputed", init="global").fit(Ks)
    assert adjusted_rand_index(z["p15_labels_iters"][:, -1], model.labels_) == 1
    np.testing.assert_allclose(model.objective_, z["p15_obj_iters"], rtol=1e-8)
    np.testing.assert_allclose(model.w_, z["p15_w_in_iters"][-1], rtol=1e-8)
    spectral = MVSpec(5, p=1.5, kernel="precomputed", random_state=0).fit(Ks)
    np.testing.assert_allclose(spectral.objective_, z["p15_spec_obj_iters"], rtol=1e-8)
    # No labels explain more than the eigenvectors of the same weights.
    assert spectral.objective_[0] <= model.objective_[0]


def test_distances_of_mvkkm_are_those_to_the_cluster_means(blobs):
    Xs, _ = blobs
    model = MVKKM(3, kernel="linear", scale=None, random_state=0).fit(Xs)
    for X, D in zip(Xs, model.D_, strict=True):
        means = np.array([X[model.labels_ == c].mean(axis=0) for c in range(3)])
        spread = ((X - means[model.labels_]) ** 2).sum()
        scale = 2 * ((X - X.mean(axis=0)) ** 2).sum() / len(X)  # mean squared distance
        np.testing.assert_allclose(D, spread / scale, rtol=1e-9)


def test_best_start_of_mvkkm_is_the_better_one():
    rng = np.random.default_rng(3)
    K = mvkkm_steps.view_kernels([rng.random((60, 40))], "linear", "test")[0]
    errors = {}
    for init in ("global", "spectral", "best"):
        labels = mvkkm_steps.start_from_kernel(K, 4, init, 5, 0)
        errors[init] = mvkkm_steps.mvkkm([K], labels, 4, p=2, max_iter=1, tol=0).objective[0]
    assert errors["best"] <= min(errors.values()) * (1 + 1e-12)


@pytest.mark.parametrize("case", [f"m{m}_a{a}" for m in (4, 10) for a in (1, 2, 3)])
def test_lmvsc_equals_oracle(oracle, case):
    """Representations, singular values and the embedding, up to the signs of its columns."""
    z = oracle("modern_lmvsc")
    start = {"H": by_view(z, f"{case.partition('_')[0]}_H{{}}")}
    model = LMVSC(4, alpha=float(z[f"{case}_alpha"]), scale=None, init=start, random_state=0)
    model.fit(oracle_views(z))
    assert_equal_to_oracle(z, f"{case}_{{}}{{}}", Z=[Z.T for Z in model.Z_])
    np.testing.assert_allclose(model.sigma_, z[f"{case}_sig"], rtol=1e-8)
    U, expected = model.U_, z[f"{case}_U"]
    assert relative(U * np.sign((U * expected).sum(axis=0)), expected) < 1e-8
    if case == "m10_a1":
        assert adjusted_rand_index(model.labels_, z[f"{case}_labels_km20"]) == 1


def test_objective_of_lmvsc_is_that_of_the_factors(blobs):
    Xs, _ = blobs
    model = LMVSC(3, scale=None, random_state=0).fit(Xs)
    parts = zip(Xs, model.Z_, model.H_, strict=True)
    value = sum(((X - Z @ H) ** 2).sum() + 0.1 * (Z**2).sum() for X, Z, H in parts)
    np.testing.assert_allclose(model.objective_, [value])


def test_anchors_of_lmvsc_come_from_a_sample_of_many_samples(monkeypatch, blobs):
    Xs, y = blobs
    everything = LMVSC(3, random_state=0).fit(Xs)
    monkeypatch.setattr(lmvsc_steps, "ANCHOR_SAMPLES", 30)
    model = LMVSC(3, random_state=0).fit(Xs)
    assert not np.allclose(model.H_[0], everything.H_[0])
    assert accuracy(y, model.labels_) == 1


def test_lmvsc_with_fewer_directions_than_clusters():
    """With one anchor all samples are the same: one direction, which is constant."""
    Xs, _ = make_blobs()
    with pytest.warns(match="found 1 clusters of the 3"):
        model = LMVSC(3, n_anchors=1, random_state=0).fit(Xs)
    assert model.embedding_.shape == (45, 1)
    np.testing.assert_allclose(model.Z_[0], 1)
    assert model.transform(Xs).shape == (45, 1)


# With few enough samples in every cluster the exact variant does the same; only it has two forms:
# by features, and by products of samples.
OPIMC_RUNS = [(case, "author", 0) for case in ("c1", "c2")]
OPIMC_RUNS += [("c2", "exact", narrow) for narrow in (0, 1000)]


@pytest.mark.parametrize("n_iter", [1, 5, 30])
@pytest.mark.parametrize(("case", "variant", "narrow"), OPIMC_RUNS)
def test_opimc_equals_oracle(oracle, monkeypatch, case, variant, narrow, n_iter):
    """First iterations of the first block of 30 samples, then all blocks."""
    z = oracle("modern_opimc")
    monkeypatch.setattr(opimc_steps, "NARROW", narrow)
    blocks = np.split(np.arange(100), [30, 60, 90])
    options = {"variant": variant, "alpha": float(z[f"{case}_alpha"]), "scale": "sample_unit"}
    if n_iter < 30:
        blocks, limits = blocks[:1], {"n_passes": 1, "tol": 0}
    else:
        limits = {"n_passes": int(z[f"{case}_passes"]), "tol": 1e-6}
    options |= limits | {"max_iter": n_iter}
    factors = opimc_steps.opimc(*zero_views(z), blocks, z["V0"], **options).factors
    U, R = ([part.T for part in factors[letter]] for letter in "UR")
    if n_iter < 30:
        assert_equal_to_oracle(z, f"{case}_{{}}{{}}_it{n_iter}", U=U)
        step = z[f"{case}_labels_trace"][n_iter - 1, :30]
        assert (factors["labels"][:30] == step).all()
        return
    assert (factors["labels"] == z[f"{case}_labels"]).all()
    assert_equal_to_oracle(z, f"{case}_{{}}{{}}_final", U=U, R=R, T=list(factors["T"]))
    trace = z[f"{case}_trace"]
    places = np.unique(trace[:, :2], axis=0)
    for found, place in zip(factors["values"], places, strict=True):
        expected = trace[(trace[:, :2] == place).all(axis=1), 3]
        # The released code repeats an iteration after which no label changes.
        found = [*found, found[-1]][: len(expected)]
        np.testing.assert_allclose(found, expected, rtol=1e-8)


@pytest.mark.parametrize("variant", ["author", "exact"])
def test_opimc_as_an_estimator_equals_oracle(oracle, variant):
    z = oracle("modern_opimc")
    options = {"alpha": 0.1, "block_size": 30, "shuffle": False, "init": {"V": z["V0"]}}
    model = OPIMC(4, variant=variant, **options).fit(masked_views(z))
    assert (model.labels_ == z["c2_labels"]).all()
    assert_equal_to_oracle(z, "c2_{}{}_final", U=[U.T for U in model.U_])


@given(
    seed=st.integers(0, 1000), alpha=st.sampled_from([0.0, 0.1, 20.0]),
    init=st.sampled_from(["random", "kmeans"]), narrow=st.sampled_from([0, 1000]),
)  # fmt: skip
@settings(max_examples=40, deadline=None)
def test_no_iteration_of_opimc_raises_the_value(seed, alpha, init, narrow):
    rng, presence = np.random.default_rng(seed), random_mask(80, 2, 0.3, seed)
    Xs = [rng.normal(size=(80, 6)), rng.normal(size=(80, 3))]
    Xs = [unit_samples(X) * there[:, None] for X, there in zip(Xs, presence.T, strict=True)]
    V = rng.random((20, 5)) if init == "random" else np.eye(5)[rng.integers(0, 5, 20)]
    options = {"alpha": alpha, "n_passes": 3, "variant": "exact", "scale": None}
    with mock.patch.object(opimc_steps, "NARROW", narrow):
        factors, objective, _ = opimc_steps.opimc(
            Xs, presence, np.split(np.arange(80), 4), V, **options, max_iter=30, tol=0
        )
    for values in factors["values"]:
        assert (np.diff(values) <= 1e-10).all()
    assert (np.diff(objective[3:]) <= 1e-10 * abs(objective[3])).all()  # all samples are seen
    value = 0.0
    for X, U, there in zip(Xs, factors["U"], presence.T, strict=True):
        value += ((X - U[factors["labels"]])[there] ** 2).sum() + alpha * (U**2).sum()
    np.testing.assert_allclose(objective[-1], value, rtol=1e-9)


@pytest.mark.parametrize("variant", ["exact", "author"])
@pytest.mark.parametrize(("block_size", "n_blocks"), [(7, 7), (1, 15)])
def test_every_block_of_opimc_has_a_sample_for_every_cluster(blobs, variant, block_size, n_blocks):
    options = {"block_size": block_size, "variant": variant, "random_state": 0}
    model = OPIMC(3, **options).fit(blobs[0])
    assert model.n_iter_ == 2 * n_blocks
    assert accuracy(blobs[1], model.labels_) == 1


def test_complete_samples_of_opimc_come_first():
    presence = random_mask(45, 3, 0.3, 0)
    blocks = OPIMC(3, block_size=10)._blocks(presence, 0)
    complete = presence.all(axis=1)
    order = np.concatenate(blocks)
    assert sorted(order) == list(range(45))
    assert (np.diff(complete[order].astype(int)) <= 0).all()
    assert not np.array_equal(order, np.argsort(~complete, kind="stable"))
