"""One-pass incomplete multi-view clustering (Hu & Chen, AAAI 2019)."""

import numpy as np

from mvclust.estimators.base import (
    MultiViewClusterer,
    Solution,
    ViewTags,
    check_start,
    cluster_rows,
    draw_seeds,
    warn_if_fewer,
    warn_not_converged,
)
from mvclust.estimators.constraints import COUNT, NONNEGATIVE, StrOptions
from mvclust.estimators.new_samples import NewSamplesMixin
from mvclust.numerics.distances import squared_norm, squared_row_norms
from mvclust.numerics.impute import fill_missing
from mvclust.numerics.products import dense
from mvclust.numerics.scaling import scale_views

TINY = float(np.finfo(np.float64).tiny)
NARROW = 4  # blocks of fewer samples per cluster cost less through products of their samples


def opimc(Xs, presence, blocks, V, *, alpha, n_passes, variant, scale, max_iter, tol) -> Solution:
    """Minimise sum_v ||W_v (X_v - V U_v)||^2 + alpha ||U_v||^2 block by block, rows of V one-hot.

    Of past blocks the statistics R_v = V'X_v and T_v = diag(V'W_v V) are enough for U_v.

    Parameters
    ----------
    Xs : list of ndarray or csr_array, each of shape (n_samples, n_features_v)
        The views, missing rows zero. One block of them at a time is made dense, and scaled.
    presence : ndarray of bool of shape (n_samples, n_views)
    blocks : list of ndarray of int
        The samples of each block; each sample is in one.
    V : ndarray of shape (len(blocks[0]), n_clusters), non-negative
        Memberships in the first block to start from; they need not be one-hot.
    alpha : float
    n_passes : int
        Passes over all blocks; from the second on labels are revised.
    variant : {"exact", "author"}
        What U_v is for a cluster without any sample in view v, see `OPIMC`.
    scale : {"sample_unit", None}
    max_iter : int
        Most iterations in a block.
    tol : float
        Relative change of the value that ends a block.

    Returns
    -------
    Solution
        labels (n_samples,); U and R (lists with one (n_clusters, n_features_v) array per view); T
        (n_views, n_clusters); values, for each block a list with the value after each iteration,
        without ||X_v||^2; the objective over the samples seen so far after each block; the largest
        relative change that a block ended with.
    """
    n_clusters = V.shape[1]
    labels, T = np.full(len(presence), -1), np.zeros((len(Xs), n_clusters))
    R, U = ([np.zeros((n_clusters, X.shape[1])) for X in Xs] for _ in range(2))
    norms, values, objective, worst = 0.0, [], [], 0.0
    for n_pass in range(n_passes):
        for b, rows in enumerate(blocks):
            views = scale_views([dense(X[rows]) for X in Xs], None, scale)
            there, first = presence[rows].T.astype(np.float64), n_pass == 0 and b == 0
            if n_pass == 0:
                U = _ridge_regression(views, there, V, alpha) if first else U
                found, value = _best_labels(views, there, U, R, T, alpha)
                norms += sum(squared_norm(X) for X in views)
            else:
                found, value = labels[rows], np.inf
                _count(views, there, found, R, T, -1)
            if variant == "exact" and len(rows) < NARROW * n_clusters:
                bases = _Narrow(views, R, U)
            else:
                empty = "zero" if variant == "exact" else "mean" if first else "kept"
                bases = _Wide(views, R, U, empty)
            found, of_block, change = _settle(
                bases, there, found, value, T, alpha, max_iter - first, tol
            )
            U, labels[rows], worst = bases.factors(), found, max(worst, change)
            _count(views, there, found, R, T, 1)
            values.append([value, *of_block] if first else of_block)
            objective.append(float(norms + values[-1][-1]))
    factors = {"labels": labels, "U": U, "R": R, "T": T, "values": values}
    return Solution(factors, objective, worst)


def _settle(bases, there, labels, value, T, alpha, max_iter, tol):
    """Alternate U and labels in one block; return labels, values and the last relative change."""
    values, change = [], np.inf
    while len(values) < max_iter and change >= tol:
        members = np.eye(T.shape[1])[labels]
        mass = T + there @ members
        shares = np.divide(1.0, mass + alpha, out=np.zeros_like(mass), where=mass > 0)
        XU, squares, inner = bases.update(members, shares)
        before, previous = labels, value
        labels, costs = _assign(there, XU, squares)
        value = float(costs + ((T + alpha) * squares - 2 * inner).sum())
        values.append(value)
        if (labels == before).all():  # nothing moves any more
            change = 0.0
        elif np.isfinite(previous):
            change = abs(value - previous) / max(abs(previous), TINY)
    return labels, values, change


class _Wide:
    """The bases U of a block, R + V'X times the shares, as they stand.

    `empty` says what the base of a cluster with a share of zero is: "zero", the "mean" of the
    block, or what is "kept" from the step before.
    """

    def __init__(self, views, R, U, empty):
        self.views, self.R, self.U = views, R, U
        self.spare = [X.mean(axis=0) for X in views] if empty == "mean" else None
        self.keeps = empty == "kept"

    def update(self, members, shares):
        """X U' (n_views, n, k); squared lengths of U, and inner products with R (n_views, k)."""
        U = _bases(self.views, self.R, members, shares)
        spare = self.U if self.keeps else self.spare
        if spare is not None:
            U = [
                np.where(share[:, None] > 0, U_v, other)
                for U_v, share, other in zip(U, shares, spare, strict=True)
            ]
        self.U = U
        pairs = zip(self.R, U, strict=True)
        return (
            np.stack([X @ U_v.T for X, U_v in zip(self.views, U, strict=True)]),
            np.stack([squared_row_norms(U_v) for U_v in U]),
            np.stack([np.einsum("kd,kd->k", R, U_v) for R, U_v in pairs]),
        )

    def factors(self):
        return self.U


class _Narrow:
    """The same, with zero for empty clusters, from products of the few samples of a block.

    With K = X X' and G = X R', X (R + V'X)' is G + K V: an iteration does not see the features.
    """

    def __init__(self, views, R, U):
        self.views, self.R, self.U, self.last = views, R, U, None
        self.K = np.stack([X @ X.T for X in views])
        self.G = np.stack([X @ R_v.T for X, R_v in zip(views, R, strict=True)])
        self.squares = np.stack([squared_row_norms(R_v) for R_v in R])

    def update(self, members, shares):
        products = self.G + self.K @ members
        inner = self.squares + np.einsum("vik,ik->vk", self.G, members)
        squares = inner + np.einsum("vik,ik->vk", products, members)
        products *= shares[:, None]
        self.last = members, shares
        return products, squares * shares**2, inner * shares

    def factors(self):
        if self.last is None:
            return self.U
        return _bases(self.views, self.R, *self.last)


def _bases(views, R, members, shares):
    """U of all views: R + V'X times the shares."""
    return [
        (R_v + members.T @ X) * share[:, None]
        for X, R_v, share in zip(views, R, shares, strict=True)
    ]


def _assign(there, XU, squares):
    """The label of least cost for every sample, the first of equals; and the sum of the costs."""
    costs = np.einsum("vi,vik->ik", there, squares[:, None] - 2 * XU)
    labels = costs.argmin(axis=1)
    return labels, costs[np.arange(len(labels)), labels].sum()


def _best_labels(views, there, U, R, T, alpha):
    """Labels for given U, and the value of both."""
    XU = np.stack([X @ U_v.T for X, U_v in zip(views, U, strict=True)])
    squares = np.stack([squared_row_norms(U_v) for U_v in U])
    labels, costs = _assign(there, XU, squares)
    inner = sum(np.vdot(U_v, R_v) for U_v, R_v in zip(U, R, strict=True))
    return labels, float(costs + ((T + alpha) * squares).sum() - 2 * inner)


def _ridge_regression(views, there, V, alpha):
    """U for memberships that need not be one-hot."""
    return [
        np.linalg.pinv(V.T @ (V * w[:, None]) + alpha * np.eye(V.shape[1]), hermitian=True)
        @ (V.T @ X)
        for X, w in zip(views, there, strict=True)
    ]


def _count(views, there, labels, R, T, sign):
    """Add a block to the statistics, or take it out, in place."""
    members = np.eye(T.shape[1])[labels]
    T += sign * (there @ members)
    for R_v, X in zip(R, views, strict=True):
        R_v += sign * (members.T @ X)


def start_from_kmeans(views, presence, n_clusters, n_init, seed):
    """Memberships by k-means on the mean-filled views of the first block side by side.

    The views (n, n_features_v) are the block, as scaled; `presence` has shape (n, n_views), and the
    result (n, n_clusters).
    """
    X = np.hstack(fill_missing(views, presence, "mean"))
    return np.eye(n_clusters)[cluster_rows(X, n_clusters, n_init=n_init, seed=seed)]


def start_at_random(n, n_clusters, seed):
    """Random memberships that sum to 1, as in the released code."""
    V = np.random.default_rng(seed).random((n, n_clusters))
    return V / V.sum(axis=1, keepdims=True)


class OPIMC(NewSamplesMixin, MultiViewClusterer):
    """One-pass incomplete multi-view clustering.

    Regularised k-means with one labelling for all views, over blocks of samples that come one after
    the other: of past blocks only sums and counts of each cluster are kept [1]_. Missing instances
    count nowhere.

    The variant "author" follows the released code (github.com/DarrenZZhang/TSCMA23-Survey_IMC,
    commit ad80fad), on views whose missing rows are zero; the driver in that repository leaves the
    hidden entries in.

    Parameters
    ----------
    n_clusters : int
        Number of clusters.
    alpha : float, default=0.01
        Weight of ||U_v||^2. It is a number of samples by which the mean of a cluster is drawn to
        zero: the demo of the released code has 10 with blocks of 30, where the first means, of
        three samples in ten clusters, shrink to a quarter, and large clusters least.
    block_size : int, default=250
        Samples of a block; the last one may be smaller. The demo has 30. On Handwritten small
        blocks are worse: later ones hardly correct what the first one settles.
    n_passes : int, default=2
        Passes over all blocks. With 1, as the name says, labels are final when their block ends;
        later passes revise them, and never raise the objective.
    variant : {"exact", "author"}, default="exact"
        The base of a cluster that has no sample in a view so far. "exact" is zero, which minimises
        the objective: no iteration within a block raises it. "author" is the mean of the first
        block, and later what it was before; there iterations may go round in circles until
        `max_iter` ends them.
    scale : {"sample_unit", None}, default="sample_unit"
        "sample_unit" gives every sample unit length in every view, as the released code does.
    shuffle : bool, default=True
        Whether blocks are drawn at random from the samples, those in all views first. If not, they
        follow the order of the samples.
    init : {"kmeans", "random"} or dict, default="kmeans"
        Memberships in the first block: of k-means on its mean-filled views side by side; or random,
        as in the released code. A dict gives V, a non-negative array (n, n_clusters) for the n
        samples of the first block.
    n_init : int, default=10
        Number of starts of that k-means.
    max_iter : int, default=30
        Most iterations in a block.
    tol : float, default=1e-6
        Relative change of the value of a block that ends it; it also ends when no label changes.
    random_state : int, RandomState, Generator or None, default=None
        For the order of the samples, and for the start.

    Attributes
    ----------
    labels_ : ndarray of int of shape (n_samples,)
    U_ : list of ndarray, each of shape (n_clusters, n_features_v)
        Bases: means of the clusters, drawn to zero by alpha.
    R_ : list of ndarray, each of shape (n_clusters, n_features_v)
        Sums of the samples of each cluster.
    T_ : ndarray of shape (n_views, n_clusters)
        Numbers of these samples.
    objective_ : ndarray of shape (n_iter_,)
        sum_v ||W_v (X_v - V U_v)||^2 + alpha ||U_v||^2 over the samples seen so far, after each
        block. In the first pass it grows with the samples, from then on it never rises (variant
        "exact").
    n_iter_ : int
        Number of blocks, times passes.

    References
    ----------
    .. [1] M. Hu and S. Chen, "One-Pass Incomplete Multi-View Clustering", AAAI 2019.

    Examples
    --------
    >>> import numpy as np
    >>> from mvclust import OPIMC
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 10)
    >>> X1, X2 = 4 * np.eye(2)[y] + rng.random((20, 2)), 3 * np.eye(2)[y] + rng.random((20, 2))
    >>> X1[:3] = np.nan  # three instances are missing in the first view
    >>> labels = OPIMC(2, random_state=0).fit_predict([X1, X2])
    >>> bool((labels[:10] == labels[0]).all() and (labels[10:] == 1 - labels[0]).all())
    True
    """

    view_tags = ViewTags(sparse=True)
    _parameter_constraints = MultiViewClusterer._parameter_constraints | {
        "alpha": NONNEGATIVE,
        "block_size": COUNT,
        "n_passes": COUNT,
        "variant": [StrOptions({"exact", "author"})],
        "scale": [StrOptions({"sample_unit"}), None],
        "shuffle": ["boolean"],
        "init": [StrOptions({"kmeans", "random"}), dict],
        "n_init": COUNT,
        "max_iter": COUNT,
        "tol": NONNEGATIVE,
    }

    def __init__(
        self,
        n_clusters,
        *,
        alpha=0.01,
        block_size=250,
        n_passes=2,
        variant="exact",
        scale="sample_unit",
        shuffle=True,
        init="kmeans",
        n_init=10,
        max_iter=30,
        tol=1e-6,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.alpha = alpha
        self.block_size = block_size
        self.n_passes = n_passes
        self.variant = variant
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
        Xs : list of array-like or sparse, each of shape (n_samples, n_features_v)
            The views; a missing instance is a row of NaN.
        y : ignored

        Returns
        -------
        self
        """
        Xs, presence = self.check_input(Xs)
        seed_order, seed_start = draw_seeds(self.random_state, 2)
        blocks = self._blocks(presence, seed_order)
        factors, objective, change = opimc(
            Xs,
            presence,
            blocks,
            self._start(Xs, presence, blocks[0], seed_start),
            alpha=self.alpha,
            n_passes=self.n_passes,
            variant=self.variant,
            scale=self.scale,
            max_iter=self.max_iter,
            tol=self.tol,
        )
        self.labels_, self.U_, self.R_, self.T_ = (factors[name] for name in ("labels", *"URT"))
        self.objective_ = np.array(objective)
        self.n_iter_ = len(objective)
        if change >= self.tol:
            warn_not_converged("OPIMC", self.max_iter, self.tol)
        warn_if_fewer(self.labels_, self.n_clusters)
        return self

    def _blocks(self, presence, seed):
        """The samples of each block; at least n_clusters in the first one."""
        n_samples = len(presence)
        order = np.arange(n_samples)
        if self.shuffle:
            order = np.random.default_rng(seed).permutation(n_samples)
            order = order[np.argsort(~presence[order].all(axis=1), kind="stable")]
        size = max(self.block_size, self.n_clusters)
        return [order[first : first + size] for first in range(0, n_samples, size)]

    def _start(self, Xs, presence, rows, seed):
        shape = len(rows), self.n_clusters
        if isinstance(self.init, dict):
            V = check_start(self.init, {"V": shape}, "OPIMC")["V"]
            if (V < 0).any():
                raise ValueError("OPIMC: init V needs non-negative memberships.")
            return V
        if self.init == "random":
            return start_at_random(*shape, seed)
        views = scale_views([dense(X[rows]) for X in Xs], None, self.scale)
        return start_from_kmeans(views, presence[rows], self.n_clusters, self.n_init, seed)

    def _label_new(self, Xs, presence):
        views = scale_views(Xs, None, self.scale)
        XU = np.stack([X @ U.T for X, U in zip(views, self.U_, strict=True)])
        squares = np.stack([squared_row_norms(U) for U in self.U_])
        return _assign(presence.T.astype(np.float64), XU, squares)[0]
