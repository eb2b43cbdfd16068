"""How features from elsewhere agree with those computed here."""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from mvclust.datasets.images.extract import six_views


class Agreement(NamedTuple):
    """How two versions of a view agree.

    Attributes
    ----------
    equal : float
        Share of the entries that are equal to a relative 1e-6.
    correlation : float
        Median over the features of their correlation over the samples.
    worst : float
        The smallest of these correlations.
    scale : float
        Median over the features of the factor from ours to theirs.
    constant : int
        Features that do not vary in one of the two; they are left out.
    """

    equal: float
    correlation: float
    worst: float
    scale: float
    constant: int

    def __str__(self):
        return (
            f"{self.equal:.1%} of the entries equal, correlation {self.correlation:.4f} "
            f"(median), {self.worst:.4f} (least), scale {self.scale:.4g}"
        )


def feature_agreement(ours, theirs):
    """Compare two versions of a view, feature by feature.

    Parameters
    ----------
    ours, theirs : ndarray of shape (n_samples, n_features)

    Returns
    -------
    Agreement

    Raises
    ------
    ValueError
        If the shapes differ, or no feature varies in both.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).random((20, 3))
    >>> print(feature_agreement(X, 2 * X))
    0.0% of the entries equal, correlation 1.0000 (median), 1.0000 (least), scale 2
    """
    ours, theirs = np.asarray(ours, dtype=float), np.asarray(theirs, dtype=float)
    if ours.shape != theirs.shape:
        raise ValueError(
            f"The views have shapes {ours.shape} and {theirs.shape}, expected the same."
        )
    varies = (np.ptp(ours, axis=0) > 0) & (np.ptp(theirs, axis=0) > 0)
    if not varies.any():
        raise ValueError("No feature varies in both versions, so they cannot be compared.")
    a, b = (X[:, varies] - X[:, varies].mean(axis=0) for X in (ours, theirs))
    product, square = (a * b).sum(axis=0), (a**2).sum(axis=0)
    correlation = product / np.sqrt(square * (b**2).sum(axis=0))
    return Agreement(
        float(np.isclose(ours, theirs, rtol=1e-6, atol=0).mean()),
        float(np.median(correlation)),
        float(correlation.min()),
        float(np.median(product / square)),
        int((~varies).sum()),
    )


def compare_with_images(Xs, paths, n_samples=100):
    """Compare the six views of a feature file with those computed from some of its images.

    Parameters
    ----------
    Xs : list of ndarray of shape (n_samples_in_file, n_features_v)
        In the order of `mvclust.datasets.images.extract.VIEWS`.
    paths : list of path-like
        The images, in the order of the samples.
    n_samples : int, default=100
        How many images are compared; they are evenly spaced.

    Returns
    -------
    list of Agreement
        One per view.

    Raises
    ------
    ValueError
        If there are not as many images as samples.

    Examples
    --------
    >>> from mvclust import load_dataset
    >>> Xs = load_dataset("caltech101-7").Xs  # doctest: +SKIP
    >>> compare_with_images(Xs, images)  # doctest: +SKIP
    """
    if len(Xs[0]) != len(paths):
        raise ValueError(f"There are {len(paths)} images, but {len(Xs[0])} samples.")
    chosen = np.unique(np.linspace(0, len(paths) - 1, n_samples).astype(int))
    ours = six_views(Path(paths[i]).read_bytes() for i in chosen)
    return [feature_agreement(a, X[chosen]) for a, X in zip(ours, Xs, strict=True)]
