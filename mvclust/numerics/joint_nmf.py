"""Non-negative factorisation of one view that is drawn to a consensus (Liu et al., SDM 2013)."""

import numpy as np

from mvclust.numerics.factors import squared_error, unit_sums
from mvclust.numerics.products import column_sums, repeat_row, times_plus_row

# Floor of the denominators: of the released code, and one that only guards 0 / 0.
FLOOR = {"author": 1e-10, "paper": 1e-100}
DUST = 1e-150  # entries on their way to zero, cleared before they become slow subnormals


def factorise_view(X, X_transposed, U, V, V_star, lam, norm, variant, max_iter, tol):
    """Minimise ||X' - U V'||^2 + lam ||V - V*||^2 by multiplicative steps, columns of U of sum 1.

    X'U serves the V step and the objective, so an iteration costs two products with X.

    Parameters
    ----------
    X : ndarray or csc_array of shape (n_samples, n_features), non-negative
    X_transposed : ndarray or csc_array of shape (n_features, n_samples)
        As `mvclust.numerics.products.for_products` gives them.
    U : ndarray of shape (n_features, n_clusters), non-negative
    V : ndarray of shape (n_samples, n_clusters), non-negative
        Factors to start from.
    V_star : ndarray of shape (n_samples, n_clusters), non-negative
        The consensus V*, which stays.
    lam : float
        Weight of the agreement with V*.
    norm : float
        ||X||^2.
    variant : {"paper", "author"}
        "paper" takes the steps U, scaling, V; "author" V, U, scaling, with a higher floor of the
        denominators.
    max_iter : int
        Most iterations.
    tol : float or None
        The loop ends when the objective lies less than tol, relatively, below its exponential
        mean (0.1 old + 0.9 new). None: it takes max_iter iterations, as the released code does.

    Returns
    -------
    U, V : ndarray
    error : float, ||X' - U V'||^2
    objective : list of float, at the start and after every iteration; empty if tol is None
    """
    U, V = unit_sums(U, V)
    XU, UU, Q = X @ U, U.T @ U, np.ones(U.shape[1])
    objective = [] if tol is None else [_view_objective(XU, UU, V, V_star, lam, norm)]
    mean = None if tol is None else 10 * objective[0]
    floor = FLOOR[variant]
    for _ in range(max_iter):
        if variant == "author":
            V = _step_V(V, XU, UU, V_star, lam, floor)
        U = _step_U(U, Q, X_transposed @ V, V, V_star, lam, floor)
        before, Q = Q, column_sums(U)  # the basis is U Q^-1: its products are scaled, not itself
        V = V * (Q / before)
        XU, UU = X @ U / Q, U.T @ U / np.outer(Q, Q)
        if variant == "paper":
            V = _step_V(V, XU, UU, V_star, lam, floor)
        if tol is not None:
            objective.append(_view_objective(XU, UU, V, V_star, lam, norm))
            mean = 0.1 * mean + 0.9 * objective[-1]
            if mean - objective[-1] <= tol * mean:
                break
    U = U / Q
    U[U < DUST] = 0.0
    V[V < DUST] = 0.0
    return U, V, squared_error(norm, XU, V, UU, V.T @ V), objective


def _step_U(U, Q, XV, V, V_star, lam, floor):
    """Rule for U of the paper; the columns of U Q^-1 sum to 1, which leaves that factor out.

    The result is not yet scaled. Uses up XV.
    """
    VV = V.T @ V
    least = lam * VV.diagonal()
    below = times_plus_row(U, VV / Q[:, None], least)
    if least.min() < floor:
        np.maximum(below, floor, out=below)
    XV += repeat_row(lam * np.einsum("ij,ij->j", V, V_star), len(U))
    XV /= below
    XV *= U
    return XV


def _step_V(V, XU, UU, V_star, lam, floor):
    """Rule for V of the paper."""
    below = V @ UU
    below += lam * V
    above = lam * V_star
    above += XU
    above /= np.maximum(below, floor, out=below)
    above *= V
    return above


def _view_objective(XU, UU, V, V_star, lam, norm):
    misfit = V - V_star
    return float(squared_error(norm, XU, V, UU, V.T @ V) + lam * np.vdot(misfit, misfit))
