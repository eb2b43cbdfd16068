"""R's own files: matrices, data frames, factors, lists, and experiments of Bioconductor."""

import warnings
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from scipy import sparse

from mvclust.datasets.room import room_for
from mvclust.extras import need
from mvclust.own.pieces import Piece, cells
from mvclust.own.texts import Unreadable

NA_INTEGER = -(2.0**31)
ASIDE = {  # slots that hold no samples
    "tax_table", "phy_tree", "refseq", "varMetadata", "protocolData", "experimentData", "metadata",
    "featureData", "elementMetadata", ".__classVersion__", "annotation",
}  # fmt: skip


@dataclass
class Matrix:
    """An array of R with the names of its sides."""

    values: np.ndarray
    names: list


@dataclass
class Frame:
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
    found: list[Piece] = []
    _unfold(content, [] if isinstance(content, dict) else [stem], found, stem)
    return found


def _with_room(name, make, state):
    """Expand a vector that R keeps by its length alone, if there is room for it."""
    if name in (b"compact_intseq", b"compact_realseq"):
        room_for(8 * int(state.value[0]), "a sequence")
    return make(state)


def _value(x):
    """Return an object of R as a text list, array, Matrix, Frame, dict, or None."""
    kind = x.info.type.name
    if kind == "REF":
        return None
    if kind == "CHAR":
        return x.value.decode("utf-8", "replace") if x.value is not None else ""
    if kind == "ENV":
        table = x.value.hash_table
        parts = [x.value.frame, *(table.value or () if table is not None else ())]
        pairs = [_pairs(p) for p in parts if p is not None and p.info.type.name == "LIST"]
        return {k: v for each in pairs for k, v in each.items()}
    if kind == "LIST":
        return _pairs(x)
    attributes = _attributes(x)
    if kind in ("VEC", "EXPR"):
        items = [_value(v) for v in x.value]
        if "dim" in attributes:  # a matrix of R's lists holds no numbers
            return None
        names = _names(attributes.get("names")) or [str(n + 1) for n in range(len(items))]
        named = dict(zip(names, items, strict=True))
        if "row.names" not in attributes:
            return named
        rows = attributes["row.names"]
        return Frame(named, rows if isinstance(rows, list) else None)
    if kind == "S4":
        kept = {k: v for k, v in attributes.items() if k not in ("class", "package")}
        return {"@": (_names(attributes.get("class")) or [""])[0], **kept}
    if kind == "STR":
        return _shaped(cells([_value(v) for v in x.value]), attributes, x)
    if kind in ("INT", "REAL", "LGL"):
        return _shaped(_numbers(x), attributes, x)
    return None


def _numbers(x):
    values = np.ma.filled(np.ma.asarray(x.value, dtype=float), np.nan)
    return values if x.info.type.name == "REAL" else np.where(values == NA_INTEGER, np.nan, values)


def _shaped(values, attributes, x):
    """Return a vector as the factor, matrix or S4 object that its attributes make it."""
    if "levels" in attributes:
        levels = [*_names(attributes["levels"]), ""]
        return [levels[int(c) - 1] if c == c else "" for c in values]
    if "dim" in attributes:
        dim = np.asarray(attributes["dim"], int)
        names = attributes.get("dimnames") or {}
        values = Matrix(values.reshape(dim, order="F"), [_names(n) for n in names.values()])
    elif values.dtype == object:
        values = list(values)
    if x.info.attributes and "class" in attributes and x.info.gp & 16:  # S4 around an array
        skipped = ("dim", "dimnames", "class", "names")
        slots = {k: v for k, v in attributes.items() if k not in skipped}
        return {"@": _names(attributes["class"])[0], ".Data": values, **slots}
    return values


def _attributes(x):
    return _pairs(x.attributes) if x.attributes is not None else {}


def _pairs(node):
    out = {}
    while node is not None and node.info.type.name == "LIST":
        out[_tag(node.tag) or str(len(out) + 1)] = _value(node.value[0])
        node = node.value[1]
    return out


def _tag(tag):
    while tag is not None and tag.info.type.name == "REF":
        tag = tag.referenced_object
    return _value(tag.value) if tag is not None and tag.info.type.name == "SYM" else ""


def _names(values):
    """Return names as texts; None where there are none."""
    if values is None or isinstance(values, dict) or len(values) == 0:
        return None
    return [f"{v:g}" if isinstance(v, float) else str(v) for v in values]


def _unfold(value, path, out, stem):
    name, where = (path[-1] if path else stem), ({"key": "/".join(path)} if path else {})
    if isinstance(value, Matrix):
        names = [*value.names, None, None]
        columns = names[1] if value.values.ndim > 1 else None
        out.append(Piece(where, name, value.values, rows=names[0], columns=columns))
    elif isinstance(value, Frame):
        _unfold_frame(value, path, out, stem)
    elif isinstance(value, dict):
        _unfold_dict(value, path, out, stem)
    elif isinstance(value, (list, np.ndarray)) and len(value) > 1:
        out.append(Piece(where, name, np.array(value, dtype=object)
                         if isinstance(value, list) else value))  # fmt: skip


def _unfold_frame(frame, path, out, stem):
    """A frame; a matrix or frame that is one of its columns is a piece of its own."""
    columns = {}
    for key, column in frame.columns.items():
        if isinstance(column, (Matrix, Frame)):
            start = len(out)
            _unfold(column, [*path, key], out, stem)
            for piece in out[start:]:
                piece.rows = piece.rows or frame.rows
        elif isinstance(column, (list, np.ndarray)):
            columns[key] = column
    if columns:
        cells_of = np.empty((len(next(iter(columns.values()))), len(columns)), dtype=object)
        for j, column in enumerate(columns.values()):
            cells_of[:, j] = column
        where = {"key": "/".join(path)} if path else {}
        name = path[-1] if path else stem
        out.append(Piece(where, name, cells_of, rows=frame.rows, columns=list(columns)))


def _unfold_dict(value, path, out, stem):
    """A list, an environment or an S4 object."""
    kind = value.get("@", "")
    if kind == "MultiAssayExperiment":
        return _multi_assay(value, path, out, stem)
    if "assays" in value and "colData" in value:
        return _experiment(value, path, out, stem)
    if (made := _sparse(value)) is not None:
        return _unfold(made, path, out, stem)
    if kind in ("DFrame", "DataFrame"):
        return _unfold(Frame(value.get("listData") or {}, value.get("rownames")), path, out, stem)
    start = len(out)
    for key, item in value.items():
        if key != "@" and not (kind and key in ASIDE):
            _unfold(item, [*path, key], out, stem)
    for piece in out[start:]:
        if kind in ("ExpressionSet", "otu_table"):
            lying = kind != "otu_table" or bool(np.ravel(value["taxa_are_rows"])[0])
            facts = piece.values.dtype == object
            piece.samples = piece.samples or ("columns" if lying and not facts else "rows")
            piece.name = path[-1] if path else stem
        elif not kind and not piece.of and path:
            piece.of = "/".join(path)


def _sparse(value) -> Matrix | None:
    """Return a dgCMatrix of the package Matrix."""
    if not {"i", "p", "x", "Dim"} <= set(value):
        return None
    parts = value["x"], value["i"].astype(int), value["p"].astype(int)
    made = sparse.csc_array(parts, tuple(int(n) for n in value["Dim"]))
    names = [_names(n) for n in (value.get("Dimnames") or {}).values()]
    return Matrix(sparse.csr_array(made, dtype=float), names)


def _assays(value, name="") -> dict:
    """Return the matrices inside the slot assays, which versions of R nest differently."""
    if isinstance(value, Matrix):
        return {name: value}
    if not isinstance(value, dict):
        return {}
    made = _sparse(value)
    if made is not None:
        return {name: made}
    return {k: v for key, item in value.items() for k, v in _assays(item, key).items()}


def _experiment(value, path, out, stem):
    """A SummarizedExperiment: assays are features x samples, colData tell about the samples."""
    known = value["colData"] or {}
    assays = _assays(value["assays"])
    for key, assay in assays.items():
        rows, columns = [*assay.names, None, None][:2]
        rows, columns = rows or _names(value.get("NAMES")), columns or _names(known.get("rownames"))
        where = {"key": "/".join([*path, key])}
        name = key if len(assays) > 1 or not path else path[-1]
        out.append(Piece(where, name, assay.values, rows=rows, columns=columns, samples="columns"))
    start = len(out)
    if known.get("listData"):
        _unfold(known, [*path, "colData"], out, stem)
    for piece in out[start:]:
        piece.samples = "rows"


def _multi_assay(value, path, out, stem):
    """A MultiAssayExperiment: one piece per experiment, patients by its sample map."""
    sample_map = value["sampleMap"]["listData"]
    rows = zip(*(sample_map[k] for k in ("assay", "primary", "colname")), strict=True)
    patients = {(str(assay), str(column)): str(patient) for assay, patient, column in rows}
    for key, experiment in value["ExperimentList"]["listData"].items():
        parts: list[Piece] = []
        _unfold(experiment, [*path, key], parts, stem)
        matrices = [p for p in parts if p.values.ndim == 2 and p.columns and p.samples != "rows"]
        for piece in matrices[:1]:  # the first assay
            piece.name, piece.samples, piece.of = key, "columns", ""
            piece.columns = [patients.get((key, c), c) for c in piece.columns]
            out.append(piece)
    _unfold(value["colData"], [*path, "colData"], out, stem)
    out[-1].samples = "rows"
