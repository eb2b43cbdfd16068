"""What each variable is: nothing is a view before the other roles were tried."""

from collections import Counter
from dataclasses import dataclass, field, replace
from difflib import get_close_matches

import numpy as np
from scipy import sparse

from mvclust.datasets.foreign.columns import whole
from mvclust.datasets.foreign.record import NotUnderstood
from mvclust.datasets.foreign.words import (
    ANNOTATIONS,
    IDS,
    MASKS,
    ONLY_LABELS,
    OTHER,
    last,
    names_labels,
    names_one_of,
    parts_of,
    plain,
    without_number,
)

ROLES = ("view", "views", "labels", "mask", "missing", "index", "ids", "ignore", "turned")

MOST_FACTS = 30  # columns of a table about the samples


@dataclass
class Sorted:
    """Variables by role; `views` are only candidates until the number of samples is known."""

    views: list = field(default_factory=list)
    stacks: list = field(default_factory=list)
    labels: list = field(default_factory=list)
    masks: list = field(default_factory=list)
    indexes: list = field(default_factory=list)
    ids: list = field(default_factory=list)
    facts: list = field(default_factory=list)
    vectors: list = field(default_factory=list)
    order: dict = field(default_factory=dict)


def with_given_roles(variables, given, log):
    """Variables with the roles that the user gives.

    Parameters
    ----------
    variables : list of Variable
    given : dict
        Name to role. A name is that of a variable, of a family of them (a cell array, a file), or
        of a column as ``TABLE/COLUMN``.
    log : Log

    Returns
    -------
    list of Variable

    Raises
    ------
    NotUnderstood
        If there is no such variable or role; the message names the nearest.
    """
    for name, role in (given or {}).items():
        if role not in ROLES:
            raise NotUnderstood(f"--role {name}={role}: the roles are {', '.join(ROLES)}.")
        chosen = [v for v in variables if name in _addresses(v)]
        if not chosen:
            variables, chosen = _with_column(variables, name)
        if not chosen:
            names = sorted({a for v in variables for a in _addresses(v)} - {""})
            near = get_close_matches(name, names, 1, 0.4)
            nearest = f" did you mean {near[0]}?" if near else ""
            raise NotUnderstood(
                f"--role {name}={role}: there is no variable {name};{nearest} "
                f"There are {', '.join(v.name for v in variables[:30])}."
            )
        exact = [v for v in chosen if v.name == name] or chosen
        if role == "turned":
            new = {id(v): replace(v.turned(), role="view") for v in exact}
        else:
            new = {id(v): replace(v, role=role) for v in exact}
        variables = [new.get(id(v), v) for v in variables]
        log.note(f"{name}: {role}, as asked")
    return variables


def _addresses(v):
    family = v.family if v.bound or v.family == v.file else ""
    return {v.name, last(v.name), v.file, family}


def _with_column(variables, name):
    """Variables with a column of a table as one of its own."""
    table, _, column = name.rpartition("/")
    for v in variables:
        if v.is_text or len(v.shape) != 2 or not column or table not in ("", v.name):
            continue
        names = v.columns or [str(c) for c in range(v.shape[1])]
        if column in names and (v.columns or table):
            place = names.index(column)
            entries = v.values[:, [place]]
            entries = entries.toarray() if sparse.issparse(entries) else entries
            rest = [c for c in range(v.shape[1]) if c != place]
            taken = replace(v, name=name, values=entries.ravel(), columns=None)
            left = replace(v, values=v.values[:, rest], columns=[names[c] for c in rest])
            at = next(n for n, each in enumerate(variables) if each is v)
            return [*variables[:at], left, taken, *variables[at + 1 :]], [taken]
    return variables, []


def sort_variables(variables, log):
    """Give every variable its first role, by what its name and its values say.

    Parameters
    ----------
    variables : list of Variable
    log : Log

    Returns
    -------
    Sorted
    """
    found = Sorted(order={v.name: place for place, v in enumerate(variables)})
    families = {}
    for v in variables:
        families.setdefault((v.family, v.bound), []).append(v)
    for v in variables:
        members = families[v.family, v.bound] if v.bound else [v]
        if v.role == "view" and v.is_text:
            v = one_hot(v, log)
        place = (v.role and _GIVEN.get(v.role)) or _place_of(
            v, members, _sides_but(variables, v), log
        )
        getattr(found, place).append(v)
    _annotations(found, log)
    return found


_GIVEN = {
    "view": "views", "labels": "labels", "mask": "masks", "missing": "masks", "index": "indexes",
    "ids": "ids", "ignore": "facts", "facts": "facts", "views": "stacks", "survival": "facts",
}  # fmt: skip


def _place_of(v, members, sides, log):
    """The list of `Sorted` that a variable belongs to."""
    if v.values.size <= 1 and not sparse.issparse(v.values):
        return "facts"
    if not sparse.issparse(v.values) and v.values.ndim > 2:
        if not v.is_text and names_one_of(_family_name(v), MASKS) and zeros_and_ones(v.values):
            log.note(f"{v.shown()} holds several masks of presence: none is applied")
            return "facts"
        return "facts" if v.is_text else "stacks"
    if v.is_text:
        return _place_of_texts(v)
    if 0 in v.shape:
        return "facts"
    if v.is_vector:
        return _place_of_vector(v, members)
    if names_one_of(_family_name(v), MASKS) and zeros_and_ones(v.values) and min(v.shape) <= 100:
        return "masks"
    if names_one_of(_family_name(v), MASKS) and whole_numbers(v.values) and is_order(v.values):
        return "facts"
    if sides[v.shape[1]] > sides[v.shape[0]] and is_order(v.values):
        log.note(f"{v.shown()} holds permutations: orders of the samples, not applied")
        return "facts"
    if label_columns(v) is not None and (not v.bound or names_labels(v.family)):
        return "labels"
    if not v.bound and names_labels(v.name) == 2 and _few_whole_numbers(v):
        called = {plain(last(v.name)), plain(without_number(last(v.name)))}
        told = f"{v.shown()} may hold several labels per sample; --role {v.name}="
        if not called & ONLY_LABELS:
            log.note(f"{told}ignore leaves it out, as a view it would give them away")
        else:
            log.ask(
                f"{told}view makes it a view, {v.name}/0=labels takes a column, =ignore neither"
            )
            return "facts"
    return "views"


def _few_whole_numbers(v):
    """Whether a matrix has few columns of few whole numbers."""
    if sparse.issparse(v.values) or min(v.shape) > MOST_FACTS or not whole_numbers(v.values):
        return False
    return len(np.unique(v.values)) <= max(v.shape) / 2


def _sides_but(variables, v):
    """How many of the other variables have a side of each length."""
    return Counter(side for other in variables if other is not v for side in set(other.shape))


def _place_of_texts(v):
    if not v.is_vector:
        return "facts"
    entries = v.vector()
    n_distinct = len(set(entries.tolist()))
    if names_labels(v.name) and n_distinct < v.length:
        return "labels"
    if n_distinct == v.length:
        return "ids" if not names_labels(v.name) or v.length > 100 else "facts"
    return "labels" if n_distinct <= v.length / 2 and not _says_other(v) else "facts"


def _place_of_vector(v, members):
    entries = v.vector()
    name = _family_name(v)
    distinct = np.unique(entries[np.isfinite(entries)]) if entries.dtype.kind == "f" else (
        np.unique(entries))  # fmt: skip
    is_whole = whole(distinct) if distinct.dtype.kind == "f" else True
    if names_labels(v.name):
        return "labels" if is_whole and len(distinct) < v.length else "vectors"
    vectors = all(each.is_vector for each in members)
    if names_one_of(name, MASKS) and is_whole and vectors:
        listed = len(distinct) == v.length or set(distinct) <= {0, 1}
        return "indexes" if listed else "vectors"
    if is_order(entries[None, :]):
        return "ids" if plain(name) in IDS else "facts"
    if v.bound and vectors and is_whole and len(members) > 1:
        sorted_lists = all((np.diff(each.vector().astype(float)) > 0).all() for each in members)
        if sorted_lists:
            return "indexes"
    if _says_other(v):
        return "vectors"
    if is_whole and 1 < len(distinct) <= v.length / 2:
        return "labels" if len(distinct) <= max(v.length / 3, 2) else "vectors"
    if is_whole and len(distinct) == 1:
        return "facts"
    if is_whole and len(distinct) == v.length and plain(last(v.name)) in IDS:
        return "ids"
    mixed = v.bound and not vectors
    return "views" if v.table or mixed else "vectors"


def _says_other(v):
    return bool(set(parts_of(last(v.name))) & OTHER)


def _family_name(v):
    return v.family if v.bound else without_number(last(v.name)) or v.name


def _annotations(found, log):
    """Tables on outcomes and the like say something about the samples, they measure nothing."""
    for v in list(found.labels):
        if v.role is None and v.columns and not v.is_text and _texts_of(v, found):
            found.labels.remove(v)
            found.facts.append(v)
            log.give(v, "facts", f"the column {v.columns[0]} of {v.name} stands beside texts and "
                                 f"is left out; --role {v.name}=labels takes it")  # fmt: skip
    for v in list(found.views):
        why = _tells_about_samples(v, found)
        if v.role is None and v.table and why and len(found.views) > 1:
            found.views.remove(v)
            found.facts.append(v)
            log.give(v, "facts", f"{v.name} tells about the samples ({why}) and is no view; "
                                 f"--role {v.name}=view makes it one")  # fmt: skip


def _tells_about_samples(v, found):
    """Why a table is one of facts: its name, or labels and words that outweigh its numbers."""
    if (set(parts_of(last(v.name))) | {plain(last(v.name))}) & ANNOTATIONS:
        return "by its name"
    of_table = [
        sum(u.name.startswith(f"{v.name}/") for u in of) for of in (found.labels, found.facts)
    ]
    if all(of_table) and len(v.shape) == 2 and v.shape[1] <= sum(of_table):
        return "labels and words beside few numbers"
    if len(v.shape) == 2 and v.shape[1] == 1 and _texts_of(v, found):
        return "one column of numbers beside words"
    beside = [u for u in found.facts if u.role == "survival" and u.name.startswith(f"{v.name}/")]
    if beside and len(v.shape) == 2 and v.shape[1] <= MOST_FACTS:
        return "it has survival times"
    return ""


def _texts_of(v, found):
    """The columns of texts in the table of a variable."""
    return [
        u for u in (*found.labels, *found.facts) if u.is_text and u.name.startswith(f"{v.name}/")
    ]


def zeros_and_ones(values):
    """Whether there are only zeros and ones."""
    entries = values.data if sparse.issparse(values) else np.asarray(values)
    return bool(np.isin(entries, (0, 1)).all())


def whole_numbers(values):
    """Whether all values are whole numbers."""
    entries = values.data if sparse.issparse(values) else np.asarray(values)
    return bool(np.isfinite(entries).all() and (entries == np.round(entries)).all())


def is_order(values):
    """Whether each row is an order of the same things: a permutation that is not sorted."""
    if sparse.issparse(values) or values.dtype.kind not in "iuf" or values.shape[-1] < 3:
        return False
    n = values.shape[-1]
    first = np.sort(values[0])
    if not any(np.array_equal(first, np.arange(start, n + start)) for start in (0, 1)):
        return False
    shuffled = any((np.diff(row.astype(float)) < 0).any() for row in values)
    return shuffled and all(np.array_equal(np.sort(row), first) for row in values)


def label_columns(v):
    """The classes that a matrix holds: one column per class, or the same labels in each column.

    Parameters
    ----------
    v : Variable

    Returns
    -------
    ndarray of shape (n_samples,), or None
        None if it holds none.
    """
    if len(v.shape) != 2 or min(v.shape) < 2 or min(v.shape) > 1000 or v.is_text:
        return None
    values = v.values
    if sparse.issparse(values):
        if values.nnz > max(values.shape):
            return None
        values = values.toarray()
    for X in (values, values.T):
        n, k = X.shape
        if n < k:
            continue
        low = X.min()
        if np.isin(X, (low, 1)).all() and low in (0, -1) and ((X == 1).sum(axis=1) == 1).all():
            used = (X == 1).sum(axis=0)
            if (used > 0).all() and n > k:
                return X.argmax(axis=1)
        if (X[:, :1] == X).all() and whole_numbers(X) and 1 < len(np.unique(X[:, 0])) <= n / 2:
            return X[:, 0]
    return None


def one_hot(v, log):
    """Texts as one column per text."""
    names, places = np.unique(v.vector(), return_inverse=True)
    log.note(f"{v.name}: one column for each of {len(names)} texts")
    columns = [str(name) for name in names]
    return replace(v, values=np.eye(len(names))[places.ravel()], columns=columns)


def candidates_of_labels(found, n, log):
    """The label vectors of the right length, the surest first.

    Parameters
    ----------
    found : Sorted
    n : int or None
        The number of samples; None where samples are matched by ids.
    log : Log

    Returns
    -------
    list of (float, Variable)
        How sure, and the labels as a vector.
    """
    pairs = []
    for v in found.labels:
        if not v.is_vector:
            entries = label_columns(v)
            if entries is None:
                raise NotUnderstood(f"{v.shown()} holds no labels: neither one value per sample "
                                    "nor one column per class.")  # fmt: skip
            one_hot = not np.array_equal(
                entries, np.asarray(v.values)[:, 0].ravel()[: len(entries)]
            )
            if one_hot:
                log.note(f"{v.shown()} has one column per class: labels")
            v = replace(v, values=entries)
        elif v.header_open and n is not None and v.length == n + 1:
            log.note(f"{v.file}: the first line, '{v.vector()[0]}', is the header")
            rows = v.rows[1:] if v.rows else None
            v = replace(v, values=v.vector()[1:], rows=rows)
        matched = v.rows is not None and not v.numbered
        if not matched and n is not None and v.length != n:
            log.give(v, "facts", f"{v.shown()} is no vector of labels: there are {n} samples")
            continue
        sure = 3 if v.role == "labels" else names_labels(v.name)
        pairs.append((sure or 0.5, v))
    return sorted(pairs, key=lambda pair: -pair[0])
