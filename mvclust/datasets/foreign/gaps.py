"""Samples without values in a view, and single values that are missing."""

import numpy as np
from scipy import sparse

from mvclust.datasets.foreign.alignment import spread
from mvclust.datasets.foreign.record import NotUnderstood


def rows_that_are_there(views):
    """Whether views have other numbers of rows without names: only what is there."""
    if any(v.rows is not None and not v.numbered for v in views):
        return None
    if any(v.numbered for v in views):
        return None
    return True if len({v.shape[0] for v in views}) > 1 else None


def empty_rows(v, n):
    """Rows without any value; None where the view has fewer rows than there are samples."""
    if v.shape[0] != n:
        return None
    if sparse.issparse(v.values):
        return np.zeros(n, dtype=bool)
    return np.isnan(v.values).all(axis=1)


def zero_rows(v, n):
    """Rows of zeros; None where the view has fewer rows than there are samples."""
    if v.shape[0] != n:
        return None
    if sparse.issparse(v.values):
        return np.diff(v.values.indptr) == 0
    return (v.values == 0).all(axis=1)


def filled(views, names, n, presence, matched, log):
    """Views with missing instances as rows of NaN, and which samples each has."""
    Xs, columns = [], []
    for place, (v, name) in enumerate(zip(views, names, strict=True)):
        X, rows = v.values, None if presence is None else presence[:, place]
        if X.shape[0] != n:
            if rows is None or rows.sum() != X.shape[0]:
                raise NotUnderstood(f"the view {v.shown()} does not fit {n} samples; --role "
                                    f"{v.name}=ignore leaves it out.")  # fmt: skip
            X = spread(X, np.flatnonzero(rows), n)
        there = np.ones(n, dtype=bool) if matched is None else matched[:, place].copy()
        if rows is not None:
            there &= rows
        if not sparse.issparse(X):
            gaps = np.isnan(X)
            there &= ~gaps.all(axis=1)
            X = _without_gaps(X, gaps, there, name, log)
        elif not there.all():
            X = sparse.csr_array(sparse.diags_array(there.astype(float)) @ X)
            X.eliminate_zeros()
        Xs.append(X)
        columns.append(there)
    return Xs, np.column_stack(columns)


def _without_gaps(X, gaps, there, name, log):
    """Single gaps get the mean of their feature; rows that are not there are NaN."""
    single = gaps & there[:, None]
    X = np.where(there[:, None], X, np.nan)
    if single.any():
        empty = single[there].all(axis=0)
        means = np.full(X.shape[1], np.nan)
        means[~empty] = np.nanmean(X[there][:, ~empty], axis=0)
        X = np.where(single, means, X)
        n_single = int(single[:, ~empty].sum())
        if n_single:
            share = n_single / max(1, there.sum() * X.shape[1])
            log.note(
                f"{n_single} single gaps in the view {name} get the mean of their feature "
                f"({share:.1%} of its values)"
            )
    return X


def with_known_features(Xs, columns, names, log):
    """Views without features that have no value at all."""
    kept, kept_columns = [], []
    for X, header, name in zip(Xs, columns, names, strict=True):
        header = header if header is not None and len(header) == X.shape[1] else None
        if not sparse.issparse(X):
            there = ~np.isnan(X).all(axis=1)
            bad = np.isnan(X[there]).any(axis=0)
            if bad.any():
                log.note(f"{int(bad.sum())} features of {name} have no value and are left out")
                X = X[:, ~bad]
                header = header and [h for h, b in zip(header, bad, strict=True) if not b]
                if not X.shape[1]:
                    raise NotUnderstood(f"{name} has no feature with a value.")
        kept.append(X)
        kept_columns.append(header)
    return kept, kept_columns
