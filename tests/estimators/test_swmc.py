"""SwMC against a run of the authors' code."""

import numpy as np
import pytest
from helpers import relative
from scipy import sparse

from mvclust import SwMC
from mvclust.estimators.swmc import swmc
from mvclust.metrics import adjusted_rand_index


@pytest.mark.parametrize("max_iter", [1, 5, 50])
def test_equals_oracle(oracle, max_iter):
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


def test_estimator(oracle, blobs):
    Xs, y = blobs
    model = SwMC(3, init={"alpha": [0.2, 0.3, 0.5]}).fit(Xs)
    assert adjusted_rand_index(y, model.labels_) == 1
    np.testing.assert_allclose(model.S_.sum(axis=1), 1)
    np.testing.assert_allclose(model.objective_[-1], (0.5 / model.alpha_).sum())
    for init in ("random", "uniform"):
        assert adjusted_rand_index(y, SwMC(3, init=init, random_state=0).fit(Xs).labels_) == 1
