"""MATLAB files: small ones as they are, large sparse ones without making them dense."""

import io
import math
import struct
import zlib

import numpy as np

from mvclust.datasets.files import damage_named
from mvclust.datasets.room import room_for
from mvclust.extras import need

# Bytes before the first variable, and codes, of the version 5 format.
_HEADER = 128
_MATRIX, _COMPRESSED = 14, 15
_CELL, _NUMERIC = 1, range(6, 16)
_TYPES = {
    1: np.int8, 2: np.uint8, 3: np.int16, 4: np.uint16, 5: np.int32, 6: np.uint32,
    7: np.float32, 9: np.float64, 12: np.int64, 13: np.uint64,
}  # fmt: skip
# What reading a damaged file raises.
_DAMAGE = (EOFError, struct.error, zlib.error)
_TOO_SHORT = "it ends too early"


def read_mat(path, names=None):
    """Read variables of a MATLAB file, whichever of the two formats it has.

    Parameters
    ----------
    path : path-like
        A file of version 5 to 7, or of version 7.3, which is HDF5.
    names : list of str, optional
        The variables to read; by default all.

    Returns
    -------
    dict
        Numeric variables as arrays in MATLAB's orientation, cell arrays as lists (column by
        column), structs as dictionaries (arrays of them as lists), char as texts.

    Raises
    ------
    DamagedFile
        If the file is cut or its content is damaged.
    """
    h5py = need("h5py")
    with damage_named(path):
        variables = _read_hdf5(path, names) if h5py.is_hdf5(path) else _read_mat5(path, names)
        if not variables:
            raise ValueError(f"no variable{' ' + ', '.join(names) if names else ''}")
    return variables


def _read_hdf5(path, names):
    h5py = need("h5py")
    with h5py.File(path, "r") as file:
        names = [name for name in file if not name.startswith("#")] if names is None else names
        return {name: _from_hdf5(file, linked(file, name), path) for name in names}


def _read_mat5(path, names):
    import scipy.io

    with open(path, "rb") as file:
        for name, shape, kind in scipy.io.whosmat(file):
            if kind != "sparse":
                room_for(8 * math.prod(shape), f"{path}: {name}")
        file.seek(0)
        variables = scipy.io.loadmat(file, variable_names=names)
    return {
        name: _from_mat5(value) for name, value in variables.items() if not name.startswith("__")
    }


def is_checked(path):
    """Whether a file is of version 7: all variables are packed with checksums, which are right.

    Parameters
    ----------
    path : path-like

    Returns
    -------
    bool
    """
    with open(path, "rb") as file:
        length = file.seek(0, io.SEEK_END)
        file.seek(_HEADER)
        while tag := file.read(8):
            if len(tag) < 8:
                return False
            kind, size = struct.unpack("<II", tag)
            end = file.tell() + size
            if kind != _COMPRESSED or end > length:
                return False
            packed = zlib.decompressobj()
            while file.tell() < end:
                try:
                    packed.decompress(file.read(min(1 << 16, end - file.tell())), 1 << 20)
                    while packed.unconsumed_tail:
                        packed.decompress(packed.unconsumed_tail, 1 << 20)
                except zlib.error:
                    return False
            if not packed.eof:
                return False
    return length > _HEADER


def _from_mat5(value):
    """Cells as lists, structs as dictionaries, char as texts; numbers as they are."""
    kind = getattr(value, "dtype", None)
    if kind is None or not isinstance(value, np.ndarray):
        return value
    if kind.names:
        items = [
            {name: _from_mat5(item[name]) for name in kind.names} for item in value.ravel(order="F")
        ]
        return items[0] if len(items) == 1 else items
    if kind.kind == "O":
        return [_from_mat5(item) for item in value.ravel(order="F")]
    if kind.kind == "U":
        texts = [str(text).rstrip() for text in value.ravel(order="F")]
        return texts[0] if len(texts) == 1 else texts or ""
    return value


def linked(group, name):
    """An item of an HDF5 group, unless its values are in another file.

    Parameters
    ----------
    group : h5py.Group
    name : str

    Returns
    -------
    h5py.Dataset or h5py.Group

    Raises
    ------
    ValueError
        If it is a link to another file, or its values are kept in one.
    """
    h5py = need("h5py")
    if isinstance(group.get(name, getlink=True), h5py.ExternalLink):
        raise ValueError(f"{name} is a link to another file, which is not followed")
    item = group[name]
    if isinstance(item, h5py.Dataset) and (item.external or item.is_virtual):
        raise ValueError(f"{name} has its values in another file, which is not opened")
    return item


def _from_hdf5(file, item, path, depth=0):
    """One variable of version 7.3; HDF5 shows MATLAB's arrays transposed."""
    from scipy import sparse

    h5py = need("h5py")
    if depth > 20:
        raise ValueError(f"{item.name} is nested more than 20 times")
    if isinstance(item, h5py.Group):
        if "MATLAB_sparse" in item.attrs and "jc" not in item:
            return sparse.csc_array((int(item.attrs["MATLAB_sparse"]), 0))
        if "jc" in item:
            data, ir, jc = (linked(item, key)[()] for key in ("data", "ir", "jc"))
            n_rows = int(item.attrs.get("MATLAB_sparse", ir.max(initial=0) + 1))
            return sparse.csc_array((data, ir, jc), shape=(n_rows, len(jc) - 1))
        return {key: _from_hdf5(file, linked(item, key), path, depth + 1) for key in item}
    room_for(math.prod(item.shape or ()) * item.dtype.itemsize, f"{path}: {item.name}")
    if item.shape is None or item.attrs.get("MATLAB_empty", 0):
        return np.empty((0, 0))
    if item.dtype == object:
        return [
            _from_hdf5(file, file[reference], path, depth + 1)
            for reference in item[()].T.ravel(order="F")
        ]
    values = item[()].T
    if item.attrs.get("MATLAB_class") == b"char":
        texts = ["".join(map(chr, row)).rstrip() for row in np.atleast_2d(values).tolist()]
        return texts[0] if len(texts) == 1 else texts
    return values


def read_columns(path, name):
    """Read a dense matrix, or a cell array of them, as sparse columns.

    The matrix never exists densely: it is unpacked a few columns at a time. For a matrix that is
    mostly zeros this needs a small part of the memory.

    Parameters
    ----------
    path : path-like
        A MATLAB file of version 5 to 7.
    name : str
        A variable: a full matrix of numbers, or a cell array of such.

    Returns
    -------
    csc_array or list of csc_array of shape (n_rows, n_columns)
        In MATLAB's orientation, float64.

    Raises
    ------
    KeyError
        If there is no such variable.
    ValueError
        If it is of another kind.
    DamagedFile
        If the file is cut or its content is damaged.
    """
    with open(path, "rb") as file, damage_named(path, of_the_file=_DAMAGE):
        length = file.seek(0, io.SEEK_END)
        if length < _HEADER:
            raise EOFError(_TOO_SHORT)
        file.seek(_HEADER)
        while tag := file.read(8):
            kind, size = struct.unpack("<II", tag)
            end = file.tell() + size
            if end > length:
                raise EOFError(_TOO_SHORT)
            if kind == _COMPRESSED:
                stream = _Unpacked(file)
                kind = struct.unpack("<II", stream.read(8))[0]
            else:
                stream = file
            if kind == _MATRIX:
                found, value = _read_matrix(stream, name)
                if found == name:
                    return value
            file.seek(end)
    raise KeyError(f"There is no variable {name} in {path}.")


class _Unpacked:
    """What is compressed in a file from its position on, to be read piece by piece."""

    def __init__(self, file):
        self._file, self._zlib, self._ready = file, zlib.decompressobj(), b""

    def read(self, size):
        while len(self._ready) < size:
            packed = self._zlib.unconsumed_tail or self._file.read(1 << 16)
            if not packed:
                raise EOFError(_TOO_SHORT)
            self._ready += self._zlib.decompress(packed, max(size, 1 << 16))
        piece, self._ready = self._ready[:size], self._ready[size:]
        return piece


def _read_matrix(stream, wanted=None):
    """Read the parts of one matrix; its values only if its name is the wanted one, or any is."""
    flags = np.frombuffer(_read_element(stream)[1], np.uint32)[0] & 0xFF
    shape = np.frombuffer(_read_element(stream)[1], np.int32)
    name = _read_element(stream)[1].decode()
    if wanted not in (None, name):
        return name, None
    if flags == _CELL:
        cells = []
        for _ in range(math.prod(shape)):
            stream.read(8)  # the tag of the matrix inside
            cells.append(_read_matrix(stream)[1])
        return name, cells
    if flags not in _NUMERIC or len(shape) != 2:
        raise ValueError(f"The variable {name} is not a full matrix of numbers.")
    return name, _read_values(stream, *shape.tolist())


def _read_tag(stream):
    """Read the type and the size of an element, and what follows up to a multiple of 8 bytes."""
    tag = stream.read(8)
    kind, size = struct.unpack("<HH", tag[:4])
    if size:  # small values stand in the tag itself
        return kind, size, tag[4:]
    kind, size = struct.unpack("<II", tag)
    return kind, size, None


def _read_element(stream):
    kind, size, value = _read_tag(stream)
    if value is None:
        value = stream.read(size + -size % 8)
    return kind, value[:size]


def _read_values(stream, n_rows, n_columns):
    import scipy.sparse

    kind, size, inside = _read_tag(stream)
    dtype = np.dtype(_TYPES[kind])
    step = max(1, (1 << 18) // max(1, n_rows * dtype.itemsize))
    counts, rows, values = [], [], []
    for start in range(0, n_columns, step):
        width = min(step, n_columns - start)
        piece = stream.read(width * n_rows * dtype.itemsize) if inside is None else inside[:size]
        block = np.frombuffer(piece, dtype).reshape(width, n_rows)
        columns, these = np.nonzero(block)
        counts.append(np.bincount(columns, minlength=width))
        rows.append(these.astype(np.int32))
        values.append(block[columns, these].astype(np.float64))
    if inside is None:
        stream.read(-size % 8)
    starts = np.concatenate([[0], np.cumsum(np.concatenate([[], *counts]))]).astype(np.int32)
    parts = np.concatenate([[], *values]), np.concatenate([[], *rows]).astype(np.int32), starts
    return scipy.sparse.csc_array(parts, shape=(n_rows, n_columns))
