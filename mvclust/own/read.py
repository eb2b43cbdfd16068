"""The data set that ``views.yaml`` describes. Nothing is guessed here."""

import re
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from scipy import sparse

from mvclust.own import NotUnderstood, formats
from mvclust.own.categories import UNKNOWN, as_text, gower, in_categories
from mvclust.own.pieces import Piece
from mvclust.own.texts import number, numbers
from mvclust.own.views import Named, Views

MOST_SHOWN = 6  # pieces that a message names


@dataclass
class Survival:
    """Times and events of the samples, NaN where not known, and the columns that hold them."""

    time: np.ndarray
    event: np.ndarray
    columns: list


@dataclass
class OwnData:
    """One's own data.

    `y` is None if there are no labels, or if some are not known; then `label_names` are those of
    the others.
    """

    Xs: list
    view_names: list
    feature_names: list
    kinds: list
    ids: list | None
    presence: np.ndarray
    y: np.ndarray | None = None
    label_names: list = field(default_factory=list)
    survival: Survival | None = None
    batch: list | None = None
    facts: dict = field(default_factory=dict)
    notes: list = field(default_factory=list)

    @property
    def n_samples(self) -> int:
        """The number of samples."""
        return len(self.presence)


@dataclass
class _Part:
    """One view: names of its samples or None, names of its features, values."""

    ids: list | None
    features: list
    X: np.ndarray


class Reader:
    """Follows one views.yaml; `place` names its line in messages."""

    def __init__(self, pieces, views):
        self.pieces, self.views = pieces, views
        self.columns_used: dict = {}  # view -> titles of the columns that it has

    def fail(self, keys, what):
        raise NotUnderstood(f"{self.views.place(*keys)}: {what}.")

    def piece(self, where, keys) -> Piece:
        wanted = (where.file, where.sheet, where.key)
        places = [tuple(map(p.where.get, ("file", "sheet", "key"))) for p in self.pieces]
        if wanted in places:
            return self.pieces[places.index(wanted)]
        inside = [str(sheet or key) for file, sheet, key in places if file == where.file]
        self.fail(
            keys,
            f"there is no {', '.join(filter(None, wanted))}"
            + (f"; {where.file} holds {', '.join(inside[:8])}" if inside != ["None"] and inside
               else ""),
        )  # fmt: skip

    def column_of(self, columns, title, keys, file):
        """Return the number of a column."""
        if title not in columns:
            shown = ", ".join(columns[:8]) + (" ..." if len(columns) > 8 else "")
            self.fail(keys, f"{file} has no column {title}; it has {shown}")
        return columns.index(title)

    def values(self, cells, columns, keys, piece, header, at=None):
        """Return cells as numbers; a text is a sentence with its row and column.

        `at` are the rows and columns of the cells, if numbers of the whole table may be known.
        """
        if at is not None and piece.parsed and piece.parsed[0] == header:
            rows, chosen = at
            rows = slice(None) if len(rows) == len(piece.parsed[1]) else rows
            out, odd = (part[rows][:, chosen] for part in piece.parsed[1:])
        else:
            out, odd = numbers(cells)
        if odd.any():
            i, j = np.argwhere(odd)[0]
            line = i + 1 + (header if piece.raw else 0)
            self.fail(
                keys,
                f"{cells[i, j]!r} in row {line} of {piece.where['file']}, column {columns[j]}, is "
                f"no number ({odd.sum()} cells of {len(set(np.nonzero(odd)[1]))} columns). Leave "
                f"the column out (without: [{columns[j]}]), or read words as categories "
                "(kind: mixed)",
            )
        return out

    def ids_of(self, names, spec, keys, once=True):
        """Return names of samples as views.yaml changes them."""
        if names is None or spec.by_order:
            return None
        names = matched(names, spec)
        if once and len(set(names)) < len(names):
            twice = next(n for n in names if names.count(n) > 1)
            rows = [i + 1 for i, n in enumerate(names) if n == twice]
            file = spec.file or spec.parts[0].file
            self.fail(
                keys,
                f"the sample {twice!r} occurs twice in {file} (samples {rows[0]} and {rows[1]}), "
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
            named = all(p.ids is not None for p in parts)
            ids = [i for p in parts for i in p.ids] if named else None
            bare = spec.model_copy(update={"rename": {}, "plain_ids": False})
            X = (sparse.vstack if sparse.issparse(parts[0].X) else np.vstack)([p.X for p in parts])
            return _Part(self.ids_of(ids, bare, keys), parts[0].features, X)
        piece = cut(self.piece(spec, keys), spec.slice, spec.samples_axis)
        header = _header(piece, spec)
        columns, cells = frame(piece, header)
        if spec.long:
            return self._unfolded(spec, columns, cells, keys, piece, header)
        rows, chosen = self._chosen(spec, columns, piece, cells, keys)
        stay = range(cells.shape[0])
        if spec.without_rows:
            gone = set(spec.without_rows)
            stay = [i for i in stay if str(rows[i] if rows is not None else i + 1) not in gone]
            rows, cells = rows and [rows[i] for i in stay], cells[stay]
        titles = [columns[j] for j in chosen]
        self.columns_used[keys[1]] = set(titles)
        if spec.transform == "gower" and spec.kind == "numeric":
            self.fail((*keys, "transform"), "gower needs kind: categorical or mixed")
        if spec.kind != "numeric":
            X, titles, origins = in_categories(cells[:, chosen], titles, spec.kind)
            X = gower(X, origins) if spec.transform == "gower" else X
        elif sparse.issparse(cells):
            X = cells if len(chosen) == cells.shape[1] else cells[:, chosen]
        else:
            X = self.values(cells[:, chosen], titles, keys, piece, header, (stay, chosen))
        if spec.triangle and X.shape[0] == X.shape[1]:
            X = np.where(np.isnan(X), X.T, X)
        for mark in spec.missing:
            X[float(mark) == X] = np.nan
        return self._standing(spec, piece, header, rows, titles, X, keys)

    def _chosen(self, spec, columns, piece, cells, keys):
        """Return the names of the rows, and the numbers of the columns with values."""
        rows, file = piece.rows, piece.where["file"]
        without = set(spec.without)
        if spec.ids is not None:
            j = self.column_of(columns, spec.ids, (*keys, "ids"), file)
            rows = list(cells[:, j])
            without.add(spec.ids)
        without |= self.beside(spec)
        for title in set(spec.columns or ()) - set(columns):
            self.column_of(columns, title, (*keys, "columns"), file)
        wanted = None if spec.columns is None else set(spec.columns)
        chosen = [
            j for j, c in enumerate(columns)
            if c not in without and (wanted is None or c in wanted)
            and c.startswith(spec.prefix or "")
        ]  # fmt: skip
        if not chosen:
            self.fail(keys, f"no column of {file} is left")
        return rows, chosen

    def beside(self, spec) -> set:
        """Return the columns of the same table that no method sees."""
        hidden = set()
        for other in filter(None, (self.views.labels, self.views.batch)):
            hidden |= {other.column} if same_table(other, spec) else set()
        if (survival := self.views.survival) is not None and same_table(survival, spec):
            times = [survival.time] if isinstance(survival.time, str) else survival.time
            hidden |= {*times, survival.event.column}
        return hidden

    def _standing(self, spec, piece, header, rows, titles, X, keys) -> _Part:
        """Turn samples into rows; bring several rows of one sample together."""
        if spec.samples == "columns":
            named = piece.columns is not None or (piece.raw and header)
            features = rows if rows is not None else [str(j + 1) for j in range(X.shape[0])]
            rows, titles, X = (titles if named else None), features, X.T
            X = sparse.csr_array(X) if sparse.issparse(X) else X
        ids = self.ids_of(rows, spec, keys, once=spec.repeated is None)
        if ids is not None and len(set(ids)) < len(ids):
            own = list(dict.fromkeys(ids))
            at = {name: [i for i, other in enumerate(ids) if other == name] for name in own}
            X = np.array([_mean(X[at[name]]) for name in own])
            ids = own
        if spec.only:
            there = self.piece(spec.only, (*keys, "only")).values.ravel().astype(int) - 1
            X[np.setdiff1d(np.arange(len(X)), there)] = np.nan
        if spec.transform == "log1p":
            low = X.min() if sparse.issparse(X) else np.nanmin(X)
            if low < 0:
                self.fail((*keys, "transform"), f"log1p of {low:g}; expected no negative values")
            X = X.log1p() if sparse.issparse(X) else np.log1p(X)
        values = X.data if sparse.issparse(X) else X
        if np.isinf(values).any():
            at = np.argwhere(np.isinf(X.toarray() if sparse.issparse(X) else X))[0]
            self.fail(
                keys,
                f"{piece.where['file']}: an infinite value (inf) of sample "
                f"{ids[at[0]] if ids else at[0] + 1}, feature {titles[at[1]]}; write an empty cell "
                "where a value is not known",
            )
        return _Part(ids, [str(t) for t in titles], X)

    def _unfolded(self, spec, columns, cells, keys, piece, header) -> _Part:
        """Return a table with one line per value as a wide one."""
        titles = (spec.long.sample, spec.long.feature, spec.long.value)
        file = piece.where["file"]
        s, f, v = (self.column_of(columns, t, (*keys, "long"), file) for t in titles)
        samples, features = ([str(c) for c in cells[:, j]] for j in (s, f))
        ids, names = sorted(set(samples)), sorted(set(features))
        row, column = ({n: k for k, n in enumerate(each)} for each in (ids, names))
        X = np.full((len(ids), len(names)), np.nan)
        at = [row[i] for i in samples], [column[j] for j in features]
        X[at] = self.values(cells[:, [v]], [titles[2]], keys, piece, header)[:, 0]
        return _Part(self.ids_of(ids, spec, keys), names, X)

    def standing_table(self, spec, keys):
        """Return a table whose rows are samples, its columns and its cells."""
        piece = self.piece(spec, keys)
        if spec.samples == "columns":
            turned = piece.values.T
            piece = Piece(piece.where, piece.name, turned, raw=piece.raw,
                          rows=piece.columns, columns=piece.rows)  # fmt: skip
        return piece, *frame(piece, _header(piece, spec))

    def column(self, spec, keys, title=None):
        """Return names of samples or None, and the values of a column as texts."""
        if spec.parts:
            both = [self.column(_part(spec, where), keys, title) for where in spec.parts]
            named = all(ids is not None for ids, _ in both)
            names = [i for ids, _ in both for i in ids] if named else None
            return names, [value for _, values in both for value in values]
        piece, columns, cells = self.standing_table(spec, keys)
        rows, file = piece.rows, piece.where["file"]
        if spec.ids is not None:
            rows = list(cells[:, self.column_of(columns, spec.ids, (*keys, "ids"), file)])
        hot, pattern = getattr(spec, "one_hot", None), getattr(spec, "pattern", None)
        if pattern and rows is not None:
            found = [re.search(pattern, str(r)) for r in rows]
            values = ["" if m is None else m[0] for m in found]
        elif hot:
            chosen = [j for j, c in enumerate(columns)
                      if c != spec.ids and (hot is True or c in hot)]  # fmt: skip
            X = self.values(cells[:, chosen], [columns[j] for j in chosen], keys, piece, 1)
            values = [columns[chosen[k]] for k in np.argmax(np.nan_to_num(X), axis=1)]
        else:
            title = title or getattr(spec, "column", None)
            j = 0 if title is None else self.column_of(columns, title, (*keys, "column"), file)
            values = ["" if (text := as_text(c)).lower() in UNKNOWN else text
                      for c in cells[:, j]]  # fmt: skip
        ids = self.ids_of(rows, spec, keys, once=False)
        return ids, values

    def of_samples(self, spec, keys, ids, n, title=None):
        """Return the values of a column for the samples, empty where not known."""
        own, values = self.column(spec, keys, title)
        if own is not None and ids is not None:
            known = dict(zip(own, values, strict=True))
            if not known.keys() & set(ids):
                self.fail(
                    keys,
                    f"its names ({own[0]}, ...) and those of the samples ({ids[0]}, ...) have none "
                    "in common; by_order: true matches them by order",
                )
            return [known.get(i, "") for i in ids]
        if len(values) != n:
            self.fail(keys, f"{len(values)} values without names, expected {n}, one per sample")
        return values


def read(path: Path, views: Views, pieces: list[Piece] | None = None) -> OwnData:
    """Return the data set that the records of views.yaml describe; answers are applied."""
    views = views.answered()
    if not views.views:
        raise NotUnderstood(
            f"{path}: {views.place('views')}: no views. Nothing in the files is a table of numbers "
            "of the samples; count the words of texts first (tf-idf), read categories by kind: "
            "categorical"
            + "".join(f"; {name}: {why}" for name, why in list(views.left_out.items())[:MOST_SHOWN])
            + "."
        )
    if pieces is None:
        pieces = _pieces(Path(path), views)
    reader = Reader(pieces, views)
    parts = {name: reader.view(name, spec) for name, spec in views.views.items()}
    ids = _all_ids(parts)
    n = next(iter(parts.values())).X.shape[0] if ids is None else len(ids)
    data = _aligned(reader, parts, ids, n, views)
    if views.labels is not None:
        data.y, data.label_names = _classes(reader.of_samples(views.labels, ("labels",), ids, n))
    if views.batch is not None:
        data.batch = reader.of_samples(views.batch, ("batch",), ids, n)
    if views.survival is not None:
        data.survival = _survival(reader, views.survival, ids, n)
    data.facts = _facts(reader, views, parts, data)
    _fill_single_gaps(data)
    return _with_some_view(data)


def _pieces(path, views):
    """Read the files that views.yaml names."""
    pieces, unread = formats.pieces_of(path, set(views.files()))
    for name, why in unread.items():
        raise NotUnderstood(f"{path}: {name}: {why}.")
    return pieces


def matched(names: list, spec: Named) -> list:
    """Return names of samples as views.yaml changes them."""
    names = [str(n).strip().strip('"') for n in names]
    for pattern, by in spec.rename.items():
        names = [re.sub(pattern, by, n) for n in names]
    return [re.sub(r"[^a-z0-9]", "", n.lower()) for n in names] if spec.plain_ids else names


def _part(spec, where):
    """Return what views.yaml says of one of several parts."""
    return spec.model_copy(update={"parts": [], **where.model_dump(exclude_unset=True)})


def _header(piece, spec):
    if not piece.raw:
        return 0
    return 1 if spec.header is None else spec.header


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


def _mean(rows):
    known = np.isfinite(rows).any(axis=0)
    out = np.full(rows.shape[1], np.nan)
    out[known] = np.nanmean(rows[:, known], axis=0)
    return out


def _all_ids(parts):
    """Return the names of all samples, in the order in which views name them."""
    named = [p.ids for p in parts.values() if p.ids is not None]
    return list(dict.fromkeys(i for ids in named for i in ids)) if named else None


def _aligned(reader, parts, ids, n, views) -> OwnData:
    """Bring the views to the samples of all."""
    place = {name: k for k, name in enumerate(ids or ())}
    Xs, presence = [], np.zeros((n, len(parts)), bool)
    for v, (name, part) in enumerate(parts.items()):
        if part.ids is None and part.X.shape[0] != n:
            text = f"{part.X.shape[0]} samples without names, expected {n} as in the other views"
            reader.fail(("views", name), text)
        rows = range(n) if part.ids is None else [place[i] for i in part.ids]
        if sparse.issparse(part.X):
            at = sparse.csr_array((np.ones(len(rows)), (rows, range(len(rows)))), (n, len(rows)))
            X = sparse.csr_array(part.X) if list(rows) == list(range(n)) else at @ part.X
            presence[list(rows), v] = True
        else:
            X = np.full((n, part.X.shape[1]), np.nan)
            X[list(rows)] = part.X
            presence[:, v] = ~np.isnan(X).all(axis=1)
        Xs.append(X)
    if views.mask is not None:
        _masked(reader, views.mask, Xs, presence, ids)
    kinds = [spec.kind for spec in views.views.values()]
    features = [part.features for part in parts.values()]
    return OwnData(Xs, list(parts), features, kinds, ids, presence)


def _masked(reader, mask, Xs, presence, ids):
    """Hide the instances that a table of zeros and ones says are missing."""
    piece = reader.piece(mask, ("mask",))
    columns, cells = frame(piece, _header(piece, mask))
    if mask.ids is not None and ids is not None:
        j = reader.column_of(columns, mask.ids, ("mask", "ids"), mask.file)
        at = {str(c).strip(): i for i, c in enumerate(cells[:, j])}
        gone = [i for i in ids if i not in at]
        if gone:
            reader.fail(("mask",), f"it has no row for the sample {gone[0]}")
        cells = np.delete(cells, j, axis=1)[[at[i] for i in ids]]
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
    words = set(found)
    names = sorted(words, key=lambda w: (found[w], w) if numeric else w)
    if "" in values or not names:
        return None, names
    return np.array([names.index(v) for v in values]), names


def _survival(reader, spec, ids, n):
    times = [spec.time] if isinstance(spec.time, str) else spec.time
    columns = [reader.of_samples(spec, ("survival", "time"), ids, n, t) for t in times]
    events = reader.of_samples(spec, ("survival", "event"), ids, n, spec.event.column)
    known = [[number(v) for v in row] for row in zip(*columns, strict=True)]
    time = [next((v for v in row if v is not None and v == v), np.nan) for row in known]
    event = [np.nan if e == "" else float(_same(e, spec.event.is_)) for e in events]
    if 1.0 not in event:
        reader.fail(
            ("survival", "event", "is"),
            f"no {spec.event.column} is {spec.event.is_}; there are "
            f"{', '.join(sorted(set(events) - {''})[:6])}",
        )
    return Survival(np.array(time, float), np.array(event), [*times, spec.event.column])


def same_table(a: Named, b: Named) -> bool:
    """Whether two entries of views.yaml name the same table of one file."""
    return (a.file, a.sheet, a.key) == (b.file, b.sheet, b.key) != (None, None, None)


def _facts(reader, views, parts, data):
    """Return the columns of the tables of facts; those that are clustered are none."""
    facts: dict = {}
    for name, spec in views.facts.items():
        keys = ("facts", name)
        first = _part(spec, spec.parts[0]) if spec.parts else spec
        _, columns, _ = reader.standing_table(first, keys)
        gone = {spec.ids, *spec.without}
        for view, other in views.views.items():
            if same_table(other, first):
                gone |= reader.columns_used.get(view, {*parts[view].features})
        if views.survival is not None:
            gone |= reader.beside(views.survival)
        titles = [c for c in spec.columns or columns if c not in gone]
        own = reader.column(spec, keys, titles[0])[0] if titles else None
        if own is not None and data.ids is not None and not {*own} & {*data.ids}:
            data.notes.append(f"{name} names no sample of the views: its facts are left out")
            continue
        for title in titles:
            values = reader.of_samples(spec, keys, data.ids, data.n_samples, title)
            facts[f"{name}: {title}" if title in facts else title] = values
    return facts


def _same(text, wanted):
    a, b = number(text), number(wanted)
    return text == wanted or (a is not None and a == b)


def _fill_single_gaps(data):
    """Give single gaps the mean of their feature; leave out features without any value."""
    for v, (name, X) in enumerate(zip(data.view_names, data.Xs, strict=True)):
        present = data.presence[:, v]
        if sparse.issparse(X) or not present.any():
            continue
        gaps = np.isnan(X) & present[:, None]
        empty = gaps[present].all(axis=0)
        if empty.any():
            data.notes.append(f"{empty.sum()} features of {name} have no value and are left out")
            X, gaps = X[:, ~empty], gaps[:, ~empty]
            kept = zip(data.feature_names[v], empty, strict=True)
            data.feature_names[v] = [feature for feature, gone in kept if not gone]
        if gaps.any():
            X = np.where(gaps, np.nanmean(np.asfortranarray(X[present]), axis=0), X)
            data.notes.append(
                f"{gaps.sum()} single gaps in the view {name} get the mean of their feature "
                f"({gaps.sum() / (present.sum() * X.shape[1]):.1%} of its values)"
            )
        data.Xs[v] = X


def _with_some_view(data):
    """Leave out samples that no view has."""
    kept = np.flatnonzero(data.presence.any(axis=1))
    if len(kept) == data.n_samples:
        return data
    gone = data.n_samples - len(kept)
    data.notes.append(f"{gone} of {data.n_samples} samples are in no view and are left out")
    data.Xs, data.presence = [X[kept] for X in data.Xs], data.presence[kept]
    data.ids = data.ids and [data.ids[i] for i in kept]
    data.y = None if data.y is None else data.y[kept]
    data.batch = data.batch and [data.batch[i] for i in kept]
    data.facts = {name: [values[i] for i in kept] for name, values in data.facts.items()}
    if data.survival is not None:
        data.survival.time = data.survival.time[kept]
        data.survival.event = data.survival.event[kept]
    return data
