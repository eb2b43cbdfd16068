"""EOMSCCA against runs of the released code, and what its mathematics promises."""

import numpy as np
import pytest
from estimators.shared_cases import (
    TOLERANCE,
    VIEWS,
    assert_state,
    digits,
    same_partition,
    scaled_digits,
    states,
)
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from mvclust import EOMSCCA
from mvclust.datasets import make_multiview
from mvclust.estimators.eomscca import eomscca
from mvclust.metrics import adjusted_rand_index
from mvclust.numerics.anchors import sample_products
from mvclust.numerics.bipartite import bipartite_components, connected_graph

CASES = ["c1", "c2", "c3"]


def first_start(views, m, d):
    return np.arange(m), sample_products(views, np.arange(m)), np.zeros((d, m))


@pytest.mark.parametrize("case", CASES)
def test_equals_oracle(oracle, case):
    z = oracle("modern_eomscca")
    views, _ = scaled_digits("feature_zscore")
    start = first_start(views, int(z[f"{case}_m"]), int(z[f"{case}_d"]))
    last, iterations = states(z, case)
    for n_iter in iterations:
        found, objective, _ = eomscca(views, [start], 4, max_iter=n_iter, tol=-1)
        letters = {name: found[name] for name in ("A", "B", "alpha")} | {"Z": found["Z"].T}
        letters |= {f"W{v}": found["W"][v - 1] for v in VIEWS}
        assert_state(z, case, n_iter, letters)
        labels, _ = bipartite_components(found["Z"])
        alone = labels < 0
        labels[alone] = labels.max() + 1 + np.arange(alone.sum())
        assert same_partition(labels, z[f"{case}_labels_it{n_iter}"])
    assert len(objective) == last
    np.testing.assert_allclose(objective, z[f"{case}_obj_iters"], rtol=TOLERANCE)


@pytest.mark.parametrize("case", CASES)
def test_passes_for_the_first_graph_are_those_of_the_oracle(oracle, case):
    """Their number, and the weight of the Laplacian in each."""
    z = oracle("modern_eomscca")
    views, _ = scaled_digits("feature_zscore")
    m, d = int(z[f"{case}_m"]), int(z[f"{case}_d"])
    start = first_start(views, m, d)
    found = eomscca(views, [start], 4, max_iter=1, tol=-1).factors
    history = connected_graph(found["B"], len(views) / 9, np.arange(m), 4).history
    passes = z[f"{case}_inner_it_lambda_fn1_fn2"]
    first = passes[: np.flatnonzero(passes[:, 0] == 1)[1]]
    np.testing.assert_allclose([theta for theta, _, _ in history], first[:, 1])


@pytest.mark.parametrize(("case", "n_found"), [("c1", 7), ("c2", 4), ("c3", 4)])
def test_estimator_equals_oracle(oracle, case, n_found):
    """Of c1 three samples join no anchor: the released code makes each a cluster."""
    z = oracle("modern_eomscca")
    Xs = digits()[0]
    sizes = {"n_anchors": int(z[f"{case}_m"]), "n_components": int(z[f"{case}_d"])}
    own, attached = (
        EOMSCCA(4, **sizes, isolated=isolated, init="first", random_state=0).fit(Xs)
        for isolated in ("own", "attach")
    )
    assert own.n_iter_ == z[f"{case}_n_iter"]
    np.testing.assert_allclose(own.objective_, z[f"{case}_obj_iters"], rtol=TOLERANCE)
    assert len(np.unique(z[f"{case}_labels"])) == n_found
    assert same_partition(own.labels_, z[f"{case}_labels"])
    assert set(attached.labels_) == {0, 1, 2, 3}
    joined = own.Z_.any(axis=1)
    assert (~joined).sum() == n_found - 4
    assert (attached.labels_[joined] == own.labels_[joined]).all()


def test_a_graph_in_other_pieces_gives_labels_by_kmeans_and_says_so(monkeypatch):
    from mvclust.numerics import bipartite

    Xs = digits()[0]
    monkeypatch.setattr(bipartite, "PASSES", 2)  # too few
    with pytest.warns(ConvergenceWarning, match="the graph has . components with samples, not"):
        model = EOMSCCA(4, init="first", random_state=0).fit(Xs)
    assert set(model.labels_) == {0, 1, 2, 3}
    assert set(model.anchor_labels_) <= {0, 1, 2, 3}


def test_of_many_samples_some_tell_the_best_start(monkeypatch):
    """Alone it runs on all; draws that all run on all give the same or a lower objective."""
    Xs, y = make_multiview(600, n_clusters=4, n_features=(8, 9), noise=0.8, random_state=0)
    alone = EOMSCCA(4, n_starts=4, random_state=3).fit(Xs)
    sizes = []

    def recorded(views, starts, *args, **kwargs):
        sizes.append((views[0].shape[0], len(starts)))
        return eomscca(views, starts, *args, **kwargs)

    monkeypatch.setattr("mvclust.estimators.eomscca.eomscca", recorded)
    monkeypatch.setattr("mvclust.estimators.eomscca.COMPARED", 200)
    model = EOMSCCA(4, n_starts=4, random_state=3).fit(Xs)
    assert [starts for _, starts in sizes] == [1] * 5
    assert all(200 <= n <= 216 for n, _ in sizes[:4])
    assert sizes[-1][0] == 600
    assert alone.objective_[-1] <= model.objective_[-1] * (1 + 1e-12)
    assert adjusted_rand_index(y, model.labels_) > 0.9
    again = EOMSCCA(4, n_starts=4, random_state=3).fit([sparse.csr_array(X) for X in Xs])
    assert adjusted_rand_index(model.labels_, again.labels_) > 0.98
