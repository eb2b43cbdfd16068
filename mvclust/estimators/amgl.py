"""Auto-weighted multiple graph learning (Nie, Li & Li, IJCAI 2016)."""

import numpy as np
from scipy import sparse

from mvclust.estimators.base import (
    MultiViewClusterer,
    Solution,
    ViewTags,
    cluster_rows,
    draw_seeds,
    warn_not_converged,
)
from mvclust.estimators.constraints import COUNT, NONNEGATIVE, StrOptions
from mvclust.numerics.eigen import smallest_eigenpairs
from mvclust.numerics.graphs import adaptive_neighbor_graph
from mvclust.numerics.scaling import scale_views

MIN_ITER = 3  # iterations before a small change may end a run, as in the released code
FLOOR = 1e-12  # below this tr(F'LF) is rounding errors: F cuts nothing of that graph


def amgl(Ls, n_clusters, *, max_iter, tol) -> Solution:
    """Minimise sum_v sqrt(tr(F'L_v F)) over F'F = I by reweighting.

    The weights alpha_v = 1 / (2 sqrt(tr(F'L_v F))) make the weighted sum of traces, which the F
    step minimises, touch the objective from above.

    The L_v are the normalised Laplacians of the views, sparse arrays of shape
    (n_samples, n_samples). The run ends after max_iter iterations, or when the objective falls by a
    share of less than tol, in the third iteration at the earliest. Returns F
    (n_samples, n_clusters), with orthonormal columns, and the list of the alpha (n_views,) found in
    each iteration; the objective after each iteration; its relative decrease at the end.
    """
    alpha = np.full(len(Ls), 1 / len(Ls))
    F, weights, objective, change = None, [], [], np.inf
    while len(objective) < max_iter and (change >= tol or len(objective) < MIN_ITER):
        combined = sum(a * L for a, L in zip(alpha / alpha.max(), Ls, strict=True))
        _, F = smallest_eigenpairs(combined, n_clusters, start=F)
        traces = np.array([np.vdot(F, L @ F) for L in Ls])
        traces[traces < FLOOR] = 0.0
        alpha = 0.5 / np.sqrt(np.maximum(traces, FLOOR))
        weights.append(alpha)
        objective.append(float(np.sqrt(traces).sum()))
        if len(objective) > 1:
            before = objective[-2]
            change = (before - objective[-1]) / before if before > 0 else 0.0
    return Solution({"F": F, "alpha": weights}, objective, change)


def normalized_laplacian(W):
    """I - D^-1/2 W D^-1/2 of a sparse symmetric graph.

    >>> normalized_laplacian(sparse.csr_array([[0.0, 4.0], [4.0, 0.0]])).toarray().tolist()
    [[1.0, -1.0], [-1.0, 1.0]]
    """
    degrees = np.asarray(W.sum(axis=1)).ravel()
    degrees[degrees == 0] = np.inf  # a sample alone
    scale = sparse.diags_array(degrees**-0.5)
    return sparse.csr_array(sparse.eye_array(W.shape[0]) - scale @ W @ scale)


class AMGL(MultiViewClusterer):
    """Auto-weighted multiple graph learning, for complete views.

    Spectral clustering on a weighted sum of the views' normalised Laplacians; the weights follow
    from the square roots in the objective and need no parameter [1]_.

    A graph with n_clusters components or more can be cut for nothing. A run that gets near such a
    cut goes on towards it slowly (a ConvergenceWarning is then common) and gives that view ever
    more weight; tr(F'LF) < 1e-12 counts as 0 and weighs as 1e-12, where the released code divides
    by rounding errors.

    Parameters
    ----------
    n_clusters : int
        Number of clusters, and of columns of F.
    scale : {"sample_unit", None}, default=None
        Scaling of the views before their graphs are built, see
        `mvclust.numerics.scaling.scale_views`. The released code has none; documents need
        "sample_unit".
    n_neighbors : int, default=5
        Neighbours in the graphs, see `mvclust.numerics.graphs.adaptive_neighbor_graph`. The
        paper has no parameter; this is what the released code uses.
    n_init : int, default=10
        Number of k-means starts on the rows of F (the released code: 1).
    max_iter : int, default=100
        Most iterations.
    tol : float, default=1e-8
        Relative decrease of the objective that ends the run.
    random_state : int, RandomState, Generator or None, default=None
        For k-means; all else is deterministic.

    Attributes
    ----------
    labels_ : ndarray of int of shape (n_samples,)
    embedding_ : ndarray of shape (n_samples, n_clusters)
        The rows that k-means clusters: those of `F_`.
    F_ : ndarray of shape (n_samples, n_clusters)
        Common embedding; orthonormal columns.
    alpha_ : ndarray of shape (n_views,)
        View weights 1 / (2 sqrt(tr(F'L_v F))).
    objective_ : ndarray of shape (n_iter_,)
        sum_v sqrt(tr(F'L_v F)) after each iteration; it never rises.
    n_iter_ : int

    References
    ----------
    .. [1] F. Nie, J. Li and X. Li, "Parameter-Free Auto-Weighted Multiple Graph Learning: A
       Framework for Multiview Clustering and Semi-Supervised Classification", IJCAI 2016.

    Examples
    --------
    >>> import numpy as np
    >>> from mvclust import AMGL
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 10)
    >>> X1, X2 = 4 * np.eye(2)[y] + rng.random((20, 2)), 3 * np.eye(2)[y] + rng.random((20, 2))
    >>> labels = AMGL(2, tol=1e-3, random_state=0).fit_predict([X1, X2])
    >>> bool((labels[:10] == labels[0]).all() and (labels[10:] == 1 - labels[0]).all())
    True
    """

    view_tags = ViewTags(incomplete=False)
    _parameter_constraints = MultiViewClusterer._parameter_constraints | {
        "scale": [StrOptions({"sample_unit"}), None],
        "n_neighbors": COUNT,
        "n_init": COUNT,
        "max_iter": COUNT,
        "tol": NONNEGATIVE,
    }

    def __init__(
        self,
        n_clusters,
        *,
        scale=None,
        n_neighbors=5,
        n_init=10,
        max_iter=100,
        tol=1e-8,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.scale = scale
        self.n_neighbors = n_neighbors
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def fit(self, Xs, y=None):
        """Cluster the samples.

        Parameters
        ----------
        Xs : list of array-like, each of shape (n_samples, n_features_v)
            The views, without missing instances.
        y : ignored

        Returns
        -------
        self
        """
        Xs, presence = self.check_input(Xs)
        Xs = scale_views(Xs, presence, self.scale)
        (seed,) = draw_seeds(self.random_state, 1)
        Ls = [normalized_laplacian(adaptive_neighbor_graph(X, self.n_neighbors)) for X in Xs]
        factors, objective, change = amgl(Ls, self.n_clusters, max_iter=self.max_iter, tol=self.tol)
        self.F_, self.alpha_ = factors["F"], factors["alpha"][-1]
        self.objective_ = np.array(objective)
        self.n_iter_ = len(objective)
        if change >= self.tol:
            warn_not_converged("AMGL", self.max_iter, self.tol)
        self.embedding_ = self.F_
        self.labels_ = cluster_rows(self.F_, self.n_clusters, n_init=self.n_init, seed=seed)
        return self
