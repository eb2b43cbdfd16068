"""Views: filled as scikit-learn does, scaled as named, multiplied as what they stand for."""

import tracemalloc
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.impute import KNNImputer, SimpleImputer

from mvclust.masking import apply_mask, random_mask
from mvclust.numerics import impute, scaling
from mvclust.numerics.features import STEPS, scale_features
from mvclust.numerics.impute import fill_missing
from mvclust.numerics.products import dense, for_products, frequent_first, side_by_side
from mvclust.numerics.scaled_views import ScaledView


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


def test_of_equally_near_donors_the_first_fill_and_without_any_the_mean():
    X = np.repeat(np.random.default_rng(0).normal(size=(2, 9)) + 3, 20, axis=0)
    values, presence = np.arange(40.0)[:, None], np.ones((40, 2), dtype=bool)
    presence[[0, 39], 1] = False
    filled = fill_missing([X, values], presence, "knn", n_neighbors=3)[1]
    assert filled[[0, 39], 0].tolist() == [2.0, 21.0]
    # Nobody has both views, so nothing links a sample to a donor: it gets the mean.
    Xs = [np.array([[1.0], [3.0], [0.0]]), np.array([[0.0], [0.0], [5.0]])]
    presence = np.array([[True, False], [True, False], [False, True]])
    assert fill_missing(Xs, presence, "knn")[0][2, 0] == 2.0


@pytest.mark.parametrize("n_constant", [1, 10, 50])
def test_balanced_reads_present_rows_and_features_that_vary_only(n_constant):
    rng = np.random.default_rng(0)
    X, present = rng.normal(3, 2, size=(60, 5)), np.arange(60) < 45
    wide = np.hstack([X, np.full((60, n_constant), 1e6)])  # large enough for rounding to show
    wide[~present] = 1e12
    scaled = scaling.balanced(wide, present)
    np.testing.assert_allclose(scaled[present, :5].mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(scaled[present, :5].std(axis=0), 1 / np.sqrt(5))
    assert not scaled[:, 5:].any()
    assert not scaled[~present].any()
    new = rng.normal(size=(4, 5 + n_constant))
    scaled = scaling.ViewScaler(wide, present, "view_balanced").scale_rows(new)
    expected = scaling.ViewScaler(X, present, "view_balanced").scale_rows(new[:, :5])
    np.testing.assert_allclose(scaled[:, :5], expected)
    assert not scaled[:, 5:].any()


@pytest.mark.parametrize("unit", [1e-10, 1e-12, 1e-100, 1e-250, 1e70])
@pytest.mark.parametrize("kind", [np.array, sparse.csr_array])
def test_rows_of_any_length_are_scaled_to_unit_length(unit, kind):
    X = np.array([[3.0, 4.0], [0.0, 0.0], [0.0, 2.0], [1e-30, 1e-30]])
    expected = [[0.6, 0.8], [0, 0], [0, 1], [0.5**0.5, 0.5**0.5]]
    scaled = scaling.unit_samples(kind(X * unit))
    assert sparse.issparse(scaled) == (kind is sparse.csr_array)
    np.testing.assert_allclose(dense(scaled), expected)
    view = ScaledView(kind(X * unit), "sample_unit")
    np.testing.assert_allclose(view.times(slice(0, 4), np.eye(2)), expected)
    assert view.squared_norm == pytest.approx(3)


@pytest.mark.parametrize("missing", [0.0, 1e12, np.nan])
def test_scale_views_by_range_reads_present_rows_only(missing):
    rng = np.random.default_rng(0)
    Xs, presence = [rng.normal(3, 2, size=(20, d)) for d in (2, 5)], random_mask(20, 2, 0.4, 0)
    for X, present in zip(Xs, presence.T, strict=True):
        X[~present] = missing
    scaled = scaling.scale_views(Xs, presence, "view_range")
    for X, of_view, present in zip(Xs, scaled, presence.T, strict=True):
        np.testing.assert_array_equal(of_view[present], scaling.unit_range(X[present]))
        assert not of_view[~present].any()


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
    np.testing.assert_allclose(scaled["view_range"], 2 * (X - X.min()) / np.ptp(X) - 1)
    assert not scale_features([np.full((40, 2), 4.0)], there, "view_range")[0].any()
    np.testing.assert_allclose(np.expm1(scaled["log"]), X)
    np.testing.assert_allclose(scaled["tf-idf"], X * np.log(40 / (X > 0).sum(axis=0)))
    np.testing.assert_allclose(np.linalg.norm(scaled["sample_unit"], axis=1), 1)
    roots = np.sqrt((X @ X.T).sum(axis=1))  # the first eigenvector of the normalised graph
    np.testing.assert_allclose(scaled["sample_degree"] @ (scaled["sample_degree"].T @ roots), roots)
    both = scale_features([X], there, ["feature_minmax", "sample_unit"])[0]
    np.testing.assert_allclose(both, scaling.unit_samples(scaled["feature_minmax"]))


@pytest.mark.parametrize(
    ("X", "steps", "message"),
    [
        (np.eye(2), "minmx", "'minmx' is none of feature_minmax, feature_symmetric"),
        (-np.eye(2), "log", "is for counts, but a view has the value -1"),
        (-np.eye(2), "sample_degree", "is for non-negative views, but a view has the value -1"),
        (np.eye(2), "l2+total", r"write \['sample_unit', 'view_total'\]\.$"),
        (np.eye(2), ["log", "ncw"], r"^features='ncw' has a new name: write 'sample_degree'"),
    ],
)
def test_wrong_steps_and_data_are_refused(X, steps, message):
    with pytest.raises(ValueError, match=message):
        scale_features([X], np.ones((2, 1), bool), steps)


def test_a_word_that_is_no_scale_is_refused_and_an_old_one_with_the_new_one():
    for parameter, words in scaling.OLD_WORDS.items():
        for old, new in words.items():
            with pytest.raises(ValueError, match=f"^{parameter}='{old}' has a .* write '{new}'.$"):
                scaling.refuse_old_word(parameter, old)
            assert new not in words
            scaling.refuse_old_word(parameter, new)
    for scale, message in ((["l2"], "'l2' has a new name"), ("unt", "'unt' is none of sample_un")):
        with pytest.raises(ValueError, match=f"^scale={message}"):
            scaling.scale_views([np.eye(2)], np.ones((2, 1), bool), scale)


def views(seed=0, n=60, d=7):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) > 0.4) + 1000 * (np.arange(d) == 2)
    X[:, 4] = 3.0  # constant
    X[5] = 0.0
    return X


def standardised(X, Y=None):
    """Y with the means and deviations of X."""
    deviation = X.std(axis=0, ddof=1)
    Y = X if Y is None else Y
    return (Y - X.mean(axis=0)) / np.where(deviation > 1e-9, deviation, np.inf)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("scale", ["sample_unit", "feature_zscore"])
def test_products_are_those_of_the_scaled_view(kind, scale):
    X, rng, rows = views(), np.random.default_rng(1), slice(3, 40)
    lengths = np.maximum(np.linalg.norm(X, axis=1), 1e-12)
    own = X / lengths[:, None] if scale == "sample_unit" else standardised(X)
    view = ScaledView(kind(X), scale)
    B, Z = rng.normal(size=(7, 3)), rng.normal(size=(37, 3))
    np.testing.assert_allclose(view.times(rows, B), own[rows] @ B, atol=1e-9)
    np.testing.assert_allclose(view.transposed_times(rows, Z), own[rows].T @ Z, atol=1e-9)
    np.testing.assert_allclose(view.take(np.array([9, 2])), own[[9, 2]], atol=1e-9)
    assert view.squared_norm == pytest.approx(np.sum(own**2))
    assert view.width == (7 if kind is np.asarray else np.count_nonzero(X) / 60)


def test_new_samples_are_scaled_as_those_of_fit():
    X, Y = views(), views(1)
    scaling, there = ScaledView(X, "feature_zscore").scaling, np.arange(60) % 3 > 0
    new = ScaledView(np.where(there[:, None], Y, 0.0), "feature_zscore", scaling, there)
    expected = standardised(X, Y) * there[:, None]
    np.testing.assert_allclose(new.times(slice(0, 60), np.eye(7)), expected, atol=1e-9)
    transposed = new.transposed_times(slice(0, 60), np.eye(60))
    np.testing.assert_allclose(transposed, expected.T, atol=1e-9)


def test_moments_of_many_samples_are_found_in_blocks_and_nothing_is_left_of_constant_views():
    X = np.random.default_rng(0).normal(5, 2, size=(3000, 2))
    mean, factor = ScaledView(X, "feature_zscore").scaling[:2]
    np.testing.assert_allclose(mean, X.mean(axis=0))
    np.testing.assert_allclose(factor, 1 / X.std(axis=0, ddof=1))
    for X in (np.ones((1, 3)), np.ones((5, 3))):
        assert ScaledView(X, "feature_zscore").squared_norm == 0
    assert ScaledView(np.zeros((5, 3)), "sample_unit").squared_norm == 0


def test_the_features_most_samples_have_come_first():
    rng = np.random.default_rng(0)
    X = sparse.csr_array(np.where(rng.random((30, 9)) < np.linspace(0.2, 0.9, 9), 1.0, 0.0))
    order = frequent_first(X)
    assert sorted(order) == list(range(9))
    assert (np.diff(X[:, order].sum(axis=0)) <= 0).all()
    assert X.toarray()[:, frequent_first(X.toarray())].shape == X.shape


@pytest.mark.parametrize("share", [0.05, 1.0])
def test_repeated_rows_are_multiplied_once(share):
    rng = np.random.default_rng(0)
    X = np.where(rng.random((60, 200)) < share, rng.random((60, 200)), 0.0)
    X[::2] = X.mean(axis=0)
    X[1:20:2] = 0.0
    fast, fast_transposed = for_products(X)
    assert not isinstance(fast, np.ndarray)
    for shape in [(), (3,)]:
        U, V = rng.random((200, *shape)), rng.random((60, *shape))
        np.testing.assert_allclose(fast @ U, X @ U, rtol=1e-12)
        np.testing.assert_allclose(fast_transposed @ V, X.T @ V, rtol=1e-12)
    given = sparse.csr_array(X)
    assert np.shares_memory(for_products(given)[1].data, given.data)
    both, both_transposed = side_by_side([X, 2 * X[:, :7]])
    Y = np.hstack([X, 2 * X[:, :7]])
    U = rng.random((207, 3))
    np.testing.assert_allclose(both @ U, Y @ U, rtol=1e-12)
    np.testing.assert_allclose(both_transposed @ V, Y.T @ V, rtol=1e-12)
