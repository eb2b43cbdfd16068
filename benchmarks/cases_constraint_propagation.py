"""ConstraintPropagation: its two steps against their textbook form, constraint by constraint."""

from pathlib import Path

import numpy as np
from harness import Case

from mvclust.datasets import load_dataset
from mvclust.estimators.constraint_propagation import pckmeans, propagate
from mvclust.numerics.scaling import unit_samples
from mvclust.unmapping import random_intra_constraints

THRESHOLD = 0.5


def cases(mirror):
    """All cases that the mirror allows."""
    if not mirror or not Path(mirror, "3sources").is_dir():
        return []
    found = []
    for share in (0.005, 0.05):
        data = load_dataset("3sources", mirror=mirror, progress=False)
        X = unit_samples(data.Xs[0].toarray())
        must, cannot = (links[0, 0] for links in random_intra_constraints([data.y], share, 0))
        W = (must + must.T - cannot - cannot.T).toarray()
        means = X[:: len(X) // data.n_clusters][: data.n_clusters]
        name = f"3sources, n={len(X)}, {must.nnz + cannot.nnz} constraints"
        found += [against_sweeps(name, X, W, means), against_loops(name, X, W, means)]
    return found


def against_sweeps(name, X, W, means):
    """PCK-means from the same means and in the same order of rows."""

    def ours():
        return pckmeans(X, W, means, None, 20, np.random.default_rng(0))[1]

    def textbook():
        rng, centres, labels = np.random.default_rng(0), means, np.full(len(X), -1)
        for _ in range(20):
            before = labels.copy()
            for i in rng.permutation(len(X)):
                costs = np.sum((X[i] - centres) ** 2, axis=1)
                for j in np.flatnonzero(W[i]):
                    for c in range(len(centres)):
                        if labels[j] >= 0 and (c == labels[j]) != (W[i, j] > 0):
                            costs[c] += abs(W[i, j])
                labels[i] = costs.argmin()
            if (labels == before).all():
                break
            centres = np.array(
                [
                    X[labels == c].mean(axis=0) if (labels == c).any() else centres[c]
                    for c in range(len(centres))
                ]
            )
        return centres

    return Case(f"PCK-means, {name}", ours, textbook, "textbook (row by row)", 1e-8, 10)


def against_loops(name, X, links, means):
    """Propagation to pairs of half of the rows."""
    labels = np.argmax(X @ means.T - np.sum(means**2, axis=1) / 2, axis=1)
    centres = np.array([X[labels == c].mean(axis=0) for c in range(len(means))])
    rows = np.arange(0, len(X), 2)

    def ours():
        return propagate(X, labels, centres, links, rows, THRESHOLD)

    def textbook():
        spread = np.sum((X - centres[labels]) ** 2, axis=1)
        best = {1.0: np.zeros((len(rows), len(rows))), -1.0: np.zeros((len(rows), len(rows)))}
        for i, j in zip(*links.nonzero(), strict=True):
            near = []
            for end in (i, j):
                s = spread[labels == labels[end]].mean()
                g = np.exp(-np.sum((X[rows] - X[end]) ** 2, axis=1) / (2 * s))
                near.append(np.where(labels[rows] == labels[end], g, 0.0))
            weights = np.outer(*near)
            kind = best[links[i, j]]
            np.maximum(kind, np.where(weights >= THRESHOLD, weights, 0), out=kind)
        found = np.where(best[1.0] >= best[-1.0], best[1.0], -best[-1.0])
        np.fill_diagonal(found, 0.0)
        return found

    return Case(f"propagation, {name}", ours, textbook, "textbook (a matrix a link)", 1e-8, 10)
