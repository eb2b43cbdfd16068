"""MVKKM and MVSpec against runs of the authors' code, and what their mathematics promises."""

import numpy as np
import pytest
from helpers import find_mirror, relative
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from mvclust import MVKKM, MVSpec
from mvclust.estimators import mvkkm as module
from mvclust.metrics import accuracy, adjusted_rand_index
from mvclust.testing import make_blobs

EXPONENTS = {"p10": 1.0, "p15": 1.5, "p20": 2.0, "p40": 4.0}


def oracle_kernels(z):
    Ks = []
    for v in (1, 2, 3):
        K = np.zeros((150, 150))
        K[np.triu_indices(150)] = z[f"K{v}_triu"]
        Ks.append(K + np.triu(K, 1).T)
    return Ks


@pytest.mark.parametrize("case", EXPONENTS)
def test_kernel_kmeans_equals_oracle(oracle, case):
    z, p = oracle("baselines_mvkkm"), EXPONENTS[case]
    Ks = oracle_kernels(z)
    start = module.start_from_kernel(module.combine(Ks, np.ones(3) / 3, p), 5, "global", 1, 0)
    assert adjusted_rand_index(z[f"{case}_init_labels"], start) == 1
    for n_iter, expected in enumerate(z[f"{case}_labels_iters"].T, 1):
        factors, objective, _ = module.mvkkm(Ks, start, 5, p=p, max_iter=n_iter, tol=1e-4)
        assert adjusted_rand_index(expected, factors["labels"]) == 1
    np.testing.assert_allclose(factors["w"], z[f"{case}_w_in_iters"], rtol=1e-8)
    np.testing.assert_allclose(factors["D"], z[f"{case}_D_iters"], rtol=1e-8)
    np.testing.assert_allclose(objective, z[f"{case}_obj_iters"], rtol=1e-8)


@pytest.mark.parametrize("case", EXPONENTS)
def test_spectral_form_equals_oracle(oracle, case):
    z, p = oracle("baselines_mvkkm"), EXPONENTS[case]
    Ks = oracle_kernels(z)
    for max_iter, end in ((1, "it1"), (100, "final")):
        factors, objective, _ = module.mvspec(Ks, 5, p=p, max_iter=max_iter, tol=1e-4)
        Y = factors["Y"]
        expected = z[f"{case}_spec_Y_{end}"]
        assert relative(Y @ Y.T, expected @ expected.T) < 1e-8
    np.testing.assert_allclose(factors["w"], z[f"{case}_spec_w_in_iters"], rtol=1e-8)
    np.testing.assert_allclose(factors["D"], z[f"{case}_spec_D_iters"], rtol=1e-8)
    np.testing.assert_allclose(objective, z[f"{case}_spec_obj_iters"], rtol=1e-8)


def test_estimators_run_on_given_kernels(oracle):
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


@given(
    seed=st.integers(0, 1000),
    p=st.sampled_from([1.0, 1.1, 1.5, 4.0]),
    kernel=st.sampled_from(["rbf", "linear"]),
    estimator=st.sampled_from([MVKKM, MVSpec]),
)
@settings(max_examples=30, deadline=None)
def test_objective_never_rises_and_weights_sum_to_one(seed, p, kernel, estimator):
    rng = np.random.default_rng(seed)
    Xs = [rng.normal(size=(25, 7)), rng.normal(size=(25, 9))]  # ranks above n_clusters
    model = estimator(3, p=p, kernel=kernel, tol=1e-9, random_state=0).fit(Xs)
    assert (
        np.diff(model.objective_) <= 1e-4 * model.objective_[0]
    ).all()  # 1e-5 of a weight is cut
    assert (model.w_ >= 0).all()
    assert model.w_.sum() == pytest.approx(1)
    np.testing.assert_allclose(model.objective_[-1], model.w_**p @ model.D_, rtol=1e-12)


@given(seed=st.integers(0, 1000), p=st.sampled_from([1.05, 1.5, 2.0, 6.0]))
@settings(max_examples=30, deadline=None)
def test_no_other_weights_are_better(seed, p):
    rng = np.random.default_rng(seed)
    D = rng.random(4) + 0.1
    w = module.view_weights(D, p)
    others = rng.dirichlet(np.ones(4), size=200)
    assert (others**p @ D >= w**p @ D * (1 - 1e-4)).all()


def test_distances_are_those_to_the_cluster_means(blobs):
    Xs, _ = blobs
    model = MVKKM(3, kernel="linear", scale=None, random_state=0).fit(Xs)
    for X, D in zip(Xs, model.D_, strict=True):
        means = np.array([X[model.labels_ == c].mean(axis=0) for c in range(3)])
        spread = ((X - means[model.labels_]) ** 2).sum()
        scale = 2 * ((X - X.mean(axis=0)) ** 2).sum() / len(X)  # mean squared distance
        np.testing.assert_allclose(D, spread / scale, rtol=1e-9)


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_scale_of_a_view_does_not_matter(blobs, kernel):
    Xs, _ = blobs
    one = MVKKM(3, kernel=kernel, scale=None, random_state=0).fit(Xs)
    other = MVKKM(3, kernel=kernel, scale=None, random_state=0).fit([1000 * Xs[0], *Xs[1:]])
    np.testing.assert_allclose(one.objective_, other.objective_, rtol=1e-8)


def test_best_start_is_the_better_one():
    rng = np.random.default_rng(3)
    K = module.view_kernels([rng.random((60, 40))], "linear", "test")[0]
    errors = {}
    for init in ("global", "spectral", "best"):
        labels = module.start_from_kernel(K, 4, init, 5, 0)
        errors[init] = module.mvkkm([K], labels, 4, p=2, max_iter=1, tol=0).objective[0]
    assert errors["best"] <= min(errors.values()) * (1 + 1e-12)


def test_view_without_clusters_weighs_less(blobs):
    Xs, y = blobs
    noise = np.random.default_rng(0).random((45, 6))
    model = MVKKM(3, p=2, random_state=0).fit([*Xs, noise])
    assert np.argmin(model.w_) == 3
    assert accuracy(y, model.labels_) == 1


def test_drawn_start_gives_the_same_fit():
    Xs, _ = make_blobs(seed=2)
    model = MVKKM(3, p=4, random_state=1).fit(Xs)
    start = MVKKM(3, p=1.5, random_state=1).draw_start(Xs)  # any p has the same start
    started = MVKKM(3, p=4, random_state=1, init=start).fit(Xs)
    assert (started.labels_ == model.labels_).all()


def test_says_when_it_did_not_converge(blobs):
    with pytest.warns(ConvergenceWarning, match="MVKKM stopped at max_iter=1"):
        MVKKM(3, max_iter=1, random_state=0).fit(blobs[0])
    with pytest.warns(ConvergenceWarning, match="MVSpec stopped at max_iter=1"):
        MVSpec(3, max_iter=1, random_state=0).fit(blobs[0])


@pytest.mark.parametrize("estimator", [MVKKM, MVSpec])
def test_bad_views_are_named(blobs, estimator):
    Xs, _ = blobs
    with pytest.raises(ValueError, match="all samples are the same in view 1"):
        estimator(3).fit([Xs[0], np.ones((45, 2))])
    with pytest.raises(ValueError, match=r"view 0 of shape \(45, 5\) is not"):
        estimator(3, kernel="precomputed").fit(Xs)
    with pytest.raises(ValueError, match=r"view 0 of shape \(45, 45\) is not"):
        estimator(3, kernel="precomputed").fit([np.random.default_rng(0).random((45, 45))])


def test_bbcsport_is_as_published():
    mirror = find_mirror()
    if mirror is None:
        pytest.skip("no mirror of the data sets here (set MVCLUST_MIRROR)")
    from mvclust.datasets import load_dataset
    from mvclust.metrics import score

    data = load_dataset("bbcsport", mirror=mirror, progress=False)
    Xs = [X.toarray() if hasattr(X, "toarray") else X for X in data.Xs]
    model = MVKKM(5, kernel="linear", scale="view_range", init="global").fit(Xs)
    found = score(data.y, model.labels_)
    assert found["f_score"] == pytest.approx(0.378, abs=0.02)  # mPAC, Table 2: 0.3779 (0.0162)
    assert found["precision"] == pytest.approx(0.236, abs=0.02)  # 0.2359 (0.0156)
    assert found["nmi_geometric"] == pytest.approx(0.116, abs=0.04)  # 0.1160 (0.0392)
