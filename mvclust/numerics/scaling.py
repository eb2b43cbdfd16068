"""Scaling of views, and the words for it; only present rows are read.

A word says what is scaled (a sample, a feature or a view) and how, and means the same everywhere:
as ``scale`` of an estimator, among the steps of `mvclust.numerics.features.scale_features`, and in
the pipeline.
"""

import numpy as np
from scipy import sparse

from mvclust.numerics.distances import row_lengths

TINY = float(np.finfo(np.float64).tiny)
SCALES = ("sample_unit", "view_balanced", "view_range")  # of `scale_views`

# The words of earlier versions, by the parameter that took them.
OLD_WORDS = {
    "scale": {"l2": "sample_unit", "balanced": "view_balanced", "range": "view_range"},
    "features": {
        "minmax": "feature_minmax",
        "symmetric": "feature_symmetric",
        "unit": "feature_unit",
        "standard": "feature_standard",
        "view": "view_range",
        "total": "view_total",
        "l2": "sample_unit",
        "ncw": "sample_degree",
    },
    "labels": {"unit": "kmeans_unit"},
    "embedding": {"unit": "leading_unit"},
}


def refuse_old_word(parameter, value, name=None):
    """Refuse a value by which an earlier version called what has another name now.

    Of a list every element is looked at. `name` says who asks, for the message of the ValueError.

    >>> refuse_old_word("scale", "l2")
    Traceback (most recent call last):
        ...
    ValueError: scale='l2' has a new name: write 'sample_unit'.
    """
    words = OLD_WORDS.get(parameter, {})
    for word in value if isinstance(value, list | tuple) else [value]:
        parts = word.split("+") if isinstance(word, str) else []
        if not any(part in words for part in parts):
            continue
        new = [words.get(part, part) for part in parts]
        raise ValueError(
            f"{f'{name}: ' if name else ''}{parameter}={word!r} has a new name: write "
            f"{new if len(new) > 1 else new[0]!r}."
        )


def unit_samples(X):
    """Scale every row to unit Euclidean length (a zero row stays zero).

    >>> unit_samples(np.array([[3.0, 4.0], [0.0, 0.0]]))
    array([[0.6, 0.8],
           [0. , 0. ]])
    """
    lengths = np.maximum(row_lengths(X), TINY)
    if sparse.issparse(X):
        return sparse.csr_array(sparse.diags_array(1 / lengths) @ X)
    return X / lengths[:, None]


def balanced(X, present):
    """Standardise every feature over the present rows and divide by the root of their number.

    Every view then weighs the same in a concatenation. A constant feature becomes zero and does not
    count; missing rows come back as zero.
    """
    mean, deviation = _moments(X[present])
    return np.where(present[:, None], (X - mean) / deviation, 0.0)


def _moments(X):
    """Mean of every feature, and its standard deviation times the root of how many features vary.

    That of a constant feature is inf.
    """
    mean = X.mean(axis=0)
    deviation = (X - mean).std(axis=0)
    varies = deviation > 1e-12 * np.abs(X).max(axis=0)
    deviation[~varies] = np.inf
    return mean, deviation * np.sqrt(max(np.count_nonzero(varies), 1))


def unit_range(X, present=None):
    """Map a whole view to [-1, 1] by the smallest and the largest entry of its present rows.

    A constant view becomes zero; missing rows come back as zero. None: all rows are present.

    >>> unit_range(np.array([[3.0, 4.0], [5.0, 7.0]])).tolist()
    [[-1.0, -0.5], [0.0, 1.0]]
    """
    if present is not None and present.all():
        present = None
    inside = X if present is None else X[present]
    scaled = _to_unit_range(X, inside.min(), inside.max())
    if present is not None:
        scaled[~present] = 0.0
    return scaled


def _to_unit_range(X, low, high):
    if high == low:
        return np.zeros_like(X)
    scaled = X - low
    scaled *= 2
    scaled /= high - low
    scaled -= 1
    return scaled


def scale_views(Xs, presence, scale):
    """Scale every view in one of the ways `SCALES`, or not at all.

    `scale` is one of "sample_unit" (`unit_samples`), "view_balanced" (`balanced`), "view_range"
    (`unit_range`) and None, or a list with one of these per view. `presence` has shape
    (n_samples, n_views); "sample_unit" and None do not read it, and take sparse views as well.
    """
    each = scale if isinstance(scale, list) else [scale] * len(Xs)
    for word in each:
        if word is not None and word not in SCALES:
            refuse_old_word("scale", word)
            raise ValueError(f"scale={word!r} is none of {', '.join(SCALES)} and None.")
    columns = [None] * len(Xs) if presence is None else presence.T
    return [_scaled(X, present, s) for X, present, s in zip(Xs, columns, each, strict=True)]


def _scaled(X, present, scale):
    if scale == "sample_unit":
        return unit_samples(X)
    if scale == "view_balanced":
        return balanced(X, present)
    if scale == "view_range":
        return unit_range(X, present)
    return X


class ViewScaler:
    """Scales new samples of a view as `scale_views` scaled those it was made of.

    X is the view before it was scaled, of shape (n_samples, n_features), which may be sparse with
    "sample_unit" and None; `present` has shape (n_samples,).

    >>> scaler = ViewScaler(np.array([[1.0], [3.0]]), np.ones(2, dtype=bool), "view_range")
    >>> scaler.scale_rows(np.array([[2.0], [4.0]])).ravel().tolist()
    [0.0, 2.0]
    """

    def __init__(self, X, present, scale):
        self.scale = scale
        if scale == "view_balanced":
            self.mean, self.deviation = _moments(X[present])
        elif scale == "view_range":
            self.low, self.high = X[present].min(), X[present].max()

    def scale_rows(self, X):
        """New rows, scaled; what comes back for missing ones means nothing."""
        if self.scale == "view_balanced":
            return (X - self.mean) / self.deviation
        if self.scale == "view_range":
            return _to_unit_range(X, self.low, self.high)
        return _scaled(X, None, self.scale)
