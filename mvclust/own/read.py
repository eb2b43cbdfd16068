"""The data set that ``views.yaml`` describes. Nothing is guessed here."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import numpy as np
from scipy import sparse

from mvclust.own import NotUnderstood, formats
from mvclust.own.pieces import Piece
from mvclust.own.texts import UNKNOWN, as_text, gower, in_categories, number, numbers, same
from mvclust.own.views import Named, Views, titles_of
from mvclust.own.words import listed, plain

MOST_SHOWN = 6  # pieces that a message names


@dataclass
class Survival:
    """Times and events of the samples, NaN where not known, and the columns that hold them."""

    time: np.ndarray
    event: np.ndarray
    columns: list


@dataclass
class OwnData:
    """One's own data."""

    Xs: list
    view_names: list
    feature_names: list
    kinds: list
    ids: list | None
    presence: np.ndarray
    y: np.ndarray | None = None  # None also if some labels are not known;
    label_names: list = field(default_factory=list)  # then those of the others
    survival: Survival | None = None
    batch: list | None = None
    facts: dict = field(default_factory=dict)
    gaps: dict = field(default_factory=dict)  # view -> where single values were not known
    notes: list = field(default_factory=list)

    @property
    def n_samples(self) -> int:
        return len(self.presence)

    def each(self) -> Iterator[tuple[str, Any, np.ndarray]]:
        """Return the name, the values and the presence of each view."""
        return zip(self.view_names, self.Xs, self.presence.T, strict=True)


class _Part(NamedTuple):
    """One view: names of its samples or None, names of its features, values."""

    ids: list | None
    features: list
    X: Any


class _Cells(NamedTuple):
    """A table of a file: what its columns are called, its cells, what its rows are called."""

    piece: Piece
    header: int
    columns: list
    cells: Any
    rows: list | None


class Reader:
    """Follows one views.yaml; `place` names its line in messages."""

    def __init__(self, pieces: list[Piece], views: Views):
        self.pieces, self.views = pieces, views
        self.columns_used: dict = {}  # view -> titles of the columns that it has
        self.ids: list | None = None  # of all samples
        self.shown: dict = {}  # names without marks -> as they are in the first table
        self.n_samples, self.kept = 0, np.empty(0, int)  # with those that no view has

    def fail(self, keys, what) -> NoReturn:
        raise NotUnderstood(f"{self.views.place(*keys)}: {what}.")

    def piece(self, where, keys) -> Piece:
        wanted = _place(where)
        if not any(wanted):
            self.fail(keys, "it names no file; expected a key file")
        pieces = {tuple(map(p.where.get, ("file", "sheet", "key"))): p for p in self.pieces}
        if wanted in pieces:
            return pieces[wanted]
        inside = [str(s or k) for file, s, k in pieces if file == where.file and (s or k)]
        shown = f"; {where.file} holds {listed(inside)}" if inside else ""
        self.fail(keys, f"there is no {', '.join(filter(None, wanted))}{shown}")

    def table(self, spec, keys, turn=False) -> _Cells:
        """Return a table of a file; `turn` puts samples in rows."""
        piece = self.piece(spec, keys)
        piece = cut(piece, getattr(spec, "slice", None), getattr(spec, "samples_axis", None))
        if turn and spec.samples == "columns":
            piece = Piece(piece.where, piece.name, piece.values.T, raw=piece.raw,
                          rows=piece.columns, columns=piece.rows)  # fmt: skip
        header = 0 if not piece.raw else 1 if spec.header is None else spec.header
        table = _Cells(piece, header, *frame(piece, header), piece.rows)
        if spec.ids is None:
            return table
        at = [self.column_of(table, title, keys, "ids") for title in titles_of(spec.ids)]
        return table._replace(rows=joined(table.cells, at))

    def column_of(self, table: _Cells, title: str, keys: tuple, *key: str) -> int:
        """Return the number of a column."""
        if title in table.columns:
            return table.columns.index(title)
        text = f"has no column {title}; it has {listed(table.columns)}"
        self.fail((*keys, *key), f"{table.piece.where['file']} {text}")

    def values(self, table: _Cells, chosen, keys, out=(), gaps=()) -> np.ndarray:
        """Return some columns as numbers; a text is a gap, or a sentence unless its row is out."""
        cells, parsed = table.cells[:, chosen], table.piece.parsed
        if parsed and parsed[0] == table.header:
            X, odd = (part[:, chosen] for part in parsed[1:])
        else:
            X, odd = numbers(cells)
        if odd.any():
            odd = odd & ~np.isin(np.char.strip(cells.astype(str)), [*map(str, gaps)])
            odd[list(out)] = False
        for i, j in np.argwhere(odd):
            file, title = table.piece.where["file"], table.columns[chosen[j]]
            self.fail(
                keys,
                f"{cells[i, j]!r} in row {i + 1 + table.header} of {file}, column {title}, is no "
                f"number ({odd.sum()} cells of {odd.any(axis=0).sum()} columns). Leave the column "
                f"out (without: [{title}]), say that this text marks gaps (missing), or read words "
                "as categories (kind: mixed)",
            )
        return X

    def ids_of(self, names, spec, keys, once=True):
        """Return names of samples as views.yaml changes them."""
        if names is None or spec.by_order:
            return None
        marked = matched(names, spec, marks=True)
        names = [*map(plain, marked)] if spec.plain_ids else marked
        if spec.plain_ids:
            self.shown = dict(zip(names, marked, strict=True)) | self.shown
        if once and len(set(names)) < len(names):
            twice = next(n for n in names if names.count(n) > 1)
            first, second, *_ = (i + 1 for i, n in enumerate(names) if n == twice)
            self.fail(
                keys,
                f"the sample {twice!r} occurs twice in {spec.file or spec.parts[0].file} (samples "
                f"{first} and {second}), "
                "expected once. Write one row per sample, take their mean (repeated: mean), or "
                "match by order (by_order: true)",
            )
        return names

    def view(self, name, spec) -> _Part:
        """Return the samples, features and values of a view."""
        keys = ("views", name)
        if spec.parts:
            parts = [self.view(name, _part(spec, where)) for where in spec.parts]
            widths = {p.X.shape[1] for p in parts}
            if len(widths) > 1:
                self.fail(keys, f"its parts have {sorted(widths)} features, expected as many each")
            bare = spec.model_copy(update={"rename": {}, "plain_ids": False})
            Xs, titles = [p.X for p in parts], parts[0].features
            for k, own in enumerate(p.features for p in parts):  # in the order of the first
                if own != titles and {*own} == {*titles}:
                    at = {title: j for j, title in reversed([*enumerate(own)])}
                    Xs[k] = Xs[k][:, [at[title] for title in titles]]
            some = any(map(sparse.issparse, Xs))
            X = sparse.vstack([sparse.csr_array(x) for x in Xs]) if some else np.vstack(Xs)
            return _Part(self.ids_of(_stacked([p.ids for p in parts]), bare, keys), titles, X)
        table = self.table(spec, keys)
        if spec.long:
            return self._unfolded(spec, table, keys)
        chosen = self._chosen(spec, table, keys)
        every = range(table.cells.shape[0])
        names = [i + 1 for i in every] if table.rows is None else table.rows
        out = [i for i in every if str(names[i]) in spec.without_rows] if spec.without_rows else []
        stay = np.setdiff1d(every, out)
        rows = table.rows and [table.rows[i] for i in stay]
        titles = [table.columns[j] for j in chosen]
        self.columns_used[name] = set(titles)
        if spec.transform == "gower" and spec.kind == "numeric":
            self.fail((*keys, "transform"), "gower needs kind: categorical or mixed")
        if spec.kind != "numeric":
            X, titles, origins = in_categories(table.cells[np.ix_(stay, chosen)], titles, spec.kind)
            X = gower(X, origins) if spec.transform == "gower" else X
        elif sparse.issparse(table.cells):
            X = table.cells[stay][:, chosen]
        else:
            X = self.values(table, chosen, keys, out, spec.missing)[stay]
        if spec.triangle and X.shape[0] == X.shape[1]:
            X = np.where(np.isnan(X), X.T, X)
        for mark in map(number, spec.missing):
            X[mark == X] = np.nan
        if spec.samples == "columns":
            named = table.piece.columns is not None or (table.piece.raw and table.header)
            features = rows if rows is not None else [str(j + 1) for j in range(X.shape[0])]
            rows, titles, X = (titles if named else None), features, X.T
            X = sparse.csr_array(X) if sparse.issparse(X) else X
        return self._standing(spec, rows, titles, X, keys)

    def _chosen(self, spec, table, keys) -> list:
        """Return the numbers of the columns with values."""
        without = {*spec.without, *titles_of(spec.ids), *self.beside(spec)}
        wanted = set(table.columns if spec.columns is None else spec.columns)
        for title in wanted - set(table.columns):
            self.column_of(table, title, keys, "columns")
        wanted = {c for c in wanted - without if c.startswith(spec.prefix or "")}
        chosen = [j for j, c in enumerate(table.columns) if c in wanted]
        if not chosen:
            self.fail(keys, f"no column of {table.piece.where['file']} is left")
        return chosen

    def beside(self, spec) -> set:
        """Return the columns of the same table that no method sees."""
        labels, batch, survival = self.views.labels, self.views.batch, self.views.survival
        here = [o for o in (labels, batch, survival) if o and _place(o) == _place(spec)]
        times = titles_of(survival.time) if survival in here else ()
        return {*times, *((o.event if o is survival else o).column for o in here)}

    def _standing(self, spec, rows, titles, X, keys) -> _Part:
        """Bring rows of one sample together; hide and transform values, refuse infinite ones."""
        ids = self.ids_of(rows, spec, keys, once=spec.repeated is None)
        if ids is not None and len(set(ids)) < len(ids):
            at = grouped(zip(ids, range(len(ids)), strict=True))
            ids, X = list(at), np.array([_mean(X[each]) for each in at.values()])
        if spec.only:
            there = self.piece(spec.only, (*keys, "only")).values.ravel().astype(int) - 1
            X[np.setdiff1d(np.arange(len(X)), there)] = np.nan
        if spec.transform == "log1p":
            low = X.min() if sparse.issparse(X) else np.nanmin(X)
            if low < 0:
                self.fail((*keys, "transform"), f"log1p of {low:g}; expected no negative values")
            X = X.log1p() if sparse.issparse(X) else np.log1p(X)
        if np.isinf(X.data if sparse.issparse(X) else X).any():
            i, j = np.argwhere(np.isinf(X.toarray() if sparse.issparse(X) else X))[0]
            what = f"(inf) of sample {ids[i] if ids else i + 1}, feature {titles[j]}"
            text = f"an infinite value {what}; write an empty cell where a value is not known"
            self.fail(keys, f"{spec.file}: {text}")
        return _Part(ids, [str(t) for t in titles], X)

    def _unfolded(self, spec, table, keys) -> _Part:
        """Return a table with one line per value as a wide one."""
        titles = (spec.long.sample, spec.long.feature, spec.long.value)
        s, f, v = (self.column_of(table, t, keys, "long") for t in titles)
        out = np.isin(table.cells[:, s].astype(str), spec.without_rows)
        texts = table.cells[~out][:, [s, f]].astype(str).T
        (ids, i), (names, j) = (np.unique(column, return_inverse=True) for column in texts)
        X = np.full((len(ids), len(names)), np.nan)
        X[i, j] = self.values(table, [v], keys, np.flatnonzero(out))[~out, 0]
        return _Part(self.ids_of(ids.tolist(), spec, keys), names.tolist(), X)

    def column(self, spec, keys, title=None):
        """Return names of samples or None, and the values of a column as texts."""
        if spec.parts:
            both = [self.column(_part(spec, where), keys, title) for where in spec.parts]
            return _stacked([ids for ids, _ in both]), [v for _, values in both for v in values]
        table = self.table(spec, keys, turn=True)
        hot, pattern = getattr(spec, "one_hot", None), getattr(spec, "pattern", None)
        if pattern and table.rows is not None:
            found = [re.search(pattern, str(r)) for r in table.rows]
            values = ["" if m is None else m[0] for m in found]
        elif hot:
            chosen = [j for j, c in enumerate(table.columns)
                      if c not in titles_of(spec.ids) and (hot is True or c in hot)]  # fmt: skip
            X = np.nan_to_num(self.values(table, chosen, keys))
            values = [table.columns[chosen[k]] for k in np.argmax(X, axis=1)]
        else:
            title = title or getattr(spec, "column", None)
            j = 0 if title is None else self.column_of(table, title, keys, "column")
            texts = map(as_text, table.cells[:, j])
            gaps = {*map(as_text, getattr(spec, "missing", ()))}
            values = ["" if t.lower() in UNKNOWN or t in gaps else t for t in texts]
        return self.ids_of(table.rows, spec, keys, once=False), values

    def of_samples(self, spec, keys, title=None) -> list:
        """Return the values of a column for the samples, empty where not known."""
        own, values = self.column(spec, keys, title)
        if own is not None and self.ids is not None:
            known = dict(zip(own, values, strict=True))
            if not known.keys() & set(self.ids):
                both = f"({own[0]}, ...) and those of the samples ({self.ids[0]}, ...)"
                text = "have none in common; by_order: true matches them by order"
                self.fail(keys, f"its names {both} {text}")
            return [known.get(i, "") for i in self.ids]
        if len(values) != self.n_samples:
            n = self.n_samples
            self.fail(keys, f"{len(values)} values without names, expected {n}, one per sample")
        return [values[i] for i in self.kept]


def read(path: Path, views: Views, pieces: list[Piece] | None = None) -> OwnData:
    """Return the data set that the records of views.yaml describe; answers are applied."""
    views = views.answered()
    if not views.views:
        left = [f"; {name}: {why}" for name, why in views.left_out.items()][:MOST_SHOWN]
        raise NotUnderstood(
            f"{path}: {views.place('views')}: no views. Expected a table of numbers of samples; "
            "count the words of texts first (tf-idf), read categories by kind: categorical"
            f"{''.join(left)}."
        )
    if pieces is None:
        pieces, unread = formats.pieces_of(path, set(views.files()))
        for name, why in unread.items():
            raise NotUnderstood(f"{path}: {name}: {why}.")
    reader = Reader(pieces, views)
    parts = {name: reader.view(name, spec) for name, spec in views.views.items()}
    data = _aligned(reader, parts)
    if data.n_samples < 2:
        raise NotUnderstood(
            f"{path}: {data.n_samples} of {reader.n_samples} samples have values, expected at "
            "least 2: are the samples on the other side, or are more lines a header?"
        )
    if views.labels is not None:
        data.y, data.label_names = _classes(reader.of_samples(views.labels, ("labels",)))
    if views.batch is not None:
        data.batch = reader.of_samples(views.batch, ("batch",))
    if views.survival is not None:
        data.survival = _survival(reader, views.survival)
    data.facts = _facts(reader, parts, data)
    _fill_single_gaps(data)
    data.ids = data.ids and [reader.shown.get(i, i) for i in data.ids]
    if gone := reader.n_samples - data.n_samples:
        data.notes.append(f"{gone} of {reader.n_samples} samples are in no view and are left out")
    return data


def matched(names: list, spec: Named, marks: bool = False) -> list:
    """Return names of samples as views.yaml changes them, or with their marks and capitals."""
    names = [str(n).strip().strip('"') for n in names]
    for pattern, by in spec.rename.items():
        names = [re.sub(pattern, by, n) for n in names]
    return [plain(n) for n in names] if spec.plain_ids and not marks else names


def _part(spec, where):
    """Return what views.yaml says of one of several parts."""
    return spec.model_copy(update={"parts": [], **where.model_dump(exclude_unset=True)})


def _stacked(ids):
    """Return the names of several parts, None where one has none."""
    return None if any(each is None for each in ids) else [i for each in ids for i in each]


def frame(piece: Piece, header: int) -> tuple[list, np.ndarray]:
    """Return the names of the columns, numbers from 1 where there are none, and the cells."""
    values = piece.values
    values = values.reshape(len(values), -1) if values.ndim != 2 else values
    if not (piece.raw and header):
        return piece.columns or [str(j + 1) for j in range(values.shape[1])], values
    names = [str(c).strip().strip('"') for c in values[0]]
    names = [c or f"column {j + 1}" for j, c in enumerate(names)]
    seen: dict = {}
    for j, name in enumerate(names):
        seen[name] = seen.get(name, -1) + 1
        names[j] = f"{name}.{seen[name]}" if seen[name] else name
    return names, values[header:]


def joined(cells: np.ndarray, columns: list[int]) -> list:
    """Return what columns call the rows: their cells, several joined by a blank."""
    if len(columns) == 1:
        return list(cells[:, columns[0]])
    return [" ".join(map(as_text, row)) for row in cells[:, columns]]


def vector(piece: Piece) -> np.ndarray:
    """Return the values of a vector: numbers where all are, else texts."""
    values = piece.values.reshape(-1)[piece.header :]
    found = [number(v) for v in values]
    if any(f is None for f in found):
        return np.array([str(v) for v in values], dtype=object)
    return np.array(found, dtype=float)


def cut(piece: Piece, of_axis: tuple | None, samples_axis: int | None) -> Piece:
    """Return the table that a slice of an array, or all of it along an axis of samples, is."""
    values = piece.values
    if values.ndim < 3:
        return piece
    names = [piece.rows, piece.columns, *[None] * values.ndim][: values.ndim]
    if of_axis:
        axis, at = of_axis
        values, names = np.take(values, at - 1, axis=axis - 1), names[: axis - 1] + names[axis:]
    if values.ndim > 2:
        first = (samples_axis or 1) - 1
        values, names = np.moveaxis(values, first, 0), [names[first], None]
        values = values.reshape(len(values), -1)
    return Piece(piece.where, piece.name, values, rows=names[0], columns=names[1])


def grouped(pairs: Iterable[tuple]) -> dict[Any, list]:
    """Return the values of each key, in their order."""
    found: dict = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return found


def _mean(rows):
    """Return the mean of the known values of each column."""
    counts = np.maximum(np.isfinite(rows).sum(axis=0), 1)
    return np.where(np.isfinite(rows).any(axis=0), np.nansum(rows, axis=0) / counts, np.nan)


def _aligned(reader, parts) -> OwnData:
    """Bring the views to the samples of all, in the order in which views name them."""
    named = [part.ids for part in parts.values() if part.ids is not None]
    ids = list(dict.fromkeys(i for each in named for i in each)) if named else None
    n = next(iter(parts.values())).X.shape[0] if ids is None else len(ids)
    reader.ids, reader.n_samples = ids, n
    place = {name: k for k, name in enumerate(ids or ())}
    Xs, presence = [], np.zeros((n, len(parts)), bool)
    for v, (name, part) in enumerate(parts.items()):
        rows = [*range(n)] if part.ids is None else [place[i] for i in part.ids]
        if len(rows) != (m := part.X.shape[0]):
            text = f"{m} samples without names, expected {n} as in the other views"
            reader.fail(("views", name), text)
        if sparse.issparse(part.X):
            at = sparse.csr_array((np.ones(len(rows)), (rows, range(len(rows)))), (n, len(rows)))
            X = sparse.csr_array(part.X) if rows == list(range(n)) else at @ part.X
            presence[rows, v] = True
        else:
            X = np.full((n, part.X.shape[1]), np.nan)
            X[rows] = part.X
            presence[:, v] = ~np.isnan(X).all(axis=1)
        Xs.append(X)
    if reader.views.mask is not None:
        _masked(reader, reader.views.mask, Xs, presence)
    reader.kept = np.flatnonzero(presence.any(axis=1))
    if len(reader.kept) < n:
        ids = reader.ids = ids and [ids[i] for i in reader.kept]
        Xs, presence = [X[reader.kept] for X in Xs], presence[reader.kept]
    kinds = [spec.kind for spec in reader.views.views.values()]
    features = [part.features for part in parts.values()]
    return OwnData(Xs, list(parts), features, kinds, ids, presence)


def _masked(reader, mask, Xs, presence):
    """Hide the instances that a table of zeros and ones says are missing."""
    table = reader.table(mask, ("mask",))
    cells = table.cells
    if mask.ids is not None and reader.ids is not None:
        names, cells = table.rows, np.delete(cells, table.columns.index(mask.ids), axis=1)
        if {*reader.ids} <= {*table.columns}:  # its samples are columns
            names, cells = [c for c in table.columns if c != mask.ids], cells.T
        at = {str(c).strip(): i for i, c in enumerate(names)}
        for gone in (i for i in reader.ids if i not in at):
            reader.fail(("mask",), f"it has no row for the sample {gone}")
        cells = cells[[at[i] for i in reader.ids]]
    present = numbers(cells)[0] == mask.present
    present = present.T if present.shape == presence.T.shape != presence.shape else present
    if present.shape != presence.shape:
        wanted = " x ".join(map(str, presence.shape))
        reader.fail(("mask",), f"{' x '.join(map(str, present.shape))}, expected {wanted}")
    presence &= present
    for v, X in enumerate(Xs):
        if sparse.issparse(X):
            Xs[v] = sparse.csr_array(sparse.diags_array(presence[:, v].astype(float)) @ X)
        else:
            X[~presence[:, v]] = np.nan


def _classes(values):
    """Return the numbers of the classes, None if some are not known, and their names."""
    found = {v: number(v) for v in values if v != ""}
    numeric = all(f is not None and f == f for f in found.values())
    if numeric:  # 1.0 and 1e+00 are the class 1
        plain = {v: as_text(f) for v, f in found.items()}
        values, found = [plain.get(v, "") for v in values], {plain[v]: f for v, f in found.items()}
    names = sorted(found, key=lambda w: (found[w], w) if numeric else w)
    if "" in values or not names:
        return None, names
    return np.array([names.index(v) for v in values]), names


def _survival(reader, spec):
    times = titles_of(spec.time)
    columns = [reader.of_samples(spec, ("survival", "time"), title) for title in times]
    known = [[number(v) for v in row] for row in zip(*columns, strict=True)]
    time = [next((v for v in row if v is not None and v == v), np.nan) for row in known]
    column, wanted, keys = spec.event.column, spec.event.is_, ("survival", "event")
    events = reader.of_samples(spec, keys, column)
    event = [np.nan if e == "" else float(same(e, wanted)) for e in events]
    if 1.0 not in event:
        shown = listed(sorted({*events} - {""}))
        reader.fail((*keys, "is"), f"no {column} is {wanted}; there are {shown}")
    return Survival(np.array(time, float), np.array(event), [*times, column])


def _place(where) -> tuple:
    """Return the file, sheet and key that an entry of views.yaml names."""
    return where.file, where.sheet, where.key


def _facts(reader, parts, data):
    """Return the columns of the tables of facts; those that are clustered are none."""
    facts: dict = {}
    for name, spec in reader.views.facts.items():
        keys = ("facts", name)
        first = _part(spec, spec.parts[0]) if spec.parts else spec
        survival = reader.views.survival
        gone = {*titles_of(spec.ids), *spec.without, *(reader.beside(survival) if survival else ())}
        for view, other in reader.views.views.items():
            if _place(other) == _place(first):
                gone |= reader.columns_used.get(view, {*parts[view].features})
        columns = reader.table(first, keys, turn=True).columns
        titles = [c for c in spec.columns or columns if c not in gone]
        own = reader.column(spec, keys, titles[0])[0] if titles else None
        if own is not None and data.ids is not None and not {*own} & {*data.ids}:
            data.notes.append(f"{name} names no sample of the views: its facts are left out")
            continue
        for title in titles:
            values = reader.of_samples(spec, keys, title)
            facts[f"{name}: {title}" if title in facts else title] = values
    return facts


def _fill_single_gaps(data):
    """Give single gaps the mean of their feature; leave out features without any value."""
    for v, (name, X, present) in enumerate(data.each()):
        if sparse.issparse(X) or not present.any():
            continue
        gaps = np.isnan(X) & present[:, None]
        empty = gaps[present].all(axis=0)
        if empty.any():
            data.notes.append(f"{empty.sum()} features of {name} have no value and are left out")
            X, gaps = X[:, ~empty], gaps[:, ~empty]
            data.feature_names[v] = [data.feature_names[v][j] for j in np.flatnonzero(~empty)]
        if gaps.any():
            data.gaps[name] = gaps
            X = np.where(gaps, np.nanmean(np.asfortranarray(X[present]), axis=0), X)
            share = gaps[present].mean(axis=0)
            most = data.feature_names[v][int(share.argmax())]
            data.notes.append(
                f"{gaps.sum()} single gaps in the view {name} get the mean of their feature "
                f"({gaps[present].mean():.1%} of its values; most in {most}, {share.max():.0%})"
            )
        data.Xs[v] = X
