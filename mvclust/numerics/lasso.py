"""Non-negative least squares with an l1 penalty, all rows at once.

Every row w of W minimises w G w' - 2 r w' + penalty sum(w) over w >= 0, with the same
positive semi-definite G for all rows. ||X - W H||^2 + penalty ||W||_1 is of this form with
G = H H', R = X H' (and a constant ||X||^2), so X is needed only for one product.
"""

import numpy as np

RIDGE = 1e-13  # relative weight that ties undetermined directions to the start
FEW = 100  # rows up to which LAPACK solves their systems faster than steps for all at a time


def exact_lasso(G, R, W, penalty, max_pivots=100):
    """Solve the rows exactly by block principal pivoting (Kim & Park).

    Rows whose variables have the wrong sign exchange them and are solved again, all in one batch of
    K x K systems. Where G is singular the solution nearest to W is taken. Rows that are still wrong
    after `max_pivots` exchanges are left to `greedy_lasso`.

    G of shape (k, k) is symmetric and positive semi-definite, R has shape (n, k). W of this shape,
    non-negative, is the start; its support is the first guess of that of the solution.

    >>> G, R = np.eye(2), np.array([[3.0, -1.0], [2.0, 0.5]])
    >>> exact_lasso(G, R, np.ones((2, 2)), 2.0).round(6).tolist()
    [[2.0, 0.0], [1.0, 0.0]]
    """
    n, k = R.shape
    ridge = max(RIDGE * np.trace(G), 1e-100)
    G_tied = G + ridge * np.eye(k)
    # Reductions along short rows are slow in NumPy: hence a column for every row of W.
    target = np.ascontiguousarray((R - penalty / 2 + ridge * W).T)
    slack = 1e-12 * np.abs(target).max(axis=0, initial=0.0)
    support = np.ascontiguousarray(W.T) > 0
    solution = np.zeros((k, n))
    rows, fewest, patience = np.arange(n), np.full(n, k + 1), np.full(n, 3)
    for _ in range(max_pivots):
        found = _solve_on_support(G_tied, target, support, ridge)
        solution[:, rows] = found
        gradient = G_tied @ found
        gradient -= target
        wrong = np.where(support, found < 0, gradient < -slack)
        n_wrong = wrong.sum(axis=0)
        left = np.flatnonzero(n_wrong)
        rows = rows[left]
        if not rows.size:
            break
        wrong, n_wrong, fewest = wrong[:, left], n_wrong[left], fewest[left]
        patience = np.where(n_wrong < fewest, 3, patience[left] - 1)
        fewest = np.minimum(fewest, n_wrong)
        stuck = np.flatnonzero(patience < 0)
        if stuck.size:  # exchange only the last wrong variable: that cannot cycle
            last = k - 1 - np.argmax(wrong[::-1, stuck], axis=0)
            wrong[:, stuck] &= np.arange(k)[:, None] == last
        support, target, slack = support[:, left] ^ wrong, target[:, left], slack[left]
    else:
        solution[:, rows] = greedy_lasso(G, R[rows], W[rows], penalty)[0].T
    return np.ascontiguousarray(np.maximum(solution, 0.0).T)


def _solve_on_support(G, R, support, least):
    """Solve G w = r for every column r of R on its own support, with zeros elsewhere.

    By Cholesky factorisation of all systems at a time, one column of the factors after the other.
    `least` is a lower bound of the eigenvalues of G.
    """
    k, n = R.shape
    if n < FEW:
        inside = np.ascontiguousarray(support.T)
        systems = np.where(inside[:, :, None] & inside[:, None, :], G, np.eye(k))
        return np.linalg.solve(systems, (support * R).T[:, :, None])[:, :, 0].T
    L = np.empty((k, k + 1, n))  # L[j, i] is entry (i, j) of the factors; row k is for R
    roots = np.empty((k, n))
    for j in range(k):
        column = L[j, j:]
        column[:-1], column[-1] = G[j:, j, None], R[j]
        if j:
            column -= np.einsum("min,mn->in", L[:j, j:], L[:j, j])
        # A variable outside the support has a column of zeros; its own row is not used then.
        pivots = np.where(support[j], np.maximum(column[0], least), np.inf)
        np.sqrt(pivots, out=roots[j])
        column /= roots[j]
    W = L[:, k].copy()
    for j in range(k - 1, -1, -1):
        W[j] /= roots[j]
        W[:j] -= L[:j, j] * W[j]
    return W


def greedy_lasso(G, R, W, penalty, *, constant=0.0, max_sweeps=500, move_tol=1e-6):
    """Improve the rows by greedy coordinate descent (Hsieh & Dhillon), as PVC's code does.

    A row moves the variable that lowers its objective most, up to k^2 times a sweep and while the
    square root of the decrease exceeds `move_tol`. Rows are independent and move together. G, R and
    the start W are those of `exact_lasso`. `constant` is added to the objective, which belongs to
    the stop test. Returns W and a list of the objective after each sweep.

    >>> G, R = np.eye(2), np.array([[3.0, -1.0], [2.0, 0.5]])
    >>> greedy_lasso(G, R, np.ones((2, 2)), 2.0)[0].tolist()
    [[2.0, 0.0], [1.0, 0.0]]
    """
    k = R.shape[1]
    double_G, curvature = 2 * G, 2 * G.diagonal()
    divisor = np.where(curvature == 0, 1e-10, curvature)
    W = W.copy()
    gradient = W @ double_G - 2 * R + penalty
    objective = []
    for sweep in range(max_sweeps):
        _sweep(W, gradient, double_G, curvature, divisor, move_tol**2, k * k)
        # w G w' - 2 r w' + penalty sum(w) = w (gradient - 2 r + penalty)' / 2
        value = constant + 0.5 * (np.vdot(W, gradient) - 2 * np.vdot(W, R) + penalty * W.sum())
        objective.append(float(value))
        if value < 1e-6 and constant > 0:
            break
        if sweep > 1 and abs(value - objective[-2]) / (abs(value) + 1e-6) < 1e-16:
            break
    return W, objective


def _sweep(W, gradient, double_G, curvature, divisor, least, max_moves):
    """Move every row up to max_moves times, in place; drop rows that have settled."""
    rows = np.arange(len(W))
    w, g = W, gradient
    for move in range(max_moves + 1):
        step = np.maximum(-g / divisor, -w)
        decrease = -step * (g + 0.5 * curvature * step)
        which = decrease.argmax(axis=1)
        index = np.arange(len(rows))
        active = decrease[index, which] > least
        n_active = np.count_nonzero(active)
        if n_active < len(rows) / 2 or move == max_moves:
            if w is not W:
                W[rows], gradient[rows] = w, g
            if not n_active or move == max_moves:
                return
            rows, w, g = rows[active], w[active], g[active]
            step, which, active = step[active], which[active], active[active]
            index = index[: len(rows)]
        moved = np.where(active, step[index, which], 0.0)
        w[index, which] += moved
        g += moved[:, None] * double_G[which]
