"""Parts of one data set: train and test, lists of names beside matrices, names that are taken."""

from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy import sparse

from mvclust.datasets.foreign.words import (
    FEATURE_FILES,
    KINDS,
    PARTS,
    SAMPLE_FILES,
    last,
    names_labels,
    parts_of,
)

BESIDE = {"matrix", "mtx", "counts", "count", "data", *SAMPLE_FILES, *FEATURE_FILES}


def distinct_names(variables):
    """Variables with names that differ: a name that is taken gets that of its file."""
    seen, found = set(), []
    for variable in variables:
        name, n = variable.name, 2
        if name in seen:
            name = f"{variable.name} ({variable.file})"
        while name in seen:
            name, n = f"{variable.name} ({variable.file}, {n})", n + 1
        seen.add(name)
        found.append(replace(variable, name=name))
    return found


def with_lists(variables, log):
    """Matrices without names, with those that lists beside them give to their sides.

    Parameters
    ----------
    variables : list of Variable
    log : Log

    Returns
    -------
    list of Variable
        Without the lists that were taken.
    """
    matrices = [v for v in variables if v.file.lower().endswith((".mtx", ".mtx.gz"))]
    taken = []
    for matrix in matrices:
        rows = columns = types = None
        corner = ""
        for each in variables:
            entries = _entries(each)
            if entries is None or each in taken or each.file == matrix.file:
                continue
            if each.role == "labels" or each in matrices:
                continue
            words = {*parts_of(Path(each.file).suffix), *parts_of(each.name)}
            kind = "sample" if words & SAMPLE_FILES else "feature" if words & FEATURE_FILES else ""
            beside = each.name.startswith(matrix.name) or (
                kind and (len(matrices) == 1 or _stem(each.file) == _stem(matrix.file))
            )
            if not beside or len(entries) not in matrix.shape or names_labels(each.name):
                continue
            on_rows = len(entries) == matrix.shape[0]
            if matrix.shape[0] == matrix.shape[1] and kind == "feature" and rows is not None:
                on_rows = False
            rows, columns = (entries, columns) if on_rows else (rows, entries)
            if kind:
                corner = "sample" if on_rows == (kind == "sample") else "feature"
            taken += [other for other in variables if other.file == each.file]
            types = _types(each, variables) if kind == "feature" else types
            log.give(each, "ids", f"{each.file} names the {'rows' if on_rows else 'columns'} of "
                                  f"{matrix.file}")  # fmt: skip
        place = variables.index(matrix)
        variables = [*variables]
        whole = replace(matrix, rows=rows, columns=columns, corner=corner)
        views = _by_types(whole, types, corner == "feature") if types is not None else [whole]
        if len(views) > 1:
            said = ", ".join(view.shown() for view in views)
            log.note(f"{matrix.file} holds several kinds of features: {said}")
        variables[place : place + 1] = views
        matrices[matrices.index(matrix)] = views[0]
    return [v for v in variables if not any(v is each for each in taken)]


def _types(names, variables):
    """What kind each feature is, if a column beside their names says so."""
    for other in variables:
        if other.file == names.file and other is not names and other.is_text:
            kinds = other.vector().tolist()
            known = {str(kind).casefold() for kind in kinds} <= KINDS
            if known and len(kinds) == names.length and len(set(kinds)) > 1:
                return kinds
    return None


def _by_types(matrix, types, in_rows):
    """The features of each kind as a view of its own."""
    views = []
    for kind in dict.fromkeys(types):
        places = [n for n, each in enumerate(types) if each == kind]
        values = matrix.values[places] if in_rows else matrix.values[:, places]
        names = matrix.rows if in_rows else matrix.columns
        names = names and [names[n] for n in places]
        side = {"rows": names} if in_rows else {"columns": names}
        views.append(replace(matrix, name=str(kind), values=values, **side))
    return views


def _stem(file):
    """The words of a file's folder and name without those for matrices and lists.

    Examples
    --------
    >>> _stem("GSM1_rna_matrix.mtx.gz") == _stem("GSM1_rna_barcodes.tsv.gz")
    True
    >>> _stem("rna/matrix.mtx") == _stem("atac/barcodes.tsv")
    False
    """
    folder, name = Path(file).parent.as_posix(), Path(file).name.partition(".")[0]
    return [word for word in parts_of(f"{folder}/{name}") if word not in BESIDE]


def _entries(variable):
    if variable.rows is not None and variable.is_text:
        return list(variable.rows)
    return [str(x) for x in variable.vector()] if variable.is_text and variable.shape else None


def joined_parts(variables, log):
    """Variables whose names differ only by train, test or validation, as one with all samples.

    Parameters
    ----------
    variables : list of Variable
    log : Log

    Returns
    -------
    list of Variable
    """
    groups = {}
    for variable in variables:
        base, part = _base_and_part(variable.name)
        if part is not None and variable.role != "ignore":
            groups.setdefault(base, {})[part] = variable
    names = list(dict.fromkeys(part for group in groups.values() for part in group))
    several = {base: group for base, group in groups.items() if len(group) > 1}
    if not several or len(names) < 2:
        return variables
    lengths, axes = _lengths(several)
    if lengths is None:
        return variables
    used = {base: group for base, group in groups.items() if base in axes or _fits(group, lengths)}
    found, done = [], set()
    for variable in variables:
        base, part = _base_and_part(variable.name)
        if part is None or base not in used:
            found.append(variable)
        elif base not in done:
            done.add(base)
            found.append(_stacked(base, used[base], names, lengths, axes.get(base, 0)))
    said = ", ".join(f"{part} ({lengths[part]} samples)" for part in names)
    log.note(f"{said} are parts of one data set and stand one below the other")
    return found


def _base_and_part(name):
    for word in parts_of(name):
        if word in PARTS:
            rest = [w for w in parts_of(name) if w not in PARTS]
            return "/".join(rest), PARTS[word]
    return name, None


def _lengths(groups):
    """The number of samples of each part, and the axis of the samples of each group."""
    lengths, axes = {}, {}
    for base, group in sorted(groups.items(), key=lambda item: -_decided(item[1])):
        for axis in (0, 1):
            sizes = {p: v.length if v.is_vector else v.shape[axis] for p, v in group.items()}
            other = {1 if v.is_vector else v.shape[1 - axis] for v in group.values()}
            if any(len(v.shape) > 2 for v in group.values()) or len(other) > 1:
                continue
            if all(lengths.get(p, size) == size for p, size in sizes.items()):
                lengths |= sizes
                axes[base] = axis
                break
        else:
            return None, None
    return lengths, axes


def _decided(group):
    """Whether only one axis differs between the parts, so that it is that of the samples."""
    shapes = [variable.shape for variable in group.values()]
    return all(len(s) == 2 for s in shapes) and len({s[0] for s in shapes}) > 1


def _fits(group, lengths):
    return all(len(v.shape) == 2 and v.shape[0] == lengths.get(p) for p, v in group.items())


def _stacked(base, group, names, lengths, axis):
    first = next(iter(group.values()))
    name = "/".join(part for part in last_name(first.name) if part)
    if first.is_vector:
        parts = [v.vector() for v in group.values()]
        return replace(first, name=name, values=np.concatenate(parts), rows=_all_rows(group))
    turned = [v.turned() if axis == 1 else v for v in group.values()]
    by_part = dict(zip(group, turned, strict=True))
    width = turned[0].shape[1]
    blocks, rows = [], []
    for part in names:
        v = by_part.get(part)
        if v is None:
            blocks.append(np.full((lengths[part], width), np.nan))
        else:
            blocks.append(v.values)
    if any(sparse.issparse(block) for block in blocks) and not any(
        part not in by_part for part in names
    ):
        values = sparse.csr_array(sparse.vstack(blocks))
    else:
        values = np.vstack([b.toarray() if sparse.issparse(b) else b for b in blocks])
    rows = _all_rows(by_part) if set(by_part) == set(names) else None
    if rows is None and _all_rows(by_part) is not None:  # absent parts: rows that are there
        values = np.vstack([b for part, b in zip(names, blocks, strict=True) if part in by_part])
        rows = _all_rows(by_part)
    return replace(
        turned[0], name=name, values=values, rows=rows, numbered=False, family="parts", table=True
    )


def _all_rows(group):
    if any(v.rows is None or v.numbered for v in group.values()):
        return None
    rows = [row for v in group.values() for row in v.rows]
    return rows if len(set(rows)) == len(rows) else None


def last_name(name):
    """The last part of a name without the word for the part.

    Examples
    --------
    >>> last_name("data.train/mirna"), last_name("labels_tr"), last_name("1_te")
    (['mirna'], ['labels'], ['1'])
    """
    words = [word for word in parts_of(last(name)) if word not in PARTS]
    if not words:
        return ["data"]
    short = last(name)
    for word in PARTS:
        for mark in "_-. ":
            lowered = short.casefold()
            if lowered.endswith(mark + word):
                short = short[: -len(word) - 1]
            elif lowered.startswith(word + mark):
                short = short[len(word) + 1 :]
    return [short]
