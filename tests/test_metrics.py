"""Metrics against scikit-learn, and their invariances."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from sklearn import metrics as reference

from mvclust import metrics

LABELS = st.integers(1, 60).flatmap(
    lambda n: st.tuples(
        st.lists(st.integers(0, 4), min_size=n, max_size=n),
        st.lists(st.integers(-3, 3), min_size=n, max_size=n),
    )
)


@given(LABELS)
@settings(max_examples=100, deadline=None)
def test_against_scikit_learn(labels):
    y, p = labels
    scores = metrics.score(y, p)
    np.testing.assert_allclose(scores["ari"], reference.adjusted_rand_score(y, p), atol=1e-12)
    h_y, h_p = (reference.mutual_info_score(a, a) for a in (y, p))
    for mean in ("max", "arithmetic", "geometric"):
        ours = metrics.nmi(y, p, mean)
        assert scores[f"nmi_{mean}"] == ours
        if h_y > 0 and h_p > 0:
            theirs = reference.normalized_mutual_info_score(y, p, average_method=mean)
            np.testing.assert_allclose(ours, theirs, atol=1e-12)
    (_, fp), (fn, tp) = reference.pair_confusion_matrix(y, p)
    if tp:
        np.testing.assert_allclose(scores["precision"], tp / (tp + fp))
        np.testing.assert_allclose(scores["recall"], tp / (tp + fn))
        np.testing.assert_allclose(scores["f_score"], 2 * tp / (2 * tp + fp + fn))


@given(LABELS)
@settings(max_examples=50, deadline=None)
def test_names_and_order_do_not_matter(labels):
    y, p = map(np.array, labels)
    order = np.random.default_rng(0).permutation(len(y))
    renamed = metrics.score(10 - y[order], 7 * p[order])
    for name, value in metrics.score(y, p).items():
        np.testing.assert_allclose(renamed[name], value, atol=1e-12)
        assert -1 <= value <= 1


def test_score_has_every_named_metric_and_functions_agree():
    y, p = [0, 0, 1, 1, 2], [1, 1, 1, 0, 0]
    scores = metrics.score(y, p)
    assert set(scores) == set(metrics.METRICS)
    assert scores["acc"] == metrics.accuracy(y, p) == 0.6
    assert scores["purity"] == metrics.purity(y, p) == 0.6
    assert scores["precision"] == metrics.pairwise_precision(y, p)
    assert scores["recall"] == metrics.pairwise_recall(y, p)
    assert scores["f_score"] == metrics.pairwise_f_score(y, p)
    assert scores["ari"] == metrics.adjusted_rand_index(y, p)
    assert metrics.accuracy([0, 0, 0, 1], [0, 1, 2, 3]) == 0.5  # more clusters than classes


def test_silhouette_never_reads_missing_rows():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 20)
    Xs = [rng.normal(size=(40, 3)) + 5 * y[:, None] for _ in range(2)]
    presence = rng.random((40, 2)) < 0.8
    best = metrics.simplified_silhouette(Xs, presence, y)
    spoiled = [np.where(m[:, None], X, np.nan) for X, m in zip(Xs, presence.T, strict=True)]
    assert metrics.simplified_silhouette(spoiled, presence, y) == best > 0.5


@given(st.integers(1, 200), st.integers(1, 60), st.integers(1, 9), st.integers(0, 10**6))
@settings(max_examples=80, deadline=None)
def test_the_silhouette_is_that_of_all_distances(n, d, k, seed):
    """Whether there are more samples or more features; an instance alone is its cluster's mean."""
    rng = np.random.default_rng(seed)
    X, labels = rng.standard_normal((n, d)), rng.integers(-3, k, n)
    clusters = np.unique(labels)
    expected = -1.0
    if len(clusters) > 1:
        means = np.array([X[labels == c].mean(axis=0) for c in clusters])
        distances = cdist(X, means)
        own = np.arange(n), np.searchsorted(clusters, labels)
        a = np.where(np.array([(labels == c).sum() for c in labels]) > 1, distances[own], 0)
        distances[own] = np.inf
        b = distances.min(axis=1)
        expected = np.mean((b - a) / np.maximum(a, b))
    for many in (False, True):
        ours = metrics.Silhouettes([X], np.ones((n, 1), bool), many).of(labels)
        np.testing.assert_allclose(ours, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int16, np.int64, float, str])
def test_labels_of_any_type_give_the_same_table(kind):
    labels = np.arange(2000) % 120
    expected = metrics.contingency(labels, labels[::-1])
    table = metrics.contingency(labels.astype(kind), labels.astype(np.int8)[::-1])
    assert table.dtype == np.int64
    order = np.argsort(np.unique(labels).astype(kind), kind="stable")
    np.testing.assert_array_equal(table, expected[order])
    gaps = metrics.contingency(labels * 7 + 3, labels[::-1] * 1000 - 5)
    np.testing.assert_array_equal(gaps, expected)


X, PRESENT = np.array([[0.0], [0.1], [4.0]]), np.ones((3, 1), dtype=bool)
UNKNOWN = [
    [0, 1, np.nan],
    np.array([0, 1, None], dtype=object),
    np.ma.array([0, 1, 1], mask=[False, False, True]),
]


@pytest.mark.parametrize(("score", "arguments", "said"), [
    (metrics.accuracy, ([0, 1], [0, 1, 1]), r"y_true has shape \(2,\) and y_pred \(3,\)"),
    (metrics.nmi, ([0], [0], "mean"), "normalisation='mean' is unknown"),
    *((metrics.accuracy, (y, [0, 1, 1]), "y_true lacks the label of 1 of 3 samples, the first is")
      for y in UNKNOWN),
    *((metrics.score, ([0, 1, 1], y), "y_pred lacks the label of 1 of 3 samples") for y in UNKNOWN),
    *((metrics.simplified_silhouette, arguments, said) for *arguments, said in [
        ([X], PRESENT.astype(int), [0, 1, 1], "expected truth values"),
        ([X, X], PRESENT, [0, 1, 1], r"has the shape \(3, 1\), expected \(n_samples, 2\)"),
        ([X], PRESENT, [0, 1], "2 labels for 3 samples"),
        ([X], PRESENT, [0.0, 1.0, np.nan], "labels lacks the label of 1 of 3 samples"),
        ([np.ones((4, 1))], PRESENT, [0, 1, 1], "presence has 3 rows, view 0 has 4"),
    ]),
])  # fmt: skip
def test_what_has_no_score_is_refused(score, arguments, said):
    with pytest.raises(ValueError, match=said):
        score(*arguments)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e160])
def test_a_silhouette_of_what_is_no_number_is_refused(bad):
    X = np.array([[0.0], [0.1], [4.0], [bad]])
    presence, labels = np.ones((4, 1), dtype=bool), [0, 0, 1, 1]
    with pytest.raises(ValueError, match="view 0 has values in present instances that are NaN, in"):
        metrics.simplified_silhouette([X], presence, labels)
    presence[3] = False  # which is never read
    assert metrics.simplified_silhouette([X], presence, labels) == pytest.approx(0.9916, abs=1e-4)
