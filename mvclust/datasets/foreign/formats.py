"""Every format as variables. Optional libraries are imported where they are needed."""

import csv
import math
import struct
import subprocess
import tokenize
import zipfile
import zlib

import numpy as np
from scipy import sparse

from mvclust.datasets.files import DamagedFile
from mvclust.datasets.foreign.annotated import read_annotated
from mvclust.datasets.foreign.columns import as_column
from mvclust.datasets.foreign.market import read_market
from mvclust.datasets.foreign.r_files import read_r
from mvclust.datasets.foreign.record import CannotRead, NotUnderstood, reason_of
from mvclust.datasets.foreign.sources import LISTS, SHEETS, TEXT, natural
from mvclust.datasets.foreign.tables import read_text, variables_of_frame, variables_of_rows
from mvclust.datasets.foreign.texts import without_limits
from mvclust.datasets.foreign.unfold import unfold
from mvclust.datasets.hdf5 import opened, room_for_all
from mvclust.datasets.readers.matlab import read_mat
from mvclust.datasets.room import room_for, room_for_zip
from mvclust.extras import need

# What libraries raise for files that are cut or damaged.
DAMAGE = (ValueError, EOFError, KeyError, IndexError, OSError, struct.error, zlib.error)
DAMAGE += (zipfile.BadZipFile, NotImplementedError, TypeError, UnicodeError, AssertionError)
DAMAGE += (OverflowError, AttributeError, RuntimeError, csv.Error, subprocess.TimeoutExpired)
DAMAGE += (SyntaxError, tokenize.TokenError)


def read(source, log):
    """The variables of a file.

    Parameters
    ----------
    source : Source
    log : Log

    Returns
    -------
    list of Variable

    Raises
    ------
    CannotRead
        If the file is cut, damaged or of a kind that is not supported.
    NotUnderstood
        If a table is read, but not understood.
    """
    try:
        if source.ending in TEXT + LISTS:
            return read_text(source, log)
        if source.ending in SHEETS:
            return _read_sheets(source, log)
        return READERS[source.ending](source, log)
    except NotUnderstood:
        raise
    except ModuleNotFoundError as error:
        raise CannotRead(source.shown, str(error).rstrip(".")) from error
    except MemoryError as error:
        raise CannotRead(source.shown, str(error).rstrip(".") or "no memory for it") from error
    except DamagedFile as error:
        raise CannotRead(source.shown, f"it is cut or damaged ({error.reason})") from error
    except DAMAGE as error:
        raise CannotRead(source.shown, f"it is cut or damaged ({reason_of(error)})") from error


def _read_npz(source, log):
    variables, taken = {}, 0
    with zipfile.ZipFile(source.path) as archive:
        for member in archive.infolist():
            with archive.open(member) as file:
                shown = f"{source.shown}: {member.filename}"
                taken += _declared(file, shown, member.file_size)
        room_for(taken, source.shown)
    with np.load(source.path, allow_pickle=False) as archive:
        for name in archive.files:
            variables[name] = archive[name]
    if variables.keys() >= {"format", "shape", "data"}:
        return _unfolded(
            source.stem, _sparse_array(variables, source.shown), source, log, family="files"
        )
    return _from_dictionary(variables, source, log)


def _sparse_array(saved, shown):
    """What `scipy.sparse.save_npz` wrote."""
    shape = tuple(int(side) for side in saved["shape"])
    kind = saved["format"].item()
    kind = kind.decode("ascii") if isinstance(kind, bytes) else kind
    if len(shape) != 2 or kind not in ("csr", "csc", "coo"):
        raise ValueError(f"a sparse array of the kind {kind} with {len(shape)} axes is not read")
    room_for(8 * sum(shape), shown)
    if kind == "coo":
        parts = saved["data"], (saved["row"], saved["col"])
    else:
        parts = saved["data"], saved["indices"], saved["indptr"]
    X = {"csr": sparse.csr_array, "csc": sparse.csc_array, "coo": sparse.coo_array}[kind](
        parts, shape=shape
    )
    if kind != "coo":
        X.check_format(full_check=True)
    return sparse.csr_array(X).astype(float)


def _read_npy(source, log):
    with open(source.path, "rb") as file:
        room_for(_declared(file, source.shown, source.path.stat().st_size), source.shown)
    value = np.load(source.path, allow_pickle=False)
    return _unfolded(source.stem, value, source, log, family="files")


def _declared(file, shown, size):
    """Bytes that an array will take, as float64 if it has numbers; no objects, no other length."""
    version = np.lib.format.read_magic(file)
    reader = (
        np.lib.format.read_array_header_1_0
        if version == (1, 0)
        else np.lib.format.read_array_header_2_0
    )
    shape, _, dtype = reader(file)
    if dtype.hasobject:
        raise CannotRead(
            shown, "holds Python objects, which are never loaded; save each view as an array"
        )
    n_entries = math.prod(shape)
    expected = file.tell() + n_entries * dtype.itemsize
    if size != expected:
        said = "cut" if size < expected else "longer than one array"
        raise CannotRead(shown, f"it is {said}: {size} bytes, expected {expected} for {shape}")
    return n_entries * max(8, dtype.itemsize)


def _read_mat(source, log):
    hdf5 = need("h5py").is_hdf5(source.path)
    variables = read_mat(source.path)
    if hdf5:  # which knows no order of its own
        variables = {name: variables[name] for name in sorted(variables, key=natural)}
    return _from_dictionary(variables, source, log, from_one=True)


def _read_hdf5(source, log):
    """Datasets of a plain HDF5 file, as they are."""
    h5py = need("h5py")

    def content(group, depth=0):
        found = {}
        for name in group:
            item = group[name]
            if isinstance(item, h5py.Group):
                if depth < 20:
                    found[name] = content(item, depth + 1)
                continue
            if item.shape is None:
                continue
            found[name] = item.asstr()[()] if h5py.check_string_dtype(item.dtype) else item[()]
        return found

    with opened(source.path) as file:
        if "mod" in file or ("X" in file and "obs" in file):
            return read_annotated(source, log)
        room_for_all(file, source.shown)
        mat = source.path.read_bytes()[:6] == b"MATLAB"
        variables = read_mat(source.path) if mat else content(file)
    return _from_dictionary(variables, source, log, from_one=mat)


def _from_dictionary(variables, source, log, from_one=False):
    return [
        variable
        for name, value in variables.items()
        for variable in _unfolded(name, value, source, log, from_one=from_one)
    ]


def _unfolded(name, value, source, log, family=None, from_one=False):
    if getattr(getattr(value, "dtype", None), "names", None):  # a table as structured array
        return _from_columns(name, {c: value[c].ravel() for c in value.dtype.names}, source, log)
    return unfold(name, value, source.shown, log, family=family or source.shown, from_one=from_one)


def _read_mtx(source, log):
    value = read_market(source.path)
    return _unfolded(source.stem, value, source, log, family="files", from_one=True)


def _read_parquet(source, log):
    parquet = need("pyarrow.parquet", "formats")
    with parquet.ParquetFile(source.path) as file:
        room_for(8 * file.metadata.num_rows * file.metadata.num_columns, source.shown)
    return _from_frame(source, parquet.read_table(source.path), log)


def _read_feather(source, log):
    arrow = need("pyarrow", "formats")
    need("pyarrow.ipc", "formats")
    with open(source.path, "rb") as file:
        if file.read(4) == b"FEA1":  # the older format, which packs nothing
            old = need("pyarrow.feather", "formats")
            return _from_frame(source, old.read_table(source.path), log)
    batches, taken = [], 0
    with arrow.memory_map(str(source.path)) as file, arrow.ipc.open_file(file) as reader:
        for n in range(reader.num_record_batches):
            batches.append(reader.get_batch(n))
            taken += 8 * batches[-1].num_rows * batches[-1].num_columns
            room_for(taken, source.shown)
        return _from_frame(source, arrow.Table.from_batches(batches, reader.schema), log)


def _from_frame(source, table, log):
    """A table of Arrow; the index of a data frame is among its columns or in its notes."""
    notes = (table.schema.metadata or {}).get(b"pandas")
    index = None
    if notes is not None:
        import json

        kept = json.loads(notes).get("index_columns") or [None]
        index = kept[0] if isinstance(kept[0], str) else None
    columns = {}
    for name, column in zip(table.column_names, table.columns, strict=True):
        entries = column.to_pylist()
        columns[name] = as_column(entries)
    return _from_columns(source.stem, columns, source, log, index=index)


def _from_columns(stem, columns, source, log, index=None):
    names = [str(name) for name in columns]
    if not names:
        raise NotUnderstood(f"{source.shown}: the table has no columns.")
    entries = [column if column.dtype.kind in "biufUS" else column.astype(str)
               for column in columns.values()]  # fmt: skip
    rows = None
    if index is not None:
        place = names.index(index)
        rows = [_named(x) for x in entries.pop(place).tolist()]
        names.pop(place)
        index = "" if index.startswith("__index_level") else index
    elif len(names) > 1:
        place = next((c for c, e in enumerate(entries) if e.dtype.kind in "US"
                      and len(set(e.tolist())) == len(e)), None)  # fmt: skip
        if place is not None:
            rows, index = entries.pop(place).tolist(), names.pop(place)
    texts = {c: column.tolist() for c, column in enumerate(entries) if column.dtype.kind in "US"}
    values = np.full((len(entries[0]) if entries else 0, len(entries)), np.nan)
    for c, column in enumerate(entries):
        if c not in texts:
            values[:, c] = column
    return variables_of_frame(
        stem, source.shown, names, values, texts, log, ids=rows, corner=index or "",
    )  # fmt: skip


def _named(entry):
    return str(int(entry)) if isinstance(entry, float) and entry == int(entry) else str(entry)


def _read_sheets(source, log):
    """A workbook: one table per sheet."""
    try:
        calamine = need("python_calamine", "formats")
    except ModuleNotFoundError:
        with open(source.path, "rb") as file:  # no advice to install it for what is no workbook
            zipped = file.read(2) == b"PK"
        if zipped and not zipfile.is_zipfile(source.path):
            raise CannotRead(source.shown, "it is cut or damaged (no end of the archive)") from None
        raise
    room_for_zip(source.path, source.shown)
    try:
        workbook = calamine.CalamineWorkbook.from_path(str(source.path))
        names = workbook.sheet_names
        sheets = {name: workbook.get_sheet_by_name(name).to_python() for name in names}
    except (calamine.CalamineError, OSError) as error:
        raise CannotRead(source.shown, f"it is cut or damaged ({error})") from error
    found = []
    for name, rows in sheets.items():
        rows = [[_cell(x) for x in row] for row in rows if any(x != "" for x in row)]
        if not rows:
            continue
        stem = name if len(sheets) > 1 else source.stem
        if len(rows) > 1:
            rows = without_limits(rows, source.shown, log)
            found += variables_of_rows(rows, stem, source.shown, log)
        else:
            log.note(f"the sheet {name} of {source.shown} has one row and is left out")
    return found


def _cell(value):
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return repr(value) if isinstance(value, float) else str(value).strip()


READERS = {
    ".npz": _read_npz,
    ".npy": _read_npy,
    ".mat": _read_mat,
    ".h5": _read_hdf5,
    ".hdf5": _read_hdf5,
    ".h5ad": read_annotated,
    ".h5mu": read_annotated,
    ".mtx": _read_mtx,
    ".parquet": _read_parquet,
    ".feather": _read_feather,
    ".arrow": _read_feather,
    ".rda": read_r,
    ".rdata": read_r,
    ".rds": read_r,
}
