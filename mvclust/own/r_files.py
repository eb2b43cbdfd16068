"""R's own files: matrices, data frames, factors, lists, and experiments of Bioconductor."""

import warnings
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy import sparse

from mvclust.datasets.room import room_for
from mvclust.extras import need
from mvclust.own.pieces import Piece, cells, table
from mvclust.own.texts import Unreadable, as_text

NA_INTEGER = -(2.0**31)
ASIDE = {  # slots that hold no samples
    "tax_table", "phy_tree", "refseq", "varMetadata", "protocolData", "experimentData", "metadata",
    "featureData", "elementMetadata", ".__classVersion__", "annotation",
}  # fmt: skip


NO_TABLES = {"phylo", "multiPhylo", "phylog", "hclust", "igraph", "lm", "glm"}  # trees, models


class Matrix(NamedTuple):
    """An array of R with the names of its sides."""

    values: np.ndarray
    rows: list | None = None
    columns: list | None = None


class Codes(list):
    """A factor or texts."""


class Frame(NamedTuple):
    """A data frame."""

    columns: dict
    rows: list | None


def pieces_of(file: Path, stem: str) -> list[Piece]:
    """Return the tables and arrays of a .rda, .RData or .rds file."""
    parser = need("rdata", "formats").parser
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        altrep = {k: partial(_with_room, k, v) for k, v in parser.DEFAULT_ALTREP_MAP.items()}
        try:
            parsed = parser.parse_file(file, altrep_constructor_dict=altrep, expand_altrep=True)
            content = _value(parsed.object)
        except (NotImplementedError, RecursionError) as error:
            raise Unreadable(
                f"it holds objects of R that are no tables ({error}); write each table from R: "
                "write.csv(X, 'X.csv')"
            ) from error
    return _unfold(content, [] if isinstance(content, dict) else [stem], stem)


def _with_room(name, make, state):
    """Expand a vector that R keeps by its length alone, if there is room for it."""
    if name in (b"compact_intseq", b"compact_realseq"):
        room_for(8 * int(state.value[0]), "a sequence")
    return make(state)


def _value(x):
    """Return an object of R as a text list, array, Matrix, Frame, dict, or None."""
    kind = x.info.type.name
    if kind == "CHAR":
        return x.value.decode("utf-8", "replace") if x.value is not None else ""
    if kind == "ENV":
        inside = x.value.hash_table
        parts = [x.value.frame, *(inside.value or () if inside is not None else ())]
        return {k: v for p in parts if p is not None for k, v in _pairs(p).items()}
    if kind == "LIST":
        return _pairs(x)
    attributes = _pairs(x.attributes)
    if kind in ("VEC", "EXPR"):
        items = [_value(v) for v in x.value]
        if "dim" in attributes:  # a matrix of R's lists holds no numbers
            return None
        names = _names(attributes.get("names")) or [str(n + 1) for n in range(len(items))]
        named = dict(zip(names, items, strict=True))
        if NO_TABLES & {*(_names(attributes.get("class")) or ())}:
            return None
        rows = attributes.get("row.names", named)
        return named if rows is named else Frame(named, _row_names(rows))
    if kind == "S4":
        kept = {k: v for k, v in attributes.items() if k not in ("class", "package")}
        return {"@": (_names(attributes.get("class")) or [""])[0], **kept}
    if kind == "STR":
        return _shaped(cells([_value(v) for v in x.value]), attributes, x)
    if kind in ("INT", "REAL", "LGL"):
        values = np.ma.filled(np.ma.asarray(x.value, dtype=float), np.nan)
        known = values == values if kind == "REAL" else values != NA_INTEGER  # NA of R signals
        return _shaped(np.where(known, values, np.nan), attributes, x)
    return None


def _shaped(values, attributes, x):
    """Return a vector as the factor, matrix or S4 object that its attributes make it."""
    if "levels" in attributes:
        levels = [*_names(attributes["levels"]), ""]
        return Codes(levels[int(c) - 1] if c == c else "" for c in values)
    if "Date" in (_names(attributes.get("class")) or ()):
        days = values.astype("datetime64[D]")  # since 1970; NaN is no day
        return ["" if np.isnat(day) else str(day) for day in days]
    if "dim" in attributes:
        names = [_names(n) for n in (attributes.get("dimnames") or {}).values()]
        values = Matrix(values.reshape(np.asarray(attributes["dim"], int), order="F"), *names[:2])
    elif values.dtype == object:
        values = Codes(values)
    if x.info.attributes and "class" in attributes and x.info.gp & 16:  # S4 around an array
        skipped = ("dim", "dimnames", "class", "names")
        slots = {k: v for k, v in attributes.items() if k not in skipped}
        return {"@": _names(attributes["class"])[0], ".Data": values, **slots}
    return values


def _pairs(node):
    """Return a list of pairs as a dict; the keys of those without a tag are numbers."""
    out = {}
    while node is not None and node.info.type.name == "LIST":
        tag = node.tag
        while tag is not None and tag.info.type.name == "REF":
            tag = tag.referenced_object
        named = tag is not None and tag.info.type.name == "SYM"
        out[(_value(tag.value) if named else "") or str(len(out) + 1)] = _value(node.value[0])
        node = node.value[1]
    return out


def _names(values):
    """Return names as texts; None where there are none."""
    values = values.values.ravel() if isinstance(values, Matrix) else values
    if values is None or isinstance(values, dict) or len(values) == 0:
        return None
    return [as_text(v) for v in values]


def _row_names(rows):
    """Return the names of the rows of a frame; None where they only count them."""
    if isinstance(rows, list):
        return None if rows == [str(i + 1) for i in range(len(rows))] else rows
    counts = len(rows) < 3 or np.array_equal(rows, np.arange(1, len(rows) + 1))
    return None if counts else _names(np.asarray(rows, float))


def _unfold(value, path, stem) -> list[Piece]:
    """Return the pieces of a value; a path of keys leads to each."""
    name, where = (path[-1] if path else stem), ({"key": "/".join(path)} if path else {})
    if isinstance(value, Matrix):
        columns = value.columns if value.values.ndim > 1 else None
        return [Piece(where, name, value.values, rows=value.rows, columns=columns)]
    if isinstance(value, Frame):  # a matrix or frame that is one of its columns is a piece, too
        inner = {k: c for k, c in value.columns.items() if isinstance(c, (Matrix, Frame))}
        out = [piece for k, c in inner.items() for piece in _unfold(c, [*path, k], stem)]
        for piece in out:
            piece.rows = piece.rows or value.rows
        flat = {k: c for k, c in value.columns.items() if isinstance(c, (list, np.ndarray))}
        codes = tuple(k for k, c in flat.items() if isinstance(c, Codes))
        return [*out, table(where, name, flat, value.rows, codes=codes)] if flat else out
    if isinstance(value, dict):
        return _unfold_dict(value, path, stem)
    if isinstance(value, (list, np.ndarray)) and len(value) > 1:
        value = np.array(value, dtype=object) if isinstance(value, list) else value
        return [Piece(where, name, value)]
    return []


def _unfold_dict(value, path, stem):
    """A list, an environment or an S4 object."""
    kind = value.get("@", "")
    if kind == "MultiAssayExperiment":
        return _multi_assay(value, path, stem)
    if "assays" in value and "colData" in value:
        return _experiment(value, path, stem)
    if {"i", "p", "x", "Dim"} <= set(value):
        return _unfold(_sparse(value), path, stem)
    if kind in ("DFrame", "DataFrame"):
        return _unfold(Frame(value.get("listData") or {}, value.get("rownames")), path, stem)
    if kind.startswith("Spatial"):  # frames and lines of a map hold no samples
        return _unfold(value.get("data"), path, stem)
    kept = {k: v for k, v in value.items() if k != "@" and not (kind and k in ASIDE)}
    out = [piece for k, v in kept.items() for piece in _unfold(v, [*path, k], stem)]
    for piece in out:
        if kind in ("ExpressionSet", "otu_table"):
            lying = kind != "otu_table" or bool(np.ravel(value["taxa_are_rows"])[0])
            facts = piece.values.dtype == object
            piece.samples = piece.samples or ("columns" if lying and not facts else "rows")
            piece.name = path[-1] if path else stem
        elif not kind and not piece.of and path:
            piece.of = "/".join(path)
    return out


def _sparse(value) -> Matrix:
    """Return a dgCMatrix of the package Matrix."""
    parts = value["x"], value["i"].astype(int), value["p"].astype(int)
    made = sparse.csc_array(parts, tuple(int(n) for n in value["Dim"]))
    names = [_names(n) for n in (value.get("Dimnames") or {}).values()]
    return Matrix(sparse.csr_array(made, dtype=float), *names[:2])


def _assays(value, name="") -> dict:
    """Return the matrices inside the slot assays, which versions of R nest differently."""
    if isinstance(value, Matrix):
        return {name: value}
    if not isinstance(value, dict):
        return {}
    if {"i", "p", "x", "Dim"} <= set(value):
        return {name: _sparse(value)}
    return {k: v for key, item in value.items() for k, v in _assays(item, key).items()}


def _experiment(value, path, stem):
    """A SummarizedExperiment: assays are features x samples, colData tell about the samples."""
    known, out = value["colData"] or {}, []
    assays = _assays(value["assays"])
    for key, assay in assays.items():
        rows = assay.rows or _names(value.get("NAMES"))
        columns = assay.columns or _names(known.get("rownames"))
        name = key if len(assays) > 1 or not path else path[-1]
        out.append(Piece({"key": "/".join([*path, key])}, name, assay.values, rows=rows,
                         columns=columns, samples="columns"))  # fmt: skip
    facts = _unfold(known, [*path, "colData"], stem) if known.get("listData") else []
    for piece in facts:
        piece.samples = "rows"
    return out + facts


def _multi_assay(value, path, stem):
    """A MultiAssayExperiment: one piece per experiment, patients by its sample map."""
    sample_map, out = value["sampleMap"]["listData"], []
    rows = zip(*(sample_map[k] for k in ("assay", "primary", "colname")), strict=True)
    patients = {(str(assay), str(column)): str(patient) for assay, patient, column in rows}
    for key, experiment in value["ExperimentList"]["listData"].items():
        parts = _unfold(experiment, [*path, key], stem)
        matrices = [p for p in parts if p.values.ndim == 2 and p.columns and p.samples != "rows"]
        for piece in matrices[:1]:  # the first assay
            piece.name, piece.samples, piece.of = key, "columns", ""
            piece.columns = [patients.get((key, c), c) for c in piece.columns]
            out.append(piece)
    out += _unfold(value["colData"], [*path, "colData"], stem)
    out[-1].samples = "rows"
    return out
