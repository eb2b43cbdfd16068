"""Neighbourhood based multi-omics clustering, NEMO (Rappoport and Shamir, Bioinformatics 2019)."""

from numbers import Integral

import numpy as np

from mvclust.estimators.base import ViewTags
from mvclust.estimators.constraints import POSITIVE, Interval
from mvclust.estimators.tensor_steps import SimilarityClusterer
from mvclust.numerics.neighborhoods import (
    local_affinity,
    relative_squared_distances,
    standardised,
    strongest,
)

SHARE = 6  # of the samples of a view are its neighbours: one in so many


def nemo_similarity(Xs, rows, n, *, n_neighbors, mu):
    """Mean over the views that have both samples of how near they are, relative to neighbours.

    In each view N_v holds the affinities to the nearest neighbours of a sample as shares; two
    samples are as similar as N_v + N_v' says. Pairs that share no view get the mean of all others.

    The Xs (n_v, n_features_v) are the samples that the views have, `rows` (n_v,) where these are
    among all n samples. If `n_neighbors` is None, it is a sixth of the samples of a view. `mu` is
    the factor of the widths of the affinities. The result of shape (n, n) is symmetric.
    """
    total, shared = np.zeros((2, n, n))
    for X, of_view in zip(Xs, rows, strict=True):
        k = max(round(len(X) / SHARE), 1) if n_neighbors is None else n_neighbors
        N = strongest(local_affinity(relative_squared_distances(X), k, mu), k)
        total[np.ix_(of_view, of_view)] += N + N.T
        shared[np.ix_(of_view, of_view)] += 1
    S = np.divide(total, shared, out=np.zeros((n, n)), where=shared > 0)
    pairs = np.tril(shared > 0, -1)
    S[shared == 0] = S[pairs].mean() if pairs.any() else 0.0
    return S


class NEMO(SimilarityClusterer):
    """Neighbourhood based multi-omics clustering (NEMO).

    The similarity of two samples is the mean over the views that have both, relative to their
    neighbours in each view, so that nothing needs to be filled [1]_. Spectral clustering gives the
    labels. Steps are those of the released code (github.com/Shamir-Lab/NEMO, commit 451052f), but
    k-means labels the eigenvectors, in place of a discretisation that depends on the order of the
    samples.

    Parameters
    ----------
    n_clusters : int
        Number of clusters.
    n_neighbors : int or None, default=None
        Neighbours of a sample; None: a sixth of the samples of a view, as in the released code.
    mu : float, default=0.5
        Factor of the widths of the affinities, as in the released code.
    standardize : bool, default=False
        Whether features get mean 0 and standard deviation 1 first; the released code leaves that to
        the user.
    n_init : int, default=20
        Number of k-means starts.
    random_state : int, RandomState, Generator or None, default=None
        Drives k-means; all else is deterministic.

    Attributes
    ----------
    labels_ : ndarray of int of shape (n_samples,)
    embedding_ : ndarray of shape (n_samples, n_clusters)
        The rows that k-means clusters.
    similarity_ : ndarray of shape (n_samples, n_samples)
        Mean similarity of the views.

    References
    ----------
    .. [1] N. Rappoport and R. Shamir, "NEMO: cancer subtyping by integration of partial multi-omic
       data", Bioinformatics 35, 2019, doi:10.1093/bioinformatics/btz058.

    Examples
    --------
    >>> import numpy as np
    >>> from mvclust import NEMO
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 10)
    >>> X1, X2 = 4 * np.eye(2)[y] + rng.random((20, 2)), 3 * np.eye(2)[y] + rng.random((20, 2))
    >>> X1[:3] = np.nan  # three instances are missing in the first view
    >>> labels = NEMO(2, random_state=0).fit_predict([X1, X2])
    >>> bool((labels[:10] == labels[0]).all() and (labels[10:] == 1 - labels[0]).all())
    True
    """

    view_tags = ViewTags()
    _parameter_constraints = SimilarityClusterer._parameter_constraints | {
        "n_neighbors": [Interval(Integral, 1, None, closed="left"), None],
        "mu": POSITIVE,
        "standardize": ["boolean"],
    }

    def __init__(
        self,
        n_clusters,
        *,
        n_neighbors=None,
        mu=0.5,
        standardize=False,
        n_init=20,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.n_neighbors = n_neighbors
        self.mu = mu
        self.standardize = standardize
        self.n_init = n_init
        self.random_state = random_state

    def _learn(self, Xs, presence):
        rows = [np.flatnonzero(there) for there in presence.T]
        Xs = [X[of_view] for X, of_view in zip(Xs, rows, strict=True)]
        Xs = [standardised(X) for X in Xs] if self.standardize else Xs
        options = {"n_neighbors": self.n_neighbors, "mu": self.mu}
        return nemo_similarity(Xs, rows, len(presence), **options), [], 0.0
