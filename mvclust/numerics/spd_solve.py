"""Sparse symmetric positive definite systems with many right-hand sides."""

import numpy as np
from scipy.sparse.linalg import splu

MAX_ITER = 1000  # steps after which a factorisation takes over


def solve_spd(A, B, start=None, *, tol=1e-13):
    """Solve A X = B by conjugate gradients for all columns at a time, scaled by the diagonal.

    Nothing is factorised: graphs of nearest neighbours have factors that are nearly dense. A system
    that is too badly conditioned for this gets an LU factorisation after all.

    A is a csr_array of shape (n, n), symmetric and positive definite, and B has shape (n, k).
    `start`, of this shape, is a guess of X, for example the solution for a similar B. A column ends
    where the norm of its residual is the share `tol` of the norm of B's.

    >>> from scipy import sparse
    >>> A = sparse.csr_array([[2.0, -1.0], [-1.0, 2.0]])
    >>> solve_spd(A, np.array([[1.0], [1.0]])).ravel().round(6).tolist()
    [1.0, 1.0]
    """
    inverse = 1 / A.diagonal()[:, None]
    scale = np.abs(B).max(axis=0)
    scale[scale == 0] = 1.0  # so that no square overflows
    B = B / scale
    X = np.zeros_like(B) if start is None else start / scale
    residual = B - A @ X
    goal = tol * np.linalg.norm(B, axis=0)
    direction, size = np.zeros_like(B), np.ones(B.shape[1])
    for _ in range(MAX_ITER):
        open_ = np.linalg.norm(residual, axis=0) > goal
        if not open_.any():
            return X * scale
        scaled = inverse * residual
        size, last = np.einsum("ij,ij->j", residual, scaled), size
        direction *= np.divide(size, last, out=np.zeros_like(size), where=open_ & (last > 0))
        direction += scaled
        image = A @ direction
        curvature = np.einsum("ij,ij->j", direction, image)
        step = np.divide(size, curvature, out=np.zeros_like(size), where=open_ & (curvature > 0))
        X += step * direction
        residual -= step * image
    return splu(A.tocsc()).solve(B) * scale
