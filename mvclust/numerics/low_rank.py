"""Gaps filled by a matrix of low rank, and the leading components of views side by side."""

import numpy as np

from mvclust.numerics.eigen import canonical_basis


def low_rank_fill(Z, present, *, rank=5, n_rounds=15):
    """Fill gaps by turns of a truncated singular value decomposition.

    Parameters
    ----------
    Z : ndarray of shape (n_samples, n_features)
        Features of mean 0; zero where nothing is known.
    present : ndarray of bool of shape (n_samples, n_features)
        Which entries are known.
    rank : int, default=5
    n_rounds : int, default=15

    Returns
    -------
    ndarray of shape (n_samples, n_features)
        `Z` with its gaps filled; `Z` itself if there are none.

    References
    ----------
    .. [1] R. Mazumder, T. Hastie and R. Tibshirani, "Spectral regularization algorithms for
       learning large incomplete matrices", JMLR 11 (2010), section 3.1 (hard thresholding).

    Examples
    --------
    >>> import numpy as np
    >>> Z = np.outer([-1.0, 0.0, 1.0, 2.0], [1.0, 1.0])
    >>> present = Z < 2
    >>> Z[3, 0], present[3] = 2.0, [True, False]
    >>> bool(low_rank_fill(np.where(present, Z, 0.0), present, rank=1, n_rounds=100)[3, 1] > 1.9)
    True
    """
    if present.all():
        return Z
    filled = Z
    for _ in range(n_rounds):
        scores, loadings = leading_components(filled, rank)
        filled = np.where(present, Z, scores @ loadings.T)
    return filled


def leading_components(Z, n_components):
    """The leading left singular vectors times their singular values, and the right ones.

    Parameters
    ----------
    Z : ndarray of shape (n_samples, n_features)
    n_components : int
        At most as many as there are rows and columns are given.

    Returns
    -------
    scores : ndarray of shape (n_samples, n_components)
    loadings : ndarray of shape (n_features, n_components)

    Examples
    --------
    >>> import numpy as np
    >>> leading_components(np.diag([3.0, 1.0]), 1)[0].tolist()
    [[3.0], [0.0]]
    """
    n_samples, n_features = Z.shape
    wide = n_features > n_samples
    values, vectors = np.linalg.eigh(Z @ Z.T if wide else Z.T @ Z)
    vectors = canonical_basis(values[::-1], vectors[:, ::-1], n_components)
    if not wide:
        return Z @ vectors, vectors
    lengths = np.sqrt(np.maximum(values[::-1][:n_components], 0.0))
    scaled = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
    return vectors * lengths, Z.T @ scaled
