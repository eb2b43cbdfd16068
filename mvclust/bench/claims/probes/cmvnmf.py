"""Probes of CMVNMF: kinds of links, links within views, views on scales of their own."""

from collections.abc import Sequence
from itertools import combinations, combinations_with_replacement
from typing import Any

import numpy as np
from scipy import sparse

from mvclust import CMVNMF
from mvclust.bench.claims.probes.shared import acc_of, clusters_of
from mvclust.estimators.base import relative_change
from mvclust.estimators.cmvnmf import FLOOR, start_from_kmeans
from mvclust.numerics.distances import squared_norm
from mvclust.numerics.features import scale_features
from mvclust.unmapping import random_constraints, unmap

SHARE = 0.01  # of the pairs of rows of two views that have a link
BETA = 1.0  # as in the paper
MOST, TOL = 500, 1e-3  # iterations; change of the objective, relative, that ends them


def _unmapped(
    Xs: list[np.ndarray], y: np.ndarray, seed: int
) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Views with permuted rows, shifted to be nonnegative, each divided by its sum."""
    Xs = [X - min(X.min(), 0.0) for X in Xs]
    views = unmap(Xs, y, seed=seed)
    there = np.ones((len(views.Xs[0]), len(Xs)), dtype=bool)
    return scale_features(views.Xs, there, "view_total"), views.ys


def _model(y: np.ndarray, seed: int, **changes: Any) -> CMVNMF:
    parameters = {"beta": BETA, "scale": None, "init": "kmeans", "n_init": 1} | changes
    return CMVNMF(clusters_of(y), random_state=seed, max_iter=MOST, tol=TOL, **parameters)


def _accuracy(labels: list[np.ndarray], ys: list[np.ndarray]) -> np.floating:
    return np.mean([acc_of(y, of) for y, of in zip(ys, labels, strict=True)])


def kinds_of_links(Xs: list[np.ndarray], y: np.ndarray, seed: int) -> dict:
    """Mean ACC over the views with links of both kinds on 1 % of the pairs, and of one kind."""
    Xs, ys = _unmapped(Xs, y, seed)
    must, cannot = random_constraints(ys, SHARE, seed)
    links = {
        "both": {"must_links": must, "cannot_links": cannot},
        "must-links": {"must_links": must},
        "cannot-links": {"cannot_links": cannot},
    }
    return {
        arm: _accuracy(_model(y, seed).fit(Xs, **given).labels_, ys) for arm, given in links.items()
    }


def comparable_views(Xs: list[np.ndarray], y: np.ndarray, seed: int) -> dict:
    """Mean ACC by the printed rules, 1 % of the pairs linked: views scaled, and as they are."""
    scaled, ys = _unmapped(Xs, y, seed)
    as_they_are = unmap([X - min(X.min(), 0.0) for X in Xs], y, seed=seed).Xs
    must, cannot = random_constraints(ys, SHARE, seed)
    found = {}
    for arm, views in {"scaled": scaled, "as they are": as_they_are}.items():
        model = _model(y, seed, variant="paper").fit(views, must_links=must, cannot_links=cannot)
        found[arm] = _accuracy(model.labels_, ys)
    return found


def links_within_views(Xs: list[np.ndarray], y: np.ndarray, seed: int) -> dict:
    """Mean ACC by the printed rules: as many links between views only, both, and within only."""
    Xs, ys = _unmapped(Xs, y, seed)
    views = range(len(Xs))
    places = {
        "between": list(combinations(views, 2)),
        "both": list(combinations_with_replacement(views, 2)),
        "within": [(a, a) for a in views],
    }
    n_links = round(SHARE * sum(len(ys[a]) * len(ys[b]) for a, b in places["between"]))
    found = {}
    for arm, of in places.items():
        M, C = drawn(ys, of, n_links, np.random.default_rng(seed))
        V = linked_anywhere(Xs, M, C, clusters_of(y), seed)
        found[arm] = _accuracy([np.argmax(V_a, axis=1) for V_a in V], ys)
    return found


def drawn(
    ys: list[np.ndarray], places: Sequence[tuple[int, int]], n_links: int, rng: np.random.Generator
) -> tuple[dict, dict]:
    """Draw M and C: `n_links` links in all, on random pairs of rows of the pairs of views in
    `places`.

    Within a view no row is linked to itself. M and C map (a, b) to a symmetric csr_array (n_a,
    n_b).
    """
    sizes = np.array([len(ys[a]) * len(ys[b]) for a, b in places])
    counts = np.round(n_links * sizes / sizes.sum()).astype(int)
    M, C = {}, {}
    for (a, b), count in zip(places, counts, strict=True):
        pairs = rng.choice(len(ys[a]) * len(ys[b]), size=count, replace=False, shuffle=False)
        rows, columns = np.divmod(pairs, len(ys[b]))
        if a == b:
            rows, columns = rows[rows != columns], columns[rows != columns]
        same = ys[a][rows] == ys[b][columns]
        for links, kept in ((M, same), (C, ~same)):
            block = sparse.csr_array(
                (np.ones(kept.sum()), (rows[kept], columns[kept])), shape=(len(ys[a]), len(ys[b]))
            )
            links[a, b] = block + block.T if a == b else block
            links[b, a] = links[a, b].T.tocsr()
    return M, C


def linked_anywhere(
    Xs: list[np.ndarray], M: dict, C: dict, n_clusters: int, seed: int
) -> list[np.ndarray]:
    """Indicators V of each view by the rules (3) and (4), with links (`drawn`) within views too."""
    start = start_from_kmeans(Xs, [], [], n_clusters, 1, False, seed)
    U, V = start["U"], start["V"]
    objective, change = [], np.inf
    while len(objective) < MOST and change >= TOL:
        total = 0.0
        for a, X in enumerate(Xs):
            U[a] = U[a] * (X.T @ V[a]) / (U[a] @ (V[a].T @ V[a]) + FLOOR)  # Eq. (3)
            XU, UU = X @ U[a], U[a].T @ U[a]
            pull, push = _linked(M, a, V), _degrees(M, a, len(V[a])) * V[a] + _linked(C, a, V)
            V[a] = V[a] * (XU + BETA * pull) / (V[a] @ UU + BETA * push + FLOOR)  # Eq. (4)
            total += squared_norm(X) - 2 * np.vdot(XU, V[a]) + np.vdot(UU, V[a].T @ V[a])
        for a, V_a in enumerate(V):
            push = _degrees(M, a, len(V_a)) * V_a + _linked(C, a, V) - _linked(M, a, V)
            total += BETA * np.vdot(V_a, push)
        objective.append(total)
        change = relative_change(objective)
    return V


def _linked(links: dict, a: int, V: list[np.ndarray]) -> int | np.ndarray:
    """Sum over the views b of the links of view a with b, times V_b."""
    return sum(links[a, b] @ V_b for b, V_b in enumerate(V) if (a, b) in links)


def _degrees(links: dict, a: int, n_rows: int) -> np.ndarray:
    """Number of links of each row of view a, as a column."""
    found = [block.sum(axis=1) for (of, _), block in links.items() if of == a]
    return sum(found, np.zeros(n_rows))[:, None]
