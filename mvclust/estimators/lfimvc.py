"""Late fusion incomplete multi-view clustering, LF-IMVC (Liu et al., TPAMI 2019)."""

import numpy as np

from mvclust.estimators.base import Solution, ViewTags, relative_change
from mvclust.estimators.constraints import NONNEGATIVE, StrOptions
from mvclust.estimators.tensor_steps import RUN_PARAMETERS, EmbeddingClusterer, options_of
from mvclust.numerics.kernel_bases import (
    centred,
    centred_kernel,
    polar,
    rbf_kernel,
    start_from_kernels,
)
from mvclust.numerics.scaling import unit_samples
from mvclust.numerics.stiefel import nearest_orthonormal

AT_LEAST = 3  # iterations before a small change may end a run


def lfimvc(bases, *, lam, max_iter, tol) -> Solution:
    """Maximise tr(H' sum_p H_p W_p) + lam sum_p tr(H_p' H0_p) over H, all H_p and all W_p.

    H and the H_p have orthonormal columns, the W_p are orthogonal. Each step is the maximiser of
    its block, equations (10) to (12) of the paper. The bases H0_p, each of shape (n_samples, k),
    are the leading eigenvectors of the kernels of the views, zero where samples are missing. The
    run ends at a relative change of the objective of `tol`, or after `max_iter` iterations.

    The Solution has H (n_samples, k), HP and WP (lists with one array per view); the objective
    after each iteration; its last relative change.
    """
    HP, WP = list(bases), [np.eye(H0.shape[1]) for H0 in bases]
    objective, change = [], np.inf
    while len(objective) < max_iter and (change >= tol or len(objective) < AT_LEAST):
        H = polar(sum(H_p @ W for H_p, W in zip(HP, WP, strict=True)))
        WP = [nearest_orthonormal(H_p.T @ H) for H_p in HP]
        HP = [polar(H @ W.T + lam * H0) for W, H0 in zip(WP, bases, strict=True)]
        views = zip(HP, WP, bases, strict=True)
        objective.append(float(sum(np.vdot(H_p, H @ W.T + lam * H0) for H_p, W, H0 in views)))
        change = relative_change(objective)
    return Solution({"H": H, "HP": HP, "WP": WP}, objective, change)


class LFIMVC(EmbeddingClusterer):
    """Late fusion incomplete multi-view clustering (LF-IMVC).

    Kernel k-means, relaxed, gives a basis of each view for the samples that it has. One basis H of
    all samples agrees with all of them, rotated, and these fill their missing rows from H, near
    what they were [1]_. k-means on the rows of H gives the labels. As printed: the released demo
    takes the bases from complete kernels.

    Parameters
    ----------
    n_clusters : int
        Number of clusters, and of columns of H.
    lam : float, default=1.0
        Weight of the given bases. The paper chooses among 2^-15 to 2^15.
    kernel : {"rbf", "linear"}, default="rbf"
        "rbf" is exp(-d^2 / (2 mean d^2)). Both are centred over the samples that a view has, with
        samples of unit length in the feature space.
    n_init : int, default=20
        Number of k-means starts (the paper: 50).
    max_iter : int, default=200
        Most iterations.
    tol : float, default=1e-4
        Relative change of the objective that ends the run, after three iterations at least.
    random_state : int, RandomState, Generator or None, default=None
        Drives k-means; all else is deterministic.

    Attributes
    ----------
    labels_ : ndarray of int of shape (n_samples,)
    embedding_ : ndarray of shape (n_samples, n_clusters)
        H, whose rows k-means clusters.
    objective_ : ndarray of shape (n_iter_,)
        After each iteration; it never falls.
    n_iter_ : int

    References
    ----------
    .. [1] X. Liu, X. Zhu, M. Li, L. Wang, C. Tang, J. Yin, D. Shen, H. Wang and W. Gao, "Late
       Fusion Incomplete Multi-View Clustering", IEEE Transactions on Pattern Analysis and Machine
       Intelligence 41, 2019, doi:10.1109/TPAMI.2018.2879108.

    Examples
    --------
    >>> import numpy as np
    >>> from mvclust import LFIMVC
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 10)
    >>> X1, X2 = 4 * np.eye(2)[y] + rng.random((20, 2)), 3 * np.eye(2)[y] + rng.random((20, 2))
    >>> X1[:3] = np.nan  # three instances are missing in the first view
    >>> labels = LFIMVC(2, random_state=0).fit_predict([X1, X2])
    >>> bool((labels[:10] == labels[0]).all() and (labels[10:] == 1 - labels[0]).all())
    True
    """

    view_tags = ViewTags()
    _parameter_constraints = (
        EmbeddingClusterer._parameter_constraints
        | RUN_PARAMETERS
        | {
            "lam": NONNEGATIVE,
            "kernel": [StrOptions({"rbf", "linear"})],
        }
    )

    def __init__(
        self,
        n_clusters,
        *,
        lam=1.0,
        kernel="rbf",
        n_init=20,
        max_iter=200,
        tol=1e-4,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.lam = lam
        self.kernel = kernel
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _embed(self, Xs, presence):
        rows = [np.flatnonzero(there) for there in presence.T]
        views = [centred(unit_samples(X[r])) for X, r in zip(Xs, rows, strict=True)]
        kernels = (rbf_kernel(X) if self.kernel == "rbf" else X @ X.T for X in views)
        kernels = (centred_kernel(K) for K in kernels)
        bases = start_from_kernels(kernels, rows, len(presence), self.n_clusters)["HP"]
        factors, objective, change = lfimvc(bases, **options_of(self, "lam", "max_iter", "tol"))
        return factors["H"], objective, change
