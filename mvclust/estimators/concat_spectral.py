"""Spectral clustering on a nearest-neighbour graph of the concatenated views."""

import warnings

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph
from sklearn.base import TransformerMixin, clone
from sklearn.cluster import k_means
from sklearn.manifold import spectral_embedding
from sklearn.neighbors import kneighbors_graph

from mvclust.estimators.base import MultiViewClusterer, ViewTags, draw_seeds, warn_if_fewer
from mvclust.estimators.constraints import COUNT, StrOptions
from mvclust.estimators.steps import check_scale
from mvclust.numerics.distances import centred
from mvclust.numerics.eigen import settle_signs, smallest_eigenpairs
from mvclust.numerics.impute import fill_missing
from mvclust.numerics.scaling import scale_views


def normalized_cut(W, n_vectors, random):
    """Solutions of the relaxed normalised cut of a graph: scikit-learn's spectral embedding.

    D^-1/2 u for the smallest eigenvalues of I - D^-1/2 W D^-1/2, found by products where
    scikit-learn factors that matrix. In a graph of more pieces than vectors wanted any are
    solutions; these are scikit-learn's.

    W is a csr_matrix of shape (n, n), symmetric and non-negative, and n_vectors is less than n. The
    result has shape (n, n_vectors). `random`, a RandomState, advances as by scikit-learn, so that
    k-means after it starts alike.
    """
    n_pieces, _ = csgraph.connected_components(W, directed=False)
    if n_pieces > n_vectors:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Graph is not fully connected")
            return spectral_embedding(
                W, n_components=n_vectors, random_state=random, drop_first=False
            )
    random.uniform(size=W.shape[0])
    L, root_degrees = csgraph.laplacian(W, normed=True, return_diag=True)
    _, vectors = smallest_eigenpairs(L, n_vectors)
    return settle_signs(vectors / root_degrees[:, None])


class ConcatSpectral(MultiViewClusterer):
    """Normalised spectral clustering of all views side by side.

    The graph joins each sample with its nearest neighbours in the concatenation; it is the
    strongest of the ten-line references.

    Parameters
    ----------
    n_clusters : int
        Number of clusters.
    scale : {"view_balanced", "sample_unit", None} or list of these, default="view_balanced"
        "view_balanced" standardises the features and divides each view by the square root of
        their number; "sample_unit" gives every sample unit length in every view; both before
        filling.
    impute : {"mean", "knn"}, default="knn"
        Filling of missing rows, see `mvclust.numerics.impute.fill_missing`.
    n_neighbors : int, default=10
        Neighbours of a sample in the graph (itself included, as in scikit-learn); at most
        the number of samples is used.
    neighbors : transformer or None, default=None
        What finds the neighbours, in place of an exact search whose time grows with the square of
        the number of samples: a transformer of scikit-learn's kind, from samples to the sparse
        matrix of distances to their neighbours. A sample joins those that its row holds, and
        itself; `n_neighbors` is not read. ``KNeighborsTransformer(n_neighbors=9)`` finds what None
        does; approximate ones, such as ``pynndescent.PyNNDescentTransformer``, may miss some.
        Missing rows are filled before it, with ``impute="knn"`` by an exact search.
    n_init : int, default=10
        Number of k-means starts on the eigenvectors.
    random_state : int, RandomState, Generator or None, default=None
        Drives everything random: the same integer gives the same labels.

    Attributes
    ----------
    labels_ : ndarray of int of shape (n_samples,)
    embedding_ : ndarray of shape (n_samples, n_clusters)
        The rows that k-means clusters: solutions of the normalised cut of the graph.

    Examples
    --------
    >>> import numpy as np
    >>> from mvclust import ConcatSpectral
    >>> X = np.r_[np.arange(5.0), np.arange(50.0, 55.0)][:, None]
    >>> labels = ConcatSpectral(2, n_neighbors=3, random_state=0).fit_predict([X, -X])
    >>> bool(len(set(labels[:5])) == len(set(labels[5:])) == 1 and labels[0] != labels[5])
    True
    """

    view_tags = ViewTags()
    _parameter_constraints = MultiViewClusterer._parameter_constraints | {
        "scale": [StrOptions({"sample_unit", "view_balanced"}), None, "array-like"],
        "impute": [StrOptions({"mean", "knn"})],
        "n_neighbors": COUNT,
        "neighbors": [TransformerMixin, None],
        "n_init": COUNT,
    }

    def __init__(
        self,
        n_clusters,
        *,
        scale="view_balanced",
        impute="knn",
        n_neighbors=10,
        neighbors=None,
        n_init=10,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.scale = scale
        self.impute = impute
        self.n_neighbors = n_neighbors
        self.neighbors = neighbors
        self.n_init = n_init
        self.random_state = random_state

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
        Xs, presence = self.check_input(Xs)
        (seed,) = draw_seeds(self.random_state, 1)
        if self.n_clusters == len(presence):  # scikit-learn's eigensolver asks for fewer
            self.embedding_, self.labels_ = np.eye(self.n_clusters), np.arange(self.n_clusters)
            return self
        Xs = scale_views(Xs, presence, check_scale(self.scale, len(Xs), "ConcatSpectral"))
        (X,) = centred(np.hstack(fill_missing(Xs, presence, self.impute)))
        graph = self._graph(X)
        random = np.random.RandomState(seed)  # as SpectralClustering, which keeps no embedding
        self.embedding_ = normalized_cut(0.5 * (graph + graph.T), self.n_clusters, random)
        _, self.labels_, _ = k_means(
            self.embedding_, self.n_clusters, n_init=self.n_init, random_state=random
        )
        warn_if_fewer(self.labels_, self.n_clusters)
        return self

    def _graph(self, X):
        """Which samples are neighbours of each, itself among them, as a matrix of ones."""
        if self.neighbors is None:
            return kneighbors_graph(X, min(self.n_neighbors, len(X)), include_self=True)
        graph = sparse.csr_matrix(clone(self.neighbors).fit_transform(X), dtype=np.float64)
        if graph.shape != (len(X), len(X)):
            raise ValueError(
                f"ConcatSpectral: neighbors gave a matrix of shape {graph.shape}, expected a row "
                f"and a column for each of the {len(X)} samples, as KNeighborsTransformer gives."
            )
        graph.data[:] = 1.0  # a distance of 0 is an edge too
        graph.setdiag(1.0)
        return graph
