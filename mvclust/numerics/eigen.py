"""Smallest eigenpairs of sparse symmetric matrices, block by block."""

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh

from mvclust.numerics.spectral import connected_components, fixed_search, settle_signs

DENSE = 300  # up to this size a full reduction is faster than Lanczos
TIE = 1e-14  # share of the norm below which eigenvalues of two blocks count as equal


def smallest_eigenpairs(M, n_pairs):
    """Eigenvectors of the n_pairs smallest eigenvalues of a sparse symmetric matrix.

    Lanczos with products alone, for matrices whose inverse would fill up. A matrix that falls
    into blocks is solved block by block, so that eigenvalues they share are all found; among
    equal ones those of larger blocks come first. Whether a copy of a multiple eigenvalue was
    overlooked within a block is looked up by a second, short search beside the pairs found.
    The sign of a vector makes its largest entry positive.

    Parameters
    ----------
    M : sparse array, (n, n), symmetric
    n_pairs : int, at most n

    Returns
    -------
    eigenvalues : ndarray, (n_pairs,), ascending
    vectors : ndarray, (n, n_pairs), orthonormal columns

    Examples
    --------
    >>> import numpy as np
    >>> from scipy import sparse
    >>> M = sparse.csr_array(np.array([[2.0, -1.0, 0.0], [-1.0, 2.0, 0.0], [0.0, 0.0, 0.5]]))
    >>> eigenvalues, vectors = smallest_eigenpairs(M, 2)
    >>> eigenvalues.round(6).tolist(), np.abs(vectors).round(2).tolist()
    ([0.5, 1.0], [[0.0, 0.71], [0.0, 0.71], [1.0, 0.0]])
    """
    M = sparse.csr_array(M)
    n = M.shape[0]
    labels = connected_components(M)
    sizes = np.bincount(labels)
    if len(sizes) == 1:
        eigenvalues, vectors = _smallest(M, n_pairs)
        return eigenvalues, settle_signs(vectors)
    found = []  # (eigenvalue, members, vector)
    for block in np.argsort(-sizes, kind="stable"):
        members = np.flatnonzero(labels == block)
        pairs = _smallest(M[members][:, members], min(n_pairs, len(members)))
        found += [(value, members, v) for value, v in zip(pairs[0], pairs[1].T, strict=True)]
    step = TIE * abs(M).sum(axis=1).max() or 1.0
    found.sort(key=lambda pair: round(pair[0] / step))  # stable: larger blocks come first
    eigenvalues, vectors = np.empty(n_pairs), np.zeros((n, n_pairs))
    for j, (value, members, v) in enumerate(found[:n_pairs]):
        eigenvalues[j], vectors[members, j] = value, v
    return eigenvalues, settle_signs(vectors)


def _smallest(M, n_pairs):
    pairs = None
    if M.shape[0] > max(DENSE, 10 * n_pairs):
        pairs = _lanczos(M, n_pairs)
    if pairs is None:
        pairs = linalg.eigh(M.toarray(), subset_by_index=[0, n_pairs - 1], check_finite=False)
    return pairs


def _lanczos(M, n_pairs):
    """Smallest eigenpairs by Lanczos; None if it does not converge soon or overlooked one."""
    n = M.shape[0]
    height = abs(M).sum(axis=1).max()  # no eigenvalue is larger
    size = max(2 * n_pairs + 20, 40)
    # Of height - M the largest are wanted: their accuracy is then relative to the norm.
    turned = LinearOperator((n, n), matvec=lambda x: height * x - M @ x, dtype=M.dtype)
    try:
        values, vectors = eigsh(
            turned, k=n_pairs, which="LA", ncv=size, maxiter=100, **fixed_search(n)
        )
        order = np.argsort(-values)
        values, vectors = values[order], vectors[:, order]
        beside = LinearOperator(
            (n, n),
            matvec=lambda x: turned.matvec(x) - vectors @ (values * (vectors.T @ x)),
            dtype=M.dtype,
        )
        rest = eigsh(
            beside, k=1, which="LA", maxiter=100, tol=1e-6,
            return_eigenvectors=False, **fixed_search(n, seed=1),
        )  # fmt: skip
    except ArpackError:
        return None
    if rest[0] > values[-1] + 1e-10 * height:
        return None
    return height - values, vectors
