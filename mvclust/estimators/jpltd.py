"""Joint projection learning and tensor decomposition, JPLTD (Lv et al., TNNLS 2023)."""

import numpy as np

from mvclust.estimators.base import Solution, ViewTags
from mvclust.estimators.constraints import COUNT, NONNEGATIVE
from mvclust.estimators.tensor_steps import (
    TENSOR_OPTIONS,
    TensorClusterer,
    largest_row_sum,
    options_of,
    ridge_solver,
    shrink_columns,
    soft_threshold,
    symmetric_sum,
    unit_columns,
)
from mvclust.numerics.stiefel import nearest_orthonormal
from mvclust.numerics.tensors import t_svt

RHO, FACTOR, RHO_MOST = 1e-3, 1.3, 1e6  # schedule of the released code


def jpltd(Xs, rows, n, *, lam, theta, n_components, axis, tubes, max_iter, tol) -> Solution:
    """Minimise sum_v ||E_v||_2,1 + lam ||L||_* (tensor) + theta ||S||_1 subject to Z = L + S.

    And to W_v (X_v - X_v Z_v,oo) = E_v, W_v W_v' = I, where Z_v,oo holds the rows and columns of
    Z_v of the samples of view v. The W step, that of the released code, maximises an inner product
    and is no minimiser where W_v is no square matrix.

    Samples are columns of the X_v (n_features_v, n_v), present ones alone, and `rows` (n_v,) are
    where these are among all n samples. W_v has at most `n_components` rows. `axis` and `tubes` are
    ``axis`` and ``transform`` of `mvclust.numerics.tensors.t_svt`. The run ends after `max_iter`
    iterations, or once all absolute row sums of the residuals are below `tol`.

    The Solution has Z, L and S (n_views, n, n), W and E (lists with one array per view); the
    objective at E, L and S after each iteration; the largest row sum of the residuals.
    """
    Z, L, S, F = np.zeros((4, len(Xs), n, n))
    sizes = [min(n_components, *X.shape) for X in Xs]
    E, Y = ([np.zeros((k, X.shape[1])) for k, X in zip(sizes, Xs, strict=True)] for _ in range(2))
    W, rest, left = [None] * len(Xs), list(Xs), [None] * len(Xs)  # rest: X - X Z_oo
    rho, objective, stop = RHO, [], np.inf
    while len(objective) < max_iter and stop >= tol:
        for v, (X, of_view) in enumerate(zip(Xs, rows, strict=True)):
            W[v] = nearest_orthonormal(rest[v] @ (E[v] - Y[v] / rho).T).T
            E[v] = shrink_columns(W[v] @ rest[v] + Y[v] / rho, 1 / rho)
            Z[v] = represented(W[v] @ X, of_view, E[v], Y[v], L[v] + S[v] - F[v] / rho, rho)
            rest[v] = X - X @ Z[v][np.ix_(of_view, of_view)]
            left[v] = W[v] @ rest[v] - E[v]
        L, value = t_svt(Z - S + F / rho, lam / rho, axis=axis, transform=tubes, return_norm=True)
        S = soft_threshold(Z - L + F / rho, theta / rho)
        for Y_v, left_v in zip(Y, left, strict=True):
            Y_v += rho * left_v
        F += rho * (Z - L - S)
        lengths = sum(float(np.linalg.norm(E_v, axis=0).sum()) for E_v in E)
        objective.append(lengths + lam * value + theta * float(np.abs(S).sum()))
        stop = largest_row_sum([*left, *(Z - L - S)])
        rho = min(FACTOR * rho, RHO_MOST)
    return Solution({"Z": Z, "L": L, "S": S, "W": W, "E": E}, objective, stop)


def represented(T, rows, E, Y, target, rho):
    """The best Z of a view: that of ||T - T Z_oo - E + Y / rho||^2 + ||Z - target||^2."""
    present = np.ix_(rows, rows)
    Z = target.copy()
    Z[present] = ridge_solver(T, 1.0)(target[present] + T.T @ (T - E + Y / rho))
    return Z


class JPLTD(TensorClusterer):
    """Incomplete multi-view clustering by joint projections and tensor decomposition (JPLTD).

    Projected samples of each view represent each other; the representations of all views are a
    tensor of low nuclear norm, after a Fourier transform along the samples, plus a sparse one [1]_.
    Steps are those of the released code (github.com/weilvNJU/JPLTD, commit 5d5b3b7), except that
    the code shrinks some slices twice where the number of samples is odd.

    The transform reads the order of the samples: in a file sorted by class the result is better
    than after a shuffle. Shuffle the samples before you compare it with other methods, or take
    ``axis="views"`` or ``tubes="identity"``; `mvclust.testing.check_order` measures the effect.

    Parameters
    ----------
    n_clusters : int
        Number of clusters.
    lam : float, default=1.0
        Weight of the tensor. The released demo has 5.
    theta : float, default=0.1
        Weight of the sparse part, as in the released demo.
    n_components : int, default=100
        Most dimensions that views are projected to, as in the released code.
    axis : {"samples", "views"}, default="samples"
        Axis of the transform, that of the tubes of the tensor.
    tubes : {"dft", "dct", "identity"}, default="dft"
        Transform of the tubes; "identity", none, ignores the order of the samples.
    n_init : int, default=20
        Number of k-means starts.
    max_iter : int, default=30
        Most iterations.
    tol : float, default=1e-5
        Largest absolute row sum of the residuals that ends the run; the schedule of the released
        code rarely reaches it within 30 iterations.
    random_state : int, RandomState, Generator or None, default=None
        Drives k-means; all else is deterministic.

    Attributes
    ----------
    labels_ : ndarray of int of shape (n_samples,)
    embedding_ : ndarray of shape (n_samples, n_clusters)
        The rows that k-means clusters.
    similarity_ : ndarray of shape (n_samples, n_samples)
        Mean of the absolute values of L_v and L_v' over the views.
    objective_ : ndarray of shape (n_iter_,)
        After each iteration; it may rise while the constraints are not met.
    n_iter_ : int

    References
    ----------
    .. [1] W. Lv, C. Zhang, H. Li, X. Jia and C. Chen, "Joint Projection Learning and Tensor
       Decomposition-Based Incomplete Multiview Clustering", IEEE Transactions on Neural Networks
       and Learning Systems, 2023, doi:10.1109/TNNLS.2023.3306006.

    Examples
    --------
    >>> import numpy as np
    >>> from mvclust import JPLTD
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 10)
    >>> X1, X2 = 4 * np.eye(2)[y] + rng.random((20, 2)), 3 * np.eye(2)[y] + rng.random((20, 2))
    >>> X1[:3] = np.nan  # three instances are missing in the first view
    >>> labels = JPLTD(2, random_state=0).fit_predict([X1, X2])
    >>> bool((labels[:10] == labels[0]).all() and (labels[10:] == 1 - labels[0]).all())
    True
    """

    view_tags = ViewTags()
    _parameter_constraints = TensorClusterer._parameter_constraints | {
        "lam": NONNEGATIVE,
        "theta": NONNEGATIVE,
        "n_components": COUNT,
    }

    def __init__(
        self,
        n_clusters,
        *,
        lam=1.0,
        theta=0.1,
        n_components=100,
        axis="samples",
        tubes="dft",
        n_init=20,
        max_iter=30,
        tol=1e-5,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.lam = lam
        self.theta = theta
        self.n_components = n_components
        self.axis = axis
        self.tubes = tubes
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _learn(self, Xs, presence):
        views, rows = unit_columns(self, Xs, presence)
        n, pairs = views[0].shape[1], zip(views, rows, strict=True)
        views = [X[:, of_view] for X, of_view in pairs]
        options = options_of(self, "lam", "theta", "n_components", *TENSOR_OPTIONS)
        factors, objective, stop = jpltd(views, rows, n, **options)
        return symmetric_sum(factors["L"]) / (2 * len(views)), objective, stop
