"""Invented data of one's own, written in the formats that people have."""

import h5py
import numpy as np
from scipy import sparse

from mvclust.datasets.foreign import find_views

N = 30
Y = np.repeat([0, 1, 2], 10)
WORDS = np.array(["ash", "birch", "cedar"])[Y]
ORDER = np.random.default_rng(4).permutation(N)
PATIENTS = [f"P{n * n}" for n in range(N)]
IDS = [f"S-{7 * i % 11}-{200 + i}" for i in range(N)]
RNG = np.random.default_rng(0)
A, B, C = (4 * RNG.standard_normal((3, d))[Y] + RNG.random((N, d)) for d in (5, 4, 6))


def cells(*items):
    """A cell array."""
    cell = np.empty((1, len(items)), dtype=object)
    for n, item in enumerate(items):
        cell[0, n] = item
    return cell


def texts(*items):
    """A column of texts as a cell array."""
    return cells(*items).T


def write_table(path, X, header=None, ids=None, corner="", mark=",", gap="", number="%.4f"):
    """A table as text; `ids` become the first column."""
    lines = (
        [] if header is None else [mark.join([corner] * (ids is not None) + [*map(str, header)])]
    )
    for n, row in enumerate(np.asarray(X, dtype=float)):
        cells = [gap if np.isnan(x) else number % x for x in row]
        first = [] if ids is None else [str(ids[n])]
        lines.append(mark.join(first + cells))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_v73(path, content):
    """A MATLAB file of version 7.3: lists are cells, dictionaries structs, texts char."""
    with h5py.File(path, "w", userblock_size=512) as file:
        refs = file.create_group("#refs#")
        for name, value in content.items():
            _put(file, refs, name, value)
    with open(path, "r+b") as file:
        file.write(b"MATLAB 7.3 MAT-file".ljust(128, b" "))


def _put(group, refs, name, value):
    if isinstance(value, list):
        names = [f"r{len(refs) + n}" for n in range(len(value))]
        for key in names:
            refs.create_dataset(f"_{key}", data=0)  # holds the place while nested cells are written
        for key, item in zip(names, value, strict=True):
            _put(refs, refs, key, item)
        data = np.array([refs[key].ref for key in names], dtype=h5py.ref_dtype)
        group.create_dataset(name, data=data[:, None]).attrs["MATLAB_class"] = np.bytes_("cell")
    elif sparse.issparse(value):
        value, here = sparse.csc_array(value), group.create_group(name)
        here["data"], here["ir"], here["jc"] = value.data, value.indices, value.indptr
        here.attrs["MATLAB_sparse"] = np.uint64(value.shape[0])
    elif isinstance(value, dict):
        here = group.create_group(name)
        for key, item in value.items():
            _put(here, refs, key, item)
    elif isinstance(value, str):
        item = group.create_dataset(name, data=np.array([[ord(c)] for c in value], np.uint16))
        item.attrs["MATLAB_class"] = np.bytes_("char")
    else:
        group.create_dataset(name, data=np.asarray(value, dtype=float).T)


def understood(path, features=None, n=N, classes=None, missing=None, **options):
    """What is found, checked against what it should be."""
    found = find_views(path, **options)
    told = "\n".join(found.notes)
    assert len(found.presence) == n, told
    if features is not None:
        assert [X.shape[1] for X in found.Xs] == features, told
    assert (len(found.label_names) or None) == classes, told
    assert (~found.presence).sum(axis=0).tolist() == (missing or [0] * len(found.Xs)), told
    return found


def same_values(found, *Xs):
    """The views hold these values, in this order of samples."""
    for mine, X in zip(found.Xs, Xs, strict=True):
        mine = mine.toarray() if sparse.issparse(mine) else mine
        np.testing.assert_allclose(mine, X, atol=1e-4)
