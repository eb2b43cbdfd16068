"""CMVNMF: against the textbook form of its steps, on sparse text and links."""

from functools import partial

import numpy as np
from harness import Case

from mvclust.datasets import load_dataset
from mvclust.estimators.cmvnmf import cmvnmf
from mvclust.estimators.links import check_constraints
from mvclust.numerics.scaling import unit_samples
from mvclust.unmapping import random_constraints, unmap

ITERATIONS = 50  # about as many as a fit takes


def cases():
    """Both variants on two data sets."""
    views = {"3sources": [0, 1, 2], "cora": [0, 1]}
    return [_case(name, views[name], variant) for name in views for variant in ("paper", "scaled")]


def _case(name, views, variant):
    """Some iterations from one random start, 5 % of the pairs being constraints."""
    data = load_dataset(name, progress=False)
    unmapped = unmap([unit_samples(data.Xs[v]) for v in views], data.y, seed=0)
    links = random_constraints(unmapped.ys, 0.05, 0)
    sizes = [X.shape[0] for X in unmapped.Xs]
    must, cannot = (check_constraints(each, sizes, "", "") for each in links)
    dense_links = [[[M.toarray() for M in row] for row in blocks] for blocks in (must, cannot)]
    dense = [X.toarray() for X in unmapped.Xs]
    rng = np.random.default_rng(0)
    start = {
        "U": [rng.random((X.shape[1], data.n_clusters)) for X in dense],
        "V": [rng.random((len(X), data.n_clusters)) for X in dense],
    }

    def ours():
        options = {"beta": 1.0, "variant": variant, "max_iter": ITERATIONS, "tol": 0}
        factors, objective, _ = cmvnmf(unmapped.Xs, must, cannot, **start, **options)
        return [*factors["U"], *factors["V"], np.array(objective)]

    shapes = f"n={sizes}, d={[X.shape[1] for X in dense]}"
    title = f"CMVNMF {variant}, {ITERATIONS} iterations, {name}, {shapes}"
    other = partial(textbook, dense, *dense_links, **start, variant=variant)
    return Case(title, ours, other, "textbook (dense, residuals)", 1e-8)


def textbook(Xs, must, cannot, U, V, variant):
    """Rules (3) and (4) with dense M, C and D, and Eq. (2) by residuals and traces."""
    U, V, views = list(U), list(V), range(len(Xs))
    D = [[np.diag(must[a][b].sum(axis=1)) for b in views] for a in views]
    sums = [X.sum(axis=1).mean() for X in Xs]
    if variant == "scaled":
        for a in views:
            U[a], V[a] = rescale(U[a], V[a], sums[a])
    objective = []
    for _ in range(ITERATIONS):
        for a in views:
            others = [b for b in views if b != a]
            attraction = sum(must[a][b] @ V[b] for b in others)
            above, below = Xs[a].T @ V[a], U[a] @ (V[a].T @ V[a])
            if variant == "scaled":
                repulsion = sum(D[a][b] @ V[a] + cannot[a][b] @ V[b] for b in others)
                above = above + np.diag(V[a].T @ attraction) / sums[a]
                below = below + np.diag(V[a].T @ repulsion) / sums[a]
            U[a] = U[a] * above / np.maximum(below, 1e-100)
            if variant == "scaled":
                U[a], V[a] = rescale(U[a], V[a], sums[a])
                attraction = sum(must[a][b] @ V[b] for b in others)
            repulsion = sum(D[a][b] @ V[a] + cannot[a][b] @ V[b] for b in others)
            below = V[a] @ (U[a].T @ U[a]) + repulsion
            V[a] = V[a] * (Xs[a] @ U[a] + attraction) / np.maximum(below, 1e-100)
        total = sum(np.sum((Xs[a] - V[a] @ U[a].T) ** 2) for a in views)
        for a in views:
            for b in range(a):
                total += np.trace(V[a].T @ D[a][b] @ V[a]) + np.trace(V[b].T @ D[b][a] @ V[b])
                total += 2 * np.trace(V[a].T @ (cannot[a][b] - must[a][b]) @ V[b])
        objective.append(total)
    return [*U, *V, np.array(objective)]


def rescale(U, V, total):
    Q = U.sum(axis=0) / total
    return U @ np.diag(1 / Q), V @ np.diag(Q)
