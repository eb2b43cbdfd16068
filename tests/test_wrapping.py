"""One array with column blocks is clustered as the list of views, also by scikit-learn's tools."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from helpers import ROOT
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV

import mvclust
from docs.make_checks import expected_failures, results_of
from docs.pages import estimators
from mvclust import CMVNMF, DAIMC, ConcatKMeans, ConcatNMF, ConcatSpectral, wrap
from mvclust.masking import apply_mask, random_mask
from mvclust.metrics import accuracy, simplified_silhouette
from mvclust.numerics.scaling import balanced
from mvclust.testing import make_blobs

SIZES = [5, 4, 6]
NAMES = [f"{view}{j}" for view, size in zip("abc", SIZES, strict=True) for j in range(size)]

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.fixture
def blobs():
    Xs, y = make_blobs()
    Xs = apply_mask(Xs, random_mask(len(y), 3, 0.2, seed=0))
    return Xs, np.hstack(Xs), y


@pytest.mark.parametrize("estimator", estimators().values(), ids=lambda e: e.__name__)
def test_scikit_learns_checks(estimator):
    """Each check passes but those that are known to fail, and these do fail."""
    results = results_of(estimator)
    failed = {r["check_name"]: r["exception"] for r in results if r["status"] == "failed"}
    assert not failed
    known = [r["check_name"] for r in results if r["status"] == "xfail"]
    assert set(known) == set(expected_failures(estimator))
    page = (ROOT / "docs" / "scikit-learn.md").read_text()
    if f"With scikit-learn {sklearn.__version__}:" not in page:
        return  # another version has other checks
    row = f"| `{estimator.__name__}` | {len(results)} | {len(results) - len(known)} |"
    assert row in page, "python docs/make_checks.py makes the table anew"


@pytest.mark.parametrize(
    "blocks",
    [
        SIZES,
        tuple(SIZES),
        [slice(0, 5), slice(5, 9), slice(9, None)],
        [range(5), [5, 6, 7, 8], np.arange(9, 15)],
        [[0, 1, 2, 3, 4], slice(5, 9), [-6, -5, -4, -3, -2, -1]],
    ],
    ids=str,
)
def test_blocks_are_the_views(blobs, blocks):
    Xs, X, _ = blobs
    expected = DAIMC(3, random_state=0).fit(Xs)
    model = wrap(DAIMC(3, random_state=0), blocks).fit(X)
    np.testing.assert_array_equal(model.labels_, expected.labels_)
    # Products may round otherwise where the columns of a view lie apart in memory.
    np.testing.assert_allclose(model.estimator_.objective_, expected.objective_, rtol=1e-10)
    assert model.n_features_in_ == 15


def test_columns_of_data_frames_are_named_in_any_order(blobs):
    Xs, X, _ = blobs
    frame = pd.DataFrame(X, columns=NAMES)[NAMES[::-1]].astype("Float64")
    blocks = [[name for name in NAMES if name[0] == view] for view in "abc"]
    model = wrap(DAIMC(3, random_state=0), blocks).fit(frame)
    np.testing.assert_array_equal(model.labels_, DAIMC(3, random_state=0).fit(Xs).labels_)
    with pytest.raises(ValueError, match=r"\['d0'\], .* 15 columns named c5, c4, "):
        wrap(ConcatKMeans(3), [["a0"], ["d0"]]).fit(frame)


def test_masked_and_sparse_arrays(blobs):
    Xs, X, _ = blobs
    expected = DAIMC(3, random_state=0).fit(Xs).labels_
    masked = np.ma.MaskedArray(np.where(np.isnan(X), 7.0, X), np.isnan(X))
    for other in (masked, sparse.csc_array(X), X.tolist()):
        labels = wrap(DAIMC(3, random_state=0), SIZES).fit_predict(other)
        np.testing.assert_array_equal(labels, expected)
    with pytest.raises(TypeError, match="Sparse data was passed"):
        wrap(ConcatKMeans(3), SIZES).fit(sparse.csr_array(X))
    # A number of views divides the columns evenly.
    model = wrap(ConcatKMeans(3, random_state=0), 2).fit(np.hstack(make_blobs()[0]))
    assert model.estimator_.n_features_in_ == [8, 7]


@pytest.mark.parametrize(
    ("blocks", "message"),
    [
        ([5, 4], r"blocks=\[5, 4\] have 9 columns, expected the 15 of X"),
        ([15, 0], "at least 1 for each view"),
        (0, "blocks=0, expected at least 1"),
        (None, "blocks=None, expected a number of views or a list"),
        ([], "expected a number of views or a list"),
        ([[0, 1], [99]], r"block 1 is \[99\], expected .* 15 columns without names"),
        ([[0, 1], ["a0"]], "block 1 is .* without names"),
        ([[0, 1], []], "block 1 has no columns"),
        ([slice(0, 5), slice(20, 30)], "block 1 has no columns"),
        ([[0, 1], None], "block 1 is None"),
        (16, "Found array with 15 feature"),
    ],
)
def test_blocks_that_do_not_fit_are_refused(blobs, blocks, message):
    with pytest.raises(ValueError, match=message):
        wrap(ConcatKMeans(3), blocks).fit(blobs[1])


def test_predict_and_transform_are_those_of_the_method():
    Xs, y = make_blobs()
    X = np.hstack(Xs)
    model = wrap(ConcatNMF(3, random_state=0), SIZES)
    with pytest.raises(NotFittedError):
        model.predict(X)
    model.fit(X[::2])
    assert accuracy(y[1::2], model.predict(X[1::2])) == 1
    assert model.transform(X[1::2]).shape == (22, 3)
    np.testing.assert_array_equal(model.fit_transform(X), model.transform(X))
    with pytest.raises(ValueError, match="X has 14 features"):
        model.predict(X[:, 1:])
    without = wrap(ConcatSpectral(3), SIZES)
    assert not any(hasattr(without, name) for name in ("predict", "transform", "fit_transform"))


def test_methods_for_unmapped_views_know_the_samples():
    Xs, y = make_blobs()
    for method in (CMVNMF, mvclust.ConstraintPropagation):
        labels = wrap(method(3, random_state=0), SIZES).fit_predict(np.hstack(Xs))
        assert accuracy(y, labels) > 0.95

    # Views vote, and the first decides ties.
    class Fixed(CMVNMF):
        def fit(self, Xs, y=None, *, must_links=None):
            assert sorted(must_links) == [(0, 1), (0, 2), (1, 2)]
            self.labels_ = [np.array([0, 0, 1]), np.array([1, 1, 2]), np.array([1, 2, 2])]
            return self

        def predict(self, Xs):
            return self.labels_

        def transform(self, Xs):
            return [np.full((3, 2), v) for v in range(3)]

    model, X = wrap(Fixed(3), [1, 1, 1]), np.ones((3, 3))
    assert model.fit_predict(X).tolist() == model.predict(X).tolist() == [1, 0, 2]
    assert model.transform(X).tolist() == 3 * [[0, 0, 1, 1, 2, 2]]


def test_score_is_the_criterion_of_tune(blobs):
    Xs, X, _ = blobs
    presence = ~np.column_stack([np.isnan(V).all(axis=1) for V in Xs])
    views = [balanced(V, present) for V, present in zip(Xs, presence.T, strict=True)]
    model = wrap(ConcatSpectral(3, random_state=0), SIZES).fit(X)
    assert model.score(X) == simplified_silhouette(views, presence, model.labels_)
    tuned = mvclust.tune(ConcatSpectral(3, random_state=0), {"n_neighbors": [5]}, Xs)
    again = wrap(clone(tuned.model), SIZES).fit(X)
    assert again.score(X) == tuned.scores[0][1]
    with pytest.raises(ValueError, match="ConcatSpectral has no predict, so that only"):
        model.score(X[::-1])


def test_search_with_folds_scores_other_samples():
    Xs, y = make_blobs()
    X = np.hstack(Xs)[np.random.default_rng(0).permutation(len(y))]
    model = wrap(ConcatKMeans(3, random_state=0), SIZES)
    search = GridSearchCV(model, {"estimator__n_clusters": [2, 3]}, cv=3, error_score="raise")
    assert search.fit(X).best_params_ == {"estimator__n_clusters": 3}
