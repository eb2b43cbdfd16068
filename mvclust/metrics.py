"""External metrics against the true classes, an internal criterion, and stability.

All external metrics take ``(y_true, y_pred)``, are 1 for a perfect match, do not depend on
the names of the labels, and are computed from one contingency table.
"""

from collections.abc import Callable
from functools import partial
from itertools import combinations
from typing import NamedTuple

import numpy as np
import scipy
from scipy import sparse

from mvclust.canonical import LARGEST, as_numbers, by_view, match_samples, read_labels, read_mask
from mvclust.numerics.distances import centred

MOST_PRODUCTS = 1000  # instances whose products of pairs pay off for some 50 partitions


def contingency(y_true, y_pred):
    """Count the samples of each class (row) in each cluster (column).

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True classes, and labels of the clusters.

    Returns
    -------
    ndarray of shape (n_classes, n_clusters)
        Counts, int64.

    Raises
    ------
    ValueError
        If the two are not vectors of the same length above 0, or a label is missing.
    """
    tables = {"y_true": y_true, "y_pred": y_pred}
    y_true, y_pred = match_samples(tables, "contingency")
    y_true, y_pred = read_labels(y_true, "y_true"), read_labels(y_pred, "y_pred")
    if y_true.shape != y_pred.shape or not len(y_true):
        raise ValueError(
            f"y_true has shape {y_true.shape} and y_pred {y_pred.shape}; expected two vectors of "
            "the same length above 0."
        )
    rows, sizes = _numbered(y_true)
    columns, of_clusters = _numbered(y_pred)
    shape = len(sizes), len(of_clusters)
    return np.bincount(rows * shape[1] + columns, minlength=shape[0] * shape[1]).reshape(shape)


def _numbered(labels):
    """Labels numbered from 0 in their order, and how many samples have each."""
    if labels.dtype.kind == "i" and labels.min() >= 0 and labels.max() <= 2 * len(labels):
        labels = labels.astype(np.int64, copy=False)  # products of small types would overflow
        counts = np.bincount(labels)
        if counts.all():
            return labels, counts
        return (np.cumsum(counts > 0) - 1)[labels], counts[counts > 0]
    _, numbers, counts = np.unique(labels, return_inverse=True, return_counts=True)
    return numbers, counts


def accuracy(y_true, y_pred):
    """Share of samples in the right cluster under the best one-to-one matching (Hungarian).

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True classes, and labels of the clusters.

    Returns
    -------
    float
        From 0 to 1.

    Examples
    --------
    >>> accuracy([0, 0, 1, 1], [1, 1, 0, 1])
    0.75
    """
    return _accuracy(contingency(y_true, y_pred))


def purity(y_true, y_pred):
    """Share of samples that belong to the largest class of their cluster.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True classes, and labels of the clusters.

    Returns
    -------
    float
        From 0 to 1.

    Examples
    --------
    >>> purity([0, 0, 1, 1], [0, 1, 2, 3])
    1.0
    """
    return _purity(contingency(y_true, y_pred))


def nmi(y_true, y_pred, normalisation):
    """Mutual information over a mean of the two entropies.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True classes, and labels of the clusters.
    normalisation : {"max", "arithmetic", "geometric"}
        The mean of the two entropies. There is no default because papers differ: the released
        code of UEAF divides by the larger entropy, that of mPAC by the arithmetic mean.

    Returns
    -------
    float
        From 0 to 1.

    Raises
    ------
    ValueError
        If the normalisation is unknown.

    Examples
    --------
    >>> nmi([0, 0, 1, 1], [5, 5, 3, 3], "max")
    1.0
    """
    if normalisation not in MEANS:
        raise ValueError(
            f"normalisation={normalisation!r} is unknown; expected 'max', 'arithmetic' or "
            "'geometric'."
        )
    return _nmi(contingency(y_true, y_pred), normalisation)


def adjusted_rand_index(y_true, y_pred):
    """Agreement on pairs of samples, corrected for chance (ARI).

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True classes, and labels of the clusters.

    Returns
    -------
    float
        At most 1; 0 is expected of random labels.

    Examples
    --------
    >>> adjusted_rand_index([0, 0, 1, 1], [1, 1, 0, 0])
    1.0
    """
    return _adjusted_rand(contingency(y_true, y_pred))


def pairwise_precision(y_true, y_pred):
    """Share of the pairs of samples in one cluster that are in one class.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True classes, and labels of the clusters.

    Returns
    -------
    float
        From 0 to 1.

    Examples
    --------
    >>> pairwise_precision([0, 0, 1], [0, 0, 0])
    0.3333333333333333
    """
    return _pairs(contingency(y_true, y_pred), "precision")


def pairwise_recall(y_true, y_pred):
    """Share of the pairs of samples in one class that are in one cluster.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True classes, and labels of the clusters.

    Returns
    -------
    float
        From 0 to 1.

    Examples
    --------
    >>> pairwise_recall([0, 0, 1], [0, 0, 0])
    1.0
    """
    return _pairs(contingency(y_true, y_pred), "recall")


def pairwise_f_score(y_true, y_pred):
    """Harmonic mean of pairwise precision and recall.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True classes, and labels of the clusters.

    Returns
    -------
    float
        From 0 to 1.

    Examples
    --------
    >>> pairwise_f_score([0, 0, 1], [0, 0, 0])
    0.5
    """
    return _pairs(contingency(y_true, y_pred), "f_score")


def score(y_true, y_pred):
    """Compute all external metrics from one contingency table.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True classes, and labels of the clusters.

    Returns
    -------
    dict
        One float per name in `METRICS`.

    Examples
    --------
    >>> score([0, 0, 1, 1], [1, 1, 0, 1])["acc"]
    0.75
    """
    table = contingency(y_true, y_pred)
    return {m.name: m.function(table) for m in SCORES.values() if m.needs_classes}


def stability(partitions):
    """How well each of some partitions of the same samples agrees with the others.

    Parameters
    ----------
    partitions : list of array-like of shape (n_samples,)
        Labels, for example of fits with other seeds or masks.

    Returns
    -------
    ndarray of shape (n_partitions,)
        The mean adjusted Rand index with the others, at most 1; NaN for a single partition.

    Examples
    --------
    >>> stability([[0, 0, 1, 1], [1, 1, 0, 0], [2, 2, 0, 0]]).tolist()
    [1.0, 1.0, 1.0]
    """
    n = len(partitions)
    if n < 2:
        return np.full(n, np.nan)
    agreement = np.zeros((n, n))
    for (i, one), (j, other) in combinations(enumerate(partitions), 2):
        agreement[i, j] = adjusted_rand_index(one, other)
    return (agreement + agreement.T).sum(axis=1) / (n - 1)


def simplified_silhouette(Xs, presence, labels):
    """Internal criterion: silhouette against cluster means, over the observed instances.

    For each present instance of a view, a is its distance to the mean of its own cluster and b
    its distance to the nearest other mean. The means are taken over the present instances. The
    value is (b - a) / max(a, b), averaged over the instances of a view, then over the views. The
    true labels are not used.

    Parameters
    ----------
    Xs : list of ndarray of shape (n_samples, n_features_v)
        Views on comparable feature scales; missing rows are never read.
    presence : ndarray of shape (n_samples, n_views)
        Which instances are present, bool.
    labels : array-like of shape (n_samples,)
        Labels of the clusters.

    Returns
    -------
    float
        From -1 to 1, higher is better; a view with fewer than two clusters counts as -1.

    Examples
    --------
    >>> X = np.array([[0.0], [0.0], [4.0], [4.0]])
    >>> simplified_silhouette([X], np.ones((4, 1), bool), [0, 0, 1, 1])
    1.0
    """
    return Silhouettes(Xs, presence, many=False).of(labels)


class Silhouettes:
    """The `simplified_silhouette` of many partitions of the same instances.

    Parameters
    ----------
    Xs : list of ndarray of shape (n_samples, n_features_v)
        Views on comparable feature scales; missing rows are never read.
    presence : ndarray of bool of shape (n_samples, n_views)
        Which instances are present.
    many : bool, default=True
        Whether there are so many partitions that the products of all pairs of instances pay off,
        where a view has more features than instances.

    Examples
    --------
    >>> X = np.array([[0.0], [0.0], [4.0], [4.0]])
    >>> of_X = Silhouettes([X], np.ones((4, 1), bool))
    >>> of_X.of([0, 0, 1, 1]), of_X.of([0, 0, 0, 0])
    (1.0, -1.0)
    """

    def __init__(self, Xs, presence, many=True):
        tables = {**by_view(Xs), "presence": presence}
        *Xs, presence = match_samples(tables, "simplified_silhouette")
        self._like = next((X.iloc[:, :0] for X in (*Xs, presence) if hasattr(X, "iloc")), None)
        self.presence = presence = read_mask(presence, (None, len(Xs)), "presence")
        self.views = [
            _Instances(_known(X, present, v), many)
            for v, (X, present) in enumerate(zip(Xs, presence.T, strict=True))
        ]

    def of(self, labels):
        """The value for one partition.

        Parameters
        ----------
        labels : array-like of shape (n_samples,)
            Labels of the clusters.

        Returns
        -------
        float
            As `simplified_silhouette` gives it.
        """
        tables = {"the views": self._like, "labels": labels}
        labels = read_labels(match_samples(tables, "simplified_silhouette")[1], "labels")
        if len(labels) != len(self.presence):
            raise ValueError(
                f"simplified_silhouette: {len(labels)} labels for {len(self.presence)} samples."
            )
        values = [
            view.silhouette(labels[present])
            for view, present in zip(self.views, self.presence.T, strict=True)
        ]
        return float(np.mean(values))

    def of_samples(self, labels):
        """The value of each sample, the mean over its views.

        Parameters
        ----------
        labels : array-like of shape (n_samples,)
            Labels of the clusters.

        Returns
        -------
        ndarray of shape (n_samples,)
            NaN for a sample without a view.
        """
        labels, values = np.asarray(labels), np.full(self.presence.shape, np.nan)
        for v, view in enumerate(self.views):
            present = self.presence[:, v]
            values[present, v] = view.silhouettes(labels[present])
        counts = self.presence.sum(axis=1)
        none = np.full(len(values), np.nan)
        return np.divide(np.nansum(values, axis=1), counts, out=none, where=counts > 0)


def _known(X, present, v):
    """The present instances of a view, all of whose values must be numbers."""
    X = as_numbers(X)
    if len(X) != len(present):
        raise ValueError(
            f"simplified_silhouette: presence has {len(present)} rows, view {v} has {len(X)}."
        )
    X = X if present.all() else X[present]
    if not (np.abs(X) <= LARGEST).all():
        raise ValueError(
            f"simplified_silhouette: view {v} has values in present instances that are NaN, "
            f"infinite or beyond {LARGEST:g}."
        )
    return X


class _Instances:
    """The instances of a view; where there are more features, their products are kept too.

    A partition is scored by itself, so that its value does not depend on which others are.
    """

    def __init__(self, X, many):
        (X,) = centred(X)
        self.X, self.squared = X, (X**2).sum(axis=1)
        wide = len(X) <= min(X.shape[1], MOST_PRODUCTS)
        self.products = X @ X.T if many and wide else None

    def silhouette(self, labels):
        """The mean over the instances; -1 for fewer than two clusters."""
        return float(np.mean(self.silhouettes(labels))) if len(labels) else -1.0

    def silhouettes(self, labels):
        """The value of each instance; -1 for fewer than two clusters."""
        labels, counts = _numbered(labels)
        if len(counts) < 2:
            return np.full(len(labels), -1.0)
        distances = self._distances(labels, counts)
        own = (labels, np.arange(len(labels)))
        a = np.where(counts[labels] > 1, distances[own], 0)  # alone an instance is the mean
        distances[own] = np.inf
        b = distances.min(axis=0)
        larger = np.maximum(a, b)
        return np.divide(b - a, larger, out=np.zeros_like(a), where=larger > 0)

    def _distances(self, labels, counts):
        """From the mean of each cluster to each instance."""
        n, ends = len(labels), np.concatenate([[0], np.cumsum(counts)])
        order = np.argsort(labels, kind="stable")
        members = sparse.csr_array((np.ones(n), order, ends), shape=(len(counts), n))
        if self.products is None:
            means = (members @ self.X) / counts[:, None]
            products, squares = means @ self.X.T, (means**2).sum(axis=1)
        else:
            products = (members @ self.products) / counts[:, None]
            of_own = products[labels, np.arange(n)]
            squares = np.bincount(labels, of_own) / counts
        squared = self.squared - 2 * products + squares[:, None]
        return np.sqrt(np.maximum(squared, 0))


def _accuracy(table):
    matched = scipy.optimize.linear_sum_assignment(table, maximize=True)
    return float(table[matched].sum() / table.sum())


def _purity(table):
    return float(table.max(axis=0).sum() / table.sum())


def _entropy(counts):
    shares = counts[counts > 0] / counts.sum()
    return float(-(shares * np.log(shares)).sum())


def _nmi(table, normalisation):
    h_true, h_pred = _entropy(table.sum(axis=1)), _entropy(table.sum(axis=0))
    information = h_true + h_pred - _entropy(table.ravel())
    bound = {
        "max": max(h_true, h_pred),
        "arithmetic": (h_true + h_pred) / 2,
        "geometric": float(np.sqrt(h_true * h_pred)),
    }[normalisation]
    if bound <= 0:  # one class or one cluster: a match only if both are one
        return 1.0 if h_true == h_pred else 0.0
    return float(np.clip(information / bound, 0, 1))


def _pair_counts(table):
    groups = table.ravel(), table.sum(axis=1), table.sum(axis=0), table.sum(keepdims=True).ravel()
    return [(int(counts @ counts) - int(counts.sum())) / 2 for counts in groups]


def _pairs(table, what):
    both, same_class, same_cluster, _ = _pair_counts(table)
    precision = both / same_cluster if same_cluster else 0.0
    recall = both / same_class if same_class else 0.0
    total = precision + recall
    f_score = 2 * precision * recall / total if total else 0.0
    return {"precision": precision, "recall": recall, "f_score": f_score}[what]


def _adjusted_rand(table):
    both, same_class, same_cluster, pairs = _pair_counts(table)
    expected = same_class * same_cluster / pairs if pairs else 0.0
    highest = (same_class + same_cluster) / 2
    return 1.0 if highest == expected else (both - expected) / (highest - expected)


class Metric(NamedTuple):
    """What a fit is scored by.

    Attributes
    ----------
    name : str
        As experiments call it.
    label : str
        The same in words.
    function : callable
        It takes a `contingency` table; or instances, as `Silhouettes` holds them, and labels; or
        the labels of several fits, of which it returns one value each.
    takes : {"classes", "instances", "partitions"}
        Which of these.
    bounds : tuple of float
        The least and the largest value that is possible.
    higher_is_better : bool
    """

    name: str
    label: str
    function: Callable
    takes: str = "classes"
    bounds: tuple[float, float] = (0.0, 1.0)
    higher_is_better: bool = True

    @property
    def needs_classes(self):
        """Whether the true classes must be known."""
        return self.takes == "classes"

    @property
    def sign(self):
        """1, or -1 where lower values are better."""
        return 1 if self.higher_is_better else -1


INTERNAL, STABILITY = "simplified_silhouette", "stability"
MEANS = {"max": "larger entropy", "arithmetic": "arithmetic mean of the entropies"}
MEANS["geometric"] = "geometric mean of the entropies"

# The one list of metrics: what is added here is computed for every fit, for experiments to name.
SCORES = {
    metric.name: metric
    for metric in (
        Metric("acc", "accuracy (Hungarian matching)", _accuracy),
        *(
            Metric(f"nmi_{how}", f"mutual information / {mean}", partial(_nmi, normalisation=how))
            for how, mean in MEANS.items()
        ),
        Metric("purity", "purity", _purity),
        Metric("ari", "adjusted Rand index", _adjusted_rand, bounds=(-1.0, 1.0)),
        Metric("f_score", "pairwise F-score", partial(_pairs, what="f_score")),
        Metric("precision", "pairwise precision", partial(_pairs, what="precision")),
        Metric("recall", "pairwise recall", partial(_pairs, what="recall")),
        Metric(INTERNAL, "simplified silhouette", Silhouettes.of, "instances", (-1.0, 1.0)),
        Metric(STABILITY, "agreement over repetitions", stability, "partitions", (-1.0, 1.0)),
    )
}
METRICS = {name: metric.label for name, metric in SCORES.items() if metric.needs_classes}
