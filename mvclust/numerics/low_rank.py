"""Gaps filled by a matrix of low rank, and the leading components of views side by side."""

import numpy as np

from mvclust.numerics.eigen import canonical_basis


def low_rank_fill(Z, present, *, rank=5, n_rounds=15):
    """Fill gaps by turns of a truncated singular value decomposition.

    Z of shape (n_samples, n_features) has features of mean 0, and is zero where nothing is known;
    `present`, of this shape, says which entries are known. Returns Z itself if there are no gaps.
    See R. Mazumder, T. Hastie and R. Tibshirani, "Spectral regularization algorithms for learning
    large incomplete matrices", JMLR 11 (2010), section 3.1 (hard thresholding).

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

    Z has shape (n_samples, n_features). At most as many components as it has rows and columns are
    given, as columns.

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
