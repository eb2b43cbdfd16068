"""From a folder or file to views, labels and missing instances, step by step."""

import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy import sparse

from mvclust.datasets.foreign.alignment import align, with_names_of_rows
from mvclust.datasets.foreign.alignment import matched as matched_names
from mvclust.datasets.foreign.blocks import split_by_titles
from mvclust.datasets.foreign.checks import check_values, say_degenerate
from mvclust.datasets.foreign.codebooks import without_codebooks
from mvclust.datasets.foreign.copies import kind_of, say_kinds, without_copies
from mvclust.datasets.foreign.doubts import (
    ask_for_other_orders,
    ask_for_parts,
    ask_if_other_samples,
    ask_if_weak,
    refuse_a_file_per_sample,
    refuse_a_line_per_value,
    refuse_a_table_per_sample,
    refuse_links,
    refuse_parts_of_a_view,
    say_groups,
)
from mvclust.datasets.foreign.formats import read
from mvclust.datasets.foreign.gaps import (
    empty_rows,
    filled,
    rows_that_are_there,
    with_known_features,
    zero_rows,
)
from mvclust.datasets.foreign.keys import with_shared_keys
from mvclust.datasets.foreign.labels import read_labels
from mvclust.datasets.foreign.orientation import lay, split_stack
from mvclust.datasets.foreign.parts import distinct_names, joined_parts, with_lists
from mvclust.datasets.foreign.presence import (
    lengths_of,
    possible_counts,
    read_presence,
    with_labels_of_all,
)
from mvclust.datasets.foreign.record import CannotRead, Found, Log, NotUnderstood
from mvclust.datasets.foreign.roles import (
    sort_variables,
    with_given_roles,
    zeros_and_ones,
)
from mvclust.datasets.foreign.sources import LAYOUTS, SHEETS, WHOLE, sources_of
from mvclust.datasets.foreign.survival import read_survival, with_survival
from mvclust.datasets.foreign.words import last, names_labels
from mvclust.datasets.room import TooLarge, room_for


def find_views(path, *, roles=None, samples=None):
    """Find views, labels and missing instances.

    Parameters
    ----------
    path : path-like
        A file, or a folder of files.
    roles : dict, optional
        Name of a variable to its role: ``view``, ``views``, ``labels``, ``mask``, ``missing`` (a
        mask with 1 where an instance is missing), ``index``, ``ids``, ``turned`` or ``ignore``.
    samples : {"rows", "columns"}, optional
        Where samples are, if nothing in the data tells it.

    Returns
    -------
    Found

    Raises
    ------
    NotUnderstood
        If there are no views, or if what they are is open; the message says which option decides.

    Examples
    --------
    >>> import tempfile, numpy as np
    >>> from pathlib import Path
    >>> file = Path(tempfile.mkdtemp(), "mine.npz")
    >>> np.savez(file, pixels=np.eye(4, 3), words=np.ones((4, 2)), y=[1, 1, 2, 2])
    >>> found = find_views(file)
    >>> found.view_names, found.y.tolist(), found.label_names
    (['pixels', 'words'], [0, 0, 1, 1], ['1', '2'])
    """
    path, roles = Path(path), dict(roles or {})
    log = Log(ignored={name for name, role in roles.items() if role == "ignore"})
    if samples not in (None, "rows", "columns"):
        raise NotUnderstood(f"--samples {samples}: expected rows or columns.")
    with tempfile.TemporaryDirectory() as unpacked:
        sources = sources_of(path, Path(unpacked), log)
        variables, read_files = _read_all(sources, path, log)
    variables = distinct_names(with_lists(variables, log))
    given = {name: role for name, role in roles.items() if name not in log.not_read}
    variables = with_given_roles(variables, given, log)
    variables = without_codebooks(with_shared_keys(variables, log), log)
    variables = with_survival(joined_parts(variables, log))
    found = sort_variables(variables, log)
    try:
        return _found(found, samples, read_files, log)
    except NotUnderstood as error:
        text = str(error)
        if path.is_dir() and len(read_files) > 1 and any(
            file.suffix.lower() in WHOLE + SHEETS for file in read_files
        ):  # fmt: skip
            text = f"{text.rstrip('.')}; or name one file of the folder."
        raise NotUnderstood(text if str(path) in text else f"{path}: {text}") from None


def _read_all(sources, path, log):
    """The variables of all files, and the files that were read."""
    variables, files, holders = [], [], []
    for source in sources:
        if source.shown in log.ignored:
            log.leave_out(source.shown, "as asked")
            continue
        try:
            here = read(source, log)
        except CannotRead as error:
            if len(sources) == 1:
                raise NotUnderstood(f"{path}: {error.reason}.") from error
            log.leave_out(source.shown, error.reason, matters=True)
            continue
        if not here:
            continue
        n_matrices = sum(_may_be_view(v) for v in here)
        if n_matrices > 1 and source.ending in WHOLE + SHEETS:
            holders.append(source.shown)
        variables += here
        try:
            room_for(sum(map(_bytes_of, variables)), path)
        except TooLarge as error:
            raise NotUnderstood(f"{error}.") from None
        files.append(source)
    if len(holders) > 1:
        raise NotUnderstood(
            f"{path}: {len(holders)} files may hold the views ({', '.join(holders[:8])}); name "
            f"one, as in mvclust look {Path(path, holders[0])}."
        )
    if not variables:
        raise NotUnderstood(f"{path}: no table or matrix; {'; '.join(log.notes)}.")
    log.notes.insert(0, f"read: {', '.join(source.shown for source in files)}")
    return variables, [source.given for source in files]


def _bytes_of(v):
    return v.values.data.nbytes if sparse.issparse(v.values) else v.values.nbytes


def _may_be_view(v):
    if v.is_text or v.values.size < 4 or len(v.shape) < 2 or min(v.shape) < 2:
        return False
    return not (min(v.shape) <= 20 and zeros_and_ones(v.values))


def _with_samples_as_rows(found, samples, log):
    """The views with a row for each sample, and the number of samples where it is known."""
    with_labels_of_all(found, log)
    hints = _hints(found)
    _split_stacks(found, hints, log)
    if len(found.views) == 1:
        found.views = split_by_titles(found.views[0], log)
    if not found.views:
        left = f" Not read: {', '.join(log.not_read[:8])}." if log.not_read else ""
        raise NotUnderstood(f"no views found; looked for {LAYOUTS}. {_said_roles(found)}{left}")
    refuse_a_file_per_sample(found)
    refuse_a_table_per_sample(found, samples)
    refuse_parts_of_a_view(found, samples)
    refuse_links(found.views)
    for v in found.views:
        refuse_a_line_per_value(v)
    _attach_ids(found, log)
    found.views = with_names_of_rows(found.views)
    counts = possible_counts(found, len(found.views))
    anchors = [v.rows for v in (*found.labels, *found.masks) if v.rows and not v.numbered]
    laid = lay(found.views, hints, counts, samples, anchors, log)
    ask_if_weak(found, laid, samples, log)
    if samples is None:
        ask_if_other_samples(found.views, laid.views, log)
    for v in laid.facts:
        log.give(v, "facts")
    views = [_as_numbers(v) for v in laid.views]
    for v in views:
        check_values(v)
    return _with_ids(views, found, laid.n, log), laid.n


def _found(found, samples, files, log):
    """Views of the same samples, from variables with a first role."""
    views, n = _with_samples_as_rows(found, samples, log)
    kept = rows_that_are_there(views)
    aligned, ids, matched = align(views, log) if kept is None else (views, None, None)
    if ids is None:
        ask_for_other_orders(found.facts, log)
    ordered = matched is None or _same_order(views)
    n = _number(aligned, n)
    aligned = _masks_among_views(aligned, found, n, log)
    names = _short_names(aligned)
    empty, zero = ([rows(v, n) for v in aligned] for rows in (empty_rows, zero_rows))
    if ids is not None:
        found.masks = [_by_ids(mask, ids) for mask in found.masks]
    presence = read_presence(found, names, n, empty, zero, log)
    Xs, presence = filled(aligned, names, n, presence, matched, log)
    ask_for_parts(aligned, presence, log)
    y, label_names = read_labels(found, n, ids, ordered, log)
    survival = read_survival(found, n, ids, ordered, log)
    chosen = without_copies(aligned, Xs, y, log)
    aligned, Xs = [aligned[v] for v in chosen], [Xs[v] for v in chosen]
    names, presence = [names[v] for v in chosen], presence[:, chosen]
    nowhere = ~presence.any(axis=1)
    if nowhere.any():
        log.note(f"left out, as they are in no view: {int(nowhere.sum())} of {n} samples")
        Xs, presence = [X[~nowhere] for X in Xs], presence[~nowhere]
        y = None if y is None else y[~nowhere]
        survival = survival and survival._replace(
            time=survival.time[~nowhere], event=survival.event[~nowhere]
        )
        ids = None if ids is None else [i for i, gone in zip(ids, nowhere, strict=True) if not gone]
    Xs, columns = with_known_features(Xs, [v.columns for v in aligned], names, log)
    as_they_are = {name for v, name in zip(aligned, names, strict=True) if v.role == "view"}
    say_degenerate(Xs, names, presence, y, len(label_names) or None, as_they_are, log)
    if y is not None and (y < 0).any():
        y = None
    say_groups(aligned, n, log)
    _say_roles(found, aligned, n, log)
    kinds = [kind_of(X) for X in Xs]
    say_kinds(names, kinds, log)
    return Found(Xs, names, y, label_names, presence, files, log.notes, kinds, log.roles,
                 log.not_read, log.open, ids, columns, survival)  # fmt: skip


def _said_roles(found):
    parts = [
        f"{key}: {', '.join(v.shown() for v in getattr(found, key)[:5])}"
        for key in ("labels", "masks", "indexes", "ids", "facts", "vectors")
        if getattr(found, key)
    ]
    return f"Found were {'; '.join(parts)}." if parts else ""


def _hints(found):
    """Numbers of samples that labels and the like have, the surest first."""
    named, words, other = [], [], []
    for v in found.labels:
        length = max(v.shape) if v.shape else 0
        sure = v.role == "labels" or names_labels(v.name)
        if v.rows is not None and not v.numbered:
            continue  # matched by names: may be of more or fewer samples
        lengths = [length - 1, length] if v.header_open else [length]
        (named if sure and not v.is_text else words if sure else other).extend(lengths)
    sides = {side for v in (*found.views, *found.stacks) for side in v.shape}
    names = [v.length for v in found.ids if v.length in sides and len(found.ids) == 1]
    maybe = [length for length in [*words, *other, *names] if length in sides]
    vectors = [v.length for v in found.vectors if v.length in sides and not v.bound]
    return [*named, *lengths_of(found), *maybe, *vectors]


def _split_stacks(found, hints, log):
    sides = {side for v in found.views if not v.bound for side in v.shape}
    common = [n for n in sides if all(n in v.shape for v in found.views)]
    widths = {min(v.shape) for v in found.masks if len(v.shape) == 2}
    parts = [(found.order[v.name], [v]) for v in found.views]
    for v in found.stacks:
        if len(v.shape) < 3:
            parts.append((found.order[v.name], [v]))
            continue
        numbers = [n for n in hints if n in v.shape] or [n for n in common if n in v.shape] or (
            hints[:1] or common[:1]
        )  # fmt: skip
        alone = not found.views and len(found.stacks) == 1
        parts.append((found.order[v.name], split_stack(v, numbers, widths, alone, log)))
    found.views = [v for _, several in sorted(parts, key=lambda part: part[0]) for v in several]


def _attach_ids(found, log):
    """Names of samples that each view has as a vector of its own."""
    if len(found.ids) < 2 or len(found.ids) != len(found.views):
        return
    if not all(i.length in v.shape for i, v in zip(found.ids, found.views, strict=True)):
        return
    common = set.intersection(*(set(v.shape) for v in found.views))
    if common and not all(i.length in common for i in found.ids):
        return  # names of features
    for n, (names, v) in enumerate(zip(found.ids, found.views, strict=True)):
        entries = [str(x) for x in names.vector().tolist()]
        on_rows = v.shape[0] == names.length
        found.views[n] = replace(
            v, rows=entries if on_rows else None, columns=None if on_rows else entries,
            corner="sample" if on_rows else "feature",
        )  # fmt: skip
        log.give(names, "ids", f"{names.name} names the samples of {v.name}")


def _with_ids(views, found, n, log):
    """Names of all samples, as a vector beside the views."""
    names = [v for v in found.ids if v.length == n and v.name not in log.roles]
    plainly = [v for v in views if v.rows is None or v.numbered]
    if len(names) != 1 or len(plainly) != len(views) or any(v.shape[0] != n for v in views):
        return views
    entries = [str(x) for x in names[0].vector().tolist()]
    if len(set(entries)) < n:
        return views
    log.give(names[0], "ids")
    return [replace(v, rows=entries, numbered=False) for v in views]


def _as_numbers(v):
    if sparse.issparse(v.values):
        return v
    return replace(v, values=np.asarray(v.values, dtype=np.float64).reshape(v.shape[0], -1))


def _by_ids(mask, ids):
    """A mask that names its samples, in the order of these."""
    if mask.rows is None or mask.numbered:
        return mask
    mine, known = matched_names([list(mask.rows), list(ids)], None)
    place = {name: row for row, name in enumerate(mine)}
    lacking = [name for name, new in zip(ids, known, strict=True) if new not in place]
    if lacking:
        raise NotUnderstood(f"{mask.name} has no row for the sample {lacking[0]}.")
    return replace(mask, values=mask.values[[place[name] for name in known]], rows=None)


def _same_order(views):
    """Whether all views that name their samples have them in one order."""
    names = [v.rows for v in views if v.rows is not None]
    place = {name: n for n, name in enumerate(dict.fromkeys(n for rows in names for n in rows))}
    return all((np.diff([place[name] for name in rows]) > 0).all() for rows in names)


def _number(views, n):
    if n is None or all(v.rows is not None for v in views):
        return views[0].shape[0]
    return n


def _masks_among_views(views, found, n, log):
    """A table of zeros and ones that agrees with the empty rows of the other views is a mask."""
    kept = list(views)
    for v in views:
        others = [w for w in kept if w is not v]
        if v.role == "view" or v.shape != (n, len(others)) or len(others) < 2:
            continue
        if sparse.issparse(v.values) or len(np.unique(v.values)) != 2:
            continue
        there = v.values == v.values.max()
        if any(w.shape[0] != n for w in others):
            continue
        empty = np.column_stack([empty_rows(w, n) | zero_rows(w, n) for w in others])
        if empty.any() and (np.array_equal(there, ~empty) or np.array_equal(there, empty)):
            kept.remove(v)
            found.masks.append(replace(v, values=there.astype(float)))
        elif not zeros_and_ones(v.values):
            continue
        elif not empty.any() and there.any(axis=1).all() and not there.all():
            raise NotUnderstood(
                f"{v.shown()} holds zeros and ones, one column for each other view: a mask of what "
                f"is there, or a view? --role {v.name}=mask or --role {v.name}=view decides."
            )
        elif not empty.any():
            log.note(f"{v.name} holds zeros and ones and is a view; --role {v.name}=mask if it is "
                     "a mask")  # fmt: skip
    return kept


def _short_names(views):
    """The last parts of the names of views, where they differ."""
    short = [last(v.name) for v in views]
    return [s if short.count(s) == 1 else v.name for s, v in zip(short, views, strict=True)]


def _say_roles(found, views, n, log):
    """Every variable that has no role yet gets one, and what is left out is named."""
    for v in views:
        log.roles[v.name] = "view"
    unused = {"labels": "facts", "masks": "mask", "indexes": "index", "ids": "ids"}
    unused |= {"facts": "facts", "vectors": "unknown"}
    left = []
    for place, role in unused.items():
        for v in getattr(found, place):
            if v.name not in log.roles:
                role = "facts" if place == "vectors" and v.length != n else unused[place]
                log.roles[v.name] = "ignored" if v.role == "ignore" else role
                if role in ("facts", "ids"):
                    left.append(v.name if v.shape == () else v.shown())
                elif role == "unknown":
                    log.note(f"{v.shown()} is a vector of unknown meaning and is left out; "
                             f"--role {v.name}=view or labels takes it")  # fmt: skip
    if left:
        more = f" and {len(left) - 12} more" if len(left) > 12 else ""
        log.note(f"left out, no measurement of the samples: {', '.join(left[:12])}{more}")
