"""What the base of the estimators offers to others."""

import re

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from mvclust import AMGL, CMVNMF, DAIMC, IMVCCBG, PVC, XRAY, ConcatKMeans
from mvclust.canonical import doubts_about_labels, doubts_about_views
from mvclust.estimators.base import check_views
from mvclust.masking import apply_mask
from mvclust.testing import make_blobs


def missing_rows():
    """Two views of which some rows are missing, as NaN."""
    rng = np.random.default_rng(0)
    Xs = [rng.random((12, 3)), rng.random((12, 2))]
    Xs[0][[2, 7]] = Xs[1][[0, 4]] = np.nan
    return Xs


def as_masked(X):
    hidden = np.where(np.isnan(X), -1e30, X)  # what stands behind a mask is never read
    return np.ma.MaskedArray(hidden, mask=np.isnan(X))


def as_frame(X):
    columns = [f"f{n}" for n in range(X.shape[1])]
    return pd.DataFrame(X, columns=columns).convert_dtypes().astype("Float64")


@pytest.mark.parametrize("kind", [as_masked, as_frame, lambda X: X.astype(object)])
def test_masked_arrays_data_frames_and_objects_are_what_they_say(kind):
    Xs = missing_rows()
    checked, presence = check_views([kind(X) for X in Xs])
    assert (presence == ~np.isnan(np.column_stack([X[:, 0] for X in Xs]))).all()
    for X, expected in zip(checked, check_views(Xs)[0], strict=True):
        np.testing.assert_array_equal(X, expected)


NO_NUMBERS = [
    pd.DataFrame({"a": ["x", "y"]}),
    np.ma.MaskedArray([[1j], [2]]),
    np.array([["x"], [1.0]], object),
    pd.DataFrame({"a": [1j, 2]}),
    pd.DataFrame({"a": [1.0, 2.0], "b": pd.to_datetime(["2020-01-01", "2021-01-01"])}),
    np.array([["2020-01-01"]], dtype="datetime64[D]"),
    sparse.csr_array(np.eye(3) * 1j),
]
SINGLE = np.ma.MaskedArray(np.ones((3, 2)), mask=[[0, 0], [0, 1], [0, 0]])
REFUSED = [(X, "view 0 is not an array of real numbers") for X in NO_NUMBERS]
REFUSED += [(sparse.csr_array([[np.inf]]), "view 0 contains infinite")]
REFUSED += [(SINGLE, "view 0 is NaN in 1 of 2 features of row 1")]  # as a single NaN


@pytest.mark.parametrize(("X", "message"), REFUSED)
def test_what_is_no_finite_number_or_masked_alone_is_refused(X, message):
    with pytest.raises(ValueError, match=message):
        check_views([X], accept_sparse=True)


def test_features_are_counted_and_named_per_view():
    Xs = missing_rows()
    model = ConcatKMeans(2, random_state=0).fit([as_frame(X) for X in Xs])
    assert model.n_features_in_ == [3, 2]
    names = [of_view.tolist() for of_view in model.feature_names_in_]
    assert names == [["f0", "f1", "f2"], ["f0", "f1"]]
    assert not hasattr(model.fit(Xs), "feature_names_in_")
    unmapped = [np.eye(2)[[0, 0, 1]], np.eye(5)[[0, 1, 1, 0]]]
    assert CMVNMF(2, random_state=0).fit(unmapped).n_features_in_ == [2, 5]


UNIT = "'l2' has a new name: write 'sample_unit'."
I4 = np.eye(4)
LACKING = np.where(np.arange(4)[:, None] == 1, np.nan, I4)
REFUSED_FITS = [
    (DAIMC(2, scale="l2"), f"DAIMC: scale={UNIT}"),
    (ConcatKMeans(2, scale=["l2", None]), f"ConcatKMeans: scale={UNIT}"),
    (XRAY(2, labels="unit"), "XRAY: labels='unit' has a new name: write 'kmeans_unit'."),
    (IMVCCBG(2, embedding="unit"), "embedding='unit' has a new name: write 'leading_unit'."),
    (DAIMC(True), "DAIMC: n_clusters must be a number, got True."),
    (DAIMC(2, max_iter=True), "DAIMC: max_iter must be a number, got True."),
    (DAIMC(2, random_state=-1), "'random_state' parameter of DAIMC must be an int in the range"),
    (PVC(2), "PVC takes exactly 2 views, got 1", I4),
    (PVC(2), "PVC needs non-negative views, but view 1", I4, -I4),
    (AMGL(2), "AMGL needs complete views, but view 1 lacks 1 of 4", I4, LACKING),
    (AMGL(2), "view 1 is sparse, which this method cannot", I4, sparse.csr_array(I4)),
]


@pytest.mark.parametrize(("model", "sentence", "Xs"), [(*a[:2], a[2:]) for a in REFUSED_FITS])
def test_what_a_class_cannot_take_is_refused_in_one_sentence(model, sentence, Xs):
    """Old words, numbers that are none, and views that the tags exclude."""
    with pytest.raises((ValueError, TypeError), match=re.escape(sentence)):
        model.fit(list(Xs) or [I4, I4])


def in_parts(X):
    """The view as a csr_array with every entry stored in two parts, and a zero that is stored."""
    n, d = X.shape
    columns = np.tile(np.repeat(np.arange(d), 2)[::-1], n)
    data = np.repeat(X[:, ::-1], 2, axis=1).ravel() * np.tile([0.25, 0.75], n * d)
    return sparse.csr_array((data, columns, np.arange(0, 2 * n * d + 1, 2 * d)), shape=X.shape)


def test_sparse_entries_stored_in_parts_are_summed_and_what_is_given_is_left_alone():
    X = np.random.default_rng(0).integers(0, 4, (6, 3)).astype(float)
    given = in_parts(X)
    before = [part.copy() for part in (given.data, given.indices, given.indptr)]
    (checked,), _ = check_views([given], accept_sparse=True)
    assert checked.has_canonical_format
    assert (checked.data != 0).all()
    np.testing.assert_array_equal(checked.toarray(), X)
    for part, old in zip((given.data, given.indices, given.indptr), before, strict=True):
        np.testing.assert_array_equal(part, old)


def related(*rows):
    return apply_mask([np.arange(12.0).reshape(6, 2)] * len(rows[0]), np.array(rows, dtype=bool))


TWO = np.repeat(np.eye(2), 3, axis=0)
ARBITRARY = [
    (related(*[[1, 0]] * 3, *[[0, 1]] * 3), "no sample relates view 0 to view 1: whether"),
    (related(*[[1, 1, 0]] * 3, *[[0, 0, 1]] * 3), "no sample relates views 0 and 1 to view 2: whe"),
    *(([X], "2 distinct samples, fewer than the 3 clusters")
      for X in (TWO, [[0.0], [-0.0], [1.0], [1.0]], sparse.csr_array(TWO))),
]  # fmt: skip


@pytest.mark.parametrize(("Xs", "said"), ARBITRARY)
def test_data_whose_clusters_are_arbitrary_are_said_to_be(Xs, said):
    checked, presence = check_views(Xs, accept_sparse=True)
    (doubt,) = doubts_about_views(checked, presence, 3)
    assert said in doubt
    if not sparse.issparse(Xs[0]):
        with pytest.warns(UserWarning, match=f"ConcatKMeans: .*{said}"):
            ConcatKMeans(3, random_state=0).fit(Xs)


def test_data_that_are_clear_raise_no_doubts():
    Xs, y = make_blobs()
    presence = np.ones((len(y), 3), dtype=bool)
    assert not doubts_about_views(Xs, presence, 3)
    presence[:, 0], presence[1:, 2] = np.arange(len(y)) < 5, np.arange(1, len(y)) > 40
    assert not doubts_about_views(Xs, presence, 45)  # views 0 and 2 by way of view 1
    assert not doubts_about_labels(y)
    for classes, said in (([1, 1], "of one class"), ([1, 2], "class of its own")):
        (doubt,) = doubts_about_labels(classes)
        assert said in doubt
