"""Constrained NMF-based multi-view clustering on unmapped data (Zhang et al., AAAI 2015)."""

import numpy as np
from scipy import sparse
from scipy.optimize import linear_sum_assignment
from sklearn.cluster import KMeans

from mvclust.estimators.base import (
    MultiViewClusterer,
    Solution,
    ViewTags,
    check_start,
    draw_seeds,
    relative_change,
    warn_if_fewer,
    warn_not_converged,
)
from mvclust.estimators.constraints import COUNT, NONNEGATIVE, StrOptions
from mvclust.estimators.links import check_constraints
from mvclust.estimators.new_samples import FoldInMixin
from mvclust.numerics.distances import squared_norm
from mvclust.numerics.fold_in import fold_in
from mvclust.numerics.kmeans import kmeans
from mvclust.numerics.products import (
    column_products,
    column_sums,
    for_products,
    frequent_first,
    repeat_row,
    times_plus_row,
)
from mvclust.numerics.scaling import scale_views

FLOOR = 1e-100  # added to the denominators, only guards 0 / 0; faster than the larger of the two
DUST = 1e-150  # entries on their way to zero, cleared before they become slow subnormals


def cmvnmf(Xs, must, cannot, U, V, *, beta, variant, max_iter, tol) -> Solution:
    """Minimise Eq. (2) by multiplicative steps in U and V, view after view.

    Parameters
    ----------
    Xs : list of ndarray or csr_array, each of shape (n_v, n_features_v), non-negative
    must, cannot : list of list of csr_array
        must[a][b], (n_a, n_b), is M^{a,b}, and must[b][a] its transpose; likewise C.
    U : list of ndarray, each of shape (n_features_v, n_clusters), non-negative
    V : list of ndarray, each of shape (n_v, n_clusters), non-negative
        Basis and indicator matrices to start from.
    beta : float
        Weight of the disagreement between the views.
    variant : {"scaled", "paper"}
        "paper": rules (3) and (4). "scaled": the disagreement is that of V Q, where Q holds the
        column sums of U, divided by the mean row sum of X; the rule for U has terms for that, and
        after it U becomes U Q^-1 and V becomes V Q, so that rule (4) holds unchanged.
    max_iter : int
    tol : float
        Relative change of the objective that ends the run.

    Returns
    -------
    Solution
        U and V, lists with one array per view; the objective after each iteration; its last
        relative change.
    """
    orders = [frequent_first(X) for X in Xs]
    U = [U_a[order] for U_a, order in zip(U, orders, strict=True)]
    V = [V_a.copy() for V_a in V]
    norms = [squared_norm(X) for X in Xs]
    # D_a, its diagonal given for each column of V_a
    degrees = [sum(M @ np.ones_like(V_b) for M, V_b in zip(row, V, strict=True)) for row in must]
    sums = [X.sum() / X.shape[0] for X in Xs]
    # The other views' indicators enter as two products with M above C: one for those already
    # updated in this iteration, which the objective needs again, one for those still to come.
    halves = [(slice(0, a), slice(a + 1, None)) for a in range(len(Xs))]
    links = [
        [_M_above_C(must[a][half], cannot[a][half]) for half in halves[a]] for a in range(len(Xs))
    ]
    Q = [np.ones(V_a.shape[1]) for V_a in V]  # the bases are U Q^-1
    if variant == "scaled":
        Q = [column_sums(U_a, total) for U_a, total in zip(U, sums, strict=True)]
        V = [V_a * Q_a for V_a, Q_a in zip(V, Q, strict=True)]
    pairs = [for_products(X[:, order]) for X, order in zip(Xs, orders, strict=True)]
    VV = [V_a.T @ V_a for V_a in V]
    objective, change = [], np.inf
    while len(objective) < max_iter and change >= tol:
        total = 0.0
        for a, (X, X_transposed) in enumerate(pairs):
            M_done, C_done = _products(links[a][0], V[halves[a][0]])
            M_ahead, C_ahead = _products(links[a][1], V[halves[a][1]])
            MV, CV = M_done + M_ahead, C_done + C_ahead
            above, floor = X_transposed @ V[a], np.full(V[a].shape[1], FLOOR)  # Eq. (3)
            if variant == "scaled":
                weight = beta / sums[a]
                above += repeat_row(weight * column_products(V[a], MV), len(above))
                floor += weight * column_products(V[a], degrees[a] * V[a] + CV)
            above /= times_plus_row(U[a], VV[a] / Q[a][:, None], floor)
            above *= U[a]
            U[a] = above
            if variant == "scaled":
                before, Q[a] = Q[a], column_sums(U[a], sums[a])
                V[a] *= Q[a] / before
            UU = U[a].T @ U[a] / (Q[a] * Q[a][:, None])
            # The shorter of the basis and its product is scaled.
            XU = X @ (U[a] / Q[a]) if len(U[a]) < len(V[a]) else X @ U[a] / Q[a]
            below = V[a] @ UU + beta * (degrees[a] * V[a] + CV) + FLOOR  # Eq. (4)
            V[a] *= (XU + beta * MV) / below
            V[a][V[a] < DUST] = 0.0
            VV[a] = V[a].T @ V[a]
            total += norms[a] - 2 * np.vdot(XU, V[a]) + np.vdot(UU, VV[a])
            total += beta * np.vdot(V[a], degrees[a] * V[a] + 2 * (C_done - M_done))
        objective.append(float(total))
        change = relative_change(objective)
    for a, order in enumerate(orders):
        bases = np.empty_like(U[a])
        bases[order] = U[a] / Q[a]
        U[a] = bases
    return Solution({"U": U, "V": V}, objective, change)


def _M_above_C(must, cannot):
    """The blocks of some views side by side, those of M above those of C."""
    columns = [sparse.vstack(blocks).tocsc() for blocks in zip(must, cannot, strict=True)]
    return sparse.hstack(columns) if columns else None


def _products(links, V):
    """Sums of M V_b and of C V_b over some views b."""
    if not V:
        return 0.0, 0.0
    both = links @ np.concatenate(V)
    return both[: len(both) // 2], both[len(both) // 2 :]


def start_from_kmeans(Xs, must, cannot, n_clusters, n_init, aligned, seed):
    """Start from k-means in every view: V the 0/1 memberships plus 0.2, U the means weighted by V.

    With ``aligned`` the clusters of each view are renumbered after those of the views before it, so
    that must-links join clusters of one number and cannot-links do not. Returns a dict with the
    lists U and V of one array per view.
    """
    members = []
    for b, X in enumerate(Xs):
        labels = _kmeans_labels(X, n_clusters, n_init, seed)
        member = np.eye(n_clusters)[labels]
        if aligned and b > 0:
            agreement = sum(
                members[a].T @ (must[a][b] @ member - cannot[a][b] @ member) for a in range(b)
            )
            member = member[:, linear_sum_assignment(agreement, maximize=True)[1]]
        members.append(member)
    V = [member + 0.2 for member in members]
    return {"U": [X.T @ V_v / V_v.sum(axis=0) for X, V_v in zip(Xs, V, strict=True)], "V": V}


def _kmeans_labels(X, n_clusters, n_init, seed):
    if not sparse.issparse(X):
        return kmeans(X, n_clusters, n_init=n_init, seed=seed)[0]
    # KMeans takes no indices but those of 32 bits.
    indices, starts = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    short = sparse.csr_array((X.data, indices, starts), shape=X.shape)
    return KMeans(n_clusters, n_init=n_init, random_state=seed).fit(short).labels_


def _refuse_contradictions(must, cannot):
    for a, row in enumerate(must):
        for b in range(a):
            rows, columns = row[b].multiply(cannot[a][b]).nonzero()
            if rows.size:
                raise ValueError(
                    f"CMVNMF: row {rows[0]} of view {a} and row {columns[0]} of view {b} are both "
                    f"must-link and cannot-link ({rows.size} such pairs between these views)."
                )


class CMVNMF(FoldInMixin, MultiViewClusterer):
    """Constrained NMF-based multi-view clustering of unmapped, partly mapped or mapped views.

    Every view is factorised for itself, X' near U V'; must-links and cannot-links between rows of
    different views draw their indicator vectors together or apart [1]_. The views need not hold
    the same samples, nor as many.

    Parameters
    ----------
    n_clusters : int
        Number of clusters, and of columns of U and V.
    beta : float, default=1.0
        Weight of the disagreement between the views; the paper takes 1 throughout.
    variant : {"scaled", "paper"}, default="scaled"
        "paper" minimises Eq. (2) by rules (3) and (4). Nothing in them fixes the scale of V
        against U, so that the disagreement can be made small by a small V and a large U, and in
        long runs it is: the labels get worse again. "scaled" measures the disagreement of V Q,
        where Q holds the column sums of U over the mean row sum of X, which no rescaling changes.
        See the notes. There is no released code.
    scale : {"sample_unit", None}, default="sample_unit"
        "sample_unit" gives every row unit length in every view; the paper normalises, but does not
        say how.
    init : {"aligned", "kmeans"} or dict, default="aligned"
        "kmeans" starts from k-means in every view, as the paper. "aligned" then renumbers the
        clusters of the views such that they agree best with the constraints. A dict gives the
        arrays U (list, each (n_features_v, n_clusters)) and V (list, each (n_v, n_clusters)).
    n_init : int, default=10
        Number of k-means starts in every view.
    max_iter : int, default=500
        Most iterations.
    tol : float, default=1e-4
        Relative change of the objective that ends the run. The paper names none; "paper" wants
        about 1e-2.
    random_state : int, RandomState, Generator or None, default=None
        Drives k-means at the start.

    Attributes
    ----------
    labels_ : list of ndarray of int, each of shape (n_v,)
        The largest indicator of every row. With constraints a number means the same cluster in all
        views; without any, the views are clustered apart and their numbers do not correspond.
    embedding_ : list of ndarray, each of shape (n_v, n_clusters)
        `V_`: the largest entries of the rows are the labels.
    U_ : list of ndarray, each of shape (n_features_v, n_clusters)
        Basis matrices.
    V_ : list of ndarray, each of shape (n_v, n_clusters)
        Indicator matrices.
    objective_ : ndarray of shape (n_iter_,)
        Eq. (2) of the scaled views after each iteration; "scaled" keeps Q = I, so that it is the
        same expression. It falls with both variants.
    n_iter_ : int

    Notes
    -----
    Handwritten (fou, pix, zer; n = 2000), 95 % of each view unmapped, five draws, accuracy as the
    mean over the views at 0.5, 1 and 5 % of the pairs as constraints:

    ========================================  =====  =====  =====
    variant                                   0.5 %    1 %    5 %
    ========================================  =====  =====  =====
    "scaled"                                   .980  1.000  1.000
    "scaled", init="kmeans"                    .836  1.000   .393
    "paper", tol=1e-2                          .795   .869   .970
    "paper", tol=1e-2, init="kmeans"           .629   .618   .631
    "paper", tol=1e-4                          .612   .631   .751
    ========================================  =====  =====  =====

    References
    ----------
    .. [1] X. Zhang, L. Zong, X. Liu and H. Yu, "Constrained NMF-Based Multi-View Clustering on
       Unmapped Data", AAAI 2015.

    Examples
    --------
    >>> import numpy as np
    >>> from mvclust.estimators.cmvnmf import CMVNMF
    >>> from mvclust.unmapping import random_constraints, unmap
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 20)
    >>> Xs = [np.eye(2)[y] + rng.random((40, 2)), np.eye(2)[y] + rng.random((40, 2))]
    >>> data = unmap(Xs, y, share=0.9, seed=0)
    >>> must_links, cannot_links = random_constraints(data.ys, share=0.1, seed=0)
    >>> model = CMVNMF(2, random_state=0)
    >>> model = model.fit(data.Xs, must_links=must_links, cannot_links=cannot_links)
    >>> [len(labels) for labels in model.labels_]
    [36, 36]
    """

    view_tags = ViewTags(incomplete=False, sparse=True, nonnegative=True, constraints="between")
    _parameter_constraints = MultiViewClusterer._parameter_constraints | {
        "beta": NONNEGATIVE,
        "variant": [StrOptions({"scaled", "paper"})],
        "scale": [StrOptions({"sample_unit"}), None],
        "init": [StrOptions({"aligned", "kmeans"}), dict],
        "n_init": COUNT,
        "max_iter": COUNT,
        "tol": NONNEGATIVE,
    }

    def __init__(
        self,
        n_clusters,
        *,
        beta=1.0,
        variant="scaled",
        scale="sample_unit",
        init="aligned",
        n_init=10,
        max_iter=500,
        tol=1e-4,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.beta = beta
        self.variant = variant
        self.scale = scale
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def fit(self, Xs, y=None, *, must_links=None, cannot_links=None):
        """Cluster the rows of every view.

        Parameters
        ----------
        Xs : list of array-like or sparse, each of shape (n_v, n_features_v), non-negative
            The views; they may have different numbers of rows, and none is missing.
        y : ignored
        must_links, cannot_links : dict or None
            {(a, b): array-like or sparse (n_a, n_b)} for two different view numbers, in either
            order but each two views once. Entry (i, j) is 1 if row i of view a and row j of view b
            belong to the same (different) clusters, else 0. Views without a key have none. A
            known correspondence is a must-link; see `mvclust.unmapping`.

        Returns
        -------
        self
        """
        Xs = self.check_unmapped_input(Xs)
        sizes = [X.shape[0] for X in Xs]
        must = check_constraints(must_links, sizes, "CMVNMF", "must_links")
        cannot = check_constraints(cannot_links, sizes, "CMVNMF", "cannot_links")
        _refuse_contradictions(must, cannot)
        Xs = scale_views(Xs, None, self.scale)
        if isinstance(self.init, dict):
            shapes = {
                "U": [(X.shape[1], self.n_clusters) for X in Xs],
                "V": [(X.shape[0], self.n_clusters) for X in Xs],
            }
            start = check_start(self.init, shapes, "CMVNMF")
        else:
            aligned, (seed,) = self.init == "aligned", draw_seeds(self.random_state, 1)
            start = start_from_kmeans(Xs, must, cannot, self.n_clusters, self.n_init, aligned, seed)
        factors, objective, change = cmvnmf(
            Xs,
            must,
            cannot,
            start["U"],
            start["V"],
            beta=self.beta,
            variant=self.variant,
            max_iter=self.max_iter,
            tol=self.tol,
        )
        self.U_, self.V_ = factors["U"], factors["V"]
        self.objective_ = np.array(objective)
        self.n_iter_ = len(objective)
        if change >= self.tol:
            warn_not_converged("CMVNMF", self.max_iter, self.tol)
        self.embedding_ = self.V_
        self.labels_ = [V.argmax(axis=1) for V in self.V_]
        warn_if_fewer(np.concatenate(self.labels_), self.n_clusters)
        return self

    def _represent_new(self, Xs, presence):
        # A new row has no constraints.
        alone = [np.ones((X.shape[0], 1), dtype=bool) for X in Xs]
        views = zip(scale_views(Xs, None, self.scale), self.U_, alone, strict=True)
        return [fold_in([X], [U], there) for X, U, there in views]

    def _label_new(self, Xs, presence):
        return [V.argmax(axis=1) for V in self._represent_new(Xs, presence)]
