"""Efficient and effective regularized incomplete multi-view clustering (Liu et al., TPAMI 2021)."""

from numbers import Real

import numpy as np

from mvclust.estimators.base import (
    MultiViewClusterer,
    Solution,
    ViewTags,
    check_start,
    cluster_rows,
    draw_seeds,
    relative_change,
    warn_not_converged,
)
from mvclust.estimators.constraints import COUNT, NONNEGATIVE, Interval, StrOptions
from mvclust.numerics.kernel_bases import (
    centred,
    centred_kernel,
    polar,
    rbf_kernel,
    start_from_features,
    start_from_kernels,
)
from mvclust.numerics.scaling import scale_views, unit_samples
from mvclust.numerics.stiefel import nearest_orthonormal

AT_LEAST = 3  # iterations before the test for the end, as in the released code


def eeimvc(HP, H0, presence, *, lam, q, aligned, max_iter, tol) -> Solution:
    """Maximise tr(H'(sum_p beta_p H_p W_p + lam H0)) over H, the W_p, beta and missing rows of H_p.

    Subject to H'H = I, orthogonal W_p, beta >= 0 with ||beta||_q = 1, and orthonormal columns of
    the missing rows of each H_p (orthonormal rows where these are fewer than the columns).

    The bases H_p of the views and H0 have shape (n_samples, k); missing rows of the H_p are zero.
    presence has shape (n_samples, n_views), and q is above 1. If `aligned`, each W_p starts as the
    rotation nearest to H0; if not, as the identity. The run ends after max_iter iterations, or when
    the relative change of the objective is below tol.

    Returns H; HP and WP (lists with one array per view), beta (n_views,); the objective after each
    iteration; its last relative change.
    """
    HP, k = [H_p.copy() for H_p in HP], H0.shape[1]
    WP = [nearest_orthonormal(H_p.T @ H0) if aligned else np.eye(k) for H_p in HP]
    beta = np.full(len(HP), len(HP) ** (-1 / q))
    missing = [  # nothing follows from a view without a basis
        np.flatnonzero(~there & H_p.any()) for there, H_p in zip(presence.T, HP, strict=True)
    ]
    S, objective, change = combination(HP, WP, beta, lam, H0), [], np.inf
    while len(objective) < max_iter and (change >= tol or len(objective) < AT_LEAST):
        H = polar(S)
        tau = np.empty(len(HP))
        for p, (H_p, lacking) in enumerate(zip(HP, missing, strict=True)):
            WP[p] = nearest_orthonormal(H_p.T @ H)
            if lacking.size:
                H_p[lacking] = polar(H[lacking] @ WP[p].T)
            tau[p] = np.vdot(H, H_p @ WP[p])
        beta = best_weights(tau, q)
        S = combination(HP, WP, beta, lam, H0)
        objective.append(float(np.vdot(H, S)))
        change = relative_change(objective)
    return Solution({"H": H, "HP": HP, "WP": WP, "beta": beta}, objective, change)


def combination(HP, WP, beta, lam, H0):
    """sum_p beta_p H_p W_p + lam H0."""
    total = lam * H0
    for H_p, W, weight in zip(HP, WP, beta, strict=True):
        total += H_p @ (weight * W)
    return total


def best_weights(tau, q):
    """Maximise beta'tau over beta >= 0 with ||beta||_q = 1; equal ones if no tau is above 0."""
    tau = np.maximum(tau, 0.0)
    if tau.max() == 0:
        return np.full(len(tau), len(tau) ** (-1 / q))
    tau = tau / tau.max()
    return tau ** (1 / (q - 1)) / (tau ** (q / (q - 1))).sum() ** (1 / q)


class EEIMVC(MultiViewClusterer):
    """Efficient and effective regularized incomplete multi-view clustering, EE-R-IMVC.

    Kernel k-means, relaxed, gives a basis H_p of each view for the samples that it has. One basis H
    of all samples is fitted to all of them, rotated, and to a prior H0; what is missing in the H_p
    follows from H [1]_. k-means on the rows of H, as directions, gives the labels.

    Steps equal those of the released code (github.com/xinwangliu/TPAMI_EEIMVC, commit 565930e) from
    the same bases. That code centres the kernels before instances are hidden, so that hidden ones
    take part; here kernels are centred over the samples that a view has.

    The missing rows of a basis are orthonormal among themselves. Where few samples lack a view,
    these rows are long, and different even if the samples belong together: that view then places
    these samples badly. A view in which all samples are the same takes no part.

    Parameters
    ----------
    n_clusters : int
        Number of clusters, and of columns of H.
    lam : float, default=1.0
        Weight of the prior H0. The demo of the released code tries 2^-15 to 2^15.
    q : float, default=2.0
        Norm of the view weights that is 1; above 1. Views weigh the more alike the larger it is.
    kernel : {"rbf", "linear", "precomputed"}, default="rbf"
        "rbf" is exp(-d^2 / (2 mean d^2)). "linear" needs no matrix of samples by samples: time and
        memory are linear in the samples, if there are more of these than of features. Both are
        centred, with samples of unit length in the feature space. "precomputed" takes kernels as
        they are, one (n_samples, n_samples) array per view; a missing sample is a row of NaN, and
        its column is not read.
    scale : {"sample_unit", "view_balanced", None}, default="sample_unit"
        Scaling of the views before the kernel, see `mvclust.numerics.scaling.scale_views`.
    init : {"aligned", "identity"} or dict, default="aligned"
        Rotations W_p to start from: those nearest to H0, or none, as in the released code, where
        the start then depends on the signs of eigenvectors, which are arbitrary. A dict gives HP, a
        list with one (n_samples, n_clusters) array per view, whose missing rows are not read, and
        H0 (n_samples, n_clusters), and starts without rotations.
    n_init : int, default=10
        Number of k-means starts for the labels (the released code: 50).
    max_iter : int, default=100
        Most iterations.
    tol : float, default=1e-4
        Relative change of the objective that ends the run, after three iterations at least.
    random_state : int, RandomState, Generator or None, default=None
        For k-means; all else is deterministic.

    Attributes
    ----------
    labels_ : ndarray of int of shape (n_samples,)
    embedding_ : ndarray of shape (n_samples, n_clusters)
        The rows that k-means clusters: those of `H_`, of unit length.
    H_ : ndarray of shape (n_samples, n_clusters)
        Orthonormal columns; zero ones where the kernels have fewer directions than clusters.
    HP_ : list of ndarray, each of shape (n_samples, n_clusters)
        Bases of the views, missing rows imputed.
    WP_ : list of ndarray, each of shape (n_clusters, n_clusters)
        Rotations.
    beta_ : ndarray of shape (n_views,)
        View weights.
    objective_ : ndarray of shape (n_iter_,)
        tr(H'(sum_p beta_p H_p W_p + lam H0)) after each iteration; it never falls.
    n_iter_ : int

    References
    ----------
    .. [1] X. Liu, M. Li, C. Tang, J. Xia, J. Xiong, L. Liu, M. Kloft and E. Zhu, "Efficient and
       Effective Regularized Incomplete Multi-View Clustering", IEEE Transactions on Pattern
       Analysis and Machine Intelligence 43, 2021, doi:10.1109/TPAMI.2020.2974828.

    Examples
    --------
    >>> import numpy as np
    >>> from mvclust import EEIMVC
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1, 2], 10)
    >>> X1, X2 = 4 * np.eye(3)[y] + rng.random((30, 3)), 3 * np.eye(3)[y] + rng.random((30, 3))
    >>> X1[::7] = np.nan  # five instances are missing in the first view
    >>> labels = EEIMVC(3, random_state=0).fit_predict([X1, X2])
    >>> [len(set(labels[y == c].tolist())) for c in range(3)], len(set(labels.tolist()))
    ([1, 1, 1], 3)
    """

    view_tags = ViewTags()
    _parameter_constraints = MultiViewClusterer._parameter_constraints | {
        "lam": NONNEGATIVE,
        "q": [Interval(Real, 1, None, closed="neither")],
        "kernel": [StrOptions({"rbf", "linear", "precomputed"})],
        "scale": [StrOptions({"sample_unit", "view_balanced"}), None],
        "init": [StrOptions({"aligned", "identity"}), dict],
        "n_init": COUNT,
        "max_iter": COUNT,
        "tol": NONNEGATIVE,
    }

    def __init__(
        self,
        n_clusters,
        *,
        lam=1.0,
        q=2.0,
        kernel="rbf",
        scale="sample_unit",
        init="aligned",
        n_init=10,
        max_iter=100,
        tol=1e-4,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.lam = lam
        self.q = q
        self.kernel = kernel
        self.scale = scale
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def fit(self, Xs, y=None):
        """Cluster the samples.

        Parameters
        ----------
        Xs : list of array-like, each of shape (n_samples, n_features_v)
            The views; a missing instance is a row of NaN.
        y : ignored

        Returns
        -------
        self
        """
        Xs, presence = self.check_input(Xs)
        (seed,) = draw_seeds(self.random_state, 1)
        start = self._start(Xs, presence)
        HP = [
            np.where(there[:, None], H_p, 0.0)
            for there, H_p in zip(presence.T, start["HP"], strict=True)
        ]
        factors, objective, change = eeimvc(
            HP,
            start["H0"],
            presence,
            lam=self.lam,
            q=self.q,
            aligned=self.init == "aligned",
            max_iter=self.max_iter,
            tol=self.tol,
        )
        self.H_, self.HP_, self.WP_, self.beta_ = (factors[n] for n in ("H", "HP", "WP", "beta"))
        self.objective_ = np.array(objective)
        self.n_iter_ = len(objective)
        if change >= self.tol:
            warn_not_converged("EEIMVC", self.max_iter, self.tol)
        self.embedding_ = unit_samples(self.H_)
        self.labels_ = cluster_rows(self.embedding_, self.n_clusters, n_init=self.n_init, seed=seed)
        return self

    def _start(self, Xs, presence):
        n, k = len(presence), self.n_clusters
        if isinstance(self.init, dict):
            return check_start(self.init, {"HP": [(n, k)] * len(Xs), "H0": (n, k)}, "EEIMVC")
        rows = [np.flatnonzero(there) for there in presence.T]
        if self.kernel == "precomputed":
            return start_from_kernels(self._present_kernels(Xs, rows), rows, n, k)
        Xs = scale_views(Xs, presence, self.scale)
        Xs = [X[of_view] for X, of_view in zip(Xs, rows, strict=True)]
        Xs = [centred(X) for X in Xs]
        if self.kernel == "linear":
            Xs = [unit_samples(X) for X in Xs]
            if sum(X.shape[1] for X in Xs) <= n:
                return start_from_features(Xs, rows, n, k)
            return start_from_kernels((X @ X.T for X in Xs), rows, n, k)
        return start_from_kernels((centred_kernel(rbf_kernel(X)) for X in Xs), rows, n, k)

    def _present_kernels(self, Ks, rows):
        for v, (K, of_view) in enumerate(zip(Ks, rows, strict=True)):
            own = K[np.ix_(of_view, of_view)] if K.shape[0] == K.shape[1] else None
            if own is None or not np.allclose(own, own.T, rtol=1e-8, atol=1e-12):
                raise ValueError(
                    f'EEIMVC: with kernel="precomputed" every view must be a symmetric matrix '
                    f"(n_samples, n_samples), but view {v} of shape {K.shape} is not."
                )
            yield own
