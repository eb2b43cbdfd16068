"""Adaptive similarity completion and reconstruction, ASCR (Xu et al., AAAI 2025)."""

import numpy as np

from mvclust.estimators.base import Solution, ViewTags, check_start
from mvclust.estimators.constraints import NONNEGATIVE, StrOptions
from mvclust.estimators.tensor_steps import (
    TENSOR_OPTIONS,
    TENSOR_PARAMETERS,
    EmbeddingClusterer,
    TubeReader,
    options_of,
    unit_columns,
)
from mvclust.numerics.anchors import completed_polar
from mvclust.numerics.eigen import settle_signs
from mvclust.numerics.tensors import t_svt


def ascr(Xs, rows, A, *, alpha, variant, axis, tubes, max_iter, tol) -> Solution:
    """Minimise sum_v ||X_v - A_v (H_v G_v' - E_v)'||^2 + alpha ||H||_* over orthonormal A_v, G_v.

    The last norm is that of the tensor of all H_v; E_v is free for missing samples and zero for
    others. That is the model of the released code. "paper" minimises sum_v ||X_v - A_v Z_v||^2 +
    ||Z_v - G_v H_v'||^2 + alpha ||H||_*, with non-negative codes Z_v, of which those of missing
    samples occur in the second term only. Every step is the exact minimiser of its block.

    The X_v have shape (n_features_v, n_samples): missing columns are zero, and there are at least
    as many features as clusters. `rows` are the samples of each view, arrays of shape (n_v,), and A
    the bases to start from, of shape (n_features_v, n_clusters). The variant is "author" or
    "paper"; `axis` and `tubes` are ``axis`` and ``transform`` of `mvclust.numerics.tensors.t_svt`.
    The run ends after max_iter iterations, or when the squared change of H, relative to its squared
    norm before, is at most tol.

    Returns H (n_views, n_samples, n_clusters), and A, G and codes (lists with one array per view;
    codes of "author" are X_v'A_v + E_v); the objective after each iteration; the last change of H.
    """
    n_views, n, k = len(Xs), Xs[0].shape[1], A[0].shape[1]
    H, G, A = np.zeros((n_views, n, k)), [np.eye(k)] * n_views, list(A)
    codes, absent = np.zeros_like(H), np.ones((n_views, n, 1), dtype=bool)
    for v, of_view in enumerate(rows):
        absent[v, of_view] = False
    norm, objective, change = "mean" if variant == "author" else "sum", [], np.inf
    while len(objective) < max_iter and change > tol:
        for v, X in enumerate(Xs):
            common = H[v] @ G[v].T
            if variant == "author":
                # E_v completes common codes where X_v is zero: there H_v G_v' - E_v is zero.
                A[v] = basis(X, np.where(absent[v], 0.0, common), A[v])
                codes[v] = np.where(absent[v], common, X.T @ A[v])
            else:
                A[v] = basis(X, np.where(absent[v], 0.0, codes[v]), A[v])
                mean = np.where(absent[v], common, (common + X.T @ A[v]) / 2)
                codes[v] = np.maximum(mean, 0.0)
            G[v] = completed_polar(codes[v].T @ H[v], G[v]) if H[v].any() else G[v]
        before = H
        H, value = t_svt(
            np.stack([Z @ G_v for Z, G_v in zip(codes, G, strict=True)]),
            alpha / 2,
            axis=axis,
            norm=norm,
            transform=tubes,
            return_norm=True,
        )
        moved, size = float(((H - before) ** 2).sum()), float((before**2).sum())
        change = moved / size if size > 0 else np.inf
        objective.append(alpha * value + loss(Xs, A, G, H, codes, absent, variant))
    return Solution({"H": H, "A": A, "G": G, "codes": codes}, objective, change)


def basis(X, codes, before):
    """The best orthonormal basis for some codes; that from before where they leave it open."""
    return completed_polar(X @ codes, before) if codes.any() else before


def loss(Xs, A, G, H, codes, absent, variant):
    """The squared errors of the model of a variant."""
    total = 0.0
    for v, X in enumerate(Xs):
        common = H[v] @ G[v].T
        of_data = np.where(absent[v], 0.0, common if variant == "author" else codes[v])
        total += float(((X - A[v] @ of_data.T) ** 2).sum())
        if variant == "author":  # what E_v leaves of the missing samples
            total += float((np.where(absent[v], common - codes[v], 0.0) ** 2).sum())
        else:
            total += float(((codes[v] - common) ** 2).sum())
    return total


def first_directions(X, k):
    """Leading left singular vectors, with settled signs."""
    return settle_signs(np.linalg.svd(X, full_matrices=False)[0])[:, :k]


class ASCR(TubeReader, EmbeddingClusterer):
    """Fast incomplete clustering with adaptive similarity completion and reconstruction (ASCR).

    Orthonormal anchors give every view codes, those of missing samples are completed, and the
    embeddings of all views make a tensor whose nuclear norm, after a Fourier transform along the
    samples, is kept low [1]_. k-means on the embeddings gives the labels. Time and memory are
    linear in the samples, but for the factor log n of the transform.

    The transform reads the order of the samples: in a file sorted by class the result is much
    better than after a shuffle. Shuffle the samples before you compare it with other methods, or
    take ``axis="views"``; `mvclust.testing.check_order` measures the effect.

    Parameters
    ----------
    n_clusters : int
        Number of clusters, of anchors, and of columns of the embeddings.
    alpha : float, default=4.0
        Weight of the tensor. The released demo has 8, the paper chooses among 4, 8, ..., 128. The
        embeddings vanish if it is too large for the number of samples.
    variant : {"author", "paper"}, default="author"
        "author" as the released code (github.com/dengxu-nju/ASCR, `ASCR.m` at commit 14509b6):
        codes are projections of the data, and singular values shrink by alpha / 2. "paper" as
        printed: codes are non-negative, and they shrink by n alpha / 2, so that equal results need
        an alpha about 1 / n as large.
    init : {"first", "svd"} or dict, default="first"
        Bases to start from: "first", as in the released code, the first features, so that the
        order of the features plays a part; "svd" the leading singular vectors of each view. A dict
        gives A, a list with one (n_features_v, n_clusters) array per view.
    axis : {"samples", "views"}, default="samples"
        Axis of the transform, that of the tubes of the tensor.
    tubes : {"dft", "dct", "identity"}, default="dft"
        Transform of the tubes; "identity", none, ignores the order of the samples.
    n_init : int, default=10
        Number of k-means starts.
    max_iter : int, default=31
        Most iterations.
    tol : float, default=1e-5
        Squared relative change of the embeddings that ends the run.
    random_state : int, RandomState, Generator or None, default=None
        Drives k-means; all else is deterministic.

    Attributes
    ----------
    labels_ : ndarray of int of shape (n_samples,)
    embedding_ : ndarray of shape (n_samples, n_views * n_clusters)
        The rows that k-means clusters: those of all `H_`, columns of unit length.
    H_ : ndarray of shape (n_views, n_samples, n_clusters)
        Embeddings of the views.
    objective_ : ndarray of shape (n_iter_,)
        After each iteration; it never rises.
    n_iter_ : int

    References
    ----------
    .. [1] D. Xu, C. Zhang, Z. Guo, C. Chen and H. Li, "Fast Incomplete Multi-view Clustering with
       Adaptive Similarity Completion and Reconstruction", AAAI 2025.

    Examples
    --------
    >>> import numpy as np
    >>> from mvclust import ASCR
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 10)
    >>> X1, X2 = 4 * np.eye(2)[y] + rng.random((20, 2)), 3 * np.eye(2)[y] + rng.random((20, 2))
    >>> X1[:3] = np.nan  # three instances are missing in the first view
    >>> labels = ASCR(2, alpha=0.5, random_state=0).fit_predict([X1, X2])
    >>> bool((labels[:10] == labels[0]).all() and (labels[10:] == 1 - labels[0]).all())
    True
    """

    view_tags = ViewTags()
    _parameter_constraints = (
        EmbeddingClusterer._parameter_constraints
        | TENSOR_PARAMETERS
        | {
            "alpha": NONNEGATIVE,
            "variant": [StrOptions({"author", "paper"})],
            "init": [StrOptions({"first", "svd"}), dict],
        }
    )

    def __init__(
        self,
        n_clusters,
        *,
        alpha=4.0,
        variant="author",
        init="first",
        axis="samples",
        tubes="dft",
        n_init=10,
        max_iter=31,
        tol=1e-5,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.alpha = alpha
        self.variant = variant
        self.init = init
        self.axis = axis
        self.tubes = tubes
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _embed(self, Xs, presence):
        k = self.n_clusters
        views, rows = unit_columns(self, Xs, presence, most=None)
        views = [np.pad(X, ((0, max(k - len(X), 0)), (0, 0))) for X in views]
        start = [np.eye(len(X), k) for X in views]
        if self.init == "svd":
            start = [first_directions(X, k) for X in views]
        elif isinstance(self.init, dict):
            start = check_start(self.init, {"A": [A.shape for A in start]}, "ASCR")["A"]
        options = options_of(self, "alpha", "variant", *TENSOR_OPTIONS)
        factors, objective, change = ascr(views, rows, start, **options)
        self.H_ = factors["H"]
        columns = np.hstack(self.H_)
        lengths = np.linalg.norm(columns, axis=0)
        return columns / np.where(lengths > 0, lengths, 1.0), objective, change
