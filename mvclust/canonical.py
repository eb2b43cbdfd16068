"""The one form in which the package takes what users give: views, masks and labels.

Nothing given is ever changed. Every public function reads through here, so that all agree about
masked arrays, data frames, sparse entries stored in parts, infinities and complex numbers.
"""

from numbers import Integral, Real

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

BLOCK = 2**20  # entries looked at at a time


def whole_number(value, what, least=1):
    """A number of something: whole, and at least so large; True and False are none.

    Parameters
    ----------
    value : int
    what : str
        What it is, for the message.
    least : int, default=1

    Returns
    -------
    int

    Examples
    --------
    >>> whole_number(True, "n_clusters")
    Traceback (most recent call last):
        ...
    ValueError: n_clusters=True, expected a whole number from 1.
    """
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        raise ValueError(f"{what}={value!r}, expected a whole number from {least}.")
    return int(value)


def share(value, what):
    """A share from 0 to 1.

    Parameters
    ----------
    value : float
    what : str
        What it is, for the message.

    Returns
    -------
    float
    """
    if not isinstance(value, Real) or isinstance(value, bool) or not 0 <= value <= 1:
        raise ValueError(f"{what}={value!r} is not a share; expected 0 to 1.")
    return value


def generator(seed, what="seed"):
    """What draws random numbers from a seed; None takes fresh entropy.

    Parameters
    ----------
    seed : int, SeedSequence, Generator or None
    what : str, default="seed"
        What it is, for the message.

    Returns
    -------
    Generator
    """
    if isinstance(seed, Integral):
        whole_number(seed, what, least=0)
    return np.random.default_rng(seed)


def as_numbers(X):
    """An array as float64; what is masked, or NA in a data frame, becomes NaN.

    Parameters
    ----------
    X : array-like
        An array, a masked array, a data frame or nested lists.

    Returns
    -------
    ndarray

    Raises
    ------
    TypeError or ValueError
        If these are no real numbers.

    Examples
    --------
    >>> as_numbers(np.ma.masked_equal([[1, 77]], 77)).tolist()
    [[1.0, nan]]
    """
    frame = hasattr(X, "iloc")  # of pandas
    masked = np.ma.getmaskarray(X) if isinstance(X, np.ma.MaskedArray) else None
    X = X if frame else np.asarray(X)
    kinds = {kind.kind for kind in (np.atleast_1d(X.dtypes) if frame else [X.dtype])}
    if kinds & set("cMm"):  # complex numbers and times, which astype takes for real numbers
        raise ValueError
    if frame:
        return X.to_numpy(dtype=np.float64, na_value=np.nan)
    X = X.astype(np.float64, copy=False)
    return X if masked is None else np.where(masked, np.nan, X)


def sample_names(X):
    """The index of a data frame, where it names samples; None for other views.

    The default index of pandas counts rows, and names nothing.

    Parameters
    ----------
    X : object

    Returns
    -------
    pandas.Index or None
    """
    index = getattr(X, "index", None) if hasattr(X, "iloc") else None
    counts = getattr(index, "start", None) == 0 and getattr(index, "step", None) == 1
    return None if counts else index


def align_frames(Xs, name):
    """Data frames with their samples in the order of the first that names them.

    Parameters
    ----------
    Xs : list or tuple of array-like
        The views; only data frames whose index names samples are looked at.
    name : str
        Who asks, for the messages.

    Returns
    -------
    list of array-like
        As given, but for frames in another order.

    Raises
    ------
    ValueError
        If frames name other samples, or one twice where the order differs.

    Examples
    --------
    >>> import pandas as pd
    >>> a, b = pd.DataFrame({"x": [1, 2]}, ["p", "q"]), pd.DataFrame({"y": [3, 4]}, ["q", "p"])
    >>> align_frames([a, b], "this method")[1]["y"].tolist()
    [4, 3]
    """
    indices = [sample_names(X) for X in Xs]
    named = [v for v, index in enumerate(indices) if index is not None]
    if not named or all(indices[v].equals(indices[named[0]]) for v in named):
        return list(Xs)
    first, aligned = indices[named[0]], list(Xs)
    for v in named:
        index = indices[v]
        for w, each in ((named[0], first), (v, index)):
            if each.has_duplicates:
                twice = each[each.duplicated()][0]
                raise ValueError(
                    f"{name}: the index of view {w} names sample {twice!r} twice, so that views "
                    "with their samples in another order cannot be matched."
                )
        other = first.symmetric_difference(index)
        if len(other):
            raise ValueError(
                f"{name}: views {named[0]} and {v} are data frames of other samples, such as "
                f"{other[0]!r}; X.reindex(names) gives both the same, missing ones as rows of NaN."
            )
        aligned[v] = Xs[v].loc[first]
    return aligned


def read_view(X, what):
    """One view in its canonical form.

    Parameters
    ----------
    X : array-like or sparse of shape (n_samples, n_features)
        What is NaN, masked or NA is missing.
    what : str
        What it is, for the messages: "unmap: view 0".

    Returns
    -------
    ndarray or csr_array
        As float64. A csr_array has each entry once, in order, and stores no zeros. What needs no
        change is not copied.

    Raises
    ------
    ValueError
        If this is not a two-dimensional array of finite real numbers.
    """
    try:
        X = _read_sparse(X) if sparse.issparse(X) else as_numbers(X)
    except (TypeError, ValueError):
        raise ValueError(f"{what} is not an array of real numbers.") from None
    if X.ndim != 2:
        raise ValueError(f"{what} has shape {X.shape}, expected (n_samples, n_features).")
    values = X.data if sparse.issparse(X) else X
    if np.isinf(values).any():
        raise ValueError(f"{what} contains infinite values.")
    if sparse.issparse(X):
        if not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
        if (X.data == 0).any():
            X = X.copy()
            X.eliminate_zeros()
    return X


def _read_sparse(X):
    if X.dtype.kind not in "biuf":
        raise TypeError
    return sparse.csr_array(X, dtype=np.float64) if X.ndim == 2 else X


def present_rows(X, what):
    """Which rows of a view are there: a missing one is NaN throughout.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n_samples, n_features)
        As `read_view` returns it. Of a csr_array a row is missing that stores a NaN.
    what : str
        What it is, for the message.

    Returns
    -------
    ndarray of bool of shape (n_samples,)

    Raises
    ------
    ValueError
        If a row is NaN in part.
    """
    present = np.ones(X.shape[0], dtype=bool)
    if sparse.issparse(X):
        nan = np.isnan(X.data)
        if nan.any():
            present[np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))[nan]] = False
        return present
    nan = np.isnan(X)
    if nan.any():
        present = ~nan.any(axis=1)
        partly = np.flatnonzero(~present & ~nan.all(axis=1))
        if partly.size:
            row = partly[0]
            raise ValueError(
                f"{what} is NaN in {int(nan[row].sum())} of {X.shape[1]} features of row {row}; a "
                "missing instance is a row of NaN throughout, single missing values must be "
                "filled first (mvclust.fill_missing)."
            )
    return present


def read_mask(presence, shape, what):
    """A mask of instances: truth values, one column per view.

    Parameters
    ----------
    presence : array-like of bool
    shape : tuple
        The number of samples, or None for any, and of views.
    what : str
        What it is, for the message.

    Returns
    -------
    ndarray of bool

    Raises
    ------
    ValueError
        If it has another shape, or anything but True and False.

    Examples
    --------
    >>> read_mask([[1], [0]], (2, 1), "presence")
    Traceback (most recent call last):
        ...
    ValueError: presence has the type int64, expected truth values: True where present.
    """
    hidden = np.ma.is_masked(presence)
    presence = np.asarray(presence)
    n_samples, n_views = shape
    same = presence.ndim == 2 and presence.shape[1] == n_views
    if not same or n_samples not in (None, len(presence)):
        raise ValueError(
            f"{what} has the shape {presence.shape}, expected "
            f"({'n_samples' if n_samples is None else n_samples}, {n_views}): one column per view."
        )
    if presence.dtype != bool or hidden:
        kind = "masked entries" if hidden else f"the type {presence.dtype}"
        raise ValueError(f"{what} has {kind}, expected truth values: True where present.")
    return presence


def read_labels(y, what):
    """Labels of samples, none of which is missing.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
    what : str
        What they are, for the message.

    Returns
    -------
    ndarray of shape (n_samples,)

    Raises
    ------
    ValueError
        If they are no vector, or one is NaN, None or masked.

    Examples
    --------
    >>> read_labels(["a", "b"], "y").tolist()
    ['a', 'b']
    """
    hidden = np.ma.getmaskarray(y) if np.ma.is_masked(y) else None
    y = np.asarray(y)
    if y.ndim != 1:
        raise ValueError(f"{what} has shape {y.shape}, expected one label per sample.")
    if y.dtype.kind in "iubU" and hidden is None:
        return y
    missing = np.array([label is None or bool(label != label) for label in y.tolist()], dtype=bool)
    missing = missing if hidden is None else missing | hidden
    if missing.any():
        raise ValueError(
            f"{what} lacks the label of {missing.sum()} of {len(y)} samples, the first is sample "
            f"{np.flatnonzero(missing)[0]}; leave them out."
        )
    return y


def doubts_about_views(Xs, presence, n_clusters=None):
    """What makes clusters of some views arbitrary, whatever the method.

    Parameters
    ----------
    Xs : list of ndarray or csr_array, each of shape (n_samples, n_features_v)
        Missing rows zero.
    presence : ndarray of bool of shape (n_samples, n_views)
    n_clusters : int, default=None
        The clusters wanted, if that is known.

    Returns
    -------
    list of str
        One sentence for each: fewer distinct samples than clusters; views that no sample relates.

    Examples
    --------
    >>> presence = np.array([[True, False], [False, True]])
    >>> doubts_about_views([np.eye(2), np.eye(2)], presence)[0][:44]
    'no sample relates view 0 to view 1: whether '
    """
    doubts = []
    n_distinct = None if n_clusters is None else _fewer_distinct(Xs, presence, n_clusters)
    if n_distinct is not None:
        doubts.append(
            f"the data have {n_distinct} distinct samples, fewer than the {n_clusters} clusters "
            "asked for: equal samples are split by rounding errors."
        )
    together = sparse.csr_array(presence.T.astype(np.int64) @ presence.astype(np.int64))
    n_groups, group = connected_components(together, directed=False)
    if n_groups > 1:
        names = [
            f"view{'s' if members.size > 1 else ''} {' and '.join(map(str, members))}"
            for members in (np.flatnonzero(group == g) for g in range(n_groups))
        ]
        doubts.append(
            f"no sample relates {' to '.join(names)}: whether clusters of one are those of "
            "another is left to chance."
        )
    return doubts


def _fewer_distinct(Xs, presence, n_wanted):
    """The number of distinct samples, if it is below n_wanted; else None."""
    seen = set()
    n_at_once = max(1, BLOCK // sum(X.shape[1] for X in Xs))
    for first in range(0, len(presence), n_at_once):
        rows = slice(first, first + n_at_once)
        parts = [X[rows].toarray() if sparse.issparse(X) else X[rows] for X in Xs]
        for sample in np.hstack([*parts, presence[rows]]) + 0.0:  # which makes -0 to 0
            seen.add(sample.tobytes())
        if len(seen) >= n_wanted:
            return None
    return len(seen)


def doubts_about_labels(y):
    """What makes scores against some classes say nothing.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        The classes.

    Returns
    -------
    list of str
        One sentence for each: a single class, a class for every sample.

    Examples
    --------
    >>> doubts_about_labels([1, 1, 1])
    ['all 3 samples are of one class: every clustering into one cluster scores 100 %.']
    """
    y = read_labels(y, "y")
    n_classes = len(np.unique(y))
    if n_classes == 1:
        return [
            f"all {len(y)} samples are of one class: every clustering into one cluster scores "
            "100 %."
        ]
    if n_classes == len(y):
        return [
            f"each of the {len(y)} samples is a class of its own: every clustering into as many "
            "clusters scores 100 %."
        ]
    return []
