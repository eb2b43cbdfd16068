"""MMNMF: against the textbook form of the same steps, with dense graphs and residuals."""

from pathlib import Path

import numpy as np
from harness import Case

from mvclust.datasets import load_dataset
from mvclust.estimators.mmnmf import mmnmf
from mvclust.numerics.graphs import laplacian, neighbor_graph

ROUNDS, INNER = 5, 20
LAM, MU = 0.01, 0.01


def cases(mirror):
    """All cases that the mirror allows."""
    return [
        against_textbook(mirror, name, views)
        for name, views in (("handwritten", ["fou", "pix", "zer"]), ("3sources", None))
        if mirror and Path(mirror, name).is_dir()
    ]


def against_textbook(mirror, name, views):
    """Some rounds from one random start."""
    chosen = {} if views is None else {"views": views}
    data = load_dataset(name, mirror=mirror, progress=False, **chosen)
    Xs = [X / X.sum() for X in data.Xs]
    dense = [X.toarray() if hasattr(X, "toarray") else X for X in Xs]
    L = laplacian(sum(neighbor_graph(X, 5) for X in dense) / len(Xs))
    dense_L, k = L.toarray(), data.n_clusters
    rng = np.random.default_rng(0)
    U = [rng.random((X.shape[1], k)) for X in dense]
    V = [rng.random((len(X), k)) / len(X) for X in dense]

    def ours():
        factors, objective, _ = mmnmf(
            Xs, L, U, V, lam=LAM, mu=MU, max_iter=ROUNDS, tol=0, max_inner=INNER, inner_tol=None
        )
        return [factors["V_star"], np.array(objective)]

    shapes = f"n={data.n_samples}, d={[X.shape[1] for X in dense]}"
    return Case(
        f"MMNMF, {ROUNDS}x{INNER} iterations, {name}, {shapes}",
        ours,
        lambda: textbook(dense, dense_L, U, V),
        "textbook (dense, residuals)",
        1e-6,
        5,
    )


def textbook(Xs, L, U, V):
    """The same steps with dense matrices, every objective by residuals."""
    U, V = list(U), list(V)
    system = LAM * len(Xs) * np.eye(len(L)) + MU * L
    for v in range(len(Xs)):
        U[v], V[v] = unit(U[v], V[v])
    V_star = np.linalg.solve(system, LAM * sum(V))
    objective = []
    for _ in range(ROUNDS):
        for v, X in enumerate(Xs):
            U[v], V[v] = unit(U[v], V[v])
            for _ in range(INNER):
                above = X.T @ V[v] + LAM * np.sum(V[v] * V_star, axis=0)
                below = U[v] @ V[v].T @ V[v] + LAM * np.sum(V[v] ** 2, axis=0)
                U[v], V[v] = unit(U[v] * above / np.maximum(below, 1e-100), V[v])
                above = X @ U[v] + LAM * V_star
                below = V[v] @ U[v].T @ U[v] + LAM * V[v]
                V[v] = V[v] * above / np.maximum(below, 1e-100)
                np.sum((X - V[v] @ U[v].T) ** 2)
        V_star = np.linalg.solve(system, LAM * sum(V))
        total = MU * np.trace(V_star.T @ L @ V_star)
        for v, X in enumerate(Xs):
            total += np.sum((X - V[v] @ U[v].T) ** 2) + LAM * np.sum((V[v] - V_star) ** 2)
        objective.append(total)
    return [V_star, np.array(objective)]


def unit(U, V):
    Q = U.sum(axis=0)
    return U / Q, V * Q
