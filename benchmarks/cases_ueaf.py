"""UEAF against a textbook form of Algorithm 1: inverses, all eigenvectors, row after row."""

from functools import partial
from tempfile import TemporaryDirectory

import numpy as np
from harness import Case

from mvclust import UEAF, load_dataset
from mvclust.datasets import fetch_dataset, published_masks
from mvclust.estimators.ueaf import random_start
from mvclust.masking import apply_mask, paired_mask
from mvclust.numerics.graphs import neighbor_graph


def cases():
    """Cases on three data sets with missing instances."""
    data = load_dataset("3sources", progress=False)
    with TemporaryDirectory() as folder:
        fetch_dataset("3sources", folder, progress=False)
        mask = published_masks("3sources", 0.3, folder)[0]
    news = apply_mask([X.toarray() for X in data.Xs], mask)
    mask = np.random.default_rng(0).random((116, 4)) > 0.3
    mask[~mask.any(axis=1), 0] = True
    data = load_dataset("bbcsport", subset="116x4", progress=False)
    sport = apply_mask([X.toarray() for X in data.Xs], mask)
    data = load_dataset("handwritten", views=["pix", "fou"], progress=False)
    digits = apply_mask(data.Xs, paired_mask(2000, 0.5, seed=0))
    return [
        _case("3sources n=169 d=3560,3631,3068", news, 6, (0.01, 0.1, 1e-5), 200),
        _case("bbcsport n=116 d=1991..2158", sport, 5, (10.0, 10.0, 1e-4), 200),
        _case("handwritten n=2000 d=240,76", digits, 10, (0.01, 0.01, 1e-3), 15),
    ]


def _case(name, Xs, n_clusters, lambdas, max_iter):
    shapes = [X.shape[1] for X in Xs], [int(np.isnan(X[:, 0]).sum()) for X in Xs]
    start = random_start(*shapes, len(Xs[0]), n_clusters, seed=0)

    def ours():
        names = dict(zip(("lambda1", "lambda2", "lambda3"), lambdas, strict=True))
        options = {"init": start, "scale": "sample_unit", "max_iter": max_iter, "n_init": 1}
        model = UEAF(n_clusters, **names, **options).fit(Xs)
        return [model.P_, model.objective_]

    other = partial(textbook, Xs, start, *lambdas, max_iter)
    return Case(f"UEAF {name}", ours, other, "textbook", 1e-6)


def textbook(Xs, start, lambda1, lambda2, lambda3, max_iter, r=3.0, tol=1e-5):
    """UEAF with the exact S step, every formula as it stands."""
    U, E, S = list(start["U"]), list(start["E"]), start["S"]
    n, n_clusters = len(S), U[0].shape[1]
    missing = [np.isnan(X[:, 0]) for X in Xs]
    Xs = [np.where(gone, 0.0, X.T) for X, gone in zip(Xs, missing, strict=True)]
    Xs = [X / np.maximum(np.linalg.norm(X, axis=0), 1e-7) for X in Xs]
    norm = sum(np.linalg.norm(X) ** 2 for X in Xs)
    Ls = [_laplacian(neighbor_graph(X, 7).toarray()) for X in Xs]
    inverses = [np.linalg.inv(np.eye(len(L)) + lambda1 * L) for L in Ls]
    F = np.linalg.eigh(_laplacian(S))[1][:, :n_clusters]
    alpha = np.full(len(Xs), 1 / len(Xs))
    objective = []
    for _ in range(max_iter):
        power = alpha**r
        Y = [_complete(X, E_v, gone) for X, E_v, gone in zip(Xs, E, missing, strict=True)]
        target = sum(a * U_v.T @ Y_v for a, U_v, Y_v in zip(power, U, Y, strict=True))
        P = target @ np.linalg.inv(np.eye(n) + lambda2 * _laplacian(S**2)) / power.sum()
        near_P, near_F = _distances(P.T), _distances(F)
        S = np.zeros((n, n))
        for i in range(n):
            others = np.arange(n) != i
            curvature = lambda2 * power.sum() * np.maximum(near_P[i, others], 1e-10)
            S[i, others] = _project(0.5 * lambda3 * near_F[i, others], curvature)
        L_S = _laplacian(S)
        F = np.linalg.eigh(L_S)[1][:, :n_clusters]
        roughness = np.trace(P @ _laplacian(S**2) @ P.T)
        d = np.empty(len(Xs))
        for v, X in enumerate(Xs):
            left, _, right = np.linalg.svd(Y[v] @ P.T, full_matrices=False)
            U[v] = left @ right
            E[v] = inverses[v] @ (U[v] @ P[:, missing[v]])
            error = np.linalg.norm(_complete(X, E[v], missing[v]) - U[v] @ P) ** 2
            d[v] = error + lambda1 * np.trace(E[v].T @ Ls[v] @ E[v]) + lambda2 * roughness
        alpha = d ** (1 / (1 - r)) / np.sum(d ** (1 / (1 - r)))
        objective.append(alpha**r @ d + lambda3 * np.trace(F.T @ L_S @ F))
        if len(objective) > 2 and abs(objective[-1] - objective[-2]) < tol * norm:
            break
    return [P, np.array(objective)]


def _project(linear, curvature):
    order = np.argsort(linear)
    sorted_linear, inverse = linear[order], 1 / curvature[order]
    theta = (1 + np.cumsum(sorted_linear * inverse)) / np.cumsum(inverse)
    last = np.flatnonzero(theta > sorted_linear)[-1]
    return np.maximum(theta[last] - linear, 0) / curvature


def _complete(X, E, gone):
    Y = X.copy()
    Y[:, gone] = E
    return Y


def _laplacian(W):
    W = (W + W.T) / 2
    return np.diag(W.sum(axis=0)) - W


def _distances(A):
    norms = (A**2).sum(axis=1)
    return np.maximum(norms[:, None] + norms - 2 * A @ A.T, 0)
