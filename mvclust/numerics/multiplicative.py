"""Non-negative matrix factorisation by multiplicative updates (Lee & Seung)."""

import numpy as np

from mvclust.numerics.distances import squared_norm
from mvclust.numerics.factors import squared_error, unit_sums
from mvclust.numerics.products import for_products

GUARD = 1e-10  # floor of the denominators, as in the authors' codes


def nmf(X, U, V, *, max_iter, tol):
    """Factorise X' into U V' by alternating multiplicative updates of V and U.

    The columns of U are scaled to sum 1 before the first and after the last iteration (V
    inversely). X is expected on the scale sum(X) = 1, to which the floor of the denominators
    belongs.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n_samples, n_features), non-negative
    U : ndarray of shape (n_features, n_clusters), non-negative
        Basis to start from.
    V : ndarray of shape (n_samples, n_clusters), non-negative
        Coefficients to start from.
    max_iter : int
        Most iterations.
    tol : float
        The run ends when the objective lies less than tol, relatively, below its exponential
        mean (0.1 old + 0.9 new).

    Returns
    -------
    U, V : ndarray
    objective : list of float
        Squared error ||X' - U V'||^2 after each iteration.
    change : float
        The last relative distance of the objective to its mean.
    """
    squared = squared_norm(X)
    X, X_transposed = for_products(X)
    U, V = unit_sums(U, V)
    XU = X @ U
    objective, mean, change = [], None, np.inf
    while len(objective) < max_iter and change >= tol:
        V = V * (XU / np.maximum(V @ (U.T @ U), GUARD))
        VV = V.T @ V
        U = U * ((X_transposed @ V) / np.maximum(U @ VV, GUARD))
        XU = X @ U
        error = squared_error(squared, XU, V, U.T @ U, VV)
        objective.append(float(error))
        if mean is None:
            mean = 10 * error
        mean = 0.1 * mean + 0.9 * error
        change = (mean - error) / mean if mean > 0 else 0.0
    U, V = unit_sums(U, V)
    return U, V, objective, change


def best_nmf(X, n_clusters, *, n_init, warm_up, max_iter, tol, seed):
    """Run `nmf` from the best of several short runs from random starts.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n_samples, n_features), non-negative
        With sum 1.
    n_clusters : int
    n_init, warm_up : int
        Random starts, and iterations of each.
    max_iter : int
        Most iterations after that.
    tol : float
        See `nmf`.
    seed : int or anything `numpy.random.default_rng` takes

    Returns
    -------
    U, V, objective, change
        See `nmf`; the objective begins with the short run.
    """
    rng = np.random.default_rng(seed)
    best = None
    for _ in range(n_init):
        U, V = rng.random((X.shape[1], n_clusters)), rng.random((X.shape[0], n_clusters))
        run = nmf(X, U, V, max_iter=warm_up, tol=0)
        if best is None or run[2][-1] < best[2][-1]:
            best = run
    U, V, objective, _ = best
    U, V, rest, change = nmf(X, U, V, max_iter=max_iter, tol=tol)
    return U, V, objective + rest, change


def start_from_nmf(Xs, n_clusters, n_init, warm_up, max_iter, seed):
    """Factorise the views one by one, each begun with the V of the one before, as a start.

    Three passes over the views. In each the best of n_init random bases after warm_up
    iterations is continued for max_iter iterations, as in the released code.

    Parameters
    ----------
    Xs : list of ndarray or csr_array, each of shape (n_samples, n_features_v), non-negative
        The views, each with sum 1.
    n_clusters : int
    n_init : int
        Random bases in each factorisation.
    warm_up : int
        Iterations of each of them.
    max_iter : int
        Iterations of the best of them after that.
    seed : int

    Returns
    -------
    dict with U and V
        Lists with one array per view, (n_features_v, n_clusters) and (n_samples, n_clusters).
    """
    seeds = np.random.default_rng(seed).spawn(2)
    limits = {"max_iter": max_iter, "tol": 0.0}
    U, V = [None] * len(Xs), None
    kept = [None] * len(Xs)
    for _ in range(3):
        for v, X in enumerate(Xs):
            if V is None:
                U[v], V, *_ = best_nmf(
                    X, n_clusters, n_init=n_init, warm_up=warm_up, seed=seeds[0], **limits
                )
            else:
                bases = seeds[1].random((n_init, X.shape[1], n_clusters))
                runs = [nmf(X, basis, V, max_iter=warm_up, tol=0.0) for basis in bases]
                best = min(runs, key=lambda run: run[2][-1])
                U[v], V, *_ = nmf(X, *best[:2], **limits)
            kept[v] = V
    return {"U": U, "V": kept}
