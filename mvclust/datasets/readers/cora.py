"""Cora: 2708 papers by their words and by the citations between them."""

import numpy as np

from mvclust.datasets.readers.matlab import read_columns, read_mat

# The file holds numbers only. The names follow from the sizes of the classes.
LABELS = [
    "Neural_Networks",
    "Rule_Learning",
    "Reinforcement_Learning",
    "Probabilistic_Methods",
    "Theory",
    "Genetic_Algorithms",
    "Case_Based",
]


def read(files, subset):
    """Read the four views; there is one version only, so `subset` changes nothing."""
    path = files["Cora.mat"]
    triples = read_mat(files["coraRnSp.mat"])
    y = triples["truth"].ravel().astype(np.int64) - 1
    n = len(y)
    inbound = read_columns(path, "corainbound")
    outbound = read_columns(path, "coraoutbound")
    # The last two papers cite nothing, and whoever wrote the file lost their zeros.
    inbound.resize(n, n)
    outbound.resize(n, n)
    content = _from_triples(triples["X2"])
    cites = _from_triples(triples["X1"])
    Xs = [content, inbound.tocsr(), outbound.tocsr(), cites]
    presence = np.ones((n, len(Xs)), dtype=bool)
    return Xs, ["content", "inbound", "outbound", "cites"], y, list(LABELS), presence


def _from_triples(table):
    """Make a sparse matrix from rows of (row, column, value), the first row telling its size."""
    import scipy.sparse

    table = table.astype(np.int32)
    (n_rows, n_columns, _), table = table[0], table[1:]
    values, places = table[:, 2].astype(np.float64), (table[:, 0] - 1, table[:, 1] - 1)
    return scipy.sparse.coo_array((values, places), shape=(n_rows, n_columns)).tocsr()
