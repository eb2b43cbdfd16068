"""Stacks of matrices, one per view, as third-order tensors: nuclear norm and its shrinkage (t-SVD).

A transform along one axis of a stack of shape (n_views, n, m) turns it into matrix slices:

* ``axis="samples", side="rows"``: along the rows; slices (m, n_views), one per row;
* ``axis="samples", side="columns"``: along the columns, for m = n; slices (n, n_views);
* ``axis="views"``: along the views; slices (n, m), one per view; `side` does not matter.

The tensor nuclear norm sums the nuclear norms of the slices. With the unnormalised DFT of n3 slices
``norm="mean"`` divides this sum by n3, as released codes do, and ``norm="sum"`` does not, as papers
print it: the same weight then shrinks n3 times as much. The other transforms are orthonormal, and
scaled so that they shrink as much as the DFT.
"""

from functools import partial

import numpy as np
from scipy import fft

from mvclust.numerics.blocks import row_blocks

BLOCK = 2**22  # complex entries of slices worked on at a time: 64 MB
WIDEST = 32  # short side of a slice up to which its Gram matrix is faster than its SVD
LEAST = 1e-6  # share of the largest singular value below which a Gram matrix shrinks too roughly


def rotate(T, axis="samples", side="rows"):
    """The stack with the axis of the transform first, slice by slice (n3, p, q), as a view.

    >>> T = np.zeros((2, 5, 3))
    >>> rotate(T).shape, rotate(T, axis="views").shape
    ((5, 3, 2), (2, 5, 3))
    """
    return T.transpose(_order(axis, side))


def unrotate(R, axis="samples", side="rows"):
    """The inverse of `rotate`, as a view.

    >>> unrotate(np.zeros((5, 3, 2))).shape
    (2, 5, 3)
    """
    return R.transpose(np.argsort(_order(axis, side), kind="stable"))


def tensor_nuclear_norm(T, axis="samples", side="rows", norm="mean", transform="dft"):
    """The tensor nuclear norm of a stack; the parameters are those of `t_svt`.

    >>> round(tensor_nuclear_norm(np.ones((2, 3, 3))), 6)
    2.44949
    """
    slices, weights, _ = _slices(_checked(T, axis, side, norm), axis, side, transform)
    values = np.linalg.svd(slices, compute_uv=False).sum(axis=-1)
    return float(weights @ values) * _norm_scale(T, axis, side, norm, transform)


def t_svt(
    T,
    tau,
    *,
    axis="samples",
    side="rows",
    norm="mean",
    transform="dft",
    method="auto",
    odd_slices="correct",
    return_norm=False,
):
    """Shrink the singular values of all slices: the proximal map of the tensor nuclear norm.

    The result G minimises tau ||G|| + ||G - T||^2 / 2 with the nuclear norm that `norm` names (Y.
    Xie, D. Tao, W. Zhang, Y. Liu, L. Zhang and Y. Qu, "On Unifying Multi-view Self-Representations
    for Clustering by Tensor Multi-rank Minimization", IJCV 126, 2018). Only permutations i -> a i +
    b (mod n3) of the axis of the DFT leave it as it is; those of the other axes always do.

    T of shape (n_views, n, m) is not changed. For `axis`, `side` and `norm` see the head of this
    module. `tau` is in units of `norm`: singular values of the slices of the unnormalised DFT
    shrink by tau with "mean", and by n3 tau with "sum". The transform is "dft", "dct", "identity"
    or an orthogonal matrix of shape (n3, n3), applied to the axis.

    The method "gram" decomposes the Gram matrices of the slices, and loses singular values below
    1e-8 of the largest; "auto" takes it where slices are narrow and tau is not that small, else
    "svd". The `odd_slices` "released" repeat a fault of released codes: for odd n3 they shrink the
    middle pair of slices of the DFT twice. With `return_norm` the norm of the result is returned as
    well.

    >>> T = np.zeros((1, 2, 2))
    >>> T[0] = [[3.0, 0.0], [3.0, 0.0]]  # slices of the DFT: [6, 0] and [0, 0]
    >>> t_svt(T, 2.0)[0].tolist()
    [[2.0, 0.0], [2.0, 0.0]]
    """
    T = _checked(T, axis, side, norm)
    if not tau >= 0 or not np.isfinite(tau):
        raise ValueError(f"t_svt: tau={tau} must be a finite number from 0.")
    slices, weights, back = _slices(T, axis, side, transform)
    scale = _norm_scale(T, axis, side, norm, transform)
    n3, thresholds = len(rotate(T, axis, side)), np.full(len(slices), tau * scale)
    if isinstance(transform, str) and transform == "dft":
        thresholds *= n3
        if odd_slices == "released" and n3 % 2 and n3 > 1:
            thresholds[-1] *= 2
    elif odd_slices == "released":
        raise ValueError("t_svt: odd_slices='released' is a fault of the DFT alone.")
    sums = np.empty(len(slices))
    for some in row_blocks(len(slices), slices[0].size, BLOCK):
        sums[some] = _shrink(slices[some], thresholds[some], method)
    G = np.ascontiguousarray(unrotate(back(slices), axis, side))
    return (G, float(weights @ sums) * scale) if return_norm else G


def multi_rank(T, axis="samples", side="rows", tol=1e-10):
    """Ranks of the n3 slices of the DFT of a stack; the largest is its tubal rank.

    Singular values up to the share `tol` of the largest are zero.

    >>> multi_rank(np.ones((2, 3, 3))).tolist()
    [1, 0, 0]
    """
    slices = np.fft.fft(rotate(T, axis, side), axis=0)
    values = np.linalg.svd(slices, compute_uv=False)
    return (values > tol * values.max()).sum(axis=1)


def low_tubal_rank(T, rank, rows=None):
    """Approach a stack by one of low tubal rank along the views.

    `rows`, complex of shape (n_slices, rank, m), are the second factors of a call before, for one
    turn of alternating least squares from them. None takes the best approximation of every slice.
    Returns the stack, of shape (n_views, n, m), and its rows.

    >>> T = np.stack([np.diag([3.0, 1.0]), np.diag([3.0, 1.0])])
    >>> low_tubal_rank(T, 1)[0][0].round(6).tolist()
    [[3.0, 0.0], [0.0, 0.0]]
    """
    slices = fft.rfft(T, axis=0)
    if rows is None:
        left, values, right = np.linalg.svd(slices, full_matrices=False)
        rows = right[:, :rank]
        product = (left[:, :, :rank] * values[:, None, :rank]) @ rows
    else:
        columns = slices @ np.linalg.pinv(rows)
        rows = np.linalg.pinv(columns) @ slices
        product = columns @ rows
    return fft.irfft(product, n=len(T), axis=0), rows


def _order(axis, side):
    """Axes of a stack in the order of `rotate`."""
    orders = {("samples", "rows"): (1, 2, 0), ("samples", "columns"): (2, 1, 0)}
    orders |= {("views", each): (0, 1, 2) for each in ("rows", "columns")}
    if (axis, side) not in orders:
        raise ValueError(
            f"axis={axis!r} with side={side!r}: expected axis 'samples' or 'views' and side 'rows' "
            "or 'columns'."
        )
    return orders[axis, side]


def _checked(T, axis, side, norm):
    T = np.asarray(T, dtype=np.float64)
    if T.ndim != 3 or 0 in T.shape:
        raise ValueError(f"a stack has three axes, got an array of shape {T.shape}.")
    if not np.isfinite(T).all():
        raise ValueError("the stack contains NaN or infinite values.")
    if norm not in ("mean", "sum"):
        raise ValueError(f"norm={norm!r}: expected 'mean' or 'sum'.")
    if axis == "samples" and side == "columns" and T.shape[1] != T.shape[2]:
        raise ValueError(f"side='columns' needs square matrices, got shape {T.shape}.")
    return T


def _norm_scale(T, axis, side, norm, transform):
    """What multiplies the sum of the nuclear norms of the transformed slices."""
    n3 = len(rotate(T, axis, side))
    if isinstance(transform, str) and transform == "dft":
        return 1 / n3 if norm == "mean" else 1.0
    return n3**-0.5 if norm == "mean" else n3**0.5


def _slices(T, axis, side, transform):
    """Transformed slices, how often each counts in a sum over all, and the transform back.

    The DFT of real numbers comes in conjugate pairs, of which one slice is kept.
    """
    R = np.ascontiguousarray(rotate(T, axis, side))
    n3 = len(R)
    if not isinstance(transform, str):
        Q = np.asarray(transform)
        if Q.shape != (n3, n3):
            raise ValueError(f"transform has shape {Q.shape}, expected ({n3}, {n3}).")
        return np.tensordot(Q, R, 1), np.ones(n3), partial(_turned_back, Q)
    if transform == "dft":
        weights = np.full(n3 // 2 + 1, 2.0)
        weights[0] = 1
        if n3 % 2 == 0:
            weights[-1] = 1
        return fft.rfft(R, axis=0), weights, partial(fft.irfft, n=n3, axis=0)
    if transform == "dct":
        dct = fft.dct(R, axis=0, norm="ortho")
        return dct, np.ones(n3), partial(fft.idct, axis=0, norm="ortho")
    if transform == "identity":
        return R.copy(), np.ones(n3), np.asarray
    raise ValueError(
        f"transform={transform!r}: expected 'dft', 'dct', 'identity' or an orthogonal matrix."
    )


def _turned_back(Q, F):
    """Slices multiplied by the inverse of an orthogonal matrix."""
    return np.tensordot(Q.conj().T, F, 1).real


def _shrink(F, thresholds, method):
    """Soft-threshold the singular values of slices in place; their sums afterwards."""
    wide = F.shape[1] < F.shape[2]
    M = F.swapaxes(1, 2) if wide else F  # long sides first
    if method == "auto":
        largest = np.sqrt((np.abs(F) ** 2).sum(axis=(1, 2)).max())  # at least the largest value
        gram = M.shape[2] <= WIDEST and thresholds.min() > LEAST * largest
        method = "gram" if gram else "svd"
    if method == "svd":
        left, values, right = np.linalg.svd(M, full_matrices=False)
        kept = np.maximum(values - thresholds[:, None], 0.0)
        M[...] = (left * kept[:, None]) @ right
    elif method == "gram":
        squares, vectors = np.linalg.eigh(M.conj().swapaxes(1, 2) @ M)
        values = np.sqrt(np.maximum(squares, 0.0))
        kept = np.maximum(values - thresholds[:, None], 0.0)
        share = np.divide(kept, values, out=np.zeros_like(kept), where=values > 0)
        M[...] = M @ ((vectors * share[:, None]) @ vectors.conj().swapaxes(1, 2))
    else:
        raise ValueError(f"method={method!r}: expected 'auto', 'gram' or 'svd'.")
    return kept.sum(axis=1)
