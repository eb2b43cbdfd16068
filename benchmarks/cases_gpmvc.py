"""GPMVC: against the textbook form of its steps, with dense graphs and residuals."""

import numpy as np
from harness import Case

from mvclust.datasets import load_dataset
from mvclust.estimators.gpmvc import gpmvc
from mvclust.numerics.factors import unit_sums
from mvclust.numerics.graphs import neighbor_graph

ROUNDS, INNER = 3, 10


def cases(mirror):
    data = load_dataset("handwritten", views=["pix", "fou"], mirror=mirror, progress=False)
    Xs = [X / X.sum() for X in data.Xs]
    Ss = [neighbor_graph(X, 5) for X in Xs]
    rng = np.random.default_rng(0)
    starts = [unit_sums(rng.random((X.shape[1], 10)), rng.random((2000, 10)) / 1e4) for X in Xs]
    U, V = ([start[i] for start in starts] for i in (0, 1))
    rows, shared = [np.arange(2000)] * 2, np.ones(2000, dtype=bool)

    def ours():
        return gpmvc(
            Xs, rows, shared, Ss, U, V,
            delta=0.1, gamma=None, max_iter=ROUNDS, tol=0, max_inner=INNER,
        ).factors["V_star"]  # fmt: skip

    def other():
        return textbook(Xs, [S.toarray() for S in Ss], U, V)

    name = f"GPMVC, handwritten pix+fou, n=2000, {ROUNDS} rounds of {INNER} steps"
    return [Case(name, ours, other, "textbook (dense graphs, residuals)", 1e-8, 5)]


def textbook(Xs, Ss, U, V):
    """The steps as they are written, every graph and degree matrix dense."""
    Ds = [np.diag(S.sum(axis=1)) for S in Ss]
    for round_ in range(ROUNDS):
        consensus = (V[0] + V[1]) / 2
        for X, S, D, U_v, V_v in zip(Xs, Ss, Ds, U, V, strict=True):
            np.sum((X - V_v @ U_v.T) ** 2) + np.trace(V_v.T @ (D - S) @ V_v)  # the objective
        if round_ == ROUNDS - 1:
            return consensus
        U, V = list(U), list(V)
        for v, (X, S, D) in enumerate(zip(Xs, Ss, Ds, strict=True)):
            for _ in range(INNER):
                above = X @ U[v] + S @ V[v] + 0.1 * consensus
                V[v] = V[v] * above / (V[v] @ U[v].T @ U[v] + D @ V[v] + 0.1 * V[v])
                t = np.sum(V[v] * consensus, axis=0)
                q = np.sum(V[v] ** 2, axis=0) * U[v].sum(axis=0)
                U[v] = U[v] * (X.T @ V[v] + 0.1 * t) / (U[v] @ V[v].T @ V[v] + 0.1 * q)
                U[v], V[v] = unit_sums(U[v], V[v])
