"""Incomplete multi-modal visual data grouping (Zhao, Liu & Fu, IJCAI 2016)."""

import numpy as np
from scipy import linalg
from scipy.sparse.linalg import LinearOperator, eigsh
from sklearn.utils.validation import check_is_fitted

from mvclust.estimators.base import (
    MultiViewClusterer,
    Solution,
    ViewTags,
    check_start,
    cluster_rows,
    draw_seeds,
    warn_not_converged,
)
from mvclust.estimators.constraints import COUNT, NONNEGATIVE, POSITIVE, StrOptions
from mvclust.numerics.blocks import row_blocks
from mvclust.numerics.distances import squared_norm, squared_row_norms
from mvclust.numerics.eigen import canonical_basis, fixed_search
from mvclust.numerics.scaling import scale_views, unit_samples

MU, GROWTH, LARGEST_MU = 0.1, 1.1, 1e10  # penalty of the ADMM, of the released code
BLOCK = 2**17  # distances worked on at a time: they stay in the cache
EPS = float(np.finfo(float).eps)  # beside the root of degrees, as in the released code
DENSE = 300  # up to this size a full reduction is faster than Lanczos
SOLVED = 1e-12  # share of the right side below which a residual of the Q step is rounding errors


def img(Xs, presence, P, L, *, lam, beta, gamma, variant, max_iter, tol) -> Solution:
    """Minimise the objective O of `IMG` by ADMM, with a copy Q of P in the graph's terms.

    The two views of shape (n_samples, n_features_v), which may be sparse, have zeros in missing
    rows, and presence has shape (n_samples, 2). P (n_samples, n_clusters) is the latent
    representation to start from. L (n_samples, n_samples) stands for the Laplacian in the first Q
    step; None: that of the graph of P. The weights and the variant, "exact" or "author", are those
    of `IMG`. The run ends after max_iter iterations, or when no entries of P and Q differ by tol or
    more.

    Returns P, Q, U (list with one (n_clusters, n_features_v) array per view) and the
    `DistanceGraph`; the objective after each iteration, with Q in the term of the graph; the
    largest difference of P and Q at the end.
    """
    n, k = P.shape
    paired = presence.all(axis=1)
    groups = [np.flatnonzero(rows) for rows in (paired, *(presence & ~paired[:, None]).T)]
    norms = sum(squared_norm(X) for X in Xs)
    Q, multiplier, mu = P, np.zeros((n, k)), MU
    weight = beta / (4 * gamma)
    graph = DistanceGraph(Q, weight, variant) if L is None else None
    objective, gap = [], np.inf
    while len(objective) < max_iter and gap >= tol:
        U = [
            update_basis(X, P, paired if variant == "author" else present, lam)
            for X, present in zip(Xs, presence.T, strict=True)
        ]
        XU = [X @ U_v.T for X, U_v in zip(Xs, U, strict=True)]
        UU = [U_v @ U_v.T for U_v in U]
        P = update_latent(XU, UU, groups, mu * Q - multiplier, mu)
        if graph is None:
            Q = np.linalg.solve(beta * (L + L.T) + mu * np.eye(n), multiplier + mu * P)
        else:
            Q = graph.smooth(multiplier + mu * P, beta, mu, Q)
        graph = DistanceGraph(Q, weight, variant, graph)
        multiplier = multiplier + mu * (P - Q)
        mu = min(GROWTH * mu, LARGEST_MU)
        gap = float(np.abs(P - Q).max())
        error = norms + sum(
            lam * UU_v.trace() - 2 * np.vdot(XU_v, P) + np.vdot(UU_v, P[present].T @ P[present])
            for XU_v, UU_v, present in zip(XU, UU, presence.T, strict=True)
        )
        objective.append(float(error + gamma * graph.value))
    return Solution({"P": P, "Q": Q, "U": U, "graph": graph}, objective, gap)


def update_basis(X, P, rows, lam):
    """U_v = (P'P + lam I)^-1 P'X_v over the given rows."""
    P = np.where(rows[:, None], P, 0.0)
    inner = P.T @ P
    inner.flat[:: len(inner) + 1] += lam
    return np.linalg.solve(inner, (X.T @ P).T)


def update_latent(XU, UU, groups, pull, mu):
    """P by groups of samples: those in both views, in the first only, in the second only."""
    P = np.empty_like(pull)
    for rows, views in zip(groups, ([0, 1], [0], [1]), strict=True):
        inner = 2 * sum(UU[v] for v in views)
        inner.flat[:: len(inner) + 1] += mu
        P[rows] = np.linalg.solve(inner, (2 * sum(XU[v][rows] for v in views) + pull[rows]).T).T
    return P


class DistanceGraph:
    """Graph A = (B + B')/2 in which near rows of Q are joined more strongly.

    B minimises 2 sum_ij b_ij s_ij + sum_ij b_ij^2 with s_ij = weight |q_i - q_j|^2 and rows that
    sum to 1: b_ij = max(0, theta_i - s_ij). While no entry is below 0, A is a matrix of rank
    n_clusters + 2 that is never formed; products and the Q step then cost O(n).

    Q has shape (n, k). The theta are those with which rows of B sum to 1 if the variant is "exact",
    and those with which they did before negative entries were raised to 0 if it is "author".
    `previous` is the DistanceGraph of a similar Q, where to start the search for theta, or None.

    `value` is what B minimises, with "author" at A; `degrees` (n,) are the row sums of A; `dense`
    (n, n) is A if entries were raised to 0, else None.
    """

    def __init__(self, Q, weight, variant, previous=None):
        n = len(Q)
        self.shape, self.weight = (n, n), weight
        self.R = Q - Q.mean(axis=0)
        self.q = squared_row_norms(self.R)
        self.level = (1 + weight * self.q.sum()) / n
        self.theta = self.level + weight * self.q
        self.degrees = self.level * n - weight / 2 * (n * self.q + self.q.sum())
        self.dense = None
        if self._falls_below_zero():
            if variant == "exact":
                self._search_theta(previous)
            self._form(variant)
        else:
            self.value = self._value_of_low_rank(variant)

    def _blocks(self):
        """s for some rows after the others."""
        turned = np.ascontiguousarray(self.R.T)
        for rows in row_blocks(len(self.q), len(self.q), BLOCK):
            s = (-2 * self.weight * self.R[rows]) @ turned
            s += self.weight * self.q[rows, None]
            s += self.weight * self.q
            yield rows, s

    def _falls_below_zero(self):
        if 3 * self.weight * self.q.max() <= self.level:  # theta_i - s_ij cannot be negative
            return False
        return any((s.max(axis=1) > self.theta[rows]).any() for rows, s in self._blocks())

    def _search_theta(self, previous):
        """Solve sum_j max(0, theta - s_j) = 1 for each row by Newton's method.

        The sum is convex in theta: after a first step from wherever, theta only falls.
        """
        start = self.theta
        if previous is not None and previous.dense is not None:
            start = previous.theta
        self.theta = np.empty(len(start))
        for rows, s in self._blocks():
            theta, before = start[rows], None
            while True:
                active = s < theta[:, None]
                count = active.sum(axis=1)
                if before is not None and np.array_equal(before, count):
                    break
                before, theta = count, (1 + np.einsum("ij,ij->i", s, active)) / count
            self.theta[rows] = theta

    def _form(self, variant):
        self.dense = np.empty(self.shape)
        self.value = 0.0
        for rows, s in self._blocks():
            A, other = self.dense[rows], self.theta - s
            np.subtract(self.theta[rows, None], s, out=A)
            np.maximum(A, 0, out=A)
            if variant == "exact":
                self.value += float(np.vdot(A, A))
            A += np.maximum(other, 0, out=other)
            A *= 0.5
            if variant == "author":
                self.value += float(np.vdot(A, A))
            self.value += float(2 * np.vdot(A, s))
        self.degrees = self.dense.sum(axis=1)

    def _value_of_low_rank(self, variant):
        n, w, q = len(self.q), self.weight, self.q
        gram, total, square = self.R.T @ self.R, q.sum(), q @ q
        common = (n * self.level) ** 2 - 2 * self.level * w * n * total
        common += 4 * w**2 * np.vdot(gram, gram)
        norm = common + w**2 * n * square  # |B|^2; sum_ij b_ij s_ij is sum_i theta_i - |B|^2
        value = 2 * self.theta.sum() - norm
        if variant == "author":
            value += common + w**2 / 2 * (n * square + total**2) - norm
        return float(value)

    def __matmul__(self, x):
        """A x for a vector or several."""
        if self.dense is not None:
            return self.dense @ x
        q, w, total = self.q, self.weight, x.sum(axis=0)
        product = (2 * w) * (self.R @ (self.R.T @ x))
        product += self.level * total - w / 2 * (q @ x)
        product -= np.multiply.outer(w / 2 * q, total)
        return product

    def diagonal(self):
        """The diagonal of A."""
        return self.theta if self.dense is None else self.dense.diagonal()

    def smooth(self, right, beta, mu, start):
        """Solve (2 beta L + mu I) Q = right, with L the Laplacian of A.

        `right` has shape (n, k), and so has `start`, where iterations begin if A is dense.
        """
        D = (2 * beta * self.degrees + mu)[:, None]
        if self.dense is not None:
            return _conjugate_gradients(lambda x: D * x - 2 * beta * (self @ x), D, right, start)
        # Woodbury: A = Z C Z'
        Z = np.column_stack([np.ones(len(D)), self.q, self.R])
        C = np.diag([self.level, 0.0, *[2 * self.weight] * self.R.shape[1]])
        C[0, 1] = C[1, 0] = -self.weight / 2
        C *= 2 * beta
        x = right / D
        inner = np.eye(len(C)) - C @ (Z.T @ (Z / D))
        return x + (Z / D) @ np.linalg.solve(inner, C @ (Z.T @ x))

    def cut_vectors(self, n_vectors):
        """Solutions of the normalised cut: D^-1/2 times the top eigenvectors of D^-1/2 A D^-1/2.

        The diagonal of A counts as 0. The result has shape (n, n_vectors).
        """
        n, own = len(self.q), self.diagonal()
        root = np.sqrt(np.maximum(self.degrees - own, 0)) + EPS
        n_pairs = min(n_vectors + 1, n)
        if n <= max(DENSE, 4 * n_vectors):
            W = self @ np.eye(n) / np.outer(root, root)
            W.flat[:: n + 1] = 0.0
            values, vectors = linalg.eigh((W + W.T) / 2, subset_by_index=[n - n_pairs, n - 1])
        else:
            own = own / root**2
            operator = LinearOperator(
                (n, n), matvec=lambda x: (self @ (x / root)) / root - own * x, dtype=float
            )
            values, vectors = eigsh(operator, k=n_pairs, which="LA", **fixed_search(n))
        order = np.argsort(-values, kind="stable")
        return canonical_basis(values[order], vectors[:, order], n_vectors) / root[:, None]


def _conjugate_gradients(multiply, D, right, x):
    """Solve for all right sides side by side, with the diagonal D as preconditioner."""
    residual = right - multiply(x)
    enough = SOLVED * np.linalg.norm(right, axis=0)
    direction, before = 0.0, 1.0
    for _ in range(len(right)):
        todo = np.linalg.norm(residual, axis=0) > enough
        if not todo.any():
            break
        z = residual / D
        product = np.einsum("ij,ij->j", residual, z)
        direction = z + direction * (product / before)
        before = np.where(product > 0, product, 1.0)
        image = multiply(direction)
        curvature = np.einsum("ij,ij->j", direction, image)
        step = np.divide(product, curvature, out=np.zeros_like(product), where=curvature > 0)
        x = x + step * direction
        residual = residual - step * image
    return x


def start_at_random(n_samples, n_clusters, variant, seed):
    """Uniform random P, and with "author" also what stands for L in the first Q step."""
    rng = np.random.default_rng(seed)
    start = {"P": rng.random((n_samples, n_clusters))}
    if variant == "author":
        start["L"] = rng.random((n_samples, n_samples))
    return start


class IMG(MultiViewClusterer):
    """Incomplete multi-modal grouping of two incomplete views.

    Both views are factorised with one latent representation P of all samples, in which a sample
    that is present in both views has one row. A graph A of all samples is learned along with it:
    near rows of P are joined more strongly, and joined rows are drawn together [1]_.

    Parameters
    ----------
    n_clusters : int
        Number of clusters, and of columns of P.
    lam : float, default=0.01
        Weight of the squared norms of the bases.
    beta : float, default=1.0
        Weight of the smoothness of P on the graph.
    gamma : float, default=100.0
        Weight of the squared norm of the graph. With 100 all edges are nearly equal and none is
        0, which makes an iteration O(n); with 1 (and data of unit length) many are 0, and an
        iteration takes O(n^2): 0.5 and 5 to 12 s a fit with 2000 samples.
    variant : {"exact", "author"}, default="exact"
        "exact" takes the minimiser of O in each step. "author" is the released code: it fits the
        bases to the samples with both views alone; raises negative edges to 0 without regard to
        the row sums; and takes a full random matrix for the Laplacian in the first step. On
        Handwritten (pix, fou, half of the samples in both views, five draws, default weights)
        accuracy is 0.75 with "exact" and 0.80 with "author" from the cut, 0.83 and 0.81 from
        k-means.
    labels : {"cut", "kmeans"}, default="cut"
        Normalised cut of A as in the paper, or k-means on the rows of P scaled to unit length.
    scale : {"sample_unit", None}, default="sample_unit"
        "sample_unit" gives every sample unit length in every view.
    init : "random" or dict, default="random"
        "random" takes a uniform random P. A dict gives P (n_samples, n_clusters) and with
        "author" L (n_samples, n_samples).
    n_init : int, default=10
        Number of k-means starts for the labels (the released code takes 100).
    max_iter : int, default=200
        Most iterations.
    tol : float, default=1e-8
        Largest difference of P and its copy Q that ends the run. A penalty that grows by a tenth
        in each iteration draws them together: 70 to 110 iterations are usual.
    random_state : int, RandomState, Generator or None, default=None
        Drives the start and the k-means runs.

    Attributes
    ----------
    labels_ : ndarray of int of shape (n_samples,)
    embedding_ : ndarray of shape (n_samples, n_clusters)
        The rows that k-means clusters: solutions of the normalised cut of the graph, or with
        ``labels="kmeans"`` the rows of `P_`, of unit length.
    P_ : ndarray of shape (n_samples, n_clusters)
        Latent representation.
    U_ : list of two ndarray, each of shape (n_clusters, n_features_v)
        Bases.
    objective_ : ndarray of shape (n_iter_,)
        O = sum_v ||X_v - P_v U_v||^2 + lam ||U_v||^2 + beta tr(Q'L Q) + gamma ||B||^2 after each
        iteration, L being the Laplacian of A = (B + B')/2, and P_v the rows of P present in view v
        ("author": with A in place of B). It need not fall: Q differs from P until the end.
    n_iter_ : int

    References
    ----------
    .. [1] H. Zhao, H. Liu and Y. Fu, "Incomplete Multi-Modal Visual Data Grouping", IJCAI 2016.

    Examples
    --------
    >>> import numpy as np
    >>> from mvclust import IMG
    >>> rng = np.random.default_rng(0)
    >>> X = np.kron(np.eye(2), np.ones((6, 3)))
    >>> X1, X2 = X + 0.3 * rng.random(X.shape), X + 0.3 * rng.random(X.shape)
    >>> X1[:2], X2[-2:] = np.nan, np.nan  # two instances are missing in each view
    >>> labels = IMG(2, random_state=0).fit_predict([X1, X2])
    >>> bool(len(set(labels[:6])) == len(set(labels[6:])) == 1 and labels[0] != labels[6])
    True
    """

    view_tags = ViewTags(sparse=True, n_views=2)
    _parameter_constraints = MultiViewClusterer._parameter_constraints | {
        "lam": POSITIVE,
        "beta": NONNEGATIVE,
        "gamma": POSITIVE,
        "variant": [StrOptions({"exact", "author"})],
        "labels": [StrOptions({"cut", "kmeans"})],
        "scale": [StrOptions({"sample_unit"}), None],
        "init": [StrOptions({"random"}), dict],
        "n_init": COUNT,
        "max_iter": COUNT,
        "tol": NONNEGATIVE,
    }

    def __init__(
        self,
        n_clusters,
        *,
        lam=0.01,
        beta=1.0,
        gamma=100.0,
        variant="exact",
        labels="cut",
        scale="sample_unit",
        init="random",
        n_init=10,
        max_iter=200,
        tol=1e-8,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.lam = lam
        self.beta = beta
        self.gamma = gamma
        self.variant = variant
        self.labels = labels
        self.scale = scale
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    # These decide how labels follow from a solution, so that models of one solution can share it.
    label_parameters = ("labels",)

    def fit(self, Xs, y=None):
        """Cluster the samples.

        Parameters
        ----------
        Xs : list of two array-like or sparse, each of shape (n_samples, n_features_v)
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
        Xs : list of two array-like or sparse
            As `fit` takes them.

        Returns
        -------
        self
        """
        Xs, presence = self.check_input(Xs)
        if not presence.all(axis=1).any():
            raise ValueError(
                "IMG: no sample is present in both views, so nothing relates the two bases; IMG "
                "needs some samples with both views."
            )
        Xs = scale_views(Xs, presence, self.scale)
        seed_start, self._seed_labels = draw_seeds(self.random_state, 2)
        n = len(presence)
        if isinstance(self.init, dict):
            shapes = {"P": (n, self.n_clusters)}
            if self.variant == "author":
                shapes["L"] = (n, n)
            start = check_start(self.init, shapes, "IMG")
        else:
            start = start_at_random(n, self.n_clusters, self.variant, seed_start)
        factors, objective, gap = img(
            Xs,
            presence,
            start["P"],
            start.get("L"),
            lam=self.lam,
            beta=self.beta,
            gamma=self.gamma,
            variant=self.variant,
            max_iter=self.max_iter,
            tol=self.tol,
        )
        self.P_, self.U_, self._graph = factors["P"], factors["U"], factors["graph"]
        self.objective_ = np.array(objective)
        self.n_iter_ = len(objective)
        if gap >= self.tol:
            warn_not_converged("IMG", self.max_iter, self.tol)
        return self

    def relabel(self):
        """Label the samples of a model that has its solution, as ``labels`` now says.

        Returns
        -------
        self
        """
        check_is_fitted(self, "P_")
        if self.labels == "cut":
            self.embedding_ = self._graph.cut_vectors(self.n_clusters)
        else:
            self.embedding_ = unit_samples(self.P_)
        self.labels_ = cluster_rows(
            self.embedding_, self.n_clusters, n_init=self.n_init, seed=self._seed_labels
        )
        return self
