"""What views are to one another and to the labels: copies, scaled ones, labels; kinds."""

from dataclasses import replace

import numpy as np
from scipy import sparse

from mvclust.datasets.foreign.columns import codes_of_classes
from mvclust.datasets.foreign.labels import same_partition
from mvclust.datasets.foreign.orientation import is_symmetric
from mvclust.datasets.foreign.roles import label_columns, zeros_and_ones
from mvclust.datasets.foreign.words import EMBEDDINGS, names_one_of


def without_copies(views, Xs, y, log):
    """The places of views that are no copy of an earlier one, nor give the labels away.

    Parameters
    ----------
    views : list of Variable
    Xs : list of ndarray or csr_array
        Their values, samples aligned.
    y : ndarray of int, or None
    log : Log

    Returns
    -------
    list of int
    """
    chosen = []
    for v, X in enumerate(Xs):
        same = next((w for w in chosen if _equal(Xs[w], X)), None)
        if same is None and views[v].role != "view":
            same = next((w for w in chosen if _rounded(Xs[w], X)), None)
        if same is not None:
            log.give(
                views[v], "copy", f"{views[v].name} equals {views[same].name}: a copy, left out"
            )
            continue
        labels = label_columns(replace(views[v], values=X)) if X.shape[1] <= 1000 else None
        if labels is not None and y is not None and _same(labels, y) and views[v].role != "view":
            log.give(views[v], "copy", f"{views[v].name} gives the labels: left out")
            continue
        older = next((w for w in chosen if _partly(Xs[w], X)), None)
        if older is not None:
            log.note(f"{views[v].name} has many values of {views[older].name} at their places: a "
                     f"version of it? --role {views[v].name}=ignore leaves it out")  # fmt: skip
        if names_one_of(views[v].name, EMBEDDINGS) and len(Xs) > 1 and views[v].role != "view":
            log.note(f"{views[v].name} is called as what is computed from other views; --role "
                     f"{views[v].name}=ignore leaves it out")  # fmt: skip
        close = next((w for w in chosen if _scaled(Xs[w], X)), None)
        if close is not None:
            log.note(f"{views[v].name} is {views[close].name} with features scaled: the view "
                     f"counts twice; --role {views[v].name}=ignore leaves it out")  # fmt: skip
        chosen.append(v)
    for v in _made_of_others(chosen, Xs):
        if views[v].role != "view":
            name = views[v].name
            why = f"{name} holds the columns of other views: a copy, left out"
            log.give(views[v], "copy", f"{why}; --role {name}=view keeps it")
            chosen = [w for w in chosen if w != v]
    if y is None:
        for v in (v for v in chosen if views[v].role != "view" and views[v].columns is None):
            _say_codes(views[v], Xs[v], log)
    else:
        for v in (v for v in chosen if views[v].role != "view"):
            _say_given_away(views[v], Xs[v], y, log)
    return chosen


def _same(labels, y):
    return len(labels) == len(y) and same_partition(np.asarray(labels), y)


def _equal(A, B):
    if A.shape != B.shape:
        return False
    if sparse.issparse(A) != sparse.issparse(B):
        A, B = (X.toarray() if sparse.issparse(X) else X for X in (A, B))
    if sparse.issparse(A):
        return (A != B).nnz == 0
    return np.array_equal(A, B, equal_nan=True)


def _rounded(A, B):
    """Whether two views are equal up to the digits that a file keeps."""
    if A.shape != B.shape or sparse.issparse(A) or sparse.issparse(B):
        return False
    spread = np.nanstd(A)
    return bool(spread > 0 and np.allclose(A, B, rtol=1e-4, atol=1e-4 * spread, equal_nan=True))


def _partly(A, B):
    """Whether a large part of two views of fractions is equal, entry by entry."""
    if A.shape != B.shape or sparse.issparse(A) or sparse.issparse(B) or not A.size:
        return False
    if (np.round(A) == A).mean() > 0.5:  # counts, codes and zeros are equal by chance
        return False
    return bool((A == B).mean() > 0.2)


def _made_of_others(chosen, Xs):
    """Views that hold all columns of two or more other views, and no others."""
    columns = {
        v: [column.tobytes() for column in np.asarray(Xs[v], dtype=float).T]
        for v in chosen
        if not sparse.issparse(Xs[v])
    }
    found = []
    for v, mine in columns.items():
        others = {w: set(theirs) for w, theirs in columns.items() if w != v and w not in found}
        used = [w for w, theirs in others.items() if theirs <= set(mine)]
        if len(used) > 1 and set(mine) <= set().union(*(others[w] for w in used)):
            found.append(v)
    return found


def _scaled(A, B):
    """Whether each feature of one view is that of the other, scaled and shifted."""
    if A.shape != B.shape or sparse.issparse(A) or sparse.issparse(B) or len(A) < 4:
        return False
    there = ~np.isnan(A).any(axis=1) & ~np.isnan(B).any(axis=1)
    if there.sum() < 4:
        return False
    A, B = A[there] - A[there].mean(axis=0), B[there] - B[there].mean(axis=0)
    lengths = np.linalg.norm(A, axis=0) * np.linalg.norm(B, axis=0)
    used = lengths > 0
    return bool(
        used.any() and (np.abs((A * B).sum(axis=0))[used] > (1 - 1e-9) * lengths[used]).all()
    )


def _say_codes(v, X, log):
    """Say which feature may hold labels, where there are none."""
    place = None if sparse.issparse(X) else codes_of_classes(X[~np.isnan(X).any(axis=1)])
    if place is not None:
        log.ask(
            f"the feature {place} of {v.name} holds whole numbers as labels do, the others none; "
            f"--role {v.name}/{place}=labels takes them, --role {v.name}=view keeps the feature"
        )


def _say_given_away(v, X, y, log):
    """Say which features equal the labels."""
    if sparse.issparse(X) or len(y) < 10 or (y < 0).any():
        return
    there = ~np.isnan(X).any(axis=1)
    if X.shape[1] == y.max() + 1 and (X[there] >= 0).all() and (
        np.allclose(X[there].sum(axis=1), 1, atol=1e-3)
        and _same(X[there].argmax(axis=1), y[there])
    ):  # fmt: skip
        log.ask(
            f"{v.name} gives the classes away: its rows are probabilities whose largest is the "
            f"class; --role {v.name}=ignore leaves it out, --role {v.name}=view keeps it"
        )
        return
    first = np.zeros(y.max() + 1, dtype=int)
    for k in range(len(first)):
        rows = np.flatnonzero(there & (y == k))
        if not len(rows):
            return
        first[k] = rows[0]
    level = X[first]
    constant = (X[there] == level[y[there]]).all(axis=0)
    constant &= np.array([len(np.unique(level[:, c])) == len(first) for c in range(X.shape[1])])
    if constant.any():
        names = [v.columns[c] if v.columns else str(c) for c in np.flatnonzero(constant)[:3]]
        log.ask(
            f"the feature {', '.join(names)} of {v.name} gives the classes away: it has one value "
            f"per class; --role {v.name}/{names[0]}=ignore leaves it out, --role {v.name}=view "
            "keeps it"
        )


def kind_of(X):
    """Features, or what a symmetric matrix of samples is.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n_samples, n_features)

    Returns
    -------
    str

    Examples
    --------
    >>> kind_of(np.array([[2.0, 1.0], [1.0, 3.0]])), kind_of(np.array([[0.0, 1.0], [1.0, 0.0]]))
    ('kernel', 'graph')
    """
    if X.shape[0] != X.shape[1] or not is_symmetric(X):
        return "features"
    values = X.data if sparse.issparse(X) else X[np.isfinite(X)]
    if (values >= 0).all():
        n_zeros = X.shape[0] ** 2 - np.count_nonzero(values)
        if zeros_and_ones(X) or n_zeros > X.shape[0] ** 2 / 2:
            return "graph"
        if (np.nan_to_num(X.diagonal()) == 0).all():
            return "distances"
    return "kernel"


def say_kinds(names, kinds, log):
    """Say which views are symmetric matrices of samples.

    Parameters
    ----------
    names, kinds : list of str
    log : Log
    """
    for kind in ("kernel", "distances", "graph"):
        chosen = [name for name, k in zip(names, kinds, strict=True) if k == kind]
        if chosen:
            log.note(f"{', '.join(chosen)}: symmetric, samples x samples ({kind}); rows are used "
                     "as features")  # fmt: skip
