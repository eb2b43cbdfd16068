"""Filling equals scikit-learn's imputer; scaling does what it says; patterns sum as views do."""

import tracemalloc
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.impute import KNNImputer, SimpleImputer

from mvclust.masking import apply_mask, random_mask
from mvclust.numerics import impute
from mvclust.numerics.features import STEPS, scale_features
from mvclust.numerics.impute import fill_missing
from mvclust.numerics.patterns import PresencePatterns
from mvclust.numerics.products import dense
from mvclust.numerics.scaled_views import ScaledView
from mvclust.numerics.scaling import (
    OLD_WORDS,
    ViewScaler,
    balanced,
    refuse_old_word,
    scale_views,
    unit_range,
    unit_samples,
)


@pytest.mark.parametrize("hidden", [1e9, np.nan])
@given(seed=st.integers(0, 500), rate=st.sampled_from([0.1, 0.3, 0.5]))
@settings(max_examples=20, deadline=None)
def test_filling_equals_that_of_scikit_learn_and_never_reads_missing_rows(hidden, seed, rate):
    rng, presence = np.random.default_rng(seed), random_mask(60, 3, rate, seed)
    missing = apply_mask([rng.normal(size=(60, d)) for d in (3, 5, 2)], presence)
    Xs = [np.where(np.isnan(X), hidden, X) for X in missing]
    there = ~np.isnan(np.hstack(missing))
    knn, mean = KNNImputer(n_neighbors=3), SimpleImputer()
    for how, imputer, atol in (("knn", knn, 1e-10), ("mean", mean, 0)):
        ours = np.hstack(fill_missing(Xs, presence, how, n_neighbors=3))
        np.testing.assert_allclose(ours, imputer.fit_transform(np.hstack(missing)), atol=atol)
        np.testing.assert_array_equal(ours[there], np.hstack(Xs)[there])


def test_knn_filling_in_blocks_needs_no_matrix_of_all_distances():
    rng = np.random.default_rng(0)
    n = 3000
    Xs, presence = [rng.normal(size=(n, 4)) for _ in range(2)], random_mask(n, 2, 0.4, 0)
    tracemalloc.start()
    in_blocks = fill_missing(Xs, presence, "knn")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * n * n / 3
    with mock.patch.object(impute, "BLOCK", n * n):
        at_once = fill_missing(Xs, presence, "knn")
    np.testing.assert_array_equal(np.hstack(in_blocks), np.hstack(at_once))


def test_of_equally_near_donors_the_first_fill():
    X = np.repeat(np.random.default_rng(0).normal(size=(2, 9)) + 3, 20, axis=0)
    values, presence = np.arange(40.0)[:, None], np.ones((40, 2), dtype=bool)
    presence[[0, 39], 1] = False
    filled = fill_missing([X, values], presence, "knn", n_neighbors=3)[1]
    assert filled[[0, 39], 0].tolist() == [2.0, 21.0]


def test_sample_without_a_comparable_donor_gets_the_mean():
    # Nobody has both views, so nothing links a sample to a donor.
    Xs = [np.array([[1.0], [3.0], [0.0]]), np.array([[0.0], [0.0], [5.0]])]
    presence = np.array([[True, False], [True, False], [False, True]])
    assert fill_missing(Xs, presence, "knn")[0][2, 0] == 2.0


def test_balanced_reads_present_rows_only():
    rng = np.random.default_rng(0)
    X, present = rng.normal(3, 2, size=(50, 4)), np.arange(50) < 40
    X[:, 3] = 1e6  # a constant feature, large enough for rounding to show
    X[~present] = 1e12
    scaled = balanced(X, present)
    np.testing.assert_allclose(scaled[present, :3].mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(scaled[present, :3].std(axis=0), 1 / np.sqrt(3))
    assert (scaled[:, 3] == 0).all()
    assert (scaled[~present] == 0).all()


@pytest.mark.parametrize("n_constant", [1, 10, 50])
def test_features_that_do_not_vary_take_no_weight_from_their_view(n_constant):
    rng = np.random.default_rng(0)
    X, present = rng.normal(size=(60, 5)), np.arange(60) < 45
    wide = np.hstack([X, np.full((60, n_constant), 3.0)])
    wide[~present, -1] = 7.0  # varies over missing rows only
    np.testing.assert_allclose(balanced(wide, present)[:, :5], balanced(X, present))
    new = rng.normal(size=(4, 5 + n_constant))
    scaled = ViewScaler(wide, present, "view_balanced").scale_rows(new)
    expected = ViewScaler(X, present, "view_balanced").scale_rows(new[:, :5])
    np.testing.assert_allclose(scaled[:, :5], expected)
    assert not scaled[:, 5:].any()


@pytest.mark.parametrize("unit", [1e-10, 1e-12, 1e-100, 1e-250, 1e70])
@pytest.mark.parametrize("kind", [np.array, sparse.csr_array])
def test_rows_of_any_length_are_scaled_to_unit_length(unit, kind):
    X = np.array([[3.0, 4.0], [0.0, 0.0], [0.0, 2.0], [1e-30, 1e-30]])
    expected = [[0.6, 0.8], [0, 0], [0, 1], [0.5**0.5, 0.5**0.5]]
    scaled = unit_samples(kind(X * unit))
    assert sparse.issparse(scaled) == (kind is sparse.csr_array)
    np.testing.assert_allclose(dense(scaled), expected)
    view = ScaledView(kind(X * unit), "sample_unit")
    np.testing.assert_allclose(view.times(slice(0, 4), np.eye(2)), expected)
    assert view.squared_norm == pytest.approx(3)


def test_unit_range():
    X = np.random.default_rng(0).random((4, 3)) * 7 - 2
    scaled = unit_range(X)
    assert (scaled.min(), scaled.max()) == (-1, 1)
    np.testing.assert_allclose(scaled, 2 * (X - X.min()) / np.ptp(X) - 1)
    np.testing.assert_array_equal(unit_range(X, np.ones(4, dtype=bool)), scaled)
    np.testing.assert_allclose(unit_range(50 - 3 * X), -scaled, atol=1e-12)
    assert (unit_range(np.full((3, 2), 4.0)) == 0).all()


@pytest.mark.parametrize("missing", [0.0, 1e12, np.nan])
def test_scale_views_by_range_reads_present_rows_only(missing):
    rng = np.random.default_rng(0)
    Xs, presence = [rng.normal(3, 2, size=(20, d)) for d in (2, 5)], random_mask(20, 2, 0.4, 0)
    for X, present in zip(Xs, presence.T, strict=True):
        X[~present] = missing
    for X, scaled, present in zip(
        Xs, scale_views(Xs, presence, "view_range"), presence.T, strict=True
    ):
        np.testing.assert_array_equal(scaled[present], unit_range(X[present]))
        assert (scaled[~present] == 0).all()


@given(seed=st.integers(0, 500), n_views=st.integers(1, 4))
@settings(max_examples=20, deadline=None)
def test_patterns_sum_as_masked_views(seed, n_views):
    rng = np.random.default_rng(seed)
    presence = rng.random((30, n_views)) < 0.6
    V, As = rng.random((30, 3)), [rng.random((3, 3)) for _ in range(n_views)]
    patterns = PresencePatterns(presence)
    grouped = patterns.sort(V)
    total = np.empty_like(grouped)
    for rows, A in zip(patterns.slices, patterns.sums(As), strict=True):
        total[rows] = grouped[rows] @ A
    expected = sum(m[:, None] * (V @ A) for m, A in zip(presence.T, As, strict=True))
    np.testing.assert_allclose(patterns.unsort(total), expected, atol=1e-12)


@pytest.mark.parametrize("steps", [*STEPS, ["log", "feature_minmax"], ["tf-idf", "sample_unit"]])
def test_features_are_scaled_over_present_rows_alone(steps):
    rng = np.random.default_rng(0)
    X, present = rng.poisson(1.0, (30, 6)).astype(float), rng.random(30) < 0.7
    X[:, 4] = 2.0  # constant
    (scaled,) = scale_features([X], present[:, None], steps)
    other = np.where(present[:, None], X, 1e9)
    np.testing.assert_array_equal(scale_features([other], present[:, None], steps)[0], scaled)
    assert not scaled[~present].any()
    alone = scale_features([X[present]], np.ones((present.sum(), 1), bool), steps)[0]
    np.testing.assert_array_equal(scaled[present], alone)
    sparse_one = scale_features([sparse.csr_array(X)], present[:, None], steps)[0]
    np.testing.assert_array_equal(dense(sparse_one), scaled)


def test_each_scaling_of_features():
    X = np.random.default_rng(1).poisson(2.0, (40, 5)).astype(float)
    there = np.ones((40, 1), bool)
    scaled = {step: scale_features([X], there, step)[0] for step in STEPS}
    assert scaled["feature_minmax"].min(axis=0).tolist() == [0.0] * 5
    assert scaled["feature_minmax"].max(axis=0).tolist() == [1.0] * 5
    np.testing.assert_allclose(scaled["feature_symmetric"], 2 * scaled["feature_minmax"] - 1)
    np.testing.assert_allclose(np.linalg.norm(scaled["feature_unit"], axis=0), 1)
    np.testing.assert_allclose(scaled["feature_standard"].mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(scaled["feature_standard"].std(axis=0), 1)
    assert (scaled["view_range"].min(), scaled["view_range"].max()) == (-1, 1)
    np.testing.assert_allclose(np.expm1(scaled["log"]), X)
    np.testing.assert_allclose(scaled["tf-idf"], X * np.log(40 / (X > 0).sum(axis=0)))
    np.testing.assert_allclose(np.linalg.norm(scaled["sample_unit"], axis=1), 1)
    roots = np.sqrt((X @ X.T).sum(axis=1))  # the first eigenvector of the normalised graph
    np.testing.assert_allclose(scaled["sample_degree"] @ (scaled["sample_degree"].T @ roots), roots)
    both = scale_features([X], there, ["feature_minmax", "sample_unit"])[0]
    np.testing.assert_allclose(both, unit_samples(scaled["feature_minmax"]))


def test_wrong_steps_and_data_are_refused():
    there = np.ones((2, 1), bool)
    with pytest.raises(ValueError, match="'minmx' is none of feature_minmax, feature_symmetric"):
        scale_features([np.eye(2)], there, "minmx")
    with pytest.raises(ValueError, match="is for counts, but a view has the value -1"):
        scale_features([-np.eye(2)], there, "log")
    with pytest.raises(ValueError, match="is for non-negative views, but a view has the value -1"):
        scale_features([-np.eye(2)], there, "sample_degree")


@pytest.mark.parametrize(
    ("parameter", "old", "new"),
    [(parameter, *pair) for parameter, words in OLD_WORDS.items() for pair in words.items()],
)
def test_an_old_word_of_scaling_is_refused_with_the_new_one(parameter, old, new):
    with pytest.raises(ValueError, match=f"^{parameter}='{old}' has a new name: write '{new}'.$"):
        refuse_old_word(parameter, old)
    assert new not in OLD_WORDS[parameter]
    refuse_old_word(parameter, new)


def test_old_words_are_refused_where_views_are_scaled():
    Xs, there = [np.eye(2)], np.ones((2, 1), bool)
    with pytest.raises(ValueError, match=r"^scale='l2' has a new name: write 'sample_unit'\.$"):
        scale_views(Xs, there, ["l2"])
    with pytest.raises(ValueError, match=r"^scale='sample_unt' is none of sample_unit, "):
        scale_views(Xs, there, "sample_unt")
    with pytest.raises(ValueError, match=r"write \['sample_unit', 'view_total'\]\.$"):
        scale_features(Xs, there, "l2+total")
    with pytest.raises(ValueError, match=r"^features='ncw' has a new name: write 'sample_degree'"):
        scale_features(Xs, there, ["log", "ncw"])
