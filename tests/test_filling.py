"""Missing instances and values are filled alike in all kinds of views that users have."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.impute import KNNImputer, SimpleImputer

import mvclust
from mvclust.masking import apply_mask, random_mask
from mvclust.numerics import impute


@pytest.fixture
def views():
    rng = np.random.default_rng(0)
    Xs, presence = [rng.normal(size=(30, d)) for d in (3, 5)], random_mask(30, 2, 0.3, 0)
    return Xs, presence, apply_mask(Xs, presence)


def frame(X):
    return pd.DataFrame(X, columns=[f"f{j}" for j in range(X.shape[1])]).astype("Float64")


KINDS = {
    "arrays": lambda X: X,
    "lists": lambda X: X.tolist(),
    "objects": lambda X: X.astype(object),
    "masked": lambda X: np.ma.MaskedArray(np.where(np.isnan(X), 1e6, X), np.isnan(X)),
    "data frames": frame,
    "sparse": lambda X: sparse.csr_array(X),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("how", ["mean", "knn"])
def test_every_kind_of_view_is_filled_as_the_pipeline_does(views, kind, how):
    Xs, presence, incomplete = views
    expected = impute.fill_missing(Xs, presence, how, 3)
    filled = mvclust.fill_missing([KINDS[kind](X) for X in incomplete], how, n_neighbors=3)
    for X, Y in zip(filled, expected, strict=True):
        np.testing.assert_allclose(X, Y, rtol=1e-14)


@pytest.mark.parametrize("how", ["mean", "knn"])
@pytest.mark.parametrize("kind", ["arrays", "masked", "data frames"])
def test_single_values_are_filled_as_scikit_learn_does(views, kind, how):
    _, _, incomplete = views
    rng = np.random.default_rng(1)
    for X in incomplete:
        X[rng.random(X.shape) < 0.1] = np.nan
    incomplete[0][np.isnan(np.hstack(incomplete)).all(axis=1)] = 0.5
    imputer = KNNImputer(n_neighbors=5) if how == "knn" else SimpleImputer()
    expected = imputer.fit_transform(np.hstack(incomplete))
    filled = mvclust.fill_missing([KINDS[kind](X) for X in incomplete], how)
    assert [X.shape for X in filled] == [X.shape for X in incomplete]
    np.testing.assert_allclose(np.hstack(filled), expected)


def test_the_input_is_left_alone_and_a_value_beside_missing_rows_is_filled(views):
    _, _, incomplete = views
    incomplete[0][0, 1] = np.nan
    before = [X.copy() for X in incomplete]
    mvclust.fill_missing(incomplete)
    for X, Y in zip(incomplete, before, strict=True):
        np.testing.assert_array_equal(X, Y)
    dense = [X.copy() for X in incomplete]
    row = np.flatnonzero(~np.isnan(dense[0]).any(axis=1))[0]
    dense[0][row, 1] = np.nan
    expected = KNNImputer(n_neighbors=5).fit_transform(np.hstack(dense))
    filled = mvclust.fill_missing([dense[0], sparse.csr_array(dense[1])])
    np.testing.assert_allclose(np.hstack(filled), expected)


@pytest.mark.parametrize(
    ("spoil", "options", "message"),
    [
        (lambda Xs: Xs[0], {}, "fill_missing: Xs must be a list with one array per view"),
        (lambda Xs: [[["a"]], [[1.0]]], {}, "view 0 is not an array of real numbers"),
        (
            lambda Xs: [np.c_[Xs[0], np.full(30, np.nan)], Xs[1]],
            {},
            "feature 3 of view 0 has no value",
        ),
        (list, {"how": "median"}, "how='median', expected 'knn' or 'mean'"),
        (list, {"n_neighbors": 0}, "n_neighbors=0, expected a whole number from 1"),
    ],
)
def test_what_cannot_be_filled_is_refused(views, spoil, options, message):
    with pytest.raises(ValueError, match=message):
        mvclust.fill_missing(spoil(views[0]), **options)


@pytest.mark.parametrize("how", ["knn", "mean"])
@pytest.mark.parametrize("missing", ["row", "value", "nothing"])
def test_a_view_that_lacks_nothing_comes_back_and_stays_sparse(how, missing):
    rng = np.random.default_rng(0)
    whole = sparse.csr_array(rng.random((12, 4)) * (rng.random((12, 4)) > 0.5))
    X = rng.random((12, 3))
    present = X.copy()
    X[3, : {"row": 3, "value": 1, "nothing": 0}[missing]] = np.nan
    kept, filled = mvclust.fill_missing([whole, X], how)
    assert sparse.issparse(kept)
    np.testing.assert_array_equal(kept.toarray(), whole.toarray())
    np.testing.assert_array_equal(filled, mvclust.fill_missing([whole.toarray(), X], how)[1])
    np.testing.assert_array_equal(np.delete(filled, 3, axis=0), np.delete(present, 3, axis=0))
    assert missing != "nothing" or (filled == present).all()
