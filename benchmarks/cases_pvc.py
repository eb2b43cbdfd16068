"""PVC: against row by row forms of its sub-problems, on sparse text."""

from functools import partial

import numpy as np
from harness import Case
from scipy.optimize import nnls

from mvclust.datasets import load_dataset
from mvclust.estimators.pvc import pvc, start_at_random
from mvclust.masking import paired_mask
from mvclust.numerics.scaling import unit_samples


def cases():
    """Both ways on two data sets; without a penalty the sub-problems are plain NNLS."""
    loops = "paper", 0.01, 1, solve_rows, "row loops, residuals", 1e-8
    compiled = "exact", 0.0, 5, solve_by_nnls, "scipy nnls by row, dense", 1e-6
    return [_case(name, *way) for name in ("3sources", "bbcsport") for way in (loops, compiled)]


def _case(name, variant, lam, iterations, solve, other_name, tolerance):
    data = load_dataset(name, progress=False)
    presence = paired_mask(data.n_samples, 0.5, 0)
    Xs = [unit_samples(X).tolil() for X in data.Xs[:2]]
    for X, present in zip(Xs, presence.T, strict=True):
        X[~present] = 0
    Xs = [X.tocsr() for X in Xs]
    dense = [X.toarray() for X in Xs]
    start = start_at_random(Xs, data.n_clusters, 0)
    limits = {"tol": 0, "max_start": 1, "max_inner": 500, "inner_tol": 1e-6}

    def ours():
        options = {"lam": lam, "variant": variant, "max_iter": iterations}
        factors, _, _ = pvc(Xs, presence, **start, **options, **limits)
        return [factors["P"], *factors["U"]]

    shapes = f"n={data.n_samples}, d={[X.shape[1] for X in Xs]}"
    title = f"PVC {variant}, 1+{iterations} iterations, {name}, {shapes}"
    how = {"lam": lam, "iterations": iterations, "solve": solve}
    other = partial(textbook, dense, presence, **start, **how)
    return Case(title, ours, other, other_name, tolerance)


def textbook(Xs, presence, U, P, lam, iterations, solve):
    """The listed algorithm: the start on the samples with both views, then all."""
    (X1, X2), (U1, U2), P = Xs, U, P.copy()
    both = presence.all(axis=1)
    one, two = presence[:, 0], presence[:, 1]
    U1 = solve(X1[both].T, P[both].T, U1.T, 0.0).T
    U2 = solve(X2[both].T, P[both].T, U2.T, 0.0).T
    X12 = np.hstack([X1, X2])[both]
    P[both] = solve(X12, np.hstack([U1, U2]), P[both], lam)
    for _ in range(iterations):
        P[one & ~both] = solve(X1[one & ~both], U1, P[one & ~both], lam)
        P[two & ~both] = solve(X2[two & ~both], U2, P[two & ~both], lam)
        P[both] = solve(X12, np.hstack([U1, U2]), P[both], lam)
        U1 = solve(X1[one].T, P[one].T, U1.T, 0.0).T
        U2 = solve(X2[two].T, P[two].T, U2.T, 0.0).T
    return [P, U1, U2]


def solve_rows(X, H, W, penalty):
    """min ||X - W H||^2 + penalty ||W||_1, W >= 0, row after row by greedy moves of one entry.

    As the released C++ code writes it.
    """
    W, k = W.copy(), len(H)
    G, R = H @ H.T, X @ H.T
    curvature = 2 * np.diag(G)
    divisor = np.where(curvature == 0, 1e-10, curvature)
    gradient = 2 * W @ G - 2 * R + penalty
    previous = np.inf
    for sweep in range(500):
        for w, g in zip(W, gradient, strict=True):
            for _ in range(k * k):
                step = np.maximum(-g / divisor, -w)
                decrease = -g * step - 0.5 * curvature * step**2
                best = np.argmax(decrease)
                if decrease[best] <= 1e-12:
                    break
                w[best] += step[best]
                g += 2 * step[best] * G[best]
        objective = np.sum((X - W @ H) ** 2) + penalty * W.sum()
        if sweep > 1 and abs(objective - previous) / (objective + 1e-6) < 1e-16:
            break
        previous = objective
    return W


def solve_by_nnls(X, H, W, penalty):
    """The same without a penalty, by an active-set solver on every row of X."""
    return np.array([nnls(H.T, x)[0] for x in X])
