"""Probes of MultiNMF and PVC: agreement of starts and of views, PVC on more than two views."""
# Estimators have no types: those of defaults are guessed.
# pyright: reportArgumentType=false

import time
from itertools import combinations

import numpy as np
from threadpoolctl import threadpool_limits

from mvclust import PVC, MultiNMF, NMFClustering
from mvclust.bench.claims.probes.shared import clusters_of, masked
from mvclust.metrics import adjusted_rand_index

ITERATIONS = 5
REPEATS = 3


def _ari(first: np.ndarray, second: np.ndarray) -> float:
    return 100 * adjusted_rand_index(first, second)


def agreement_of_starts(Xs: list[np.ndarray], y: np.ndarray, seed: int) -> dict:
    """ARI (x 100) of two random starts: of MultiNMF, and of NMF of each view (mean)."""
    k, starts = clusters_of(y), (2 * seed, 2 * seed + 1)
    joint = [MultiNMF(k, n_init=1, random_state=start).fit(Xs).labels_ for start in starts]
    alone = [
        [NMFClustering(k, n_init=1, random_state=start).fit([X]).labels_ for start in starts]
        for X in Xs
    ]
    return {"MultiNMF": _ari(*joint), "NMF": np.mean([_ari(*pair) for pair in alone])}


def agreement_of_views(Xs: list[np.ndarray], y: np.ndarray, seed: int) -> dict:
    """ARI (x 100) between the labels of two views (mean over pairs): of MultiNMF, and of NMF."""
    k = clusters_of(y)
    labels = {
        "MultiNMF": MultiNMF(k, random_state=seed).fit(Xs).label_views(),
        "NMF": [NMFClustering(k, random_state=seed).fit([X]).labels_ for X in Xs],
    }
    return {
        arm: np.mean([_ari(a, b) for a, b in combinations(of, 2)]) for arm, of in labels.items()
    }


def pairs_of_views(Xs: list[np.ndarray], y: np.ndarray, seed: int) -> dict[str, float]:
    """Slope of log CPU seconds of PVC on every pair of views on the log number of views.

    A method that takes each view once has the slope 1.
    """
    views = masked([X - min(X.min(), 0.0) for X in Xs], seed, 0.1)
    numbers = range(2, len(views) + 1)
    seconds = {
        pair: _seconds_of(clusters_of(y), [views[v] for v in pair])
        for pair in combinations(range(len(views)), 2)
    }
    whole = [sum(seconds[pair] for pair in combinations(range(n), 2)) for n in numbers]
    return {"every pair": np.polyfit(np.log(numbers), np.log(whole), 1)[0], "each view once": 1.0}


def _seconds_of(k: int, pair: list[np.ndarray]) -> float:
    model = PVC(k, n_init=1, max_iter=ITERATIONS, tol=0, random_state=0)
    there = ~np.all([np.isnan(X).all(axis=1) for X in pair], axis=0)
    views, taken = [X[there] for X in pair], []
    with threadpool_limits(1):
        for _ in range(REPEATS):
            start = time.process_time()
            model.fit(views)
            taken.append(time.process_time() - start)
    return min(taken)
