"""Gaussian affinities and the leading eigenvectors of dense symmetric matrices."""

import numpy as np
from scipy import linalg
from scipy.linalg import blas
from scipy.sparse.linalg import LinearOperator, eigsh
from scipy.spatial.distance import squareform

from mvclust.numerics.impute import squared_distances
from mvclust.numerics.spectral import fixed_search, settle_signs

DENSE = 200  # up to this size a full reduction is faster than Lanczos
ROWS = 256  # rows at a time, to stay in the cache


def gaussian_affinity(X, sigma=None):
    """The full matrix exp(-||x_i - x_j||^2 / (2 sigma^2)), exactly symmetric.

    Parameters
    ----------
    X : ndarray, (n, d)
    sigma : float or None
        None takes the median of all n^2 distances, those of the samples to themselves included;
        1 if that is zero.

    Returns
    -------
    ndarray, (n, n)

    Examples
    --------
    >>> import numpy as np
    >>> K = gaussian_affinity(np.array([[0.0], [1.0], [3.0]]), sigma=1.0)
    >>> K.round(2)[0].tolist()
    [1.0, 0.61, 0.01]
    """
    squared = squared_distances(X)
    np.fill_diagonal(squared, 0.0)
    if sigma is None:
        sigma = _median_distance(squared) or 1.0
    for first in range(0, len(squared), ROWS):  # the upper triangle, mirrored
        rows = slice(first, first + ROWS)
        upper = squared[rows, first:]
        upper[:, :ROWS] = np.minimum(upper[:, :ROWS], upper[:, :ROWS].T)
        upper *= -0.5 / sigma**2
        np.exp(upper, out=upper)
        squared[first + ROWS :, rows] = upper[:, ROWS:].T
    return squared


def _median_distance(squared):
    """Median of all n^2 distances from the n(n-1)/2 different ones: n zeros, the others twice."""
    n = len(squared)
    if n < 3:
        return float(np.median(np.sqrt(squared)))
    low, high = ((n * n - 1) // 2 - n) // 2, (n * n // 2 - n) // 2  # ranks, at most 1 apart
    different = squareform(squared, checks=False)
    different.partition(high)
    below = different[high] if low == high else different[:high].max()
    return float(np.sqrt(below) + np.sqrt(different[high])) / 2


def normalized_affinity(K):
    """D^-1/2 K D^-1/2 with the column sums in D; exactly symmetric if K is.

    Examples
    --------
    >>> import numpy as np
    >>> normalized_affinity(np.array([[1.0, 1.0], [1.0, 3.0]])).round(3).tolist()
    [[0.5, 0.354], [0.354, 0.75]]
    """
    root = 1 / np.sqrt(K.sum(axis=0))
    N = np.outer(root, root)
    N *= K
    return N


def top_eigenvectors(M, n_vectors, *, plus=None, weight=1.0, start=None):
    """Eigenvectors of the algebraically largest eigenvalues of M + weight * plus @ plus.T.

    Lanczos from a fixed start, or near known vectors; the low-rank term is never formed. The sign
    of a vector makes its largest entry positive.

    Parameters
    ----------
    M : ndarray, (n, n), symmetric
    n_vectors : int, at most n
    plus : ndarray or None, (n, m)
    weight : float, default=1.0
    start : ndarray or None, (n, any)
        Vectors whose span is near the solution; they change the work, not the result.

    Returns
    -------
    vectors : ndarray, (n, n_vectors), orthonormal columns, largest eigenvalue first
    eigenvalues : ndarray, (n_vectors,)

    Examples
    --------
    >>> import numpy as np
    >>> vectors, eigenvalues = top_eigenvectors(np.diag([1.0, 5.0, -9.0]), 2)
    >>> eigenvalues.round(6).tolist(), vectors.round(6).T.tolist()
    ([5.0, 1.0], [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
    """
    n = len(M)
    if n <= max(DENSE, 5 * n_vectors):
        full = M if plus is None else M + weight * (plus @ plus.T)
        eigenvalues, vectors = linalg.eigh(full, subset_by_index=[n - n_vectors, n - 1])
    else:
        triangle = np.asfortranarray(M.T)  # dsymv reads half of M, which is what takes the time

        def multiply(x):
            y = blas.dsymv(1.0, triangle, x)
            return y if plus is None else y + weight * (plus @ (plus.T @ x))

        search = fixed_search(n)
        if start is not None:
            noise = 1e-3 * np.linalg.norm(start) * search["v0"] / np.sqrt(n)
            search["v0"] = start.sum(axis=1) + noise
        operator = LinearOperator((n, n), matvec=multiply, dtype=np.float64)
        size = min(n - 1, max(2 * n_vectors + 4, 12))
        eigenvalues, vectors = eigsh(operator, k=n_vectors, which="LA", ncv=size, **search)
    order = np.argsort(-eigenvalues, kind="stable")
    return settle_signs(vectors[:, order]), eigenvalues[order]


def top_eigenvectors_of_products(A, B, n_vectors):
    """Leading eigenvectors of (A B' + B A') / 2 from a matrix of the size of [A, B]'s columns.

    Parameters
    ----------
    A, B : ndarray, (n, m)
    n_vectors : int
        At most the number of positive eigenvalues, m in general.

    Returns
    -------
    vectors : ndarray, (n, n_vectors), orthonormal columns, largest eigenvalue first
    eigenvalues : ndarray, (n_vectors,)

    Examples
    --------
    >>> import numpy as np
    >>> A, B = np.array([[1.0], [2.0], [0.0]]), np.array([[1.0], [0.0], [0.0]])
    >>> vectors, eigenvalues = top_eigenvectors_of_products(A, B, 1)
    >>> M = (A @ B.T + B @ A.T) / 2
    >>> bool(np.allclose(M @ vectors, vectors * eigenvalues))
    True
    """
    Q, R = linalg.qr(np.hstack([A, B]), mode="economic")
    m = A.shape[1]
    product = R[:, :m] @ R[:, m:].T
    eigenvalues, vectors = linalg.eigh((product + product.T) / 2)
    order = np.argsort(-eigenvalues, kind="stable")[:n_vectors]
    return settle_signs(Q @ vectors[:, order]), eigenvalues[order]
