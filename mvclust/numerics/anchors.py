"""Anchor graphs: steps that methods with a common anchor graph share, linear in the samples.

A sample i has a row z_i of the graph Z on the probability simplex, one entry for each of m anchors.
View v is modelled as X_v = Z B_v' with anchors B_v (n_features_v, m). B_v is W_v A or a matrix with
orthonormal columns of its own. All scalings of views are those of `ScaledView`.

Null directions. A polar factor is unique only up to directions in which its matrix is zero; they
occur whenever an anchor has no sample. Such directions of B_v and W_v are taken as lying in
further features that are zero in all samples: they add nothing to products with the data, and the
columns count as orthonormal. This is a maximiser, needs no choice, and holds as well if there
are more anchors than features.
"""

from typing import NamedTuple

import numpy as np

from mvclust.numerics.blocks import row_blocks
from mvclust.numerics.distances import squared_row_norms
from mvclust.numerics.eigen import canonical_basis
from mvclust.numerics.simplex import project_to_simplex

BLOCK = 2**18  # entries of the views worked on at a time: they stay in the cache
NULL = 1e-12  # share of the largest singular value below which a direction is null
FREE = 1e-9  # squared length below which nothing of a direction is left
STEPS, ENDED = 500, 1e-10  # most steps for new samples, and the change that ends them
CANDIDATES = 10_000  # samples among which anchors are drawn


class Fit(NamedTuple):
    """What is left of a pass over the data.

    `products` are the X_v' Z, each of shape (n_features_v, m), `lengths` (n_views,) the
    ||Z_v A'||^2 with the rows of Z that are present in each view, `norm` is ||Z||^2, and `grams`
    (n_views, m, m) are the Z_v' Z_v, where they are asked for.
    """

    products: list
    lengths: np.ndarray
    norm: float
    grams: np.ndarray | None


def polar(C, size=0.0):
    """The matrix with orthonormal columns that maximises tr(B'C), without its null directions.

    For C of shape (d, m) it is U V' of the singular value decomposition, of the same shape, over
    singular values above 1e-12 of the largest and of `size`.

    >>> polar(np.array([[2.0, 0.0], [0.0, 0.0], [0.0, 0.0]])).tolist()
    [[1.0, 0.0], [0.0, 0.0], [0.0, 0.0]]
    """
    left, values, right = np.linalg.svd(C, full_matrices=False)
    kept = values > NULL * max(values[0], size)
    return left[:, kept] @ right[kept]


def isometry(W, products):
    """W with its null directions, led to where a view has no products with the graph.

    W of shape (n_features, d) has orthonormal columns, null directions left out; `products` of
    shape (n_features, m) are X_v' Z. The result has the shape of W, and orthonormal columns as far
    as there are so many features.

    >>> isometry(np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 0.0]]), np.eye(3)[:, :1]).tolist()
    [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]
    """
    W = W.copy()
    while True:
        v, lacking = _outside(W.T)
        own = _orthonormal(W)
        rest = _orthonormal(products - own @ (own.T @ products))
        u, free = _outside(np.hstack([own, rest]))
        if free <= FREE:
            u, free = _outside(own)
        if min(lacking, free) <= FREE:
            return W
        W += np.outer(u, v)


def _orthonormal(C):
    """Orthonormal columns that span those of C."""
    left, values, _ = np.linalg.svd(C, full_matrices=False)
    return left[:, values > FREE * max(values[0], 1.0)]


def _outside(Q):
    """The direction outside the columns of Q that is nearest to a unit vector, and how near."""
    free = 1 - (Q**2).sum(axis=1)
    nearest = int(free.argmax())
    direction = -Q @ Q[nearest]
    direction[nearest] += 1
    direction -= Q @ (Q.T @ direction)
    return direction / max(np.linalg.norm(direction), FREE), free[nearest]


def completed_polar(C, guide):
    """The polar factor of C, its null directions completed as near to a guide as possible.

    C, the guide and the result have shape (d, m). The result has orthonormal columns if d >= m,
    else orthonormal rows. Where the guide says nothing either, the completion is that of LAPACK.

    >>> completed_polar(np.diag([2.0, 0.0]), -np.eye(2)).tolist()
    [[1.0, 0.0], [0.0, -1.0]]
    """
    left, values, right = np.linalg.svd(C, full_matrices=False)
    null = values <= NULL * values[0]
    if not null.any() or not guide.any():
        return left @ right
    # Of the longer side all directions that are left are free, not only those that the thin
    # decomposition happens to hold.
    tall = C.shape[0] >= C.shape[1]
    known_left, known_right = left[:, ~null], right[~null]
    rest = guide - known_left @ (known_left.T @ guide)
    rest -= (rest @ known_right.T) @ known_right
    short = right[null] if tall else left[:, null].T  # rows that span the null part
    rest = rest @ short.T if tall else (short @ rest).T  # longer side x nullity
    u, s, vt = np.linalg.svd(rest, full_matrices=False)
    if s[-1] <= NULL:
        return left @ right
    free = u @ vt
    extra = free @ short if tall else short.T @ free.T
    return known_left @ known_right + extra


def draw_anchors(views, presence, n_anchors, init, seed):
    """Samples that start as anchors: an array of n_anchors indices.

    `views` are `ScaledView`, `presence` has shape (n_samples, n_views). The `init` "first" takes
    the first samples. "random" and "k-means++" draw among complete samples, or, if these are too
    few, among those with the most views; "k-means++" far from each other, which a missing row
    counts as zero for.

    >>> from mvclust.numerics.scaled_views import ScaledView
    >>> view = ScaledView(np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]), "sample_unit")
    >>> int(draw_anchors([view], np.ones((3, 1), dtype=bool), 2, "k-means++", 0).max())
    2
    """
    if init == "first":
        return np.arange(n_anchors)
    rng = np.random.default_rng(seed)
    n_present = presence.sum(axis=1)
    least = np.sort(n_present)[-n_anchors]
    candidates = np.flatnonzero(n_present >= least)
    if init == "random" or len(candidates) > CANDIDATES:
        n_drawn = n_anchors if init == "random" else CANDIDATES
        candidates = rng.choice(candidates, n_drawn, replace=False)
    if init == "random":
        return candidates
    rows = [view.take(candidates) for view in views]
    chosen = [int(rng.integers(len(candidates)))]
    nearest = _squared_distances_to(rows, chosen[0])
    for _ in range(1, n_anchors):
        nearest[chosen] = 0.0
        if not nearest.any():  # as many anchors as there are distinct samples
            others = np.setdiff1d(np.arange(len(candidates)), chosen)
            chosen += rng.choice(others, n_anchors - len(chosen), replace=False).tolist()
            break
        chosen.append(int(rng.choice(len(candidates), p=nearest / nearest.sum())))
        np.minimum(nearest, _squared_distances_to(rows, chosen[-1]), out=nearest)
    return candidates[chosen]


def _squared_distances_to(rows, i):
    return sum(((X - X[i]) ** 2).sum(axis=1) for X in rows)


def sample_products(views, samples):
    """X_v' Z where the graph Z joins each of some samples to an anchor of its own, and no other.

    Returns an array of shape (n_features_v, m) per view, for the indices of m samples.
    """
    return [np.ascontiguousarray(view.take(samples).T) for view in views]


def graph_products(views, Z):
    """X_v' Z of every view, (n_features_v, m) each, for a graph Z of shape (n_samples, m)."""
    return [sum(view.transposed_times(rows, Z[rows]) for rows in _blocks(views)) for view in views]


def consensus_start(products, n_components):
    """Rows of A, of shape (n_components, m), that hold most of the anchors of all views.

    For n_components >= m they are the leading part of the identity; else the leading eigenvectors
    of sum_v Z'X_v X_v'Z, see `mvclust.numerics.eigen.canonical_basis`. The products are X_v' Z,
    each of shape (n_features_v, m).
    """
    m = products[0].shape[1]
    if n_components >= m:
        return np.eye(n_components, m)
    values, vectors = np.linalg.eigh(sum(C.T @ C for C in products))
    return canonical_basis(values[::-1], vectors[:, ::-1], n_components).T.copy()


def consensus_bases(products, A, weights, grams=None):
    """Maximise sum_v w_v tr(A'W_v'C_v) over the maps W_v, and then over the anchors A.

    The products are C_v = X_v' Z, each of shape (n_features_v, m), and A has shape (d, m); if it is
    zero, the W_v are the leading parts of the identity. With `grams` Z_v' Z_v of shape
    (n_views, m, m) sum_v w_v ||A Z_v'||^2 / 2 is subtracted, which is constant only if A'A = I; A
    is then a step that never lowers the difference.

    Returns the W_v, each of shape (n_features_v, d), with orthonormal columns, null directions left
    out; and A with orthonormal columns, or rows if these are fewer, whose null directions stay as
    they were.
    """
    d, m = A.shape
    start = not A.any()
    size = max(np.linalg.norm(C) for C in products)  # of a view without anchors rounding is left
    W = [np.eye(len(C), d) if start else polar(C @ A.T, size) for C in products]
    pull = sum(w * (W_v.T @ C) for w, W_v, C in zip(weights, W, products, strict=True))
    if grams is not None:
        S = np.einsum("v,vij->ij", weights, grams)
        pull += A @ (np.linalg.norm(S, 2) * np.eye(m) - S)
    return W, completed_polar(pull, A)


def update_graph(
    views, presence, B, weights, lam, Z, *, A=None, touching=False, pull=None, grams=False
):
    """Minimise sum_v w_v ||X_v - Z_v B_v'||^2 + lam ||Z||^2 over the simplices, in one pass.

    With orthonormal columns in every B_v (or B_v = W_v A, both with orthonormal columns) the row
    z_i is the projection of sum_v w_v B_v'x_i / (sum_v w_v + lam) over the views that i has. Where
    A has more columns than rows it is not the minimiser; the projection of a step from the z_i at
    hand, which minimises a quadratic that touches the objective there, then never raises it.

    `views` are `ScaledView`, `presence` has shape (n_samples, n_views), every B_v
    (n_features_v, m), and Z, which is overwritten, (n_samples, m). It is read only if `touching`,
    which takes a step from Z. A of shape (d, m) is that of B_v = W_v A if it has more columns than
    rows, which are orthonormal. `pull` of shape (n_views,) are other weights for the linear term
    alone, as a released code has them. `grams` asks for Z_v' Z_v. Returns a `Fit`.
    """
    n_views, m = len(views), Z.shape[1]
    pulls = [p * B_v for p, B_v in zip(weights if pull is None else pull, B, strict=True)]
    products, norm = [np.zeros(B_v.shape) for B_v in B], 0.0
    lengths = np.zeros(n_views)
    inner = np.zeros((n_views, m, m)) if grams else None
    for rows in _blocks(views):
        there = presence[rows].astype(np.float64)
        held = (there @ weights)[:, None]
        linear = sum(view.times(rows, P) for view, P in zip(views, pulls, strict=True))
        if touching:
            linear += held * (Z[rows] - (Z[rows] @ A.T) @ A)
        linear /= held + lam
        z = Z[rows] = project_to_simplex(linear)
        for view, C in zip(views, products, strict=True):
            C += view.transposed_times(rows, z)
        squares = squared_row_norms(z)
        norm += float(squares.sum())
        lengths += there.T @ (squares if A is None else squared_row_norms(z @ A.T))
        if grams:
            for S, present in zip(inner, there.T, strict=True):
                S += z.T @ (present[:, None] * z)
    return Fit(products, lengths, norm, inner)


def new_graph(views, presence, B, weights, lam, *, A=None, exact=False, pull=None):
    """The rows of Z of new samples, of shape (n_samples, m), the anchors being known.

    The parameters are those of `update_graph`; with `exact`, steps for an A with more columns than
    rows are repeated until they end.
    """
    Z = np.empty((len(presence), B[0].shape[1]))
    wide = A is not None and A.shape[1] > A.shape[0]
    update_graph(views, presence, B, weights, lam, Z, pull=pull)
    for _ in range(STEPS if wide and exact else 0):
        before = Z.copy()
        update_graph(views, presence, B, weights, lam, Z, A=A, touching=True)
        if np.abs(Z - before).max() < ENDED:
            break
    return Z


def squared_residuals(views, B, products, lengths):
    """||X_v - Z_v B_v'||^2 of every view, by traces; not negative.

    The B_v and the products X_v' Z_v have shape (n_features_v, m); `lengths` are the
    ||Z_v B_v'||^2, an array of shape (n_views,) or one number for all views.
    """
    norms = np.array([view.squared_norm for view in views])
    cross = np.array([np.vdot(B_v, C) for B_v, C in zip(B, products, strict=True)])
    return np.maximum(norms - 2 * cross + lengths, 0.0)


def sample_blocks(n_samples, width):
    """Slices of samples, of which the rows of all views stay in the cache.

    `width` is the number of entries of all views per sample.
    """
    return row_blocks(n_samples, max(1, int(width)), BLOCK)


def _blocks(views):
    return sample_blocks(views[0].shape[0], sum(view.width for view in views))
