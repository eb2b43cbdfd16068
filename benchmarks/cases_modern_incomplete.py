"""OPIMC, LMVSC, PIMVC, LSIMVC and EEIMVC against the textbook form of the same iterations."""

import numpy as np
from harness import Case

from mvclust import OPIMC
from mvclust.datasets import load_dataset
from mvclust.estimators.eeimvc import eeimvc, start_from_features
from mvclust.estimators.lmvsc import lmvsc, start_from_kmeans
from mvclust.estimators.lsimvc import heat_graph, lsimvc, short_rows
from mvclust.estimators.opimc import opimc, start_at_random
from mvclust.estimators.pimvc import joint_laplacian, pimvc, principal_directions
from mvclust.masking import random_mask
from mvclust.numerics.scaling import unit_samples

K = 10


def cases(mirror):
    """All cases; the data are three views of Handwritten, a third of the instances missing."""
    data = load_dataset("handwritten", views=["fou", "pix", "kar"], mirror=mirror, progress=False)
    presence = random_mask(data.n_samples, 3, 0.3, 0)
    rows = [np.flatnonzero(there) for there in presence.T]
    Xs = [unit_samples(X) for X in data.Xs]
    present = [X[of_view] for X, of_view in zip(Xs, rows, strict=True)]
    return [
        of_opimc(Xs, presence, 30, 2),
        of_opimc(Xs, presence, 250, 3),
        of_lmvsc(Xs, 10, 30),
        of_lmvsc(Xs, 50, 10),
        of_pimvc(present, rows, data.n_samples),
        of_lsimvc(present, rows, data.n_samples),
        of_eeimvc(present, rows, presence),
    ]


def of_opimc(Xs, presence, size, goal):
    """Two passes over blocks from random memberships."""
    Xs = [np.where(there[:, None], X, 0.0) for X, there in zip(Xs, presence.T, strict=True)]
    blocks = OPIMC(K, block_size=size)._blocks(presence, 0)
    V, alpha = start_at_random(len(blocks[0]), K, 0), 0.1
    options = {"n_passes": 2, "variant": "exact", "scale": None, "max_iter": 30, "tol": 1e-6}

    def ours():
        factors, objective, _ = opimc(Xs, presence, blocks, V, alpha=alpha, **options)
        return [*factors["U"], factors["labels"], np.array(objective)]

    name = f"OPIMC, handwritten 3 views, n=2000, 2 passes over blocks of {size}"
    return Case(
        name, ours, lambda: textbook_opimc(Xs, presence, blocks, V, alpha),
        "textbook (features, inverses)", 1e-8, goal,
    )  # fmt: skip


def textbook_opimc(Xs, presence, blocks, V0, alpha):
    """Bases by inverses, costs and values by products with the features, in every iteration."""
    labels, W = np.zeros(len(presence), dtype=int), presence.astype(float)
    R = [np.zeros((X.shape[1], K)) for X in Xs]
    T = [np.zeros((K, K)) for _ in Xs]
    U = [np.zeros((X.shape[1], K)) for X in Xs]
    objective, norms = [], 0.0

    def costs(rows):
        total = np.zeros((len(rows), K))
        for v, X in enumerate(Xs):
            total += W[rows, v][:, None] * ((U[v] ** 2).sum(axis=0) - 2 * X[rows] @ U[v])
        return total

    def value(rows, V):
        total = 0.0
        for v, X in enumerate(Xs):
            M, D = R[v] + X[rows].T @ V, T[v] + V.T @ np.diag(W[rows, v]) @ V
            total += np.vdot(U[v].T @ U[v], D) - 2 * np.vdot(U[v], M) + alpha * (U[v] ** 2).sum()
        return total

    for n_pass in range(2):
        for b, rows in enumerate(blocks):
            if n_pass:
                V, old = np.eye(K)[labels[rows]], np.inf
                for v, X in enumerate(Xs):
                    R[v] -= X[rows].T @ V
                    T[v] -= V.T @ np.diag(W[rows, v]) @ V
            elif b:
                norms += sum((X[rows] ** 2).sum() for X in Xs)
                V = np.eye(K)[costs(rows).argmin(axis=1)]
                old = value(rows, V)
            else:
                norms += sum((X[rows] ** 2).sum() for X in Xs)
                V, old = V0, np.inf
            for _ in range(30):
                for v, X in enumerate(Xs):
                    D = T[v] + V.T @ np.diag(W[rows, v]) @ V + alpha * np.eye(K)
                    U[v] = (R[v] + X[rows].T @ V) @ np.linalg.inv(D)
                V = np.eye(K)[costs(rows).argmin(axis=1)]
                new = value(rows, V)
                if abs(new - old) < 1e-6 * abs(old) < np.inf:
                    break
                old = new
            labels[rows] = V.argmax(axis=1)
            for v, X in enumerate(Xs):
                R[v] += X[rows].T @ V
                T[v] += V.T @ np.diag(W[rows, v]) @ V
            objective.append(norms + new)
    return [*(U_v.T for U_v in U), labels, np.array(objective)]


def of_lmvsc(Xs, n_anchors, goal):
    """Representations and singular vectors, from the same anchors."""
    H = start_from_kmeans(Xs, n_anchors, 1, [0, 0])

    def ours():
        factors, _, _ = lmvsc(Xs, H, K, alpha=0.1)
        return [*factors["Z"], factors["sigma"], np.abs(factors["U"])]

    def textbook():
        Z = []
        for X, H_v in zip(Xs, H, strict=True):
            G, C = H_v @ H_v.T + 0.1 * np.eye(n_anchors), X @ H_v.T
            Z.append(np.stack([one_program(G, c) for c in C]))
        U, sigma, _ = np.linalg.svd(np.hstack(Z) / np.sqrt(3), full_matrices=False)
        return [*Z, sigma[:K], np.abs(U[:, :K])]

    name = f"LMVSC, handwritten 3 views, n=2000, {n_anchors} anchors"
    return Case(name, ours, textbook, "one quadratic program per sample, SVD", 1e-6, goal)


def one_program(G, c):
    """A primal active set method for z G z' - 2 c z' on the simplex, from the best vertex."""
    z = np.zeros(len(c))
    z[np.argmin(G.diagonal() - 2 * c)] = 1.0
    free = z > 0
    while True:
        while True:
            s = np.flatnonzero(free)
            found = np.linalg.solve(G[np.ix_(s, s)], np.column_stack([c[s], np.ones(len(s))]))
            target = found[:, 0] + (1 - found[:, 0].sum()) / found[:, 1].sum() * found[:, 1]
            if (target >= 0).all():
                z[s] = target
                break
            falling = target < 0
            steps = z[s][falling] / (z[s] - target)[falling]
            z[s] += steps.min() * (target - z[s])
            stops = s[falling][steps.argmin()]
            z[stops], free[stops] = 0.0, False
        gradient = G @ z - c
        gradient -= gradient @ z
        gradient[free] = np.inf
        entering = gradient.argmin()
        if gradient[entering] >= -1e-13 * np.abs(c).max():
            return z
        free[entering] = True


def of_pimvc(Xs, rows, n):
    """Ten iterations, from the same graphs and projections."""
    lam, beta, n_iter = 1e5, 1.0, 10
    L = joint_laplacian(Xs, rows, n, 3)
    start = [principal_directions(X, K) for X in Xs]
    options = {"lam": lam, "beta": beta, "max_iter": n_iter, "tol": 0}

    def ours():
        factors, objective, _ = pimvc(Xs, rows, L, start, **options)
        return [*factors["P"], factors["Y"], np.array(objective)]

    def textbook():
        dense = L.toarray()
        inverse = np.linalg.inv(
            np.diag(np.bincount(np.concatenate(rows), minlength=n)) + beta * dense
        )
        roots = []
        for X in Xs:
            values, Q = np.linalg.eigh(X.T @ X + lam * np.eye(X.shape[1]))
            roots.append((Q / np.sqrt(values)) @ Q.T)
        P, objective, norms = list(start), [], sum((X**2).sum() for X in Xs)
        for _ in range(n_iter):
            H = np.zeros((n, K))
            for X, P_v, of_view in zip(Xs, P, rows, strict=True):
                H[of_view] += X @ P_v
            Y = inverse @ H
            value = beta * np.vdot(Y, dense @ Y)
            for v, (X, of_view, root) in enumerate(zip(Xs, rows, roots, strict=True)):
                left, _, right = np.linalg.svd(root @ (X.T @ Y[of_view]), full_matrices=False)
                P[v] = root @ (left @ right)
                value += ((X @ P[v] - Y[of_view]) ** 2).sum() + lam * (P[v] ** 2).sum()
            objective.append(value / norms)
        return [*P, Y, np.array(objective)]

    name = f"PIMVC, handwritten 3 views, n=2000, {n_iter} iterations"
    return Case(name, ours, textbook, "textbook (inverse of n x n)", 1e-8, 3)


def of_lsimvc(Xs, rows, n):
    """Twenty iterations, from the same graphs and bases."""
    lam, beta, r, n_iter = 1.0, 0.01, 2.0, 20
    Ws = [heat_graph(X, 5, 0)[0] for X in Xs]
    rng = np.random.default_rng(0)
    start = [X @ np.linalg.qr(rng.normal(size=(X.shape[1], K)))[0] for X in Xs]
    short = [short_rows(X, K)[0] for X in Xs]
    options = {"lam": lam, "beta": beta, "r": r, "max_iter": n_iter, "tol": 0}

    def ours():
        factors, objective, _ = lsimvc(short, rows, Ws, start, n, **options)
        return [factors["C"], *factors["P"], factors["alpha"], np.array(objective)]

    def textbook():
        dense, weights, P, objective = [W.toarray() for W in Ws], np.ones(len(Xs)), list(start), []
        for _ in range(n_iter):
            total, mass = np.zeros((n, K)), np.zeros(n)
            for P_v, W, of_view, weight in zip(P, dense, rows, weights, strict=True):
                total[of_view] += weight * (W @ P_v)
                mass[of_view] += weight * W.sum(axis=1)
            C, errors = total / mass[:, None], np.empty(len(Xs))
            for v, (X, W, of_view) in enumerate(zip(Xs, dense, rows, strict=True)):
                left, _, right = np.linalg.svd(X.T @ P[v], full_matrices=False)
                U, degree = left @ right, W.sum(axis=0)
                A = (lam * W @ C[of_view] + X @ U) / (1 + lam * degree)[:, None]
                shift = beta / (2 * (1 + lam * degree))[:, None]
                P[v] = np.sign(A) * np.maximum(np.abs(A) - shift, 0)
                errors[v] = ((X - P[v] @ U.T) ** 2).sum() + beta * np.abs(P[v]).sum()
                joined = (degree[:, None] * (C[of_view] ** 2 + P[v] ** 2)).sum()
                errors[v] += lam * (joined - 2 * np.vdot(C[of_view], W @ P[v]))
            alpha = errors ** (1 / (1 - r)) / (errors ** (1 / (1 - r))).sum()
            weights = alpha**r
            objective.append(weights @ errors)
        return [C, *P, alpha, np.array(objective)]

    name = f"LSIMVC, handwritten 3 views, n=2000, {n_iter} iterations"
    return Case(name, ours, textbook, "textbook (dense graphs)", 1e-8, 3)


def of_eeimvc(Xs, rows, presence):
    """Linear kernels: bases and twenty iterations."""
    n, n_iter = len(presence), 20
    Xs = [unit_samples(X - X.mean(axis=0)) for X in Xs]
    options = {"lam": 1.0, "q": 2.0, "aligned": True, "max_iter": n_iter, "tol": 0}

    def ours():
        start = start_from_features(Xs, rows, n, K)
        factors, objective, _ = eeimvc(**start, presence=presence, **options)
        return [np.abs(factors["H"]), factors["beta"], np.array(objective)]

    def textbook():
        total, HP = np.zeros((n, n)), []
        for X, of_view in zip(Xs, rows, strict=True):
            kernel, H = X @ X.T, np.zeros((n, K))
            total[np.ix_(of_view, of_view)] += kernel
            H[of_view] = np.linalg.eigh(kernel)[1][:, : -K - 1 : -1]
            HP.append(H)
        H0 = np.linalg.eigh(total)[1][:, : -K - 1 : -1]
        W, beta, objective = [_polar(H.T @ H0) for H in HP], np.full(3, 3**-0.5), []
        S = sum(b * H @ W_p for b, H, W_p in zip(beta, HP, W, strict=True)) + H0
        for _ in range(n_iter):
            H = _polar(S)
            W = [_polar(H_p.T @ H) for H_p in HP]
            for H_p, W_p, there in zip(HP, W, presence.T, strict=True):
                H_p[~there] = _polar(H[~there] @ W_p.T)
            tau = np.array([np.vdot(H, H_p @ W_p) for H_p, W_p in zip(HP, W, strict=True)])
            beta = tau / np.linalg.norm(tau)
            S = sum(b * H_p @ W_p for b, H_p, W_p in zip(beta, HP, W, strict=True)) + H0
            objective.append(np.vdot(H, S))
        return [np.abs(H), beta, np.array(objective)]

    name = f"EEIMVC, handwritten 3 views, n=2000, linear kernels and {n_iter} iterations"
    return Case(name, ours, textbook, "textbook (kernels)", 1e-6, 10)


def _polar(A):
    left, _, right = np.linalg.svd(A, full_matrices=False)
    return left @ right
