"""Minimisation over the probability simplex, for all rows of a matrix at once."""

import numpy as np

from mvclust.numerics.blocks import row_blocks

BLOCK = 2**18  # entries worked on at a time: they stay in the cache


def project_to_simplex(V):
    """The nearest point of the probability simplex to each row.

    >>> project_to_simplex(np.array([[0.5, 0.5, 0.5], [2.0, 0.0, -1.0]])).round(3).tolist()
    [[0.333, 0.333, 0.333], [1.0, 0.0, 0.0]]
    """
    return quadratic_on_simplex(-V, np.ones_like(V))


def quadratic_on_simplex(linear, curvature):
    """Minimise sum_j b_j s_j + c_j s_j^2 / 2 over the simplex, for each row (b, c).

    The solution is s_j = max(0, theta - b_j) / c_j with theta from sum(s) = 1. Newton's method on
    this convex, piecewise linear equation, started with all entries positive, only ever drops
    entries and ends after few steps with the exact support: no sorting is needed. `linear` are the
    b, `curvature` the c, above zero, both of shape (n_rows, n). An infinite one forces its entry to
    zero; each row needs a finite one.

    >>> quadratic_on_simplex(np.zeros((1, 3)), np.array([[1.0, 4.0, np.inf]])).tolist()
    [[0.8, 0.2, 0.0]]
    """
    n_rows, n = linear.shape
    solution = np.empty((n_rows, n))
    for rows in row_blocks(n_rows, n, BLOCK):
        _solve_block(linear[rows], curvature[rows], solution[rows])
    return solution


def _solve_block(b, c, out):
    inverse = 1 / c
    b = b - np.where(inverse > 0, b, np.inf).min(axis=1, keepdims=True)  # spares digits of theta
    weighted = b * inverse
    active = inverse > 0
    while True:
        total = np.einsum("ij,ij->i", inverse, active)
        theta = ((1 + np.einsum("ij,ij->i", weighted, active)) / total)[:, None]
        previous, active = active, active & (b < theta)
        if np.array_equal(previous, active):
            break
    np.subtract(theta, b, out=out)
    np.maximum(out, 0, out=out)
    out *= inverse
    out /= out.sum(axis=1, keepdims=True)


def quadratic_on_supports(linear, curvature, lengths):
    """`quadratic_on_simplex` for rows of different lengths, one after the other.

    The b and c (finite) of all rows have shape (n_entries,), like the result; every row has an
    entry.

    >>> quadratic_on_supports(np.zeros(3), np.array([1.0, 4.0, 9.0]), [2, 1]).tolist()
    [0.8, 0.2, 1.0]
    """
    starts, inverse = np.cumsum(lengths) - lengths, 1 / curvature
    b = linear - np.repeat(np.minimum.reduceat(linear, starts), lengths)
    active, left, firsts = (b, inverse, b * inverse), lengths, starts
    while True:
        weights, weighted = (np.add.reduceat(part, firsts) for part in active[1:])
        theta = (1 + weighted) / weights
        kept = active[0] < np.repeat(theta, left)
        if kept.all():
            break
        left = np.add.reduceat(kept, firsts, dtype=np.intp)
        active, firsts = tuple(part[kept] for part in active), np.cumsum(left) - left
    s = np.maximum(np.repeat(theta, lengths) - b, 0) * inverse
    return s / np.repeat(np.add.reduceat(s, starts), lengths)
