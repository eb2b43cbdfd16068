"""XRAY: against the textbook form of its steps, with a dense residual and one NNLS a row."""

from pathlib import Path

import numpy as np
from harness import Case
from scipy.optimize import nnls

from mvclust.datasets import load_dataset
from mvclust.estimators.xray import xray


def cases(mirror):
    """All cases that the mirror allows."""
    found = []
    for name, view in (("handwritten", "pix"), ("cora", "content")):
        if mirror and Path(mirror, name).is_dir():
            data = load_dataset(name, views=[view], mirror=mirror, progress=False)
            for rule in ("max", "greedy"):
                found.append(against_textbook(f"{name} {view}", data.Xs[0], data.n_clusters, rule))
    return found


def against_textbook(name, X, k, rule):
    """All anchors and coefficients."""
    dense = X.toarray() if hasattr(X, "toarray") else X

    def ours():
        factors, objective, _ = xray(X, k, rule=rule)
        return [factors["anchors"].astype(float), factors["H"], np.array(objective)]

    return Case(
        f"XRAY {rule}, {name}, n={X.shape[0]}, d={X.shape[1]}, {k} anchors",
        ours,
        lambda: textbook(dense, k, rule),
        "textbook (dense R, one NNLS a row)",
        1e-6,
        20,
    )


def textbook(X, k, rule):
    """The steps as the paper states them."""
    R, anchors, objective = X, [], []
    lengths = np.maximum(np.sum(X**2, axis=1), 1e-300)
    for _ in range(k):
        if rule == "greedy":
            scores = np.sum(np.maximum(X @ R.T, 0) ** 2, axis=1) / lengths
        else:
            scores = X @ R[np.argmax(np.sum(R**2, axis=1))] / (X.sum(axis=1) + 1e-6)
        scores[anchors] = 0
        anchors.append(int(np.argmax(scores)))
        H = np.array([nnls(X[anchors].T, x)[0] for x in X])
        R = X - H @ X[anchors]
        objective.append(np.sum(R**2))
    return [np.array(anchors, dtype=float), H, np.array(objective)]
