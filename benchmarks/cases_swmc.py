"""SwMC: against the textbook form, row after row, with all eigenvectors of dense matrices."""

from pathlib import Path

import numpy as np
from cases_clr import bottom, project
from harness import Case

from mvclust import SwMC
from mvclust.datasets import load_dataset
from mvclust.numerics.connected import joint_graphs


def cases(mirror):
    """All cases that the mirror allows."""
    found = [against_textbook(mirror, "handwritten", 2)]
    if mirror and Path(mirror, "3sources").is_dir():
        found.append(against_textbook(mirror, "3sources", 50))
    return found


def against_textbook(mirror, name, max_iter):
    """The whole fit from equal weights; the graphs are built the same way in both."""
    data = load_dataset(name, mirror=mirror, progress=False)
    Xs = [X.toarray() if hasattr(X, "toarray") else X for X in data.Xs]
    model = SwMC(data.n_clusters, init="uniform", max_iter=max_iter)
    return Case(
        f"SwMC fit, {name}, n={data.n_samples}, {len(Xs)} views, up to {max_iter} iterations",
        lambda: [model.fit(Xs).S_.toarray(), model.objective_],
        lambda: textbook(Xs, data.n_clusters, max_iter),
        "textbook (dense)",
        1e-6,
        20,
    )


def textbook(Xs, k, max_iter):
    """The steps as they stand."""
    Ws = [W.toarray() for W in joint_graphs(Xs, k, 10)]
    alpha, objective = np.full(len(Ws), 1 / len(Ws)), []
    S = sum(a * W for a, W in zip(alpha, Ws, strict=True))
    while len(objective) < max_iter:
        G = sum(a * W for a, W in zip(alpha, Ws, strict=True))
        F, _ = bottom(S, k)
        lam = 1.0
        for _ in range(50):
            S = np.zeros_like(G)
            for i, g in enumerate(G):
                support = np.flatnonzero(g > 0)
                p = np.sum((F[i] - F[support]) ** 2, axis=1)
                S[i, support] = project((g[support] - lam / 2 * p) / alpha.sum())
            previous = F
            F, values = bottom(S, k)
            if values[:k].sum() > 1e-10:
                lam *= 2
            elif values.sum() < 1e-10:
                lam /= 2
                F = previous
            else:
                break
        distances = np.array([np.linalg.norm(S - W) for W in Ws])
        alpha = 0.5 / distances
        objective.append(distances.sum())
        if len(objective) > 1 and abs(objective[-1] - objective[-2]) < 1e-8:
            break
    return [S, np.array(objective)]
