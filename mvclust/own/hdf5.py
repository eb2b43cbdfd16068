"""MATLAB's files of all versions, AnnData, MuData and 10x."""

from pathlib import Path

import numpy as np
from scipy import sparse

from mvclust.extras import need
from mvclust.own.pieces import Piece, arrays, cells, table
from mvclust.own.texts import Unreadable


def matlab(file: Path, stem: str) -> list[Piece]:
    """Return the variables of a .mat file."""
    from scipy.io import loadmat

    h5py = need("h5py")
    if not h5py.is_hdf5(file):
        content = loadmat(file)
    else:
        with h5py.File(file) as f:
            _refuse_links(f)
            content = {k: _of_matlab(f, v) for k, v in f.items() if not k.startswith("#")}
    return arrays(content, [], stem)


def _refuse_links(file):
    """Refuse a file with a link to another file."""
    external = need("h5py").ExternalLink
    found = file.visititems_links(lambda key, link: key if isinstance(link, external) else None)
    if found:
        raise Unreadable(f"{found} is a link to another file, which is not followed")


def _of_matlab(file, item):
    """Return an item of MATLAB 7.3: a struct, sparse matrix, text, cell array or array."""
    h5py = need("h5py")
    if isinstance(item, h5py.Group):
        if "MATLAB_sparse" in item.attrs:
            return _sparse(item, int(item.attrs["MATLAB_sparse"]), "ir", "jc")
        return {k: _of_matlab(file, v) for k, v in item.items() if not k.startswith("#")}
    of_codes = "MATLAB_int_decode" in item.attrs and item.dtype == np.uint16
    if item.attrs.get("MATLAB_class") == b"char" or of_codes:
        return "".join(map(chr, item[()].ravel()))
    if item.attrs.get("MATLAB_empty"):
        return np.empty(0)
    if item.dtype == h5py.ref_dtype:
        return cells([_of_matlab(file, file[r]) for r in item[()].T.ravel(order="F")])
    return item[()].T


def _sparse(group, n_rows, indices="indices", indptr="indptr"):
    """Return a matrix that HDF5 holds by columns."""
    data = group["data"][()] if "data" in group else np.empty(0)
    i = group[indices][()].astype(int) if indices in group else np.empty(0, int)
    p = group[indptr][()].astype(int)
    return sparse.csr_array(sparse.csc_array((data, i, p), shape=(n_rows, len(p) - 1)))


def annotated(file: Path, stem: str) -> list[Piece]:
    """Return the parts of an AnnData, MuData or 10x file, or the arrays of any HDF5."""
    h5py = need("h5py")
    with h5py.File(file) as f:
        _refuse_links(f)
        if "mod" in f:
            if f.attrs.get("axis", 0) != 0:
                raise Unreadable(
                    "a MuData of axis 1: its modalities share the variables, not the samples; "
                    "write one h5ad per modality"
                )
            parts = [p for m in f["mod"] for p in _anndata(f["mod"][m], m, f"mod/{m}/")]
            return parts + (_facts(f["obs"], f"{stem}_obs", "obs") if "obs" in f else [])
        if "obs" in f and "X" in f:
            return _anndata(f, stem, "")
        if "matrix" in f and "barcodes" in f["matrix"]:
            group = f["matrix"]
            X, columns = _sparse(group, int(group["shape"][0])), _texts(group["barcodes"])
            features = group["features"] if "features" in group else {"name": group["gene_names"]}
            rows, kinds = _texts(features["name"]), features.get("feature_type")
            piece = Piece({"key": "matrix"}, stem, X, rows=rows, columns=columns, samples="columns")
            return piece.by_kind(kinds and _texts(kinds))
        if "col_attrs" in f or "observation" in f:
            raise Unreadable("a loom or biom file: read it by scanpy or biom, and save an h5ad")
        found = []
        f.visititems(lambda key, item: found.append((key, item)))
        return [a for key, item in found if isinstance(item, h5py.Dataset) and item.shape
                for a in arrays(item[()], key.split("/"), stem)]  # fmt: skip


def _texts(item):
    return [t.decode() if isinstance(t, bytes) else str(t) for t in item[()]]


def _column(item):
    """Return a column of an AnnData's frame: numbers, texts or categories."""
    if hasattr(item, "keys") and "codes" in item:
        names = _column(item["categories"])
        return [names[c] if c >= 0 else None for c in item["codes"][()]]
    if hasattr(item, "keys"):  # nullable numbers
        values, gone = item["values"][()], item["mask"][()]
        return [None if g else v for v, g in zip(values.tolist(), gone, strict=True)]
    return _texts(item) if item.dtype.kind in "OS" else item[()].astype(float).tolist()


def _index(group):
    """Return the keys of the names of a frame, and the names."""
    index = group.attrs.get("_index", "_index" if "_index" in group else "index")
    names = _texts(group[index])
    if names == [*map(str, range(len(names)))]:  # as AnnData does by default: in a column
        datasets = ((k, item) for k, item in group.items() if k != index and hasattr(item, "dtype"))
        columns = ((k, _texts(item)) for k, item in datasets if item.dtype.kind in "OS")
        for key, texts in columns:
            if len({*texts}) == len(texts):
                return (index, key), texts
    return (index,), names


def _facts(group, name, path):
    """Return the columns of a frame about the samples, as a table if there are any."""
    index, rows = _index(group)
    columns = {k: _column(item) for k, item in group.items()
               if k not in index and not k.startswith("__")
               and (not hasattr(item, "keys") or {"codes", "values"} & set(item))}  # fmt: skip
    return [table({"key": path}, name, columns, rows, samples="rows")] if columns else []


def _anndata(group, name, path):
    if not hasattr(group["obs"], "keys"):
        raise Unreadable("an old AnnData: read it by anndata and write it again")
    rows, columns, X = _index(group["obs"])[1], _index(group["var"])[1], group["X"]
    if not hasattr(X, "keys"):
        values = X[()]
    elif "csc" in str(X.attrs.get("encoding-type", "csr")):
        values = _sparse(X, len(rows))
    else:
        values = sparse.csr_array(_sparse(X, len(columns)).T)
    piece = Piece({"key": f"{path}X"}, name, values, rows=rows, columns=columns, samples="rows")
    groups = [k for k in ("layers", "obsm") if hasattr(group.get(k), "keys")]
    beside = [f"{k}/{x}" for k in groups for x in group[k]]
    piece.note = f"{name}: {', '.join(beside)} are not read" if beside else None
    return [piece, *_facts(group["obs"], f"{name}_obs", f"{path}obs")]
