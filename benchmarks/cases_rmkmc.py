"""RMKMC: against polyview's, and against the textbook form of its steps."""

import numpy as np
from harness import Case

from mvclust import RMKMC
from mvclust.datasets import load_dataset
from mvclust.estimators.rmkmc import rmkmc
from mvclust.numerics.scaling import scale_views

STARTS, ITERATIONS = 10, 30


def cases(mirror):
    """All cases; the data are Handwritten."""
    data = load_dataset("handwritten", mirror=mirror, progress=False)
    Xs = scale_views(data.Xs, np.ones((2000, len(data.Xs)), dtype=bool), "view_balanced")
    two = [Xs[0], Xs[3]]  # fou, pix
    return [
        *against_polyview(two, data.y, "fou+pix"),
        *against_polyview(Xs, data.y, "6 views"),
        against_runs(Xs),
    ]


def against_polyview(Xs, y, views):
    """The whole fit from ten random starts each, gamma = 5, on the same scaled views."""
    try:
        from polyview.cluster.mv_kmeans import MultiViewKMeans as Peer
    except ImportError:
        print("polyview is not installed (pip install --no-deps polyview): its case is left out")
        return []
    ours = RMKMC(10, gamma=5, scale=None, init="random", max_iter=50, random_state=0)
    peer = Peer(n_clusters=10, gamma=5.0, n_init=STARTS, max_iter=50, tol=1e-6, random_state=0)
    name = f"RMKMC fit, handwritten {views}, n=2000, {STARTS} starts"
    return [Case(name, lambda: ours.fit(Xs), lambda: peer.fit(Xs), "polyview", None, 15, y)]


def against_runs(Xs):
    """The same number of iterations from the same starts, one run after the other."""
    starts = np.random.default_rng(0).integers(0, 10, size=(STARTS, 2000))

    def ours():
        factors, objective, _ = rmkmc(Xs, starts, 10, gamma=5, max_iter=ITERATIONS, tol=-np.inf)
        return [*factors["F"], factors["D"], factors["alpha"], np.array(objective)]

    def textbook():
        runs = [textbook_rmkmc(Xs, start, 10, 5, ITERATIONS) for start in starts]
        return min(runs, key=lambda run: run[-1][-1])

    name = f"RMKMC, handwritten 6 views, n=2000, {STARTS} starts x {ITERATIONS} iterations"
    return Case(name, ours, textbook, "textbook (residuals, one run after the other)", 1e-8, 5)


def textbook_rmkmc(Xs, labels, n_clusters, gamma, n_iter):
    """Weighted means, all residuals to all centroids, weights."""
    n, V = len(labels), len(Xs)
    D, alpha, objective = np.ones((V, n)), np.full(V, 1 / V), []
    for _ in range(n_iter):
        omega = alpha[:, None] ** gamma * D
        F, cost = [], np.zeros((n, n_clusters))
        for X, w in zip(Xs, omega, strict=True):
            G = np.eye(n_clusters)[labels] * w[:, None]
            F.append(G.T @ X / G.sum(axis=0)[:, None])
            for j in range(n_clusters):
                cost[:, j] += w * ((X - F[-1][j]) ** 2).sum(axis=1)
        labels = cost.argmin(axis=1)
        E = np.array(
            [np.linalg.norm(X - F_v[labels], axis=1) for X, F_v in zip(Xs, F, strict=True)]
        )
        D, H = 0.5 / E, E.sum(axis=1)
        alpha = H ** (1 / (1 - gamma)) / (H ** (1 / (1 - gamma))).sum()
        objective.append(float(alpha**gamma @ H))
    return [*F, D, alpha, np.array(objective)]
