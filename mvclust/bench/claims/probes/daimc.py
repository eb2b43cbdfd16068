"""Probes of DAIMC: rows of B, the two forms of its step, the texture view of Flowers."""

import time
from collections.abc import Callable

import numpy as np
from threadpoolctl import threadpool_limits

from mvclust import DAIMC, MIC, MultiNMF
from mvclust.bench.claims.probes.shared import clusters_of, masked, nmi_of, without_some
from mvclust.estimators.daimc import update_regression
from mvclust.filling import fill_missing
from mvclust.numerics.distances import row_lengths

ALPHA, BETAS = 10.0, (0.1, 1.0, 10.0)  # the values that the paper recommends
NO_PENALTY = 1e-6
NEAR_ZERO = 0.01  # of the longest row
REPEATS = 3


def rows_near_zero(Xs: list[np.ndarray], y: np.ndarray, seed: int) -> dict:
    """Share of the rows of B under 1 % of the longest, with a penalty and next to none."""
    Xs = masked(Xs, seed)
    shares = {beta: _short_rows(Xs, y, beta, seed) for beta in (NO_PENALTY, *BETAS)}
    without = shares.pop(NO_PENALTY)
    return {"beta 0.1 to 10": np.mean(list(shares.values())), "beta near 0": without}


def _short_rows(Xs: list[np.ndarray], y: np.ndarray, beta: float, seed: int) -> np.floating:
    model = DAIMC(clusters_of(y), alpha=ALPHA, beta=beta, random_state=seed).fit(Xs)
    lengths = [row_lengths(B) for B in model.B_]
    return 100 * np.mean([np.mean(row <= NEAR_ZERO * row.max()) for row in lengths])


def digits_of_inverses(Xs: list[np.ndarray], y: np.ndarray, seed: int) -> dict:
    """-log10 of the residual of (U U' + beta D / 2) B = U, relative, with B by (25) and (26)."""
    return {arm: _mean(found) for arm, found in _by_form(Xs, y, seed, _digits).items()}


def speed_of_inverses(Xs: list[np.ndarray], y: np.ndarray, seed: int) -> dict:
    """-log10 of the CPU seconds of (25) and (26); the fastest of three on one BLAS thread."""
    return {arm: _mean(found) for arm, found in _by_form(Xs, y, seed, _speed).items()}


def _by_form(
    Xs: list[np.ndarray], y: np.ndarray, seed: int, measure: Callable[..., float]
) -> dict[str, list[float]]:
    """Measure each form in each view and for each beta, at the U of a fit."""
    Xs = masked(Xs, seed)
    found = {"(26)": [], "(25)": []}
    for beta in BETAS:
        model = DAIMC(clusters_of(y), alpha=ALPHA, beta=beta, random_state=seed).fit(Xs)
        for U, B in zip(model.U_, model.B_, strict=True):
            B = update_regression(U, B, beta)
            D = 1 / np.maximum(row_lengths(B), np.sqrt(np.finfo(float).eps))
            for arm, form in {"(26)": by_26, "(25)": by_25}.items():
                found[arm].append(measure(form, U, D, beta))
    return found


def by_25(U: np.ndarray, D: np.ndarray, beta: float) -> np.ndarray:
    """B = (U U' + beta D / 2)^-1 U, a d x d system."""
    return np.linalg.solve(U @ U.T + 0.5 * beta * np.diag(D), U)


def by_26(U: np.ndarray, D: np.ndarray, beta: float) -> np.ndarray:
    """B = 2 / beta (D^-1 - D^-1 U (U' D^-1 U + beta I / 2)^-1 U' D^-1) U, a K x K system."""
    inverse_D_U = U / D[:, None]
    inner = U.T @ inverse_D_U
    middle = np.linalg.solve(inner + 0.5 * beta * np.eye(len(inner)), inner)
    return 2 / beta * (inverse_D_U - inverse_D_U @ middle)


def _digits(form: Callable, U: np.ndarray, D: np.ndarray, beta: float) -> float:
    B = form(U, D, beta)
    residual = U @ (U.T @ B) + 0.5 * beta * D[:, None] * B - U
    return -np.log10(max(np.linalg.norm(residual) / np.linalg.norm(U), np.finfo(float).tiny))


def _speed(form: Callable, U: np.ndarray, D: np.ndarray, beta: float) -> float:
    seconds = []
    with threadpool_limits(1):
        for _ in range(REPEATS):
            start = time.process_time()
            form(U, D, beta)
            seconds.append(time.process_time() - start)
    return -np.log10(min(seconds))


def _mean(values: list[float]) -> float:
    return float(np.mean(values))


def gain_without_the_last_view(Xs: list[np.ndarray], y: np.ndarray, seed: int) -> dict[str, float]:
    """NMI without the last view less NMI with it; 30 % of the instances are missing.

    Every sample keeps one of the other views. MultiNMF gets mean-filled views.
    """
    k, others = clusters_of(y), masked(Xs[:-1], seed)
    Xs = [*others, without_some(Xs[-1], seed)]
    filled = fill_missing(Xs, "mean")
    compared = {
        "DAIMC": (DAIMC(k, random_state=seed), Xs),
        "MIC": (MIC(k, random_state=seed), Xs),
        "MultiNMF": (MultiNMF(k, random_state=seed), filled),
    }
    return {
        name: nmi_of(y, model.fit(views[:-1]).labels_) - nmi_of(y, model.fit(views).labels_)
        for name, (model, views) in compared.items()
    }
