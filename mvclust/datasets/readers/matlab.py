"""MATLAB files: small ones as they are, large sparse ones without making them dense."""

import io
import math
import struct
import subprocess
import sys
import zlib

import numpy as np

from mvclust.datasets.files import damage_named
from mvclust.datasets.hdf5 import opened, own, size_of
from mvclust.datasets.room import room_for
from mvclust.extras import need

# Bytes before the first variable, and codes, of the version 5 format.
_HEADER = 128
_MATRIX, _COMPRESSED = 14, 15
_CELL, _CHAR, _SPARSE, _OPAQUE, _NUMERIC = 1, 4, 5, 17, range(6, 16)
_COMPLEX = 0x800
_CELL_COST = 1 << 12  # bytes of memory that a cell takes at least, with what reads it
_TYPES = {
    1: np.int8, 2: np.uint8, 3: np.int16, 4: np.uint16, 5: np.int32, 6: np.uint32,
    7: np.float32, 9: np.float64, 12: np.int64, 13: np.uint64,
}  # fmt: skip
# What reading a damaged file raises.
_DAMAGE = (EOFError, struct.error, zlib.error)
_TOO_SHORT = "it ends too early"


def read_mat(path, names=None):
    """Read variables of a MATLAB file, whichever of the two formats it has; by default all.

    The file is of version 5 to 7, or of version 7.3, which is HDF5. Numeric variables are arrays in
    MATLAB's orientation, cell arrays lists (column by column), structs dictionaries (arrays of them
    lists), char texts. DamagedFile if the file is cut or its content is damaged.
    """
    h5py = need("h5py")
    with damage_named(path):
        variables = _read_hdf5(path, names) if h5py.is_hdf5(path) else _read_mat5(path, names)
        if not variables:
            raise ValueError(f"no variable{' ' + ', '.join(names) if names else ''}")
    return variables


def _read_hdf5(path, names):
    with opened(path) as file:
        names = [name for name in file if not name.startswith("#")] if names is None else names
        cells = _Cells(file, path)
        return {name: cells.value(file[name]) for name in names}


def _read_mat5(path, names):
    import scipy.io

    room_for(declared(path), path)
    if not _is_checked(path):
        _try_apart(path)
    with open(path, "rb") as file:
        variables = scipy.io.loadmat(file, variable_names=names)
    return {
        name: _from_mat5(value) for name, value in variables.items() if not name.startswith("__")
    }


def _try_apart(path):
    """Try a file without checksums in another process: damage in it may end the process."""
    code = "import sys; from scipy.io.matlab import loadmat, whosmat; "
    code += "whosmat(sys.argv[1]); loadmat(sys.argv[1])"
    line = [sys.executable, "-c", code, str(path)]
    done = subprocess.run(line, capture_output=True, check=False, timeout=600)
    if done.returncode < 0:
        raise ValueError("reading it ends the process")


def _is_checked(path):
    """Whether a file is of version 7: all variables are packed with checksums, which are right."""
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


class _Cells:
    """Variables of version 7.3; HDF5 shows MATLAB's arrays transposed.

    Cells are references, which may name one array many times, or each other in a circle: what is
    read is counted.
    """

    def __init__(self, file, path):
        self.file, self.path, self.taken = file, path, 0

    def value(self, item, depth=0):
        from scipy import sparse

        h5py = need("h5py")
        if depth > 20:
            raise ValueError(f"{item.name} is nested more than 20 times")
        if isinstance(item, h5py.Group):
            self._take(_CELL_COST, item)
            if "MATLAB_sparse" in item.attrs and "jc" not in item:
                return sparse.csc_array((int(item.attrs["MATLAB_sparse"]), 0))
            if "jc" in item:
                for key in ("data", "ir", "jc"):
                    self._take(size_of(item[key]), item)
                data, ir, jc = (item[key][()] for key in ("data", "ir", "jc"))
                n_rows = int(item.attrs.get("MATLAB_sparse", ir.max(initial=0) + 1))
                return sparse.csc_array((data, ir, jc), shape=(n_rows, len(jc) - 1))
            return {key: self.value(item[key], depth + 1) for key in item}
        self._take(_CELL_COST + size_of(own(item)), item)
        if item.shape is None or item.attrs.get("MATLAB_empty", 0):
            return np.empty((0, 0))
        if item.dtype == object:
            references = item[()].T.ravel(order="F")
            return [self.value(self.file[reference], depth + 1) for reference in references]
        values = item[()].T
        if item.attrs.get("MATLAB_class") == b"char":
            texts = ["".join(map(chr, row)).rstrip() for row in np.atleast_2d(values).tolist()]
            return texts[0] if len(texts) == 1 else texts
        return values

    def _take(self, n_bytes, item):
        self.taken += n_bytes
        room_for(self.taken, f"{self.path}: {item.name}")


def declared(path):
    """Bytes that the variables of a file of version 4 to 7 take once they are read.

    They follow from what stands before the values; numbers become float64. EOFError, struct.error,
    zlib.error or ValueError if the file is cut or damaged.
    """
    with open(path, "rb") as file:
        length = file.seek(0, io.SEEK_END)
        file.seek(0)
        start = file.read(_HEADER)
        if length < _HEADER or 0 in start[:4]:  # version 4 begins with numbers, not with a text
            return length + _declared4(path)
        order, total = "<" if start[126:] == b"IM" else ">", 0
        while len(tag := file.read(8)) == 8:
            kind, size = struct.unpack(f"{order}II", tag)
            end, stream = file.tell() + size, file
            if kind == _COMPRESSED:
                stream = _Unpacked(file)
                kind, size = struct.unpack(f"{order}II", stream.read(8))
            if kind == _MATRIX:
                total += _Declared(stream, order).matrix(size)
            file.seek(end)
    return total


def _declared4(path):
    import scipy.io

    with open(path, "rb") as file:
        shapes = [shape for _, shape, kind in scipy.io.whosmat(file) if kind != "sparse"]
    return sum(8 * math.prod(shape) for shape in shapes)


class _Declared:
    """What matrices of version 5 declare, without their values."""

    def __init__(self, stream, order):
        self.stream, self.order = stream, order

    def matrix(self, size, depth=0):
        """Bytes that a matrix of `size` bytes takes; the stream is then behind it."""
        if depth > 50:
            raise ValueError("cells are nested more than 50 times")
        if size == 0:  # an empty cell
            return 0
        (flags, _), left = self._numbers("II", size)
        kind = flags & 0xFF
        if kind == _OPAQUE:
            self._skip(left)
            return size
        shape, left = self._numbers("i", left)
        if min(shape, default=0) < 0:
            raise ValueError(f"a matrix of shape {shape}")
        total = 8 * math.prod(shape) * (2 if flags & _COMPLEX else 1)
        if kind == _SPARSE:
            total = 8 * left
        if kind in _NUMERIC or kind in (_SPARSE, _CHAR):
            self._skip(left)
            return total + _CELL_COST
        while left > 0:  # the name, names of fields, then cells or fields
            inner, length, short = self._tag()
            left -= 8
            if inner == _MATRIX:
                total += self.matrix(length, depth + 1)
            elif not short:
                length += -length % 8
                self._skip(length)
            left -= 0 if short else length
        return total + _CELL_COST

    def _numbers(self, kind, left):
        """The numbers of an element, and how many bytes are left after it."""
        _, size, short = self._tag()
        if short:
            content, read = short[:size], 8
        else:
            if size > 1 << 16:
                raise ValueError(f"{size} bytes for the shape of a matrix")
            content, read = self.stream.read(size + -size % 8)[:size], 8 + size + -size % 8
        if len(kind) == 1:
            kind = kind * (size // 4)
        return struct.unpack(self.order + kind, content), left - read

    def _tag(self):
        tag = self.stream.read(8)
        kind, size = struct.unpack(f"{self.order}II", tag)
        if kind >> 16:  # a small element: its values are in the tag
            return kind & 0xFFFF, kind >> 16, tag[4:]
        return kind, size, None

    def _skip(self, size):
        while size > 0:
            piece = self.stream.read(min(size, 1 << 20))
            if not piece:
                raise EOFError(_TOO_SHORT)
            size -= len(piece)


def read_columns(path, name):
    """Read a dense matrix, or a cell array of them, as sparse columns.

    The matrix never exists densely: it is unpacked a few columns at a time. For a matrix that is
    mostly zeros this needs a small part of the memory. The file is of version 5 to 7; the variable
    is a full matrix of numbers, or a cell array of such. Returns csc_arrays in MATLAB's
    orientation, float64, or a list of them. KeyError if there is no such variable, ValueError if it
    is of another kind, DamagedFile if the file is cut or its content is damaged.
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
