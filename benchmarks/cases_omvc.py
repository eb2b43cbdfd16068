"""OMVC: against imml's, and against backtracking that reads all rows seen again."""

import numpy as np
from harness import Case

from mvclust.datasets import load_dataset
from mvclust.estimators import omvc as module
from mvclust.estimators.omvc import OMVC, Stream
from mvclust.numerics.scaling import unit_samples

MAX_ITER = 20


def cases(mirror):
    """All cases that the installed packages allow."""
    data = load_dataset("handwritten", views=["fou", "pix"], mirror=mirror, progress=False)
    return [against_textbook(data.Xs), *against_imml(data)]


def against_imml(data):
    """The whole fit in blocks of 50, one pass."""
    try:
        from imml.cluster import OMVC as Peer

        peer = Peer(n_clusters=10, max_iter=MAX_ITER, n_pass=1, random_state=0)
    except ImportError:
        print("imml, or the Octave that its OMVC runs in, is not installed: its case is left out")
        return []
    ours = OMVC(10, variant="author", n_passes=1, max_iter=MAX_ITER, n_init=1, random_state=0)
    name = f"OMVC fit, handwritten fou+pix, n=2000, up to {MAX_ITER} iterations a block"
    Xs, y = data.Xs, data.y
    return [Case(name, lambda: ours.fit(Xs), lambda: peer.fit(Xs), "imml", None, 100, y)]


def against_textbook(Xs):
    """The released steps of 400 samples; errors by residuals of all rows met."""
    order = np.random.default_rng(0).permutation(2000)[:400]
    Xs = [unit_samples(X[order]) for X in Xs]
    Xs = [X / X.sum() for X in Xs]
    streams = [Stream(X, np.ones(400, dtype=bool), 50) for X in Xs]
    start = module.start_at_random(streams, 10, 0)
    beta = 0.01 * streams[0].norm

    def ours():
        return module.omvc(
            streams,
            start["U"],
            start["B"],
            alpha=np.full(2, 0.01),
            beta=np.full(2, beta),
            variant="author",
            block_size=50,
            n_passes=1,
            max_iter=MAX_ITER,
            tol=1e-4,
        ).factors["U_star"]

    def textbook():
        return textbook_omvc(Xs, start["U"], start["B"], 0.01, beta)

    name = "OMVC author, one pass, handwritten fou+pix, n=400"
    return Case(name, ours, textbook, "textbook (residuals of all rows)", 1e-6, 3)


def textbook_omvc(Xs, U, B, alpha, beta):
    """One pass over complete views, as the steps are written."""
    U, B = [U_v.copy() for U_v in U], list(B)
    n, k = U[0].shape
    A, H = [np.zeros_like(B_v) for B_v in B], [np.zeros((k, k)) for _ in B]
    U_star = np.zeros((n, k))
    for first in range(0, n, 50):
        R, seen = slice(first, first + 50), slice(0, first + 50)
        own = [U_v[R] for U_v in U]
        star = sum(own) / 2
        values, change = [], np.inf
        while len(values) < MAX_ITER and change >= 1e-4:
            value = 0
            for v, X in enumerate(Xs):
                u = own[v]
                Q = 2 * B[v].T @ B[v] + 2 * alpha * np.eye(k)
                G = 2 * u @ B[v].T @ B[v] - 2 * X[R] @ B[v] + 2 * alpha * (u - star) + beta
                B_v = B[v]

                def error_U(u, X=X, B_v=B_v, star=star):
                    error = np.sum((X[R] - u @ B_v.T) ** 2)  # noqa: B023
                    return error + alpha * np.sum((u - star) ** 2) + beta * u.sum()

                u = _halve(u, G @ np.linalg.inv(Q), error_U)
                U[v][R] = u
                S = H[v] + u.T @ u
                G = -2 * (A[v] + X[R].T @ u) + 2 * B_v @ S

                def error_B(B, X=X, U_v=U[v]):
                    return np.sum((X[seen] - U_v[seen] @ B.T) ** 2)  # noqa: B023

                B_v = _halve(B_v, G @ np.linalg.inv(2 * S), error_B)
                sums = np.maximum(B_v.sum(axis=0), 1e-20)
                own[v], B[v] = u * sums, B_v / sums
                value += np.sum((X[seen] - U[v][seen] @ B[v].T) ** 2) + beta * U[v][seen].sum()
                value += alpha * np.sum((U[v][seen] - U_star[seen]) ** 2)
            star = sum(own) / 2
            values.append(value)
            if len(values) > 1:
                change = abs(values[-2] - value) / values[-2]
        for v, X in enumerate(Xs):
            U[v][R] = own[v]
            A[v] += X[R].T @ own[v]
            H[v] += own[v].T @ own[v]
        U_star[R] = star
    return U_star


def _halve(F, step, error):
    before, length = error(F), 1.0
    for _ in range(252):
        moved = np.maximum(F - length * step, 0)
        if error(moved) <= before:
            break
        length /= 2
    return moved
