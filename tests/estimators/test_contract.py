"""What every estimator promises, whatever its method."""

import pickle
import re
import warnings

import numpy as np
import pytest
from helpers import make_blobs
from scipy import sparse
from sklearn.base import clone

import mvclust
from mvclust.estimators.base import MultiViewClusterer
from mvclust.masking import apply_mask, random_mask
from mvclust.metrics import accuracy, adjusted_rand_index

ALL = [getattr(mvclust, name) for name in sorted(mvclust.__all__) if name[0].isupper()]
# Methods whose views may describe different samples have tests of their own.
ESTIMATORS = [estimator for estimator in ALL if not estimator.view_tags.unmapped]

pytestmark = [
    pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: e.__name__),
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
]


def data_for(estimator, rate=0.0, seed=0):
    """(Xs, y) that the estimator can take, with missing instances if it takes them."""
    Xs, y = make_blobs(seed=seed)
    Xs = Xs[: estimator.view_tags.n_views]
    if rate and estimator.view_tags.incomplete:
        Xs = apply_mask(Xs, random_mask(len(y), len(Xs), rate, seed))
    return Xs, y


def test_finds_clear_clusters(estimator):
    Xs, y = data_for(estimator)
    labels = estimator(3, random_state=0).fit(Xs).labels_
    assert labels.shape == y.shape
    assert np.issubdtype(labels.dtype, np.integer)
    assert len(np.unique(labels)) == 3
    assert accuracy(y, labels) > 0.95


def test_same_seed_same_labels_and_fit_twice(estimator):
    Xs, _ = data_for(estimator, rate=0.3)
    model = estimator(3, random_state=3)
    first = model.fit(Xs).labels_.copy()
    assert (model.fit(Xs).labels_ == first).all()
    assert (estimator(3, random_state=3).fit_predict(Xs) == first).all()


def test_clone_params_and_pickle(estimator):
    Xs, _ = data_for(estimator)
    model = estimator(3, random_state=0)
    assert clone(model).get_params() == model.get_params()
    assert pickle.loads(pickle.dumps(model)).get_params() == model.get_params()
    model.fit(Xs)
    assert (pickle.loads(pickle.dumps(model)).labels_ == model.labels_).all()
    assert not hasattr(clone(model), "labels_")


def test_constructor_only_stores(estimator):
    model = estimator("nonsense", random_state="nonsense")  # checked in fit, not before
    assert model.n_clusters == "nonsense"
    with pytest.raises(ValueError, match="n_clusters"):
        model.fit(data_for(estimator)[0])


def test_numpy_integers_and_random_states(estimator):
    Xs, _ = data_for(estimator)
    labels = estimator(np.int64(3), random_state=np.int64(5)).fit(Xs).labels_
    assert (estimator(3, random_state=5).fit(Xs).labels_ == labels).all()
    for state in (np.random.RandomState, np.random.default_rng):
        one, two = (estimator(3, random_state=state(1)).fit(Xs).labels_ for _ in range(2))
        assert (one == two).all()


def test_kinds_of_arrays(estimator):
    Xs, _ = data_for(estimator)
    expected = estimator(3, random_state=0).fit(Xs).labels_
    kinds = [
        tuple(Xs),
        [X.tolist() for X in Xs],
        [np.asfortranarray(X) for X in Xs],
        [X.astype(np.float32) for X in Xs],
    ]
    for other in kinds:
        labels = estimator(3, random_state=0).fit(other).labels_
        assert adjusted_rand_index(expected, labels) == 1


def test_input_and_global_generator_are_left_alone(estimator):
    Xs, _ = data_for(estimator, rate=0.3)
    before = [X.copy() for X in Xs]
    for X in Xs:
        X.flags.writeable = False
    state = np.random.get_state()[1].copy()
    estimator(3).fit(Xs)
    assert (np.random.get_state()[1] == state).all()
    for X, Y in zip(Xs, before, strict=True):
        np.testing.assert_array_equal(X, Y)


def test_order_of_samples_and_views_does_not_matter(estimator):
    Xs, _ = data_for(estimator)
    labels = estimator(3, random_state=0).fit(Xs).labels_
    order = np.random.default_rng(0).permutation(len(labels))
    permuted = estimator(3, random_state=0).fit([X[order] for X in Xs]).labels_
    assert adjusted_rand_index(labels[order], permuted) == 1
    turned = estimator(3, random_state=0).fit(Xs[::-1]).labels_
    assert adjusted_rand_index(labels, turned) == 1


def test_fewer_distinct_samples_than_clusters_is_said(estimator):
    Xs, _ = data_for(estimator)
    few = [np.repeat(X[[0, -1]], 6, axis=0) for X in Xs]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        labels = estimator(4, random_state=0).fit(few).labels_
    assert len(np.unique(labels)) == 4 or any("clusters" in str(w.message) for w in caught)


def test_constant_features_and_duplicates_are_fine(estimator):
    Xs, y = data_for(estimator)
    Xs = [np.c_[np.repeat(X, 2, axis=0), np.ones(2 * len(y))] for X in Xs]
    labels = estimator(3, random_state=0).fit(Xs).labels_
    assert accuracy(np.repeat(y, 2), labels) > 0.95


def test_as_many_clusters_as_samples(estimator):
    Xs, y = data_for(estimator)
    first = [np.flatnonzero(y == k)[0] for k in range(3)]
    labels = estimator(3, random_state=0).fit([X[first] for X in Xs]).labels_
    assert len(labels) == 3


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(
    "spoil",
    [
        lambda Xs: [np.ones_like(X) for X in Xs],
        lambda Xs: [*Xs[:-1], np.ones_like(Xs[-1])],
        lambda Xs: [*Xs[:-1], np.zeros_like(Xs[-1])],
    ],
    ids=["all constant", "one constant", "one zero"],
)
def test_views_without_content_are_clustered_or_refused_in_one_sentence(estimator, spoil):
    Xs, y = data_for(estimator)
    model, refusal = estimator(3, random_state=0), None
    try:
        model.fit(spoil(Xs))
    except ValueError as error:
        refusal = str(error)
    if refusal is None:
        assert len(model.labels_) == len(y)
        assert np.isfinite(getattr(model, "objective_", 0.0)).all()
    else:
        assert re.fullmatch(rf"{estimator.__name__}: .*leave.*", refusal)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda Xs: [], "Xs is empty"),
        (lambda Xs: Xs[0], "must be a list with one array per view"),
        (lambda Xs: [Xs[0], *[X[:-1] for X in Xs[1:]]], "view 1 has 44 rows and view 0 has 45"),
        (lambda Xs: [np.full_like(Xs[0], np.inf), *Xs[1:]], "view 0 contains infinite values"),
        (lambda Xs: [_partly(Xs[0]), *Xs[1:]], "row 2 of view 0 is NaN in 1 of"),
        (lambda Xs: [_nowhere(X) for X in Xs], "sample 4"),
        (lambda Xs: [np.full_like(Xs[0], np.nan), *Xs[1:]], "view 0 has no instance at all"),
        (lambda Xs: [Xs[0][:, 0], *Xs[1:]], "view 0 has shape"),
        (lambda Xs: [[["a"]] * 45, *Xs[1:]], "view 0 is not an array of real numbers"),
        (lambda Xs: [X[:2] for X in Xs], "n_clusters=3 is more than the 2 samples"),
    ],
)
def test_bad_input_gives_one_clear_sentence(estimator, spoil, message):
    Xs, _ = data_for(estimator)
    with pytest.raises((ValueError, TypeError), match=message) as caught:
        estimator(3, random_state=0).fit(spoil(Xs))
    assert "\n" not in str(caught.value)


def _partly(X):
    X = X.copy()
    X[2, 0] = np.nan
    return X


def _nowhere(X):
    X = X.copy()
    X[4] = np.nan
    return X


def test_missing_rows_and_negative_values(estimator):
    Xs, y = data_for(estimator)
    incomplete = apply_mask(Xs, random_mask(len(y), len(Xs), 0.2, 0))
    if estimator.view_tags.incomplete:
        assert accuracy(y, estimator(3, random_state=0).fit(incomplete).labels_) > 0.5
    else:
        with pytest.raises(ValueError, match="needs complete views, but view 0 lacks 9 of 45"):
            estimator(3).fit(incomplete)
    negative = [X - 3 for X in Xs]
    if estimator.view_tags.nonnegative:
        with pytest.raises(ValueError, match="non-negative views, but view 0 has a minimum"):
            estimator(3).fit(negative)
    else:
        estimator(3, random_state=0).fit(negative)


def test_incomplete_start_is_refused(estimator):
    if "init" not in estimator(3).get_params():
        pytest.skip(f"{estimator.__name__} takes no start")
    # NMF's start is that of one view, which must be named
    named = {"view": 0} if "view" in estimator(3).get_params() else {}
    with pytest.raises(ValueError, match=r"init lacks '\w+', it gives nothing"):
        estimator(3, init={}, **named).fit(data_for(estimator)[0])


def test_every_parameter_is_constrained_and_documented(estimator):
    names = set(estimator(3).get_params())
    assert issubclass(estimator, MultiViewClusterer)
    assert names == set(estimator._parameter_constraints)
    for name in names:
        assert f"    {name} : " in estimator.__doc__, name


def test_sparse_views_and_other_numbers_of_views(estimator):
    Xs, y = data_for(estimator)
    views = [sparse.csr_array(X) for X in Xs]
    if estimator.view_tags.sparse:
        assert accuracy(y, estimator(3, random_state=0).fit(views).labels_) > 0.95
    else:
        with pytest.raises(TypeError, match="view 0 is sparse, which this method cannot use"):
            estimator(3).fit(views)
    if estimator.view_tags.n_views is not None:
        with pytest.raises(ValueError, match=f"exactly {len(Xs)} views, got {len(Xs) + 1}"):
            estimator(3).fit([*Xs, Xs[0]])


def test_models_of_one_start_key_may_share_a_start(estimator):
    """All parameters that are not named leave the start as it is, and it gives the same fit."""
    model = estimator(3, random_state=0)
    if not estimator.start_parameters:
        assert model.start_key() is None
        with pytest.raises(NotImplementedError, match=estimator.__name__):
            model.draw_start(data_for(estimator)[0])
        return
    Xs, _ = data_for(estimator, rate=0.3)
    start = model.draw_start(Xs)
    for name, value in model.get_params().items():
        if name in (*estimator.start_parameters, "init"):
            continue
        other = clone(model).set_params(**{name: another(estimator, name, value)})
        assert other.start_key() == model.start_key()
        own = other.fit(Xs)
        shared = clone(other).set_params(init=start).fit(Xs)
        assert (own.labels_ == shared.labels_).all(), name
        np.testing.assert_array_equal(own.objective_, shared.objective_, err_msg=name)


def test_start_key_tells_starts_apart(estimator):
    model = estimator(3, random_state=0)
    for name in estimator.start_parameters:
        value = another(estimator, name, getattr(model, name))
        assert clone(model).set_params(**{name: value}).start_key() != model.start_key(), name
    assert estimator(3).start_key() is None  # drawn anew at every call
    if estimator.start_parameters:
        given = model.draw_start(data_for(estimator)[0])
        assert model.set_params(init=given).start_key() is None


def another(estimator, name, value):
    """Another valid value of a parameter."""
    if isinstance(value, str) or value is None:
        options = [getattr(c, "options", {c}) for c in estimator._parameter_constraints[name]]
        words = {o for some in options for o in some if isinstance(o, str) or o is None}
        others = sorted(words - {value, "precomputed"}, key=str)
        return others[0] if others else 2.0
    return value + 1 if isinstance(value, int) else value * 2 + 0.01
