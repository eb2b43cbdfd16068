"""Bipartite graphs between samples and anchors with a given number of connected components."""

from typing import NamedTuple

import numpy as np

from mvclust.numerics.distances import squared_distances
from mvclust.numerics.eigen import canonical_basis
from mvclust.numerics.graphs import connected_components
from mvclust.numerics.simplex import quadratic_on_supports

THETA, PASSES = 0.1, 50  # weight of the Laplacian at first, and most passes
CONNECTED = 1e-7  # what the sum of eigenvalues may lack to those of a graph in pieces
TRACE = 0.1  # weight of the trace of the Laplacian
NONE = 1e-10  # share of the largest affinity up to which one is rounding errors


class BipartiteGraph(NamedTuple):
    """What `connected_graph` returns.

    P of shape (n_samples, m) is the graph, N the normalised graph. U of shape (n_samples, c) and V
    of shape (m, c) are singular vectors of N, divided by the roots of the degrees: in a graph of c
    components, all nodes of one have the same row. Rows of nodes without an edge are zero. `trace`
    is 0.1 (tr U'U + tr V'V - tr U'NV) of the singular vectors over sqrt(2). `history` has, for
    every pass, the weight theta and the sums of the c and c + 1 largest eigenvalues of N'N.
    """

    P: np.ndarray
    U: np.ndarray
    V: np.ndarray
    trace: float
    history: list


def connected_graph(B, total, samples, n_components):
    """A graph near B / total with a number of connected components, if it is found in 50 passes.

    The steps are those of the released code of EOMSC-CA. Each pass projects the rows of T = (B -
    theta D / 2) / total on simplices, and its columns, and takes the mean; D are squared distances
    between rows of U and V of the last pass, and sample i may only join anchor j if B_ij > 0, by
    more than rounding. The weight theta doubles while there are too few components, and halves with
    too many.

    B has shape (n_samples, m), and n_components is at most m. U and V begin as those of the graph
    that joins `samples`, m indices, to one anchor each.

    >>> B = np.array([[1.0, 0.1], [0.9, 0.2], [0.1, 1.0]])
    >>> connected_graph(B, 1.0, np.array([0, 2]), 2).P.round(3).tolist()
    [[0.775, 0.0], [0.725, 0.0], [0.0, 1.0]]
    """
    (n, m), c = B.shape, n_components
    U, V = np.zeros((n, c)), np.eye(m, c) * 0.5**0.5
    U[samples[:c]] = V[:c]
    joined, live = np.zeros(n, dtype=bool), np.ones(m, dtype=bool)
    joined[samples] = True
    least = NONE * np.abs(B).max(initial=0.0)
    allowed = least < B
    theta, history = THETA, []
    while len(history) < PASSES:
        T = squared_distances(U, V)
        T[~joined] = 0.0  # nothing is known about nodes without an edge
        T[:, ~live] = 0.0
        T *= -0.5 * theta
        T += B
        T /= total
        T[~allowed] = -np.inf
        P = (_rows_on_simplices(T) + _rows_on_simplices(T.T).T) / 2
        of_samples, of_anchors = _inverse_roots(P.sum(axis=1)), _inverse_roots(P.sum(axis=0))
        joined, live = of_samples > 0, of_anchors > 0
        U, V, values, trace = _singular_vectors(of_samples[:, None] * P * of_anchors, c)
        U *= of_samples[:, None]
        V *= of_anchors[:, None]
        found, more = float(values[:c].sum()), float(values[: c + 1].sum())
        history.append((theta, found, more))
        if found < c - CONNECTED:
            theta *= 2
        elif m > c and more > c + 1 - CONNECTED:
            theta /= 2
        else:
            break
    return BipartiteGraph(P, U, V, trace, history)


def _rows_on_simplices(T):
    """Projection of the rows of T on simplices over finite entries; zero rows without any.

    The support of a row lies within 1 below its largest entry: often that entry alone, else few of
    many entries.
    """
    near = T.max(axis=1, keepdims=True) - 1 < T
    P, counts = near.astype(np.float64), np.count_nonzero(near, axis=1)
    several = np.flatnonzero(counts > 1)
    if not several.size:
        return P
    rows, columns = np.nonzero(near[several])
    linear = -T[several[rows], columns]
    P[several[rows], columns] = quadratic_on_supports(linear, np.ones_like(linear), counts[several])
    return P


def _inverse_roots(degrees):
    return np.divide(1.0, np.sqrt(degrees), out=np.zeros_like(degrees), where=degrees > 0)


def _singular_vectors(N, c):
    """Leading singular vectors over sqrt(2), squared singular values, and the trace."""
    values, V = np.linalg.eigh(N.T @ N)
    values, V = values[::-1], canonical_basis(values[::-1], V[:, ::-1], c)
    roots = _inverse_roots(np.maximum(values[:c], 0.0))
    U = N @ (V * (roots * 0.5**0.5))
    V = V * 0.5**0.5
    trace = TRACE * (np.vdot(U, U) + np.vdot(V, V) - np.vdot(V, N.T @ U))
    return U, V, values, float(trace)


def bipartite_components(P):
    """Number the connected components of a bipartite graph, in the order of their first anchor.

    P of shape (n_samples, m) is not negative. Returns the numbers of all samples and of all
    anchors, -1 for one without an edge.

    >>> P = np.array([[0.5, 0.0, 0.5], [0.0, 1.0, 0.0], [0.0, 0.0, 0.0]])
    >>> of_samples, of_anchors = bipartite_components(P)
    >>> of_samples.tolist(), of_anchors.tolist()
    ([0, 1, -1], [0, 1, 0])
    """
    edges = (P > 0).astype(np.float64)
    live = edges.any(axis=0)
    of_anchors = np.full(P.shape[1], -1)
    of_anchors[live] = connected_components((edges.T @ edges)[np.ix_(live, live)])
    of_samples = of_anchors[edges.argmax(axis=1)]
    of_samples[~edges.any(axis=1)] = -1
    return of_samples, of_anchors
