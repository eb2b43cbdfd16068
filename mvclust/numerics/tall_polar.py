"""Polar factors of tall matrices, from their small Gram matrices."""

import numpy as np

from mvclust.numerics.stiefel import nearest_orthonormal

WORST = 1e-8  # ratio of the eigenvalues of the Gram matrix below which it is not precise enough


def tall_polar(M):
    """The matrix with orthonormal columns nearest to a tall one; rows if it is wide.

    As `nearest_orthonormal`, in a tenth of the time for many rows: the singular value decomposition
    is taken only where the Gram matrix is nearly singular.

    Parameters
    ----------
    M : ndarray of shape (n, k)

    Returns
    -------
    ndarray of shape (n, k)

    Examples
    --------
    >>> import numpy as np
    >>> tall_polar(np.array([[3.0, 0.0], [0.0, -2.0], [0.0, 0.0]])).tolist()
    [[1.0, 0.0], [0.0, -1.0], [0.0, 0.0]]
    """
    n, k = M.shape
    if n <= k:
        return nearest_orthonormal(M)
    values, vectors = np.linalg.eigh(M.T @ M)
    if not values[0] > WORST * values[-1]:
        return nearest_orthonormal(M)
    Q = M @ ((vectors / np.sqrt(values)) @ vectors.T)
    # One step of Newton's iteration takes the rounding errors of the Gram matrix away.
    return 1.5 * Q - Q @ (0.5 * (Q.T @ Q))
