"""Matrices with orthonormal columns: nearest one (Procrustes), and minimisation over them."""

from collections import deque

import numpy as np
from scipy.linalg import lapack

from mvclust.numerics.anchors import completed_polar

RHO, ETA, GAMMA = 1e-4, 0.2, 0.85  # sufficient decrease, backtracking, memory of the mean
FIRST_STEP, LAST_STEP, TRIALS, WINDOW = 1e-3, 1e10, 5, 5
LEAST_BOOST, MOST_BOOST = 0.5, 1e4  # with the least a step is that of the authors
DRIFT = 1e-10  # of the squared norm, beyond which the columns are made orthonormal again
ROUNDING = 1e-14  # share of the gradient below which its tangent part is rounding errors


def nearest_orthonormal(A):
    """The matrix with orthonormal columns nearest to A, its polar factor.

    It minimises ||A - Q|| and maximises tr(Q'A): the solution of the Procrustes problem min
    ||Y - F Q|| is that of A = F'Y. A has shape (n, k) with k <= n.

    >>> nearest_orthonormal(np.array([[3.0, 0.0], [0.0, -2.0]]))
    array([[ 1.,  0.],
           [ 0., -1.]])
    """
    left, _, right = np.linalg.svd(A, full_matrices=False)
    return left @ right


def minimize_quadratic(
    X, multiply, C, *, curvature=0.0, constant=0.0, max_iter=1000, xtol=1e-5, gtol=1e-5, ftol=1e-8
):
    """Minimise tr(X'LX) - 2 tr(X'C) + constant over X'X = I by curvilinear search.

    Steps along the Cayley curve with alternating Barzilai-Borwein lengths and a non-monotone line
    search, which gives up after 5 trials; for a symmetric L the result is in practice never worse
    than the start. Without `curvature`, iterates, constants and stopping rules are those of the
    method's MATLAB code OptStiefelGBB, so that runs of it can be repeated. See Z. Wen and W. Yin,
    "A feasible method for optimization with orthogonality constraints", Mathematical Programming
    142, 2013.

    Rotations of X within its span leave tr(X'LX) as it is: only C resists them, and if it is small
    beside L they take most iterations. A positive `curvature` (for example the mean eigenvalue of L
    less that within the span of X) makes the search start at the best rotation and enlarge its
    steps along rotations as if they met that curvature. L must be symmetric then.

    X of shape (n, k), k <= n, is the start, with orthonormal columns; C has the same shape.
    `multiply` gives L X for X. With an L that is not symmetric the steps follow 2 L X, which then
    is not the gradient: authors' codes do so. `constant` only counts in the relative change of the
    value. The search ends after max_iter iterations, when the gradient's norm is below gtol, or
    when the change of X (over the root of n) and the relative change of the value are below xtol
    and ftol, or their means over 5 iterations below ten times that.

    Returns X and the number of iterations, 0 if the start is stationary up to rounding.

    >>> L = np.diag([3.0, 1.0, 2.0, 5.0])
    >>> start = np.full((4, 1), 0.5)
    >>> X, _ = minimize_quadratic(start, L.dot, np.zeros((4, 1)))
    >>> np.abs(X).round(4).ravel().tolist()
    [0.0, 1.0, 0.0, 0.0]
    """
    n, k = X.shape
    if curvature > 0:
        product = X.T.dot(C)
        _, sigma, back = np.linalg.svd(product)
        left = completed_polar(product, np.eye(k)).dot(back.T)
        X, C = X.dot(left), C.dot(back.T)  # now X'C = diag(sigma)
        resistance = 2 * (sigma[:, None] + sigma)
        boost = curvature / np.clip(resistance, curvature / MOST_BOOST, curvature / LEAST_BOOST)
    pair = np.empty((n, 2 * k))  # [G, X]: the curve stays in the span of its columns
    turn = np.kron([[0.0, -1.0], [1.0, 0.0]], np.eye(k))

    def evaluate(X):
        slope = multiply(X)
        slope -= C
        value = constant + float(np.vdot(X, slope)) - float(np.vdot(X, C))
        slope *= 2
        return value, slope

    def expand(X, G):
        """The Gram matrix of [G, X], and the gradient within the tangent space."""
        if curvature > 0:  # only the tangent part of G, and its rotation enlarged
            A = X.T.dot(G)
            G = G - X.dot(A - boost * (A - A.T))
        pair[:, :k] = G
        pair[:, k:] = X
        gram = pair.T.dot(pair)
        return gram, G - X.dot(gram[:k, k:])

    def finish(X):
        X = nearest_orthonormal(X)
        return X.dot(back) if curvature > 0 else X

    value, G = evaluate(X)
    gram, D = expand(X, G)
    norm = float(np.vdot(D, D)) ** 0.5
    if norm <= ROUNDING * float(np.vdot(G, G)) ** 0.5:
        return finish(X), 0
    reference, weight, step = value, 1.0, FIRST_STEP
    recent = deque(maxlen=WINDOW)
    for n_iter in range(1, max_iter + 1):
        for _ in range(TRIALS):
            solution = lapack.dgesv(turn + (0.5 * step) * gram, gram[:, k:])[2]
            solution *= step
            moved = pair.dot(solution)
            X_new = X - moved
            if not abs(float(np.vdot(X_new, X_new)) - k) < DRIFT:
                X_new = nearest_orthonormal(X_new)
                moved = X - X_new
            value_new, G = evaluate(X_new)
            if value_new <= reference - step * RHO * norm**2:
                break
            step *= ETA
        gram, D_new = expand(X_new, G)
        bent = D_new - D
        squared, product = float(np.vdot(moved, moved)), abs(float(np.vdot(moved, bent)))
        recent.append(((squared / n) ** 0.5, abs(value - value_new) / (abs(value) + 1)))
        X, D, value = X_new, D_new, value_new
        norm = float(np.vdot(D, D)) ** 0.5
        above, below = squared, product
        if n_iter % 2:
            above, below = product, float(np.vdot(bent, bent))
        step = min(above / below, LAST_STEP) if below > 0 else LAST_STEP
        if norm < gtol or _settled(recent, xtol, ftol):
            if n_iter > 2 or norm <= ROUNDING * float(np.vdot(G, G)) ** 0.5:
                break
            xtol, gtol, ftol = 0.1 * xtol, 0.1 * gtol, 0.1 * ftol  # too early to be trusted
        weight, previous = GAMMA * weight + 1, GAMMA * weight
        reference = (previous * reference + value) / weight
    return finish(X), n_iter


def _settled(recent, xtol, ftol):
    """Whether the last changes are small, or the mean of the recent ones nearly so."""
    x, f = recent[-1]
    if x < xtol and f < ftol:
        return True
    within = 10 * len(recent)  # a mean is at least the last value over their number
    if x >= within * xtol or f >= within * ftol:
        return False
    return sum(x for x, _ in recent) < within * xtol and sum(f for _, f in recent) < within * ftol
