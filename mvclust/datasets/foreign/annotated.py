"""Annotated data of single cells: .h5ad (one modality) and .h5mu (several)."""

import numpy as np
from scipy import sparse

from mvclust.datasets.foreign.record import NotUnderstood, Variable
from mvclust.datasets.foreign.words import names_labels
from mvclust.datasets.hdf5 import opened, room_for_all
from mvclust.extras import need

NOT_READ = ("layers", "raw", "uns", "varm", "obsp", "varp")  # groups beside X, obs, var and obsm


def read_annotated(source, log):
    """Modalities as views, columns of `obs` as what is known of the samples.

    Parameters
    ----------
    source : Source
    log : Log

    Returns
    -------
    list of Variable
    """
    with opened(source.path) as file:
        room_for_all(file, source.shown, leave_out=NOT_READ)
        if "mod" not in file:
            return _modality(file, source.stem, source, log, alone=True)
        names = list(file["mod"].attrs.get("mod-order", list(file["mod"])))
        found = []
        for name in names:
            found += _modality(file["mod"][name], name, source, log, alone=False)
        if "obs" in file:
            found += _facts(file["obs"], "obs", source)
        return found


def _modality(group, name, source, log, alone):
    """The matrix X, what `obsm` holds beside it, and the columns of `obs`."""
    if "X" not in group and not (alone and "obsm" in group):
        raise NotUnderstood(f"{source.shown}: the modality {name} has no X.")
    ids = _index(group["obs"])
    features = _index(group["var"]) if "var" in group else None
    common = {"file": source.shown, "family": source.shown, "rows": ids, "role": "view"}
    found = []
    if "X" in group:
        X = _matrix(group["X"])
        kinds = _kinds(group)
        for kind, columns in kinds.items():
            title = name if len(kinds) == 1 else kind
            names = None if features is None else [features[c] for c in columns]
            part = X if len(kinds) == 1 else X[:, columns]
            found.append(Variable(title, part, columns=names, **common))
        if len(kinds) > 1:
            log.note(f"{source.shown}: the features are of {len(kinds)} types, one view for each")
    for key in group.get("obsm", {}):
        item = group["obsm"][key]
        if key in group.get("mod", {}) or (not alone and key == name):
            continue
        derived = key.startswith("X_")
        role = {"role": "facts"} if derived or not alone else {}
        columns = None
        if isinstance(item, h5py_group()) and item.attrs.get("encoding-type") == "dataframe":
            columns = [str(c) for c in item.attrs["column-order"]]
            values = np.column_stack([np.asarray(item[c][()], dtype=float) for c in columns])
        else:
            values = _matrix(item)
        if derived:
            log.note(f"{key} in {source.shown} is computed from X and is left out")
        found.append(Variable(f"obsm/{key}", values, columns=columns, **(common | role)))
    if "layers" in group and len(group["layers"]):
        log.note(f"{source.shown}: layers of {name} ({', '.join(group['layers'])}) are left out")
    return found + _facts(group["obs"], f"{name}/obs" if not alone else "obs", source)


def h5py_group():
    """The type of groups."""
    return need("h5py").Group


def _kinds(group):
    """Columns by the type of feature, as 10x marks them."""
    n = _length(group["X"])
    var = group.get("var", {})
    column = next((c for c in ("feature_types", "feature_type", "modality") if c in var), None)
    if column is None:
        return {"": np.arange(n)}
    kinds = _entries(var[column])
    found = {str(kind): np.flatnonzero(kinds == kind) for kind in dict.fromkeys(kinds.tolist())}
    return found if 1 < len(found) <= 10 else {"": np.arange(n)}


def _length(item):
    shape = item.shape if hasattr(item, "shape") else item.attrs["shape"]
    return int(shape[1])


def _matrix(item):
    """A matrix as it is kept: dense, or sparse by rows or columns."""
    if hasattr(item, "shape"):
        return np.asarray(item[()], dtype=np.float64)
    parts = [item[key] for key in ("data", "indices", "indptr")]
    shape = tuple(int(n) for n in item.attrs.get("shape", item.attrs.get("h5sparse_shape")))
    kind = item.attrs.get("encoding-type", item.attrs.get("h5sparse_format", "csr"))
    kind = kind.decode() if isinstance(kind, bytes) else str(kind)
    made = sparse.csc_array if kind.startswith("csc") else sparse.csr_array
    return sparse.csr_array(made(tuple(part[()] for part in parts), shape=shape), dtype=np.float64)


def _index(frame):
    """The names along the index of a frame."""
    if not isinstance(frame, h5py_group()):  # older files keep frames as structured arrays
        field = frame.dtype.names[0]
        return [x.decode() if isinstance(x, bytes) else str(x) for x in frame[field]]
    return [str(x) for x in _entries(frame[frame.attrs.get("_index", "_index")])]


def _entries(item):
    """A column: texts, categories or numbers."""
    if isinstance(item, h5py_group()):
        if "categories" not in item:
            return np.asarray(item["values"][()])
        names, codes = _entries(item["categories"]), item["codes"][()]
        return np.array([str(names[c]) if c >= 0 else "" for c in codes])
    values = item[()]
    if values.dtype.kind in "OS":
        return np.array([x.decode() if isinstance(x, bytes) else str(x) for x in values])
    return values


def _facts(frame, name, source):
    """The columns of `obs`: labels by their names, else facts."""
    if not isinstance(frame, h5py_group()):
        return []
    ids, found = _index(frame), []
    for column in frame:
        if column in (frame.attrs.get("_index", "_index"), "__categories"):
            continue
        entries = _entries(frame[column])
        role = None if names_labels(column) == 2 and entries.dtype.kind in "USiu" else "facts"
        common = {"family": f"{source.shown}/obs", "rows": ids, "role": role}
        found.append(Variable(f"{name}/{column}", entries, source.shown, **common))
    return found
