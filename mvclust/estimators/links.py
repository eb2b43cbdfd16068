"""Checks of what is known about pairs of rows of different views."""

from numbers import Integral

import numpy as np
from scipy import sparse

from mvclust.canonical import samples_of


def check_constraints(links, sizes, name, kind):
    """Check a dict of constraint matrices.

    The links are {(a, b): array-like or sparse (n_a, n_b)}, see `CMVNMF.fit`, or None; `sizes` are
    the rows of every view; name and kind say, for the messages, who asks and which argument it is.
    Returns lists of csr_array: the matrix of views a and b at [a][b] and its transpose at [b][a];
    an empty diagonal.
    """
    blocks = [[sparse.csr_array((n_a, n_b)) for n_b in sizes] for n_a in sizes]
    if links is None:
        return blocks
    if not isinstance(links, dict):
        raise ValueError(
            f"{name}: {kind} must be a dict {{(a, b): matrix (n_a, n_b)}} or None, got "
            f"{type(links).__name__}."
        )
    for key, matrix in links.items():
        if not _is_pair(key, len(sizes)):
            raise ValueError(
                f"{name}: {kind} has the key {key!r}, expected (a, b) with two different view "
                f"numbers from 0 to {len(sizes) - 1}."
            )
        if samples_of([matrix]) is not None:
            raise ValueError(
                f"{name}: {kind}[{key[0]}, {key[1]}] is a data frame whose index names rows; its "
                "rows and columns are matched by position, so give an array (X.to_numpy())."
            )
        a, b = map(int, key)
        if (b, a) in links:
            raise ValueError(f"{name}: {kind} has both ({a}, {b}) and ({b}, {a}); join them.")
        matrix = sparse.csr_array(matrix, dtype=np.float64)
        if matrix.shape != (sizes[a], sizes[b]):
            raise ValueError(
                f"{name}: {kind}[{a}, {b}] has shape {matrix.shape}, but the views {a} and {b} "
                f"have {sizes[a]} and {sizes[b]} rows."
            )
        if not np.isfinite(matrix.data).all() or (matrix.data < 0).any():
            raise ValueError(
                f"{name}: {kind}[{a}, {b}] has negative or infinite entries; expected 1 for a "
                "constraint (or its weight) and 0 for none."
            )
        blocks[a][b], blocks[b][a] = matrix, sparse.csr_array(matrix.T)
    return blocks


def _is_pair(key, n_views):
    return (
        isinstance(key, tuple)
        and len(key) == 2
        and all(isinstance(v, Integral) and 0 <= v < n_views for v in key)
        and key[0] != key[1]
    )
