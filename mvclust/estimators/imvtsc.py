"""Unified tensor framework with missing-view inferring, IMVTSC-MVI (Wen et al., AAAI 2021)."""

import numpy as np

from mvclust.estimators.base import Solution, ViewTags
from mvclust.estimators.constraints import COUNT, NONNEGATIVE, POSITIVE
from mvclust.estimators.tensor_steps import (
    TENSOR_OPTIONS,
    TensorClusterer,
    options_of,
    presence_graph,
    ridge_solver,
    rows_on_simplex,
    soft_threshold,
    unit_columns,
)
from mvclust.numerics.tensors import t_svt

MU, FACTOR, MU_MOST = 1e-2, 1.2, 1e10  # schedule of the released code


def imvtsc(Xs, rows, Z, *, lambda1, lambda2, lambda3, axis, tubes, max_iter, tol) -> Solution:
    """Minimise ||P||_* + sum_v lambda1 ||E_v||^2 + lambda2 ||B_v||_1 + lambda3 ||Z_v - mean Z||^2.

    The first norm is that of the tensor. Subject to Y_v = Y_v Z_v + B_v and Z = P, where Y_v is X_v
    with the columns E_v at the missing samples; rows of Z_v lie on the simplex, its diagonal is
    zero. Two steps are those of the released code, and no minimisers: Z_v is projected after an
    unconstrained step, which leaves out that Z_v is part of the means of the other views.

    The X_v have shape (n_features_v, n_samples); missing columns are zero. `rows` are the samples
    of each view, arrays of shape (n_v,), and Z (n_views, n_samples, n_samples) is the start. `axis`
    and `tubes` are ``axis`` and ``transform`` of `mvclust.numerics.tensors.t_svt`. The run ends
    after max_iter iterations, or when the largest entry of the residuals is below tol.

    Returns Z and P (n_views, n, n), E, Y and B (lists with one array per view); the objective at P
    after each iteration; the largest entry of the residuals.
    """
    n_views, mu = len(Xs), MU
    missing = [
        np.setdiff1d(np.arange(X.shape[1]), of_view) for X, of_view in zip(Xs, rows, strict=True)
    ]
    Z, P, A = Z.copy(), Z, np.zeros_like(Z)
    Y, E = [X.copy() for X in Xs], [None] * n_views
    B, C = ([np.zeros_like(X) for X in Xs] for _ in range(2))
    own, others = 2 * lambda3 * ((n_views - 1) / n_views) ** 2, 2 * lambda3 * (n_views - 1)
    objective, stop = [], np.inf
    while len(objective) < max_iter and stop >= tol:
        pull = others / n_views**2 * (Z.sum(axis=0) - Z) + mu * P - A
        for v, Y_v in enumerate(Y):
            right = pull[v] + Y_v.T @ (mu * (Y_v - B[v]) + C[v])
            Z[v] = rows_on_simplex(ridge_solver(Y_v, own + mu, mu)(right))
        P, value = t_svt(
            Z + A / mu,
            1 / mu,
            axis=axis,
            side="columns",
            transform=tubes,
            return_norm=True,
        )
        A += mu * (Z - P)
        for v, X in enumerate(Xs):
            E[v] = inferred(X, Z[v], B[v], C[v], missing[v], lambda1, mu)
            Y[v][:, missing[v]] = E[v]
            left = Y[v] - Y[v] @ Z[v]
            B[v] = soft_threshold(left + C[v] / mu, lambda2 / mu)
            C[v] += mu * (left - B[v])
            value += lambda1 * float((E[v] ** 2).sum()) + lambda2 * float(np.abs(B[v]).sum())
            stop = max(np.abs(left - B[v]).max(), stop if v else np.abs(Z - P).max())
        objective.append(value + lambda3 * float(((Z - Z.mean(axis=0)) ** 2).sum()))
        mu = min(FACTOR * mu, MU_MOST)
    return Solution({"Z": Z, "P": P, "E": E, "Y": Y, "B": B}, objective, float(stop))


def inferred(X, Z, B, C, missing, lambda1, mu):
    """The best columns E of the missing samples, with zeros for them in X."""
    Q = -Z[missing]
    Q[np.arange(len(missing)), missing] += 1
    right = (mu * (X @ Z + B - X) - C) @ Q.T
    return np.linalg.solve(2 * lambda1 * np.eye(len(missing)) + mu * (Q @ Q.T), right.T).T


class IMVTSC(TensorClusterer):
    """Incomplete multi-view tensor spectral clustering with missing-view inferring (IMVTSC-MVI).

    Every view represents its samples by each other, missing instances are inferred from the same
    representations, and the nuclear norm of the tensor of all views, after a Fourier transform
    along the samples, is kept low [1]_. Steps are those of the released code
    (github.com/DarrenZZhang/AAAI21-IMVTSC-MVI, `IMVTSC.m` at commit 46b005f), except that the
    code shrinks some slices twice where the number of samples is odd.

    The transform reads the order of the samples: in a file sorted by class the result is better
    than after a shuffle. Shuffle the samples before you compare it with other methods, or take
    ``axis="views"`` or ``tubes="identity"``; `mvclust.testing.check_order` measures the effect.

    Parameters
    ----------
    n_clusters : int
        Number of clusters.
    lambda1 : float, default=1e-5
        Weight of the size of the inferred instances, above 0, as in the released demo.
    lambda2 : float, default=0.1
        Weight of the errors. The released demo has 0.01, which is too little for views of few
        features.
    lambda3 : float, default=0.01
        Weight of the agreement of the views, as in the released demo.
    n_neighbors : int, default=11
        Neighbours of a sample in the graphs to start from.
    axis : {"samples", "views"}, default="samples"
        Axis of the transform, that of the tubes of the tensor.
    tubes : {"dft", "dct", "identity"}, default="dft"
        Transform of the tubes; "identity", none, ignores the order of the samples.
    n_init : int, default=20
        Number of k-means starts.
    max_iter : int, default=120
        Most iterations.
    tol : float, default=1e-6
        Largest entry of the residuals that ends the run.
    random_state : int, RandomState, Generator or None, default=None
        Drives k-means; all else is deterministic.

    Attributes
    ----------
    labels_ : ndarray of int of shape (n_samples,)
    embedding_ : ndarray of shape (n_samples, n_clusters)
        The rows that k-means clusters.
    similarity_ : ndarray of shape (n_samples, n_samples)
        Mean representation of the views, made symmetric.
    objective_ : ndarray of shape (n_iter_,)
        After each iteration; it may rise while the constraints are not met.
    n_iter_ : int

    References
    ----------
    .. [1] J. Wen, Z. Zhang, Z. Zhang, L. Zhu, L. Fei, B. Zhang and Y. Xu, "Unified Tensor Framework
       for Incomplete Multi-view Clustering and Missing-view Inferring", AAAI 2021.

    Examples
    --------
    >>> import numpy as np
    >>> from mvclust import IMVTSC
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 10)
    >>> X1, X2 = 4 * np.eye(2)[y] + rng.random((20, 2)), 3 * np.eye(2)[y] + rng.random((20, 2))
    >>> X1[:3] = np.nan  # three instances are missing in the first view
    >>> labels = IMVTSC(2, n_neighbors=3, random_state=0).fit_predict([X1, X2])
    >>> bool((labels[:10] == labels[0]).all() and (labels[10:] == 1 - labels[0]).all())
    True
    """

    view_tags = ViewTags()
    _parameter_constraints = TensorClusterer._parameter_constraints | {
        "lambda1": POSITIVE,
        "lambda2": NONNEGATIVE,
        "lambda3": NONNEGATIVE,
        "n_neighbors": COUNT,
    }

    def __init__(
        self,
        n_clusters,
        *,
        lambda1=1e-5,
        lambda2=0.1,
        lambda3=0.01,
        n_neighbors=11,
        axis="samples",
        tubes="dft",
        n_init=20,
        max_iter=120,
        tol=1e-6,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.lambda1 = lambda1
        self.lambda2 = lambda2
        self.lambda3 = lambda3
        self.n_neighbors = n_neighbors
        self.axis = axis
        self.tubes = tubes
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _learn(self, Xs, presence):
        views, rows = unit_columns(self, Xs, presence)
        pairs = zip(views, rows, strict=True)
        start = np.stack([presence_graph(*pair, self.n_neighbors) for pair in pairs])
        options = options_of(self, "lambda1", "lambda2", "lambda3", *TENSOR_OPTIONS)
        factors, objective, stop = imvtsc(views, rows, start, **options)
        mean = factors["Z"].mean(axis=0)
        return (mean + mean.T) / 2, objective, stop
