"""One-pass multi-view subspace clustering with consensus anchors (Liu et al., AAAI 2022)."""

from numbers import Integral
from typing import NamedTuple

import numpy as np

from mvclust.numerics.anchors import (
    consensus_bases,
    consensus_start,
    gram_eigenpairs,
    graph_products,
    sample_products,
    sample_blocks,
    squared_residuals,
    Fit,
)
from mvclust.estimators.base import Solution, relative_change
from mvclust.numerics.distances import squared_distances, squared_row_norms
from mvclust.numerics.graphs import connected_components
from mvclust.numerics.simplex import quadratic_on_simplex
from mvclust.numerics.view_weights import view_weights

THETA, PASSES = 0.1, 50  # weight of the Laplacian at first, and most passes for one graph
CONNECTED = 1e-7  # of the eigenvalues that must be 1
TRACE = 0.1  # weight of the Laplacian in the objective


def eomscca(views, starts, n_clusters, *, max_iter, tol) -> Solution:
    runs = [_descend(views, *start, n_clusters, max_iter, tol) for start in starts]
    return min(runs, key=lambda run: run.objective[-1])


def _descend(views, samples, C, A, n_clusters, max_iter, tol):
    alpha = np.full(len(views), 1 / len(views))
    norms = np.array([view.squared_norm for view in views])
    objective, change = [], np.inf
    while len(objective) < max_iter and change >= tol:
        W, A = consensus_bases(C, A, alpha**2)
        bases = [W_v @ A for W_v in W]
        B = _affinity(views, bases, alpha**2)
        graph = _connected_graph(B, (alpha**2).sum(), samples, n_clusters)
        P = graph.P
        C = graph_products(views, P)
        cross = np.array([np.vdot(B_v, C_v) for B_v, C_v in zip(bases, C, strict=True)])
        wide = A.shape[1] > A.shape[0]
        length = np.sum((P @ A.T) ** 2) if wide else np.sum(P**2)
        squared = np.maximum(norms - 2 * cross + length, 0.0)
        alpha = view_weights(np.sqrt(squared), 2)
        objective.append(float(alpha**2 @ squared + graph.trace))
        change = relative_change(objective)
    factors = {"W": W, "A": A, "B": B, "Z": P, "alpha": alpha, "graph": graph}
    return Solution(factors, objective, change)


def _affinity(views, bases, weights):
    B = np.empty((views[0].shape[0], bases[0].shape[1]))
    pulls = [w * B_v for w, B_v in zip(weights, bases, strict=True)]
    for rows in sample_blocks(len(B), sum(view.width for view in views)):
        B[rows] = sum(view.times(rows, pull) for view, pull in zip(views, pulls, strict=True))
    return B


class Graph(NamedTuple):
    P: np.ndarray
    U: np.ndarray
    V: np.ndarray
    trace: float
    thetas: list


def _connected_graph(B, total, samples, c):
    n, m = B.shape
    U, V = np.zeros((n, c)), np.eye(m, c) * np.sqrt(0.5)
    U[samples[:c], np.arange(min(c,m))] = np.sqrt(0.5)
    known, live = np.zeros(n, dtype=bool), np.ones(m, dtype=bool)
    known[samples] = True
    support = B > 0
    curvature = np.where(support, 1.0, np.inf)
    rows, columns = support.any(axis=1), support.any(axis=0)
    theta = THETA
    thetas = []
    for _ in range(PASSES):
        T = squared_distances(U, V)
        T[~known] = 0.0
        T[:, ~live] = 0.0
        T *= -theta / 2
        T += B
        T /= total
        P = np.zeros((n, m))
        P[rows] = quadratic_on_simplex(-T[rows], curvature[rows])
        P.T[columns] += quadratic_on_simplex(-T.T[columns], curvature.T[columns])
        P /= 2
        d1, d2 = P.sum(axis=1), P.sum(axis=0)
        known, live = d1 > 0, d2 > 0
        r1 = np.zeros(n); r1[known] = d1[known]**-0.5
        r2 = np.zeros(m); r2[live] = d2[live]**-0.5
        N = r1[:, None] * P * r2
        values, vectors = np.linalg.eigh(N.T @ N)
        values, vectors = values[::-1], vectors[:, ::-1]
        V = vectors[:, :c]
        U = N @ (V / np.sqrt(values[:c]))
        V, U = V * np.sqrt(0.5), U * np.sqrt(0.5)
        trace = TRACE * (np.sum(U**2) + np.sum(V**2) - np.vdot(U, N @ V))
        U *= r1[:, None]; V = V * r2[:, None]
        thetas.append((theta, values[:c].sum(), values[:c+1].sum()))
        if values[:c].sum() < c - CONNECTED:
            theta *= 2
        elif m > c and values[: c + 1].sum() > c + 1 - CONNECTED:
            theta /= 2
        else:
            break
    return Graph(P, U, V, float(trace), thetas)
