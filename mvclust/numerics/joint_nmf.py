"""Non-negative factorisation of one view that is drawn to a consensus (Liu et al., SDM 2013)."""

import numpy as np

from mvclust.numerics.factors import (
    descend_basis,
    descend_coefficients,
    squared_error,
    unit_sums,
)
from mvclust.numerics.products import (
    column_products,
    column_sums,
    repeat_row,
    times_plus_row,
)

# Floor of the denominators: of the released code, and one that only guards 0 / 0.
FLOOR = {"author": 1e-10, "paper": 1e-100}
SWEEPS = 2  # of coordinate descent over the columns of a factor, for one product with X
DUST = 1e-150  # entries on their way to zero, cleared before they become slow subnormals


def descend_view(X, X_transposed, U, V, V_star, lam, norm, n_steps=1):
    """Lower ||X' - U V'||^2 + lam ||V - V*||^2 by exact steps, first of V, then of U.

    A step minimises over one column of V, then of the next (hierarchical alternating least
    squares), and likewise for U, whose columns keep the sum 1. None raises the objective. `n_steps`
    are steps of all columns of V and U; the other parameters are those of `factorise_view`. Returns
    U, V and the error ||X' - U V'||^2.
    """
    Ut, Vt = np.array(U.T, order="C"), np.array(V.T, order="C")
    pull = lam * V_star
    for _ in range(n_steps):
        XU, UU = (X @ Ut.T + pull).T, Ut @ Ut.T
        for _ in range(SWEEPS):
            descend_coefficients(Vt, XU, UU, lam)
        XV, VV = (X_transposed @ Vt.T).T, Vt @ Vt.T
        for _ in range(SWEEPS):
            descend_basis(Ut, XV, VV)
    return Ut.T, Vt.T, squared_error(norm, XV, Ut, VV, Ut @ Ut.T)


def factorise_view(X, X_transposed, U, V, V_star, lam, norm, variant, max_iter, tol):
    """Minimise ||X' - U V'||^2 + lam ||V - V*||^2 by multiplicative steps, columns of U of sum 1.

    X'U serves the V step and the objective, so an iteration costs two products with X. X of shape
    (n_samples, n_features), non-negative, and X' are as `mvclust.numerics.products.for_products`
    gives them, and `norm` is ||X||^2. U of shape (n_features, n_clusters) and V of shape
    (n_samples, n_clusters), non-negative, are the start. The consensus V* has the shape of V and
    stays as it is.

    The variant "paper" takes the steps U, scaling, V; "author" V, U, scaling, with a higher floor
    of the denominators. The loop ends after max_iter iterations, or when the objective lies less
    than tol, relatively, below its exponential mean (0.1 old + 0.9 new). With tol None it takes
    max_iter iterations, as the released code does.

    Returns U, V, the error ||X' - U V'||^2, and a list of the objective at the start and after
    every iteration, which is empty if tol is None.
    """
    U, V = unit_sums(U, V)
    floor, pull = FLOOR[variant], lam * V_star
    ridge, constant = lam * np.eye(U.shape[1]), norm + np.vdot(pull, V_star)
    # XU holds X U + lam V*, UU holds U'U + lam I: both terms of the objective look alike.
    XU, UU, VV, Q = X @ U + pull, U.T @ U + ridge, V.T @ V, np.ones(U.shape[1])
    objective = [] if tol is None else [float(squared_error(constant, XU, V, UU, VV))]
    mean = None if tol is None else 10 * objective[0]
    for _ in range(max_iter):
        if variant == "author":
            V = _step_V(V, XU, UU, floor)
            VV = V.T @ V
        U = _step_U(U, Q, X_transposed @ V, VV, column_products(V, pull), lam, floor)
        before, Q = Q, column_sums(U)  # the basis is U Q^-1: its products are scaled, not itself
        change = Q / before
        UU = U.T @ U / np.outer(Q, Q) + ridge
        XU = X @ (U / Q) if len(U) < len(V) else X @ U / Q
        XU += pull
        if variant == "paper":
            V = _step_V(V, XU, UU * change[:, None] / change, floor)
        else:
            V *= change
        VV = V.T @ V
        if tol is not None:
            objective.append(float(squared_error(constant, XU, V, UU, VV)))
            mean = 0.1 * mean + 0.9 * objective[-1]
            if mean - objective[-1] <= tol * mean:
                break
    U = U / Q
    U[U < DUST] = 0.0
    V[V < DUST] = 0.0
    return U, V, squared_error(norm, XU - pull, V, UU - ridge, V.T @ V), objective


def _step_U(U, Q, XV, VV, agreement, lam, floor):
    """Rule for U of the paper; the columns of U Q^-1 sum to 1, which leaves that factor out.

    The result is not yet scaled. Uses up XV; agreement is the diagonal of lam V'V*.
    """
    least = lam * VV.diagonal()
    below = times_plus_row(U, VV / Q[:, None], least)
    if least.min() < floor:
        np.maximum(below, floor, out=below)
    XV += repeat_row(agreement, len(U))
    XV /= below
    XV *= U
    return XV


def _step_V(V, XU, UU, floor):
    """Rule for V of the paper. With D UU D^-1 for UU, it is that for V D."""
    below = V @ UU
    np.maximum(below, floor, out=below)
    np.divide(XU, below, out=below)
    below *= V
    return below
