"""A table or array of a file, and how structs, cells and lists unfold into such pieces."""

import re
from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

SIDES = "rows", "columns"


@dataclass
class Piece:
    """One table or array. `raw`: a table of texts whose first lines may be a header."""

    where: dict  # what views.yaml says of its place: file, sheet, key
    name: str
    values: np.ndarray
    raw: bool = False
    rows: list | None = None
    columns: list | None = None
    samples: str | None = None  # "rows" or "columns", where the format says it
    of: str = ""  # the variable that this is a cell of
    header: int = 0  # lines above the values of a vector
    note: str | None = None
    codes: tuple = ()  # columns that are factors or texts, also where all are numbers
    parsed: tuple | None = None  # lines of header, then numbers and texts below it

    def place(self, header: int | None) -> dict:
        """Return what views.yaml says of its place under some lines of header."""
        return {**self.where, "header": header} if self.raw and header != 1 else self.where

    def by_kind(self, kinds: list | None) -> "list[Piece]":
        """Return one piece per kind of features, where there are several kinds."""
        names = list(dict.fromkeys(kinds or ()))
        if len(names) < 2 or self.samples is None:
            return [self]
        pieces, lying = [], self.samples == "columns"
        key, features = ("rows", self.rows) if lying else ("columns", self.columns)
        for name in names:
            at = [j for j, kind in enumerate(kinds or ()) if kind == name]
            inside = "/".join(filter(None, [self.where.get("key"), name]))
            values = self.values[at] if lying else self.values[:, at]
            side = {key: features and [features[j] for j in at]}
            where = {**self.where, "key": inside}
            pieces.append(replace(self, where=where, name=name, values=values, **side))
        return pieces


def key_of(name: str) -> str:
    """Return a name as a key of views.yaml can be."""
    return re.sub(r"\W+", "_", name).strip("_")


def arrays(value, path: list, stem: str) -> list[Piece]:
    """Unfold cells, structs and lists into arrays; a path of keys leads to each."""
    if isinstance(value, dict):
        parts = {k: v for k, v in value.items() if not k.startswith("__")}
        return [a for k, v in parts.items() for a in arrays(v, [*path, k], stem)]
    if isinstance(value, str):
        return []
    name = "".join(map(str, path[-2:])) if path and str(path[-1]).isdigit() else ""
    name = name or (str(path[-1]) if path else stem)
    where = {"key": "/".join(map(str, path))} if path else {}
    if sparse.issparse(value):
        return [Piece(where, name, sparse.csr_array(value, dtype=float))] if value.size else []
    value = cells(value) if isinstance(value, list) else np.asarray(value)
    if value.dtype.names:
        records = [dict(zip(value.dtype.names, r, strict=True)) for r in value.ravel()]
        paths = [[*path, str(n)] if len(records) > 1 else path for n, _ in enumerate(records, 1)]
        return [a for r, to in zip(records, paths, strict=True) for a in arrays(r, to, stem)]
    if value.dtype.kind in "OSU":
        if _nested(value):
            found = []
            for n, item in enumerate(value.ravel(order="F"), 1):
                found += arrays(item, [*path, str(n)], stem)
            for piece in found:
                piece.of = piece.of or "/".join(map(str, path))
            return found
        value = np.array([_text(v) for v in value.ravel()], dtype=object).reshape(value.shape)
    elif value.dtype.kind not in "biuf":
        return []
    value = np.squeeze(value) if value.ndim > 2 or 1 in value.shape else value
    return [Piece(where, name, value)] if value.size > 1 else []


def _nested(value):
    return any(
        sparse.issparse(v) or (np.size(v) > 1 and not isinstance(v, (str, bytes)))
        for v in value.ravel()
    )


def _text(value):
    if isinstance(value, np.ndarray) and value.size:
        value = value.ravel()[0]
    return (value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)).strip()


def cells(items: list) -> np.ndarray:
    """Return a list as an array of objects."""
    out = np.empty(len(items), dtype=object)
    out[:] = items
    return out


def table(where: dict, name: str, columns: dict, rows: list | None, **more) -> Piece:
    """Return columns of equal length as a table of objects."""
    values = np.empty((len(next(iter(columns.values()))), len(columns)), dtype=object)
    for j, column in enumerate(columns.values()):
        values[:, j] = column
    return Piece(where, name, values, rows=rows, columns=list(columns), **more)
