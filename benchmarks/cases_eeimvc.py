"""EEIMVC: eigenvectors and iterations against kernels of all pairs."""

import numpy as np
from harness import Case
from scipy import linalg

from mvclust.datasets import load_dataset
from mvclust.estimators.eeimvc import bases_of_features, eeimvc
from mvclust.masking import random_mask
from mvclust.numerics.scaling import unit_samples

LAM, Q, ITERATIONS = 1.0, 2.0, 20


def cases(mirror):
    """All cases."""
    data = load_dataset("handwritten", views=["fou", "pix", "kar"], mirror=mirror, progress=False)
    presence = random_mask(data.n_samples, 3, 0.3, 0)
    Xs = [unit_samples(X) for X in data.Xs]
    return [
        Case(
            f"EEIMVC, eigenvectors and {ITERATIONS} iterations, handwritten, n={data.n_samples}",
            lambda: ours(Xs, presence, data.n_clusters),
            lambda: textbook(Xs, presence, data.n_clusters),
            "textbook (n x n kernels)",
            1e-6,
            10,
        )
    ]


def ours(Xs, presence, k):
    """What the estimator does, started with rotations that make signs of no account."""
    Hs, H0 = bases_of_features(Xs, presence, k)
    Ws = [polar(H.T @ H0) for H in Hs]
    found = eeimvc(Hs, H0, Ws, presence, lam=LAM, q=Q, max_iter=ITERATIONS, tol=0)
    return [found.factors["H"] @ found.factors["H"].T, np.array(found.objective)]


def textbook(Xs, presence, k):
    """The steps as they stand."""
    n, V = presence.shape
    total, Hs = np.zeros((n, n)), []
    for X, there in zip(Xs, presence.T, strict=True):
        present = np.flatnonzero(there)
        K = X[present] @ X[present].T
        n_present = len(present)
        C = np.eye(n_present) - 1 / n_present
        K = C @ K @ C
        root = np.sqrt(K.diagonal())
        K = K / np.outer(root, root)
        total[np.ix_(present, present)] += K
        H = np.zeros((n, k))
        H[present] = top(K, k)
        Hs.append(H)
    H0, beta = top(total, k), np.full(V, V ** (-1 / Q))
    Ws = [polar(H.T @ H0) for H in Hs]
    S, objective = combine(Hs, Ws, beta, H0), []
    for _ in range(ITERATIONS):
        H = polar(S)
        for p, there in enumerate(presence.T):
            Ws[p] = polar(Hs[p].T @ H)
            Hs[p][~there] = polar(H[~there] @ Ws[p].T)
        tau = np.array([np.trace(H.T @ H_p @ W) for H_p, W in zip(Hs, Ws, strict=True)])
        beta = tau ** (1 / (Q - 1)) / (tau ** (Q / (Q - 1))).sum() ** (1 / Q)
        S = combine(Hs, Ws, beta, H0)
        objective.append(np.trace(H.T @ S))
    return [H @ H.T, np.array(objective)]


def combine(Hs, Ws, beta, H0):
    return sum(b * H @ W for b, H, W in zip(beta, Hs, Ws, strict=True)) + LAM * H0


def top(K, k):
    n = len(K)
    return linalg.eigh(K, subset_by_index=[n - k, n - 1])[1]


def polar(M):
    left, _, right = np.linalg.svd(M, full_matrices=False)
    return left @ right
