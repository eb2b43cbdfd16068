"""MultiNMF: against the textbook form of its steps, on sparse text."""

import numpy as np
from harness import Case

from mvclust.datasets import load_dataset
from mvclust.estimators.multinmf import multinmf, start_at_random

ROUNDS, INNER = 2, 20


def cases():
    """The same on two data sets."""
    return [_case("3sources", [0, 1, 2]), _case("cora", [0, 1])]


def _case(name, views):
    """Some rounds from one random start, the objective watched in every iteration."""
    data = load_dataset(name, progress=False)
    Xs = [data.Xs[v] / data.Xs[v].sum() for v in views]
    dense = [X.toarray() for X in Xs]
    start, lam = start_at_random(Xs, data.n_clusters, 0), np.full(len(Xs), 0.01)

    def ours():
        limits = {"max_iter": ROUNDS, "tol": 0, "max_inner": INNER, "inner_tol": -np.inf}
        factors, _, _ = multinmf(Xs, **start, lam=lam, variant="paper", **limits)
        return [factors["V_star"], *factors["U"], *factors["V"]]

    shapes = f"n={data.n_samples}, d={[X.shape[1] for X in Xs]}"
    title = f"MultiNMF, {ROUNDS}x{INNER} iterations, {name}, {shapes}"
    other = "textbook (dense, residuals)"
    return Case(title, ours, lambda: textbook(dense, **start, lam=lam), other, 1e-8)


def textbook(Xs, U, V, lam):
    """Algorithm 1 of the paper on dense views."""
    U, V = list(U), list(V)
    V_star = sum(w * V_v for w, V_v in zip(lam, V, strict=True)) / lam.sum()
    for _ in range(ROUNDS):
        for v, X in enumerate(Xs):
            objective = []
            for _ in range(INNER):
                above = X.T @ V[v] + lam[v] * np.sum(V[v] * V_star, axis=0)
                below = U[v] @ V[v].T @ V[v]
                below = below + lam[v] * U[v].sum(axis=0) * np.sum(V[v] ** 2, axis=0)
                U[v] = U[v] * above / np.maximum(below, 1e-100)
                Q = np.diag(U[v].sum(axis=0))
                U[v], V[v] = U[v] @ np.linalg.inv(Q), V[v] @ Q
                above = X @ U[v] + lam[v] * V_star
                below = V[v] @ (U[v].T @ U[v]) + lam[v] * V[v]
                V[v] = V[v] * above / np.maximum(below, 1e-100)
                residual = X - V[v] @ U[v].T
                objective.append(np.sum(residual**2) + lam[v] * np.sum((V[v] - V_star) ** 2))
        V_star = sum(w * V_v for w, V_v in zip(lam, V, strict=True)) / lam.sum()
    return [V_star, *U, *V]
