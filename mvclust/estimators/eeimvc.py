"""Efficient and effective regularised incomplete multi-view clustering (Liu et al., 2020)."""

from itertools import pairwise
from numbers import Integral, Real

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
from mvclust.estimators.constraints import Interval, StrOptions
from mvclust.numerics.affinity import gaussian_affinity
from mvclust.numerics.blocks import row_blocks
from mvclust.numerics.distances import mutual_squared_distances
from mvclust.numerics.eigen import settle_signs, top_eigenvectors
from mvclust.numerics.scaling import scale_views, unit_samples
from mvclust.numerics.stiefel import nearest_orthonormal
from mvclust.numerics.tall_polar import tall_polar

MIN_ITER = 3  # iterations before a small change may end a run, as in the released code
NULL = 1e-12  # share of the largest eigenvalue below which a direction of a kernel is null
BLOCK = 2**18  # entries of the views worked on at a time
SYMMETRIC = 1e-8  # relative difference of a kernel from its transpose


def eeimvc(Hs, H0, Ws, presence, *, lam, q, max_iter, tol) -> Solution:
    """Maximise tr(H'(sum_p beta_p H_p W_p + lam H_0)), filling the missing rows of the H_p.

    H'H = I, every W_p is orthogonal, beta >= 0 has q-norm 1, and the missing rows of an H_p are
    orthonormal among themselves.

    Parameters
    ----------
    Hs : list of ndarray, each of shape (n_samples, k)
        Base clusterings of the views; missing rows are zero.
    H0 : ndarray of shape (n_samples, k)
        Clustering of all views together, which H stays near to.
    Ws : list of ndarray, each of shape (k, k)
        Rotations to start from.
    presence : ndarray of bool of shape (n_samples, n_views)
    lam : float
    q : float, above 1
    max_iter : int
    tol : float
        Relative change of the objective that ends a run, after 3 iterations at the earliest.

    Returns
    -------
    Solution
        H (n_samples, k), Hs (list with one (n_samples, k) array per view, filled), W (list with one
        (k, k) array per view) and beta (n_views,); the objective after each iteration, which never
        falls; its last relative change.
    """
    Hs, absent = [H_p.copy() for H_p in Hs], [np.flatnonzero(~there) for there in presence.T]
    beta = np.full(len(Hs), len(Hs) ** (-1 / q))
    turned = [H_p @ W for H_p, W in zip(Hs, Ws, strict=True)]
    S = _combine(turned, beta, lam, H0)
    objective, change = [], np.inf
    while len(objective) < max_iter and (change >= tol or len(objective) < MIN_ITER):
        H = tall_polar(S)
        Ws = [nearest_orthonormal(H_p.T @ H) for H_p in Hs]
        for H_p, W, lost in zip(Hs, Ws, absent, strict=True):
            if lost.size:
                H_p[lost] = tall_polar(H[lost] @ W.T)
        turned = [H_p @ W for H_p, W in zip(Hs, Ws, strict=True)]
        beta = _weights(np.array([np.vdot(H, T) for T in turned]), q)
        S = _combine(turned, beta, lam, H0)
        objective.append(float(np.vdot(H, S)))
        change = relative_change(objective)
    return Solution({"H": H, "Hs": Hs, "W": Ws, "beta": beta}, objective, change)


def _combine(turned, beta, lam, H0):
    S = lam * H0
    for b, T in zip(beta, turned, strict=True):
        S += b * T
    return S


def _weights(tau, q):
    """The beta >= 0 of q-norm 1 that maximise beta'tau."""
    tau = np.maximum(tau, 0) / tau.max()
    return tau ** (1 / (q - 1)) / (tau ** (q / (q - 1))).sum() ** (1 / q)


def bases_of_features(Xs, presence, k):
    """Base clusterings from linear kernels, centred and of unit diagonal, linear in the samples.

    Such a kernel is the Gram matrix of the samples, centred and scaled to unit length. Its
    eigenvectors follow from the features' products, in two passes over the data.

    Parameters
    ----------
    Xs : list of ndarray, each of shape (n_samples, n_features_v)
        Missing rows are not read.
    presence : ndarray of bool of shape (n_samples, n_views)
    k : int

    Returns
    -------
    Hs : list of ndarray, each of shape (n_samples, k)
        Leading eigenvectors of the kernel of the present samples; missing rows zero, and zero
        columns where the kernel has a lower rank.
    H0 : ndarray of shape (n_samples, k)
        Leading eigenvectors of the sum of the kernels, missing rows and columns zero.
    """
    n, ends = len(presence), np.cumsum([0, *(X.shape[1] for X in Xs)])
    means = [X[there].mean(axis=0) for X, there in zip(Xs, presence.T, strict=True)]

    def rows_of_all(rows):
        parts = []
        for X, there, mean in zip(Xs, presence.T, means, strict=True):
            part = unit_samples(X[rows] - mean)
            part[~there[rows]] = 0.0
            parts.append(part)
        return np.hstack(parts)

    blocks = list(row_blocks(n, int(ends[-1]), BLOCK))
    gram = np.zeros((ends[-1], ends[-1]))
    for rows in blocks:
        X = rows_of_all(rows)
        gram += X.T @ X
    slices = [slice(a, b) for a, b in pairwise(ends)]
    maps = [_to_eigenvectors(gram[own, own], k) for own in slices]
    to_H0 = _to_eigenvectors(gram, k)
    Hs, H0 = [np.zeros((n, k)) for _ in Xs], np.zeros((n, k))
    for rows in blocks:
        X = rows_of_all(rows)
        for H_p, own, T in zip(Hs, slices, maps, strict=True):
            H_p[rows, : T.shape[1]] = X[:, own] @ T
        H0[rows, : to_H0.shape[1]] = X @ to_H0
    return [settle_signs(H_p) for H_p in Hs], settle_signs(H0)


def _to_eigenvectors(gram, k):
    """T for which X T are the leading eigenvectors of X X', from X'X; null ones are left out."""
    values, vectors = np.linalg.eigh(gram)
    values, vectors = values[::-1][:k], vectors[:, ::-1][:, :k]
    kept = values > NULL * values[0]
    return vectors[:, kept] / np.sqrt(values[kept])


def bases_of_kernels(Ks, presence, k, *, center=True):
    """Base clusterings from kernels of the present samples.

    Parameters
    ----------
    Ks : iterable of ndarray, each of shape (n_v, n_v)
        Kernels between the samples that are present in a view.
    presence : ndarray of bool of shape (n_samples, n_views)
    k : int
    center : bool, default=True
        Whether kernels are centred and scaled to unit diagonal.

    Returns
    -------
    Hs, H0
        As of `bases_of_features`.
    """
    n, Hs = len(presence), []
    total = np.zeros((n, n))
    for K, there in zip(Ks, presence.T, strict=True):
        present = np.flatnonzero(there)
        K = _centred(K) if center else K
        total[np.ix_(present, present)] += K
        H_p = np.zeros((n, k))
        vectors = _leading(K, k)
        H_p[present, : vectors.shape[1]] = vectors
        Hs.append(H_p)
    H0, vectors = np.zeros((n, k)), _leading(total, k)
    H0[:, : vectors.shape[1]] = vectors
    return Hs, H0


def _centred(K):
    """A kernel centred, and scaled to unit diagonal."""
    means = K.mean(axis=0)
    K = K - means - means[:, None] + means.mean()
    size = np.sqrt(np.maximum(K.diagonal(), NULL * max(K.diagonal().max(), 0.0)))
    size[size == 0] = 1.0
    return K / np.outer(size, size)


def _leading(K, k):
    """Eigenvectors of the k largest eigenvalues, without null ones."""
    vectors, values = top_eigenvectors(K, min(k, len(K)))
    return vectors[:, values > NULL * values[0]]


class EEIMVC(MultiViewClusterer):
    """Efficient and effective regularised incomplete multi-view clustering, by late fusion.

    Every view has a base clustering: the leading eigenvectors of its kernel on the samples that it
    has. The consensus H agrees with all of them up to rotations, weighted, and with a clustering
    H_0 of all kernels together; missing rows of the base clusterings are filled along the way
    [1]_. Labels come from k-means on the rows of H, at unit length. After the eigenvectors an
    iteration needs no kernel: time and memory are linear in the number of samples, with
    ``kernel="linear"`` for the whole method.

    Missing rows are orthonormal among themselves, as the present ones are. A view of which only a
    few samples are missing thus gives these a far larger weight than the present ones.

    Parameters
    ----------
    n_clusters : int
        Number of clusters.
    lam : float, default=1.0
        Weight of H_0. The demo of the released code tries 2^-15 to 2^15.
    q : float, default=2.0
        The view weights have q-norm 1; above 1, and 2 in the released code.
    kernel : {"linear", "rbf", "precomputed"}, default="linear"
        "rbf" is exp(-d^2 / (2 s^2)) with the mean s^2 of all squared distances. "precomputed" takes
        kernels, one (n_samples, n_samples) array per view; of samples that a view lacks the row is
        NaN and the column is not read.
    scale : {"l2", "balanced", None}, default="l2"
        Scaling of the features before the kernel, see `mvclust.numerics.scaling.scale_views`.
    center : bool, default=True
        Whether kernels are centred and scaled to unit diagonal; always so with "linear". The
        released code does this before it removes instances, so that hidden samples take part; here
        only the present ones do.
    init : {"aligned", "identity"} or dict, default="aligned"
        Where the rotations W start. "identity" is that of the released code; the result then
        depends on the signs of the eigenvectors, which mean nothing. "aligned" turns every base
        clustering towards H_0 first. A dict gives H (list with one (n_samples, n_clusters) array
        per view, zero where a sample is missing) and H0 (n_samples, n_clusters); the W start as
        the identity.
    n_init : int, default=10
        Number of k-means starts (the released code: 50).
    max_iter : int, default=100
        Most iterations.
    tol : float, default=1e-4
        Relative change of the objective that ends a run, after 3 iterations at the earliest.
    random_state : int, RandomState, Generator or None, default=None
        For k-means, the only random step.

    Attributes
    ----------
    labels_ : ndarray of int of shape (n_samples,)
    embedding_ : ndarray of shape (n_samples, n_clusters)
        Rows of H at unit length, which k-means clusters.
    H_ : ndarray of shape (n_samples, n_clusters)
        Consensus, with orthonormal columns.
    W_ : list of ndarray, each of shape (n_clusters, n_clusters)
        Rotations.
    beta_ : ndarray of shape (n_views,)
        View weights of q-norm 1.
    objective_ : ndarray of shape (n_iter_,)
        tr(H'(sum_p beta_p H_p W_p + lam H_0)) after each iteration; it never falls.
    n_iter_ : int

    References
    ----------
    .. [1] X. Liu, M. Li, C. Tang, J. Xia, J. Xiong, L. Liu, M. Kloft and E. Zhu, "Efficient and
       Effective Regularized Incomplete Multi-view Clustering", IEEE Transactions on Pattern
       Analysis and Machine Intelligence, 2020.

    Examples
    --------
    >>> import numpy as np
    >>> from mvclust import EEIMVC
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 10)
    >>> X1, X2 = 4 * np.eye(2)[y] + rng.random((20, 2)), 3 * np.eye(2)[y] + rng.random((20, 2))
    >>> X1[3] = X1[12] = np.nan
    >>> labels = EEIMVC(2, random_state=0).fit_predict([X1, X2])
    >>> bool((labels[:10] == labels[0]).all() and (labels[10:] == 1 - labels[0]).all())
    True
    """

    view_tags = ViewTags()
    _parameter_constraints = MultiViewClusterer._parameter_constraints | {
        "lam": [Interval(Real, 0, None, closed="left")],
        "q": [Interval(Real, 1, None, closed="neither")],
        "kernel": [StrOptions({"linear", "rbf", "precomputed"})],
        "scale": [StrOptions({"l2", "balanced"}), None],
        "center": ["boolean"],
        "init": [StrOptions({"aligned", "identity"}), dict],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        n_clusters,
        *,
        lam=1.0,
        q=2.0,
        kernel="linear",
        scale="l2",
        center=True,
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
        self.center = center
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
            The views, or kernels; a missing instance is a row of NaN.
        y : ignored

        Returns
        -------
        self
        """
        Xs, presence = self.check_input(Xs)
        k, eye = self.n_clusters, [np.eye(self.n_clusters)] * len(Xs)
        if isinstance(self.init, dict):
            shape = (len(presence), k)
            start = check_start(self.init, {"H": [shape] * len(Xs), "H0": shape}, "EEIMVC")
            Hs = [np.where(there[:, None], H_p, 0.0)
                  for H_p, there in zip(start["H"], presence.T, strict=True)]  # fmt: skip
            H0 = start["H0"]
        else:
            Hs, H0 = self._bases(Xs, presence)
        Ws = [nearest_orthonormal(H_p.T @ H0) for H_p in Hs] if self.init == "aligned" else eye
        factors, objective, change = eeimvc(
            Hs, H0, Ws, presence, lam=self.lam, q=self.q, max_iter=self.max_iter, tol=self.tol
        )
        self.H_, self.W_, self.beta_ = factors["H"], factors["W"], factors["beta"]
        self.objective_ = np.array(objective)
        self.n_iter_ = len(objective)
        if change >= self.tol:
            warn_not_converged("EEIMVC", self.max_iter, self.tol)
        self.embedding_ = unit_samples(self.H_)
        (seed,) = draw_seeds(self.random_state, 1)
        self.labels_ = cluster_rows(self.embedding_, k, n_init=self.n_init, seed=seed)
        return self

    def _bases(self, Xs, presence):
        """Base clusterings of all views, and of them together."""
        if self.kernel == "precomputed":
            Ks = (_checked_kernel(K, there, v) for v, (K, there) in
                  enumerate(zip(Xs, presence.T, strict=True)))  # fmt: skip
            return bases_of_kernels(Ks, presence, self.n_clusters, center=self.center)
        Xs = scale_views(Xs, presence, self.scale)
        for v, (X, there) in enumerate(zip(Xs, presence.T, strict=True)):
            if not np.ptp(X[there], axis=0).any():
                raise ValueError(f"EEIMVC: all samples are the same in view {v}; leave it out.")
        if self.kernel == "rbf":
            Ks = (_gaussian(X[there]) for X, there in zip(Xs, presence.T, strict=True))
            return bases_of_kernels(Ks, presence, self.n_clusters, center=self.center)
        if sum(X.shape[1] for X in Xs) <= len(presence):
            return bases_of_features(Xs, presence, self.n_clusters)
        Ks = (X[there] @ X[there].T for X, there in zip(Xs, presence.T, strict=True))
        return bases_of_kernels(Ks, presence, self.n_clusters)


def _gaussian(X):
    return gaussian_affinity(X, np.sqrt(mutual_squared_distances(X).mean()))


def _checked_kernel(K, there, v):
    """The kernel between the samples that a view has."""
    if K.shape[0] != K.shape[1]:
        raise ValueError(
            f'EEIMVC: with kernel="precomputed" every view must be a symmetric matrix of all pairs '
            f"of samples, but view {v} has shape {K.shape}."
        )
    K = K[np.ix_(there, there)]
    if np.abs(K - K.T).max() > SYMMETRIC * np.abs(K).max():
        raise ValueError(
            f'EEIMVC: with kernel="precomputed" every view must be a symmetric matrix of all pairs '
            f"of samples, but view {v} is not symmetric."
        )
    return (K + K.T) / 2
