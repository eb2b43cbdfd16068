"""CLR: against the textbook form, row after row, with all eigenvectors of dense matrices."""

from pathlib import Path

import numpy as np
from harness import Case

from mvclust import CLR
from mvclust.datasets import load_dataset
from mvclust.numerics.connected import joint_graphs


def cases(mirror):
    """All cases that the mirror allows."""
    names = ["handwritten"]
    if mirror and Path(mirror, "3sources").is_dir():
        names.append("3sources")
    return [against_textbook(mirror, name) for name in names]


def against_textbook(mirror, name):
    """The search for the graph, from the same mean graph."""
    data = load_dataset(name, mirror=mirror, progress=False)
    Xs = [X.toarray() if hasattr(X, "toarray") else X for X in data.Xs]
    k = data.n_clusters
    graphs = joint_graphs(Xs, k, 10)
    A0 = (sum(graphs) / len(graphs)).toarray()
    model = CLR(k, init={"A0": A0})
    return Case(
        f"CLR fit, {name}, n={data.n_samples}, mean graph of {len(Xs)} views",
        lambda: model.fit(Xs[:1]).S_.toarray(),
        lambda: textbook(A0, k),
        "textbook (dense)",
        1e-6,
        20,
    )


def textbook(A0, k):
    """The steps as they stand."""
    F, _ = bottom(A0, k)
    lam = 0.1
    for _ in range(30):
        S = np.zeros_like(A0)
        for i, a in enumerate(A0):
            support = np.flatnonzero(a > 0)
            p = np.sum((F[i] - F[support]) ** 2, axis=1)
            S[i, support] = project(a[support] - lam / 2 * p)
        previous = F
        F, values = bottom(S, k)
        if values[:k].sum() > 1e-10:
            lam *= 2
        elif values.sum() < 1e-10:
            lam /= 2
            F = previous
        else:
            break
    return S


def bottom(S, k):
    """Eigenvectors of the Laplacian, and k + 1 eigenvalues."""
    W = (S + S.T) / 2
    values, vectors = np.linalg.eigh(np.diag(W.sum(axis=1)) - W)
    return vectors[:, :k], values[: k + 1]


def project(v):
    """The nearest point of the simplex, by sorting."""
    u = np.sort(v)[::-1]
    above = np.cumsum(u) - 1
    size = np.flatnonzero(u > above / np.arange(1, len(v) + 1))[-1]
    return np.maximum(v - above[size] / (size + 1), 0)
