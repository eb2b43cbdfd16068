"""The one form in which the package takes what users give: views, masks and labels.

Nothing given is ever changed. Every public function reads through here, so that all agree about
masked arrays, data frames, sparse entries stored in parts, infinities and complex numbers.
"""

from numbers import Integral, Real

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

BLOCK = 2**20  # entries looked at at a time
LARGEST = 1e75  # its fourth power is a number still


def whole_number(value, what, least=1):
    """A number of something: whole, and at least so large; True and False are none.

    `what` names it in the message.

    >>> whole_number(True, "n_clusters")
    Traceback (most recent call last):
        ...
    ValueError: n_clusters=True, expected a whole number from 1.
    """
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        raise ValueError(f"{what}={value!r}, expected a whole number from {least}.")
    return int(value)


def share(value, what):
    """A share from 0 to 1; `what` names it in the message."""
    if not isinstance(value, Real) or isinstance(value, bool) or not 0 <= value <= 1:
        raise ValueError(f"{what}={value!r} is not a share; expected 0 to 1.")
    return value


def generator(seed, what="seed"):
    """What draws random numbers from a seed; None takes fresh entropy.

    The seed is an int, SeedSequence, Generator or None; `what` names it in the message.
    """
    if isinstance(seed, Integral):
        whole_number(seed, what, least=0)
    return np.random.default_rng(seed)


def as_numbers(X):
    """An array as float64; what is masked, or NA in a data frame, becomes NaN.

    X is an array, a masked array, a data frame or nested lists. TypeError or ValueError if these
    are no real numbers.

    >>> as_numbers(np.ma.masked_equal([[1, 77]], 77)).tolist()
    [[1.0, nan]]
    """
    frame, X = _is_table(X), _with_masks(X)
    masked = np.ma.getmaskarray(X) if isinstance(X, np.ma.MaskedArray) else None
    X = X if frame else np.asarray(X)
    kinds = {kind.kind for kind in (np.atleast_1d(X.dtypes) if frame else [X.dtype])}
    if kinds & set("cMm"):  # complex numbers and times, which astype takes for real numbers
        raise ValueError
    if frame:
        return X.to_numpy(dtype=np.float64, na_value=np.nan)
    X = X.astype(np.float64, copy=False)
    return X if masked is None else np.where(masked, np.nan, X)


def _with_masks(X):
    """A list of masked arrays, or with masked entries, as one array that keeps what is masked."""
    if not isinstance(X, list | tuple) or not any(isinstance(x, np.ma.MaskedArray) for x in X):
        return X
    masked = [np.ma.getmaskarray(x) if np.ndim(x) else x is np.ma.masked for x in X]
    filled = [X[0] if x is np.ma.masked else x for x in X]
    return np.ma.array([np.ma.getdata(x) for x in filled], mask=masked)


def samples_of(Xs):
    """The names of samples, in the order in which `match_samples` puts tables.

    They are the index of the first data frame or Series; None if all have the default index of
    pandas, which counts rows and names nothing.
    """
    indices = [X.index for X in Xs if _is_table(X)]
    return None if all(map(_counts_rows, indices)) else indices[0]


def _is_table(X):
    return hasattr(X, "iloc")  # of pandas


def _counts_rows(index):
    return getattr(index, "start", None) == 0 and getattr(index, "step", None) == 1


def by_view(Xs):
    """Views by what messages call them, as `match_samples` takes tables."""
    return {f"view {v}": X for v, X in enumerate(Xs)}


def match_samples(tables, name):
    """Tables with their samples in the order of the first data frame or Series, in a list.

    Every public function that takes several tables of the same samples passes here. `tables` is a
    dict of what it is -> views, masks, labels. All stay as given, except data frames and Series in
    another order; of what has no index the order stays. ValueError if two name other samples, or
    one of them twice where the order differs; `name` is who asks, for the messages.

    >>> import pandas as pd
    >>> a, b = pd.DataFrame({"x": [1, 2]}, ["p", "q"]), pd.DataFrame({"y": [3, 4]}, ["q", "p"])
    >>> match_samples(by_view([a, b]), "this method")[1]["y"].tolist()
    [4, 3]
    """
    indices = {what: X.index for what, X in tables.items() if _is_table(X)}
    matched = dict(tables)
    if all(map(_counts_rows, indices.values())):
        return list(matched.values())
    (first, order), *others = indices.items()
    for what, index in others:
        if not index.equals(order):
            _refuse_other_samples({first: order, what: index}, name)
            matched[what] = tables[what].loc[order]
    return list(matched.values())


def _refuse_other_samples(indices, name):
    """Refuse two tables of which one has not the samples of the other in another order."""
    for what, index in indices.items():
        if index.has_duplicates:
            twice = index[index.duplicated()][0]
            raise ValueError(
                f"{name}: the index of {what} names sample {twice!r} twice, so that views "
                "with their samples in another order cannot be matched."
            )
    (what, order), (other, index) = indices.items()
    apart = [*order.difference(index, sort=False), *index.difference(order, sort=False)]
    if not apart:
        return
    both = f"{what} and {other}"
    if _counts_rows(order) != _counts_rows(index) and order.isin(index).sum() == 0:
        counts = what if _counts_rows(order) else other
        raise ValueError(
            f"{name}: {both} are data frames of other samples, since {counts} only counts them; "
            "give both the same index, or arrays, which are matched by position."
        )
    raise ValueError(
        f"{name}: {both} are data frames of other samples, such as {apart[0]!r}; "
        "X.reindex(names) gives both the same, missing ones as rows of NaN."
    )


def read_views(Xs, name, presence=None, what="presence"):
    """Views in their canonical form, see `read_view`, and which of their instances are present.

    The Xs, and those returned, have shape (n_samples, n_features_v); the presence returned is bool
    of shape (n_samples, n_views). Without a `presence` it is what is not NaN; else missing rows are
    not looked at. For the messages, `name` is who asks, and `what` is what the mask is called.
    """
    *Xs, presence = match_samples({**by_view(Xs), what: presence}, name)
    Xs = [read_view(X, f"{name}: view {v}") for v, X in enumerate(Xs)]
    n_samples = Xs[0].shape[0] if Xs else None
    if presence is not None:
        presence = read_mask(presence, (None, len(Xs)), what)
        n_samples = len(presence)
    for v, X in enumerate(Xs):
        if X.shape[0] != n_samples:
            whole = "view 0" if presence is None else what
            raise ValueError(
                f"{name}: {whole} has {n_samples} rows, view {v} has {X.shape[0]}; all must "
                "describe the same samples."
            )
    if presence is None:
        presence = [present_rows(X, f"{name}: view {v}") for v, X in enumerate(Xs)]
        presence = np.column_stack(presence)
    return Xs, presence


def read_view(X, what):
    """One view in its canonical form.

    In X, array-like or sparse of shape (n_samples, n_features), NaN, masked or NA is missing.
    Returns an array, or a csr_array, as float64. A csr_array has each entry once, in order, and
    stores no zeros. What needs no change is not copied. ValueError if X is not a two-dimensional
    array of finite real numbers; `what` names it in the messages: "unmap: view 0".
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

    X is as `read_view` returns it, of shape (n_samples, n_features); the result has shape
    (n_samples,). Of a csr_array a row is missing that stores a NaN. ValueError if a row is NaN in
    part; `what` names X in the message.
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

    The shape is the number of samples, or None for any, and of views. ValueError if the mask has
    another shape, or anything but True and False; `what` names it in the message.

    >>> read_mask([[1], [0]], (2, 1), "presence")
    Traceback (most recent call last):
        ...
    ValueError: presence has the type int64, expected truth values: True where present.
    """
    presence = _with_masks(presence)
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
    """Labels of samples, none of which is missing, in an array of shape (n_samples,).

    ValueError if they are no vector, or one is NaN, None or masked; `what` names them in the
    message.

    >>> read_labels(["a", "b"], "y").tolist()
    ['a', 'b']
    """
    y = _with_masks(y)
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

    The Xs, dense or csr_array, have shape (n_samples, n_features_v), missing rows zero; `presence`
    is bool of shape (n_samples, n_views); `n_clusters` is the number wanted, if that is known.
    Returns one sentence for each: fewer distinct samples than clusters; views that no sample
    relates.

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
    """What makes scores against some classes, of shape (n_samples,), say nothing.

    Returns one sentence for each: a single class, a class for every sample.

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
