"""How many clusters there are: the eigengap over k, consensus of perturbed fits, silhouettes."""

import numpy as np
import pandas as pd

from mvclust.metrics import Silhouettes
from mvclust.numerics.scaling import balanced
from mvclust.numerics.ties import best_of
from mvclust.own.certainty import SHARE
from mvclust.structure import spectrum

N_DRAWS = 20
MOST_CLUSTERS = 10
MOST_SAMPLES = 1000  # in a subsample, and in the table of the consensus


def eigengaps(Xs: list, n_clusters: int, seed: int) -> dict | None:
    """Return the eigengap of each number of clusters, for all samples and for subsamples.

    `share` is that of the subsamples in which a number has the largest gap; None for few samples.
    """
    n = len(Xs[0])
    size = min(int(SHARE * n), MOST_SAMPLES)
    candidates = list(range(2, min(max(MOST_CLUSTERS, n_clusters + 1), size - 1) + 1))
    if not candidates:
        return None
    rng, drawn = np.random.default_rng(seed), []
    for _ in range(N_DRAWS):
        rows = np.sort(rng.choice(n, size, replace=False))
        drawn.append(_gaps([X[rows] for X in Xs], candidates))
    shares = np.bincount(list(map(best_of, drawn)), minlength=len(candidates)) / N_DRAWS  # pyright: ignore[reportArgumentType]
    low, high = np.quantile(drawn, [0.05, 0.95], axis=0)
    gaps = _gaps(Xs, candidates)
    best = best_of(gaps)
    share, number = shares[best], candidates[best]  # pyright: ignore[reportArgumentType]
    return {
        "candidates": candidates, "gaps": gaps, "low": low.tolist(), "high": high.tolist(),
        "share": shares.tolist(), "best": number, "n_clusters": n_clusters,
        "sentence": f"The largest eigengap is that of {number} clusters ({share:.0%} of {N_DRAWS} "
                    "subsamples agree).",
    }  # fmt: skip


def _gaps(Xs, candidates):
    kept = [X for X in Xs if np.isfinite(X).all(axis=1).sum() > 1]
    values = spectrum(kept, candidates[-1] + 1)
    values = np.r_[values, np.zeros(candidates[-1] + 1 - len(values))]
    return [float(values[k - 1] - values[k]) for k in candidates]


def consensus(order: np.ndarray, parts: list, partitions: list) -> pd.DataFrame:
    """Return the share of the perturbed fits with two samples that put them together.

    Of more than 1,000 samples every so many in the given order are shown.
    """
    if len(order) > MOST_SAMPLES:
        order = order[np.linspace(0, len(order) - 1, MOST_SAMPLES).astype(int)]
    together, both = np.zeros((2, len(order), len(order)))
    for part, labels in zip(parts, partitions, strict=True):
        own = np.full(order.max() + 1, -1)
        at = part.rows <= order.max()
        own[part.rows[at]] = np.unique(labels, return_inverse=True)[1][at]
        own = own[order]
        both += np.outer(own >= 0, own >= 0)
        together += (own[:, None] == own) & (own >= 0)
    share = np.divide(together, both, out=np.full_like(both, np.nan), where=both > 0)
    return pd.DataFrame(share, order, order)


def silhouettes(Xs: list, presence: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Return the simplified silhouette of each sample, the mean over its views."""
    scaled = [balanced(X, present) for X, present in zip(Xs, presence.T, strict=True)]
    return Silhouettes(scaled, presence).of_samples(labels)
