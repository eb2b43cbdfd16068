"""Which instance is present in which view: protocols of incomplete data."""

import numpy as np
from scipy import sparse

from mvclust.canonical import generator, read_mask, read_views, share, whole_number


def random_mask(n_samples, n_views, rate, seed, available=None):
    """Remove the same share of instances from every view at random.

    Each view loses exactly ``round(rate * n)`` of its n available instances, and each sample keeps
    at least one. A sample that would lose all of them exchanges an instance with a sample that
    has several.

    Parameters
    ----------
    n_samples, n_views : int
        Numbers of samples and of views.
    rate : float
        Share of its available instances that each view loses, from 0 to 1 - 1 / n_views on
        complete data.
    seed : int, SeedSequence or Generator
        As `numpy.random.default_rng` takes it.
    available : ndarray of shape (n_samples, n_views), optional
        Which instances exist, bool; by default all. Only these are removed. With all True the
        mask is the same as without `available`.

    Returns
    -------
    ndarray of shape (n_samples, n_views)
        True where present, bool.

    Raises
    ------
    ValueError
        If a sample has no available instance, or if no mask removes that many and leaves one
        instance to every sample.

    Examples
    --------
    >>> presence = random_mask(10, 3, 0.5, seed=0)
    >>> presence.sum(axis=0).tolist(), bool(presence.any(axis=1).all())
    ([5, 5, 5], True)
    """
    available = _check_available(available, n_samples, n_views)
    share(rate, "rate")
    removed = [round(rate * int(count)) for count in available.sum(axis=0)]
    n_available = int(available.sum())
    if sum(removed) > n_available - n_samples:
        raise ValueError(
            f"rate={rate} is not possible: with {n_views} views and {n_available} instances of "
            f"{n_samples} samples every sample keeps one only for rates from 0 to "
            f"{1 - n_samples / n_available:.3g}."
        )
    rng = generator(seed)
    presence = available.copy()
    for view in range(n_views):
        presence[rng.permutation(np.flatnonzero(available[:, view]))[: removed[view]], view] = False
    for lost in np.flatnonzero(~presence.any(axis=1)):
        _give_one_back(presence, available, lost, rate, rng)
    return presence


def _give_one_back(presence, available, lost, rate, rng):
    """Give an instance back to a sample that lost all, and take one from a sample with several.

    The number of instances per view does not change. Usually both instances are of one view. If
    no sample with several has an instance in a view where one of `lost` is available, samples in
    between exchange one view for another: the shortest such chain is used.
    """
    several = presence.sum(axis=1) > 1
    came_from = {}  # view: (view, sample) through which the chain reached it
    views = reached = available[lost]
    while True:
        givers = np.flatnonzero(several & (presence & views).any(axis=1))
        if givers.size:
            break
        holders = np.flatnonzero((presence & views).any(axis=1))
        new = available[holders].any(axis=0) & ~reached
        if not new.any():
            raise ValueError(_too_few(presence, available, reached, rate))
        for view in np.flatnonzero(new):
            holder = rng.choice(holders[available[holders, view]])
            came_from[view] = np.flatnonzero(presence[holder])[0], holder
        views, reached = new, reached | new
    giver = rng.choice(givers)
    view = rng.choice(np.flatnonzero(presence[giver] & views))
    presence[giver, view] = False
    while view in came_from:
        freed, holder = came_from[view]
        presence[holder, view], presence[holder, freed] = True, False
        view = freed
    presence[lost, view] = True


def _too_few(presence, available, views, rate):
    only = (available.any(axis=1) & ~available[:, ~views].any(axis=1)).sum()
    names = ", ".join(map(str, np.flatnonzero(views)))
    return (
        f"rate={rate} is not possible: {only} samples are available in no other views than "
        f"{names}, and these would keep {presence[:, views].sum()} instances only."
    )


def incomplete_mask(n_samples, n_views, rate, seed, available=None):
    """Make a share of the samples incomplete: each of them loses some of its views, but not all.

    The incomplete samples are drawn at random. What each keeps is drawn uniformly from all proper,
    non-empty subsets of its views, independently of the others. So all masks with that number of
    incomplete samples are equally likely if all samples have the same number of instances. Else
    every sample that can lose one is incomplete as often as any other, and a mask is the less
    likely the more instances its incomplete samples have.

    Parameters
    ----------
    n_samples, n_views : int
        Numbers of samples and of views.
    rate : float in [0, 1]
        Share of all samples that lose views: ``round(rate * n_samples)`` samples.
    seed : int, SeedSequence or Generator
        As `numpy.random.default_rng` takes it.
    available : ndarray of shape (n_samples, n_views), optional
        Which instances exist, bool; by default all. Samples with a single one cannot lose it: the
        incomplete samples are drawn from the others.

    Returns
    -------
    ndarray of shape (n_samples, n_views)
        True where present, bool.

    Raises
    ------
    ValueError
        If the rate is no share, a sample has no available instance, or fewer samples than the
        rate asks for have several.

    Examples
    --------
    >>> presence = incomplete_mask(10, 3, 0.4, seed=0)
    >>> int((~presence.all(axis=1)).sum()), bool(presence.any(axis=1).all())
    (4, True)
    """
    available = _check_available(available, n_samples, n_views)
    share(rate, "rate")
    several = np.flatnonzero(available.sum(axis=1) > 1)
    n_incomplete = round(rate * n_samples)
    if n_incomplete > len(several):
        raise ValueError(
            f"rate={rate} asks for {n_incomplete} incomplete samples, but only {len(several)} of "
            f"{n_samples} have several instances of which they can lose some."
        )
    rng = generator(seed)
    presence = available.copy()
    undecided = rng.permutation(several)[:n_incomplete]
    while undecided.size:
        keep = available[undecided] & (rng.random((len(undecided), n_views)) < 0.5)
        presence[undecided] = keep
        proper = keep.any(axis=1) & (keep != available[undecided]).any(axis=1)
        undecided = undecided[~proper]
    return presence


def paired_mask(n_samples, rate, seed, available=None):
    """Keep both of two views for a share of the samples, and one for the rest.

    Parameters
    ----------
    n_samples : int
        Number of samples.
    rate : float in [0, 1]
        Share of all samples that keep both views: ``round(rate * n_samples)`` samples. The others
        are unpaired; one half of them lacks the first view, the other half the second (one sample
        more if their number is odd).
    seed : int, SeedSequence or Generator
        As `numpy.random.default_rng` takes it.
    available : ndarray of shape (n_samples, 2), optional
        Which instances exist, bool; by default all. The paired samples are drawn from those with
        both instances. Samples with one instance keep it and count as unpaired; the two halves
        are then as equal as these samples allow. With all True the mask is the same as without
        `available`.

    Returns
    -------
    ndarray of shape (n_samples, 2)
        True where present, bool.

    Raises
    ------
    ValueError
        If the rate is no share, a sample has no available instance, or fewer samples than the
        rate asks for have both.

    Examples
    --------
    >>> paired_mask(10, 0.4, seed=0).sum(axis=0).tolist()
    [7, 7]
    """
    share(rate, "rate")
    available = _check_available(available, n_samples, 2)
    both = available.all(axis=1)
    n_paired = round(rate * n_samples)
    if n_paired > both.sum():
        raise ValueError(
            f"rate={rate} is not possible: it asks for {n_paired} paired samples, but only "
            f"{both.sum()} of {n_samples} have both views; expected 0 to "
            f"{both.sum() / n_samples:.3g}."
        )
    order = generator(seed).permutation(n_samples)
    order = order[both[order]]
    lack_first = (n_samples - n_paired) // 2 - int((~available[:, 0]).sum())
    half = n_paired + min(max(lack_first, 0), len(order) - n_paired)
    presence = available.copy()
    presence[order[n_paired:half], 0] = False
    presence[order[half:], 1] = False
    return presence


def _check_available(available, n_samples, n_views):
    whole_number(n_samples, "n_samples")
    whole_number(n_views, "n_views")
    if available is None:
        return np.ones((n_samples, n_views), dtype=bool)
    available = read_mask(available, (n_samples, n_views), "available")
    empty = np.flatnonzero(~available.any(axis=1))
    if empty.size:
        raise ValueError(
            f"{empty.size} samples have no available instance, the first is sample {empty[0]}; "
            "leave them out."
        )
    return available


def apply_mask(Xs, presence):
    """Copy the views with every absent instance as a row of NaN.

    Parameters
    ----------
    Xs : list of {array-like, sparse array} of shape (n_samples, n_features_v)
        The views; data frames are brought into the order of the first whose index names samples.
    presence : array-like of shape (n_samples, n_views)
        Which instances to keep, bool.

    Returns
    -------
    list of {ndarray, csr_array} of shape (n_samples, n_features_v)
        The views as float64. In a sparse view one stored NaN marks an absent row.

    Raises
    ------
    ValueError
        If the shapes of the mask and the views differ, or the mask is not of truth values.

    Examples
    --------
    >>> apply_mask([[[1.0, 2.0], [3.0, 4.0]]], [[True], [False]])[0].tolist()
    [[1.0, 2.0], [nan, nan]]
    """
    Xs, presence = read_views(Xs, "apply_mask", presence, "the mask")
    return [_blank(X, present) for X, present in zip(Xs, presence.T, strict=True)]


def _blank(X, present):
    if isinstance(X, np.ndarray):
        return np.where(present[:, None], X, np.nan)
    absent = np.flatnonzero(~present)
    marks = sparse.csr_array(
        (np.full(absent.size, np.nan), (absent, np.zeros_like(absent))),
        shape=X.shape,
    )
    return sparse.csr_array(sparse.diags_array(present.astype(float)) @ X + marks)
