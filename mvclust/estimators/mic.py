"""Multiple incomplete views clustering (Shao, He & Yu, ECML PKDD 2015)."""

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from mvclust.estimators.base import (
    MultiViewClusterer,
    Solution,
    ViewTags,
    check_start,
    draw_seeds,
    labels_and_centers,
    relative_change,
    warn_if_fewer,
    warn_not_converged,
)
from mvclust.estimators.constraints import COUNT, NONNEGATIVE, StrOptions
from mvclust.estimators.new_samples import FoldInMixin
from mvclust.estimators.steps import check_weights
from mvclust.numerics.distances import squared_row_norms
from mvclust.numerics.factors import (
    descend_basis,
    descend_coefficients,
    unit_sums,
    weighted_mean,
)
from mvclust.numerics.fold_in import fold_in
from mvclust.numerics.impute import fill_rows
from mvclust.numerics.kmeans import kmeans
from mvclust.numerics.multiplicative import start_from_nmf
from mvclust.numerics.scaling import scale_views, unit_samples

FLOOR = 1e-30  # of the denominators, as in the released code
DUST = 1e-150  # floor of the row norms; smaller entries are cleared before they become subnormal
SETTLED, MAX_ROUNDS = 1e-8, 5000  # relative change that ends the rounds for new samples; most
SWEEPS = 2  # of coordinate descent over the columns of a factor, for one product with X


def mic(Xs, U, B, *, alpha, beta, variant, max_iter, tol, max_inner) -> Solution:
    """Minimise sum_v ||W_v (X_v - U_v B_v')||^2 + a_v ||W_v (U_v - U*)||^2 + b_v ||U_v||_2,1.

    The factors are non-negative and the columns of B_v sum to 1.

    Parameters
    ----------
    Xs : list of FilledView
        The views and their weights.
    U : list of ndarray, each of shape (n_samples, n_clusters), non-negative
    B : list of ndarray, each of shape (n_features_v, n_clusters), non-negative
        Coefficients and bases to start from.
    alpha, beta : ndarray of shape (n_views,)
        Weights a_v of the agreement with U*, and b_v of the row sparsity of U_v.
    variant : {"exact", "author"}
        See `MIC`.
    max_iter : int
        Most rounds over the views.
    tol : float
        Relative change of the objective that ends the rounds.
    max_inner : int
        Iterations within a view in each.

    Returns
    -------
    Solution
        U and B (lists with one array per view) and U_star, the consensus at the beginning of the
        last round; the objective after every round; its last relative change.
    """
    U, B = list(U), list(B)
    fit_view = multiply_view if variant == "author" else descend_view
    objective, change = [], np.inf
    while len(objective) < max_iter and change >= tol:
        U_star = consensus(Xs, U)
        for v, X in enumerate(Xs):
            U[v], B[v] = fit_view(X, U[v], B[v], U_star, alpha[v], beta[v], max_inner)
        objective.append(_objective(Xs, U, B, U_star, alpha, beta))
        change = relative_change(objective)
    return Solution({"U": U, "B": B, "U_star": U_star}, objective, change)


def consensus(Xs, U):
    """The minimiser U* for one alpha: in every row the mean of the U_v by their weights."""
    return weighted_mean([X.weights for X in Xs], U)


def multiply_view(X, U, B, U_star, alpha, beta, n_steps):
    """The multiplicative steps of U and B within a view, and the scaling of B.

    A row weight is common to all terms of a row of U, so it is divided out of that step.
    """
    B, U = unit_sums(B, U)
    c = X.weights[:, None]
    pull = alpha * U_star
    for _ in range(n_steps):
        below = U @ (B.T @ B) + (alpha + beta / (2 * c * _row_norms(U))) * U
        U = U * np.sqrt((X.times_basis(B) + pull) / np.maximum(below, FLOOR))
        CU = c * U
        below = B @ (CU.T @ U)
        B = B * np.sqrt(X.times_coefficients(CU) / np.maximum(below, FLOOR))
        B, U = unit_sums(B, U)
    U[U < DUST] = 0.0
    B[B < DUST] = 0.0
    return U, B


def descend_view(X, U, B, U_star, alpha, beta, n_steps):
    """Exact steps of one column of U or B after the other, of which none raises the objective.

    Row norms of U are bounded by ||u|| <= ||u||^2 / (2 r) + r / 2 with their present r, which
    makes a column of U a clipped quotient.
    """
    B, U = unit_sums(B, U)
    c = X.weights
    Ut, Bt = np.ascontiguousarray(U.T), np.ascontiguousarray(B.T)
    pull = alpha * U_star.T
    for _ in range(n_steps):
        XB, BB = X.times_basis(Bt.T).T + pull, Bt @ Bt.T
        for _ in range(SWEEPS):
            ridge = alpha + beta / (2 * c * _row_norms(Ut.T)[:, 0])
            descend_coefficients(Ut, XB, BB, ridge)
        CU = c * Ut
        XU, UU = X.times_coefficients(CU.T).T, CU @ Ut.T
        for _ in range(SWEEPS):
            descend_basis(Bt, XU, UU)
    return Ut.T, Bt.T


def represent_new(Xs, B, weights, *, alpha, beta):
    """The consensus U* of new samples on fixed bases: rounds of the steps of U in `descend_view`.

    The Xs (n_samples, n_features_v), dense or sparse, are on the scale of the views to which the
    bases B (n_features_v, n_clusters) belong, missing rows filled. The weights (n_samples, n_views)
    are the squared diagonals of the W_v; alpha and beta have shape (n_views,). Returns an array of
    shape (n_samples, n_clusters).
    """
    C = weights.T
    XB, BB = [(X @ B_v).T for X, B_v in zip(Xs, B, strict=True)], [B_v.T @ B_v for B_v in B]
    alone = np.ones((len(weights), 1), dtype=bool)
    U = [fold_in([X], [B_v], alone).T for X, B_v in zip(Xs, B, strict=True)]
    U_star = weighted_mean(C, [U_v.T for U_v in U]).T
    todo = np.arange(len(weights))
    for _ in range(MAX_ROUNDS):
        before = U_star[:, todo]
        for c, U_v, XB_v, BB_v, a, b in zip(C, U, XB, BB, alpha, beta, strict=True):
            Ut = U_v[:, todo]
            ridge = a + b / (2 * c[todo] * _row_norms(Ut.T)[:, 0])
            descend_coefficients(Ut, XB_v[:, todo] + a * before, BB_v, ridge)
            U_v[:, todo] = Ut
        now = weighted_mean(C[:, todo], [U_v[:, todo].T for U_v in U]).T
        U_star[:, todo] = now
        todo = todo[np.abs(now - before).max(axis=0) > SETTLED * now.max(axis=0)]
        if not todo.size:
            break
    return U_star.T


def _row_norms(U):
    return np.maximum(np.sqrt(squared_row_norms(U)), DUST)[:, None]


def _objective(Xs, U, B, U_star, alpha, beta):
    """The objective, by traces."""
    total = 0.0
    for X, U_v, B_v, a, b in zip(Xs, U, B, alpha, beta, strict=True):
        CU, misfit = X.weights[:, None] * U_v, U_v - U_star
        total += X.norm - 2 * np.vdot(CU, X.times_basis(B_v)) + np.vdot(CU.T @ U_v, B_v.T @ B_v)
        total += a * (X.weights @ squared_row_norms(misfit))
        total += b * np.linalg.norm(U_v, axis=1).sum()
    return float(total)


class FilledView:
    """A view of sum 1 whose missing rows are the mean of the present ones, never stored.

    X of shape (n_samples, n_features) is dense or sparse, missing rows zero; `present` is bool of
    shape (n_samples,). `weights` (n_samples,) is the squared diagonal of W_v: 1, and the squared
    share of present rows for missing ones. `norm` is ||W_v X_v||^2, and `total` the sum of the view
    before it was scaled.
    """

    def __init__(self, X, present):
        share = present.mean()
        mean = np.asarray(X.sum(axis=0)).ravel() / present.sum()
        self.total = total = mean.sum() * len(present)
        self.X, self.mean = X / total, mean / total
        self.shape, self.missing = X.shape, np.flatnonzero(~present)
        self.weights = np.where(present, 1.0, share**2)
        values = self.X.data if sparse.issparse(X) else self.X
        self.norm = float(np.vdot(values, values))
        self.norm += self.missing.size * share**2 * float(self.mean @ self.mean)

    def times_basis(self, B):
        """X_v B."""
        product = self.X @ B
        if self.missing.size:
            product[self.missing] = self.mean @ B
        return product

    def times_coefficients(self, U):
        """X_v' U."""
        product = self.X.T @ U
        if self.missing.size:
            product += np.outer(self.mean, U[self.missing].sum(axis=0))
        return product

    def toarray(self):
        """The filled view."""
        filled = self.X.toarray() if sparse.issparse(self.X) else self.X.copy()
        filled[self.missing] = self.mean
        return filled


def start_from_kmeans(Xs, n_clusters, n_init, seed):
    """Start from k-means on the concatenation of the filled views, each of norm 1.

    Returns a dict with U and B (lists, one per view).
    """
    together = np.hstack([X.toarray() / np.sqrt(X.norm) for X in Xs])
    labels, _ = kmeans(together, n_clusters, n_init=n_init, seed=seed)
    U = np.eye(n_clusters)[labels] + 0.1
    U /= U.sum()  # that of U B' is then 1, as that of the views
    B = [X.times_coefficients(U) for X in Xs]
    return {"U": [U] * len(Xs), "B": [B_v / B_v.sum(axis=0) for B_v in B]}


class MIC(FoldInMixin, MultiViewClusterer):
    """Multiple incomplete views clustering by weighted non-negative factorisation.

    Missing instances are filled with the mean of their view and weigh less, by the share of
    samples that the view has. Every view is factorised, its coefficients U_v are sparse in rows
    and drawn to a consensus U* [1]_.

    Parameters
    ----------
    n_clusters : int
        Number of clusters, and of columns of the factors.
    alpha : float or array-like of shape (n_views,), default=0.01
        Weight of the agreement of U_v with U*, relative to the views scaled to sum 1.
    beta : float or array-like of shape (n_views,), default=0.01
        Weight of the row sparsity of U_v, in units of ||W_v X_v||^2: the paper's weight over
        this number, which is about 1 / (number of entries) for views of sum 1. From
        about 3 the factors vanish.
    variant : {"exact", "author"}, default="exact"
        "exact" descends the objective, column by column, with the columns of B_v summing to 1.
        "author" takes multiplicative steps and then scales these sums to 1, as the released code
        does; the scaling changes the terms of alpha and beta, so the objective may rise. Accuracy,
        exact and author (30 rounds of 20 iterations), means of 5 draws: 0.63 and 0.62 on 3sources
        with 30 % of the instances missing; of 3 draws: 0.72 and 0.76 on Handwritten (pix, fou, half
        of the samples in both).
    scale : {"sample_unit", None}, default="sample_unit"
        "sample_unit" gives every sample unit length in every view, before the view is scaled to sum
        1. The released code does only the latter. Without it "exact" has 0.42 on 3sources and 0.73
        on Handwritten.
    labels : {"kmeans", "argmax"}, default="kmeans"
        k-means on the rows of U* scaled to unit length, or the largest coefficient. The released
        code offers both, without this scaling.
    init : {"kmeans", "nmf"} or dict, default="kmeans"
        "kmeans" starts from k-means on all views side by side, mean-filled. "nmf" factorises the
        filled views alone in three passes, each view from the U of the one before, as the
        released code does. From it "exact" has accuracy
        0.50 on 3sources (3 draws; 0.60 from "kmeans") and 0.68 on Handwritten (one draw, 0.68), in
        3 to 10 times the time. A dict gives the arrays U (list, each (n_samples, n_clusters))
        and B (list, each (n_features_v, n_clusters)).
    n_init : int, default=10
        Number of k-means starts, for the start and the labels, and of random starts in each
        factorisation of "nmf" (the released code takes 30).
    max_iter : int, default=200
        Most rounds over the views. The released code takes 30.
    tol : float, default=1e-4
        Relative change of the objective that ends the rounds. The released code has no such test.
    max_inner : int, default=1
        Iterations within a view in a round. The released code takes 200.
    random_state : int, RandomState, Generator or None, default=None
        Drives the start and the k-means runs.

    Attributes
    ----------
    labels_ : ndarray of int of shape (n_samples,)
    embedding_ : ndarray of shape (n_samples, n_clusters)
        The rows that the labels come from: those of `U_star_`, of unit length.
    cluster_centers_ : ndarray of shape (n_clusters, n_clusters)
        Means of the clusters in `embedding_`; None with
        ``labels="argmax"``.
    U_star_ : ndarray of shape (n_samples, n_clusters)
        Consensus at the beginning of the last round.
    U_ : list of ndarray, each of shape (n_samples, n_clusters)
        Coefficients.
    B_ : list of ndarray, each of shape (n_features_v, n_clusters)
        Bases; their columns sum to 1.
    objective_ : ndarray of shape (n_iter_,)
        sum_v ||W_v (X_v - U_v B_v')||^2 + alpha ||W_v (U_v - U*)||^2 + beta ||U_v||_2,1 after each
        round, for the filled views of sum 1.
    n_iter_ : int

    References
    ----------
    .. [1] W. Shao, L. He and P. S. Yu, "Multiple Incomplete Views Clustering via Weighted
       Nonnegative Matrix Factorization with L2,1 Regularization", ECML PKDD 2015.

    Examples
    --------
    >>> import numpy as np
    >>> from mvclust.estimators.mic import MIC
    >>> rng = np.random.default_rng(0)
    >>> X = np.kron(np.eye(2), np.ones((6, 3)))
    >>> X1, X2 = X + rng.random(X.shape), X + rng.random(X.shape)
    >>> X1[:2], X2[-2:] = np.nan, np.nan  # two instances are missing in each view
    >>> labels = MIC(2, random_state=0).fit_predict([X1, X2])
    >>> bool(len(set(labels[:6])) == len(set(labels[6:])) == 1 and labels[0] != labels[6])
    True
    """

    view_tags = ViewTags(sparse=True, nonnegative=True)
    _parameter_constraints = MultiViewClusterer._parameter_constraints | {
        "alpha": [*NONNEGATIVE, "array-like"],
        "beta": [*NONNEGATIVE, "array-like"],
        "variant": [StrOptions({"exact", "author"})],
        "scale": [StrOptions({"sample_unit"}), None],
        "labels": [StrOptions({"kmeans", "argmax"})],
        "init": [StrOptions({"kmeans", "nmf"}), dict],
        "n_init": COUNT,
        "max_iter": COUNT,
        "tol": NONNEGATIVE,
        "max_inner": COUNT,
    }

    def __init__(
        self,
        n_clusters,
        *,
        alpha=0.01,
        beta=0.01,
        variant="exact",
        scale="sample_unit",
        labels="kmeans",
        init="kmeans",
        n_init=10,
        max_iter=200,
        tol=1e-4,
        max_inner=1,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.alpha = alpha
        self.beta = beta
        self.variant = variant
        self.scale = scale
        self.labels = labels
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.max_inner = max_inner
        self.random_state = random_state

    # A start depends on these alone, so that grids over the others can share it.
    start_parameters = ("n_clusters", "scale", "init", "n_init", "random_state")

    def draw_start(self, Xs):
        """The start that ``init`` takes by its name, to be given as ``init=``.

        Parameters
        ----------
        Xs : list of array-like or sparse, each of shape (n_samples, n_features_v), non-negative
            The views; a missing instance is a row of NaN.

        Returns
        -------
        dict with U and B
        """
        Xs, presence = self.check_input(Xs)
        return self._start(self._fill(Xs, presence), draw_seeds(self.random_state, 2)[0])

    def _fill(self, Xs, presence):
        Xs = scale_views(Xs, presence, self.scale)
        return [FilledView(X, present) for X, present in zip(Xs, presence.T, strict=True)]

    def _start(self, Xs, seed):
        if isinstance(self.init, dict):
            shapes = {
                "U": [(X.shape[0], self.n_clusters) for X in Xs],
                "B": [(X.shape[1], self.n_clusters) for X in Xs],
            }
            return check_start(self.init, shapes, "MIC")
        if self.init == "nmf":
            filled = [X.toarray() for X in Xs]
            start = start_from_nmf(filled, self.n_clusters, self.n_init, 50, 200, seed)
            return {"U": start["V"], "B": start["U"]}
        return start_from_kmeans(Xs, self.n_clusters, self.n_init, seed)

    # These decide how labels follow from a solution, so that models of one solution can share it.
    label_parameters = ("labels",)

    def fit(self, Xs, y=None):
        """Cluster the samples.

        Parameters
        ----------
        Xs : list of array-like or sparse, each of shape (n_samples, n_features_v), non-negative
            The views; a missing instance is a row of NaN.
        y : ignored

        Returns
        -------
        self
        """
        return self.solve(Xs).relabel()

    def solve(self, Xs):
        """All of `fit` but the labels.

        Parameters
        ----------
        Xs : list of array-like or sparse
            As `fit` takes them.

        Returns
        -------
        self
        """
        Xs, presence = self.check_input(Xs)
        alpha = check_weights(self.alpha, len(Xs), "MIC: alpha")
        beta = check_weights(self.beta, len(Xs), "MIC: beta")
        Xs = self._fill(Xs, presence)
        self._totals, self._means = [X.total for X in Xs], [X.mean for X in Xs]
        self._lacking, self._beta = presence.mean(axis=0) ** 2, beta * [X.norm for X in Xs]
        seed_start, self._seed_labels = draw_seeds(self.random_state, 2)
        start = self._start(Xs, seed_start)
        factors, objective, change = mic(
            Xs,
            start["U"],
            start["B"],
            alpha=alpha,
            beta=self._beta,
            variant=self.variant,
            max_iter=self.max_iter,
            tol=self.tol,
            max_inner=self.max_inner,
        )
        self.U_, self.B_, self.U_star_ = (factors[name] for name in ("U", "B", "U_star"))
        self.objective_ = np.array(objective)
        self.n_iter_ = len(objective)
        if change >= self.tol:
            warn_not_converged("MIC", self.max_iter, self.tol)
        return self

    def relabel(self):
        """Label the samples of a model that has its solution, as ``labels`` now says.

        Returns
        -------
        self
        """
        check_is_fitted(self, "U_star_")
        # Of a size whatever n is.
        self.embedding_ = unit_samples(self.U_star_ * len(self.U_star_))
        if self.labels == "argmax":
            self.labels_, self.cluster_centers_ = self.U_star_.argmax(axis=1), None
            warn_if_fewer(self.labels_, self.n_clusters)
        else:
            self.labels_, self.cluster_centers_ = labels_and_centers(
                self.embedding_, self.n_clusters, n_init=self.n_init, seed=self._seed_labels
            )
        return self

    def _represent_new(self, Xs, presence):
        Xs = scale_views(Xs, presence, self.scale)
        Xs = [X / total for X, total in zip(Xs, self._totals, strict=True)]
        U_star = represent_new(
            fill_rows(Xs, presence, self._means),
            self.B_,
            np.where(presence, 1.0, self._lacking),
            alpha=check_weights(self.alpha, len(Xs), "MIC: alpha"),
            beta=self._beta,
        )
        return unit_samples(U_star * len(self.labels_))
