"""MPAC against a textbook form of Algorithm 1: inverses, dense graphs, loops over pairs."""

from functools import partial

import numpy as np
from harness import Case

from mvclust import MPAC, load_dataset
from mvclust.estimators.mpac import align_partitions, start_from_graphs
from mvclust.numerics.scaling import unit_range


def cases():
    """Cases on bbcsport and handwritten."""
    bbcsport = [X.toarray() for X in load_dataset("bbcsport", subset="116x4", progress=False).Xs]
    handwritten = load_dataset("handwritten", progress=False).Xs
    sport, digits = "bbcsport n=116 d=1991..2158", "handwritten n=2000 d=6..240"
    return [
        _case(f"{sport}, loops over pairs", bbcsport, 5, _graph_by_pairs, 100),
        _case(f"{sport}, products", bbcsport, 5, _graph_at_once, 100),
        _case(f"{digits}, products", handwritten, 10, _graph_at_once, 2),
    ]


def _case(name, Xs, n_clusters, learn_graph, max_iter):
    F = start_from_graphs([unit_range(X) for X in Xs], n_clusters, 5)
    start = {"F": F, "R": align_partitions(F)}

    def ours():
        model = MPAC(n_clusters, init=start, max_iter=max_iter).fit(Xs)
        return [model.labels_ + 1, model.w_, model.objective_]

    other = partial(textbook, Xs, F, start["R"], learn_graph, max_iter)
    return Case(f"MPAC {name}", ours, other, "textbook", 1e-6)


def textbook(Xs, F, R, learn_graph, max_iter, alpha=10.0, beta=0.01, gamma=1e-5):
    """MPAC with the exact S step, every formula as it stands."""
    Xs = [2 * (X - X.min()) / (X.max() - X.min()) - 1 for X in Xs]
    n, n_clusters = F[0].shape
    Ks = [X @ X.T for X in Xs]
    inverses = [np.linalg.inv(alpha * np.eye(n) + K) for K in Ks]
    F, R = list(F), list(R)
    w = np.full(len(Xs), 1 / len(Xs))
    labels = np.argmax(sum(F_v @ R_v for F_v, R_v in zip(F, R, strict=True)), axis=1)
    objective = []
    for sweep in range(max_iter):
        Y, q, total = np.eye(n_clusters)[labels], np.empty(len(Xs)), 0.0
        for v, (X, K, B) in enumerate(zip(Xs, Ks, inverses, strict=True)):
            S = learn_graph(K, B, F[v], beta)
            W = (S + S.T) / 2
            L = np.diag(W.sum(axis=0)) - W
            F[v] = _curvilinear_search(F[v], L, Y, R[v], gamma / w[v] / beta)
            left, _, right = np.linalg.svd(F[v].T @ Y)
            R[v] = left @ right
            q[v] = np.linalg.norm(Y - F[v] @ R[v])
            total += np.linalg.norm(X.T - X.T @ S) ** 2 + alpha * np.linalg.norm(S) ** 2
            total += beta * np.trace(F[v].T @ L @ F[v])
        w = q / q.sum()
        aligned = sum(F_v @ R_v / w_v for F_v, R_v, w_v in zip(F, R, w, strict=True))
        previous, labels = labels, np.argmax(aligned, axis=1)
        Y = np.eye(n_clusters)[labels]
        for v in range(len(Xs)):
            total += gamma / w[v] * np.linalg.norm(Y - F[v] @ R[v]) ** 2
        objective.append(total)
        if sweep >= 4 and np.array_equal(labels, previous):
            break
    return [labels + 1, w, np.array(objective)]


def _graph_by_pairs(K, B, F, beta):
    S = np.empty_like(K)
    for j in range(len(F)):
        h = np.array([np.linalg.norm(F[i] - F[j]) ** 2 for i in range(len(F))])
        S[:, j] = B @ (K[:, j] - beta / 4 * h)
        S[:, j] -= S[j, j] / B[j, j] * B[:, j]
    return S


def _graph_at_once(K, B, F, beta):
    norms = (F**2).sum(axis=1)
    S = B @ (K - beta / 4 * (norms[:, None] + norms - 2 * F @ F.T))
    S -= B * (np.diag(S) / np.diag(B))
    return S


def _curvilinear_search(X, L, Y, R, pull, xtol=1e-5, gtol=1e-5, ftol=1e-8):
    """OptStiefelGBB of Wen and Yin from the best rotation, with larger steps along rotations."""
    n, k = X.shape
    curvature = np.trace(L) / n - np.trace(X.T @ L @ X) / k
    left, sigma, back = np.linalg.svd(X.T @ (pull * Y @ R.T))
    X, R = X @ left, back @ R
    resistance = 2 * np.add.outer(sigma, sigma)
    boost = np.clip(curvature / resistance, 0.5, 1e4)

    def evaluate(X):
        value = np.trace(X.T @ L @ X) + pull * np.linalg.norm(Y - X @ R) ** 2
        return value, 2 * (L @ X) - 2 * pull * (Y @ R.T)

    def curve(X, G):
        A = X.T @ G
        G = G - X @ (A - boost * (A - A.T))
        U, V = np.hstack([G, X]), np.hstack([X, -G])
        return U, V.T @ U, V.T @ X, G - X @ (G.T @ X)

    value, G = evaluate(X)
    U, VU, VX, D = curve(X, G)
    weight, reference, step, history = 1.0, value, 1e-3, []
    for n_iter in range(1, 1001):
        old_X, old_value, old_D = X, value, D
        for _ in range(5):
            X = old_X - step * U @ np.linalg.solve(np.eye(2 * k) + step / 2 * VU, VX)
            value, G = evaluate(X)
            if value <= reference - step * 1e-4 * np.linalg.norm(old_D) ** 2:
                break
            step *= 0.2
        U, VU, VX, D = curve(X, G)
        moved, bent = X - old_X, D - old_D
        product = abs(np.sum(moved * bent))
        step = np.sum(moved**2) / product if n_iter % 2 == 0 else product / np.sum(bent**2)
        step = max(min(step, 1e20), 1e-20)
        change = np.linalg.norm(moved) / np.sqrt(n), abs(old_value - value) / (abs(old_value) + 1)
        history.append(change)
        means = np.mean(history[-5:], axis=0)
        settled = change[0] < xtol and change[1] < ftol
        settled |= means[0] < 10 * xtol and means[1] < 10 * ftol
        if settled or np.linalg.norm(D) < gtol:
            if n_iter > 2:
                break
            xtol, gtol, ftol = 0.1 * xtol, 0.1 * gtol, 0.1 * ftol
        old_weight, weight = weight, 0.85 * weight + 1
        reference = (0.85 * old_weight * reference + value) / weight
    return X @ back
