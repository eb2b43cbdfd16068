"""Singular vectors of tall matrices through their Gram matrix."""

from itertools import pairwise

import numpy as np

from mvclust.numerics.eigen import settle_signs

RANK = 1e-10  # share of the largest eigenvalue below which one counts as zero


def left_singular_vectors(blocks, n_vectors):
    """Leading left singular vectors of a tall matrix that is given by blocks of its columns.

    The eigenvectors of the Gram matrix, whose size is the number of columns, give them in time and
    memory linear in the rows; the matrix itself is never put together.

    Parameters
    ----------
    blocks : list of ndarray, each of shape (n, m_b)
    n_vectors : int
        Fewer are returned where singular values are zero, up to 1e-5 of the largest.

    Returns
    -------
    U : ndarray of shape (n, r)
        Orthonormal columns; the largest entry of each right singular vector is positive.
    sigma : ndarray of shape (r,)
        Singular values, largest first.
    V : ndarray of shape (m, r)
        Right singular vectors; m is the number of all columns.

    Examples
    --------
    >>> U, sigma, V = left_singular_vectors([np.array([[3.0], [0.0]]), np.array([[0.0], [2.0]])], 2)
    >>> U.tolist(), sigma.tolist(), V.tolist()
    ([[1.0, 0.0], [0.0, 1.0]], [3.0, 2.0], [[1.0, 0.0], [0.0, 1.0]])
    """
    ends = np.cumsum([0] + [block.shape[1] for block in blocks])
    parts = [slice(a, b) for a, b in pairwise(ends)]
    gram = np.empty((ends[-1], ends[-1]))
    for i, first in enumerate(blocks):
        for j, second in enumerate(blocks[: i + 1]):
            gram[parts[i], parts[j]] = first.T @ second
            gram[parts[j], parts[i]] = gram[parts[i], parts[j]].T
    eigenvalues, vectors = np.linalg.eigh(gram)
    eigenvalues, vectors = eigenvalues[::-1][:n_vectors], vectors[:, ::-1][:, :n_vectors]
    kept = eigenvalues > RANK * eigenvalues[0]
    sigma, V = np.sqrt(eigenvalues[kept]), settle_signs(vectors[:, kept])
    U = sum(block @ (V[part] / sigma) for block, part in zip(blocks, parts, strict=True))
    return U, sigma, V
