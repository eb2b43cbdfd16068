"""Graph-regularised non-negative matrix factorisation of one view (GNMF, Cai et al. 2011)."""

import numpy as np

from mvclust.numerics.factors import unit_lengths
from mvclust.numerics.multiplicative import GUARD, prepared_view, random_starts
from mvclust.numerics.runs import grams, inner_products, times_grams, times_wide


def graph_nmf(X, S, U, V, *, max_iter, floor=GUARD):
    """Minimise ||X' - U V'||^2 + tr(V'LV), L the Laplacian of S, by multiplicative steps.

    In every iteration V is updated, then U. The columns of U are scaled to unit length before the
    first and after the last iteration (V inversely), for nothing else fixes the scale of V, on
    which the second term depends. Returns U, V and the objective at the end, after the scaling.

    X of shape (n_samples, n_features) is non-negative; S of shape (n_samples, n_samples), a
    weighted graph, is symmetric and non-negative. Both may be sparse. U of shape
    (n_features, n_clusters) and V of shape (n_samples, n_clusters), non-negative, are the start.
    `floor` is that of the denominators, which belongs to the scale sum(X) = 1.

    >>> X, S = np.kron(np.eye(2), np.ones((2, 3))), np.kron(np.eye(2), 1 - np.eye(2))
    >>> rng = np.random.default_rng(0)
    >>> U, V, _ = graph_nmf(X, S, rng.random((6, 2)), rng.random((4, 2)), max_iter=200)
    >>> bool(np.abs(V @ U.T - X).max() < 1e-3)
    True
    """
    return _graph_nmf_runs(prepared_view(X), S, [U], [V], max_iter, floor)[0]


def _graph_nmf_runs(prepared, S, U, V, max_iter, floor):
    """`graph_nmf` from lists of starts, side by side; a list of its results."""
    X, X_transposed, squared = prepared
    S, degrees = S.T, np.asarray(S.sum(axis=1)).reshape(-1, 1, 1)  # S' = S is stored by columns
    U, V = unit_lengths(np.stack(U, axis=1), np.stack(V, axis=1))  # (rows, runs, n_clusters)
    for _ in range(max_iter):
        above, below = times_wide(X, U), times_grams(V, grams(U))
        above += times_wide(S, V)
        below += degrees * V
        above /= np.maximum(below, floor, out=below)
        V *= above
        above, below = times_wide(X_transposed, V), times_grams(U, grams(V))
        above /= np.maximum(below, floor, out=below)
        U *= above
    U, V = unit_lengths(U, V)
    errors = squared - 2 * inner_products(times_wide(X, U), V)
    errors += np.sum(grams(U) * grams(V), axis=(1, 2))
    errors += inner_products(V, degrees * V - times_wide(S, V))
    runs = range(len(errors))
    return [(U[:, i].copy(), V[:, i].copy(), float(errors[i])) for i in runs]


def best_graph_nmf(X, S, n_clusters, *, n_init, warm_up, max_iter, seed, floor=GUARD):
    """Continue the best of n_init random starts of warm_up iterations for max_iter in all.

    X, S, `floor` and the results are those of `graph_nmf`; `seed` is anything that
    `numpy.random.default_rng` takes.
    """
    prepared, starts = prepared_view(X), random_starts(X.shape, n_clusters, n_init, seed)
    runs = _graph_nmf_runs(prepared, S, *starts, min(warm_up, max_iter), floor)
    U, V, _ = min(runs, key=lambda run: run[2])
    return _graph_nmf_runs(prepared, S, [U], [V], max(max_iter - warm_up, 0), floor)[0]
