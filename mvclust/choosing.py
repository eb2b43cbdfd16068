"""Choosing parameters and the number of clusters without labels."""

from itertools import combinations
from typing import NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid

from mvclust.canonical import share as read_share
from mvclust.canonical import whole_number
from mvclust.estimators.base import check_views, draw_seeds, tags_of
from mvclust.masking import apply_mask
from mvclust.metrics import adjusted_rand_index, simplified_silhouette
from mvclust.numerics.products import dense
from mvclust.numerics.scaling import balanced
from mvclust.numerics.ties import best_of
from mvclust.structure import spectrum

CRITERIA = ("eigengap", "stability")  # of the number of clusters


class Tuned(NamedTuple):
    """What `tune` found.

    Attributes
    ----------
    model : estimator
        Fitted with the parameters that were chosen.
    params : dict
        These parameters.
    scores : list of (dict, float)
        Every point of the grid with its criterion, in the order of the grid.
    """

    model: object
    params: dict
    scores: list


class Selected(NamedTuple):
    """What `select_n_clusters` found.

    Attributes
    ----------
    n_clusters : int
        The number that was chosen.
    scores : dict
        Number of clusters -> value of the criterion.
    """

    n_clusters: int
    scores: dict


def tune(estimator, grid, Xs):
    """Choose parameters by an internal criterion, as the tuning "label-free" of the pipeline.

    The criterion is the silhouette of the labels against cluster means
    (`mvclust.metrics.simplified_silhouette`) over the observed instances, with every feature
    standardised and every view of the same weight: it looks at the data, not at a method's own
    objective. It compares parameters of one method, not methods. What the choice costs against
    one by the true labels is measured in docs/choosing.md.

    Parameters
    ----------
    estimator : estimator
        With ``fit(Xs)`` and ``labels_``; it is cloned.
    grid : dict of str to list, or list of such dicts
        As scikit-learn's ParameterGrid takes it.
    Xs : list of array-like, each of shape (n_samples, n_features_v)
        The views; a missing instance is a row of NaN.

    Returns
    -------
    Tuned

    Raises
    ------
    ValueError
        If no point of the grid can be fitted; the message is that of the first.

    Examples
    --------
    >>> from mvclust import ConcatKMeans
    >>> from mvclust.choosing import tune
    >>> from mvclust.testing import make_blobs
    >>> Xs, y = make_blobs()
    >>> tune(ConcatKMeans(2, random_state=0), {"n_clusters": [2, 3, 4]}, Xs).params
    {'n_clusters': 3}
    """
    _refuse_unmapped(estimator, "tune")
    checked, presence = check_views(Xs, accept_sparse=True, name="tune")
    views = [balanced(dense(X), present) for X, present in zip(checked, presence.T, strict=True)]
    best, scores, first_error = None, [], None
    for params in ParameterGrid(grid):
        model = clone(estimator).set_params(**params)
        try:
            score = simplified_silhouette(views, presence, model.fit(Xs).labels_)
        except (ValueError, np.linalg.LinAlgError) as error:
            first_error, score = first_error or error, float("-inf")
        scores.append((params, score))
        if np.isfinite(score) and best_of([s for _, s in scores]) == len(scores) - 1:
            best = model, params
    if best is None:
        raise ValueError(f"tune: no point of the grid can be fitted; the first: {first_error}")
    return Tuned(*best, scores)


def _refuse_unmapped(estimator, name):
    if tags_of(estimator).unmapped:
        raise ValueError(
            f"{name}: {type(estimator).__name__} labels every view apart, so that there are no "
            "labels of samples to judge; take a method whose views have the same rows."
        )


def select_n_clusters(
    estimator, Xs, candidates, *, criterion="eigengap", n_draws=6, share=0.8, random_state=None
):
    """Choose the number of clusters without labels.

    By "eigengap" it is the number k of the largest fall from eigenvalue k to the next of the graph
    of neighbours (`mvclust.structure.spectrum`): nothing is fitted. By "stability" the estimator
    is fitted on random subsamples, the same for all candidates; the criterion is the mean
    adjusted Rand index, over pairs of subsamples, of their labels on the samples that both have.
    Of equally stable candidates the largest wins. On real data the number is often not that of
    the classes: docs/choosing.md has what was measured, also for the gap statistic, the silhouette
    and the consensus.

    Parameters
    ----------
    estimator : estimator
        With ``n_clusters``, ``fit(Xs)`` and ``labels_``; it is cloned.
    Xs : list of array-like, each of shape (n_samples, n_features_v)
        The views; a missing instance is a row of NaN.
    candidates : iterable of int
        Numbers of clusters, from 2.
    criterion : {"eigengap", "stability"}, default="eigengap"
        What is largest for the number that is chosen.
    n_draws : int, default=6
        Number of subsamples.
    share : float, default=0.8
        Share of the samples in each.
    random_state : int, RandomState, Generator or None, default=None
        Drives the subsamples.

    Returns
    -------
    Selected

    Raises
    ------
    ValueError
        If there is no such criterion or no candidate, or if a candidate is below 2, not below the
        number of samples, or, by "stability", above the size of a subsample.

    References
    ----------
    .. [1] U. von Luxburg, "Clustering stability: an overview", Foundations and Trends in Machine
       Learning 2 (2010).
    .. [2] U. von Luxburg, "A tutorial on spectral clustering", Statistics and Computing 17 (2007).

    Examples
    --------
    >>> from mvclust import ConcatKMeans
    >>> from mvclust.choosing import select_n_clusters
    >>> from mvclust.testing import make_blobs
    >>> Xs, y = make_blobs()
    >>> select_n_clusters(ConcatKMeans(2, random_state=0), Xs, range(2, 6), random_state=0)[0]
    3
    """
    _refuse_unmapped(estimator, "select_n_clusters")
    checked, presence = check_views(Xs, accept_sparse=True, name="select_n_clusters")
    if criterion not in CRITERIA:
        raise ValueError(
            f"select_n_clusters: criterion={criterion!r}, expected one of {', '.join(CRITERIA)}."
        )
    whole_number(n_draws, "select_n_clusters: n_draws", least=2)
    read_share(share, "select_n_clusters: share")
    n_samples = len(presence)
    candidates = [whole_number(k, "select_n_clusters: a candidate") for k in candidates]
    size = int(share * n_samples) if criterion == "stability" else n_samples
    most = min(size, n_samples - 1)
    if not candidates or min(candidates) < 2 or max(candidates) > most:
        part = "a subsample has" if size < n_samples else "there are"
        raise ValueError(
            f"select_n_clusters: candidates {candidates}, expected numbers from 2 to {most}, as "
            f"{part} {size} samples."
        )
    views = apply_mask(checked, presence)
    if criterion == "eigengap":
        values = spectrum(views, max(candidates) + 1)
        gaps = {k: float(values[k - 1] - values[k]) for k in candidates if k < len(values)}
        return Selected(list(gaps)[best_of(list(gaps.values()))], gaps)
    draws = [
        np.sort(np.random.default_rng(seed).choice(n_samples, size, replace=False))
        for seed in draw_seeds(random_state, n_draws)
    ]
    stability = {k: _stability_of(clone(estimator), views, draws, k) for k in candidates}
    largest_first = sorted(stability, reverse=True)
    best = best_of([stability[k] for k in largest_first])
    return Selected(largest_first[best], stability)


def _stability_of(model, views, draws, n_clusters):
    model.set_params(n_clusters=n_clusters)
    labels = [np.array(model.fit([X[rows] for X in views]).labels_) for rows in draws]
    scores = []
    for (rows, own), (others, theirs) in combinations(zip(draws, labels, strict=True), 2):
        _, here, there = np.intersect1d(rows, others, return_indices=True)
        scores.append(adjusted_rand_index(own[here], theirs[there]))
    return float(np.mean(scores))
