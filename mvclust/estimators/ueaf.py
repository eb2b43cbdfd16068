"""Unified embedding alignment with missing views inferring (Wen et al., AAAI 2019)."""

from numbers import Real

import numpy as np
from scipy import sparse
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse.linalg import splu

from mvclust.estimators.base import (
    TINY,
    MultiViewClusterer,
    Solution,
    ViewTags,
    check_start,
    draw_seeds,
    labels_and_centers,
    warn_not_converged,
)
from mvclust.estimators.constraints import COUNT, NONNEGATIVE, Interval, StrOptions
from mvclust.estimators.new_samples import FoldInMixin
from mvclust.numerics.blocks import row_blocks
from mvclust.numerics.distances import squared_distances, squared_row_norms
from mvclust.numerics.eigen import laplacian_eigenvectors
from mvclust.numerics.graphs import laplacian, neighbor_graph
from mvclust.numerics.impute import fill_missing
from mvclust.numerics.scaling import ViewScaler, scale_views, unit_samples
from mvclust.numerics.simplex import quadratic_on_simplex
from mvclust.numerics.stiefel import nearest_orthonormal
from mvclust.numerics.view_weights import view_weights

MIN_ITER = 3  # iterations before a small change may end a run, as in the released code
GUARD = 1e-10  # of the released code: smallest squared distance in the S step
BLOCK = 2**18  # entries of S worked on at a time: they stay in the cache


def ueaf(views, U, S, *, lambda2, lambda3, r, variant, max_iter, tol) -> Solution:
    """Minimise Eq. (11) by turns over P, S, F, the U and E of each view, and the view weights.

    Parameters
    ----------
    views : list of View
        The data with lambda1, and the E to start from; the E step changes them.
    U : list of ndarray, each of shape (n_features_v, n_clusters)
        Bases to start from, with orthonormal columns.
    S : ndarray of shape (n_samples, n_samples)
        Graph to start from.
    lambda2, lambda3, r : float
        Weights of the regularisers on S (no graph is learned if lambda2 is 0), and the exponent
        of the view weights.
    variant : {"exact", "paper", "author"}
        The S step, and the view losses, see `UEAF`.
    max_iter : int
        Most iterations.
    tol : float
        Change of the objective, relative to the squared norm of the data, that ends the run.

    Returns
    -------
    Solution
        P, S, F, alpha, U and E (lists with one array per view), the view losses d, and reported:
        Eq. (11) with the view losses that the variant uses, which the stopping test looks at;
        Eq. (11) after each iteration; the last change of reported, relative to the squared norm of
        the data.
    """
    norm = max(sum(view.norm for view in views), TINY)  # constant views are scaled to 0
    alpha = np.full(len(views), 1 / len(views))
    graph = ConsensusGraph(S, U[0].shape[1], lambda2, lambda3, variant) if lambda2 > 0 else None
    del S  # the graph replaces it
    objective, reported, change = [], [], np.inf
    while len(objective) < max_iter and (change >= tol or len(objective) < MIN_ITER):
        power = alpha**r
        target = sum(a * view.project(U_v) for a, view, U_v in zip(power, views, U, strict=True))
        mass = sum(a * view.weights for a, view in zip(power, views, strict=True))
        if graph is None:
            P = target / mass[:, None]
            roughness = cut = 0.0
        else:
            P = graph.smooth(target, mass, power.sum())  # Eq. (13)
            graph.update(P, power.sum())  # Eqs. (14) to (16)
            roughness, cut = lambda2 * graph.roughness, lambda3 * graph.cut
        U, losses = zip(*[view.update(P) for view in views], strict=True)  # Eqs. (17), (20)
        true = d = np.array(losses) + roughness
        if variant == "author":  # a misplaced bracket of the released code
            factor = np.array([view.lambda1 * len(view.missing) for view in views])
            d = np.array(losses) + factor * roughness
        alpha = view_weights(d, r)  # Eq. (22)
        objective.append(float(alpha**r @ true + cut))
        reported.append(float(alpha**r @ d + cut))
        if len(reported) > 1:
            change = abs(reported[-1] - reported[-2]) / norm
    factors = {
        "P": P.T,
        "U": list(U),
        "E": [view.inferred() for view in views],
        "alpha": alpha,
        "d": d,
        "reported": reported,
    }
    factors |= {"S": None, "F": None} if graph is None else {"S": graph.S, "F": graph.F}
    return Solution(factors, objective, change)


class View:
    """One view: its observed rows X, and the rest E, inferred along the graph of the features.

    After the first E step E = (I + lambda1 L)^-1 U P_missing is a product of thin factors. It is
    never multiplied out, and since the E step is exact, lambda1 tr(E'LE) = <E, U P_missing - E>
    needs no product with L. P is held with the samples as rows, the transpose of the paper's.

    X has shape (n_samples, n_features); the rows that are not `observed`, bool of shape
    (n_samples,), are never read. The weights (n_samples,) are those of the squared errors of the
    samples; 1 for those not observed. `graph` is a `FeatureGraph`, and E (n_features, n_missing)
    are the missing instances to start from, as columns; both are None if all is observed.
    """

    def __init__(self, X, observed, weights, graph, lambda1, E):
        self.observed, self.missing = np.flatnonzero(observed), np.flatnonzero(~observed)
        self.X, self.weights, self.lambda1 = X[self.observed], weights, lambda1
        self.W = weights[self.observed, None]
        self.norm = float(np.vdot(self.X, self.W * self.X))
        if self.missing.size:
            self.left, self.right = E, np.eye(E.shape[1])  # E as a product
            self._smooth = graph.smoother(lambda1)

    def project(self, U):
        """Y'U with weighted rows, (n_samples, n_clusters); Y is X with the inferred instances."""
        target = np.empty((len(self.weights), U.shape[1]))
        target[self.observed] = self.W * (self.X @ U)
        if self.missing.size:
            target[self.missing] = self.right.T @ (self.left.T @ U)
        return target

    def update(self, P):
        """Update U by Eq. (17), then E by Eq. (20).

        Returns U (n_features, n_clusters), and the loss |Y - U P|^2 + lambda1 tr(E'LE).
        """
        XP = self.X.T @ (self.W * P[self.observed])
        loss = self.norm + float(np.vdot(self.weights, squared_row_norms(P)))
        if not self.missing.size:
            U = nearest_orthonormal(XP)
            return U, loss - 2 * float(np.vdot(XP, U))
        U = nearest_orthonormal(XP + self.left @ (self.right @ P[self.missing]))
        self.left, self.right = self._smooth(U), P[self.missing].T
        loss -= float(np.vdot(self.left.T @ U, self.right @ self.right.T))
        return U, loss - 2 * float(np.vdot(XP, U))

    def inferred(self):
        """E, (n_features, n_missing)."""
        if not self.missing.size:
            return np.empty((self.X.shape[1], 0))
        return self.left @ self.right


class FeatureGraph:
    """The nearest-neighbour graph of the features of a view, along which E is smoothed.

    X (n_observed, n_features) are the observed rows; every feature is joined to its `n_neighbors`
    nearest. The attribute L, a csr_array of shape (n_features, n_features), is the Laplacian.
    """

    def __init__(self, X, n_neighbors):
        self.L = laplacian(neighbor_graph(X.T, n_neighbors))
        self._made = None, None

    def smoother(self, lambda1):
        """The function that solves I + lambda1 L; its factorisation is kept for the next call."""
        if self._made[0] != lambda1:
            factor = splu(
                (sparse.eye_array(self.L.shape[0]) + lambda1 * self.L).tocsc(),
                permc_spec="MMD_AT_PLUS_A",
                diag_pivot_thresh=0.0,
                options={"SymmetricMode": True},
            )
            self._made = lambda1, factor.solve
        return self._made[1]


class ConsensusGraph:
    """The graph S that all views share, and its embedding F.

    S of shape (n_samples, n_samples) is the graph to start from. The attributes are S and F, the
    `roughness` tr(P L_S2 P') and the `cut` tr(F' L_S F).
    """

    def __init__(self, S, n_clusters, lambda2, lambda3, variant):
        self.n_clusters, self.variant = n_clusters, variant
        self.lambda2, self.lambda3 = lambda2, lambda3
        self._replace(S)

    def smooth(self, target, mass, total):
        """Solve (diag(mass) + lambda2 total L_S2) P = target, Eq. (13)."""
        A = self.S * self.S
        A += A.T
        A *= 0.5 * self.lambda2 * total
        A = laplacian(A)
        A.flat[:: len(A) + 1] += mass
        # A.T is A in the order of columns that LAPACK overwrites without a copy
        factor = cho_factor(A.T, lower=True, overwrite_a=True, check_finite=False)
        return cho_solve(factor, target, check_finite=False)

    def update(self, P, total):
        """Update S, by Eq. (15) or exactly, then F by Eq. (16)."""
        n = len(P)
        S, self.roughness = np.empty((n, n)), 0.0
        p, f = squared_row_norms(P), squared_row_norms(self.F)
        for rows in row_blocks(n, n, BLOCK):
            near_P = squared_distances(P[rows], P, p[rows], p)
            near_F = squared_distances(self.F[rows], self.F, f[rows], f)
            if self.variant == "exact":
                linear = 0.5 * self.lambda3 * near_F
                curvature = self.lambda2 * total * np.maximum(near_P, GUARD)
            else:
                linear = 0.5 * self.lambda3 / self.lambda2 / total * near_F
                linear /= np.maximum(near_P, GUARD)
                curvature = np.ones_like(linear)
            np.fill_diagonal(curvature[:, rows], np.inf)  # S_ii = 0
            S[rows] = block = quadratic_on_simplex(linear, curvature)
            self.roughness += 0.5 * float(np.vdot(near_P, block * block))
        self._replace(S)

    def _replace(self, S):
        self.S = S
        eigenvalues, self.F = laplacian_eigenvectors((S + S.T) / 2, self.n_clusters)
        self.cut = float(eigenvalues.sum())


def random_start(n_features, n_missing, n_samples, n_clusters, seed):
    """Random U with orthonormal columns, E and S as in Algorithm 1.

    Returns a dict with U and E (lists, one per view) and S, as `ueaf` and `View` take them.
    """
    rng = np.random.default_rng(seed)
    U = [np.linalg.qr(rng.random((d, n_clusters)))[0] for d in n_features]
    E = [rng.random((d, m)) for d, m in zip(n_features, n_missing, strict=True)]
    S = rng.random((n_samples, n_samples))
    np.fill_diagonal(S, 0.0)
    return {"U": U, "E": E, "S": (S + S.T) / 2}


class UEAF(FoldInMixin, MultiViewClusterer):
    """Unified embedding alignment framework with missing views inferring.

    One latent representation P and one nearest-neighbour graph S for all views; the missing
    instances E of a view are inferred along a graph of its features, and the views are weighted
    by how well they fit [1]_.

    Parameters
    ----------
    n_clusters : int
        Number of clusters, and of rows of P; no view may have fewer features.
    lambda1 : float, default=10.0
        Weight of the graph of the features in inferring E. The paper finds 10 to 1e5 good.
    lambda2 : float, default=0.1
        Weight of the graph S on P; the paper finds 1e-3 to 10 good. 0 learns no graph.
    lambda3 : float, default=0.01
        Weight of the embedding F of the graph; the paper finds 1e-4 to 10 good. lambda2 = 0 and
        lambda3 = 0 together are degraded model 1 of the paper.
    r : float, default=3.0
        Exponent of the view weights; near 1 the best view takes all, large r levels them.
    recover : {"graph", "mean", "weighted"}, default="graph"
        "graph" infers missing instances as E. "mean" puts the mean of the view in their place
        (degraded model 2 of the paper), "weighted" does so and multiplies their errors by the
        share of instances that the view has, Eq. (2) (degraded model 3). lambda1 then plays no
        part.
    variant : {"exact", "paper", "author"}, default="exact"
        "paper" updates S by Eq. (15), which is not the minimiser of Eq. (14): a factor that
        depends on the neighbour is dropped, and Eq. (11) may rise. "author" does so too, and
        adds lambda1 n_missing lambda2 tr(P L_S2 P') instead of lambda2 tr(P L_S2 P') to the
        loss of a view (a misplaced bracket of the released code), which levels the view weights
        and may make the loss that the stopping test sees rise. "exact" minimises Eq. (14) and
        takes the right loss: Eq. (11) never rises. A lower objective need not mean better
        clusters: on BBCSport with half of the instances missing and lambda = (10, 10, 0.01) it
        ends at 3.13 instead of 3.17 (paper) and 3.16 (author), yet the best mean accuracy over 27
        settings is 60, 59 and 64 %; on 3sources with 10 % missing all three have 63 %.
    scale : {"view_balanced", "sample_unit", None}, default="view_balanced"
        "view_balanced" standardises the features over the present rows, see
        `mvclust.numerics.scaling.balanced`; smoothing along the graph of features then draws
        inferred instances to the mean of their view. "sample_unit" gives every sample unit length
        in every view, as the released code does; it suits counts of words. The paper does not say
        how its data were scaled. Accuracy with "view_balanced" and "sample_unit": Handwritten (pix,
        fou, half paired) 0.78 and 0.49, published 0.83; BUAA (30 % paired) 0.84 and 0.46, published
        0.82; BBCSport and 3sources (mean of 10, 30 and 50 % missing) 0.55 and 0.67, 0.51 and 0.54.
    n_neighbors : int, default=7
        Neighbours of a feature in its graph.
    init : "random" or dict, default="random"
        "random" draws U, E and S as Algorithm 1 says. A dict gives the arrays U (a list with one
        (n_features_v, n_clusters) array per view, orthonormal columns), S (n_samples, n_samples)
        and, if `recover` is "graph", E (a list with one (n_features_v, n_missing_v) array per
        view). That of `draw_start` also has the graphs of the features of these views.
    n_init : int, default=20
        Number of k-means starts for the labels.
    max_iter : int, default=200
        Most iterations; the released code stops at 50 without a word.
    tol : float, default=1e-5
        Change of the objective, relative to the squared norm of the data, that ends the run.
    random_state : int, RandomState, Generator or None, default=None
        Drives the random start and the k-means runs.

    Attributes
    ----------
    labels_ : ndarray of int of shape (n_samples,)
    embedding_ : ndarray of shape (n_samples, n_clusters)
        The rows that k-means clusters: the columns of `P_`, of unit length.
    cluster_centers_ : ndarray of shape (n_clusters, n_clusters)
        Means of the clusters in `embedding_`.
    P_ : ndarray of shape (n_clusters, n_samples)
        Latent representation; k-means clusters its columns, scaled to unit length.
    U_ : list of ndarray, each of shape (n_features_v, n_clusters)
        Bases; orthonormal columns.
    E_ : list of ndarray, each of shape (n_features_v, n_missing_v)
        Inferred instances as columns, in the order of the samples; no column if none is missing
        or `recover` is not "graph".
    S_ : ndarray of shape (n_samples, n_samples)
        Graph; rows sum to 1, zero diagonal. None if lambda2 is 0, as is F_.
    F_ : ndarray of shape (n_samples, n_clusters)
        Laplacian eigenvectors of (S + S')/2.
    alpha_ : ndarray of shape (n_views,)
        View weights, they sum to 1.
    objective_ : ndarray of shape (n_iter_,)
        Eq. (11) after each iteration.
    n_iter_ : int

    References
    ----------
    .. [1] J. Wen et al., "Unified Embedding Alignment with Missing Views Inferring for
       Incomplete Multi-View Clustering", AAAI 2019.

    Examples
    --------
    >>> import numpy as np
    >>> from mvclust import UEAF
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 10)
    >>> X1, X2 = 4 * np.eye(3)[y] + rng.random((20, 3)), 3 * np.eye(4)[y] + rng.random((20, 4))
    >>> X1[:3] = np.nan  # three instances are missing in the first view
    >>> labels = UEAF(2, random_state=0).fit_predict([X1, X2])
    >>> bool((labels[:10] == labels[0]).all() and (labels[10:] == 1 - labels[0]).all())
    True
    """

    view_tags = ViewTags()
    _parameter_constraints = MultiViewClusterer._parameter_constraints | {
        "lambda1": NONNEGATIVE,
        "lambda2": NONNEGATIVE,
        "lambda3": NONNEGATIVE,
        "r": [Interval(Real, 1, None, closed="neither")],
        "recover": [StrOptions({"graph", "mean", "weighted"})],
        "variant": [StrOptions({"exact", "paper", "author"})],
        "scale": [StrOptions({"sample_unit", "view_balanced"}), None],
        "n_neighbors": COUNT,
        "init": [StrOptions({"random"}), dict],
        "n_init": COUNT,
        "max_iter": COUNT,
        "tol": NONNEGATIVE,
    }

    def __init__(
        self,
        n_clusters,
        *,
        lambda1=10.0,
        lambda2=0.1,
        lambda3=0.01,
        r=3.0,
        recover="graph",
        variant="exact",
        scale="view_balanced",
        n_neighbors=7,
        init="random",
        n_init=20,
        max_iter=200,
        tol=1e-5,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.lambda1 = lambda1
        self.lambda2 = lambda2
        self.lambda3 = lambda3
        self.r = r
        self.recover = recover
        self.variant = variant
        self.scale = scale
        self.n_neighbors = n_neighbors
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    # A start depends on these alone, so that grids over the weights can share it.
    start_parameters = ("n_clusters", "recover", "scale", "n_neighbors", "random_state")

    def draw_start(self, Xs):
        """The start that ``init="random"`` takes, to be given as ``init=`` on the same views.

        Parameters
        ----------
        Xs : list of array-like, each of shape (n_samples, n_features_v)
            The views; a missing instance is a row of NaN.

        Returns
        -------
        dict with U, E, S and graphs (a `FeatureGraph` for every view with missing instances)
        """
        Xs, observed, _ = self._check_and_scale(Xs)
        return self._random_start(Xs, observed, draw_seeds(self.random_state, 2)[0])

    def fit(self, Xs, y=None):
        """Cluster the samples.

        Parameters
        ----------
        Xs : list of array-like, each of shape (n_samples, n_features_v)
            The views; a missing instance is a row of NaN.
        y : ignored

        Returns
        -------
        self
        """
        Xs, observed, weights = self._check_and_scale(Xs)
        seed_start, seed_labels = draw_seeds(self.random_state, 2)
        if isinstance(self.init, dict):
            n_features, n_missing = [X.shape[1] for X in Xs], (~observed).sum(axis=0)
            n = len(observed)
            shapes = {"U": [(d, self.n_clusters) for d in n_features], "S": (n, n)}
            if self.recover == "graph":
                shapes["E"] = [(d, int(m)) for d, m in zip(n_features, n_missing, strict=True)]
            start = check_start(self.init, shapes, "UEAF")
            graphs = self.init.get("graphs") or self._feature_graphs(Xs, observed)
        else:
            start = self._random_start(Xs, observed, seed_start)
            graphs = start["graphs"]
        E = start.get("E", [None] * len(Xs))
        views = [
            View(X, seen, w, graph, self.lambda1, E_v)
            for X, seen, w, graph, E_v in zip(Xs, observed.T, weights.T, graphs, E, strict=True)
        ]
        del E
        factors, objective, change = ueaf(
            views,
            start["U"],
            start.pop("S"),
            lambda2=self.lambda2,
            lambda3=self.lambda3,
            r=self.r,
            variant=self.variant,
            max_iter=self.max_iter,
            tol=self.tol,
        )
        self.P_, self.U_, self.E_ = factors["P"], factors["U"], factors["E"]
        self.S_, self.F_, self.alpha_ = factors["S"], factors["F"], factors["alpha"]
        self.objective_ = np.array(objective)
        self.n_iter_ = len(objective)
        if change >= self.tol:
            warn_not_converged("UEAF", self.max_iter, self.tol)
        self.embedding_ = unit_samples(self.P_.T)
        self.labels_, self.cluster_centers_ = labels_and_centers(
            self.embedding_, self.n_clusters, n_init=self.n_init, seed=seed_labels
        )
        return self

    def _represent_new(self, Xs, presence):
        # A new sample is no node of the graph; U'U = I makes P a mean over its views.
        P = sum(
            np.where(present[:, None], a * scaler.scale_rows(X) @ U, 0.0)
            for present, a, scaler, X, U in zip(
                presence.T, self.alpha_**self.r, self._scalers, Xs, self.U_, strict=True
            )
        )
        return unit_samples(P / np.maximum(presence @ self.alpha_**self.r, TINY)[:, None])

    def _check_and_scale(self, Xs):
        """The views as the method uses them, where they are observed, and the samples' weights."""
        Xs, presence = self.check_input(Xs)
        self._check_sizes(Xs)
        self._scalers = [ViewScaler(*view, self.scale) for view in zip(Xs, presence.T, strict=True)]
        Xs = scale_views(Xs, presence, self.scale)
        weights = np.ones(presence.shape)
        if self.recover != "graph":
            Xs = fill_missing(Xs, presence, "mean")
            if self.recover == "weighted":
                weights = np.where(presence, 1.0, presence.mean(axis=0) ** 2)
            presence = np.ones_like(presence)
        return Xs, presence, weights

    def _check_sizes(self, Xs):
        for v, X in enumerate(Xs):
            if X.shape[1] < self.n_clusters:
                raise ValueError(
                    f"UEAF: view {v} has {X.shape[1]} feature(s), but its basis needs "
                    f"n_clusters={self.n_clusters} orthonormal columns; leave the view out, or "
                    "take a method without that constraint such as DAIMC."
                )
        if len(Xs[0]) < 2:
            raise ValueError("UEAF: 1 sample has no neighbours, at least 2 are needed.")
        if self.lambda3 > 0 and self.lambda2 == 0:
            raise ValueError(
                f"UEAF: lambda3={self.lambda3} needs lambda2 above 0; set both to 0 to learn no "
                "graph."
            )

    def _random_start(self, Xs, observed, seed):
        n_features, n_missing = [X.shape[1] for X in Xs], (~observed).sum(axis=0)
        start = random_start(n_features, n_missing, len(observed), self.n_clusters, seed)
        return start | {"graphs": self._feature_graphs(Xs, observed)}

    def _feature_graphs(self, Xs, observed):
        return [
            None if seen.all() else FeatureGraph(X[seen], self.n_neighbors)
            for X, seen in zip(Xs, observed.T, strict=True)
        ]
