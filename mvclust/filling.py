"""Filling of missing instances and single missing values, in the kinds of views that users have."""

import numpy as np
from scipy import sparse
from sklearn.impute import KNNImputer, SimpleImputer

from mvclust.canonical import as_numbers, by_view, match_samples, whole_number
from mvclust.estimators.base import check_views
from mvclust.numerics import impute


def fill_missing(Xs, how="knn", *, n_neighbors=5):
    """Fill missing instances, and single missing values, of all views.

    Distances between samples are those of the views as they are: scale them first, for example by
    scikit-learn's StandardScaler, where features differ in their units.

    Parameters
    ----------
    Xs : list of array-like or sparse, each of shape (n_samples, n_features_v)
        The views: arrays, masked arrays, data frames. What is NaN, masked or NA is missing; in a
        sparse view a row that stores a NaN is missing as a whole.
    how : {"knn", "mean"}, default="knn"
        "mean": the mean of the feature. "knn": its mean over the `n_neighbors` nearest samples
        that have it, by the distance over the features of all views that both have; the mean
        of the feature for a sample that shares nothing with these.
    n_neighbors : int, default=5
        Number of neighbours that fill an instance, for "knn".

    Returns
    -------
    list of ndarray or csr_array, each of shape (n_samples, n_features_v)
        The views as float64; a sparse view stays sparse if it lacks nothing. The input is never
        changed.

    Raises
    ------
    ValueError
        For views that are not real numbers or differ in their samples, a sample with no value in
        any view, a feature or view with no value at all, and another `how`.

    Examples
    --------
    >>> import numpy as np
    >>> from mvclust import fill_missing
    >>> X1 = np.array([[0.0, 1.0], [2.0, 3.0], [np.nan, np.nan]])
    >>> X2 = np.array([[5.0], [7.0], [6.8]])
    >>> fill_missing([X1, X2], n_neighbors=1)[0].tolist()
    [[0.0, 1.0], [2.0, 3.0], [2.0, 3.0]]
    """
    if how not in ("knn", "mean"):
        raise ValueError(f"fill_missing: how={how!r}, expected 'knn' or 'mean'.")
    whole_number(n_neighbors, "fill_missing: n_neighbors")
    whole, values = _apart(Xs)
    checked, presence = check_views(whole, accept_sparse=True, name="fill_missing")
    if values:
        filled = _fill_values(checked, presence, values, how, n_neighbors)
    else:
        filled = impute.fill_missing(checked, presence, how, n_neighbors)
    lacking = [v in values or not present.all() for v, present in enumerate(presence.T)]
    return [F if lacks else X for F, X, lacks in zip(filled, checked, lacking, strict=True)]


def _apart(Xs):
    """The views with zeros for single missing values, and where these are: {view: mask}."""
    if not isinstance(Xs, list | tuple):
        return Xs, {}
    whole, values = match_samples(by_view(Xs), "fill_missing"), {}
    for v, X in enumerate(whole):
        if sparse.issparse(X):
            continue
        try:
            X = as_numbers(X)
        except (TypeError, ValueError):
            continue  # check_views says so
        missing = np.isnan(X)
        if X.ndim != 2 or not X.size:
            continue
        single = missing & ~missing.all(axis=1, keepdims=True)
        if single.any():
            values[v] = single
            X = np.where(single, 0.0, X)
        whole[v] = X
    return whole, values


def _fill_values(Xs, presence, values, how, n_neighbors):
    """Where single values are missing too, by scikit-learn's imputers over all features."""
    views = []
    for v, (X, present) in enumerate(zip(Xs, presence.T, strict=True)):
        X = X.toarray() if sparse.issparse(X) else X.copy()
        X[~present] = np.nan
        if v in values:
            X[values[v]] = np.nan
        empty = np.flatnonzero(np.isnan(X).all(axis=0))
        if empty.size:
            raise ValueError(
                f"fill_missing: feature {empty[0]} of view {v} has no value at all; leave it out."
            )
        views.append(X)
    imputer = KNNImputer(n_neighbors=n_neighbors) if how == "knn" else SimpleImputer()
    filled = imputer.fit_transform(np.hstack(views))
    return np.split(filled, np.cumsum([X.shape[1] for X in views])[:-1], axis=1)
