"""Constraint propagation (a reconstruction, so that there is no oracle): what its steps promise."""

import numpy as np
import pytest
from estimators.shared_cases import overlapping_views
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from mvclust.estimators.constraint_propagation import (
    ConstraintPropagation,
    close_links,
    pckmeans,
    propagate,
    start_means,
)
from mvclust.metrics import accuracy
from mvclust.testing import make_blobs
from mvclust.unmapping import known_mapping, random_intra_constraints, unmap


def known(data, share, mapped, seed):
    must, cannot = random_intra_constraints(data.ys, share, seed)
    mapping = known_mapping(data.ids, mapped, seed)
    return {"must_links": must, "cannot_links": cannot, "mapping": mapping}


def random_links(rng, n, share=0.2):
    y = rng.integers(3, size=n)
    must, cannot = random_intra_constraints([y], share, rng)
    return must[0, 0], cannot[0, 0], y


def cost(X, W, labels, means):
    """J as it is defined, pair by pair."""
    total = sum(np.sum((x - means[label]) ** 2) for x, label in zip(X, labels, strict=True))
    for i in range(len(X)):
        for j in range(i):
            together = labels[i] == labels[j]
            total += W[i, j] * (W[i, j] > 0 and not together) - W[i, j] * (W[i, j] < 0 and together)
    return total


@given(seed=st.integers(0, 1000), weight=st.sampled_from([0.0, 0.3, 10.0]))
@settings(max_examples=30, deadline=None)
def test_pckmeans_reaches_a_minimum_of_its_objective(seed, weight):
    rng = np.random.default_rng(seed)
    X = rng.random((25, 4))
    must, cannot, _ = random_links(rng, 25)
    W = weight * close_links(must, cannot, "", 0)
    start = start_means(X, W, 3, rng)
    values = []
    for sweeps in (1, 2, 3, 100):
        labels, means, J = pckmeans(X, W, start, None, sweeps, np.random.default_rng(seed))
        np.testing.assert_allclose(J, cost(X, W, labels, means), rtol=1e-8, atol=1e-10)
        values.append(J)
    assert (np.diff(values) <= 1e-9).all()
    for i in range(25):
        for c in range(3):  # no single row can do better
            other = labels.copy()
            other[i] = c
            assert cost(X, W, other, means) >= J - 1e-8
    again = pckmeans(X, W, means, labels, 5, rng)
    np.testing.assert_array_equal(again[0], labels)


def test_closure_is_transitive_and_contradictions_are_said():
    must, cannot = np.zeros((2, 6, 6))
    must[0, 1] = must[2, 1] = must[3, 4] = cannot[4, 0] = 1
    links = close_links(sparse.csr_array(must), sparse.csr_array(cannot), "", 0)
    expected = np.zeros((6, 6))
    expected[:3, :3] = expected[3:5, 3:5] = 1
    expected[:3, 3:5] = expected[3:5, :3] = -1
    np.fill_diagonal(expected, 0)
    np.testing.assert_array_equal(links, expected)
    cannot[0, 2] = 1
    with pytest.raises(ValueError, match="view 0 contradict each other") as caught:
        ConstraintPropagation(2).fit(
            [np.eye(6)], must_links={(0, 0): must}, cannot_links={(0, 0): cannot}
        )
    assert "\n" not in str(caught.value)


@given(seed=st.integers(0, 1000), threshold=st.sampled_from([0.05, 0.3, 0.7, 1.0]))
@settings(max_examples=30, deadline=None)
def test_propagation_equals_its_definition(seed, threshold):
    rng = np.random.default_rng(seed)
    X, labels = rng.random((20, 3)), rng.integers(3, size=20)
    labels[:3] = range(3)
    means = np.array([X[labels == c].mean(axis=0) for c in range(3)])
    must, cannot, _ = random_links(rng, 20, 0.1)
    links = (must + must.T - cannot - cannot.T).toarray()
    rows = rng.permutation(20)[:8]
    spread = [np.mean(np.sum((X[labels == c] - means[c]) ** 2, axis=1)) for c in range(3)]

    def near(u, i):
        if labels[u] != labels[i]:
            return 0.0
        if u == i:
            return 1.0
        return np.exp(-np.sum((X[u] - X[i]) ** 2) / (2 * spread[labels[i]]))

    expected = np.zeros((8, 8))
    for a, u in enumerate(rows):
        for b, w in enumerate(rows):
            if a != b:
                largest = {1: 0.0, -1: 0.0}
                for i, j in zip(*links.nonzero(), strict=True):
                    weight = near(u, i) * near(w, j)
                    if weight >= threshold:
                        largest[links[i, j]] = max(largest[links[i, j]], weight)
                must_w, cannot_w = largest[1], largest[-1]
                expected[a, b] = must_w if must_w >= cannot_w else -cannot_w
    for view in (X, sparse.csr_array(X)):
        found = propagate(view, labels, means, links, rows, threshold)
        np.testing.assert_allclose(found, expected, atol=1e-8)
        np.testing.assert_array_equal(found, found.T)


def test_propagated_constraints_raise_accuracy():
    scores = {"alone": [], "mapped": []}
    for seed in range(3):
        data = overlapping_views(seed, 2, 0.9)
        given_ = known(data, 0.02, 1.0, seed)
        model = ConstraintPropagation(3, scale=None, closure=False, random_state=seed)
        for name, mapping in (("alone", None), ("mapped", given_["mapping"])):
            labels = model.fit(data.Xs, **given_ | {"mapping": mapping}).labels_
            scores[name].append(
                np.mean([accuracy(y, found) for y, found in zip(data.ys, labels, strict=True)])
            )
        assert min(model.n_received_) > 0
    assert np.mean(scores["mapped"]) > np.mean(scores["alone"]) + 0.05


def test_closed_constraints_of_all_pairs_give_the_clusters():
    data = overlapping_views(0, 2, 0.9)
    labels = ConstraintPropagation(3, random_state=0).fit(data.Xs, **known(data, 1, 0, 0)).labels_
    assert [accuracy(y, found) for y, found in zip(data.ys, labels, strict=True)] == [1, 1]


def test_clear_clusters_without_constraints_and_one_number_for_a_cluster():
    Xs, y = make_blobs()
    data = unmap(Xs, y, seed=0)
    mapping = known_mapping(data.ids, 0.5, 0)
    model = ConstraintPropagation(3, random_state=0).fit(data.Xs, mapping=mapping)
    assert accuracy(np.concatenate(data.ys), np.concatenate(model.labels_)) == 1
    assert model.n_received_ == [0, 0, 0]
    for X, labels, means in zip(data.Xs, model.labels_, model.means_, strict=True):
        X = X / np.linalg.norm(X, axis=1)[:, None]
        np.testing.assert_allclose(means, [X[labels == c].mean(axis=0) for c in range(3)])
    labels = ConstraintPropagation(3, random_state=0).fit_predict(Xs[:1])
    assert accuracy(y, labels[0]) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"must_links": [1]}, "must_links must be a dict"),
        ({"must_links": {(0, 1): np.zeros((4, 5))}}, r"key \(0, 1\), expected \(v, v\)"),
        ({"must_links": {(1, 1): np.zeros((4, 5))}}, r"must_links\[1, 1\] has shape \(4, 5\)"),
        ({"cannot_links": {(0, 0): np.eye(4)}}, "separates row 0 from itself"),
        (
            {"must_links": {(0, 0): np.eye(4, k=1)}, "cannot_links": {(0, 0): np.eye(4, k=-1)}},
            "rows 0 and 1 of view 0 are both",
        ),
        ({"mapping": {(0, 0): np.zeros((4, 4))}}, "two different view numbers"),
        ({"mapping": {(0, 1): np.ones((4, 5))}}, "row 0 of view 0 more than one counterpart"),
    ],
)
def test_bad_constraints_are_said(arguments, message):
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match=message) as caught:
        ConstraintPropagation(2).fit([rng.random((4, 2)), rng.random((5, 3))], **arguments)
    assert "\n" not in str(caught.value)
