"""Seeded multi-view data of any size."""

from numbers import Integral

import numpy as np

from mvclust.canonical import generator, whole_number
from mvclust.masking import incomplete_mask
from mvclust.numerics.blocks import row_blocks

DISTANCE = 4.0  # between two centres of a view, as the root of its mean square
BLOCK = 2**20  # entries filled at a time


def make_multiview(
    n_samples=300,
    *,
    n_clusters=3,
    n_features=(20, 20),
    noise=1.0,
    overlap=0.0,
    missing=0.0,
    dtype=np.float64,
    random_state=None,
):
    """Draw Gaussian clusters that all views share.

    In each view a sample is the centre of its cluster plus independent Gaussian noise in every
    feature. The root of the mean squared distance between two centres of a view is 4, whatever its
    number of features; the fewer these are, the more the distances differ. Clusters are equally
    likely.

    Parameters
    ----------
    n_samples : int, default=300
        Number of samples.
    n_clusters : int, default=3
        Number of clusters.
    n_features : sequence of int, default=(20, 20)
        Number of features of each view.
    noise : float or sequence of float, default=1.0
        Standard deviation of the noise in a feature, the same for all views or one per view.
    overlap : float, default=0.0
        Share of the clusters, below 1, that each view cannot tell from another cluster, since
        their centres are equal there. The clusters are drawn anew for each view.
    missing : float, default=0.0
        Share of the samples that are incomplete, see `mvclust.masking.incomplete_mask`.
    dtype : {numpy.float64, numpy.float32}, default=numpy.float64
        Type of the views. Estimators compute with float64 and copy views of other types.
    random_state : int, SeedSequence, Generator or None, default=None
        As `numpy.random.default_rng` takes it.

    Returns
    -------
    Xs : list of ndarray, each of shape (n_samples, n_features_v)
        The views; a missing instance is a row of NaN.
    y : ndarray of int of shape (n_samples,)
        The clusters, from 0.

    Raises
    ------
    ValueError
        If a size is no positive integer, if `overlap` or `missing` is no share from 0 to below 1
        or to 1, or if `noise` is negative or does not fit the number of views.

    Examples
    --------
    >>> import numpy as np
    >>> from mvclust.datasets import make_multiview
    >>> Xs, y = make_multiview(100, n_features=(5, 8), missing=0.3, random_state=0)
    >>> [X.shape for X in Xs], int(np.isnan(Xs[0]).any(axis=1).sum() > 0)
    ([(100, 5), (100, 8)], 1)
    """
    sizes, noises = _checked(n_samples, n_clusters, n_features, noise, overlap, missing)
    rng = generator(random_state, "make_multiview: random_state")
    y = rng.integers(n_clusters, size=n_samples)
    Xs = []
    for d, sd in zip(sizes, noises, strict=True):
        centres = _centres(n_clusters, d, overlap, rng).astype(dtype)
        X = np.empty((n_samples, d), dtype=dtype)
        for rows in row_blocks(n_samples, d, BLOCK):
            rng.standard_normal(out=X[rows], dtype=dtype)
            X[rows] *= sd
            X[rows] += centres[y[rows]]
        Xs.append(X)
    if missing:
        presence = incomplete_mask(n_samples, len(Xs), missing, rng)
        for X, present in zip(Xs, presence.T, strict=True):
            X[~present] = np.nan
    return Xs, y


def _centres(n_clusters, d, overlap, rng):
    centres = rng.standard_normal((n_clusters, d)) * (DISTANCE / np.sqrt(2 * d))
    order, n_alike = rng.permutation(n_clusters), round(overlap * n_clusters)
    if n_alike:
        alike, apart = order[:n_alike], order[n_alike:]
        centres[alike] = centres[np.resize(apart, n_alike)]
    return centres


def _checked(n_samples, n_clusters, n_features, noise, overlap, missing):
    """The numbers of features and the noise of all views, as lists."""
    sizes = [n_features] if isinstance(n_features, Integral) else list(n_features)
    counts = {"n_samples": n_samples, "n_clusters": n_clusters}
    counts |= {f"n_features[{v}]": d for v, d in enumerate(sizes)}
    for name, value in counts.items():
        whole_number(value, f"make_multiview: {name}")
    if not sizes:
        raise ValueError("make_multiview: n_features is empty, expected a number for each view.")
    if not 0 <= overlap < 1 or round(overlap * n_clusters) == n_clusters:
        raise ValueError(
            f"make_multiview: overlap={overlap} of {n_clusters} clusters, expected a share from 0 "
            "that leaves one cluster with a centre of its own."
        )
    if not 0 <= missing <= 1 or (missing and len(sizes) < 2):
        raise ValueError(
            f"make_multiview: missing={missing} with {len(sizes)} views, expected a share from 0 "
            "to 1, and two views or more if it is above 0."
        )
    noises = np.full(len(sizes), noise) if np.ndim(noise) == 0 else np.asarray(noise, dtype=float)
    if len(noises) != len(sizes) or not (noises >= 0).all():
        raise ValueError(
            f"make_multiview: noise={noise}, expected a number from 0, or one for each of the "
            f"{len(sizes)} views."
        )
    return sizes, noises
