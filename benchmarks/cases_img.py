"""IMG: against the textbook form of its steps, with an n x n graph and inverse."""

import numpy as np
from harness import Case

from mvclust.datasets import load_dataset
from mvclust.estimators.img import img
from mvclust.masking import paired_mask
from mvclust.numerics.scaling import unit_samples

ITERATIONS = 3


def cases(mirror):
    data = load_dataset("handwritten", views=["pix", "fou"], mirror=mirror, progress=False)
    presence = paired_mask(2000, 0.5, seed=0)
    Xs = [unit_samples(X) * m[:, None] for X, m in zip(data.Xs, presence.T, strict=True)]
    rng = np.random.default_rng(0)
    P, L = rng.random((2000, 10)), rng.random((2000, 2000))
    weights = {"lam": 0.01, "beta": 1.0, "gamma": 100.0}

    def ours():
        found = img(Xs, presence, P, L, **weights, variant="author", max_iter=ITERATIONS, tol=1e-8)
        return found.factors["P"]

    def other():
        return textbook(Xs, presence, P, L, **weights)

    name = f"IMG, handwritten pix+fou, n=2000, {ITERATIONS} iterations"
    return [Case(name, ours, other, "textbook (pinv and graph, n x n)", 1e-8, 10)]


def textbook(Xs, presence, P, L, *, lam, beta, gamma):
    """As the authors write it."""
    n, k = P.shape
    both = presence.all(axis=1)
    Q, multiplier, mu = P, np.zeros((n, k)), 0.1
    for _ in range(ITERATIONS):
        Pc = P[both]
        U = [np.linalg.inv(Pc.T @ Pc + lam * np.eye(k)) @ Pc.T @ X[both] for X in Xs]
        P = P.copy()
        for rows, views in (
            (both, (0, 1)),
            (presence[:, 0] & ~both, (0,)),
            (presence[:, 1] & ~both, (1,)),
        ):
            right = 2 * sum(Xs[v][rows] @ U[v].T for v in views)
            right = right - multiplier[rows] + mu * Q[rows]
            P[rows] = right @ np.linalg.inv(2 * sum(U[v] @ U[v].T for v in views) + mu * np.eye(k))
        Q = np.linalg.pinv(beta * (L + L.T) + mu * np.eye(n)) @ (multiplier + mu * P)
        squares = np.sum(Q**2, axis=1)
        s = beta / (4 * gamma) * (squares[:, None] + squares - 2 * Q @ Q.T)
        A = np.maximum(0, (1 + s.sum(axis=0)) / n - s)
        A = (A + A.T) / 2
        L = np.diag(A.sum(axis=1)) - A
        multiplier = multiplier + mu * (P - Q)
        mu *= 1.1
    return P
