"""Multi-view self-representation by tensor multi-rank minimisation (Xie et al., IJCV 2018)."""

import numpy as np
from scipy import linalg

from mvclust.estimators.base import Solution, ViewTags
from mvclust.estimators.constraints import NONNEGATIVE, StrOptions
from mvclust.estimators.tensor_steps import (
    TENSOR_OPTIONS,
    TensorClusterer,
    largest_row_sum,
    options_of,
    ridge_solver,
    shrink_columns,
    symmetric_sum,
    unit_columns,
)
from mvclust.numerics.tensors import t_svt

FACTOR, RHO, MU_MOST, RHO_MOST = 2, 1e-4, 1e11, 1e13  # schedule of the released code
MU = {"author": 1e-4, "paper": 1e-5}
NORM = {"author": "mean", "paper": "sum"}


def tsvdmsc(Xs, *, lam, variant, axis, tubes, max_iter, tol) -> Solution:
    """Minimise ||Z||_* (tensor) + lam ||E||_2,1 subject to X_v = X_v Z_v + E_v.

    By the augmented Lagrangian, with G in place of Z in the first term, and E the errors of all
    views stacked. Samples are columns of the X_v (n_features_v, n_samples). Views with more
    features than samples may be replaced by the factor R of their QR decomposition. The variants
    are "author" and "paper", see `TSVDMSC`; axis and tubes are ``axis`` and ``transform`` of
    `mvclust.numerics.tensors.t_svt`. The run ends after `max_iter` iterations, or if no absolute
    row sum of the residuals is above `tol`.

    The Solution has Z and G (n_views, n, n), E (list with one array per view); the objective at G
    and E after each iteration; the largest row sum of the residuals.
    """
    n_views, n = len(Xs), Xs[0].shape[1]
    Z, G, W = np.zeros((3, n_views, n, n))
    E, Y = ([np.zeros_like(X) for X in Xs] for _ in range(2))
    left = [X - X @ Z_v for X, Z_v in zip(Xs, Z, strict=True)]  # X - X Z
    mu, rho, solved_for, objective, stop = MU[variant], RHO, None, [], np.inf
    while len(objective) < max_iter and stop > tol:
        if mu / rho != solved_for:
            solved_for = mu / rho
            solve = [ridge_solver(X, 1.0, solved_for) for X in Xs]
        for v, X in enumerate(Xs):
            Z[v] = represented(X, solve[v], E[v], Y[v], G[v], W[v], mu, rho)
            left[v] = X - X @ Z[v]
            if variant == "author":  # the released code updates all errors after each view
                E = errors(left, Y, mu, lam)
                Y[v] += mu * (left[v] - E[v])
        if variant == "paper":
            E = errors(left, Y, mu, lam)
            for Y_v, left_v, E_v in zip(Y, left, E, strict=True):
                Y_v += mu * (left_v - E_v)
        G, value = t_svt(
            Z + W / rho,
            1 / rho,
            axis=axis,
            norm=NORM[variant],
            transform=tubes,
            return_norm=True,
        )
        W += rho * (Z - G)
        lengths = np.sqrt(sum(np.einsum("ij,ij->j", E_v, E_v) for E_v in E))
        objective.append(value + lam * float(lengths.sum()))
        stop = largest_row_sum([*(a - b for a, b in zip(left, E, strict=True)), *(Z - G)])
        mu, rho = min(FACTOR * mu, MU_MOST), min(FACTOR * rho, RHO_MOST)
    return Solution({"Z": Z, "G": G, "E": E}, objective, stop)


def represented(X, solve, E, Y, G, W, mu, rho):
    """The best Z of a view; `solve` multiplies by (I + mu / rho X'X)^-1."""
    return solve((X.T @ (Y + mu * (X - E)) - W) / rho + G)


def errors(left, Y, mu, lam):
    """The best errors E of all views: columns of the stack of all views are shrunk together."""
    stacked = np.vstack([left_v + Y_v / mu for left_v, Y_v in zip(left, Y, strict=True)])
    return np.split(shrink_columns(stacked, lam / mu), np.cumsum([len(Y_v) for Y_v in Y])[:-1])


def short_columns(X):
    """Columns with the same inner products, no longer than they are many."""
    d, n = X.shape
    return linalg.qr(X, mode="r")[0][:n] if d > n else X


class TSVDMSC(TensorClusterer):
    """Multi-view clustering by t-SVD: self-representations of low tensor multi-rank.

    Every view represents its samples by each other. The matrices of all views make a tensor, whose
    nuclear norm after a Fourier transform along the samples is kept low [1]_. Spectral clustering
    of the representations gives the labels.

    The transform reads the order of the samples: in a file sorted by class the result is better
    than after a shuffle. Shuffle the samples before you compare it with other methods, or take
    ``axis="views"`` or ``tubes="identity"``; `mvclust.testing.check_order` measures the effect.

    Parameters
    ----------
    n_clusters : int
        Number of clusters.
    lam : float, default=0.2
        Weight of the errors, as in the released script. Others choose between 0.0005 and 100.
    variant : {"author", "paper"}, default="author"
        "author" as the authors' script: singular values shrink by 1 / rho, mu starts at 1e-4, and
        the errors are updated after each view. "paper" as printed: they shrink by n / rho, so that
        equal results need a lam about n times as large; mu starts at 1e-5, and the errors are
        updated once per iteration.
    axis : {"samples", "views"}, default="samples"
        Axis of the transform, that of the tubes of the tensor.
    tubes : {"dft", "dct", "identity"}, default="dft"
        Transform of the tubes; "identity", none, ignores the order of the samples.
    n_init : int, default=20
        Number of k-means starts.
    max_iter : int, default=200
        Most iterations.
    tol : float, default=1e-7
        Largest absolute row sum of the residuals that ends the run.
    random_state : int, RandomState, Generator or None, default=None
        Drives k-means; all else is deterministic.

    Attributes
    ----------
    labels_ : ndarray of int of shape (n_samples,)
    embedding_ : ndarray of shape (n_samples, n_clusters)
        The rows that k-means clusters.
    similarity_ : ndarray of shape (n_samples, n_samples)
        Sum of the absolute values of Z_v and Z_v' over the views.
    objective_ : ndarray of shape (n_iter_,)
        After each iteration; it may rise while the constraints are not met.
    n_iter_ : int

    References
    ----------
    .. [1] Y. Xie, D. Tao, W. Zhang, Y. Liu, L. Zhang and Y. Qu, "On Unifying Multi-view
       Self-Representations for Clustering by Tensor Multi-rank Minimization", International
       Journal of Computer Vision 126, 2018, arXiv:1610.07126.

    Examples
    --------
    >>> import numpy as np
    >>> from mvclust import TSVDMSC
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 10)
    >>> X1, X2 = 4 * np.eye(2)[y] + rng.random((20, 2)), 3 * np.eye(2)[y] + rng.random((20, 2))
    >>> labels = TSVDMSC(2, random_state=0).fit_predict([X1, X2])
    >>> bool((labels[:10] == labels[0]).all() and (labels[10:] == 1 - labels[0]).all())
    True
    """

    view_tags = ViewTags(incomplete=False)
    _parameter_constraints = TensorClusterer._parameter_constraints | {
        "lam": NONNEGATIVE,
        "variant": [StrOptions({"author", "paper"})],
    }

    def __init__(
        self,
        n_clusters,
        *,
        lam=0.2,
        variant="author",
        axis="samples",
        tubes="dft",
        n_init=20,
        max_iter=200,
        tol=1e-7,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.lam = lam
        self.variant = variant
        self.axis = axis
        self.tubes = tubes
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _learn(self, Xs, presence):
        views = [short_columns(X) for X in unit_columns(self, Xs, presence)[0]]
        options = options_of(self, "lam", "variant", *TENSOR_OPTIONS)
        factors, objective, stop = tsvdmsc(views, **options)
        return symmetric_sum(factors["Z"]), objective, stop
