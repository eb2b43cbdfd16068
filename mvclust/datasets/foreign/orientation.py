"""Whether samples are rows or columns: decided for a family at once."""

import re
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy import sparse

from mvclust.datasets.foreign.alignment import overlap
from mvclust.datasets.foreign.record import NotUnderstood
from mvclust.datasets.foreign.unfold import MOST_VIEWS
from mvclust.datasets.foreign.words import FEATURES, IDS, IMAGES, SCALES, parts_of, plain

# Codes of samples in TCGA, TARGET, GTEx, CPTAC, GEO, the sequence archives, BioSamples and DepMap.
CODES = re.compile(
    r"(TCGA|TARGET|GTEX)[-._]|C3[LN][-.]\d{5}|GSM\d{4,}$|[SED]R[RSX]\d{5,}$|SAM(N|EA)\d+|ACH[-.]\d{6}",
    re.I,
)
PEOPLE = IDS | {"pt", "pat", "subj", "smp"}  # what stands before numbers of samples
ASK = "--samples rows or --samples columns decides"


class Laid(NamedTuple):
    """Views with one row per sample, and what was found to be no view."""

    views: list
    facts: list
    n: int | None


def lay(views, hints, counts, samples, anchors, log):
    """Turn views so that samples are rows.

    Parameters
    ----------
    views : list of Variable
        Matrices.
    hints : list of int
        Numbers of samples that labels, masks and the like have, the surest first.
    counts : list of set
        Numbers of instances that each view may have.
    samples : {"rows", "columns"} or None
        What the user says.
    anchors : list of list of str
        Names of samples that labels and the like have.
    log : Log

    Returns
    -------
    Laid

    Raises
    ------
    NotUnderstood
        If no orientation fits.
    """
    fixed = [v for v in views if v.role == "view" and v.rows is not None and not v.table]
    if samples is not None:
        laid = [v.turned() if samples == "columns" else v for v in views]
        sizes = {v.shape[0] for v in laid if not _named(v, 0)}
        n = hints[0] if hints and hints[0] in sizes else max(sizes, default=None)
        return Laid(laid, [], n)
    rest = [v for v in views if not any(v is each for each in fixed)]
    axes = {id(v): 0 for v in fixed} | axes_by_names(rest, anchors, log)
    by_length = [v for v in rest if id(v) not in axes]
    n = None
    facts = []
    if by_length:
        lengths = {v.shape[axes[id(v)]] for v in views if id(v) in axes}
        more = [*hints, *(lengths if len(lengths) == 1 else ())]
        places = [counts[n] for n, v in enumerate(views) if id(v) not in axes]
        found, facts, n = _axes_by_length(by_length, more, places, log)
        axes |= found
    laid = [v.turned() if axes[id(v)] else v for v in views if id(v) in axes]
    return Laid(laid, facts, n)


def _named(v, axis):
    """Whether names along an axis may be those of samples."""
    if axis == 0:
        return v.rows is not None and not v.numbered
    # A header above rows without names is one of features.
    return v.columns is not None and (not v.table or _named(v, 0))


def axes_by_names(views, anchors, log):
    """The axis of the samples of the views that names decide.

    Parameters
    ----------
    views : list of Variable
    anchors : list of list of str
    log : Log

    Returns
    -------
    dict
        The identity of a view to 0 or 1; without the views that names do not decide.
    """
    named = [v for v in views if _named(v, 0) or _named(v, 1)]
    if not named:
        return {}
    coded = [_side_of_codes(v) for v in named]
    if None not in coded:
        axes = {id(v): side for v, side in zip(named, coded, strict=True)}
        _say_columns(named, axes, log)
        return axes
    corners = [side_of_corner(v) for v in named]
    if anchors:
        axes = _axes_by_anchors(named, anchors)
        if axes is not None:
            _say_columns(named, axes, log)
            return axes
    if len(named) == 1:
        (v,) = named
        if corners[0] == 1 and v.columns is not None:
            log.note(f"{v.name}: samples are columns, as the first column is called '{v.corner}'; "
                     f"{ASK}")  # fmt: skip
            return {id(v): 1}
        return {id(v): 0} if corners[0] == 0 and _named(v, 0) else {}
    shares = [_share(named, axis) for axis in (0, 1)]
    axis = _common_axis(named, corners, shares, log)
    if axis is not None:
        axes = {id(v): axis for v in named}
        _say_columns(named, axes, log)
        return axes
    axes = _mixed_axes(named, corners, log)
    _say_columns(named, axes, log)
    return axes


def _say_columns(named, axes, log):
    turned = [v.name for v in named if axes.get(id(v)) == 1]
    if turned:
        log.note(f"samples are columns in {', '.join(turned)}, by their names; {ASK}")


def _side_of_codes(v):
    """The side with codes that archives give to samples; None if it is neither, or both."""
    coded = [
        bool(names) and sum(bool(CODES.match(str(name))) for name in names) > 0.9 * len(names)
        for names in (v.rows, v.columns)
    ]
    return None if coded[0] == coded[1] else int(coded[1])


def side_of_corner(v):
    """What the name of the first column says rows are: 0 samples, 1 features, None neither."""
    if not v.corner:
        return None
    name = plain(v.corner)
    if name in FEATURES or name in SCALES or set(parts_of(v.corner)[:1]) & SCALES:
        return 1
    return 0 if name in IDS or parts_of(v.corner)[-1:] == ["id"] else None


def _axes_by_anchors(named, anchors):
    known = [name for names in anchors for name in names]
    axes = {}
    for v in named:
        shares = [overlap(v.rows if a == 0 else v.columns, known) if _named(v, a) else 0.0
                  for a in (0, 1)]  # fmt: skip
        if max(shares) == 0:
            return None
        axes[id(v)] = int(shares[1] > shares[0])
    return axes


def _share(named, axis):
    """How well the names along an axis agree: the least of all views with the others."""
    if not all(_named(v, axis) for v in named):
        return 0.0
    names = [v.rows if axis == 0 else v.columns for v in named]
    return min(
        max(overlap(a, b) for m, b in enumerate(names) if m != n) for n, a in enumerate(names)
    )


def _common_axis(named, corners, shares, log):
    rows, columns = shares
    said = {corner for corner in corners if corner is not None}
    if rows == columns == 0:
        return None
    if not rows or not columns:
        return 0 if rows else 1
    if len(said) == 1:
        return said.pop()
    generic = [all(is_generic(v.rows if a == 0 else v.columns) for v in named) for a in (0, 1)]
    if generic[0] != generic[1]:
        return 1 if generic[0] else 0
    alike = [_likeness(named, axis) for axis in (0, 1)]
    axis = int(alike[1] > alike[0] + 0.05)
    if not all(generic) and min(alike) > 0.3:
        log.ask(
            f"rows and columns of {', '.join(v.name for v in named)} both have the same names in "
            f"all of them; taken: samples are {('rows', 'columns')[axis]}; {ASK}"
        )
    return axis


def _likeness(named, axis):
    """Shared names by all names, the least of neighbouring views."""
    sets = [set(v.rows if axis == 0 else v.columns) for v in named]
    return min(len(a & b) / len(a | b) for a, b in pairwise(sets))


def is_generic(names):
    """Whether names only count: V1, V2, ... or 0, 1, ...

    Examples
    --------
    >>> is_generic(["f0", "f1", "f2"]), is_generic(["TP53", "BRCA1"]), is_generic(["Pt1", "Pt2"])
    (True, False, False)
    """
    found = [re.fullmatch(r"(.*?)(\d+)", str(name).strip()) for name in names]
    if not names or not all(found) or len({match[1] for match in found}) > 1:
        return False
    if plain(found[0][1]) in PEOPLE:
        return False
    numbers = [int(match[2]) for match in found]
    return numbers[0] in (0, 1) and numbers == list(range(numbers[0], numbers[0] + len(numbers)))


def _mixed_axes(named, corners, log):
    """Views that lie differently: each has its samples where names agree with the others."""
    place = next((n for n, corner in enumerate(corners) if corner is not None), 0)
    options = []
    for start in (0, 1) if corners[place] is None else (corners[place],):
        axes, agreement = _axes_from(named, corners, place, start)
        if axes:
            options.append((agreement, -start, axes))
    if len(options) == 2 and abs(options[0][0] - options[1][0]) <= 0.05 * len(named):
        log.ask(
            f"the names of rows and of columns of {', '.join(v.name for v in named)} both agree; "
            f"taken: samples are rows in {named[place].name}; call the first column 'sample' or "
            "'feature', or --role NAME=turned"
        )
        return options[0][2]
    return max(options)[2] if options else {}


def _axes_from(named, corners, place, start):
    """The axes that follow from that of one view, and how well names agree."""
    first = named[place]
    if not _named(first, start):
        return {}, 0.0
    axes, agreement = {id(first): start}, 0.0
    known = list(first.rows if start == 0 else first.columns)
    for v, corner in zip(named, corners, strict=True):
        if v is first:
            continue
        shares = [
            overlap(v.rows if a == 0 else v.columns, known)
            if _named(v, a) and corner in (None, a)
            else 0.0
            for a in (0, 1)
        ]
        if max(shares) == 0:
            return {}, 0.0
        axes[id(v)] = int(shares[1] > shares[0])
        agreement += max(shares)
        known += v.columns if axes[id(v)] else v.rows
    return axes, agreement


def _axes_by_length(views, hints, counts, log):
    """Axes by the number of samples that all families have."""
    tried = list(dict.fromkeys(hints))
    for n in tried:
        found = _arrange(views, n, counts)
        if found is not None:
            return _told(found, views, n, log, certain=True)
    if tried:
        shapes = ", ".join(v.shown() for v in views[:8])
        raise NotUnderstood(
            f"{tried[0]} labels or marks of samples, but the views have shapes {shapes}; "
            "--role NAME=ignore leaves one out."
        )
    options = {}
    for n in dict.fromkeys(side for v in views for side in v.shape):
        found = _arrange(views, n, counts) if n > 1 else None
        if found is not None:
            options[n] = found
    rows = views[0].shape[0]
    straight = {n: f for n, f in options.items() if len(set(f[0].values())) <= 1 and not f[1]}
    options = straight or options
    if not options:
        shapes = ", ".join(v.shown() for v in views[:8])
        raise NotUnderstood(
            f"the views have shapes {shapes}, with no common number of samples; name the samples "
            "in a column 'id' where files hold different ones, or leave one out: "
            "--role NAME=ignore."
        )
    if len(options) == 1:
        ((n, found),) = options.items()
        return _told(found, views, n, log, certain=True)
    by_gaps = _by_gaps(views)
    if by_gaps is not None and views[0].shape[by_gaps] in options:
        n = views[0].shape[by_gaps]
        log.note(f"samples are {('rows', 'columns')[by_gaps]}: there, whole ones are NaN; {ASK}")
        return _told(options[n], views, n, log, certain=True)
    if not straight or rows not in options or len(options) > 2:
        numbers = " or ".join(map(str, options))
        raise NotUnderstood(f"{_shapes(views)} may hold {numbers} samples; {ASK}.")
    return _told(options[rows], views, rows, log, certain=False)


def _shapes(views):
    return ", ".join(v.shown() for v in views[:8])


def _told(found, views, n, log, certain):
    axes, facts = found
    kept = [v for v in views if id(v) in axes]
    for v in facts:
        log.give(v, "facts", f"{v.shown()} has no side of {n} samples and is left out")
    square = all(v.shape[0] == v.shape[1] for v in kept)
    if not certain:
        where = {n for v in kept for n in v.shape} - {n}
        text = (
            f"samples are rows ({n}) by convention: nothing tells that {_shapes(kept)} do not have "
            f"samples in columns ({', '.join(map(str, sorted(where)))}); {ASK}"
        )
        headed = any(v.columns is not None for v in kept)
        ask = not headed and any(v.from_one for v in kept)
        (log.ask if ask else log.note)(text)
    elif square and not all(is_symmetric(v.values) for v in kept):
        at = _by_gaps(kept)
        if at:
            axes = dict.fromkeys(axes, at)
        where = ("rows", "columns")[at or 0]
        log.note(f"{_shapes(kept)}: as many features as samples; samples are {where}; {ASK}")
    turned = [v.name for v in kept if axes[id(v)]]
    if turned and len(turned) < len(kept):
        _check_links(kept, axes, n)
        log.note(f"samples are columns in {', '.join(turned)}, and rows in the other views; {ASK}")
    elif turned:
        log.note(f"samples are columns ({n}) in {', '.join(turned)}")
    return axes, facts, n


def _check_links(kept, axes, n):
    """A matrix that is almost square and lies otherwise is more likely one of links."""
    turned = [v for v in kept if axes[id(v)] == 1]
    straight = [v for v in kept if axes[id(v)] == 0]
    for v in turned if len(turned) <= len(straight) else straight:
        if abs(v.shape[0] - v.shape[1]) < 0.05 * n and v.shape[0] != v.shape[1]:
            raise NotUnderstood(
                f"{v.shown()} lies otherwise than the other views of {n} samples, or lacks some: "
                f"--role {v.name}=turned turns it, --role {v.name}=ignore leaves it out."
            )


def _by_gaps(views):
    """The axis along which whole vectors are NaN, if only one has them."""
    dense = [
        v.values for v in views if not sparse.issparse(v.values) and v.values.dtype.kind == "f"
    ]
    found = [any(np.isnan(X).all(axis=1 - axis).any() for X in dense) for axis in (0, 1)]
    return None if found[0] == found[1] else int(found[1])


def _arrange(views, n, counts):
    """The axis of each view for a number of samples, and what is no view then; or None."""
    families = {}
    for place, v in enumerate(views):
        families.setdefault((v.family, v.bound), []).append((v, counts[place]))
    axes, facts = {}, []
    for members in families.values():
        fits = []
        for v, instances in members:
            options = {a for a in (0, 1) if v.shape[a] == n}
            options |= {a for a in (0, 1) if not options and v.shape[a] in instances and
                        v.shape[a] < n}  # fmt: skip
            if options:
                fits.append((v, options))
            elif v.bound or not _is_fact(v, n, views):
                return None
            else:
                facts.append(v)
        common = set.intersection(*(options for _, options in fits)) if fits else {0}
        for v, options in fits:
            axes[id(v)] = min(common) if common else min(options)
    return (axes, facts) if axes else None


def _is_fact(v, n, views):
    """Whether a matrix without a side of the samples is small, or about features."""
    if v.role == "view" or v.table:
        return False
    sides = {side for other in views if other is not v for side in other.shape} - {n}
    return max(v.shape) < n / 2 or (max(v.shape) in sides and min(v.shape) <= MOST_VIEWS)


def is_symmetric(values):
    """Whether a matrix equals its transpose up to rounding."""
    if values.shape[0] != values.shape[1]:
        return False
    if sparse.issparse(values):
        difference = abs(values - values.T)
        return difference.nnz == 0 or difference.max() <= 1e-8 * abs(values).max()
    X = np.asarray(values, dtype=np.float64)
    X = np.where(np.isfinite(X), X, 0)
    return bool(np.abs(X - X.T).max(initial=0) <= 1e-8 * np.abs(X).max(initial=1))


def split_stack(v, numbers, widths, alone, log):
    """The views in an array of three or more dimensions.

    Parameters
    ----------
    v : Variable
    numbers : list of int
        Numbers of samples that other variables have.
    widths : set of int
        Numbers of views that masks have.
    alone : bool
        Whether no other variable holds a view.
    log : Log

    Returns
    -------
    list of Variable
        Matrices.
    """
    X = np.asarray(v.values)
    shape = X.shape
    override = f"--role {v.name}=view makes it one view, --role {v.name}=views several"
    if X.ndim > 3:
        axis = next((a for a in (0, X.ndim - 1) if shape[a] in numbers or not numbers), None)
        if axis is None:
            counted = " or ".join(map(str, numbers))
            raise NotUnderstood(
                f"{v.shown()} has no side of {counted} samples first or last; "
                f"--role {v.name}=ignore leaves it out."
            )
        return [_flat(v, axis, log, override)]
    for axis in (2, 0, 1):
        slices = np.moveaxis(X, axis, 0)
        square = shape[axis] <= MOST_VIEWS and slices.shape[1] == slices.shape[2] > 2
        if square and v.role != "view" and all(is_symmetric(S) for S in slices):
            log.note(f"{v.shown()} holds {shape[axis]} symmetric matrices: one view for each")
            return _slices(v, axis)
    axes = [a for a in range(3) if shape[a] in numbers]
    conventional = 2 if v.from_one else 0
    if not axes:
        smallest = min(range(3), key=lambda a: (shape[a], a != conventional))
        if numbers:
            raise NotUnderstood(f"{v.shown()} has no side of {numbers[0]} samples; "
                                f"--role {v.name}=ignore leaves it out.")  # fmt: skip
        if v.role == "view" or (
            shape[smallest] > MOST_VIEWS or sorted(shape)[0] == sorted(shape)[1]
        ):
            return [_flat(v, 2 if v.from_one else 0, log, override)]
        log.note(f"{v.shown()} holds {shape[smallest]} views, along its shortest side; {override}")
        return _slices(v, smallest)
    n_axis = axes[0]
    others = [a for a in range(3) if a != n_axis]
    marked = [a for a in others if shape[a] in widths]
    if len(marked) == 1 and v.role != "view":
        log.note(f"{v.shown()} holds {shape[marked[0]]} views, as many as the mask has; {override}")
        return _slices(v, marked[0])
    p, q = (shape[a] for a in others)
    image = p == q or not alone or min(p, q) > MOST_VIEWS or set(parts_of(v.name)) & IMAGES
    if v.role == "view" or (image and v.role != "views"):
        return [_flat(v, n_axis, log, override)]
    shorter = min(others, key=lambda a: (shape[a], a != conventional))
    log.note(f"{v.shown()} holds {shape[shorter]} views; {override}")
    return _slices(v, shorter)


def _flat(v, axis, log, override):
    X = np.moveaxis(np.asarray(v.values), axis, 0)
    log.note(f"{v.shown()} is one view of {X[0].size} features for each of {len(X)} samples; "
             f"{override}")  # fmt: skip
    values = X.reshape(len(X), -1)
    return replace(v, values=values, role="view", table=True)


def _slices(v, axis):
    slices = np.moveaxis(np.asarray(v.values), axis, 0)
    return [
        replace(v, name=f"{v.name}{n}", values=S, family=v.name, bound=True, role=None)
        for n, S in enumerate(slices, 1)
    ]
