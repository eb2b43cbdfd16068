"""Methods with an anchor graph: against the textbook form of the same iterations.

The textbook form is that of the released codes: scaled copies of the views, one quadratic program
(or one projection) per sample and iteration, residuals from the data, singular values of tall
matrices. Both take the same start and the same number of iterations.
"""

import numpy as np
from harness import Case

from mvclust.datasets import load_dataset
from mvclust.estimators.eomscca import eomscca
from mvclust.estimators.fimvcvia import fimvcvia
from mvclust.estimators.imvccbg import imvccbg
from mvclust.estimators.simvcsa import simvcsa, start_from_samples
from mvclust.estimators.smvsc import smvsc
from mvclust.masking import random_mask
from mvclust.numerics.anchors import sample_products
from mvclust.numerics.scaled_views import ScaledView

VIEWS = ["fou", "pix", "kar"]
K, ITERATIONS, GRAPHS = 10, 5, 2


def cases(mirror):
    """All cases; the data are Handwritten, for the first three with 30 % of instances missing."""
    data = load_dataset("handwritten", mirror=mirror, progress=False)
    order = np.random.default_rng(0).permutation(2000)
    Xs = [data.Xs[data.view_names.index(name)][order] for name in VIEWS]
    presence = random_mask(2000, 3, 0.3, 0)
    presence[:K] = True  # the first samples start as anchors
    masked = [np.where(there[:, None], X, 0.0) for X, there in zip(Xs, presence.T, strict=True)]
    views, dense = _views(masked, "sample_unit")
    complete, dense_complete = _views(Xs, "feature_zscore")
    first = sample_products(views, np.arange(K)), np.zeros((K, K))
    first_complete = sample_products(complete, np.arange(K)), np.zeros((K, K))
    A, F = start_from_samples(views, presence, np.arange(K))
    return [
        _case(
            "IMVCCBG",
            lambda: imvccbg(
                views, presence, [first], lam=0, variant="author", max_iter=ITERATIONS, tol=-1
            ),
            lambda: textbook_consensus(dense, presence, 0.0, root=True),
        ),
        _case(
            "FIMVCVIA",
            lambda: fimvcvia(views, presence, first[:1], lam=0.1, max_iter=ITERATIONS, tol=-1),
            lambda: textbook_fimvcvia(dense, presence, 0.1),
        ),
        _case(
            "SIMVCSA",
            lambda: simvcsa(
                views, presence, [(A, F)], lam=1.0, mu=0.01, max_iter=ITERATIONS, tol=-1
            ),
            lambda: textbook_simvcsa(dense, presence, A, F, 1.0, 0.01),
        ),
        _case(
            "SMVSC",
            lambda: smvsc(
                complete, [first_complete], lam=1.0, variant="author", max_iter=ITERATIONS, tol=-1
            ),
            lambda: textbook_consensus(dense_complete, np.ones_like(presence), 1.0, pull=1.0),
        ),
        _case(
            "EOMSCCA",
            lambda: eomscca(
                complete, [(np.arange(K), *first_complete)], K, max_iter=GRAPHS, tol=-1
            ),
            lambda: textbook_eomscca(dense_complete),
            GRAPHS,
        ),
    ]


def _views(Xs, scale):
    views = [ScaledView(X, scale) for X in Xs]
    return views, [view.take(np.arange(len(X))) for view, X in zip(views, Xs, strict=True)]


def _case(name, ours, textbook, iterations=ITERATIONS):
    def arrays():
        factors, objective, _ = ours()
        graphs = factors["Z"] if isinstance(factors["Z"], list) else [factors["Z"]]
        return [*graphs, np.array(objective)]

    title = f"{name}, handwritten 3 views, n=2000, {K} anchors, {iterations} iterations"
    return Case(title, arrays, textbook, "textbook (sample after sample)", 1e-8, 10)


def polar(C):
    """By the singular value decomposition."""
    left, _, right = np.linalg.svd(C, full_matrices=False)
    return left @ right


def quadratic_program(H, f):
    """Minimise z'Hz / 2 + f'z over the simplex by an active set."""
    m = len(f)
    z, free = np.full(m, 1 / m), np.ones(m, dtype=bool)
    while True:
        size = free.sum()
        system = np.ones((size + 1, size + 1))
        system[:size, :size], system[-1, -1] = H[np.ix_(free, free)], 0.0
        solution = np.linalg.solve(system, np.append(-f[free], 1.0))
        target = np.zeros(m)
        target[free] = solution[:-1]
        down = free & (target < 0)
        if down.any():
            steps = np.full(m, np.inf)
            steps[down] = z[down] / (z[down] - target[down])
            z = z + steps.min() * (target - z)
            free[steps.argmin()] = False
            z[~free] = 0.0
            continue
        z = target
        slack = H @ z + f + solution[-1]
        slack[free] = 0.0
        if slack.min() > -1e-12:
            return z
        free[slack.argmin()] = True


def project(v):
    """The nearest point of the simplex."""
    falling = np.sort(v)[::-1]
    sums = np.cumsum(falling) - 1
    last = np.flatnonzero(falling > sums / np.arange(1, len(v) + 1))[-1]
    return np.maximum(v - sums[last] / (last + 1), 0)


def textbook_consensus(Xs, presence, lam, *, root=False, pull=None):
    """IMVC-CBG (weights from residuals that are not squared) and SMVSC (linear term unweighted)."""
    n, V = presence.shape
    Z, A, alpha, objective = np.eye(n, K), np.zeros((K, K)), np.full(V, 1 / V), []
    for _ in range(ITERATIONS):
        W = [polar(X.T @ Z @ A.T) for X in Xs]
        A = polar(sum(a**2 * W_v.T @ X.T @ Z for a, W_v, X in zip(alpha, W, Xs, strict=True)))
        Z = np.empty((n, K))
        for i in range(n):
            held = (alpha**2 * presence[i]).sum()
            linear = np.zeros(K)
            for v in range(V):
                linear += (alpha[v] ** 2 if pull is None else pull) * A.T @ W[v].T @ Xs[v][i]
            Z[i] = quadratic_program(2 * (held + lam) * np.eye(K), -2 * linear)
        squared = _residuals(Xs, presence, [W_v @ A for W_v in W], [Z] * V)
        losses = np.sqrt(squared) if root else squared
        alpha = 1 / losses / (1 / losses).sum()
        objective.append(alpha**2 @ squared + lam * np.sum(Z**2))
    return [Z, np.array(objective)]


def _residuals(Xs, presence, Bs, Zs):
    return np.array([
        np.linalg.norm(X - (Z * there[:, None]) @ B.T) ** 2
        for X, there, B, Z in zip(Xs, presence.T, Bs, Zs, strict=True)
    ])  # fmt: skip


def textbook_fimvcvia(Xs, presence, lam):
    """FIMVC-VIA."""
    n, V = presence.shape
    Z, alpha, objective = np.eye(n, K), np.full(V, 1 / V), []
    for _ in range(ITERATIONS):
        A = [polar(X.T @ Z) for X in Xs]
        Z = np.empty((n, K))
        for i in range(n):
            held = (alpha**2 * presence[i]).sum()
            linear = sum(alpha[v] ** 2 * A[v].T @ Xs[v][i] for v in range(V))
            Z[i] = quadratic_program(2 * (held + lam) * np.eye(K), -2 * linear)
        squared = _residuals(Xs, presence, A, [Z] * V)
        alpha = 1 / squared / (1 / squared).sum()
        objective.append(alpha**2 @ squared + lam * np.sum(Z**2))
    return [Z, np.array(objective)]


def textbook_simvcsa(Xs, presence, A, F, lam, mu):
    """SIMVC-SA; its code projects sample after sample."""
    n, V = presence.shape
    Zs, P, gamma, objective = None, [np.eye(K)] * V, np.full(V, 1 / V), []
    for n_iter in range(ITERATIONS):
        if n_iter:
            A = [polar(X.T @ Z) for X, Z in zip(Xs, Zs, strict=True)]
            F = polar(sum(Z @ P_v.T for Z, P_v in zip(Zs, P, strict=True)))
        Zs = [np.empty((n, K)) for _ in Xs]
        for v, X in enumerate(Xs):
            for i in range(n):
                linear = gamma[v] ** 2 * A[v].T @ X[i] + lam * P[v].T @ F[i]
                Zs[v][i] = project(linear / (gamma[v] ** 2 * presence[i, v] + lam + mu))
        P = [polar(F.T @ Z) for Z in Zs]
        squared = _residuals(Xs, presence, A, Zs)
        gamma = 1 / squared / (1 / squared).sum()
        apart = sum(np.linalg.norm(Z @ P_v.T - F) ** 2 for Z, P_v in zip(Zs, P, strict=True))
        norm = sum(np.linalg.norm(Z) ** 2 for Z in Zs)
        objective.append(gamma**2 @ squared + lam * apart + mu * norm)
    return [*Zs, np.array(objective)]


def textbook_eomscca(Xs):
    """EOMSC-CA; its code projects row after row and column after column."""
    n, V = len(Xs[0]), len(Xs)
    Z, A, alpha, objective = np.eye(n, K), np.zeros((K, K)), np.full(V, 1 / V), []
    for _ in range(GRAPHS):
        W = [polar(X.T @ Z @ A.T) for X in Xs]
        A = polar(sum(a**2 * W_v.T @ X.T @ Z for a, W_v, X in zip(alpha, W, Xs, strict=True)))
        B = sum(a**2 * X @ W_v @ A for a, W_v, X in zip(alpha, W, Xs, strict=True))
        Z, trace = textbook_graph(B, (alpha**2).sum())
        squared = _residuals(Xs, np.ones((n, V)), [W_v @ A for W_v in W], [Z] * V)
        alpha = squared**-0.5 / (squared**-0.5).sum()
        objective.append(alpha**2 @ squared + trace)
    return [Z, np.array(objective)]


def textbook_graph(B, total):
    """The graph with K components, from the first samples."""
    n, m = B.shape
    U, V = np.eye(n, K) / np.sqrt(2), np.eye(m, K) / np.sqrt(2)
    roots, roots_of_anchors = np.where(np.arange(n) < m, 1.0, 0.0), np.ones(m)
    rows = [np.flatnonzero(b > 0) for b in B]
    columns = [np.flatnonzero(b > 0) for b in B.T]
    theta = 0.1
    for _ in range(50):
        D = np.zeros((n, m))
        for i in np.flatnonzero(roots):
            D[i] = np.sum((U[i] * roots[i] - V * roots_of_anchors[:, None]) ** 2, axis=1)
        D[:, roots_of_anchors == 0] = 0.0
        T = (B - theta / 2 * D) / total
        by_rows, by_columns = np.zeros((n, m)), np.zeros((n, m))
        for i, support in enumerate(rows):
            if len(support):
                by_rows[i, support] = project(T[i, support])
        for j, support in enumerate(columns):
            if len(support):
                by_columns[support, j] = project(T[support, j])
        P = (by_rows + by_columns) / 2
        degrees, of_anchors = P.sum(axis=1), P.sum(axis=0)
        roots = np.where(degrees > 0, degrees, np.inf) ** -0.5
        roots_of_anchors = np.where(of_anchors > 0, of_anchors, np.inf) ** -0.5
        N = roots[:, None] * P * roots_of_anchors
        values, vectors = np.linalg.eigh(N.T @ N)
        values, V = values[::-1], vectors[:, ::-1][:, :K]
        U, V = N @ V / np.sqrt(values[:K]) / np.sqrt(2), V / np.sqrt(2)
        if values[:K].sum() < K - 1e-7:
            theta *= 2
        elif m > K and values[: K + 1].sum() > K + 1 - 1e-7:
            theta /= 2
        else:
            break
    trace = 0.1 * (np.sum(U**2) + np.sum(V**2) - np.sum(U * (N @ V)))
    return P, trace
