"""What the base of the estimators offers to others."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import KMeans

from mvclust import CMVNMF, DAIMC, IMVCCBG, PVC, XRAY, ConcatKMeans, ConstraintPropagation
from mvclust.estimators.base import MultiViewClusterer, ViewTags, check_views, tags_of


def test_tags_of_classes_and_instances():
    assert tags_of(PVC) == tags_of(PVC(3)) == ViewTags(sparse=True, nonnegative=True, n_views=2)
    assert tags_of(DAIMC).incomplete
    assert not tags_of(DAIMC).unmapped


def test_a_class_without_tags_gets_cautious_ones():
    tags = tags_of(KMeans(2))
    assert tags == ViewTags(incomplete=False)
    assert not tags.unmapped


def test_tags_of_methods_for_unmapped_views():
    assert tags_of(CMVNMF).constraints == "between"
    assert tags_of(ConstraintPropagation).constraints == "within"
    assert tags_of(CMVNMF).unmapped
    assert tags_of(ConstraintPropagation).unmapped


class NeedsPairs(MultiViewClusterer):
    """A class from outside: it sets tags and calls `check_input`, no more."""

    view_tags = ViewTags(incomplete=False, nonnegative=True, n_views=2)

    def __init__(self, n_clusters, *, random_state=None):
        self.n_clusters = n_clusters
        self.random_state = random_state

    def fit(self, Xs, y=None):
        Xs, presence = self.check_input(Xs)
        self.labels_ = np.arange(len(presence)) % self.n_clusters
        return self


@pytest.mark.parametrize(
    ("Xs", "message"),
    [
        ([np.ones((3, 2))], "NeedsPairs takes exactly 2 views, got 1"),
        ([np.ones((3, 2)), [[1], [np.nan], [1]]], "complete views, but view 1 lacks 1 of 3"),
        ([np.ones((3, 2)), -np.ones((3, 2))], "non-negative views, but view 1"),
        ([np.ones((1, 2)), np.ones((1, 2))], "n_clusters=2 is more than the 1 samples"),
    ],
)
def test_tags_decide_what_check_input_refuses(Xs, message):
    with pytest.raises(ValueError, match=message):
        NeedsPairs(2).fit(Xs)


def test_a_class_without_a_start_shares_none():
    assert NeedsPairs(2, random_state=0).start_key() is None
    assert len(NeedsPairs(2).fit([np.ones((3, 2)), np.ones((3, 1))]).labels_) == 3


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
    labels = DAIMC(2, random_state=0).fit([kind(X) for X in Xs]).labels_
    assert (labels == DAIMC(2, random_state=0).fit(Xs).labels_).all()


def test_single_masked_values_are_refused_as_single_nan_are():
    X = np.ma.MaskedArray(np.ones((3, 2)), mask=[[0, 0], [0, 1], [0, 0]])
    with pytest.raises(ValueError, match="row 1 of view 0 is NaN in 1 of 2 features"):
        check_views([X])


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame({"a": ["x", "y"]}),
        np.ma.MaskedArray([[1j], [2]]),
        np.array([["x"], [1.0]], object),
        pd.DataFrame({"a": [1j, 2]}),
        pd.DataFrame({"a": [1.0, 2.0], "b": pd.to_datetime(["2020-01-01", "2021-01-01"])}),
        np.array([["2020-01-01"]], dtype="datetime64[D]"),
    ],
)
def test_what_is_no_number_is_refused(X):
    with pytest.raises(ValueError, match="view 0 is not an array of real numbers"):
        check_views([X])


def test_features_are_counted_and_named_per_view():
    Xs = missing_rows()
    model = ConcatKMeans(2, random_state=0).fit([as_frame(X) for X in Xs])
    assert model.n_features_in_ == [3, 2]
    assert [names.tolist() for names in model.feature_names_in_] == [
        ["f0", "f1", "f2"],
        ["f0", "f1"],
    ]
    assert not hasattr(model.fit(Xs), "feature_names_in_")
    unmapped = [np.eye(2)[[0, 0, 1]], np.eye(5)[[0, 1, 1, 0]]]
    assert CMVNMF(2, random_state=0).fit(unmapped).n_features_in_ == [2, 5]


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        (DAIMC(2, scale="l2"), "DAIMC: scale='l2' has a new name: write 'sample_unit'."),
        (
            ConcatKMeans(2, scale=["l2", None]),
            "ConcatKMeans: scale='l2' has a new name: write 'sample_unit'.",
        ),
        (XRAY(2, labels="unit"), "XRAY: labels='unit' has a new name: write 'kmeans_unit'."),
        (
            IMVCCBG(2, embedding="unit"),
            "IMVCCBG: embedding='unit' has a new name: write 'leading_unit'.",
        ),
        (DAIMC(True), "DAIMC: n_clusters must be a number, got True."),
        (DAIMC(2, max_iter=True), "DAIMC: max_iter must be a number, got True."),
        (
            DAIMC(2, random_state=-1),
            "'random_state' parameter of DAIMC must be an int in the range",
        ),
    ],
)
def test_old_words_and_numbers_that_are_none_are_refused_in_one_sentence(model, sentence):
    with pytest.raises(ValueError, match=re.escape(sentence)):
        model.fit([np.eye(4), np.eye(4)])
