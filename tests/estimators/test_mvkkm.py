"""MVKKM and MVSpec against runs of the authors' code, and what their mathematics promises."""

import numpy as np
import pytest
from helpers import relative

from mvclust import MVKKM, MVSpec
from mvclust.estimators import mvkkm as module
from mvclust.metrics import adjusted_rand_index

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


def test_distances_are_those_to_the_cluster_means(blobs):
    Xs, _ = blobs
    model = MVKKM(3, kernel="linear", scale=None, random_state=0).fit(Xs)
    for X, D in zip(Xs, model.D_, strict=True):
        means = np.array([X[model.labels_ == c].mean(axis=0) for c in range(3)])
        spread = ((X - means[model.labels_]) ** 2).sum()
        scale = 2 * ((X - X.mean(axis=0)) ** 2).sum() / len(X)  # mean squared distance
        np.testing.assert_allclose(D, spread / scale, rtol=1e-9)


def test_best_start_is_the_better_one():
    rng = np.random.default_rng(3)
    K = module.view_kernels([rng.random((60, 40))], "linear", "test")[0]
    errors = {}
    for init in ("global", "spectral", "best"):
        labels = module.start_from_kernel(K, 4, init, 5, 0)
        errors[init] = module.mvkkm([K], labels, 4, p=2, max_iter=1, tol=0).objective[0]
    assert errors["best"] <= min(errors.values()) * (1 + 1e-12)
