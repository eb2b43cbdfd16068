"""MATLAB files: small ones as they are, large sparse ones without making them dense."""

import io
import math
import struct
import zlib

import numpy as np

from mvclust.datasets.files import damage_named
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
        column).

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
        # HDF5 shows MATLAB's arrays transposed.
        names = [name for name in file if name != "#refs#"] if names is None else names
        return {name: _from_hdf5(file, file[name]) for name in names}


def _read_mat5(path, names):
    import scipy.io

    with open(path, "rb") as file:
        variables = scipy.io.loadmat(file, variable_names=names)
    return {
        name: list(value.ravel(order="F")) if value.dtype == object else value
        for name, value in variables.items()
        if not name.startswith("__")
    }


def _from_hdf5(file, item):
    if item.dtype == object:
        return [file[reference][()].T for reference in item[()].T.ravel(order="F")]
    return item[()].T


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
