"""Propose ``views.yaml``: the likeliest reading of the files, and what else fits as questions.

A table is a view unless something says otherwise; numbers raise questions and never decide.
"""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np

from mvclust.own import NotUnderstood, formats, roles, sides, words
from mvclust.own.pieces import Piece, key_of
from mvclust.own.read import Reader, cut, grouped, joined, vector
from mvclust.own.tables import TEXT, Table, kind_of, name_rows, thousands, understand, with_header
from mvclust.own.texts import BEYOND, Unreadable, number
from mvclust.own.views import View, Views

MOST_KEYS = 8  # first columns that may name the rows together


class Proposal:
    """The content of views.yaml, notes, and the pieces that it is about."""

    def __init__(self, path: Path, pieces: list, unread: dict[str, Unreadable], given: dict):
        self.path, self.pieces, self.unread = path, pieces, unread
        self.sides = given  # sides of the samples, by table
        self.turns: list = []  # of the question about sides: answer, and what it says of tables
        self.views: dict = {}
        self.labels = self.mask = self.survival = None
        self.left_out: dict = {}
        self.facts: dict = {}
        self.features: dict = {}  # of a view of which columns are left out, in words
        self.questions: list = []
        self.notes = [p.note for p in pieces if p.note]
        for name, error in unread.items():
            self.leave(name, str(error), f"{error}. Go on without it?" * (not error.prose))

    def ask(self, about: Table | list[Table] | str, text: str, *others: str | list) -> None:
        """Put a question whose first answer is the proposal as it is; the others are lines."""
        self.choose(about, text, [], *others)

    def choose(self, about: Table | list[Table] | str, text: str, *answers: str | list) -> None:
        """Put a question, one for all tables; answers are lines, the first one is the proposal."""
        tables = about if isinstance(about, list) else [about]
        about = ", ".join(t if isinstance(t, str) else t.name for t in tables)
        several = [[a] if isinstance(a, str) else list(a) for a in answers]
        lines = [each for answer in several for each in answer]
        for q in (q for q in self.questions if q["text"] == text):
            if any(each.startswith("mask") for each in lines):  # one of them
                q["answers"] += [a for a in several if a not in q["answers"]]
            elif len(q["answers"]) != len(several) or any(x.startswith("labels") for x in lines):
                continue
            else:
                q["answers"] = [[*a, *b] for a, b in zip(q["answers"], several, strict=True)]
            q["about"].append(about)
            return
        self.questions.append({"about": [about], "text": text, "answers": several})

    def ask_unknown(self, classes: list) -> None:
        """Ask whether a negative number among classes says that the class is not known."""
        known = {x for c in classes if (x := number(c)) is not None}
        below = sorted(v for v in known if v < 0)
        if len(below) == 1 and len(known) > 2 and min(known - {*below}) >= 0:
            text = f"is {below[0]:g} a class, and no mark of samples without one?"
            self.ask("labels", text, f"labels.missing: [{below[0]:g}]")

    def leave(self, name: str, why: str, text: str = "", *others: str | list) -> None:
        """Leave a piece or file out; a text asks whether that is right."""
        self.left_out[name] = why
        if text:
            self.ask(name, text, *others)

    def records(self) -> Views:
        """Return the records of views.yaml; questions about columns say which features are left."""
        ask = []
        for q in self.questions:
            names = q["about"] if "left out of the view" in q["text"] else ()
            left = {self.features[n]: f" of {n}" for n in names if self.features.get(n)}
            left = "".join(f" Features{of * (len(left) > 1)}: {each}." for each, of in left.items())
            question = f"{', '.join(q['about'])}: {q['text']}{left}"
            ask.append({"question": question, "answers": q["answers"]})
        keys = ("views", "labels", "mask", "survival", "facts", "left_out")
        try:
            return Views.model_validate({key: getattr(self, key) for key in keys} | {"ask": ask})
        except ValueError as error:  # a fault of ours: no stack for the user
            raise NotUnderstood(f"{self.path}: no proposal: {error}.") from error


def propose(path: Path, like: Proposal | None = None, given: dict | None = None) -> Proposal:
    """Return the proposal for a file or folder; for the pieces of another one, with given sides."""
    pieces, unread = (like.pieces, like.unread) if like else formats.pieces_of(path)
    if not pieces:
        left = "".join(f"; {name}: {why}" for name, why in unread.items())
        raise NotUnderstood(f"{path}: no file to read; looked for {formats.LAYOUTS}{left}.")
    p = Proposal(path, pieces, unread, given or {})
    tables, vectors = _sort(p)
    found = dict.fromkeys(words.part(_full_name(t.piece)) for t in tables)
    turns = {part: n for n, part in enumerate(found)}  # of train and test
    vectors = _join_vectors(vectors, turns)
    tables = _join_parts(p, tables, turns)
    flat = [t for t in tables if t.piece.values.ndim == 2 or "parts" in t.piece.where]
    lengths = {len(v.values) for v in vectors if words.called_labels(v.name)}
    lengths |= {s for t in flat for s in t.piece.values.shape}
    tables = [u for t in tables for u in ([t] if t in flat else _of_axes(p, t, lengths))]
    _headers(p, tables, vectors)
    for t in tables:
        if shown := thousands(t):
            text = f"{shown} beside whole numbers is read as decimals: are these no thousands?"
            p.ask(t, text, t.drop())
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
            t = understand(piece)
            cells = t.texts[np.isnan(t.values)] if t.texts is not None else ()
            if beyond := next((c for c in cells if BEYOND.fullmatch(str(c).strip())), None):
                p.notes.append(f"{t.name}: cells such as {beyond} are read as gaps")
            if piece.raw and len(t.kinds) == 1:
                vectors.append(replace(piece, header=t.header))
            elif set(t.kinds) == {"empty"}:
                p.leave(t.name, "no values")
            elif {"source", "target"} <= {c.lower() for c in t.columns or ()}:
                p.leave(t.name, "links, one per line")
            else:
                tables.append(_lines_of_values(p, t) or t)
    tables = [t for t in tables if not _pairs_of_names(p, t, tables)]
    keys = _shared_keys(tables)
    names = [{*map(str, t.row_names or ()), *(t.columns or ()), *keys.get(t, ())} for t in tables]
    known = Counter(name for each in names for name in each)
    for t, mine in zip(tables, names, strict=True):
        if t.texts is not None and t.piece.rows is None:
            others = {k for k, count in known.items() if count > (k in mine)}
            name_rows(t, others)
            t.linked = len(others & set(t.columns or ())) > 0.3 * len(t.kinds)
    _join_keys(p, tables)
    return tables, vectors


def _pairs_of_names(p, t, tables) -> bool:
    """Leave out a table of two columns that hold names of the rows of another table: links."""
    if len(t.kinds) != 2 or t.texts is None or len(t.values) in (t.distinct(0), t.distinct(1)):
        return False
    cells = {*t.cells(0), *t.cells(1)}
    for o in (o for o in tables if len(o.kinds) > 2 and o.texts is not None):
        if o.distinct(0) == len(o.values) and len(cells & {*o.cells(0)}) > 0.9 * len(cells):
            p.leave(t.name, f"links, one per line, between rows of {o.name}")
            return True
    return False


def _join_keys(p, tables):
    """Name rows by the columns that tables share, where these come in other orders."""
    bare = [t for t in tables if t.texts is not None and t.columns and t.piece.rows is None]
    bare = [t for t in bare if t.names is None]
    while bare:
        t, *rest = bare
        shares = {o: s for o in rest if (s := _shared(t, o))}
        bare = [o for o in rest if o not in shares]
        group, titles = [t, *shares], [c for c in t.columns if all(c in s for s in shares.values())]
        at = {o: [o.columns.index(c) for c in titles] for o in group}
        rows = [joined(o.texts, js) for o, js in at.items() if js]
        common = [(Counter(r) & Counter(rows[0])).total() > 0.5 * len(r) for r in rows]
        if not shares or not titles or not all(common) or all(r == rows[0] for r in rows):
            continue
        if all(len({*r}) == len(r) for r in rows):
            for o, js in at.items():
                o.key = js
        else:
            text = f"{' and '.join(titles)} come in other orders: are the rows matched by order?"
            p.ask(group, text)


def _shared(t, o) -> list:
    """Return the titles under which two tables hold mostly the same, and not one value only."""
    both = [title for title in t.columns[:MOST_KEYS] if title in o.columns]
    pairs = [[Counter(x.cells(x.columns.index(title))) for x in (t, o)] for title in both]
    return [title for title, (a, b) in zip(both, pairs, strict=True)
            if len(a) > 1 and (a & b).total() > 0.9 * min(a.total(), b.total())]  # fmt: skip


def _shared_keys(tables) -> dict[Table, set]:
    """Return the cells of columns that number each row once under one title in several tables."""
    columns = []
    for t in tables:
        named = t.names is not None and words.FEATURE_WORD.match(t.title(t.names))
        able = t.columns and t.texts is not None and t.piece.rows is None and not named
        for j in t.of(range(len(t.kinds)), "whole", "index") if able else ():
            raw = {*t.cells(j)}
            cells = {c.lstrip("0") for c in raw}
            if len(cells) == len(t.values) > 2 and not words.CLOCK.match(t.title(j)):
                columns.append((t.title(j), (t, raw, cells, t.kinds[j])))
    keys: dict = {}
    for each in grouped(columns).values():
        for t, raw, cells, kind in each:
            # Columns that only count the rows in all tables are none.
            others = [o for u, _, o, of in each if u is not t and (kind, of) != ("index", "index")]
            if any(2 * len(cells & o) > min(len(cells), len(o)) for o in others):
                keys.setdefault(t, set()).update(cells | raw)
                t.keyed = True
    return keys


def _lines_of_values(p, t) -> Table | None:
    """Return a table of sample, feature and value as a wide one."""
    keys, values = t.kinds[:2], t.kinds[2:]
    able = {"words", "text", "date", "few", "whole", "names"}
    fits = able.issuperset(keys) and values in (["num"], ["whole"], ["few"])
    if not t.columns or t.names is not None or not fits:
        return None
    n, sizes = len(t.values), (t.distinct(0), t.distinct(1))
    pairs = set(zip(t.cells(0), t.cells(1), strict=True))
    if len(pairs) < n or n == max(sizes) or sizes[0] * sizes[1] > 3 * n:
        return None
    named = [j for j in (0, 1) if words.names_samples(t.title(j))]
    first = [*named, *(j for j in (0, 1) if keys[j] != "date"), 0][0]
    a, b = t.title(first), t.title(1 - first)
    long = {"sample": a, "feature": b, "value": t.title(2)}
    spec = {**t.piece.where, "long": long}
    part = Reader([t.piece], Views(views={})).view(t.name, View.model_validate(spec))
    if not (words.names_samples(a) and words.FEATURE_WORD.match(b)):
        text = f"one line per value: {a} names the samples, {b} the features?"
        p.choose(t, text, t.set("long", long), t.set("long", {**long, "sample": b, "feature": a}))
    wide = Piece(spec, t.name, part.X, rows=part.ids, columns=part.features, samples="rows")
    return understand(wide)


def _join_parts(p, tables, turns) -> list[Table]:
    """Stack tables that are called train and test."""
    pairs = []
    for t in tables:
        key, name = t.piece.where.get("key", "").rsplit("/", 1)[-1], _full_name(t.piece)
        apart = words.PART.sub("", key) if words.PART.search(name) else t.name
        pairs.append(((words.PART.sub("", name), t.values.shape[1:], apart, str(t.columns)), t))
    out = []
    for (name, *_), group in grouped(pairs).items():
        parts = [t for t in group if words.PART.search(_full_name(t.piece))]
        parts.sort(key=lambda t: turns[words.part(_full_name(t.piece))])
        if len(parts) < 2:
            out += group
            continue
        out += [t for t in group if t not in parts]
        name = key_of(name)
        t = _stacked(p, parts, f"view{name}" if name.isdigit() else name or parts[0].name)
        if len(set(t.kinds)) == 1 and len(np.unique(t.values)) == 2:
            width = t.values.shape[1]
            text = f"holds two values only ({width} columns): several labels per sample, left out?"
            p.leave(t.name, "several labels per sample", text, t.as_view())
        else:
            out.append(t)
    return out


def _full_name(piece) -> str:
    """Return a name with those of the groups that hold it: train_x1 of train/x1."""
    inside = piece.where.get("key", "").replace("/", "_")
    return inside if words.PART.search(inside) else piece.name


def _stacked(p, parts, name) -> Table:
    first, values = parts[0], np.vstack([t.values for t in parts])
    if values.ndim > 2:
        size = " x ".join(map(str, values.shape))
        p.ask(name, f"an array of {size} in parts: one view, its samples along axis 1?")
        values = values.reshape(len(values), -1)
    texts = None if first.texts is None else np.vstack([t.texts for t in parts])
    odd = [[c for t in parts if texts is not None and t.of([j], *TEXT, "odd")
            for c, v in zip(t.cells(j), t.values[:, j], strict=True) if v != v]
           for j in range(values.shape[1])]  # fmt: skip
    kinds = [kind_of(column, each) for column, each in zip(values.T, odd, strict=True)]
    where = {"parts": [t.piece.where for t in parts]}
    piece = replace(first.piece, where=where, name=name, values=values, rows=None, samples="rows")
    return replace(first, piece=piece, values=values, texts=texts, kinds=kinds, match={})


def _join_vectors(vectors, turns) -> list[Piece]:
    """Join vectors that are called train and test."""
    out = []
    for name, group in grouped((words.PART.sub("", _full_name(v)), v) for v in vectors).items():
        if len(group) < 2 or not all(words.PART.search(_full_name(v)) for v in group):
            out += group
        else:
            group.sort(key=lambda v: turns.get(words.part(_full_name(v)), len(turns)))
            where = {"parts": [v.place(v.header) for v in group]}
            out.append(Piece(where, key_of(name), np.concatenate([*map(vector, group)])))
    return out


def _of_axes(p, t, lengths):
    """Return the views in an array: those of its shortest axis, or one of all but the samples'."""
    X, shape, where = t.piece.values, t.piece.values.shape, t.piece.where
    fits = [a for a in range(len(shape)) if shape[a] in lengths]
    kernel = len(shape) == 3 and shape[0] == shape[1] != shape[2]
    kernel = kernel and np.allclose(X, np.swapaxes(X, 0, 1))
    differ = len(shape) == 3 and len(set(shape)) == 3
    axis = 2 if kernel else int(np.argmin(shape)) if differ else None
    named = t.piece.columns and axis == 2
    sample = fits[0] if fits else 1 if named else int(np.argmax(shape))
    text = f"an array of {' x '.join(map(str, shape))}:"
    if axis is None or axis == sample:
        spec = {**where, "samples_axis": sample + 1}
        flat = replace(cut(t.piece, None, sample + 1), where=spec, samples="rows")
        text += f" one view of {flat.values.shape[1]} features, samples along axis {sample + 1}?"
        axes = sample + 1, *(a + 1 for a in range(len(shape)) if a != sample)
        p.choose(t, text, *(t.set("samples_axis", each) for each in axes))
        return [understand(flat)]
    rest = [a for a in range(3) if a != axis]
    side, views = "rows" if rest[0] == sample else "columns", []
    for k in range(1, shape[axis] + 1):
        part = {"where": {**where, "slice": [axis + 1, k]}, "name": f"{t.name}_{k}"}
        part = replace(cut(t.piece, (axis + 1, k), None), **part, samples=side, of=t.piece.name)
        views.append(understand(part))
    if not kernel:
        n, d = shape[sample], shape[3 - axis - sample]
        text += f" {shape[axis]} views of {d} features for {n} samples?"
        answers = ([u.set("samples", each) for u in views] for each in (side, sides.OTHER[side]))
        p.choose(t, text, *answers)
    return views


def _headers(p, tables, vectors):
    """Take a first line of numbers as a header where all else counts one line less."""
    counts = Counter([len(vector(v)) for v in vectors] + [len(t.values) for t in tables])
    for k, t in enumerate(tables):
        n = len(t.values)
        if t.header == 0 and counts[n - 1] and counts[n] < 2:
            tables[k] = replace(with_header(t.piece, 1), linked=t.linked)
            text = f"is the first line a header? {n - 1} lines are left then, as elsewhere."
            p.choose(t, text, t.set("header", 1), t.set("header", 0))
        elif t.unsure_header:
            first = words.listed(t.piece.values[0], 4)
            text = f"the first line is {first}: {'a header' if t.header else 'data'}?"
            p.choose(t, text, t.set("header", t.header), t.set("header", 1 - t.header))
    for v in vectors:
        n = len(v.values)
        if v.raw and not v.header and counts[n] < 2 and counts[n - 1]:
            v.header = 1
