"""How sure labels are: what is left of clusters when data and starts are perturbed."""

from typing import NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.base import clone

from mvclust.canonical import match_samples, whole_number
from mvclust.estimators.base import check_views, draw_seeds, named, tags_of
from mvclust.masking import apply_mask

SHARE = 0.8  # of the samples in a perturbed fit
HIDDEN = 0.1  # share of the instances that every second one lacks beside


class Perturbation(NamedTuple):
    """A part of the data.

    Attributes
    ----------
    rows : ndarray of int
        Which samples it has.
    presence : ndarray of bool of shape (len(rows), n_views)
        Which of their instances.
    """

    rows: np.ndarray
    presence: np.ndarray


class Certain(NamedTuple):
    """What `label_certainty` found.

    Attributes
    ----------
    labels : ndarray of int, or Series, of shape (n_samples,)
        Of the estimator, fitted to all samples.
    certainty : ndarray, or Series, of shape (n_samples,)
        Share of the perturbed fits in which a sample stays with its cluster.
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


def perturbations(presence, n_draws, seed):
    """Draw parts of the data: 80 % of the samples, in every second one fewer instances, too.

    Parameters
    ----------
    presence : ndarray of bool of shape (n_samples, n_views)
        The instances of the data.
    n_draws : int
        Number of parts.
    seed : int
        Drives the draws.

    Returns
    -------
    list of Perturbation
        In every second one a tenth of the instances is hidden; every sample keeps one, and so
        does every view.

    Examples
    --------
    >>> import numpy as np
    >>> parts = perturbations(np.ones((10, 2), dtype=bool), 2, seed=0)
    >>> [len(part.rows) for part in parts], [int(part.presence.sum()) for part in parts]
    ([8, 8], [16, 14])
    """
    rng = np.random.default_rng(seed)
    n_samples, parts = len(presence), []
    for draw in range(n_draws):
        rows = np.sort(rng.choice(n_samples, max(int(SHARE * n_samples), 1), replace=False))
        kept = presence[rows].copy()
        if draw % 2:
            _hide(kept, rng)
        parts.append(Perturbation(rows, kept))
    return parts


def _hide(presence, rng):
    """Hide instances in place."""
    places = np.argwhere(presence)
    left = round(HIDDEN * len(places))
    for row, view in rng.permutation(places):
        if left and presence[row].sum() > 1 and presence[:, view].sum() > 1:
            presence[row, view] = False
            left -= 1


def matched(labels, others):
    """Number clusters as those of a reference with which they share most samples.

    Parameters
    ----------
    labels : ndarray of int of shape (n_samples,)
        The reference.
    others : ndarray of int of shape (n_samples,)
        Another partition of the same samples.

    Returns
    -------
    ndarray of int of shape (n_samples,)
        `others` renumbered one to one, such that most samples agree (Hungarian assignment);
        clusters that are left over follow with numbers above those of the reference.

    Examples
    --------
    >>> import numpy as np
    >>> matched(np.array([0, 0, 1, 1]), np.array([5, 5, 3, 4])).tolist()
    [0, 0, 1, 2]
    """
    labels, others = match_samples({"labels": labels, "others": others}, "matched")
    names, mine = np.unique(labels, return_inverse=True)
    theirs_names, theirs = np.unique(others, return_inverse=True)
    table = np.zeros((len(names), len(theirs_names)))
    np.add.at(table, (mine, theirs), 1)
    new = np.full(len(theirs_names), -1)
    for name, their in zip(*linear_sum_assignment(table, maximize=True), strict=True):
        new[their] = names[name]
    left = new < 0
    new[left] = names.max() + 1 + np.arange(left.sum())
    return new[theirs]


def certainty(labels, parts, partitions):
    """Share of the perturbed fits in which a sample stays with its cluster.

    It says how reproducible a label is, not whether it is right: k-means on one cloud without
    clusters has 0.6 to 0.9.

    Parameters
    ----------
    labels : ndarray of int of shape (n_samples,)
        The partition of all samples.
    parts : list of Perturbation
        The perturbed data.
    partitions : list of ndarray of int
        The labels of the samples of each part.

    Returns
    -------
    ndarray of shape (n_samples,)
        NaN for a sample that no part has.

    Examples
    --------
    >>> import numpy as np
    >>> parts = [Perturbation(np.arange(4), None)] * 2
    >>> certainty(np.array([0, 0, 1, 1]), parts, [[0, 0, 1, 1], [1, 1, 0, 1]]).tolist()
    [1.0, 1.0, 1.0, 0.5]
    """
    drawn, stayed = np.zeros(len(labels)), np.zeros(len(labels))
    for part, others in zip(parts, partitions, strict=True):
        own = labels[part.rows]
        drawn[part.rows] += 1
        stayed[part.rows] += matched(own, np.asarray(others)) == own
    return np.divide(stayed, drawn, out=np.full(len(labels), np.nan), where=drawn > 0)


def cluster_stability(labels, parts, partitions):
    """Mean largest Jaccard index of each cluster with a cluster of the perturbed fits.

    Parameters
    ----------
    labels : ndarray of int of shape (n_samples,)
        The partition of all samples.
    parts : list of Perturbation
        The perturbed data.
    partitions : list of ndarray of int
        The labels of the samples of each part.

    Returns
    -------
    dict
        Cluster -> from 0 to 1; above 0.75 it is stable, below 0.6 it is not [1]_. NaN if no part
        has a sample of it.

    References
    ----------
    .. [1] C. Hennig, "Cluster-wise assessment of cluster stability", Computational Statistics and
       Data Analysis 52 (2007).

    Examples
    --------
    >>> import numpy as np
    >>> parts = [Perturbation(np.arange(4), None)]
    >>> cluster_stability(np.array([0, 0, 1, 1]), parts, [[0, 0, 0, 1]])
    {0: 0.6666666666666666, 1: 0.5}
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
