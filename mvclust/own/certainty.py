"""How sure labels are: what is left of clusters when data and starts are perturbed."""

from typing import NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.stats.contingency import crosstab
from sklearn.base import clone

from mvclust.canonical import match_samples, whole_number
from mvclust.estimators.base import check_views, draw_seeds, named, tags_of
from mvclust.masking import apply_mask

SHARE = 0.8  # of the samples in a perturbed fit
HIDDEN = 0.1  # share of the instances that every second one lacks beside


class Perturbation(NamedTuple):
    """A part of the data: which samples it has, and which of their instances."""

    rows: np.ndarray
    presence: np.ndarray


class Certain(NamedTuple):
    """Labels of an estimator, how sure they are, and how stable its clusters are.

    Attributes
    ----------
    labels, certainty : ndarray, or Series, of shape (n_samples,)
        Cluster of each sample, and the share of the perturbed fits in which it stays with it.
    stability : dict
        Cluster -> mean largest Jaccard index with a cluster of the perturbed fits.
    """

    labels: np.ndarray
    certainty: np.ndarray
    stability: dict


def label_certainty(estimator, Xs, *, n_draws=20, random_state=None):
    """Label samples, and say how sure each label is.

    The estimator is fitted to all samples, then to parts of the data: 80 % of the samples each,
    with another start, and in every second part a tenth of the instances hidden.

    Parameters
    ----------
    estimator : estimator
        With ``fit(Xs)`` and ``labels_``; it is cloned.
    Xs : list of array-like, each of shape (n_samples, n_features_v)
        The views; a missing instance is a row of NaN.
    n_draws : int, default=20
        Number of parts.
    random_state : int, RandomState, Generator or None, default=None
        Drives the parts and the starts.

    Returns
    -------
    Certain
        Series if the views are data frames whose index names samples.

    Raises
    ------
    ValueError
        If the views are none that `mvclust` clusters, or the method labels every view apart.

    Examples
    --------
    >>> from mvclust import ConcatKMeans, label_certainty
    >>> from mvclust.testing import make_blobs
    >>> Xs, y = make_blobs()
    >>> found = label_certainty(ConcatKMeans(3, random_state=0), Xs, random_state=0)
    >>> float(found.certainty.min()), found.stability[0]
    (1.0, 1.0)
    """
    name = "label_certainty"
    if tags_of(estimator).unmapped:
        raise ValueError(f"{name}: {type(estimator).__name__} labels every view apart.")
    whole_number(n_draws, f"{name}: n_draws")
    checked, presence = check_views(Xs, accept_sparse=True, name=name)
    views = apply_mask(checked, presence)
    first, *seeds = draw_seeds(random_state, n_draws + 1)
    labels = np.asarray(clone(estimator).fit(views).labels_)
    parts, partitions = perturbations(presence, n_draws, first), []
    for part, seed in zip(parts, seeds, strict=True):
        model = clone(estimator)
        if "random_state" in model.get_params():
            model.set_params(random_state=seed)
        rows = [X[part.rows] for X in views]
        partitions.append(np.asarray(model.fit(apply_mask(rows, part.presence)).labels_))
    sure = certainty(labels, parts, partitions)
    stability = cluster_stability(labels, parts, partitions)
    return Certain(named(labels, Xs, "cluster"), named(sure, Xs, "certainty"), stability)


def perturbations(presence: np.ndarray, n_draws: int, seed: int) -> list[Perturbation]:
    """Draw parts of the data: 80 % of the samples, in every second one fewer instances, too.

    There a tenth of the instances is hidden; every sample keeps one, and so does every view.
    """
    rng = np.random.default_rng(seed)
    n_samples, parts = len(presence), []
    for draw in range(n_draws):
        rows = np.sort(rng.choice(n_samples, max(int(SHARE * n_samples), 1), replace=False))
        kept = presence[rows].copy()
        left = round(HIDDEN * kept.sum())
        for row, view in rng.permutation(np.argwhere(kept)) if draw % 2 else ():
            if left and kept[row].sum() > 1 and kept[:, view].sum() > 1:
                kept[row, view] = False
                left -= 1
        parts.append(Perturbation(rows, kept))
    return parts


def matched(labels: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Number clusters as those of a reference with which they share most samples, one to one.

    Clusters that are left over follow with numbers above those of the reference.
    """
    labels, others = match_samples({"labels": labels, "others": others}, "matched")
    (names, theirs), counts = crosstab(labels, others)
    new = np.full(len(theirs), -1)
    mine, matches = linear_sum_assignment(counts, maximize=True)
    new[matches] = names[mine]
    left = new < 0
    new[left] = names.max() + 1 + np.arange(left.sum())
    return new[np.searchsorted(theirs, others)]


def certainty(labels: np.ndarray, parts: list, partitions: list) -> np.ndarray:
    """Share of the perturbed fits in which a sample stays with its cluster; NaN if no part has it.

    It says how reproducible a label is, not whether it is right: k-means on one cloud without
    clusters has 0.6 to 0.9.
    """
    drawn, stayed = np.zeros((2, len(labels)))
    for part, others in zip(parts, partitions, strict=True):
        own = labels[part.rows]
        drawn[part.rows] += 1
        stayed[part.rows] += matched(own, np.asarray(others)) == own
    return np.divide(stayed, drawn, out=np.full(len(labels), np.nan), where=drawn > 0)


def cluster_stability(labels: np.ndarray, parts: list, partitions: list) -> dict[int, float]:
    """Mean largest Jaccard index of each cluster with a cluster of the perturbed fits.

    Above 0.75 a cluster is stable, below 0.6 it is not (C. Hennig, "Cluster-wise assessment of
    cluster stability", Computational Statistics and Data Analysis 52, 2007). NaN if no part has a
    sample of it.
    """
    indices = {int(c): [] for c in np.unique(labels)}
    for part, others in zip(parts, partitions, strict=True):
        own, others = labels[part.rows], np.asarray(others)
        theirs = [others == c for c in np.unique(others)]
        for c, values in indices.items():
            inside = own == c
            if inside.any():
                values.append(max((inside & t).sum() / (inside | t).sum() for t in theirs))
    return {c: float(np.mean(v)) if v else np.nan for c, v in indices.items()}
