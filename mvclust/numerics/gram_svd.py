"""Singular vectors of tall matrices through their Gram matrix."""

from itertools import pairwise

import numpy as np

from mvclust.numerics.eigen import canonical_basis

NULL = 1e-13  # share of the largest eigenvalue below which a direction is null
RANK = 1e-10  # the same where singular vectors must be precise


def singular_map(gram, n_vectors=None):
    """The matrix T for which Z T are the leading left singular vectors of Z, from Z'Z.

    T has at most n_vectors columns (None: all); vectors of singular values 0 are arbitrary and left
    out.

    >>> Z = np.array([[3.0, 0.0, 0.0], [0.0, 2.0, 0.0]])
    >>> (Z @ singular_map(Z.T @ Z)).round(6).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    values, vectors = gram_eigenpairs(gram, n_vectors)
    return vectors / np.sqrt(values)


def gram_eigenpairs(gram, n_vectors=None, *, null=NULL):
    """Leading eigenpairs of a Gram matrix, without its null directions.

    Returns the eigenvalues, positive, largest first, and the eigenvectors as columns, at most
    n_vectors (None: all). Directions of eigenvalues below the share `null` of the largest are null.
    For the basis see `mvclust.numerics.eigen.canonical_basis`.
    """
    values, vectors = np.linalg.eigh(gram)
    values = values[::-1]
    vectors = canonical_basis(values, vectors[:, ::-1], n_vectors)
    kept = values[:n_vectors] > null * values[0]
    return values[:n_vectors][kept], vectors[:, kept]


def inverse_root(gram):
    """The inverse square root of a Gram matrix, 0 in its null directions.

    Of the Gram matrix of M: M times the result is the polar factor of M.

    >>> inverse_root(np.diag([4.0, 0.0])).tolist()
    [[0.5, 0.0], [0.0, 0.0]]
    """
    values, vectors = gram_eigenpairs(gram)
    return (vectors / np.sqrt(values)) @ vectors.T


def left_singular_vectors(blocks, n_vectors):
    """Leading left singular vectors of a tall matrix that is given by blocks of its columns.

    The eigenvectors of the Gram matrix, whose size is the number of columns, give them in time and
    memory linear in the rows; the matrix itself is never put together.

    For blocks of n rows and m columns in all, returns U of shape (n, r), the singular values,
    largest first, and V of shape (m, r). r is n_vectors, or less where singular values are zero, up
    to 1e-5 of the largest. The columns are orthonormal; the largest entry of those of V is
    positive.

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
    squares, V = gram_eigenpairs(gram, n_vectors, null=RANK)
    sigma = np.sqrt(squares)
    U = sum(block @ (V[part] / sigma) for block, part in zip(blocks, parts, strict=True))
    return U, sigma, V
