"""Views that are missing for a reason: which samples lack which views depends on the data.

A mask has two parts. The *base*, drawn by a function of `mvclust.masking` or below, says which
patterns of present views occur, and how often. The *mechanism* says which samples get them:
`placed_mask` hands the patterns out by scores of the instances and a strength. Rates, numbers of
complete samples and patterns are those of the base at every strength. docs/glossary.md has the
formulas.
"""

import numpy as np
import scipy
from scipy import sparse, special
from scipy.sparse.linalg import LinearOperator, eigsh

from mvclust.canonical import (
    as_numbers,
    match_samples,
    read_labels,
    read_mask,
    read_views,
    share,
    whole_number,
)

SAME = 1e-9  # share of the largest magnitude within which numbers are the same
DIGITS = 12  # to which the keys of samples are rounded, so that equal scores stay equal
NAMES = {"centre": "distance from the mean", "norm": "norm"}  # of the values of instances
OF_SCORES, OF_PLACES, OF_PERMUTATIONS = range(3)  # children of a seed


def placed_mask(base, scores, strength, seed, available=None):
    """Give the patterns of a mask to samples by their scores.

    The incomplete rows of the base come in random order. Each takes one of the samples that are
    left, with a probability proportional to ``exp(theta * S)``: S is the sum of the sample's
    scores over the views that the row lacks, and ``theta = strength / (1 - strength)``. The
    complete rows go to the samples that are left at the end. This is weighted sampling without
    replacement [1]_.

    Parameters
    ----------
    base : ndarray of shape (n_samples, n_views)
        The mask whose rows are handed out, bool.
    scores : array-like of shape (n_samples, n_views)
        The higher, the more likely the instance is missing. With mean 0 and standard deviation 1
        over the samples of each view (`standard_scores`), one strength means the same for all
        mechanisms.
    strength : float in [0, 1]
        0 returns the base; at 1 each row takes the sample with the highest S, one of several at
        random.
    seed : int or SeedSequence
        May be that of the base: the streams differ. The same seed gives the same random numbers
        at every strength.
    available : ndarray of shape (n_samples, n_views), optional
        Which instances exist, bool; by default all. Rows are exchanged among samples with equal
        rows only.

    Returns
    -------
    ndarray of shape (n_samples, n_views)
        True where present, bool.

    Raises
    ------
    ValueError
        If the strength is not between 0 and 1, the shapes differ, or a score of an available
        instance is not finite.

    References
    ----------
    .. [1] R. L. Plackett, "The analysis of permutations", Applied Statistics 24, 1975.

    Examples
    --------
    >>> from mvclust.masking import random_mask
    >>> y = [0] * 5 + [1] * 5
    >>> base = random_mask(10, 2, 0.5, seed=0)
    >>> presence = placed_mask(base, class_scores(y, 2, seed=0), 1.0, seed=0)
    >>> presence.sum(axis=0).tolist(), presence[:5].sum(axis=0).tolist()
    ([5, 5], [0, 5])
    """
    tables = {"base": base, "scores": scores, "available": available}
    base, scores, available = match_samples(tables, "placed_mask")
    base = read_mask(base, (None, np.shape(base)[-1]), "base")
    available = _availability(available, base.shape)
    try:
        share(strength, "strength")
    except ValueError:
        raise ValueError(f"strength={strength!r} is not between 0 and 1.") from None
    rng = np.random.default_rng(child_seed(seed, OF_PLACES))
    if strength == 0:
        return base.copy()
    scores = np.array(as_numbers(scores))
    if scores.shape != base.shape or not np.isfinite(scores[available]).all():
        raise ValueError(
            f"expected a finite score for each available instance, of shape {base.shape}."
        )
    scores[~available] = 0
    presence = base.copy()
    kinds, kind_of = np.unique(available, axis=0, return_inverse=True)
    for number in range(len(kinds)):
        samples = np.flatnonzero(kind_of.ravel() == number)
        lacks = kinds[number] & ~base[samples]
        presence[samples] = kinds[number] & ~_placed(lacks, scores[samples], strength, rng)
    return presence


def _placed(lacks, scores, strength, rng):
    """Which sample lacks what, after the rows of `lacks` that lack something are handed out.

    One random vector serves all rows of a pattern, since its keys are those of exponential clocks,
    which have no memory.
    """
    patterns, of_row = np.unique(lacks[lacks.any(axis=1)], axis=0, return_inverse=True)
    lists = []  # for each pattern the samples in the order in which its rows take them
    for pattern in patterns:
        noise = rng.gumbel(size=len(scores))
        keys = np.round(strength * (scores @ pattern) + (1 - strength) * noise, DIGITS)
        lists.append(iter(np.lexsort((-noise, -keys))))
    placed, free = np.zeros_like(lacks), np.ones(len(lacks), dtype=bool)
    for pattern in rng.permutation(of_row.ravel()):
        sample = next(sample for sample in lists[pattern] if free[sample])
        placed[sample], free[sample] = patterns[pattern], False
    return placed


def child_seed(seed, number):
    """A seed for one purpose, whose stream differs from that of the seed itself.

    Parameters
    ----------
    seed : int or SeedSequence
        The seed that several purposes share.
    number : int
        Number of the purpose.

    Returns
    -------
    SeedSequence
    """
    if isinstance(seed, np.random.SeedSequence):
        entropy, above = seed.entropy, seed.spawn_key
    else:
        entropy, above = whole_number(seed, "seed", least=0), ()
    return np.random.SeedSequence(entropy, spawn_key=(*above, number))


def class_scores(y, n_views, seed, available=None, what="class"):
    """Scores of a mechanism in which each view is missing more often in some classes.

    The classes have a random order, which is shifted from view to view, so that each view loses
    others.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Classes, or batches.
    n_views : int
        Number of views.
    seed : int or SeedSequence
        Of the order.
    available : ndarray of shape (n_samples, n_views), optional
        Which instances exist, bool; by default all.
    what : str, default="class"
        Name of the mechanism, for messages.

    Returns
    -------
    ndarray of shape (n_samples, n_views)
        With mean 0 and standard deviation 1 over the available instances of each view.

    Raises
    ------
    ValueError
        If there are no labels, or only one class.

    Examples
    --------
    >>> class_scores([0, 0, 1, 1], 2, seed=0).sum(axis=1).tolist()
    [0.0, 0.0, 0.0, 0.0]
    """
    if y is None:
        raise ValueError(f"{what} removes by label: pass y, or choose another protocol.")
    y, available = match_samples({"y": y, "available": available}, what)
    names, codes = np.unique(read_labels(y, "y"), return_inverse=True)
    n_classes = len(names)
    if n_classes < 2:
        raise ValueError(f"{what}: y has one class only; nothing can depend on it.")
    order = np.random.default_rng(child_seed(seed, OF_SCORES)).permutation(n_classes)
    shifts = np.arange(n_views) * n_classes // n_views
    scores = (order[codes][:, None] + shifts) % n_classes
    return standard_scores(scores, available)


def value_scores(Xs, how="centre", sign=1, available=None):
    """Scores of a mechanism in which instances with a large value lose their view.

    Parameters
    ----------
    Xs : list of {array-like, sparse array} of shape (n_samples, n_features_v)
        The views before anything is removed; a missing instance is a row of NaN.
    how : {"centre", "norm"}, default="centre"
        The value: the distance of an instance from the mean of its view, or its norm.
    sign : {1, -1}, default=1
        Whether instances with a large or with a small value lose their view.
    available : ndarray of shape (n_samples, n_views), optional
        Which instances exist, bool; by default those that are not NaN.

    Returns
    -------
    ndarray of shape (n_samples, n_views)
        `normal_scores` of the values, with mean 0 and standard deviation 1 over the available
        instances of each view.

    Raises
    ------
    ValueError
        If all instances of a view have the same value.

    Examples
    --------
    >>> value_scores([[[0.0], [0.0], [3.0], [9.0]]]).round(4).ravel().tolist()
    [0.0, 0.0, -1.4142, 1.4142]
    """
    if how not in NAMES or sign not in (1, -1):
        raise ValueError(f"how={how!r}, sign={sign!r}: expected 'centre' or 'norm', and 1 or -1.")
    Xs, available = _read_views(Xs, available, "value_scores")
    scores = np.zeros(available.shape)
    for v, (X, there) in enumerate(zip(Xs, available.T, strict=True)):
        sizes = sizes_of(X[np.flatnonzero(there)], how)
        if np.ptp(sizes) <= SAME * np.abs(sizes).max():
            raise ValueError(
                f"value: all instances of view {v} have the same {NAMES[how]} (within {SAME:g}); "
                f"use how='{'norm' if how == 'centre' else 'centre'}'."
            )
        scores[there, v] = sign * normal_scores(sizes)
    return standard_scores(scores, available)


def driven_scores(Xs, seed, driver=0, available=None):
    """Scores of a mechanism in which a complete view decides who lacks the others.

    Parameters
    ----------
    Xs : list of {array-like, sparse array} of shape (n_samples, n_features_v)
        The views before anything is removed.
    seed : int or SeedSequence
        Of the random direction in the driver that each other view follows.
    driver : int, default=0
        Number of the view that decides, and of which every sample has an instance.
    available : ndarray of shape (n_samples, n_views), optional
        Which instances exist, bool; by default those that are not NaN.

    Returns
    -------
    ndarray of shape (n_samples, n_views)
        `normal_scores` of the driver's projections, with mean 0 and standard deviation 1 over the
        available instances of each view; 0 for the driver.

    Raises
    ------
    ValueError
        If the driver lacks instances.

    Examples
    --------
    >>> Xs = [[[1.0], [2.0], [4.0]], [[0.0], [0.0], [1.0]]]
    >>> driven_scores(Xs, seed=0).round(3).tolist()
    [[0.0, 1.225], [0.0, 0.0], [0.0, -1.225]]
    """
    Xs, available = _read_views(Xs, available, "driven_scores")
    _check_driver(driver, available)
    X, rng = Xs[driver], np.random.default_rng(child_seed(seed, OF_SCORES))
    deviations = np.sqrt(_moments(X)[1])
    weights = np.divide(1, deviations, out=np.zeros_like(deviations), where=deviations > 0)
    scores = np.zeros(available.shape)
    for v in range(len(Xs)):
        direction = rng.standard_normal(X.shape[1]) * weights
        if v != driver:
            scores[:, v] = normal_scores(X @ direction)
    return standard_scores(scores, available)


def driven_mask(n_samples, n_views, rate, seed, driver=0, available=None):
    """Keep one view complete, and remove the same share of instances from every other at random.

    Parameters
    ----------
    n_samples, n_views : int
        Numbers of samples and of views.
    rate : float
        Share of its available instances that each other view loses, of which it keeps one.
    seed : int or SeedSequence
        As `numpy.random.default_rng` takes it.
    driver : int, default=0
        Number of the view that stays complete.
    available : ndarray of shape (n_samples, n_views), optional
        Which instances exist, bool; by default all.

    Returns
    -------
    ndarray of shape (n_samples, n_views)
        True where present, bool.

    Raises
    ------
    ValueError
        If the driver lacks instances, or a view would lose all.

    Examples
    --------
    >>> driven_mask(10, 3, 0.4, seed=0).sum(axis=0).tolist()
    [10, 6, 6]
    """
    share(rate, "rate")
    available = _availability(available, (n_samples, n_views))
    _check_driver(driver, available)
    rng, presence = np.random.default_rng(seed), available.copy()
    for v in range(n_views):
        there = rng.permutation(np.flatnonzero(available[:, v]))
        if v == driver:
            continue
        if round(rate * len(there)) >= len(there):
            raise ValueError(f"rate={rate} is not possible: view {v} would lose all instances.")
        presence[there[: round(rate * len(there))], v] = False
    return presence


def exclusive_mask(n_samples, n_views, rate, seed, available=None):
    """Leave a single view to a share of the samples, and all views to the others.

    Parameters
    ----------
    n_samples, n_views : int
        Numbers of samples and of views.
    rate : float in [0, 1]
        Share of all samples that keep one view: ``round(rate * n_samples)`` samples, as many for
        each view, and one more for the first ones if their number is no multiple of `n_views`.
    seed : int or SeedSequence
        As `numpy.random.default_rng` takes it.
    available : ndarray of shape (n_samples, n_views), optional
        Which instances exist, bool; by default all. Only samples with all instances lose some.

    Returns
    -------
    ndarray of shape (n_samples, n_views)
        True where present, bool.

    Raises
    ------
    ValueError
        If fewer samples than the rate asks for have all views.

    Examples
    --------
    >>> exclusive_mask(7, 3, 1.0, seed=0).sum(axis=0).tolist()
    [3, 2, 2]
    """
    share(rate, "rate")
    available = _availability(available, (n_samples, n_views))
    whole, n_single = np.flatnonzero(available.all(axis=1)), round(rate * n_samples)
    if n_single > len(whole):
        raise ValueError(
            f"rate={rate} asks for {n_single} samples that keep one view, but only {len(whole)} "
            f"of {n_samples} have all."
        )
    single = np.random.default_rng(seed).permutation(whole)[:n_single]
    presence = available.copy()
    presence[single] = np.arange(n_single)[:, None] % n_views == np.arange(n_views)
    return presence


def batches_of(Xs, n_batches=10, available=None):
    """Divide samples into equally large batches that differ.

    Parameters
    ----------
    Xs : list of {array-like, sparse array} of shape (n_samples, n_features_v)
        The views; a missing instance is a row of NaN and counts as the mean of its view.
    n_batches : int, default=10
        Number of batches.
    available : ndarray of shape (n_samples, n_views), optional
        Which instances exist, bool; by default those that are not NaN.

    Returns
    -------
    ndarray of shape (n_samples,)
        Numbers of the batches, along the first eigenvector of the sum over the views of
        ``Z @ Z.T / n_features``, Z standardised.

    Examples
    --------
    >>> batches = batches_of([[[5.0], [1.0], [2.0], [9.0]]], n_batches=2)
    >>> bool(batches[0] == batches[3]), bool(batches[1] == batches[2])
    (True, True)
    """
    whole_number(n_batches, "n_batches")
    Xs, available = _read_views(Xs, available, "batches_of")
    n_samples = len(available)
    parts = [_scaled(X, there) for X, there in zip(Xs, available.T, strict=True)]
    gram = LinearOperator(
        (n_samples, n_samples), matvec=lambda x: sum(_gram_times(*part, x) for part in parts)
    )
    start = np.random.default_rng(0).standard_normal(n_samples)
    if n_samples < 3:  # eigsh needs more
        return np.arange(n_samples) * min(n_batches, n_samples) // n_samples
    vector = eigsh(gram, k=1, which="LA", v0=start)[1][:, 0]
    vector = np.round(vector * np.sign(vector[np.abs(vector).argmax()]), DIGITS)
    ranks = np.argsort(np.argsort(vector, kind="stable"), kind="stable")
    return ranks * n_batches // n_samples


def _scaled(X, there):
    """The parts of a standardised view: X, its mean, squared weights of features, who has it."""
    mean, variance = _moments(X[np.flatnonzero(there)])
    varies = variance > 0
    weights = np.divide(1, variance, out=np.zeros_like(variance), where=varies)
    return X, mean, weights / max(varies.sum(), 1), there.astype(float)


def _gram_times(X, mean, weights, there, x):
    """The product of Z Z' and a vector, without Z."""
    x = x.ravel() * there
    if sparse.issparse(X):
        inner = weights * (X.T @ x - mean * x.sum())
        return there * (X @ inner - mean @ inner)
    Z = np.where(there[:, None] > 0, X - mean, 0.0)
    return Z @ (weights * (Z.T @ x))


def normal_scores(x):
    """The quantiles of the normal distribution at the mean ranks of some numbers.

    Parameters
    ----------
    x : array-like of shape (n,)
        Numbers within 1e-9 of the largest magnitude are the same, so that rounding is no score.

    Returns
    -------
    ndarray of shape (n,)

    Examples
    --------
    >>> normal_scores([2, 4, 6, 100]).round(4).tolist()
    [-1.1503, -0.3186, 0.3186, 1.1503]
    """
    x = np.asarray(x, dtype=float)
    unit = SAME * np.abs(x).max(initial=0)
    ranks = scipy.stats.rankdata(np.round(x / unit) if unit else x)
    return special.ndtri((ranks - 0.5) / len(x))


def standard_scores(scores, available=None):
    """Scores with mean 0 and standard deviation 1 over the available instances of each view.

    Parameters
    ----------
    scores : array-like of shape (n_samples, n_views)
        Of each instance.
    available : ndarray of shape (n_samples, n_views), optional
        Which instances exist, bool; by default all. The others get 0, as do all instances of a
        view with equal scores.

    Returns
    -------
    ndarray of shape (n_samples, n_views)

    Examples
    --------
    >>> standard_scores([[1.0, 5.0], [3.0, 5.0]]).tolist()
    [[-1.0, 0.0], [1.0, 0.0]]
    """
    scores, available = match_samples({"scores": scores, "available": available}, "standard_scores")
    scores = as_numbers(scores)
    available = _availability(available, scores.shape)
    standard = np.zeros(scores.shape)
    for v, there in enumerate(available.T):
        x = scores[there, v]
        if np.ptp(x) > SAME * np.abs(x).max():
            standard[there, v] = (x - x.mean()) / x.std()
    return standard


def realised(scores, presence, available=None):
    """How far the instances that are missing differ from those that are present.

    Parameters
    ----------
    scores : ndarray of shape (n_samples, n_views)
        By which a mask was placed.
    presence : ndarray of shape (n_samples, n_views)
        The mask, bool.
    available : ndarray of shape (n_samples, n_views), optional
        Which instances exist, bool; by default all.

    Returns
    -------
    ndarray of shape (n_views,)
        Mean score of the missing minus that of the present instances of each view; NaN where a
        view lacks nothing or everything.

    Examples
    --------
    >>> realised(np.array([[1.0], [-1.0]]), np.array([[False], [True]])).tolist()
    [2.0]
    """
    tables = {"scores": scores, "presence": presence, "available": available}
    scores, presence, available = match_samples(tables, "realised")
    scores = as_numbers(scores)
    presence = read_mask(presence, scores.shape, "presence")
    available = _availability(available, presence.shape)
    found = np.full(presence.shape[1], np.nan)
    for v, (there, kept) in enumerate(zip(available.T, presence.T, strict=True)):
        missing, present = scores[there & ~kept, v], scores[there & kept, v]
        if missing.size and present.size:
            found[v] = missing.mean() - present.mean()
    return found


def sizes_of(X, how="centre"):
    """The distance of each row from the mean of the rows, or its norm.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n_samples, n_features)
        Without missing rows.
    how : {"centre", "norm"}, default="centre"
        Which of the two.

    Returns
    -------
    ndarray of shape (n_samples,)

    Examples
    --------
    >>> sizes_of(np.array([[0.0], [4.0], [5.0]])).tolist(), sizes_of(np.array([[3.0, 4.0]]), "norm")
    ([3.0, 1.0, 2.0], array([5.]))
    """
    centre = np.asarray(X.mean(axis=0)).ravel() if how == "centre" else np.zeros(X.shape[1])
    if not sparse.issparse(X):
        return np.linalg.norm(X - centre, axis=1)
    squares = np.asarray(X.multiply(X).sum(axis=1)).ravel()
    return np.sqrt(np.maximum(squares - 2 * (X @ centre) + centre @ centre, 0))


def _moments(X):
    """Mean and variance of each feature; 0 for the variance of what differs by rounding alone."""
    if sparse.issparse(X):
        mean = np.asarray(X.mean(axis=0)).ravel()
        squares = np.asarray(X.multiply(X).mean(axis=0)).ravel()
        variance, size = np.maximum(squares - mean**2, 0), np.sqrt(squares)
    else:
        mean, variance, size = X.mean(axis=0), X.var(axis=0), np.abs(X).max(axis=0)
    return mean, np.where(np.sqrt(variance) > SAME * size, variance, 0.0)


def _read_views(Xs, available, name):
    """The views with 0 in missing rows, and which instances exist."""
    Xs, available = read_views(Xs, name, available, "available")
    return [_without(X, there) for X, there in zip(Xs, available.T, strict=True)], available


def _without(X, there):
    if there.all():
        return X
    if sparse.issparse(X):
        X = X.copy()
        X.data[np.repeat(~there, np.diff(X.indptr))] = 0
        return X
    return np.where(there[:, None], X, 0.0)


def _availability(available, shape):
    if available is None:
        return np.ones(shape, dtype=bool)
    return read_mask(available, shape, "available")


def _check_driver(driver, available):
    n_missing = int((~available[:, driver]).sum())
    if n_missing:
        raise ValueError(
            f"other: view {driver} drives the others and lacks {n_missing} instances; choose a "
            "complete view."
        )
