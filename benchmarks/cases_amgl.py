"""AMGL: against the textbook form, with all eigenvectors of dense matrices."""

from pathlib import Path

import numpy as np
from harness import Case

from mvclust import AMGL
from mvclust.datasets import load_dataset
from mvclust.numerics.graphs import adaptive_neighbor_graph


def cases(mirror):
    """All cases that the mirror allows."""
    names = ["handwritten"]
    if mirror and Path(mirror, "3sources").is_dir():
        names.append("3sources")
    return [against_textbook(mirror, name) for name in names]


def against_textbook(mirror, name):
    """The whole fit but for k-means; the graphs are built the same way in both."""
    data = load_dataset(name, mirror=mirror, progress=False)
    Xs = [X.toarray() if hasattr(X, "toarray") else X for X in data.Xs]
    k = data.n_clusters

    def ours():
        model = AMGL(k, n_init=1, random_state=0).fit(Xs)
        return [model.F_ @ model.F_.T, model.alpha_, model.objective_]

    shapes = f"n={data.n_samples}, d={[X.shape[1] for X in Xs]}"
    return Case(
        f"AMGL fit, {name}, {shapes}", ours, lambda: textbook(Xs, k), "textbook (dense)", 1e-6, 10
    )


def textbook(Xs, k):
    """The steps as they stand."""
    Ls = []
    for X in Xs:
        W = adaptive_neighbor_graph(X).toarray()
        scale = np.diag(W.sum(axis=1) ** -0.5)
        L = np.eye(len(W)) - scale @ W @ scale
        Ls.append((L + L.T) / 2)
    alpha, objective = np.full(len(Ls), 1 / len(Ls)), []
    for n_iter in range(100):
        F = np.linalg.eigh(sum(a * L for a, L in zip(alpha, Ls, strict=True)))[1][:, :k]
        traces = np.array([np.trace(F.T @ L @ F) for L in Ls])
        alpha = 0.5 / np.sqrt(traces)
        objective.append(np.sqrt(traces).sum())
        if n_iter > 1 and (objective[-2] - objective[-1]) / objective[-2] < 1e-8:
            break
    return [F @ F.T, alpha, np.array(objective)]
