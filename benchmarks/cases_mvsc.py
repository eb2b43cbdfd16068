"""MVSC: one search for Z, against plain ADMM with an inverse."""

import numpy as np
from harness import Case

from mvclust.datasets import load_dataset
from mvclust.estimators.mvsc import SelfRepresentation, start_from_graphs
from mvclust.numerics.scaling import unit_samples

TOL = 1e-5


def cases(mirror):
    """Two views of handwritten, every fourth sample."""
    data = load_dataset("handwritten", views=["fou", "pix"], mirror=mirror, progress=False)
    Xs = [unit_samples(X[::4]) for X in data.Xs]
    Z, F = start_from_graphs(Xs, 10)
    return [
        against_admm(f"{name}, lambda1={lambda1:g}", X, Z_v, F, lambda1)
        for name, X, Z_v in zip(("fou d=76", "pix d=240"), Xs, Z, strict=True)
        for lambda1 in (1.0, 10.0)
    ]


def against_admm(name, X, Z, F, lambda1):
    """From the same start to the same precision; the minima reached are compared."""

    def ours():
        view = SelfRepresentation(X, Z)
        view.update_Z(F, lambda1, 20000, TOL)
        return np.array([loss(X, view.Z.toarray().T, F, lambda1)])

    def other():
        return np.array([loss(X, admm(X.T, F, lambda1), F, lambda1)])

    return Case(f"MVSC Z step, handwritten n=500, {name}", ours, other, "plain ADMM", 1e-3, 5)


def loss(X, Z, F, lambda1):
    """The objective of the Z step."""
    P = ((F[:, None] - F) ** 2).sum(axis=2)
    return np.linalg.norm(X.T - X.T @ Z) ** 2 + lambda1 / 2 * np.sum(P * np.abs(Z))


def admm(X, F, lambda1, rho=1.0):
    """Columns of Z that sum to 1, J with a zero diagonal, until they agree."""
    n = X.shape[1]
    P = ((F[:, None] - F) ** 2).sum(axis=2)
    one = np.ones(n)
    K = np.linalg.inv(2 * X.T @ X + rho * np.eye(n))
    K_one = K @ one
    J, Y = np.zeros((n, n)), np.zeros((n, n))
    for _ in range(20000):
        T = K @ (2 * X.T @ X + rho * J - Y)
        Z = T - np.outer(K_one, one @ T - 1) / (one @ K_one)
        V = Z + Y / rho
        J = np.sign(V) * np.maximum(np.abs(V) - lambda1 * P / (2 * rho), 0)
        np.fill_diagonal(J, 0)
        Y += rho * (Z - J)
        if (np.linalg.norm(Z - J, axis=0) < TOL * np.linalg.norm(J, axis=0)).all():
            break
    return J / J.sum(axis=0)
