"""Which method for which views, from what the pipeline measured."""

import json
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import numpy as np

from mvclust.estimators.base import check_views

NEARNESS = 0.1  # share of missing instances within which measurements weigh 1/e and more


class Suggestion(NamedTuple):
    """A method, and what speaks for it.

    Attributes
    ----------
    name : str
        Name of the class in `mvclust`.
    params : dict
        Its parameters in the measurements, to be given beside ``n_clusters``.
    before : list of str
        What was done to views of this kind before, in words; empty if nothing.
    shortfall : float
        Accuracy that it missed to the best method of each measured case, in percent points: the
        mean over the cases, weighted by how near their share of missing instances is.
    accuracy : float
        Its accuracy in percent, the same mean.
    rank : float
        Its rank among the methods, the same mean.
    seconds : float
        Expected CPU seconds of one fit on one thread.
    reason : str
        All of this as a sentence.
    """

    name: str
    params: dict
    before: list
    shortfall: float
    accuracy: float
    rank: float
    seconds: float
    reason: str


def suggest(Xs, *, n_best=3, max_seconds=None):
    """Methods for some views, best first, from accuracies measured on other data.

    The measurements are those of the committed run of the pipeline: all methods with their default
    parameters on eight data sets, with 0, 30 and 50 % of the instances missing. Methods are ranked
    by the accuracy that they miss to the best one, where measurements with nearly the same
    share of missing instances weigh most. The number of views, their signs and sizes decide which
    methods apply, what must be done to the views before, and the expected time; ranks from
    data of the same kind or size were no better. How much accuracy the first suggestion, and
    the best of three, miss on data that were left out is measured in docs/choosing.md: it is a
    place to start, not an answer.

    Parameters
    ----------
    Xs : list of array-like or sparse, each of shape (n_samples, n_features_v)
        The views; a missing instance is a row of NaN.
    n_best : int, default=3
        Length of the list.
    max_seconds : float, optional
        Leaves out methods with a longer expected time.

    Returns
    -------
    list of Suggestion
        At most `n_best`; fewer if fewer methods apply.

    Examples
    --------
    >>> from mvclust import suggest
    >>> from mvclust.testing import make_blobs
    >>> Xs, y = make_blobs()
    >>> first, second = suggest(Xs, n_best=2)
    >>> first.shortfall <= second.shortfall
    True
    """
    if n_best < 1:
        raise ValueError(f"suggest: n_best={n_best}, expected at least 1.")
    checked, presence = check_views(Xs, accept_sparse=True, name="suggest")
    facts = {
        "n_samples": len(presence),
        "n_views": len(checked),
        "n_features": sum(X.shape[1] for X in checked),
        "share": float(1 - presence.mean()),
        "negative": any(X.min() < 0 for X in checked),
        "kinds": [kind_of(X, present) for X, present in zip(checked, presence.T, strict=True)],
    }
    known = measured()
    usable = [
        method
        for method in known["methods"]
        if (facts["n_views"] >= 2 or not method["pair"])
        and (max_seconds is None or seconds_of(method, facts) <= max_seconds)
    ]
    ranking = ranked(known, usable, nearness(known["cases"], facts["share"]))
    return [_suggestion(method, numbers, facts, known) for method, numbers in ranking[:n_best]]


@cache
def measured():
    """What the pipeline measured, as docs/make_choosing.py takes it from the committed results."""
    return json.loads(files("mvclust").joinpath("measured.json").read_text(encoding="utf-8"))


def kind_of(X, present):
    """Whether a view holds counts, non-negative and most of them 0, or measurements.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n_samples, n_features)
        The view.
    present : ndarray of bool of shape (n_samples,)
        Whether a sample is present in it.

    Returns
    -------
    str
        "counts" or "measurements".
    """
    values = X[present]
    few = (values != 0).sum() < np.prod(values.shape) / 2
    return "counts" if few and values.min() >= 0 else "measurements"


def nearness(cases, share, width=NEARNESS):
    """The weight of each measured case for views with a share of missing instances.

    Parameters
    ----------
    cases : list of dict
        The measured cases.
    share : float
        Share of missing instances.
    width : float
        Difference of shares at which the weight falls to 1/e.

    Returns
    -------
    ndarray of shape (n_cases,)
        The weights.
    """
    return np.exp(-np.abs(np.array([case["share"] for case in cases]) - share) / width)


def ranked(known, methods, weights):
    """Methods by their weighted mean shortfall, smallest first; of each class the first alone.

    Parameters
    ----------
    known : dict
        As `measured` gives it.
    methods : list of dict
        Those of `known` that come into question.
    weights : ndarray of shape (n_cases,)
        Of the measured cases; 0 leaves one out.

    Returns
    -------
    list of (dict, dict)
        Each method with its shortfall, accuracy and rank. A case in which a method has no result
        counts for the others only.
    """
    table = np.array([method["accuracy"] for method in known["methods"]], dtype=float)
    shortfall = np.nanmax(table, axis=0) - table
    rank = 1 + (np.nan_to_num(table)[None] > np.nan_to_num(table)[:, None]).sum(axis=1)
    keys = [method["key"] for method in known["methods"]]
    found = []
    for method in methods:
        row = keys.index(method["key"])
        own = weights * np.isfinite(table[row])
        if own.sum() == 0:
            continue
        values = {"shortfall": shortfall[row], "accuracy": table[row], "rank": rank[row]}
        means = {
            name: float(np.average(np.nan_to_num(value), weights=own))
            for name, value in values.items()
        }
        found.append((method, means))
    found.sort(key=lambda pair: pair[1]["shortfall"])
    first = {pair[0]["class"]: pair for pair in reversed(found)}
    return [pair for pair in found if pair is first[pair[0]["class"]]]


def seconds_of(method, facts):
    """Expected CPU seconds of a fit: a product of powers of the sizes, fitted to measured times.

    Parameters
    ----------
    method : dict
        One of those that `measured` gives.
    facts : dict
        Sizes of the views: ``n_samples`` and ``n_features``.

    Returns
    -------
    float
        Seconds.
    """
    constant, of_samples, of_features = method["seconds"]
    return float(
        np.exp(constant) * facts["n_samples"] ** of_samples * facts["n_features"] ** of_features
    )


def _suggestion(method, numbers, facts, known):
    before = []
    if method["shift"] and facts["negative"]:
        before.append("subtract the minimum of each view that has negative values")
    if method["fill"] and facts["share"] > 0:
        before.append(f"mvclust.fill_missing(Xs, {method['fill']!r})")
    if method["pair"] and facts["n_views"] > 2:
        before.append("choose two views (measured on the first two)")
    n_data, seconds = len(known["data"]), seconds_of(method, facts)
    largest = max(data["n_samples"] for data in known["data"])
    reason = (
        f"{numbers['shortfall']:.1f} points of accuracy below the best method and rank "
        f"{numbers['rank']:.1f} of {len(known['methods'])} in the mean over {n_data} data sets of "
        f"up to {largest} samples, where those with about {facts['share']:.0%} missing count most; "
        f"about {seconds:.2g} CPU seconds per fit"
    )
    params = dict(method["params"])
    for name, values in method["by_kind"].items():
        each = [values[kind] for kind in facts["kinds"]]
        params[name] = each[0] if len(set(each)) == 1 else each
    return Suggestion(
        method["class"],
        params,
        before,
        numbers["shortfall"],
        numbers["accuracy"],
        numbers["rank"],
        seconds,
        reason,
    )
