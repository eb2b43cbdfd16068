"""Unmapped views: samples without a known correspondence, and constraints between views."""

from itertools import combinations
from typing import NamedTuple

import numpy as np
from scipy import sparse

from mvclust import canonical
from mvclust.canonical import generator, match_samples, present_rows, read_labels, read_view

DRAWN = ("pairs", "samples")


class UnmappedViews(NamedTuple):
    """Views whose rows do not correspond.

    Attributes
    ----------
    Xs : list of ndarray or csr_array, each (n_v, n_features_v)
        The views; a missing instance is a row of NaN.
    ys : list of ndarray, each (n_v,)
        The label of every row.
    ids : list of ndarray of int, each (n_v,)
        The sample that every row came from: for scores and for `mapped_constraints`, not for
        methods.
    """

    Xs: list
    ys: list
    ids: list


def unmap(Xs, y, share=0.95, seed=None):
    """Take a share of every view at random and permute its rows.

    Parameters
    ----------
    Xs : list of array-like or sparse, each (n_samples, n_features_v)
        The views. A missing instance (a row of NaN; in a sparse view a row that stores a NaN) is
        never taken.
    y : array-like, (n_samples,)
        Labels.
    share : float in (0, 1], default=0.95
        Share of the present instances that each view keeps, drawn anew for each view.
    seed : int or anything `numpy.random.default_rng` takes
        The same seed gives the same result.

    Returns
    -------
    UnmappedViews

    Examples
    --------
    >>> import numpy as np
    >>> X = np.arange(20.0)[:, None]
    >>> data = unmap([X, 10 * X], np.arange(20) % 2, share=0.9, seed=0)
    >>> [len(X) for X in data.Xs], bool((data.Xs[1][:, 0] == 10 * data.ids[1]).all())
    ([18, 18], True)
    """
    if not canonical.share(share, "share") > 0:
        raise ValueError(f"share={share} is not possible; expected above 0 and at most 1.")
    *Xs, y = match_samples({**canonical.by_view(Xs), "y": y}, "unmap")
    y = read_labels(y, "y")
    rng = generator(seed)
    views, ys, ids = [], [], []
    for v, X in enumerate(Xs):
        X = read_view(X, f"view {v}")
        if X.shape[0] != len(y):
            raise ValueError(f"view {v} has {X.shape[0]} rows, y has {len(y)} labels.")
        present = np.flatnonzero(present_rows(X, f"view {v}"))
        taken = rng.permutation(present)[: round(share * len(present))]
        views.append(X[taken])
        ys.append(y[taken])
        ids.append(taken)
    return UnmappedViews(views, ys, ids)


def random_constraints(ys, share, seed=None):
    """Draw constraints between every two views from their labels.

    Of the n_a * n_b pairs of a row of view a with a row of view b, a share is drawn at random
    without replacement; a pair of equal labels becomes a must-link, any other a cannot-link.
    `mapped_constraints` can draw samples in place of pairs.

    Parameters
    ----------
    ys : list of array-like, each (n_v,)
        The labels of the rows of every view.
    share : float in [0, 1]
        "5 %" is 0.05: 451 constraints between two views of 95 rows.
    seed : int or anything `numpy.random.default_rng` takes
        The same seed gives the same result.

    Returns
    -------
    must_links, cannot_links : dict
        {(a, b): csr_array of ones, (n_a, n_b)} for every two views a < b, as
        `mvclust.CMVNMF.fit` takes them.

    Examples
    --------
    >>> must_links, cannot_links = random_constraints([[0, 0, 1], [0, 1]], share=1.0, seed=0)
    >>> must_links[0, 1].toarray().tolist(), cannot_links[0, 1].toarray().tolist()
    ([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
    """
    canonical.share(share, "share")
    ys = _read(ys)
    rng = generator(seed)
    must_links, cannot_links = {}, {}
    for a, b in combinations(range(len(ys)), 2):
        shape = len(ys[a]), len(ys[b])
        n_pairs = shape[0] * shape[1]
        drawn = rng.choice(n_pairs, size=round(share * n_pairs), replace=False, shuffle=False)
        rows, columns = np.divmod(drawn, shape[1])
        same = ys[a][rows] == ys[b][columns]
        must_links[a, b] = _links(rows[same], columns[same], shape)
        cannot_links[a, b] = _links(rows[~same], columns[~same], shape)
    return must_links, cannot_links


def mapped_constraints(ids, ys, mapped, share, seed=None, drawn="pairs"):
    """Random constraints, and must-links between the rows of samples whose mapping is known.

    Parameters
    ----------
    ids : list of array-like of int, each (n_v,)
        The sample that every row belongs to.
    ys : list of array-like, each (n_v,)
        The labels of the rows.
    mapped : float in [0, 1]
        Share of the samples in two or more views whose correspondence is known, in all of their
        views.
    share : float in [0, 1]
        See `random_constraints`, whose draws for the same seed are among the result.
    seed : int or anything `numpy.random.default_rng` takes
        The same seed gives the same result.
    drawn : {"pairs", "samples"}, default="pairs"
        "samples": a share of the samples is drawn, and all pairs of their rows become constraints.

    Returns
    -------
    must_links, cannot_links : dict
        {(a, b): csr_array of ones, (n_a, n_b)} for every two views a < b.

    Examples
    --------
    >>> must_links, _ = mapped_constraints(
    ...     [[7, 8, 9], [9, 7]], [[0, 0, 1], [1, 0]], mapped=1.0, share=0.0, seed=0
    ... )
    >>> must_links[0, 1].toarray().tolist()
    [[0.0, 1.0], [0.0, 0.0], [1.0, 0.0]]
    """
    canonical.share(mapped, "mapped")
    pairs = [
        match_samples({f"ids[{v}]": of, f"ys[{v}]": y}, "mapped_constraints")
        for v, (of, y) in enumerate(zip(ids, ys, strict=True))
    ]
    ids = _read_ids([of for of, _ in pairs])
    ys, rng = _read([y for _, y in pairs], drawn), generator(seed)
    if drawn == "samples":
        must_links, cannot_links = _among_samples(ids, ys, share, rng)
    else:
        must_links, cannot_links = random_constraints(ys, share, rng)
    samples, n_views = np.unique(np.concatenate(ids), return_counts=True)
    several = samples[n_views > 1]
    known = rng.permutation(several)[: round(mapped * len(several))]
    for (a, b), links in must_links.items():
        common, rows, columns = np.intersect1d(ids[a], ids[b], return_indices=True)
        kept = np.isin(common, known)
        links = links + _links(rows[kept], columns[kept], links.shape)
        links.data[:] = 1.0  # a pair may be drawn and mapped
        must_links[a, b] = links
    return must_links, cannot_links


def _read(ys, drawn="pairs"):
    """The labels of all views, checked with the way in which constraints are drawn."""
    if drawn not in DRAWN:
        raise ValueError(f"drawn={drawn!r} is unknown; expected 'pairs' or 'samples'.")
    return [read_labels(y, f"ys[{v}]") for v, y in enumerate(ys)]


def _read_ids(ids):
    return [read_labels(of, f"ids[{v}]") for v, of in enumerate(ids)]


def _among_samples(ids, ys, share, rng):
    """Constraints on all pairs between views of the rows of a share of the samples."""
    samples = np.unique(np.concatenate(ids))
    known = rng.permutation(samples)[: round(share * len(samples))]
    rows = [np.flatnonzero(np.isin(own, known)) for own in ids]
    must_links, cannot_links = {}, {}
    for a, b in combinations(range(len(ids)), 2):
        i, j = (part.ravel() for part in np.meshgrid(rows[a], rows[b], indexing="ij"))
        same = ys[a][i] == ys[b][j]
        shape = len(ids[a]), len(ids[b])
        must_links[a, b] = _links(i[same], j[same], shape)
        cannot_links[a, b] = _links(i[~same], j[~same], shape)
    return must_links, cannot_links


def random_intra_constraints(ys, share, seed=None, drawn="pairs"):
    """Draw constraints within every view from its labels.

    Of the n_v (n_v - 1) / 2 pairs of rows of view v, a share is drawn at random without
    replacement; a pair of equal labels becomes a must-link, any other a cannot-link.

    Parameters
    ----------
    ys : list of array-like, each (n_v,)
        The labels of the rows of every view.
    share : float in [0, 1]
        "5 %" is 0.05: 223 constraints in a view of 95 rows.
    seed : int or anything `numpy.random.default_rng` takes
        The same seed gives the same result.
    drawn : {"pairs", "samples"}, default="pairs"
        "samples": a share of the rows is drawn, and all their pairs become constraints.

    Returns
    -------
    must_links, cannot_links : dict
        {(v, v): csr_array of ones, (n_v, n_v)} for every view v, as
        `mvclust.ConstraintPropagation.fit` takes them; a pair i < j stands at (i, j) only.

    Examples
    --------
    >>> must_links, cannot_links = random_intra_constraints([[0, 0, 1]], share=1.0, seed=0)
    >>> must_links[0, 0].toarray().tolist()
    [[0.0, 1.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    >>> cannot_links[0, 0].toarray().tolist()
    [[0.0, 0.0, 1.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]]
    """
    canonical.share(share, "share")
    rng = generator(seed)
    must_links, cannot_links = {}, {}
    for v, y in enumerate(_read(ys, drawn)):
        if drawn == "samples":
            rows = np.sort(rng.permutation(len(y))[: round(share * len(y))])
            i, j = (rows[part] for part in np.triu_indices(len(rows), 1))
        else:
            n_pairs = len(y) * (len(y) - 1) // 2
            i, j = _pairs(
                rng.choice(n_pairs, size=round(share * n_pairs), replace=False, shuffle=False)
            )
        same = y[i] == y[j]
        must_links[v, v] = _links(i[same], j[same], (len(y), len(y)))
        cannot_links[v, v] = _links(i[~same], j[~same], (len(y), len(y)))
    return must_links, cannot_links


def known_mapping(ids, mapped, seed=None):
    """The correspondence of the rows of some samples, drawn at random.

    Parameters
    ----------
    ids : list of array-like of int, each (n_v,)
        The sample that every row belongs to.
    mapped : float in [0, 1]
        Share of the samples in two or more views whose correspondence is known, in all of their
        views.
    seed : int or anything `numpy.random.default_rng` takes
        The same seed gives the same result.

    Returns
    -------
    dict
        {(a, b): csr_array of ones, (n_a, n_b)} for every two views a < b, as
        `mvclust.ConstraintPropagation.fit` takes it.

    Examples
    --------
    >>> known_mapping([[7, 8, 9], [9, 7]], mapped=1.0)[0, 1].toarray().tolist()
    [[0.0, 1.0], [0.0, 0.0], [1.0, 0.0]]
    """
    canonical.share(mapped, "mapped")
    ids, rng = _read_ids(ids), generator(seed)
    samples, n_views = np.unique(np.concatenate(ids), return_counts=True)
    several = samples[n_views > 1]
    known = rng.permutation(several)[: round(mapped * len(several))]
    mapping = {}
    for a, b in combinations(range(len(ids)), 2):
        common, rows, columns = np.intersect1d(ids[a], ids[b], return_indices=True)
        kept = np.isin(common, known)
        mapping[a, b] = _links(rows[kept], columns[kept], (len(ids[a]), len(ids[b])))
    return mapping


def _pairs(numbers):
    """The pairs i < j with the given numbers in the order (0, 1), (0, 2), (1, 2), (0, 3), ..."""
    j = np.floor((1 + np.sqrt(1 + 8.0 * numbers)) / 2).astype(np.int64)
    j -= j * (j - 1) // 2 > numbers  # the root may be rounded up
    j += j * (j + 1) // 2 <= numbers  # or down
    return numbers - j * (j - 1) // 2, j


def _links(rows, columns, shape):
    return sparse.csr_array((np.ones(len(rows)), (rows, columns)), shape=shape)
