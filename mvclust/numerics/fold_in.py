"""Coefficients of new samples on fixed bases, from the views that each sample has."""

import numpy as np

from mvclust.numerics.blocks import row_blocks
from mvclust.numerics.lasso import exact_lasso
from mvclust.numerics.patterns import PresencePatterns

RIDGE = 1e-9  # share of the trace: of many solutions the shortest, whatever else is in the batch
BLOCK = 2**22  # entries of the factors of all rows' systems worked on at a time


def fold_in(Xs, bases, presence, *, penalty=None):
    """Minimise sum_v ||x_v - h B_v'||^2 + penalty sum(h) over h >= 0 for every sample, exactly.

    The sum is over the views that the sample has; rows of samples that lack one are never used. X_v
    has shape (n_samples, n_features_v), dense or sparse, the bases B_v (n_features_v, k),
    `presence` (n_samples, n_views), the penalties (n_samples,) and the result (n_samples, k).

    >>> Xs, bases = [np.array([[4.0]]), np.array([[9.0]])], [np.array([[2.0]])] * 2
    >>> fold_in(Xs, bases, np.array([[True, False]])).round(6).tolist()
    [[2.0]]
    """
    XB, BB = _products(Xs, bases)

    def system(pattern, rows):
        views = np.flatnonzero(pattern)
        R = sum(XB[v][rows] for v in views)
        if penalty is not None:
            R = R - penalty[rows, None] / 2
        return sum(BB[v] for v in views), R, lambda H: H

    return _by_pattern(presence, bases[0].shape[1], system)


def fold_in_with_consensus(
    Xs, bases, presence, *, weights, ties, lacking=None, penalties=None, near=None, near_star=None
):
    """The consensus u* of every sample for fixed bases, exactly.

    u* and the coefficients u_v >= 0 minimise sum_v w_v (||x_v - u_v B_v'||^2 + a_v ||u_v - u*||^2)
    + b_v sum(u_v) over the views that the sample has. With u* the mean of the u_v by w_v a_v they
    are one non-negative least squares problem in all u_v.

    Views, bases and presence are those of `fold_in`; the result has shape (n_samples, k). `weights`
    are the w_v, `ties` the a_v, `penalties` the b_v (None: 0), each of shape (n_views,). `lacking`
    are the w_v of samples that lack the view, whose rows must be filled; None: the view does not
    count. `near` has for every view a weight c_v and points p_v of shape (n_samples, k): w_v c_v
    ||u_v - p_v||^2 is added; `near_star` is a weight c and such points p: c ||u* - p||^2 is added.

    >>> Xs, bases, one = [np.array([[4.0]]), np.array([[1.0]])], [np.eye(1)] * 2, np.ones(2)
    >>> both = np.array([[True, True]])
    >>> fold_in_with_consensus(Xs, bases, both, weights=one, ties=one).round(6).tolist()
    [[2.5]]
    """
    k = bases[0].shape[1]
    XB, BB = _products(Xs, bases)
    lacking = np.zeros(len(Xs)) if lacking is None else lacking
    c_star, p_star = (0.0, np.zeros((len(presence), k))) if near_star is None else near_star

    def system(pattern, rows):
        w = np.where(pattern, weights, lacking)
        views = np.flatnonzero(w)
        tie = w[views] * ties[views]
        total = tie.sum() + c_star
        shares = tie / total if total > 0 else w[views] / w.sum()
        pull = c_star / total * p_star[rows] if total > 0 else 0.0
        G = np.kron(np.diag(tie) - np.outer(tie, shares), np.eye(k))
        R = np.empty((len(rows), len(views) * k))
        for i, v in enumerate(views):
            block = slice(i * k, (i + 1) * k)
            G[block, block] += w[v] * BB[v]
            R[:, block] = w[v] * XB[v][rows] + tie[i] * pull
            if penalties is not None:
                R[:, block] -= penalties[v] / 2
            if near is not None:
                G[block, block] += w[v] * near[v][0] * np.eye(k)
                R[:, block] += w[v] * near[v][0] * near[v][1][rows]
        return G, R, lambda U: np.einsum("imk,m->ik", U.reshape(len(U), -1, k), shares) + pull

    return _by_pattern(presence, k, system)


def _products(Xs, bases):
    return [X @ B for X, B in zip(Xs, bases, strict=True)], [B.T @ B for B in bases]


def _by_pattern(presence, k, system):
    """Solve the systems of all samples, those with the same views together.

    `system` takes a pattern and some of its samples, and returns the matrix of their problem, the
    right sides, and what makes (n, k) rows of the solution.
    """
    groups = PresencePatterns(presence)
    order = groups.sort(np.arange(len(presence)))
    found = np.empty((len(presence), k))
    for pattern, part in zip(groups.patterns, groups.slices, strict=True):
        of_pattern = order[part]
        size = (k * presence.shape[1]) ** 2
        for some in row_blocks(len(of_pattern), size, BLOCK):
            rows = of_pattern[some]
            G, R, rows_of = system(pattern, rows)
            G.flat[:: len(G) + 1] += RIDGE * np.trace(G)
            found[rows] = rows_of(exact_lasso(G, R, np.zeros_like(R), 0.0))
    return found
