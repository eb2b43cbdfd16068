"""Graph-regularised non-negative matrix factorisation of one view (GNMF, Cai et al. 2011)."""

import numpy as np

from mvclust.numerics.distances import squared_norm
from mvclust.numerics.factors import squared_error, unit_lengths
from mvclust.numerics.multiplicative import GUARD
from mvclust.numerics.products import for_products


def graph_nmf(X, S, U, V, *, max_iter, floor=GUARD):
    """Minimise ||X' - U V'||^2 + tr(V'LV), L the Laplacian of S, by multiplicative steps.

    In every iteration V is updated, then U.
    The columns of U are scaled to unit length before the first and after the last iteration (V
    inversely), for nothing else fixes the scale of V, on which the second term depends.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n_samples, n_features), non-negative
    S : ndarray or csr_array of shape (n_samples, n_samples), symmetric, non-negative
        Weighted graph of the samples.
    U : ndarray of shape (n_features, n_clusters), non-negative
    V : ndarray of shape (n_samples, n_clusters), non-negative
        Factors to start from.
    max_iter : int
    floor : float, default=1e-10
        Floor of the denominators, which belongs to the scale sum(X) = 1.

    Returns
    -------
    U, V : ndarray
    objective : float
        At the end, after the scaling.

    Examples
    --------
    >>> import numpy as np
    >>> X, S = np.kron(np.eye(2), np.ones((2, 3))), np.kron(np.eye(2), 1 - np.eye(2))
    >>> rng = np.random.default_rng(0)
    >>> U, V, _ = graph_nmf(X, S, rng.random((6, 2)), rng.random((4, 2)), max_iter=200)
    >>> bool(np.abs(V @ U.T - X).max() < 1e-3)
    True
    """
    degrees = np.asarray(S.sum(axis=1)).reshape(-1, 1)
    squared = squared_norm(X)
    X, X_transposed = for_products(X)
    U, V = unit_lengths(U, V)
    for _ in range(max_iter):
        V = V * (X @ U + S @ V) / np.maximum(V @ (U.T @ U) + degrees * V, floor)
        U = U * (X_transposed @ V) / np.maximum(U @ (V.T @ V), floor)
    U, V = unit_lengths(U, V)
    error = squared_error(squared, X @ U, V, U.T @ U, V.T @ V)
    return U, V, float(error + np.vdot(V, degrees * V - S @ V))


def best_graph_nmf(X, S, n_clusters, *, n_init, warm_up, max_iter, seed, floor=GUARD):
    """Continue the best of n_init random starts of warm_up iterations for max_iter in all.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n_samples, n_features), non-negative
    S : ndarray or csr_array of shape (n_samples, n_samples), symmetric, non-negative
    n_clusters : int
    n_init, warm_up : int
        Random starts, and iterations of each.
    max_iter : int
        Iterations of the best start, those of its start included.
    seed : int or anything `numpy.random.default_rng` takes
    floor : float, default=1e-10
        See `graph_nmf`.

    Returns
    -------
    U, V, objective
        See `graph_nmf`.
    """
    rng = np.random.default_rng(seed)
    best = None
    for _ in range(n_init):
        U, V = rng.random((X.shape[1], n_clusters)), rng.random((X.shape[0], n_clusters))
        run = graph_nmf(X, S, U, V, max_iter=min(warm_up, max_iter), floor=floor)
        if best is None or run[2] < best[2]:
            best = run
    return graph_nmf(X, S, best[0], best[1], max_iter=max(max_iter - warm_up, 0), floor=floor)
