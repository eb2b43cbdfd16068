"""Which instance is present in which view: protocols of incomplete data."""

import numpy as np


def random_mask(n_samples, n_views, rate, seed):
    """Remove the same share of instances from every view at random.

    Every view lacks exactly ``round(rate * n_samples)`` instances, and every sample keeps at
    least one view: a sample that would lose all takes a view over from a sample with several.

    Parameters
    ----------
    n_samples, n_views : int
    rate : float in [0, 1 - 1 / n_views]
        Share of the instances that each view loses.
    seed : int or anything `numpy.random.default_rng` takes

    Returns
    -------
    ndarray of bool, (n_samples, n_views), True where present

    Examples
    --------
    >>> presence = random_mask(10, 3, 0.5, seed=0)
    >>> presence.sum(axis=0).tolist(), bool(presence.any(axis=1).all())
    ([5, 5, 5], True)
    """
    removed = round(rate * n_samples)
    if rate < 0 or removed * n_views > n_samples * (n_views - 1):
        raise ValueError(
            f"rate={rate} is not possible: with {n_views} views every sample keeps one only for "
            f"rates from 0 to {1 - 1 / n_views:.3g}."
        )
    rng = np.random.default_rng(seed)
    presence = np.ones((n_samples, n_views), dtype=bool)
    for view in range(n_views):
        presence[rng.permutation(n_samples)[:removed], view] = False
    for lost in np.flatnonzero(~presence.any(axis=1)):
        giver = rng.choice(np.flatnonzero(presence.sum(axis=1) > 1))
        view = rng.choice(np.flatnonzero(presence[giver]))
        presence[giver, view], presence[lost, view] = False, True
    return presence


def paired_mask(n_samples, rate, seed):
    """Keep both of two views for a share of the samples, and one for the rest.

    Parameters
    ----------
    n_samples : int
    rate : float in [0, 1]
        Share of the samples with both views. Of the others one half lacks the first view and
        the other half the second.
    seed : int or anything `numpy.random.default_rng` takes

    Returns
    -------
    ndarray of bool, (n_samples, 2), True where present

    Examples
    --------
    >>> paired_mask(10, 0.4, seed=0).sum(axis=0).tolist()
    [7, 7]
    """
    if not 0 <= rate <= 1:
        raise ValueError(f"rate={rate} is not a share; expected 0 to 1.")
    order = np.random.default_rng(seed).permutation(n_samples)
    paired = round(rate * n_samples)
    half = paired + (n_samples - paired) // 2
    presence = np.ones((n_samples, 2), dtype=bool)
    presence[order[paired:half], 0] = False
    presence[order[half:], 1] = False
    return presence


def apply_mask(Xs, presence):
    """Copy the views with every absent instance as a row of NaN.

    Parameters
    ----------
    Xs : list of array-like or sparse, each (n_samples, n_features_v)
    presence : array-like of bool, (n_samples, n_views)

    Returns
    -------
    list of ndarray or csr_array of float64. In a sparse view one stored NaN marks the row.

    Examples
    --------
    >>> apply_mask([[[1.0, 2.0], [3.0, 4.0]]], [[True], [False]])[0].tolist()
    [[1.0, 2.0], [nan, nan]]
    """
    presence = np.asarray(presence, dtype=bool)
    if presence.ndim != 2 or presence.shape[1] != len(Xs):
        raise ValueError(
            f"the mask has shape {presence.shape}, expected (n_samples, {len(Xs)}): one column a "
            "view."
        )
    return [
        _blank(X, present, v) for v, (X, present) in enumerate(zip(Xs, presence.T, strict=True))
    ]


def _blank(X, present, v):
    X = X.astype(np.float64) if hasattr(X, "tocsr") else np.array(X, dtype=np.float64)
    if X.shape[0] != len(present):
        raise ValueError(f"the mask has {len(present)} rows, view {v} has {X.shape[0]}.")
    if isinstance(X, np.ndarray):
        X[~present] = np.nan
        return X
    from scipy import sparse

    absent = np.flatnonzero(~present)
    marks = sparse.csr_array(
        (np.full(absent.size, np.nan), (absent, np.zeros_like(absent))),
        shape=X.shape,
    )
    return sparse.csr_array(sparse.diags_array(present.astype(float)) @ X + marks)
