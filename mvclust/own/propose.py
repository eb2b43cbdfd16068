"""Propose ``views.yaml``: the likeliest reading of the files, and what else fits as questions.

A table is a view unless something says otherwise; numbers raise questions and never decide.
"""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np

from mvclust.own import NotUnderstood, formats, roles, sides
from mvclust.own.pieces import Piece
from mvclust.own.proposal import Proposal, vector
from mvclust.own.read import Reader, cut
from mvclust.own.tables import Table, kind_of, line, name_rows, understand, with_header
from mvclust.own.views import View, Views
from mvclust.own.words import FEATURE_WORD, PART, called_labels, names_samples


def propose(path: Path) -> Proposal:
    """Return the proposal for a file or folder: records of views.yaml, notes and pieces."""
    pieces, unread = formats.pieces_of(path)
    if not pieces:
        left = "".join(f"; {name}: {why}" for name, why in unread.items())
        raise NotUnderstood(f"{path}: no file to read; looked for {formats.LAYOUTS}{left}.")
    p = Proposal(path, pieces, unread)
    tables, vectors = _sort(p)
    vectors = _join_vectors(vectors)
    tables = _unfold(p, _join_parts(p, tables), vectors)
    _headers(p, tables, vectors)
    covered, n = sides.find_samples(p, tables, vectors)
    roles.give(p, covered, vectors, n)
    return p


def _sort(p) -> tuple[list[Table], list[Piece]]:
    """Sort pieces into tables and vectors."""
    tables, vectors = [], []
    for piece in p.pieces:
        if piece.values.ndim == 1:
            vectors.append(piece)
        elif piece.values.ndim > 2:
            tables.append(Table(piece, None, None, piece.values, None, []))
        elif piece.raw and len(piece.values) == 1:
            p.leave(piece.name, "a single line")
        else:
            _sort_table(p, piece, tables, vectors)
    names = [{*map(str, t.row_names or ()), *(t.columns or ())} for t in tables]
    known = Counter(name for each in names for name in each)
    for t, mine in zip(tables, names, strict=True):
        if t.texts is not None and t.piece.rows is None and "long" not in t.piece.where:
            others = {k for k, count in known.items() if count > (k in mine)}
            name_rows(t, others)  # pyright: ignore[reportArgumentType]
            t.linked = len(others & set(t.columns or ())) > 0.3 * len(t.kinds)
    return tables, vectors


def _sort_table(p, piece, tables, vectors):
    t = understand(piece)
    titles = {c.lower() for c in t.columns or ()}
    if piece.raw and len(t.kinds) == 1:
        vectors.append(replace(piece, header=t.header))
    elif set(t.kinds) == {"empty"}:
        p.leave(t.name, "no values")
    elif {"source", "target"} <= titles:
        p.leave(t.name, "links, one per line")
    else:
        tables.append(_lines_of_values(p, t) or t)


def _lines_of_values(p, t) -> Table | None:
    """Return a table of sample, feature and value as a wide one."""
    able = ("words", "text", "date", "few", "whole", "names")
    keys = [j for j, k in enumerate(t.kinds) if k in able][:2]
    if not t.columns or len(t.kinds) != 3 or keys != [0, 1] or t.names is not None:
        return None
    pairs = list(zip(t.cells(0), t.cells(1), strict=True))
    sizes = t.distinct(0), t.distinct(1)
    whole = len(set(pairs)) == len(pairs) != max(sizes)
    if t.kinds[2] not in ("num", "whole", "few") or not whole:
        return None
    if sizes[0] * sizes[1] > 3 * len(pairs):
        return None
    s = next((k for k in keys if names_samples(t.title(k))),
             next((k for k in keys if t.kinds[k] != "date"), 0))  # fmt: skip
    names = {"sample": t.title(s), "feature": t.title(1 - s), "value": t.title(2)}
    spec = {**t.piece.where, "long": names}
    part = Reader([t.piece], Views(views={})).view(t.name, View.model_validate(spec))
    if not (names_samples(names["sample"]) and FEATURE_WORD.match(names["feature"])):
        turned = {**names, "sample": names["feature"], "feature": names["sample"]}
        text = (
            f"one line per value: {names['sample']} names the samples, {names['feature']} the "
            "features?"
        )
        p.ask(t.name, text, [t.set("long", names)], [t.set("long", turned)])
    wide = Piece(spec, t.name, part.X, rows=part.ids, columns=part.features, samples="rows")
    return understand(wide)


def _join_parts(p, tables) -> list[Table]:
    """Stack tables that are called train and test."""
    groups: dict = {}
    for t in tables:
        key = t.piece.where.get("key", "").rsplit("/", 1)[-1]
        apart = PART.sub("", key) if PART.search(t.name) else t.name
        group = PART.sub("", t.name), t.values.shape[-1], apart
        groups.setdefault(group, []).append(t)
    out = []
    for (name, width, _), group in groups.items():
        parts = [t for t in group if PART.search(t.name)]
        if len(parts) < 2:
            out += group
            continue
        out += [t for t in group if t not in parts]
        t = _stacked(parts, name.strip("_ ") or parts[0].name, width)
        if len(set(t.kinds)) == 1 and len(np.unique(t.values)) == 2:
            p.leave(t.name, "several labels per sample")
            text = f"holds two values only ({width} columns): several labels per sample, left out?"
            p.ask(t.name, text, [], [line(f"views.{t.name}", p.spec(t))])
            continue
        out.append(t)
    return out


def _stacked(parts, name, width) -> Table:
    first = parts[0]
    t = replace(first, values=np.vstack([g.values for g in parts]), match={}, spare=first.spare)
    if first.texts is not None:
        t.texts = np.vstack([g.texts for g in parts])
    odd = [[] for _ in range(width)] if t.texts is None else [
        [c for g in parts for c, v in zip(g.cells(j), g.values[:, j], strict=True)
         if v != v and g.kinds[j] in ("words", "text", "names", "same", "date", "odd")]
        for j in range(width)
    ]  # fmt: skip
    t.kinds = [kind_of(t.values[:, j], odd[j]) for j in range(width)]
    where = {"parts": [g.piece.where for g in parts]}
    t.piece = replace(first.piece, where=where, name=name, values=t.values, rows=None,
                      samples="rows")  # fmt: skip
    return t


def _join_vectors(vectors) -> list[Piece]:
    """Join vectors that are called train and test."""
    groups: dict = {}
    for v in vectors:
        groups.setdefault(PART.sub("", v.name) if PART.search(v.name) else v.name, []).append(v)
    out = []
    for name, group in groups.items():
        if len(group) < 2 or not all(PART.search(v.name) for v in group):
            out += group
            continue
        wheres = [v.place(v.header) for v in group]
        values = np.concatenate([vector(v) for v in group])
        out.append(Piece({"parts": wheres}, name.strip("_ "), values))
    return out


def _unfold(p, tables, vectors) -> list[Table]:
    """Turn arrays of more than two axes into tables."""
    flat = [t for t in tables if t.piece.values.ndim == 2 or "parts" in t.piece.where]
    lengths = {len(v.values) for v in vectors if called_labels(v.name)}
    lengths |= {s for t in flat for s in t.piece.values.shape}
    out = []
    for t in tables:
        out += [t] if t in flat else _of_axes(p, t, lengths)
    return out


def _of_axes(p, t, lengths):
    """Return the views in an array: those of its shortest axis, or one of all but the samples'."""
    shape = t.piece.values.shape
    fits = [a for a in range(len(shape)) if shape[a] in lengths]
    kernel = len(shape) == 3 and shape[0] == shape[1] != shape[2]
    kernel = kernel and np.allclose(t.piece.values, np.swapaxes(t.piece.values, 0, 1))
    differ = len(shape) == 3 and len(set(shape)) == 3
    axis = 2 if kernel else int(np.argmin(shape)) if differ else None
    named = t.piece.columns and axis == 2
    sample = fits[0] if fits else 1 if named else int(np.argmax(shape))
    size = " x ".join(map(str, shape))
    if axis is None or axis == sample:
        spec = {**t.piece.where, "samples_axis": sample + 1}
        flat = cut(t.piece, None, sample + 1)
        others = [a for a in range(len(shape)) if a != sample]
        p.ask(
            t.name,
            f"an array of {size}: one view of {flat.values.shape[1]} features, samples along axis "
            f"{sample + 1}?",
            [t.set("samples_axis", sample + 1)],
            *([t.set("samples_axis", a + 1)] for a in others),
        )
        return [understand(replace(flat, where=spec, samples="rows"))]
    rest = [a for a in range(3) if a != axis]
    side = "rows" if rest[0] == sample else "columns"
    views = []
    for k in range(1, shape[axis] + 1):
        spec = {**t.piece.where, "slice": [axis + 1, k]}
        part = cut(t.piece, (axis + 1, k), None)
        part = replace(part, where=spec, name=f"{t.name}_{k}", samples=side, of=t.piece.name)
        views.append(understand(part))
    if not kernel:
        features = shape[3 - axis - sample]
        p.ask(
            t.name,
            f"an array of {size}: {shape[axis]} views of {features} features for {shape[sample]} "
            "samples?",
            *([u.set("samples", each) for u in views] for each in (side, sides.other(side))),
        )
    return views


def _headers(p, tables, vectors):
    """Take a first line of numbers as a header where all else counts one line less."""
    counts = Counter([len(vector(v)) for v in vectors] + [len(t.values) for t in tables])
    for t in tables:
        n = len(t.values)
        if t.header == 0 and counts[n - 1] and counts[n] < 2:
            _under_a_header(t, 1)
            text = f"is the first line a header? {n - 1} lines are left then, as elsewhere."
            p.ask(t.name, text, [t.set("header", 1)], [t.set("header", 0)])
        elif t.unsure_header:
            first = " ".join(map(str, t.piece.values[0][:4]))
            text = f"the first line is {first} ...: {'a header' if t.header else 'data'}?"
            p.ask(t.name, text, [t.set("header", t.header)], [t.set("header", 1 - t.header)])
    for v in vectors:
        n = len(v.values)
        if v.raw and not v.header and counts[n] < 2 and counts[n - 1]:
            v.header = 1


def _under_a_header(t, header):
    new = with_header(t.piece, header)
    for key in ("header", "columns", "values", "texts", "kinds", "names", "spare"):
        setattr(t, key, getattr(new, key))


def views_of(p: Proposal) -> Views:
    """Return the records of a proposal."""
    try:
        return Views.model_validate(p.content())
    except ValueError as error:  # a fault of ours: no stack for the user
        raise NotUnderstood(f"{p.path}: no proposal: {error}.") from error
