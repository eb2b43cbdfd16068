"""How the time of a fit grows with the size of the data, for claims about cost."""
# Estimators have no types: those of defaults are guessed.
# pyright: reportArgumentType=false

import time
import warnings
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from threadpoolctl import threadpool_limits

from mvclust import CMVNMF, DAIMC, MPAC, PVC, UEAF, MultiNMF
from mvclust.estimators.base import tags_of
from mvclust.masking import apply_mask, random_mask

COLUMNS = ("method", "grows", "size", "cpu_seconds")
REPEATS = 7  # fits of each size; the fastest counts
LINK_SHARE = 0.01  # of the samples that each sample is linked to, for CMVNMF

ITERATIONS = {"tol": 0, "max_iter": 5, "random_state": 0}
MODELS = {
    "DAIMC": DAIMC(5, n_init=1, max_inner=10, inner_tol=0, **ITERATIONS),
    "PVC": PVC(5, n_init=1, max_start=2, **ITERATIONS),
    "UEAF": UEAF(5, n_init=1, **ITERATIONS),
    "MPAC": MPAC(5, max_inner=10, inner_tol=0, **ITERATIONS),
    "MultiNMF": MultiNMF(5, n_init=1, warm_up=5, max_inner=10, inner_tol=None, **ITERATIONS),
    "CMVNMF": CMVNMF(5, n_init=1, **ITERATIONS),
}

# What the others are while one grows.
SIZES = {"samples": 1000, "features": 100, "clusters": 5, "views": 2}
SMALLER = {"UEAF": {"samples": 500}}  # its iterations are cubic in the samples
# Over a factor 16 or more: small ones are bent by overheads, so that the upper half must suffice.
GROWN = {
    "samples": [500, 700, 1000, 1400, 2000, 2800, 4000, 5600, 8000],
    "features": [100, 200, 400, 800, 1600, 3200, 6400],
    "clusters": [2, 3, 4, 6, 8, 12, 16, 24, 32],
    "views": [2, 3, 4, 6, 8, 12, 16, 24, 32],
}
SMALLER_GROWN = {("UEAF", "samples"): [125, 175, 250, 350, 500, 700, 1000, 1400, 2000, 2800]}


def problem(
    name: str, samples: int, features: int, clusters: int = 5, views: int = 2
) -> tuple[list, dict]:
    """Views with groups, 30 % missing if the method allows it, and its links if it is CMVNMF."""
    rng = np.random.default_rng(0)
    y = rng.integers(clusters, size=samples)
    Xs = [
        rng.random((clusters, features))[y] + rng.random((samples, features)) for _ in range(views)
    ]
    if tags_of(MODELS[name]).incomplete:
        Xs = apply_mask(Xs, random_mask(samples, views, 0.3, seed=0))
    if name != "CMVNMF":
        return Xs, {}
    return Xs, {"must_links": {pair: links(y, rng) for pair in combinations(range(views), 2)}}


def links(y: np.ndarray, rng: np.random.Generator) -> sparse.csr_array:
    """Must-links of each row to rows of the same group: a fixed share of all pairs."""
    each = max(1, round(LINK_SHARE * len(y)))
    rows = np.repeat(np.arange(len(y)), each)
    columns = np.empty_like(rows)
    for group in np.unique(y):
        inside = np.flatnonzero(y[rows] == group)
        columns[inside] = rng.choice(np.flatnonzero(y == group), size=len(inside))
    must = sparse.csr_array((np.ones(len(rows)), (rows, columns)), shape=(len(y), len(y)))
    must.data[:] = 1.0
    return must


def seconds_of(model: BaseEstimator, Xs: list[np.ndarray], arguments: dict) -> float:
    """CPU seconds of a fit on one BLAS thread."""
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")
        start = time.process_time()
        model.fit(Xs, **arguments)
        return time.process_time() - start


def growth(
    asked: Iterable[tuple[str, str]], grown: Mapping[str, Sequence[int]] = GROWN
) -> pd.DataFrame:
    """CPU seconds of a fit by size, the fastest of seven, for each method and what grows."""
    rows = []
    for name, grows in asked:
        sizes = SMALLER_GROWN.get((name, grows), grown[grows]) if grown is GROWN else grown[grows]
        for size in sizes:
            used = SIZES | SMALLER.get(name, {}) | {grows: size}
            Xs, arguments = problem(name, **used)
            model = clone(MODELS[name]).set_params(n_clusters=used["clusters"])
            fastest = min(seconds_of(model, Xs, arguments) for _ in range(REPEATS))
            rows.append((name, grows, size, fastest))
    return pd.DataFrame(rows, columns=COLUMNS)
