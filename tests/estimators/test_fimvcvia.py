"""FIMVCVIA against runs of the released code, and what its mathematics promises."""

import numpy as np
import pytest
from estimators.shared_cases import fit_states, incomplete_digits
from helpers import relative
from sklearn.exceptions import ConvergenceWarning

from mvclust import FIMVCVIA
from mvclust.numerics.scaling import unit_samples


@pytest.mark.parametrize("case", ["c1", "c2", "c3"])
def test_equals_oracle(oracle, case):
    z = oracle("modern_fimvcvia")
    sizes = {"n_anchors": int(z[f"{case}_m"]), "lam": float(z[f"{case}_lambda"])}
    model = FIMVCVIA(4, **sizes, init="first", random_state=0)
    model = fit_states(model, incomplete_digits(), z, case, "Z alpha A")
    U = unit_samples(z[f"{case}_UU_final"])  # columns are determined up to signs
    assert relative(model.embedding_ @ model.embedding_.T, U @ U.T) < 1e-8


def test_start_samples_without_a_view_leave_no_arbitrary_anchor():
    """The anchor of such a sample is zero in that view at first; the graph then gives it one."""
    Xs = incomplete_digits()
    Xs[1][:3] = np.nan
    model = FIMVCVIA(4, n_anchors=4, lam=0.1, init="first", max_iter=1, random_state=0)
    with pytest.warns(ConvergenceWarning):
        model.fit(Xs)
    assert (np.linalg.norm(model.A_[1], axis=0) < 1e-12).sum() == 3
    model.set_params(max_iter=50).fit(Xs)
    np.testing.assert_allclose(model.A_[1].T @ model.A_[1], np.eye(4), atol=1e-10)
