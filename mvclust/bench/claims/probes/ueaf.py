"""Probes of UEAF: view weights, the graph S, the inferred instances, joint against two phases."""
# Estimators have no types: those of defaults are guessed.
# pyright: reportArgumentType=false

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.sparse.csgraph import connected_components

from mvclust import UEAF
from mvclust.bench.claims.probes.shared import acc_of, clusters_of, masked
from mvclust.filling import fill_missing

WEIGHTS = {"lambda1": 10.0, "lambda2": 0.1, "lambda3": 0.01}  # those of the paper's figures
R, R_EQUAL = 3.0, 50.0  # the paper's exponent of the view weights; one that makes them equal
ITERATIONS = 100
GRID_OF_LAMBDA1 = (1e-3, 1e-2, 0.1, 1.0, 10.0)
GRID_OF_LAMBDA3 = (1e-4, 1e-2, 1.0, 100.0)
LINKED = 1e-8  # of a row sum of 1


def _fitted(Xs: list[np.ndarray], y: np.ndarray, seed: int, **changes: Any) -> UEAF:
    """UEAF fitted on views that are scaled already."""
    parameters = WEIGHTS | {"r": R, "scale": None, "random_state": seed} | changes
    return UEAF(clusters_of(y), **parameters).fit(Xs)


def accuracy_by_weights(Xs: list[np.ndarray], y: np.ndarray, seed: int) -> dict[str, float]:
    """ACC with learnt and with equal weights of the views; 30 % of the instances are missing.

    At r = 50 the weights are equal; lambda3 is changed by the factor that keeps its share in
    Eq. (11). Both take the same number of iterations, since the objective has another unit.
    """
    Xs, same = masked(Xs, seed), {"tol": 0.0, "max_iter": ITERATIONS}
    share = len(Xs) ** (R - R_EQUAL)  # of the sum of alpha^r, if all alpha are equal
    equal = _fitted(Xs, y, seed, r=R_EQUAL, lambda3=WEIGHTS["lambda3"] * share, **same)
    learnt = _fitted(Xs, y, seed, **same)
    return {"learnt": acc_of(y, learnt.labels_), "equal": acc_of(y, equal.labels_)}


def connected_parts(Xs: list[np.ndarray], y: np.ndarray, seed: int) -> dict[str, int]:
    """Number of connected parts of S, at the lambda3 where it is nearest to that of the classes."""
    Xs, k = masked(Xs, seed), clusters_of(y)
    found = []
    for lambda3 in GRID_OF_LAMBDA3:
        S = _fitted(Xs, y, seed, lambda3=lambda3).S_
        found.append(connected_components(np.maximum(S, S.T) > LINKED, directed=False)[0])
    return {"parts of S": min(found, key=lambda parts: abs(parts - k)), "classes": k}


def recovery(Xs: list[np.ndarray], y: np.ndarray, seed: int) -> dict[str, float]:
    """Minus the squared error of the missing instances, in % of their squared norm.

    They are inferred with the best graph of features, without it, or are the mean of the view.
    """
    there = masked(Xs, seed)
    missing = [np.isnan(X).all(axis=1) for X in there]
    hidden = [X[rows] for X, rows in zip(Xs, missing, strict=True)]
    means = [X[rows] for X, rows in zip(fill_missing(there, "mean"), missing, strict=True)]
    by_lambda1 = {
        lambda1: _recovered([E.T for E in _fitted(there, y, seed, lambda1=lambda1).E_], hidden)
        for lambda1 in (0.0, *GRID_OF_LAMBDA1)
    }
    without = by_lambda1.pop(0.0)
    return {
        "graph": max(by_lambda1.values()),
        "no graph": without,
        "mean": _recovered(means, hidden),
    }


def _recovered(found: Sequence[np.ndarray], hidden: Sequence[np.ndarray]) -> float:
    errors = [np.sum((E - X) ** 2) for E, X in zip(found, hidden, strict=True)]
    return -100 * sum(errors) / sum(np.sum(X**2) for X in hidden)


def accuracy_by_phases(Xs: list[np.ndarray], y: np.ndarray, seed: int) -> dict[str, float]:
    """ACC of UEAF, and of UEAF on views that were completed first, by means or near samples."""
    Xs = masked(Xs, seed)
    views = {
        "jointly": Xs,
        "means first": fill_missing(Xs, "mean"),
        "near samples first": fill_missing(Xs, "knn"),
    }
    return {arm: acc_of(y, _fitted(of, y, seed).labels_) for arm, of in views.items()}
