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


def projection_agreement(X, W, A, Z):
    """How well features explain a projection that someone stored of the original ones.

    The authors of FPMVS-CAG keep, for each view, W = polar(X' Z' A'): the orthonormal matrix that
    is nearest to the product, X with standardised features.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Features to test, in the order of the stored samples.
    W : ndarray of shape (n_features, n_dims)
        Stored projection of a view, with orthonormal columns.
    A : ndarray of shape (n_dims, n_anchors)
        Stored anchors.
    Z : ndarray of shape (n_anchors, n_samples)
        Stored weights of the anchors.

    Returns
    -------
    float
        tr(W' M) / ||M||_* with M = X' Z' A', at most 1; 1 if and only if W = polar(M). It does not
        depend on shift and scale of single features.

    References
    ----------
    S. Wang et al., "Fast parameter-free multi-view subspace clustering with consensus anchor
    guidance", IEEE Transactions on Image Processing 31 (2022) 556-568.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X, A, Z = rng.random((50, 6)), rng.random((3, 3)), rng.random((3, 50))
    >>> standard = (X - X.mean(axis=0)) / X.std(axis=0)
    >>> U, _, Vh = np.linalg.svd(standard.T @ Z.T @ A.T, full_matrices=False)
    >>> round(projection_agreement(2 * X + 1, U @ Vh, A, Z), 6)
    1.0
    """
    X = np.asarray(X, dtype=float)
    deviation = X.std(axis=0)
    standard = (X - X.mean(axis=0)) / np.where(deviation > 0, deviation, 1)
    M = standard.T @ Z.T @ A.T
    return float((W * M).sum() / np.linalg.norm(M, "nuc"))
