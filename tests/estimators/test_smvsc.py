"""SMVSC against runs of the released code, and what its mathematics promises."""

import numpy as np
import pytest
from estimators.shared_cases import digits, fit_states

from mvclust import SMVSC
from mvclust.metrics import adjusted_rand_index


@pytest.mark.parametrize(("case", "rank"), [("c1", 4), ("c2", 5), ("c3", 4)])
def test_equals_oracle(oracle, case, rank):
    """c2 has more anchors than components, of which three are without samples in the end."""
    z = oracle("modern_smvsc")
    sizes = {"n_anchors": int(z[f"{case}_m"]), "lam": float(z[f"{case}_lambda"])}
    model = SMVSC(4, **sizes, variant="author", init="first", random_state=0)
    model = fit_states(model, digits()[0], z, case, "A Z alpha W")
    assert model.embedding_.shape == (100, rank)  # singular vectors that mean something
    if rank == 4:
        assert adjusted_rand_index(z[f"{case}_labels_km20"], model.labels_) > 0.95


def test_units_and_shifts_of_features_do_not_matter():
    Xs, rng = digits()[0], np.random.default_rng(0)
    other = [X * rng.uniform(0.1, 10, X.shape[1]) + rng.normal(size=X.shape[1]) for X in Xs]
    one, two = (SMVSC(4, init="first", random_state=0).fit(views) for views in (Xs, other))
    np.testing.assert_allclose(one.objective_, two.objective_, rtol=1e-9)
    assert (one.labels_ == two.labels_).all()
