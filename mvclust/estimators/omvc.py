"""Online multi-view clustering with incomplete views (Shao, He, Lu & Yu, IEEE Big Data 2016)."""

import numpy as np
from scipy import sparse

from mvclust.estimators.base import (
    MultiViewClusterer,
    Solution,
    ViewTags,
    check_start,
    draw_seeds,
    labels_and_centers,
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
from mvclust.numerics.fold_in import fold_in_with_consensus
from mvclust.numerics.impute import fill_rows
from mvclust.numerics.scaling import scale_views, unit_samples

HALVINGS = 252  # of a step length, as in the released code
FLOOR = 1e-20  # of the column sums of B, as in the released code
SWEEPS = 2  # of coordinate descent over the columns of a factor


def omvc(streams, U, B, *, alpha, beta, variant, block_size, n_passes, max_iter, tol) -> Solution:
    """Minimise sum_v ||W_v (X_v - U_v B_v')||^2 + a_v ||W_v (U_v - U*)||^2 + b_v sum(U_v).

    The factors are non-negative and the columns of B_v sum to 1. A block of rows is fitted
    together with the bases, in which earlier blocks count by the sums A = X'CU and H = U'CU.

    Parameters
    ----------
    streams : list of Stream
    U : list of ndarray, each of shape (n_samples, n_clusters), non-negative
    B : list of ndarray, each of shape (n_features_v, n_clusters), non-negative
        Coefficients and bases to start from.
    alpha, beta : ndarray of shape (n_views,)
        Weights a_v of the agreement with U*, and b_v of the l1 norm of U_v.
    variant : {"exact", "author"}
        See `OMVC`.
    block_size, n_passes, max_iter : int
        Rows in a block, passes over all blocks, and most iterations in a block.
    tol : float
        Relative change of the block's objective that ends its iterations.

    Returns
    -------
    Solution
        U and B (lists with one array per view), U_star (n_samples, n_clusters), and blocks: for
        every block in every pass a dict with the "objective" of its iterations, and "B", "A" and
        "H" after it; the objective after every pass; the largest relative change at which a block
        of the last pass was left.
    """
    author = variant == "author"
    U_star = np.zeros_like(U[0])
    U = [np.array(U_v) for U_v in U]
    fits = [
        (_AuthorFit if author else _ExactFit)(B_v, a, b)
        for B_v, a, b in zip(B, alpha, beta, strict=True)
    ]
    objective, blocks = [], []
    for number in range(n_passes):
        changes = []
        for fit in fits:
            fit.begin_pass()
        for first in range(0, len(U_star), block_size):
            rows = slice(first, first + block_size)
            weights = [stream.weights[rows] for stream in streams]
            for fit, stream, U_v in zip(fits, streams, U, strict=True):
                fit.begin(stream.rows(rows), stream.weights[rows], U_v[rows], U_star[rows], number)
            again = author and number > 0
            U_R = U_star[rows].copy() if again else weighted_mean(weights, [fit.U for fit in fits])
            values, change = [], np.inf
            while len(values) < max_iter and change >= tol:
                for fit in fits:
                    fit.iterate(U_R)
                U_R = weighted_mean(weights, [fit.U for fit in fits])
                values.append(sum(fit.value(U_R) for fit in fits))
                if len(values) > 1:
                    change = abs(values[-2] - values[-1]) / values[-2]
            for fit, U_v in zip(fits, U, strict=True):
                U_v[rows] = fit.U
                fit.end(U_R)
            U_star[rows] = U_R
            state = {letter: [getattr(fit, letter).copy() for fit in fits] for letter in "BAH"}
            blocks.append({"objective": values, **state})
            changes.append(change)
        objective.append(sum(fit.total() for fit in fits))
    factors = {"U": U, "B": [fit.B for fit in fits], "U_star": U_star, "blocks": blocks}
    return Solution(factors, objective, float(np.max(changes)))


class _Fit:
    """The factors of one view: B, U of the present block, and the sums over the other blocks.

    A and H decide on B. P, S, `norm` (of X) and `rest` (of the terms in U alone) are what the
    rows met in this pass add to the objective.
    """

    def __init__(self, B, alpha, beta):
        self.B, self.alpha, self.beta = B, alpha, beta
        self.A, self.H = np.zeros_like(B), np.zeros((B.shape[1], B.shape[1]))

    def begin_pass(self):
        self.P, self.S = np.zeros_like(self.A), np.zeros_like(self.H)
        self.norm = self.rest = 0.0

    def begin(self, X, c, U, U_star, number):
        self.X, self.c, self.U, self.U_old = X, c, U.copy(), U_star.copy()
        self.norm += float(c @ squared_row_norms(X))

    def products(self, U):
        """X'CU and U'CU of the block."""
        CU = self.c[:, None] * U
        return self.X.T @ CU, CU.T @ U

    def end(self, U_star):
        XU, UU = self.products(self.U)
        self.A, self.H, self.P, self.S = self.A + XU, self.H + UU, self.P + XU, self.S + UU
        self.rest += self.terms(self.U, U_star)

    def terms(self, U, U_star):
        misfit = U - U_star
        agreement = self.c @ squared_row_norms(misfit)
        return float(self.alpha * agreement + self.beta * U.sum())

    def error(self, P, S):
        return float(np.vdot(S, self.B.T @ self.B) - 2 * np.vdot(P, self.B))

    def total(self):
        return self.norm + self.rest + self.error(self.P, self.S)


class _ExactFit(_Fit):
    """Coordinate descent; when a block comes again, its share in A and H is replaced."""

    def __init__(self, B, alpha, beta):
        super().__init__(B, alpha, beta)
        self.B = unit_sums(B, np.empty((0, B.shape[1])))[0]
        self.norm_known = 0.0

    def begin(self, X, c, U, U_star, number):
        super().begin(X, c, U, U_star, number)
        if number == 0:
            self.norm_known = self.norm
        else:
            XU, UU = self.products(self.U)
            self.A, self.H = self.A - XU, self.H - UU

    def iterate(self, U_star):
        Ut, Bt = np.ascontiguousarray(self.U.T), np.ascontiguousarray(self.B.T)
        XB = (self.X @ self.B).T + self.alpha * U_star.T - self.beta / (2 * self.c)
        BB = Bt @ Bt.T
        for _ in range(SWEEPS):
            descend_coefficients(Ut, XB, BB, self.alpha)
        XU, UU = self.products(Ut.T)
        XU += self.A
        UU += self.H
        Xt = np.ascontiguousarray(XU.T)
        for _ in range(SWEEPS):
            descend_basis(Bt, Xt, UU)
        self.U, self.B, self.known = Ut.T, Bt.T, (XU, UU)

    def value(self, U_star):
        # of all rows met in any pass, but for the terms of other blocks in U alone
        return self.norm_known + self.error(*self.known) + self.terms(self.U, U_star)


class _AuthorFit(_Fit):
    """Projected Newton steps, each halved until it does not raise its part of the objective."""

    def iterate(self, U_star):
        c = self.c[:, None]
        Q = self.B.T @ self.B
        Q.flat[:: len(Q) + 1] += self.alpha
        pull = self.X @ self.B + self.alpha * U_star
        step = self.U - np.linalg.solve(Q, (pull - self.beta / (2 * c)).T).T

        def value_U(U):
            return np.vdot(c * U, U @ Q - 2 * pull) + self.beta * U.sum()

        U = _halve(self.U, step, value_U)
        XU, UU = self.products(U)
        PX, SX = self.P + XU, self.S + UU
        step = self.B - np.linalg.solve(self.H + UU, (self.A + XU).T).T
        B = _halve_quadratic(self.B, step, PX, SX)
        sums = np.maximum(B.sum(axis=0), FLOOR)
        self.U, self.B = U * sums, B / sums
        self.known, self.U_unscaled = (PX, SX), U

    def value(self, U_star):
        # Quirks of the released code: the new B with the U of before its scaling, and with the
        # U* of the last pass (zero in the first)
        terms = self.rest + self.terms(self.U_unscaled, self.U_old)
        return self.norm + self.error(*self.known) + terms


def _halve(F, step, value):
    before, length = value(F), 1.0
    for _ in range(HALVINGS):
        moved = np.maximum(F - length * step, 0.0)
        if value(moved) <= before:
            break
        length /= 2
    return moved


def _halve_quadratic(B, step, P, S):
    """`_halve` for <S, B'B> - 2 <P, B>, of which steps too short to reach 0 need no trial."""

    def value(B):
        return np.vdot(S, B.T @ B) - 2 * np.vdot(P, B)

    before, length = value(B), 1.0
    moved = np.maximum(B - step, 0.0)
    if value(moved) <= before:
        return moved
    step = np.where((B > 0) | (step < 0), step, 0.0)  # what is at 0 and would fall stays
    falling = step > 0
    reach = (B[falling] / step[falling]).min() if falling.any() else np.inf
    while length / 2 > reach:
        length /= 2
        moved = np.maximum(B - length * step, 0.0)
        if value(moved) <= before:
            return moved
    slope, curvature = 2 * np.vdot(B @ S - P, step), np.vdot(step @ S, step)
    if slope <= 0:
        return B
    length /= 2
    while length * curvature > slope:
        length /= 2
    return np.maximum(B - length * step, 0.0)


class Stream:
    """A view of sum 1 by blocks; missing rows are the mean of those present before them.

    Rows that come before the first one present take that one. X of shape (n_samples, n_features) is
    dense or sparse, missing rows zero; `present` is bool of shape (n_samples,). Blocks must be
    asked for with the `block_size` of the stream.

    `weights` (n_samples,) is the squared diagonal of W_v: 1, and for a missing row the squared
    share of rows present up to it. `norm` is ||W_v X_v||^2, `total` the sum of the view before it
    was scaled, and `mean` (n_features,) that of the rows present.
    """

    def __init__(self, X, present, block_size):
        n_samples = len(present)
        self.X, self.present, self.shape = X, present, X.shape
        self.counts = np.maximum(np.cumsum(present), 1)
        self.weights = np.where(present, 1.0, (self.counts / np.arange(1, n_samples + 1)) ** 2)
        self.first = np.argmax(present)
        self.total = 1.0
        self.sums, total, self.norm, before = {}, 0.0, 0.0, np.zeros(X.shape[1])
        for start in range(0, n_samples, block_size):
            self.sums[start] = before
            rows = slice(start, start + block_size)
            filled = self.rows(rows)
            before = before + filled[present[rows]].sum(axis=0)
            total += filled.sum()
            self.norm += float(self.weights[rows] @ squared_row_norms(filled))
        self.total, self.norm = total, self.norm / total**2
        self.mean = before / self.counts[-1] / total

    def rows(self, rows):
        """A block, filled and scaled, as a dense array."""
        filled = self._dense(rows)
        sums = None
        for i in np.flatnonzero(~self.present[rows]):
            if rows.start + i < self.first:
                filled[i] = self._dense(slice(self.first, self.first + 1))[0]
                continue
            if sums is None:  # missing rows are zero here but for those just filled
                present = self.present[rows][:, None]
                sums = self.sums[rows.start] + np.cumsum(np.where(present, filled, 0.0), axis=0)
            filled[i] = sums[i] / self.counts[rows.start + i]
        return filled / self.total

    def _dense(self, rows):
        block = self.X[rows]
        return block.toarray() if sparse.issparse(block) else block.copy()


def start_at_random(streams, n_clusters, seed):
    """Uniform random factors on the scale of views of sum 1.

    Returns a dict with U and B (lists, one per view).
    """
    rng = np.random.default_rng(seed)
    shapes = [stream.shape for stream in streams]
    return {
        "U": [2 * rng.random((n, n_clusters)) / (n * n_clusters) for n, _ in shapes],
        "B": [2 * rng.random((d, n_clusters)) / d for _, d in shapes],
    }


class OMVC(FoldInMixin, MultiViewClusterer):
    """Online multi-view clustering with incomplete views.

    The factorisation of MIC with an l1 norm, for samples that arrive in blocks: each block is
    fitted together with the bases, which know the earlier blocks by small sums. Missing instances
    are filled with the mean of those before them and weigh less [1]_.

    Parameters
    ----------
    n_clusters : int
        Number of clusters, and of columns of the factors.
    alpha : float or array-like of shape (n_views,), default=0.01
        Weight of the agreement of U_v with U*, relative to the views scaled to sum 1.
    beta : float or array-like of shape (n_views,), default=0.01
        Weight of the l1 norm of U_v, in units of ||W_v X_v||^2: the paper's weight over this
        number, which is about 1 / (number of entries) for views of sum 1. From about 3 the
        factors vanish.
    variant : {"exact", "author"}, default="exact"
        "exact" descends the objective, column by column, with the columns of B_v summing to 1; a
        block that comes again replaces its share in the sums, so that the objective falls from
        pass to pass. "author", the released code, takes projected Newton steps and scales B_v
        after them, but not the coefficients of earlier blocks; counts every pass anew in the sums
        A and H; and stops a block by a value that mixes scaled B_v with unscaled U_v. Accuracy,
        exact and author, means of 5 draws: 0.52 and 0.55 on 3sources and 0.65 and 0.60 on BBCSport
        with 30 % of the instances missing; of 3 draws: 0.68 and 0.63 on Handwritten (pix, fou, half
        of the samples in both).
    block_size : int, default=50
        Samples in a block.
    n_passes : int, default=2
        Passes over all blocks.
    scale : {"sample_unit", None}, default="sample_unit"
        "sample_unit" gives every sample unit length in every view, before the view is scaled to sum
        1. The released code does only the latter. "exact" without it: 0.64, 0.44 and 0.73 on these
        data, so with "sample_unit" better on one and worse on two.
    shuffle : bool, default=True
        Whether the samples come in random order; else in theirs.
    init : "random" or dict, default="random"
        "random" takes uniform random factors. A dict gives the arrays U (list, each
        (n_samples, n_clusters)) and B (list, each (n_features_v, n_clusters)).
    n_init : int, default=10
        Number of k-means starts for the labels.
    max_iter : int, default=200
        Most iterations in a block.
    tol : float, default=1e-4
        Relative change of the objective that ends a block.
    random_state : int, RandomState, Generator or None, default=None
        Drives the order, the start and the k-means runs.

    Attributes
    ----------
    labels_ : ndarray of int of shape (n_samples,)
        k-means on the rows of U* scaled to unit length.
    embedding_ : ndarray of shape (n_samples, n_clusters)
        The rows that k-means clusters: those of `U_star_`, of unit length.
    cluster_centers_ : ndarray of shape (n_clusters, n_clusters)
        Means of the clusters in `embedding_`.
    U_star_ : ndarray of shape (n_samples, n_clusters)
        Consensus.
    U_ : list of ndarray, each of shape (n_samples, n_clusters)
        Coefficients.
    B_ : list of ndarray, each of shape (n_features_v, n_clusters)
        Bases; their columns sum to 1.
    objective_ : ndarray of shape (n_iter_,)
        sum_v ||W_v (X_v - U_v B_v')||^2 + alpha ||W_v (U_v - U*)||^2 + beta sum(U_v) after each
        pass, for the filled views of sum 1.
    n_iter_ : int
        Number of passes.

    Notes
    -----
    The weight of a missing instance is the share of samples present so far, as in the paper; the
    script that comes with the released code leaves all weights at 1 by an oversight.

    References
    ----------
    .. [1] W. Shao, L. He, C.-T. Lu and P. S. Yu, "Online Multi-view Clustering with Incomplete
       Views", IEEE Big Data 2016.

    Examples
    --------
    >>> import numpy as np
    >>> from mvclust.estimators.omvc import OMVC
    >>> rng = np.random.default_rng(0)
    >>> X = np.kron(np.eye(2), np.ones((6, 3)))
    >>> X1, X2 = X + rng.random(X.shape), X + rng.random(X.shape)
    >>> X1[:2], X2[-2:] = np.nan, np.nan  # two instances are missing in each view
    >>> labels = OMVC(2, random_state=0).fit_predict([X1, X2])
    >>> bool(len(set(labels[:6])) == len(set(labels[6:])) == 1 and labels[0] != labels[6])
    True
    """

    view_tags = ViewTags(sparse=True, nonnegative=True)
    _parameter_constraints = MultiViewClusterer._parameter_constraints | {
        "alpha": [*NONNEGATIVE, "array-like"],
        "beta": [*NONNEGATIVE, "array-like"],
        "variant": [StrOptions({"exact", "author"})],
        "block_size": COUNT,
        "n_passes": COUNT,
        "scale": [StrOptions({"sample_unit"}), None],
        "shuffle": ["boolean"],
        "init": [StrOptions({"random"}), dict],
        "n_init": COUNT,
        "max_iter": COUNT,
        "tol": NONNEGATIVE,
    }

    def __init__(
        self,
        n_clusters,
        *,
        alpha=0.01,
        beta=0.01,
        variant="exact",
        block_size=50,
        n_passes=2,
        scale="sample_unit",
        shuffle=True,
        init="random",
        n_init=10,
        max_iter=200,
        tol=1e-4,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.alpha = alpha
        self.beta = beta
        self.variant = variant
        self.block_size = block_size
        self.n_passes = n_passes
        self.scale = scale
        self.shuffle = shuffle
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

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
        Xs, presence = self.check_input(Xs)
        alpha = check_weights(self.alpha, len(Xs), "OMVC: alpha")
        beta = check_weights(self.beta, len(Xs), "OMVC: beta")
        seed_order, seed_start, seed_labels = draw_seeds(self.random_state, 3)
        n_samples = len(presence)
        order = np.arange(n_samples)
        if self.shuffle:
            np.random.default_rng(seed_order).shuffle(order)
        streams = [
            Stream(X[order], present[order], self.block_size)
            for X, present in zip(scale_views(Xs, presence, self.scale), presence.T, strict=True)
        ]
        penalties = beta * [stream.norm for stream in streams]
        self._totals, self._penalties = [stream.total for stream in streams], penalties
        self._means = [stream.mean for stream in streams]
        self._lacking = presence.mean(axis=0) ** 2
        if isinstance(self.init, dict):
            shapes = {
                "U": [(n_samples, self.n_clusters)] * len(Xs),
                "B": [(X.shape[1], self.n_clusters) for X in Xs],
            }
            start = check_start(self.init, shapes, "OMVC")
            start["U"] = [U[order] for U in start["U"]]
        else:
            start = start_at_random(streams, self.n_clusters, seed_start)
        factors, objective, change = omvc(
            streams,
            start["U"],
            start["B"],
            alpha=alpha,
            beta=penalties,
            variant=self.variant,
            block_size=self.block_size,
            n_passes=self.n_passes,
            max_iter=self.max_iter,
            tol=self.tol,
        )
        back = np.argsort(order, kind="stable")
        self.U_, self.B_ = [U_v[back] for U_v in factors["U"]], factors["B"]
        self.U_star_ = factors["U_star"][back]
        self.objective_ = np.array(objective)
        self.n_iter_ = len(objective)
        if not change < self.tol:  # it may be NaN
            warn_not_converged("OMVC", self.max_iter, self.tol)
        self.embedding_ = unit_samples(self.U_star_ * n_samples)  # of a size whatever n is
        self.labels_, self.cluster_centers_ = labels_and_centers(
            self.embedding_, self.n_clusters, n_init=self.n_init, seed=seed_labels
        )
        return self

    def _represent_new(self, Xs, presence):
        Xs = scale_views(Xs, presence, self.scale)
        Xs = [X / total for X, total in zip(Xs, self._totals, strict=True)]
        consensus = fold_in_with_consensus(
            fill_rows(Xs, presence, self._means),
            self.B_,
            presence,
            weights=np.ones(len(Xs)),
            ties=check_weights(self.alpha, len(Xs), "OMVC: alpha"),
            lacking=self._lacking,
            penalties=self._penalties,
        )
        return unit_samples(consensus * len(self.labels_))
