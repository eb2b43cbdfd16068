"""Steps on the factors of a non-negative factorisation that several methods share."""

import numpy as np

DEAD = 1e-30  # share of U'U's trace below which a column of U counts as zero


def unit_sums(U, V):
    """Scale the columns of U to sum 1, and V inversely; zero columns stay as they are.

    U of shape (n, n_clusters) is non-negative, V has shape (m, n_clusters).

    >>> U, V = unit_sums(np.array([[1.0], [3.0]]), np.array([[2.0]]))
    >>> U.tolist(), V.tolist()
    ([[0.25], [0.75]], [[8.0]])
    """
    # Not column_sums, which adds in another order: `nmf` with tol=0 ends by rounding alone.
    sums = U.sum(axis=0)
    sums[sums == 0] = 1.0
    return U / sums, V * sums


def unit_lengths(U, V):
    """Scale the columns of U to Euclidean length 1, and V inversely; zero columns stay.

    >>> U, V = unit_lengths(np.array([[3.0], [4.0]]), np.array([[2.0]]))
    >>> U.tolist(), V.tolist()
    ([[0.6], [0.8]], [[10.0]])
    """
    lengths = np.linalg.norm(U, axis=0)
    lengths[lengths == 0] = 1.0
    return U / lengths, V * lengths


def squared_error(squared, XU, V, UU, VV):
    """||X - V U'||^2 from thin products: ||X||^2, X U, V, U'U and V'V, in this order.

    >>> X, U, V = np.array([[2.0]]), np.array([[1.0]]), np.array([[5.0]])
    >>> float(squared_error(4.0, X @ U, V, U.T @ U, V.T @ V))
    9.0
    """
    return squared - 2 * np.vdot(XU, V) + np.vdot(UU, VV)


def weighted_mean(weights, U):
    """In every row the mean of the factors by the weights of that row.

    There are weights of shape (n,) and a factor of shape (n, n_clusters) per view.

    >>> weighted_mean([np.array([1.0]), np.array([3.0])], [np.zeros((1, 1)), np.ones((1, 1))])
    array([[0.75]])
    """
    total = sum(weights)
    return sum((weight / total)[:, None] * U_v for weight, U_v in zip(weights, U, strict=True))


def descend_coefficients(Ut, XB, BB, ridge):
    """Minimise tr(U BB U') - 2 tr(U XB) + sum_i ridge_i ||u_i||^2 in every row of Ut, in place.

    Ut and XB have shape (n_clusters, n_samples), BB (n_clusters, n_clusters); the ridge is one
    number or has shape (n_samples,).
    """
    for j, others, own in _columns(BB):
        Ut[j] = np.maximum((XB[j] - others @ Ut) / (own + ridge), 0.0)


def descend_basis(Bt, XU, UU):
    """Minimise tr(B UU B') - 2 tr(B XU) in every row of Bt with sum 1, in place.

    Bt and XU have shape (n_clusters, n_features), UU (n_clusters, n_clusters). What depends on U
    alone is constant for such B, and the best row is a projection.
    """
    dead = DEAD * UU.trace()
    for j, others, own in _columns(UU):
        if own > dead:  # else the column of U is zero, any basis is best
            Bt[j] = _nearest_on_simplex((XU[j] - others @ Bt) / own, Bt[j] > 0)


def _nearest_on_simplex(x, support):
    """The nearest point of the probability simplex to x, as `project_to_simplex` gives it.

    From a guess of its support it takes few of the steps. Whatever the guess, the first theta is
    not above the solution, and the steps from there only drop entries.
    """
    x = x - x.max()  # spares digits of theta
    if not support.any():
        support = np.ones(len(x), dtype=bool)
    theta = (x @ support - 1) / np.count_nonzero(support)
    before, support = support, x > theta
    while (support != before).any():
        theta = (x @ support - 1) / np.count_nonzero(support)
        before, support = support, support & (x > theta)  # rounding must not bring any back
    x -= theta
    np.maximum(x, 0.0, out=x)
    x /= x.sum()
    return x


def _columns(G):
    """For every column its index, its products with the others, and with itself."""
    for j, row in enumerate(G):
        others = row.copy()
        others[j] = 0.0
        yield j, others, row[j]
