"""Eigenvectors of graph Laplacians, component by component, with settled signs."""

import inspect

import numpy as np
from scipy import linalg, sparse
from scipy.linalg import blas
from scipy.sparse import csgraph
from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh, splu

from mvclust.numerics.graphs import laplacian

RESTARTS_AT_RANDOM = "rng" in inspect.signature(eigsh).parameters  # newer SciPy
SPARSE, DENSE = 400, 700  # up to these sizes a full reduction is faster than Lanczos


def laplacian_eigenvectors(W, n_vectors):
    """Eigenvectors of the n_vectors smallest eigenvalues of the Laplacian D - W.

    Each connected component is solved on its own: its smallest eigenvalue is exactly 0, and a
    graph in many pieces costs little. If there are more components than vectors wanted, the
    largest are taken. The sign of a vector makes its largest entry positive.

    Parameters
    ----------
    W : ndarray or csr_array, (n, n), symmetric, non-negative
    n_vectors : int, at most n

    Returns
    -------
    eigenvalues : ndarray, (n_vectors,), ascending
    vectors : ndarray, (n, n_vectors), orthonormal columns

    Examples
    --------
    >>> import numpy as np
    >>> W = np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0]])
    >>> eigenvalues, vectors = laplacian_eigenvectors(W, 2)
    >>> eigenvalues.tolist(), vectors.round(2).tolist()
    ([0.0, 0.0], [[0.71, 0.0], [0.71, 0.0], [0.0, 1.0]])
    """
    n = W.shape[0]
    labels = connected_components(W)
    sizes = np.bincount(labels)
    if len(sizes) == 1:
        eigenvalues, vectors = _smallest(W, n_vectors)
        return eigenvalues, settle_signs(vectors)
    found = []  # (eigenvalue, -size, component, members, vector)
    for component in np.argsort(-sizes, kind="stable")[:n_vectors]:
        members = np.flatnonzero(labels == component)
        wanted = min(n_vectors, len(members)) if len(sizes) < n_vectors else 1
        if wanted == 1:
            values, vectors = np.zeros(1), np.full((len(members), 1), len(members) ** -0.5)
        else:
            values, vectors = _smallest(W[np.ix_(members, members)], wanted)
        found += [(value, members, v) for value, v in zip(values, vectors.T, strict=True)]
    found.sort(key=lambda pair: pair[0])  # stable: larger components first among equals
    eigenvalues, vectors = np.empty(n_vectors), np.zeros((n, n_vectors))
    for j, (value, members, v) in enumerate(found[:n_vectors]):
        eigenvalues[j], vectors[members, j] = value, v
    return eigenvalues, settle_signs(vectors)


def connected_components(W):
    """Number the connected components of a symmetric graph, in the order of their first node.

    Parameters
    ----------
    W : ndarray or csr_array, (n, n)

    Returns
    -------
    ndarray of int, (n,)

    Examples
    --------
    >>> import numpy as np
    >>> connected_components(np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]])).tolist()
    [0, 1, 0]
    """
    if sparse.issparse(W):
        return csgraph.connected_components(W, directed=False)[1]
    edges = W != 0
    labels = np.full(len(W), -1)
    for seed in range(len(W)):
        if labels[seed] >= 0:
            continue
        labels[seed] = number = labels.max() + 1
        reached = np.array([seed])
        while reached.size:
            reached = np.flatnonzero(edges[reached].any(axis=0) & (labels < 0))
            labels[reached] = number
    return labels


def settle_signs(vectors):
    """Flip columns so that the entry of largest magnitude (the first of equals) is positive.

    Examples
    --------
    >>> import numpy as np
    >>> settle_signs(np.array([[1.0, 0.0], [-2.0, 3.0]])).tolist()
    [[-1.0, 0.0], [2.0, 3.0]]
    """
    magnitude = np.abs(vectors)
    largest = np.argmax(magnitude > (1 - 1e-9) * magnitude.max(axis=0), axis=0)
    return vectors * np.where(vectors[largest, np.arange(vectors.shape[1])] < 0, -1.0, 1.0)


def _smallest(W, n_vectors):
    """Smallest eigenpairs of the Laplacian of a connected graph; the first eigenvalue is 0."""
    n = W.shape[0]
    pairs = None
    if sparse.issparse(W) and n > max(SPARSE, 2 * n_vectors):
        pairs = _shift_invert(laplacian(W), n_vectors)
    if pairs is None:
        W = W.toarray() if sparse.issparse(W) else W
        pairs = _lanczos(laplacian(W), n_vectors) if n > max(DENSE, 10 * n_vectors) else None
    if pairs is None:
        L = laplacian(W).T  # symmetric, and in the order of columns that LAPACK overwrites
        pairs = linalg.eigh(
            L, subset_by_index=[0, n_vectors - 1], overwrite_a=True, check_finite=False
        )
    values, vectors = pairs
    values[0] = 0.0
    return values, vectors


def _lanczos(L, n_vectors):
    """Smallest eigenpairs of a dense L by Lanczos; None if it fails or overlooked one. Uses up L.

    A copy of a multiple eigenvalue may be overlooked. A Cholesky factorisation tells: with the
    pairs found moved up, no eigenvalue may lie below the largest of them.
    """
    n = len(L)
    L = L.T  # symmetric, and in the order of columns that BLAS and LAPACK take without a copy
    operator = LinearOperator((n, n), matvec=lambda x: blas.dsymv(1.0, L, x), dtype=L.dtype)
    size = max(2 * n_vectors + 20, 40)
    try:
        values, vectors = eigsh(
            operator, k=n_vectors, which="SA", ncv=size, maxiter=20, **fixed_search(n)
        )
    except ArpackError:
        return None
    order = np.argsort(values)
    values, vectors = values[order], vectors[:, order]
    height = 2 * L.diagonal().max()  # no eigenvalue is larger
    L = blas.dsyrk(height, vectors, beta=1.0, c=L, overwrite_c=True, lower=True)
    L.flat[:: n + 1] -= values[-1] - 1e-9 * height
    try:
        linalg.cholesky(L, lower=True, overwrite_a=True, check_finite=False)
    except linalg.LinAlgError:
        return None
    return values, vectors


def _shift_invert(L, n_vectors):
    """Smallest eigenpairs of a sparse L by Lanczos with its inverse; None if it fails."""
    n = L.shape[0]
    shift = 1e-3 * L.diagonal().mean()
    factor = splu(
        (L + shift * sparse.eye_array(n)).tocsc(),
        permc_spec="MMD_AT_PLUS_A",
        diag_pivot_thresh=0.0,
        options={"SymmetricMode": True},
    )
    inverse = LinearOperator((n, n), matvec=factor.solve, dtype=L.dtype)
    try:
        values, vectors = eigsh(inverse, k=n_vectors, **fixed_search(n))
    except ArpackError:  # equal samples can exhaust the search
        return None
    order = np.argsort(-values)
    return 1 / values[order] - shift, vectors[:, order]


def fixed_search(n, seed=0):
    """Options of `eigsh` that make it find the same each time.

    They fix its start and, where that is exhausted (equal samples) and newer SciPy goes on from a
    random vector, that one.
    """
    start = {"v0": np.random.default_rng(seed).standard_normal(n)}
    return start | {"rng": 0} if RESTARTS_AT_RANDOM else start
