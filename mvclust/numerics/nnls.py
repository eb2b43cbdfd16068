"""Non-negative least squares for many right-hand sides that share one small Gram matrix."""

import numpy as np

ZERO = 1e-12  # relative size below which a gradient counts as zero
RANK = 1e-12  # relative size below which an eigenvalue counts as zero


def nonnegative_least_squares(G, B, H):
    """Minimise h G h' - 2 b h' over h >= 0 for every row b of B, exactly.

    With G = A A' and B = X A' the rows of the result are those of min ||X - H A||. It is the active
    set method of Lawson and Hanson for all rows at a time: a row frees the variable with the
    steepest gradient, solves for its free variables, and steps back to where the first of them
    becomes zero. Rows with the same free variables share the solution of their system.

    G of shape (k, k) is symmetric and positive semi-definite, B has shape (n, k). H of this shape,
    non-negative, is the start: its positive entries of a row must belong to independent rows of A.
    Zero will do; the solution for fewer variables (and zero for the others) spares most of the
    work.

    >>> A, X = np.array([[1.0, 0.0], [1.0, 1.0]]), np.array([[3.0, 2.0], [0.0, 1.0]])
    >>> nonnegative_least_squares(A @ A.T, X @ A.T, np.zeros((2, 2))).round(6).tolist()
    [[1.0, 2.0], [0.0, 0.5]]
    """
    H = H.copy()
    scale = np.sqrt(G.diagonal())
    floor = ZERO * np.max(np.abs(B) / np.where(scale > 0, scale, 1.0), axis=1)[:, None] * scale
    rows = np.arange(len(B))
    while rows.size:
        descent = B[rows] - H[rows] @ G
        descent[(H[rows] > 0) | (descent <= floor[rows])] = 0.0
        steepest = (descent / np.where(scale > 0, scale, 1.0)).argmax(axis=1)
        open_ = descent[np.arange(len(rows)), steepest] > 0
        rows, steepest = rows[open_], steepest[open_]
        if rows.size:
            free = H[rows] > 0
            free[np.arange(len(rows)), steepest] = True
            before = H[rows]
            after = _solve_free(G, B[rows], before, free)
            # A variable freed by rounding alone may depend on the others: no gain, the row is done.
            better = _value(G, B[rows], after) < _value(G, B[rows], before)
            rows = rows[better]
            H[rows] = after[better]
    return H


def _value(G, B, H):
    return np.einsum("ij,ij->i", H @ G - 2 * B, H)


def _solve_free(G, B, H, free):
    """Go from H to the minimum over the free variables, dropping those that become negative."""
    H = H.copy()
    rows = np.arange(len(B))
    while rows.size:
        target = _solve_patterns(G, B[rows], free[rows])
        now = H[rows]
        falling = target < 0
        with np.errstate(divide="ignore", invalid="ignore"):
            step = np.where(falling, now / (now - target), 1.0)
        length = step.min(axis=1)
        blocked = falling.any(axis=1)
        now += length[:, None] * (target - now)
        now[falling & (step <= length[:, None])] = 0.0
        now[~free[rows]] = 0.0
        H[rows] = np.where(blocked[:, None], now, target)
        rows = rows[blocked]
        free[rows] &= H[rows] > 0
    return H


def _solve_patterns(G, B, free):
    """Solve G_FF h_F = b_F for every row, F its free variables; zero elsewhere."""
    packed = np.packbits(free, axis=1)
    _, first, pattern = np.unique(packed, axis=0, return_index=True, return_inverse=True)
    kept = free[first]
    scale = np.sqrt(np.where(G.diagonal() > 0, G.diagonal(), 1.0))
    systems = np.where(kept[:, :, None] & kept[:, None, :], G / np.outer(scale, scale), 0.0)
    diagonal = np.arange(len(G))
    systems[:, diagonal, diagonal] += ~kept
    inverses = np.linalg.pinv(systems, rcond=RANK, hermitian=True)
    inverses /= np.outer(scale, scale)
    return np.einsum("ij,ijk->ik", B * free, inverses[pattern.ravel()]) * free
