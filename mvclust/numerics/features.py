"""Scaling of views before any method sees them, in the ways that papers use."""

import numpy as np
from scipy import sparse

from mvclust.numerics.products import dense
from mvclust.numerics.scaling import refuse_old_word, unit_range, unit_samples

# Of sparse views, which stay sparse.
KEEP_ZEROS = ("feature_unit", "view_total", "log", "tf-idf", "sample_unit", "sample_degree")
STEPS = ("feature_minmax", "feature_symmetric", "feature_standard", "view_range", *KEEP_ZEROS)


def scale_features(Xs, presence, steps):
    """Scale every view, step by step; missing rows are not read and come back as zero.

    Each view has shape (n_samples, n_features_v), dense or sparse, and `presence`
    (n_samples, n_views). `steps` is one or several of these, applied in their order; a constant
    feature becomes 0.

    * "feature_minmax": every feature from 0 to 1; "feature_symmetric": from -1 to 1
    * "feature_unit": every feature has unit length over the samples
    * "feature_standard": every feature has mean 0 and variance 1
    * "view_range": the whole view from -1 to 1, by its smallest and its largest entry
    * "view_total": the whole view is divided by the sum of its entries, which are not negative
    * "log": log(1 + x), for counts
    * "tf-idf": counts times log(n / number of samples with the term)
    * "sample_unit": every sample has unit length
    * "sample_degree": every sample is divided by the square root of its degree, the sum of its
      inner products with all samples: the weights of the normalised cut in NMF (W. Xu, X. Liu
      and Y. Gong, "Document Clustering Based on Non-Negative Matrix Factorization", SIGIR 2003)

    >>> X = np.array([[1.0, 10.0], [3.0, 20.0]])
    >>> there = np.ones((2, 1), dtype=bool)
    >>> scale_features([X], there, "feature_minmax")[0].tolist()
    [[0.0, 0.0], [1.0, 1.0]]
    >>> scale_features([X], there, ["feature_minmax", "sample_unit"])[0].round(3).tolist()
    [[0.0, 0.0], [0.707, 0.707]]
    """
    steps = [steps] if isinstance(steps, str) else steps
    for step in steps:
        if step not in STEPS:
            refuse_old_word("features", step)
            raise ValueError(f"features: {step!r} is none of {', '.join(STEPS)}.")
    scaled = []
    for X, present in zip(Xs, presence.T, strict=True):
        for step in steps:
            was_sparse = sparse.issparse(X)
            X = _apply(dense(X), present, step)
            if was_sparse and step in KEEP_ZEROS:
                X = sparse.csr_array(X)
        scaled.append(X)
    return scaled


def _apply(X, present, step):
    if step == "view_range":
        return unit_range(X, present)
    there = X[present]
    if step in ("view_total", "sample_degree", "log", "tf-idf") and there.min() < 0:
        kind = "non-negative views" if step in ("view_total", "sample_degree") else "counts"
        raise ValueError(
            f"features='{step}' is for {kind}, but a view has the value {there.min()}."
        )
    if step == "view_total":
        there = there / (there.sum() or 1.0)
    elif step == "log":
        there = np.log1p(there)
    elif step == "tf-idf":
        n_with = np.count_nonzero(there, axis=0)
        there = there * np.log(len(there) / np.maximum(n_with, 1))
    elif step == "sample_unit":
        there = unit_samples(there)
    elif step == "sample_degree":
        degrees = there @ there.sum(axis=0)
        there = there / np.sqrt(np.where(degrees > 0, degrees, 1.0))[:, None]
    elif step == "feature_unit":
        there = _divide(there, np.linalg.norm(there, axis=0))
    elif step == "feature_standard":
        there = there - there.mean(axis=0)
        there = _divide(there, there.std(axis=0))
    else:
        low, high = there.min(axis=0), there.max(axis=0)
        there = _divide(there - low, high - low)
        if step == "feature_symmetric":
            there = np.where(high > low, 2 * there - 1, 0.0)
    scaled = np.zeros_like(X, dtype=float)
    scaled[present] = there
    return scaled


def _divide(X, size):
    """X divided by the size of each feature; features without size become 0."""
    usable = size > 1e-12 * np.abs(X).max(axis=0, initial=0.0)
    return np.where(usable, X / np.where(usable, size, 1.0), 0.0)
