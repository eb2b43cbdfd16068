"""The rows that spectral clustering makes of any similarity."""

import numpy as np

from mvclust.numerics.affinity import normalized_affinity
from mvclust.numerics.eigen import top_eigenvectors
from mvclust.numerics.scaling import unit_samples


def spectral_rows(S, n_clusters):
    """Rows that spectral clustering hands to k-means (Ng, Jordan and Weiss, NIPS 2001).

    Leading eigenvectors of the normalised affinity, diagonal included, with rows of unit length. S
    of shape (n, n) is symmetric and non-negative; a sample without any similarity is kept apart
    from all others. The result has shape (n, n_clusters).

    >>> spectral_rows(np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]), 2).round(6)
    array([[0., 1.],
           [0., 1.],
           [1., 0.]])
    """
    S = S + np.diag(np.where(S.sum(axis=0) > 0, 0.0, 1.0))
    return unit_samples(top_eigenvectors(normalized_affinity(S), n_clusters)[0])
