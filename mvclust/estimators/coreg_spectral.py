"""Co-regularised multi-view spectral clustering (Kumar, Rai & Daume, NIPS 2011)."""

from numbers import Integral

import numpy as np
from sklearn.utils.validation import check_is_fitted

from mvclust.estimators.base import (
    MultiViewClusterer,
    Solution,
    ViewTags,
    check_view_number,
    cluster_rows,
    draw_seeds,
    relative_change,
    warn_not_converged,
)
from mvclust.estimators.constraints import COUNT, NONNEGATIVE, Interval, StrOptions
from mvclust.numerics.affinity import gaussian_affinity, normalized_affinity
from mvclust.numerics.eigen import canonical_basis, top_eigenvectors
from mvclust.numerics.scaling import scale_views, unit_samples


def coreg_pairwise(Ls, n_clusters, *, lam, max_iter, tol) -> Solution:
    """Maximise sum_v tr(U_v'L_vU_v) + lam sum_{v<w} ||U_v'U_w||^2 over orthonormal U_v.

    The L_v of shape (n_samples, n_samples) are normalised affinities, symmetric; `lam` weighs the
    agreement of every two views. The run ends after max_iter rounds over the views, or when the
    relative change of the objective is below tol. Returns U (list with one (n_samples, n_clusters)
    array per view); the objective after each round; its last relative change.
    """
    U = [top_eigenvectors(L, n_clusters)[0] for L in Ls]
    order = [*range(1, len(Ls)), 0]
    traces, objective, change = np.zeros(len(Ls)), [], np.inf
    while len(objective) < max_iter and change >= tol:
        for v in order:
            others = [U[w] for w in range(len(Ls)) if w != v]
            plus = np.hstack(others) if others else None
            U[v], values = top_eigenvectors(Ls[v], n_clusters, plus=plus, weight=lam, start=U[v])
            # tr(U_v'L_vU_v) costs no product with L_v: the eigenvalues are those of both terms.
            traces[v] = values.sum() - lam * _agreement(U[v], others)
        pairs = sum(_agreement(U[v], U[:v]) for v in range(len(U)))
        objective.append(float(traces.sum() + lam * pairs))
        change = relative_change(objective)
    return Solution({"U": U}, objective, change)


def coreg_centroid(Ls, n_clusters, *, lam, max_iter, tol) -> Solution:
    """Maximise sum_v tr(U_v'L_vU_v) + lam ||U_v'U*||^2 over orthonormal U_v and U*.

    Takes and returns what `coreg_pairwise` does, and returns U_star too. That is, as in the
    released code, the U* of which the U were made.
    """
    U = [top_eigenvectors(L, n_clusters)[0] for L in Ls]
    objective, change, consensus = [], np.inf, None
    while len(objective) < max_iter and change >= tol:
        consensus = _leading_left_vectors(np.hstack(U), n_clusters)
        pairs = [
            top_eigenvectors(L, n_clusters, plus=consensus, weight=lam, start=U_v)
            for L, U_v in zip(Ls, U, strict=True)
        ]
        U = [vectors for vectors, _ in pairs]
        objective.append(float(sum(values.sum() for _, values in pairs)))
        change = relative_change(objective)
    return Solution({"U": U, "U_star": consensus}, objective, change)


def _leading_left_vectors(U, n_clusters):
    """Leading eigenvectors of U U' (all views weigh the same), by the small matrix U'U."""
    eigenvalues, vectors = np.linalg.eigh(U.T @ U)
    kept = eigenvalues > 0.5  # none of the n_clusters leading ones is below 1
    eigenvalues, vectors = eigenvalues[kept][::-1], vectors[:, kept][:, ::-1]
    return canonical_basis(eigenvalues, U @ (vectors / np.sqrt(eigenvalues)), n_clusters)


def _agreement(U_v, others):
    """sum_w ||U_v'U_w||^2."""
    return sum(np.sum((U_v.T @ U_w) ** 2) for U_w in others)


class CoRegSpectral(MultiViewClusterer):
    """Co-regularised multi-view spectral clustering.

    Spectral clustering in every view, whose embeddings are drawn towards each other
    ("pairwise") or towards a common one ("centroid") [1]_. Affinities are Gaussian, their width
    the median distance of the view.

    Parameters
    ----------
    n_clusters : int
        Number of clusters.
    lam : float, default=0.01
        Weight of the agreement, on the scale of the eigenvalues of the normalised affinities after
        the first. On sparse text and links a weight of 0.1 leaves little of the views (try
        0.001). The paper takes 0.01 to 0.1, the released demo 0.5.
    variant : {"pairwise", "centroid"}, default="pairwise"
    view : "all", "best" or int, default="all"
        Whose embedding "pairwise" clusters: those of all views beside each other; the one with the
        largest eigenvalues; or one by its number. The paper takes the view known to be the most
        informative, the released code clusters view 0. "centroid" clusters the common embedding
        whatever this says.
    scale : {"view_range", "sample_unit", "view_balanced"} or None, default=None
        How views are scaled first (see `mvclust.numerics.scaling`).
    n_init : int, default=10
        Number of k-means starts.
    max_iter : int, default=30
        Most rounds over the views. The released code does a fixed number, 5 in its demo.
    tol : float, default=1e-4
        Relative change of the objective that ends the run; 4 to 20 rounds on the data sets tried.
    random_state : int, RandomState, Generator or None, default=None
        Drives k-means at the end; all else is deterministic.

    Attributes
    ----------
    labels_ : ndarray of int of shape (n_samples,)
    embedding_ : ndarray of shape (n_samples, n_components)
        The rows that k-means clusters, of unit length: those of `consensus_`, of one `U_`, or of
        all U_ side by side (n_components is n_clusters but for the last, n_views * n_clusters).
    U_ : list of ndarray, each of shape (n_samples, n_clusters)
        Embeddings of the views, orthonormal columns.
    consensus_ : ndarray or None, (n_samples, n_clusters)
        U* of "centroid".
    objective_ : ndarray of shape (n_iter_,)
        The objective, which is maximised, after each round; it never falls. Every two views count
        once in that of "pairwise".
    n_iter_ : int

    References
    ----------
    .. [1] A. Kumar, P. Rai and H. Daume, "Co-regularized Multi-view Spectral Clustering", NIPS
       2011.

    Examples
    --------
    >>> import numpy as np
    >>> from mvclust import CoRegSpectral
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 10)
    >>> Xs = [4 * np.eye(2)[y] + rng.random((20, 2)), 3 * np.eye(2)[y] + rng.random((20, 2))]
    >>> labels = CoRegSpectral(2, random_state=0).fit_predict(Xs)
    >>> bool((labels[:10] == labels[0]).all() and (labels[10:] == 1 - labels[0]).all())
    True
    """

    view_tags = ViewTags(incomplete=False)
    _parameter_constraints = MultiViewClusterer._parameter_constraints | {
        "lam": NONNEGATIVE,
        "variant": [StrOptions({"pairwise", "centroid"})],
        "view": [StrOptions({"all", "best"}), Interval(Integral, 0, None, closed="left")],
        "scale": [StrOptions({"view_range", "sample_unit", "view_balanced"}), None],
        "n_init": COUNT,
        "max_iter": COUNT,
        "tol": NONNEGATIVE,
    }

    def __init__(
        self,
        n_clusters,
        *,
        lam=0.01,
        variant="pairwise",
        view="all",
        scale=None,
        n_init=10,
        max_iter=30,
        tol=1e-4,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.lam = lam
        self.variant = variant
        self.view = view
        self.scale = scale
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    # These decide how labels follow from a solution, so that models of one solution can share it.
    label_parameters = ("view",)

    def fit(self, Xs, y=None):
        """Cluster the samples.

        Parameters
        ----------
        Xs : list of array-like, each of shape (n_samples, n_features_v)
            The views, complete.
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
        Xs : list of array-like
            As `fit` takes them.

        Returns
        -------
        self
        """
        Xs, presence = self.check_input(Xs)
        check_view_number(self.view, len(Xs), "CoRegSpectral")
        Xs = scale_views(Xs, presence, self.scale)
        Ls = [normalized_affinity(gaussian_affinity(X)) for X in Xs]
        limits = {"lam": self.lam, "max_iter": self.max_iter, "tol": self.tol}
        if self.variant == "pairwise":
            factors, objective, change = coreg_pairwise(Ls, self.n_clusters, **limits)
            self.U_, self.consensus_ = factors["U"], None
        else:
            factors, objective, change = coreg_centroid(Ls, self.n_clusters, **limits)
            self.U_, self.consensus_ = factors["U"], factors["U_star"]
        self.objective_ = np.array(objective)
        self.n_iter_ = len(objective)
        if change >= self.tol:
            warn_not_converged("CoRegSpectral", self.max_iter, self.tol)
        (self._seed_labels,) = draw_seeds(self.random_state, 1)
        self._best = int(np.argmax([np.vdot(U, L @ U) for U, L in zip(self.U_, Ls, strict=True)]))
        return self

    def relabel(self):
        """Label the samples of a model that has its solution, as ``view`` now says.

        Returns
        -------
        self
        """
        check_is_fitted(self, "U_")
        check_view_number(self.view, len(self.U_), "CoRegSpectral")
        self.embedding_ = unit_samples(self._chosen())
        self.labels_ = cluster_rows(
            self.embedding_, self.n_clusters, n_init=self.n_init, seed=self._seed_labels
        )
        return self

    def _chosen(self):
        if self.consensus_ is not None:
            return self.consensus_
        if self.view == "all":
            return np.hstack(self.U_)
        return self.U_[self._best if self.view == "best" else self.view]
