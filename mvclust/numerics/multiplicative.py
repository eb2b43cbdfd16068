"""Non-negative matrix factorisation by multiplicative updates (Lee & Seung)."""

import numpy as np
from scipy import sparse

from mvclust.numerics.products import for_products

GUARD = 1e-10  # floor of the denominators, as in the authors' codes


def nmf(X, U, V, *, max_iter, tol):
    """Factorise X' into U V' by alternating multiplicative updates of V and U.

    The columns of U are scaled to sum 1 before the first and after the last iteration (V
    inversely). X is expected on the scale sum(X) = 1, to which the floor of the denominators
    belongs.

    Parameters
    ----------
    X : ndarray or csr_array, (n_samples, n_features), non-negative
    U : ndarray, (n_features, n_clusters), non-negative
        Basis to start from.
    V : ndarray, (n_samples, n_clusters), non-negative
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
    U, V = _unit_columns(U, V)
    XU = X @ U
    objective, mean, change = [], None, np.inf
    while len(objective) < max_iter and change >= tol:
        V = V * (XU / np.maximum(V @ (U.T @ U), GUARD))
        VV = V.T @ V
        U = U * ((X_transposed @ V) / np.maximum(U @ VV, GUARD))
        XU = X @ U
        error = squared - 2 * np.vdot(XU, V) + np.vdot(U.T @ U, VV)
        objective.append(float(error))
        if mean is None:
            mean = 10 * error
        mean = 0.1 * mean + 0.9 * error
        change = (mean - error) / mean if mean > 0 else 0.0
    U, V = _unit_columns(U, V)
    return U, V, objective, change


def best_nmf(X, n_clusters, *, n_init, warm_up, max_iter, tol, seed):
    """Run `nmf` from the best of n_init random starts of warm_up iterations each."""
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


def squared_norm(X):
    """Squared Frobenius norm of a dense or sparse matrix."""
    values = X.data if sparse.issparse(X) else X
    return float(np.vdot(values, values))


def _unit_columns(U, V):
    sums = U.sum(axis=0)
    sums[sums == 0] = 1.0
    return U / sums, V * sums
