"""Probes of mPAC: partitions and weights of views, starts, stages, noise, the learnt graphs."""
# Estimators have no types: those of defaults are guessed.
# pyright: reportArgumentType=false

from typing import Any

import numpy as np
from scipy import stats

from mvclust import AMGL, MPAC, ConcatKMeans
from mvclust.bench.claims.probes.shared import clusters_of, nmi_of, part_of
from mvclust.estimators.mpac import align_partitions
from mvclust.numerics.stiefel import nearest_orthonormal

NOISE = (0.0, 0.5, 1.0, 2.0)  # standard deviation of what is added, that of the view being 1
BETAS = (0.01, 1.0, 100.0)
ZERO = 1e-6  # of the largest eigenvalue
MOST_ROUNDS = 100


def _labels_of_views(model: MPAC) -> list[np.ndarray]:
    """Labels by the partition of each view, as the consensus reads it."""
    return [np.argmax(F @ R, axis=1) for F, R in zip(model.F_, model.R_, strict=True)]


def partitions(Xs: list[np.ndarray], y: np.ndarray, seed: int) -> dict:
    """NMI of the consensus, the worst view and the mean of the others, on 80 % of the samples."""
    Xs, y = part_of(Xs, y, seed)
    model = MPAC(clusters_of(y)).fit(Xs)
    scores = sorted(nmi_of(y, labels) for labels in _labels_of_views(model))
    return {
        "consensus": nmi_of(y, model.labels_),
        "worst view": scores[0],
        "mean of the other views": np.mean(scores[1:]),
    }


def weights_and_scores(Xs: list[np.ndarray], y: np.ndarray, seed: int) -> dict[str, float]:
    """Rank correlation (x 100) of 1 / w with the NMI of the views, on 80 % of the samples."""
    Xs, y = part_of(Xs, y, seed)
    model = MPAC(clusters_of(y)).fit(Xs)
    scores = [nmi_of(y, labels) for labels in _labels_of_views(model)]
    return {"weights": 100 * stats.spearmanr(1 / model.w_, scores).statistic, "none": 0.0}


def random_start(Xs: list[np.ndarray], y: np.ndarray, seed: int) -> dict[str, float]:
    """NMI from orthonormal partitions drawn at random, as Algorithm 1 has it."""
    rng, k = np.random.default_rng(seed), clusters_of(y)
    F = [np.linalg.qr(rng.standard_normal((len(y), k)))[0] for _ in Xs]
    return {"mPAC": nmi_of(y, MPAC(k, init={"F": F}).fit(Xs).labels_)}


def stages(Xs: list[np.ndarray], y: np.ndarray, seed: int) -> dict[str, float]:
    """NMI in one stage, and of views clustered first and then aligned; on 80 % of the samples."""
    Xs, y = part_of(Xs, y, seed)
    k = clusters_of(y)
    alone = [MPAC(k).fit([X]).F_[0] for X in Xs]
    return {
        "one stage": nmi_of(y, MPAC(k).fit(Xs).labels_),
        "several stages": nmi_of(y, aligned(alone)),
    }


def aligned(F: list) -> Any:
    """Labels of fixed partitions: Lemma 1, Eqs. (18) and (15) in turn."""
    labels, R, w = None, align_partitions(F), np.full(len(F), 1 / len(F))
    for _ in range(MOST_ROUNDS):
        P = sum(F_v @ R_v / w_v for F_v, R_v, w_v in zip(F, R, w, strict=True))
        previous, labels = labels, np.argmax(P, axis=1)
        if np.array_equal(labels, previous):  # pyright: ignore[reportArgumentType]
            break
        Y = np.eye(P.shape[1])[labels]
        R = [nearest_orthonormal(F_v.T @ Y) for F_v in F]
        q = [np.linalg.norm(Y - F_v @ R_v) for F_v, R_v in zip(F, R, strict=True)]
        w = np.array(q) / np.sum(q)
    return labels


def noise(Xs: list[np.ndarray], y: np.ndarray, seed: int) -> dict[str, float]:
    """Fall of NMI per unit of noise in all views: of fused partitions, graphs (AMGL), features."""
    rng, k = np.random.default_rng(seed), clusters_of(y)
    added = [X.std() * rng.standard_normal(X.shape) for X in Xs]
    scores = {"partitions": [], "graphs": [], "features": []}
    for level in NOISE:
        views = [X + level * noise for X, noise in zip(Xs, added, strict=True)]
        for arm, model in {
            "partitions": MPAC(k),
            "graphs": AMGL(k, random_state=seed),
            "features": ConcatKMeans(k, random_state=seed),
        }.items():
            scores[arm].append(nmi_of(y, model.fit(views).labels_))
    return {arm: np.polyfit(NOISE, values, 1)[0] for arm, values in scores.items()}


def connected_parts(Xs: list[np.ndarray], y: np.ndarray, seed: int) -> dict[str, float]:
    """Zero eigenvalues of the Laplacians of S (mean) at the best beta, on 80 % of the samples."""
    Xs, y = part_of(Xs, y, seed)
    k, found = clusters_of(y), []
    for beta in BETAS:
        graphs = MPAC(k, beta=beta).fit(Xs).S_
        found.append(np.mean([_zeros(S) for S in graphs]))
    return {"parts of S": min(found, key=lambda parts: abs(parts - k)), "classes": k}


def _zeros(S: np.ndarray) -> np.integer:
    S = (S + S.T) / 2
    eigenvalues = np.abs(np.linalg.eigvalsh(np.diag(S.sum(axis=1)) - S))
    return np.count_nonzero(eigenvalues <= ZERO * eigenvalues.max())
