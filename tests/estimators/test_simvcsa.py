"""SIMVCSA against runs of the released code, and what its mathematics promises."""

import numpy as np
import pytest
from estimators.shared_cases import VIEWS, fit_states, incomplete_digits, scaled_digits
from helpers import relative
from sklearn.exceptions import ConvergenceWarning

from mvclust import SIMVCSA
from mvclust.estimators.simvcsa import start_at_random
from mvclust.numerics.scaling import unit_samples


def given_start(z, case):
    """The A and F of the first iteration, which are not determined by the method."""
    A = [z[f"{case}_A{v}_start"] for v in VIEWS]
    return {"A": A, "F": z[f"{case}_F_start"].T.copy()}


@pytest.mark.parametrize("case", ["c1", "c2", "c3"])
def test_equals_oracle(oracle, case):
    z = oracle("modern_simvcsa")
    sizes = {"n_anchors": int(z[f"{case}_m"]), "lam": float(z[f"{case}_lambda"])}
    model = SIMVCSA(
        4, **sizes, mu=float(z[f"{case}_mu"]), init=given_start(z, case), random_state=0
    )
    model = fit_states(model, incomplete_digits(), z, case, "F gamma A P Z")
    if model.F_.shape[1] == 4:  # else the embedding of the released code is arbitrary
        rows = unit_samples(z[f"{case}_F_it{model.n_iter_}"].T)
        assert relative(model.embedding_ @ model.embedding_.T, rows @ rows.T) < 1e-8


def test_drawn_starts_are_orthonormal_completions_of_one_anchor():
    views, _ = scaled_digits("sample_unit")
    A, F = start_at_random(views, 5, 3)
    for Q in (*A, F):
        np.testing.assert_allclose(Q.T @ Q, np.eye(5), atol=1e-12)
    assert F[:, 0] == pytest.approx(0.1)
    mean = views[0].take(np.arange(100)).sum(axis=0)
    np.testing.assert_allclose(A[0][:, 0], mean / np.linalg.norm(mean), atol=1e-12)
    assert relative(start_at_random(views, 5, 3)[1], F) == 0
    assert relative(start_at_random(views, 5, 4)[1], F) > 0.1


@pytest.mark.parametrize("init", ["k-means++", "random", "first", "completion"])
def test_every_start_groups_clear_clusters(init, blobs):
    Xs, y = blobs
    model = SIMVCSA(3, init=init, n_starts=3, random_state=0).fit(Xs)
    assert len({tuple(pair) for pair in zip(y, model.labels_, strict=True)}) == 3


def test_without_weights_missing_samples_join_all_anchors_alike():
    """Nothing is known about their rows then; the released code divides 0 by 0."""
    Xs = incomplete_digits()
    with pytest.warns(ConvergenceWarning):
        model = SIMVCSA(4, lam=0, mu=0, max_iter=12, random_state=0).fit(Xs)
    missing = np.isnan(Xs[1]).all(axis=1)
    np.testing.assert_allclose(model.Z_[1][missing], 1 / 8)
    assert np.isfinite(model.embedding_).all()
