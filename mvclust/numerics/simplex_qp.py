"""Quadratic programs on the probability simplex, many right-hand sides with one Hessian."""

import numpy as np

from mvclust.numerics.blocks import row_blocks

BLOCK = 2**18  # entries of Z worked on at a time
SYSTEMS = 2**20  # entries of the systems that are solved at a time
EXCHANGES = 20  # after which rows are left to the active set method
ROUNDING = 1e-13  # share of the terms of a multiplier below which it counts as zero
LEAST = 1e-13  # share of the largest curvature that every direction has


def simplex_qp(G, C):
    """Minimise z G z' - 2 c z' over the probability simplex for every row c of C, exactly.

    A row solves for its positive entries alone; those that become negative and those whose
    multipliers are negative change places, all at a time, and it solves again. Few rows need more
    than a handful of exchanges. Exchanges may cycle, so what is left after `EXCHANGES` of them goes
    to a primal active set method, whose values only fall.

    G of shape (m, m) is symmetric and positive definite. Where its condition exceeds 1e13, the
    diagonal is raised to keep it there. C and the result have shape (n, m).

    >>> G = np.array([[2.0, 1.0], [1.0, 2.0]])
    >>> simplex_qp(G, np.array([[1.0, 1.0], [1.0, 1.5], [9.0, 0.0]])).round(3).tolist()
    [[0.5, 0.5], [0.25, 0.75], [1.0, 0.0]]
    """
    n, m = C.shape
    scale = G.diagonal().max()
    G = G / scale
    G.flat[:: m + 1] += max(0.0, LEAST - np.linalg.eigvalsh(G)[0])
    Z = np.empty((n, m))
    for rows in row_blocks(n, m, BLOCK):
        Z[rows] = _solve_block(G, C[rows] / scale)
    Z /= Z.sum(axis=1, keepdims=True)
    return Z


def _solve_block(G, C):
    Z, left = _exchange(G, C)
    if left.size:
        Z[left] = active_set(G, C[left], np.full((left.size, len(G)), 1 / len(G)))
    return Z


def _exchange(G, C):
    """Solutions, and the rows that did not get there."""
    Z, rows, free = np.zeros_like(C), np.arange(len(C)), np.ones(C.shape, dtype=bool)
    for _ in range(EXCHANGES):
        z = _equality_solutions(G, C[rows], free)
        negative, entering = free & (z < 0), ~free & (_multipliers(G, C[rows], z) < 0)
        wrong = negative | entering
        left = wrong.any(axis=1)
        Z[rows[~left]] = z[~left]
        rows, free = rows[left], (free ^ wrong)[left]
        if not rows.size:
            break
    return Z, rows


def active_set(G, C, Z):
    """The exact solutions by steps from feasible Z, each at least as good as the one before.

    A row goes towards the minimum over its free entries as far as none becomes negative, and fixes
    the one that stops it; at the minimum it frees the entry with the most negative multiplier. G
    and C are those of `simplex_qp`, G of condition below 1e13; the rows of Z, of the shape of C,
    are not negative and sum to 1.
    """
    Z, rows, value = Z.copy(), np.arange(len(C)), np.full(len(C), np.inf)
    free = Z > 0
    while rows.size:
        z = _solve_free(G, C[rows], Z[rows], free)
        before, now = value[rows], _values(G, C[rows], z)
        better = now < before  # else rounding alone freed the last entry: the row is done
        rows, free, z = rows[better], free[better], z[better]
        Z[rows], value[rows] = z, now[better]
        multipliers = _multipliers(G, C[rows], z)
        multipliers[free] = np.inf
        entering = multipliers.argmin(axis=1)
        open_ = multipliers[np.arange(len(rows)), entering] < 0
        rows, free, entering = rows[open_], free[open_], entering[open_]
        free[np.arange(len(rows)), entering] = True
    return Z


def _values(G, C, Z):
    return np.einsum("ij,ij->i", Z @ G - 2 * C, Z)


def _solve_free(G, C, Z, free):
    """Go from Z to the minimum over the free entries; what becomes negative is free no more.

    Changes `free` in place.
    """
    rows = np.arange(len(C))
    while rows.size:
        target = _equality_solutions(G, C[rows], free[rows])
        falling = target < 0
        blocked = falling.any(axis=1)
        Z[rows[~blocked]] = target[~blocked]
        rows, target, falling = rows[blocked], target[blocked], falling[blocked]
        now = Z[rows]
        with np.errstate(divide="ignore", invalid="ignore"):
            step = np.where(falling, now / (now - target), np.inf)
        length = step.min(axis=1, keepdims=True, initial=np.inf)
        stopping = falling & (step <= length)
        Z[rows] = np.where(stopping, 0.0, np.maximum(now + length * (target - now), 0.0))
        free[rows] &= ~stopping
    return Z


def _multipliers(G, C, Z):
    """Multipliers of the constraints Z >= 0; those that are zero but for rounding are."""
    gradient = Z @ G
    size = np.abs(gradient).max(axis=1) + np.abs(C).max(axis=1)
    gradient -= C
    gradient -= np.einsum("ij,ij->i", gradient, Z)[:, None]
    gradient[np.abs(gradient) <= ROUNDING * size[:, None]] = 0.0
    return gradient


def _equality_solutions(G, C, free):
    """Minimise over the free entries of every row, which sum to 1, whatever their signs.

    Rows with equally many free entries are solved in one batch; those without a fixed one share
    the matrix of their system.
    """
    m, sizes, Z = len(G), free.sum(axis=1), np.zeros_like(C)
    for size in np.unique(sizes):
        of_size = np.flatnonzero(sizes == size)
        for some in row_blocks(len(of_size), size * size, SYSTEMS):
            rows = of_size[some]
            if size == m:
                found = np.linalg.solve(G, np.vstack([C[rows], np.ones(m)]).T).T
                Z[rows] = _summing_to_one(found[:-1], found[-1:])
                continue
            at = np.nonzero(free[rows])[1].reshape(len(rows), size)
            right = np.ones((len(rows), size, 2))
            right[:, :, 0] = np.take_along_axis(C[rows], at, axis=1)
            found = np.linalg.solve(G[at[:, :, None], at[:, None, :]], right)
            Z[rows[:, None], at] = _summing_to_one(found[:, :, 0], found[:, :, 1])
    return Z


def _summing_to_one(solutions, along):
    """Solutions moved along the direction in which only the multiplier of their sum changes."""
    level = (1 - solutions.sum(axis=1)) / along.sum(axis=1)
    return solutions + level[:, None] * along
