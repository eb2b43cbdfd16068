"""Neither far shifts of features nor relative errors of 1e-13 change labels."""

import numpy as np
import pytest
from scipy import sparse

import mvclust
from mvclust import fill_missing
from mvclust.estimators.base import best_silhouette
from mvclust.estimators.lsimvc import mean_distance
from mvclust.masking import apply_mask, random_mask
from mvclust.metrics import simplified_silhouette
from mvclust.numerics import graphs
from mvclust.numerics.affinity import gaussian_affinity
from mvclust.numerics.distances import centred, squared_distances
from mvclust.numerics.kernel_bases import rbf_kernel
from mvclust.unmapping import random_intra_constraints, unmap

SHIFTS = [2.0**20, 2.0**26]  # of data in steps of 2**-12: nothing is lost in their sums
AS_THEY_ARE = ["AMGL", "CLR", "CoRegSpectral", "CoTrainSpectral", "EOMSCCA", "SMVSC"]
UNSCALED = ["BestSingleView", "ConcatKMeans", "ConcatSpectral", "LMVSC", "MVKKM", "MVSC", "MVSpec"]
INVARIANT = {name: {} for name in AS_THEY_ARE}
INVARIANT |= {name: {"scale": None} for name in [*UNSCALED, "RMKMC"]}
INVARIANT |= {"EEIMVC": {"scale": None, "kernel": "rbf"}, "SwMC": {"init": "uniform"}}


def views(n_per_cluster=30, sizes=(4, 20)):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], n_per_cluster)
    Xs = [2 * np.eye(3, d)[y] + rng.standard_normal((len(y), d)) for d in sizes]
    return [np.round(X * 2**12) / 2**12 for X in Xs], y


def shifted(Xs, shift):
    """The first feature of all, and the last one the other way."""
    moves = [np.zeros(X.shape[1]) for X in Xs]
    for move in moves:
        move[[0, -1]] = shift, -shift
    return [X + move for X, move in zip(Xs, moves, strict=True)]


def silhouettes(X, Y):
    labels, presence = views()[1], np.ones((len(X), 2), dtype=bool)
    chosen = best_silhouette([X, Y], presence, [labels, np.roll(labels, 5)])
    return [simplified_silhouette([X, Y], presence, labels), chosen]


def filled(X, Y):
    first, second = fill_missing(apply_mask([X, Y], random_mask(len(X), 2, 0.3, 0)))
    return [first - X, second - Y]  # the shift is in both


def copies(X):
    """Candidates come from scikit-learn where there are many rows."""
    return np.vstack([X + 0.25 * i * np.eye(1, X.shape[1]) for i in range(20)])


FUNCTIONS = {
    "nearest_neighbors": lambda X, _: graphs.nearest_neighbors(X, 4),
    "of many rows": lambda X, _: graphs.nearest_neighbors(copies(X), 4),
    "nearest_known": lambda X, _: [graphs.nearest_known(X[::2], X[1::2], 3)],
    "neighbor_graph": lambda X, _: [graphs.neighbor_graph(X, 4).toarray()],
    "adaptive_neighbor_graph": lambda X, _: [graphs.adaptive_neighbor_graph(X).toarray()],
    "squared_distances": lambda X, _: [
        squared_distances(form(X[::2]), form(X[1::2])) for form in (np.asarray, sparse.csr_array)
    ],
    "gaussian_affinity": lambda X, _: [gaussian_affinity(X)],
    "rbf_kernel": lambda X, _: [rbf_kernel(X)],
    "mean_distance": lambda X, _: [mean_distance(X, 0)],
    "silhouettes": silhouettes,
    "fill_missing": filled,
}


@pytest.mark.parametrize("shift", SHIFTS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_distances_do_not_depend_on_a_shift(name, shift):
    Xs, _ = views()
    before, after = FUNCTIONS[name](*Xs), FUNCTIONS[name](*shifted(Xs, shift))
    for one, other in zip(before, after, strict=True):
        np.testing.assert_allclose(other, one, rtol=1e-9, atol=1e-7)


@pytest.mark.parametrize("name", INVARIANT)
def test_labels_do_not_depend_on_a_shift(name):
    Xs, labels = views(15)[0], []
    for Zs in (Xs, *(shifted(Xs, shift) for shift in SHIFTS)):
        model = getattr(mvclust, name)(3, random_state=0, **INVARIANT[name]).fit(Zs)
        new = model.predict([X[:9] for X in Zs]) if hasattr(model, "predict") else []
        labels.append([*model.labels_, *new])
    assert labels[0] == labels[1] == labels[2]


def test_constraint_propagation_does_not_depend_on_a_shift():
    parts = unmap(*views(), seed=0)
    must, cannot = random_intra_constraints(parts.ys, 0.05, seed=0)
    model = mvclust.ConstraintPropagation(3, scale=None, random_state=0)
    labels = [
        np.concatenate(model.fit_predict(Xs, must_links=must, cannot_links=cannot)).tolist()
        for Xs in (parts.Xs, shifted(parts.Xs, SHIFTS[-1]))
    ]
    assert labels[0] == labels[1]


def test_sparse_matrices_stay_sparse_and_full_columns_are_moved():
    X = sparse.csr_array(np.array([[7e8, 0.0, 1.0], [7e8 + 1, 2.0, 3.0], [7e8 + 5, 0.0, 4.0]]))
    dense = X.toarray()
    moved, other = centred(X, np.array([[7e8, 1.0, 1.0]]))
    assert sparse.issparse(moved)
    assert moved.nnz == X.nnz
    np.testing.assert_array_equal(moved.toarray(), dense - [7e8 + 1, 0, 3])
    np.testing.assert_array_equal(other, [[-1, 1, -2]])


NAMES = ["AMGL", "CLR", "DAIMC", "EOMSCCA", "MPAC", "MVSC", "PIMVC", "SwMC", "UEAF"]


def texts(n_per_cluster=14, n_words=40):
    """Counts of words in three views: whole numbers, many rows without a word in common."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], n_per_cluster)
    rates = 0.05 + 0.4 * (np.arange(n_words) % 3 == y[:, None])
    Xs = [rng.poisson(rates).astype(float) + np.eye(len(y), n_words) for _ in range(3)]
    return fill_missing(apply_mask(Xs, random_mask(len(y), 3, 0.4, seed=1)), "mean")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", NAMES)
def test_rounding_errors_of_the_data_change_no_labels(name):
    Xs, labels = texts(), []
    for draw in range(4):
        rng = np.random.default_rng(draw)
        size = 1e-13 if draw else 0.0
        Zs = [X * (1 + size * rng.standard_normal(X.shape)) for X in Xs]
        labels.append(getattr(mvclust, name)(3, random_state=0).fit(Zs).labels_.tolist())
    assert all(each == labels[0] for each in labels[1:])
