"""MVKKM and MVSpec: against the textbook form of the same steps. No package has either."""

import numpy as np
from harness import Case
from scipy.linalg import eigh

from mvclust.datasets import load_dataset
from mvclust.estimators.mvkkm import combine, mvspec, view_kernels
from mvclust.numerics.kernel_kmeans import global_kernel_kmeans
from mvclust.numerics.scaling import scale_views
from mvclust.numerics.view_weights import view_weights


def cases(mirror):
    """All cases; the data are Handwritten, six views."""
    data = load_dataset("handwritten", mirror=mirror, progress=False)
    Xs = scale_views(data.Xs, np.ones((2000, len(data.Xs)), dtype=bool), "view_balanced")
    Ks = view_kernels(Xs, "rbf", "benchmark")
    return [against_separate_runs(Ks), against_products(Ks), against_full_reductions(Ks)]


def against_separate_runs(Ks):
    """Global kernel k-means with one run after the other: 9 x 300 runs."""
    K = (sum(Ks) / len(Ks))[::7, ::7]  # 286 samples

    def ours():
        return projector(global_kernel_kmeans(K, 10)[0])

    def textbook():
        return projector(textbook_global_kernel_kmeans(K, 10))

    name = "global kernel k-means, handwritten, every 7th sample, 10 clusters"
    return Case(name, ours, textbook, "one run after the other", 1e-8, 10)


def against_products(Ks):
    """All 18,000 runs at n = 2000 against the product K Y in one single iteration of each."""
    K = sum(Ks) / len(Ks)
    Y = np.random.default_rng(0).random((2000, 2000))

    def multiply():
        for m in range(2, 11):
            for _ in range(m):
                K @ Y

    def ours():
        return global_kernel_kmeans(K, 10)[0]

    name = "global kernel k-means, handwritten, n=2000, 10 clusters"
    return Case(name, ours, multiply, "product K Y, one iteration of every run", None, 1)


def against_full_reductions(Ks):
    """MVSpec to the end, p = 4."""

    def ours():
        factors, objective, _ = mvspec(Ks, 10, p=4, max_iter=100, tol=1e-4)
        return [factors["Y"] @ factors["Y"].T, factors["w"][-1], np.array(objective)]

    def textbook():
        return textbook_mvspec(Ks, 10, 4)

    name = "MVSpec, handwritten, n=2000, p=4"
    return Case(name, ours, textbook, "full eigendecompositions", 1e-8, 5)


def projector(labels):
    """Labels as a matrix that does not depend on their names."""
    return (labels[:, None] == labels).astype(float)


def textbook_global_kernel_kmeans(K, n_clusters, tol=1e-4):
    """n runs for each added cluster, each with all its products."""
    labels, found = np.zeros(len(K), dtype=int), []
    for m in range(2, n_clusters + 1):
        best = None
        for i in range(len(K)):
            start = labels.copy()
            start[i] = m - 1
            run = _textbook_kernel_kmeans(K, start, m, tol)
            if best is None or run[1] < best[1] - 1e-12 * np.trace(K):
                best = run
        labels = best[0]
        found.append(best)
    return min(found, key=lambda run: run[1])[0]


def _textbook_kernel_kmeans(K, labels, m, tol):
    previous = None
    while True:
        Y = np.eye(m)[labels]
        sizes = Y.sum(axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            within = np.einsum("ij,ij->j", Y, K @ Y) / sizes**2
            distances = np.diag(K)[:, None] - 2 * (K @ Y) / sizes + within
        distances[:, sizes == 0] = np.inf
        error = distances[np.arange(len(K)), labels].sum()
        if previous is not None and abs(1 - error / previous) < tol:
            return labels, error
        labels, previous = distances.argmin(axis=1), error


def textbook_mvspec(Ks, n_clusters, p, tol=1e-4):
    """All eigenvectors in every iteration."""
    w, objective = np.full(len(Ks), 1 / len(Ks)), []
    while True:
        Y = eigh(combine(Ks, w, p))[1][:, -n_clusters:]
        D = np.array([np.trace(K) - np.trace(Y.T @ K @ Y) for K in Ks])
        objective.append(float(w**p @ D))
        if len(objective) > 1 and abs(1 - objective[-1] / objective[-2]) < tol:
            return [Y @ Y.T, w, np.array(objective)]
        w = view_weights(D, p)
