"""`predict` and `transform`: labels and representations of samples that `fit` has not seen."""

import inspect
from functools import cache

import numpy as np
import pandas as pd
import pytest
from estimators.shared_cases import ALL, of
from helpers import relative
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils import get_tags

import mvclust
from mvclust import MIC, MVKKM, OMVC, BestSingleView, ConcatKMeans, MultiNMF
from mvclust.estimators.mic import represent_new
from mvclust.estimators.mvkkm import combine, view_kernels
from mvclust.masking import apply_mask, random_mask
from mvclust.metrics import accuracy
from mvclust.numerics.factors import weighted_mean
from mvclust.numerics.scaling import scale_views
from mvclust.testing import make_blobs, views_for

WITH = [e for e in ALL if hasattr(e, "predict")]  # the page on new samples lists the others
MAPPED = [e for e in WITH if not e.view_tags.unmapped]
each = of(MAPPED)


@cache
def fitted(estimator, rate=0.2):
    """A model fitted to blobs, with missing instances if the class takes these, and its views."""
    Xs, _ = views_for(estimator, rate)
    return estimator(3, random_state=0).fit(Xs), Xs


def new_views(estimator, rate=0.4):
    """Other samples of the same groups, with missing instances whatever the class takes."""
    Xs, y = make_blobs(n_per_cluster=8, seed=5)
    Xs = Xs[: estimator.view_tags.n_views]
    return apply_mask(Xs, random_mask(len(y), len(Xs), rate, 1)) if rate else Xs, y


@each
def test_new_samples_that_lack_views_are_told_apart_one_by_one(estimator):
    """Complete ones are in the contract: there neither order nor other samples matter either."""
    model, (Xs, y) = fitted(estimator, 0)[0], new_views(estimator)
    labels = model.predict(Xs)
    # A view that is not the chosen one tells methods of a single view nothing. The views of OMVC
    # hardly agree after two passes over so few samples.
    there = ~np.isnan(Xs[model.view_]).any(axis=1) if hasattr(model, "view_") else slice(None)
    assert accuracy(y[there], labels[there]) > (0.7 if estimator is OMVC else 0.9)
    model, own = fitted(estimator)
    assert (model.predict(own) == model.labels_).mean() > 0.85
    labels, alone = model.predict(Xs), [[X[[i]] for X in Xs] for i in range(len(y))]
    order = np.random.default_rng(0).permutation(len(y))
    assert (model.predict([X[order] for X in Xs]) == labels[order]).all()
    assert (labels == [model.predict(one)[0] for one in alone]).all()
    if hasattr(model, "transform"):
        rows, single = model.transform(Xs), np.vstack([model.transform(one) for one in alone])
        np.testing.assert_allclose(single, rows, atol=1e-7 * np.abs(rows).max())


@each
def test_transform_is_as_the_embedding(estimator):
    model, Xs = fitted(estimator, 0)
    assert hasattr(model, "transform") == hasattr(model, "embedding_")
    if hasattr(model, "transform"):
        error = relative(model.transform(Xs), model.embedding_)
        assert error < (1e-9 if estimator.__name__ == "LMVSC" else 0.05)
        assert model.transform(new_views(estimator)[0]).shape == (24, model.embedding_.shape[1])


@each
def test_predict_changes_nothing_and_reads_nothing_missing_and_sparse_views_as_fit(estimator):
    model, _ = fitted(estimator)
    Xs, _ = new_views(estimator)
    before, state = [X.copy() for X in Xs], {name: id(value) for name, value in vars(model).items()}
    for X in Xs:
        X.flags.writeable = False
    labels = model.predict(Xs)
    for X, Y in zip(Xs, before, strict=True):
        np.testing.assert_array_equal(X, Y)
    masked = [
        np.ma.MaskedArray(np.where(np.isnan(X), -1e30, X), mask=np.isnan(X), fill_value=3)
        for X in Xs
    ]
    assert (model.predict(masked) == labels).all()
    first = make_blobs()[0][: len(Xs)]
    first[0] = np.full_like(first[0], np.nan)  # no new sample has the first view
    assert len(model.predict(first)) == 45
    views = [sparse.csr_array(X) for X in Xs]
    if estimator.view_tags.sparse:
        assert (model.predict(views) == labels).all()
        given = [sparse.csr_array(X) for X in views_for(estimator)[0]]
        own = estimator(3, random_state=0).fit(given)
        assert (own.predict(views) == own.predict(Xs)).all()
    else:
        with pytest.raises(TypeError, match="view 0 is sparse, which this method cannot use"):
            model.predict(views)
    assert state == {name: id(value) for name, value in vars(model).items()}


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda Xs: Xs[:-1], r"was fitted to \d views, got \d\.$"),
        (lambda Xs: [*Xs, Xs[0]], r"was fitted to \d views, got \d\.$"),
        (lambda Xs: [Xs[0][:, 1:], *Xs[1:]], "view 0 has 4 features, the model was fitted to 5"),
        (lambda Xs: [np.where(np.arange(24)[:, None] == 3, np.nan, X) for X in Xs], "sample 3"),
        (lambda Xs: [np.full_like(X, np.inf) for X in Xs], "view 0 contains infinite values"),
        (lambda Xs: Xs[0], "must be a list with one array per view"),
    ],
)
@each
def test_bad_views_give_one_sentence(estimator, spoil, message):
    model, _ = fitted(estimator)
    Xs, _ = new_views(estimator, rate=0)
    with pytest.raises(ValueError, match=message) as caught:
        model.predict(spoil(Xs))
    assert "\n" not in str(caught.value)


@each
def test_negative_entries_and_unfitted_models(estimator):
    model, _ = fitted(estimator)
    Xs, _ = new_views(estimator, rate=0)
    if estimator.view_tags.nonnegative:
        with pytest.raises(ValueError, match="needs non-negative views, but view 0 has a minimum"):
            model.predict([X - 3 for X in Xs])
        assert len(model.predict([np.zeros_like(X) for X in Xs])) == len(Xs[0])
    unfitted = clone(model)
    if estimator.start_parameters:
        unfitted.draw_start(Xs)
    for method in ("predict", "transform"):
        if hasattr(model, method):
            with pytest.raises(NotFittedError):
                getattr(unfitted, method)(Xs)


def test_features_of_other_names_are_refused():
    Xs = [pd.DataFrame(X).add_prefix("f") for X in make_blobs()[0]]
    model = ConcatKMeans(3, random_state=0).fit(Xs)
    other = [*Xs[:-1], Xs[-1].rename(columns={"f2": "g"})]
    with pytest.raises(ValueError, match=r"feature 2 of view 2 is 'g', .* fitted to 'f2' there"):
        model.predict(other)
    assert (model.predict([X.to_numpy() for X in Xs]) == model.labels_).all()


SCALES, WAYS = ["view_balanced", "sample_unit", None], ["mean", "knn", "largest", "first"]
FILLED = [(ConcatKMeans, scale, how) for scale in [*SCALES, SCALES] for how in WAYS[:2]]
FILLED += [(BestSingleView, scale, how) for scale in SCALES for how in WAYS]


def overlapping_blobs():
    rng = np.random.default_rng(0)
    return [X + rng.normal(scale=2, size=X.shape) for X in make_blobs()[0]]


@pytest.mark.parametrize(("estimator", "scale", "impute"), FILLED)
def test_methods_that_fill_give_their_own_labels(estimator, scale, impute):
    Xs = apply_mask(overlapping_blobs(), random_mask(45, 3, 0.5, 0))
    model = estimator(3, scale=scale, impute=impute, random_state=0).fit(Xs)
    assert (model.predict(Xs) == model.labels_).all()


@pytest.mark.parametrize("estimator", [MIC, MultiNMF, mvclust.NMFClustering, mvclust.XRAY])
def test_labels_by_the_largest_coefficient(estimator):
    Xs, _ = make_blobs()
    model = estimator(3, random_state=0).fit(Xs)
    assert model.cluster_centers_ is not None
    model.set_params(labels="argmax").fit(Xs)
    assert model.cluster_centers_ is None
    assert (model.predict(Xs) == model.transform(Xs).argmax(axis=1)).all()
    assert (model.predict(Xs) == model.labels_).mean() > 0.9


def test_mic_minimises_its_objective_in_the_coefficients_of_new_samples():
    """Projected gradient steps from elsewhere end at the same consensus."""
    rng = np.random.default_rng(0)
    B = [rng.random((d, 3)) for d in (5, 4)]
    Xs = [rng.random((6, d)) for d in (5, 4)]
    alpha, beta = np.array([0.5, 0.5]), np.array([0.3, 0.1])
    C = rng.random((6, 2)) + 0.2
    U_star = represent_new(Xs, B, C, alpha=alpha, beta=beta)
    U = [np.ones((6, 3)), np.ones((6, 3))]
    for _ in range(3000):
        for v, (X, B_v) in enumerate(zip(Xs, B, strict=True)):
            mean = weighted_mean(C.T, U)
            slope = C[:, [v]] * 2 * ((U[v] @ B_v.T - X) @ B_v + alpha[v] * (U[v] - mean))
            slope += beta[v] * U[v] / np.maximum(np.linalg.norm(U[v], axis=1), 1e-12)[:, None]
            U[v] = np.maximum(U[v] - 0.02 * slope, 0)
    np.testing.assert_allclose(U_star, weighted_mean(C.T, U), atol=1e-5)


@pytest.mark.parametrize("kernel", ["rbf", "linear", "precomputed"])
@pytest.mark.parametrize("scale", ["view_balanced", "view_range", None])
def test_mvkkm_takes_the_nearest_mean_in_feature_space(kernel, scale):
    Xs = overlapping_blobs()
    if kernel == "precomputed":
        Xs, scale = view_kernels(Xs, "linear", "test"), None
    model = MVKKM(3, kernel=kernel, scale=scale, random_state=0).fit(Xs)
    scaled = scale_views(Xs, np.ones((45, 3), dtype=bool), scale)
    K = combine(view_kernels(scaled, kernel, "test"), model.w_, model.p)
    cost = []
    for c in range(3):
        own = model.labels_ == c
        cost.append(K.diagonal() - 2 * K[:, own].mean(axis=1) + K[np.ix_(own, own)].mean())
    assert (model.predict(Xs) == np.argmin(cost, axis=0)).all()
    assert (model.predict(Xs) == model.labels_).mean() > 0.95
    lacking = [X.copy() for X in Xs]
    lacking[0][:9] = np.nan
    assert (model.predict(lacking) == model.labels_).mean() > 0.8


@of(ALL)
def test_tags_and_docstrings_say_what_is_true(estimator):
    tags, own = get_tags(estimator(3)), estimator.view_tags
    assert tags.estimator_type == "clusterer"
    assert tags.input_tags.sparse == own.sparse
    assert tags.input_tags.positive_only == own.nonnegative
    assert tags.input_tags.allow_nan == own.incomplete
    assert not tags.input_tags.two_d_array  # a list of such arrays
    assert not tags.target_tags.required
    assert (tags.transformer_tags is not None) == hasattr(estimator, "transform")
    if hasattr(estimator, "transform"):
        assert hasattr(estimator, "predict")
        assert "\nembedding_ : " in inspect.getdoc(estimator)
        assert own.unmapped or "\ncluster_centers_ : " in inspect.getdoc(estimator)
    assert not tags.input_tags.pairwise
    if "kernel" in estimator._parameter_constraints:
        assert get_tags(estimator(3, kernel="precomputed")).input_tags.pairwise
