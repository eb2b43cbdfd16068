"""The contract of an estimator, as checks that any class can be put through, and tests of order.

Every check takes a class that is constructed with the number of clusters and fitted to a list of
views, and raises AssertionError where the class breaks the contract. What the views may be follows
from its ``view_tags``; a class without any gets complete, dense, non-negative views.
"""

import inspect
import math
import pickle
import warnings
from numbers import Integral
from typing import NamedTuple

import numpy as np
from scipy import sparse, stats
from sklearn.base import clone

from mvclust.canonical import whole_number
from mvclust.estimators.base import check_views, tags_of
from mvclust.masking import apply_mask, random_mask
from mvclust.metrics import accuracy, adjusted_rand_index
from mvclust.numerics.kmeans import kmeans
from mvclust.numerics.products import dense

ROUNDING = 1e-12  # of agreements
INCOMPLETE = 0.87  # between the accuracy of right methods, from 0.9, and that of wrong labels


def check_estimator(estimator):
    """Put a class through all checks.

    Classes whose views may describe different samples (``view_tags.unmapped``) are not for these
    checks.

    Parameters
    ----------
    estimator : class
        Constructed as ``estimator(n_clusters)``, with ``random_state`` if it takes one. Its
        ``fit(Xs)`` takes a list of views and sets ``labels_``; parameters are as scikit-learn has
        them.

    Raises
    ------
    AssertionError
        With the name of the first check that fails.

    Examples
    --------
    >>> from mvclust import ConcatKMeans
    >>> from mvclust.testing import check_estimator
    >>> check_estimator(ConcatKMeans)
    """
    for check in CHECKS:
        try:
            check(estimator)
        except Exception as error:
            raise AssertionError(
                f"{estimator.__name__} fails {check.__name__}: {error or check.__doc__}"
            ) from error


class OrderEffect(NamedTuple):
    """What the order of the samples changes, from `check_order`.

    Attributes
    ----------
    agreement : dict of str to float
        Adjusted Rand index between the labels in the given order and in another: "reversed",
        "shifted", "affine", "sorted" (with classes), "shuffle 1", "shuffle 2", ...
    accuracy : dict of str to float, or None without classes
        Accuracy in each order, that "given" included.
    effect : float
        Agreement of fits in the given order with other seeds, minus that of the shuffles.
    effect_interval : tuple of float
        Confidence interval of 95 % of it (Welch).
    gain : float or None
        Accuracy in the given order, mean over seeds, minus that of the shuffles.
    gain_interval : tuple of float or None
    """

    agreement: dict
    accuracy: dict | None
    effect: float
    effect_interval: tuple
    gain: float | None
    gain_interval: tuple | None

    @property
    def depends(self):
        """Whether shuffles change the labels more than other seeds do."""
        return self.effect_interval[0] > ROUNDING


def check_order(method, Xs, y=None, *, n_shuffles=10, n_seeds=5, seed=0):
    """Measure what the order of the samples changes in the result of a method.

    The method is fitted to the samples in other orders, missing instances along with them, and its
    output is put back before it is compared. Where it has an ``embedding_``, k-means with one seed
    labels its rows after they are put back, so that a method that ignores the order agrees
    exactly; else its labels are compared. Fits in the given order with other seeds are the noise
    that an effect must exceed.

    A method with a Fourier transform along the samples does not change under "reversed", "shifted"
    and "affine" (i -> a i + b mod n), only under shuffles.

    Parameters
    ----------
    method : estimator
        Not fitted; with ``n_clusters``, for example a `mvclust.command.Command`. It is not changed.
    Xs : list of array-like or sparse, each of shape (n_samples, n_features_v)
        The views; a missing instance is a row of NaN.
    y : array-like of shape (n_samples,), default=None
        Classes, for accuracies and for the order "sorted": by class, at random within classes.
    n_shuffles : int, default=10
        At least 2.
    n_seeds : int, default=5
        At least 2; a method without ``random_state`` is fitted again as it is.
    seed : int, default=0
        Draws the orders; a method whose ``random_state`` is no integer gets it.

    Returns
    -------
    OrderEffect

    Examples
    --------
    >>> from mvclust import ConcatSpectral
    >>> Xs, y = make_blobs()
    >>> found = check_order(ConcatSpectral(3), Xs, y, n_shuffles=3)
    >>> found.depends, found.agreement["reversed"], found.gain
    (False, 1.0, 0.0)
    """
    for name, count in (("n_shuffles", n_shuffles), ("n_seeds", n_seeds)):
        if whole_number(count, f"check_order: {name}") < 2:
            raise ValueError(f"check_order: {name}={count} must be at least 2.")
    views, presence = check_views(Xs, accept_sparse=True, name="check_order")
    views, n = apply_mask(views, presence), len(presence)
    if y is not None and len(y := np.asarray(y)) != n:
        raise ValueError(f"check_order: y has {len(y)} classes for {n} samples.")
    own = getattr(method, "random_state", None)
    first = own if isinstance(own, Integral) else seed
    given = np.arange(n)
    orders = _orders_of_samples(n, y, n_shuffles, np.random.default_rng(seed))
    base = _labels_in_order(method, views, given, first)
    found = {name: _labels_in_order(method, views, order, first) for name, order in orders.items()}
    others = [_labels_in_order(method, views, given, first + s) for s in range(1, n_seeds + 1)]
    agreement = {name: adjusted_rand_index(base, labels) for name, labels in found.items()}
    noise = [adjusted_rand_index(base, labels) for labels in others]
    effect, interval = _welch(noise, [v for k, v in agreement.items() if k.startswith("shuffle")])
    if y is None:
        return OrderEffect(agreement, None, effect, interval, None, None)
    reached = {name: accuracy(y, labels) for name, labels in {"given": base, **found}.items()}
    in_order = [reached["given"], *(accuracy(y, labels) for labels in others)]
    gain = _welch(in_order, [v for k, v in reached.items() if k.startswith("shuffle")])
    return OrderEffect(agreement, reached, effect, interval, *gain)


def _orders_of_samples(n, y, n_shuffles, rng):
    """Name -> order of the samples."""
    a = next(a for a in range(max(n // 3, 2), n + 2) if math.gcd(a, n) == 1)
    orders = {
        "reversed": np.arange(n)[::-1],
        "shifted": (np.arange(n) + n // 3) % n,
        "affine": a * np.arange(n) % n,
    }
    if y is not None:
        orders["sorted"] = np.lexsort((rng.random(n), y))
    return orders | {f"shuffle {i}": rng.permutation(n) for i in range(1, n_shuffles + 1)}


def _labels_in_order(method, views, order, seed):
    """Labels of a fit to reordered samples, put back; from the embedding where there is one."""
    model = clone(method)
    if "random_state" in model.get_params():
        model.set_params(random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit([X[order] for X in views])
    rows = getattr(model, "embedding_", None)
    labels = np.empty(len(order), dtype=np.int64)
    if rows is None:
        labels[order] = model.labels_
        return labels
    back = np.empty_like(rows)
    back[order] = rows
    return kmeans(back, model.n_clusters, n_init=10, seed=seed)[0]


def _welch(one, other):
    """Difference of two means, and its interval for unequal variances."""
    difference = float(np.mean(one) - np.mean(other))
    difference = 0.0 if abs(difference) < ROUNDING else difference
    parts = np.array([np.var(sample, ddof=1) / len(sample) for sample in (one, other)])
    if parts.sum() <= ROUNDING**2:
        return difference, (difference, difference)
    freedom = parts.sum() ** 2 / (parts**2 / [len(one) - 1, len(other) - 1]).sum()
    half = float(stats.t.ppf(0.975, freedom) * np.sqrt(parts.sum()))
    return difference, (difference - half, difference + half)


def make_blobs(n_per_cluster=15, seed=0):
    """Three groups of samples in three non-negative views: the views and the labels.

    Parameters
    ----------
    n_per_cluster : int, default=15
        Samples of each group.
    seed : int, default=0
        The same seed gives the same views.

    Returns
    -------
    Xs : list of ndarray, each of shape (n_samples, n_features_v)
        The views, with 5, 4 and 6 features.
    y : ndarray of shape (n_samples,)
        The group of each sample.
    """
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1, 2], n_per_cluster)
    Xs = [(6 * np.eye(3, d) + 1)[y] + 0.5 * rng.random((len(y), d)) for d in (5, 4, 6)]
    return Xs, y


def views_for(estimator, rate=0.0, seed=0):
    """Views that a class can take, with missing instances if it takes these; and the labels.

    Parameters
    ----------
    estimator : class
        With ``view_tags`` or without.
    rate : float, default=0.0
        Share of missing instances of each view.
    seed : int, default=0
        The same seed gives the same views.

    Returns
    -------
    Xs : list of ndarray, each of shape (n_samples, n_features_v)
        The views of `make_blobs`, as many as the class takes.
    y : ndarray of shape (n_samples,)
        The group of each sample.
    """
    tags = tags_of(estimator)
    Xs, y = make_blobs(seed=seed)
    Xs = Xs[: tags.n_views]
    if rate and tags.incomplete:
        Xs = apply_mask(Xs, random_mask(len(y), len(Xs), rate, seed))
    return Xs, y


def make(estimator, n_clusters=3, seed=0):
    """An instance, with a seed if it takes one.

    Parameters
    ----------
    estimator : class
        Constructed as ``estimator(n_clusters)``.
    n_clusters : int, default=3
        Number of clusters.
    seed : int, default=0
        Its ``random_state``.

    Returns
    -------
    estimator
        Not fitted.
    """
    takes = "random_state" in inspect.signature(estimator).parameters
    return estimator(n_clusters, random_state=seed) if takes else estimator(n_clusters)


def check_clear_clusters(estimator):
    """Clear clusters are found, one label per sample."""
    Xs, y = views_for(estimator)
    labels = np.asarray(make(estimator).fit(Xs).labels_)
    assert labels.shape == y.shape, f"labels_ has shape {labels.shape}, expected {y.shape}"
    assert np.issubdtype(labels.dtype, np.integer), f"labels_ are {labels.dtype}, not whole numbers"
    assert accuracy(y, labels) > 0.95, f"accuracy {accuracy(y, labels):.2f} on clear clusters"


def check_same_seed_same_labels(estimator):
    """The same seed gives the same labels, also in a second fit of one object."""
    Xs, _ = views_for(estimator, rate=0.3)
    model = make(estimator, seed=3)
    first = model.fit(Xs).labels_.copy()
    assert (model.fit(Xs).labels_ == first).all(), "a second fit gives other labels"
    assert (make(estimator, seed=3).fit_predict(Xs) == first).all(), "fit_predict differs"


def check_fit_and_classes(estimator):
    """`fit` returns the model, changes no parameter, and does not look at the classes `y`."""
    Xs, y = views_for(estimator)
    model = make(estimator)
    before = model.get_params()
    assert model.fit(Xs) is model, "fit does not return the model"
    assert model.get_params() == before, "fit changes parameters"
    other = np.random.default_rng(0).permutation(y)
    for name in ("fit", "fit_predict"):
        if "y" in inspect.signature(getattr(estimator, name)).parameters:
            blind = make(estimator)
            found = getattr(blind, name)(Xs, other)
            assert name == "fit_predict" or found is blind, "with y, fit does not return the model"
            assert name == "fit" or (found == model.labels_).all(), "fit_predict returns y"
            assert (blind.labels_ == model.labels_).all(), f"the y of {name} changes the labels"


def check_incomplete_samples(estimator):
    """Samples that lack a view get their own label, and what is missing is not read as zero."""
    if not tags_of(estimator).incomplete:
        return
    Xs, y = make_blobs(30)
    order = np.random.default_rng(0).permutation(len(y))
    # Far from zero: zeros would be clusters of their own.
    Xs, y = [X[order] + 8 for X in Xs[: tags_of(estimator).n_views]], y[order]
    presence = random_mask(len(y), len(Xs), 0.1, 0)
    reached = accuracy(y, make(estimator).fit(apply_mask(Xs, presence)).labels_)
    assert reached > INCOMPLETE, f"accuracy {reached:.2f} where a tenth of each view is missing"


def check_clone_and_pickle(estimator):
    """Clones have the same parameters and no labels; pickles have both."""
    model = make(estimator)
    assert clone(model).get_params() == model.get_params()
    assert pickle.loads(pickle.dumps(model)).get_params() == model.get_params()
    model.fit(views_for(estimator)[0])
    assert (pickle.loads(pickle.dumps(model)).labels_ == model.labels_).all()
    assert not hasattr(clone(model), "labels_"), "the constructor sets labels_"


def check_kinds_of_arrays(estimator):
    """Tuples, lists of lists, other orders in memory and single precision are all the same."""
    Xs, _ = views_for(estimator)
    expected = make(estimator).fit(Xs).labels_
    kinds = {
        "a tuple": tuple(Xs),
        "lists": [X.tolist() for X in Xs],
        "Fortran order": [np.asfortranarray(X) for X in Xs],
        "single precision": [X.astype(np.float32) for X in Xs],
    }
    for kind, other in kinds.items():
        labels = make(estimator).fit(other).labels_
        assert adjusted_rand_index(expected, labels) == 1, f"other labels for {kind}"


def check_input_is_left_alone(estimator):
    """Neither the views, dense or sparse, nor, with a seed, numpy's global generator change."""
    kinds = [views_for(estimator, rate=0.3)[0]]
    for X in kinds[0]:
        X.flags.writeable = False
    if tags_of(estimator).sparse:
        kinds.append([sparse.csr_array(X) for X in views_for(estimator)[0]])
    for Xs in kinds:
        before, following = [X.copy() for X in Xs], next_draw()
        make(estimator).fit(Xs)
        assert next_draw() == following, "numpy's global generator was used"
        for X, Y in zip(Xs, before, strict=True):
            assert X.shape == Y.shape, "fit changes the shape of a sparse view"
            np.testing.assert_array_equal(dense(X), dense(Y))


def next_draw():
    """What numpy's global generator would draw next."""
    state = np.random.get_state()
    draw = np.random.random()
    np.random.set_state(state)
    return draw


def check_order_does_not_matter(estimator):
    """The order of samples, unless ``reads_order`` is True, and of views changes nothing."""
    Xs, _ = views_for(estimator)
    labels = make(estimator).fit(Xs).labels_
    order = np.random.default_rng(0).permutation(len(labels))
    permuted = make(estimator).fit([X[order] for X in Xs]).labels_
    if not getattr(make(estimator), "reads_order", False):
        same = adjusted_rand_index(labels[order], permuted) == 1
        assert same, "the order of the samples matters"
    turned = make(estimator).fit(Xs[::-1]).labels_
    assert adjusted_rand_index(labels, turned) == 1, "the order of the views matters"


def check_constant_features_and_duplicates(estimator):
    """A constant feature in every view and equal samples do no harm."""
    Xs, y = views_for(estimator)
    Xs = [np.c_[np.repeat(X, 2, axis=0), np.ones(2 * len(y))] for X in Xs]
    assert accuracy(np.repeat(y, 2), make(estimator).fit(Xs).labels_) > 0.95


def check_few_samples(estimator):
    """As many clusters as samples are fine; more clusters than distinct samples are said."""
    Xs, y = views_for(estimator)
    first = [np.flatnonzero(y == k)[0] for k in range(3)]
    assert len(make(estimator).fit([X[first] for X in Xs]).labels_) == 3
    few = [np.repeat(X[[0, -1]], 6, axis=0) for X in Xs]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        labels = make(estimator, n_clusters=4).fit(few).labels_
    said = any("clusters" in str(warning.message) for warning in caught)
    assert len(np.unique(labels)) == 4 or said, "fewer clusters than wanted, without a warning"


def check_what_the_tags_say(estimator):
    """Missing, negative and sparse views are clustered, or refused, as the tags say."""
    tags = tags_of(estimator)
    Xs, y = views_for(estimator)
    missing = apply_mask(Xs, random_mask(len(y), len(Xs), 0.2, 0))
    _is_taken(estimator, "missing instances", missing, tags.incomplete, len(y))
    _is_taken(estimator, "negative entries", [X - 3 for X in Xs], not tags.nonnegative, len(y))
    _is_taken(estimator, "sparse views", [sparse.csr_array(X) for X in Xs], tags.sparse, len(y))
    if tags.n_views is not None:
        _is_taken(estimator, "another number of views", [*Xs, Xs[0]], False, len(y))


def _is_taken(estimator, what, Xs, wanted, n_samples):
    try:
        labels = make(estimator).fit(Xs).labels_
    except (ValueError, TypeError) as refusal:
        if wanted:
            raise AssertionError(f"{what} are refused, which the tags promise") from refusal
        return
    assert wanted, f"{what} are taken in silence, which the tags exclude"
    assert len(labels) == n_samples, f"{len(labels)} labels for {n_samples} samples"


def check_bad_input_is_refused(estimator):
    """Views that cannot be clustered are a ValueError or TypeError, before anything is done."""
    Xs, _ = views_for(estimator)
    with_nan = Xs[0].copy()
    with_nan[2, 0] = np.nan
    bad = {
        "no view": [],
        "other rows in the last view": [*Xs[:-1], Xs[-1][:-1]],
        "infinite values": [np.full_like(Xs[0], np.inf), *Xs[1:]],
        "a row with one NaN": [with_nan, *Xs[1:]],
        "texts": [[["a"]] * len(Xs[0]), *Xs[1:]],
        "fewer samples than clusters": [X[:2] for X in Xs],
    }
    for what, views in bad.items():
        try:
            make(estimator).fit(views)
        except (ValueError, TypeError):
            continue
        raise AssertionError(f"{what}: taken in silence")


def check_predict(estimator):
    """A `predict`, where there is one, labels clear new samples one by one, as `fit` its own."""
    if not hasattr(estimator, "predict"):
        return
    Xs, y = views_for(estimator)
    model = make(estimator).fit(Xs)
    same = np.mean(model.predict(Xs) == model.labels_)
    assert same > 0.95, f"only {same:.2f} of the samples of fit keep their labels"
    new = views_for(estimator, seed=1)[0]
    labels = np.asarray(model.predict(new))
    assert labels.shape == y.shape, f"predict returns shape {labels.shape}, expected {y.shape}"
    assert accuracy(y, labels) > 0.95, f"accuracy {accuracy(y, labels):.2f} on clear new samples"
    order = np.random.default_rng(0).permutation(len(y))
    permuted = model.predict([X[order] for X in new])
    assert (permuted == labels[order]).all(), "the order of new samples matters"
    alone = [model.predict([X[[i]] for X in new])[0] for i in range(0, len(y), 5)]
    assert (alone == labels[::5]).all(), "other new samples matter"


def check_transform(estimator):
    """A `transform`, where there is one, represents each sample by itself, like `embedding_`."""
    if not hasattr(estimator, "transform"):
        return
    Xs, _ = views_for(estimator)
    model = make(estimator).fit(Xs)
    rows, expected = model.transform([X[:7] for X in Xs]), (7, model.embedding_.shape[1])
    assert rows.shape == expected, f"transform returns shape {rows.shape}, expected {expected}"
    again = model.transform([X[6::-1] for X in Xs])
    size = np.abs(rows).max()
    assert np.allclose(again[::-1], rows, atol=1e-6 * size), "the order of new samples matters"
    alone = model.transform([X[[3]] for X in Xs])
    assert np.allclose(alone, rows[[3]], atol=1e-6 * size), "other new samples matter"


CHECKS = (
    check_clear_clusters,
    check_same_seed_same_labels,
    check_fit_and_classes,
    check_incomplete_samples,
    check_clone_and_pickle,
    check_kinds_of_arrays,
    check_input_is_left_alone,
    check_order_does_not_matter,
    check_constant_features_and_duplicates,
    check_few_samples,
    check_what_the_tags_say,
    check_bad_input_is_refused,
    check_predict,
    check_transform,
)
