"""MIC: against the textbook form of its steps, on filled dense views."""

from pathlib import Path

import numpy as np
from harness import Case

from mvclust.datasets import load_dataset
from mvclust.estimators.mic import MIC, FilledView, mic
from mvclust.masking import apply_mask, random_mask
from mvclust.numerics.scaling import unit_samples

ROUNDS, INNER = 2, 30


def cases(mirror):
    """All cases that the mirror allows."""
    data = load_dataset("handwritten", views=["fou", "pix"], mirror=mirror, progress=False)
    found = [against_textbook("handwritten fou+pix, n=2000", data, 10, 2)]
    if mirror and Path(mirror, "3sources").is_dir():
        data = load_dataset("3sources", mirror=mirror, progress=False)
        found.append(against_textbook("3sources, n=169, d about 3400", data, 6, 30))
    return found


def against_textbook(name, data, n_clusters, goal):
    """The multiplicative steps: with the diagonal matrices as such, and mean-filled rows."""
    presence = random_mask(data.n_samples, len(data.Xs), 0.3, seed=0)
    start = MIC(n_clusters, n_init=1, random_state=0).draw_start(apply_mask(data.Xs, presence))
    present = [X.multiply(m[:, None]).tocsr() if hasattr(X, "multiply") else X * m[:, None]
               for X, m in zip(data.Xs, presence.T, strict=True)]  # fmt: skip
    Xs = [FilledView(unit_samples(X), m) for X, m in zip(present, presence.T, strict=True)]
    beta = np.array([0.01 * X.norm for X in Xs])
    filled, weights = [X.toarray() for X in Xs], [X.weights for X in Xs]

    def ours():
        return mic(
            Xs,
            start["U"],
            start["B"],
            alpha=np.full(len(Xs), 0.01),
            beta=beta,
            variant="author",
            max_iter=ROUNDS,
            tol=0,
            max_inner=INNER,
        ).factors["U_star"]

    def textbook():
        return textbook_mic(filled, weights, start["U"], start["B"], beta)

    title = f"MIC author, {ROUNDS}x{INNER} iterations, {name}"
    return Case(title, ours, textbook, "textbook (n x n diagonals, filled)", 1e-8, goal)


def textbook_mic(Xs, weights, U, B, beta, alpha=0.01):
    """The released order of steps as the formulas are written."""
    U, B, Cs = list(U), list(B), [np.diag(c) for c in weights]
    for _ in range(ROUNDS):
        below = sum(alpha * c for c in weights)[:, None]
        U_star = sum(alpha * C @ U_v for C, U_v in zip(Cs, U, strict=True)) / below
        for v, (X, C) in enumerate(zip(Xs, Cs, strict=True)):
            for _ in range(INNER):
                R = np.diag(1 / np.maximum(np.linalg.norm(U[v], axis=1), 1e-150))
                above = C @ X @ B[v] + alpha * C @ U_star
                below = C @ U[v] @ B[v].T @ B[v] + alpha * C @ U[v] + beta[v] / 2 * R @ U[v]
                U[v] = U[v] * np.sqrt(above / np.maximum(below, 1e-30))
                above, below = X.T @ C @ U[v], B[v] @ (U[v].T @ C @ U[v])
                B[v] = B[v] * np.sqrt(above / np.maximum(below, 1e-30))
                sums = np.maximum(B[v].sum(axis=0), 1e-30)
                U[v], B[v] = U[v] * sums, B[v] / sums
    return U_star
