"""Similarity network fusion, SNF (Wang et al., Nature Methods 2014)."""

import numpy as np
from scipy import sparse

from mvclust.estimators.base import ViewTags
from mvclust.estimators.constraints import COUNT, POSITIVE, StrOptions
from mvclust.estimators.tensor_steps import SimilarityClusterer
from mvclust.numerics.neighborhoods import (
    half_on_diagonal,
    local_affinity,
    relative_squared_distances,
    row_shares,
    standardised,
    strongest,
)


def snf_similarity(affinities, *, n_neighbors, n_iter, variant):
    """Fuse affinities: each view's passes through its neighbourhoods those of all others.

    P_v <- S_v mean_{u != v}(P_u) S_v', `n_iter` times for all views at once, where P_v starts as
    the normalised affinity of a view and S_v keeps the `n_neighbors` largest entries of its rows.
    There are two affinities at least, each of shape (n, n), symmetric and positive; the result has
    the same shape and is symmetric. The variant is "snftool" or "snfpy", see `SNF`.
    """
    halved = variant == "snftool"
    P = [half_on_diagonal(W) if halved else row_shares(W) for W in affinities]
    P = [(P_v + P_v.T) / 2 for P_v in P]
    S = [sparse.csr_array(strongest(P_v, n_neighbors, ties=not halved)) for P_v in P]
    for _ in range(n_iter):
        total = sum(P)
        for v, S_v in enumerate(S):
            passed = S_v @ ((total - P[v]) / (len(P) - 1)) @ S_v.T
            passed = half_on_diagonal(passed) if halved else passed + np.eye(len(passed))
            P[v] = (passed + passed.T) / 2
    W = sum(P) / len(P)
    W = half_on_diagonal(W) if halved else row_shares(W) + np.eye(len(W)) / 2
    return (W + W.T) / 2


class SNF(SimilarityClusterer):
    """Similarity network fusion (SNF).

    The affinities of each view pass, step by step, through the neighbourhoods of the other views,
    until all agree [1]_. Spectral clustering of their mean gives the labels.

    Parameters
    ----------
    n_clusters : int
        Number of clusters.
    n_neighbors : int, default=20
        Neighbours of a sample. The authors recommend 10 to 30.
    mu : float, default=0.5
        Factor of the widths of the affinities. The authors recommend 0.3 to 0.8.
    n_iter : int, default=20
        Number of steps.
    variant : {"snftool", "snfpy"}, default="snftool"
        "snftool" as the authors' R package: affinities of distances; after each step 1/2 stands on
        the diagonal. "snfpy" as the Python package: affinities of squared distances; after each
        step 1 is added to the diagonal.
    standardize : bool, default=True
        Whether features get mean 0 and standard deviation 1 first.
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
        The fused affinity.

    References
    ----------
    .. [1] B. Wang, A. M. Mezlini, F. Demir, M. Fiume, Z. Tu, M. Brudno, B. Haibe-Kains and A.
       Goldenberg, "Similarity network fusion for aggregating data types on a genomic scale",
       Nature Methods 11, 2014, doi:10.1038/nmeth.2810.

    Examples
    --------
    >>> import numpy as np
    >>> from mvclust import SNF
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 10)
    >>> X1, X2 = 4 * np.eye(2)[y] + rng.random((20, 2)), 3 * np.eye(2)[y] + rng.random((20, 2))
    >>> labels = SNF(2, n_neighbors=5, random_state=0).fit_predict([X1, X2])
    >>> bool((labels[:10] == labels[0]).all() and (labels[10:] == 1 - labels[0]).all())
    True
    """

    view_tags = ViewTags(incomplete=False)
    _parameter_constraints = SimilarityClusterer._parameter_constraints | {
        "n_neighbors": COUNT,
        "mu": POSITIVE,
        "n_iter": COUNT,
        "variant": [StrOptions({"snftool", "snfpy"})],
        "standardize": ["boolean"],
    }

    def __init__(
        self,
        n_clusters,
        *,
        n_neighbors=20,
        mu=0.5,
        n_iter=20,
        variant="snftool",
        standardize=True,
        n_init=20,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.n_neighbors = n_neighbors
        self.mu = mu
        self.n_iter = n_iter
        self.variant = variant
        self.standardize = standardize
        self.n_init = n_init
        self.random_state = random_state

    def _learn(self, Xs, presence):
        affinities = []
        for X in Xs:
            D = relative_squared_distances(standardised(X) if self.standardize else X)
            D = np.sqrt(D) if self.variant == "snftool" else D
            affinities.append(local_affinity(D, self.n_neighbors, self.mu))
        if len(affinities) == 1:  # nothing to fuse
            return affinities[0], [], 0.0
        options = {"n_neighbors": self.n_neighbors, "n_iter": self.n_iter, "variant": self.variant}
        return snf_similarity(affinities, **options), [], 0.0
