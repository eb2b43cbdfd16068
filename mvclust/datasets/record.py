"""The record of a prepared data set, and its canonical HDF5 file."""

import contextlib
import hashlib
import json
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from mvclust.datasets.catalogue import unknown
from mvclust.datasets.files import DamagedFile, DataNotAvailable, completed, damage_named
from mvclust.extras import need

# Increased when the layout changes, or what a reader makes of the bytes: older files are then
# prepared anew instead of being read.
FORMAT = 3

CHECKSUM_SIZE = 32  # bytes of SHA-256 that follow what HDF5 writes


@dataclass(frozen=True, eq=False)
class Dataset:
    """A prepared multi-view data set.

    Attributes
    ----------
    name : str
    Xs : list of {ndarray, csr_array} of shape (n_samples, n_features_v)
        One float64 array per view. A naturally missing instance is a row of NaN in a dense view
        and an empty row in a sparse view; `presence` distinguishes it from a row of zeros.
    view_names : list of str
    y : ndarray of shape (n_samples,)
        Classes 0 .. n_clusters - 1, int64; -1 throughout where no classes are known.
    label_names : list of str
        The names of the classes.
    presence : ndarray of shape (n_samples, n_views)
        Whether the instance exists, bool.
    source : str
        Where the bytes came from, in words.
    sha256 : str
        Checksum over the names and checksums of the raw files.
    file_set : int, default=0
        Which of the alternative sets of raw files was read; 0 is the preferred one.
    ids : list of str or None, default=None
        The names of the samples, where the files have them.
    feature_names : list or None, default=None
        For each view the names of its features, or None.
    """

    name: str
    Xs: list
    view_names: list
    y: np.ndarray
    label_names: list
    presence: np.ndarray
    source: str
    sha256: str
    file_set: int = 0
    ids: list | None = None
    feature_names: list | None = None

    @property
    def n_samples(self):
        """The number of samples."""
        return len(self.y)

    @property
    def n_views(self):
        """The number of views."""
        return len(self.Xs)

    @property
    def n_clusters(self):
        """The number of classes."""
        return len(self.label_names)

    def select(self, views=None):
        """Return the data set with the named views only, in the given order.

        Parameters
        ----------
        views : str or list of str, optional
            Names of views; by default all.

        Returns
        -------
        Dataset
            All samples, including those that none of the chosen views holds.

        Raises
        ------
        ValueError
            If a view is unknown; the message names the nearest one.

        Examples
        --------
        >>> from mvclust.datasets import load_dataset
        >>> load_dataset("handwritten").select(["pix", "fou"]).n_views  # doctest: +SKIP
        2
        """
        chosen = _positions(self.name, self.view_names, views)
        return replace(
            self,
            Xs=[self.Xs[v] for v in chosen],
            view_names=[self.view_names[v] for v in chosen],
            presence=self.presence[:, chosen],
            feature_names=self.feature_names and [self.feature_names[v] for v in chosen],
        )


def write_dataset(dataset, path):
    """Write a data set as one HDF5 file.

    The file appears under its name only when it is complete. The same data set always gives the
    same bytes (with the same HDF5 library).

    Parameters
    ----------
    dataset : Dataset
        What to write.
    path : path-like
        The file; its folder must exist.

    Raises
    ------
    OSError
        If the folder is missing, read-only or full; no file is left behind.

    Examples
    --------
    >>> from mvclust.datasets import load_dataset, write_dataset
    >>> write_dataset(load_dataset("handwritten"), "handwritten.h5")  # doctest: +SKIP
    """
    with _written(path) as file:
        file.attrs.update(
            format=FORMAT,
            name=dataset.name,
            label_names=json.dumps(dataset.label_names),
            view_names=json.dumps(dataset.view_names),
            source=dataset.source,
            sha256=dataset.sha256,
            file_set=dataset.file_set,
        )
        _put(file, "y", dataset.y.astype(np.int64))
        _put(file, "presence", dataset.presence.astype(bool))
        if dataset.ids or dataset.feature_names:
            names = json.dumps({"ids": dataset.ids, "features": dataset.feature_names})
            _put(file, "names", np.frombuffer(names.encode(), dtype=np.uint8))
        for v, X in enumerate(dataset.Xs):
            group = file.create_group(f"view_{v}")
            if isinstance(X, np.ndarray):
                _put(group, "dense", _compact(X))
            else:
                group.attrs["shape"] = X.shape
                _put(group, "data", _compact(X.data))
                _put(group, "indices", X.indices.astype(np.int32))
                _put(group, "indptr", X.indptr.astype(np.int32))


def write_unavailable(name, reason, path):
    """Write a file that represents a data set that is not available.

    `read_dataset` will raise its reason. The folder of the file must exist.
    """
    with _written(path) as file:
        file.attrs.update(format=FORMAT, name=name, unavailable=reason)


def read_dataset(path, views=None):
    """Read a data set from its HDF5 file.

    Parameters
    ----------
    path : path-like
        A file that `write_dataset` wrote.
    views : str or list of str, optional
        Names of views: only these are read, in this order; by default all.

    Returns
    -------
    Dataset
        Values are float64, sparse views stay sparse.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    DataNotAvailable
        If the file only says why the data are not available.
    DamagedFile
        If the file is cut or its content is damaged.
    ValueError
        If a view is unknown, or the file has the layout of another version.

    Examples
    --------
    >>> from mvclust.datasets import read_dataset
    >>> read_dataset("handwritten.h5", views=["pix"]).Xs[0].shape  # doctest: +SKIP
    (2000, 240)
    """
    h5py = need("h5py")
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"There is no data set file {path}.")
    if not _ends_with_its_checksum(path):
        raise DamagedFile(path, "it does not end with its checksum, as files of this version do")
    with damage_named(path):
        file = h5py.File(path, "r")
    with file:
        with damage_named(path):
            header = dict(file.attrs)
        if header.get("format") != FORMAT:
            raise ValueError(f"{path} has another layout than this version: prepare it anew.")
        if "unavailable" in header:
            raise DataNotAvailable(header["unavailable"])
        with damage_named(path):
            name, view_names = header["name"], json.loads(header["view_names"])
        chosen = _positions(name, view_names, views)
        with damage_named(path):
            names = json.loads(bytes(file["names"][()])) if "names" in file else {}
            features = names.get("features")
            return Dataset(
                name=name,
                Xs=[_read_view(file[f"view_{v}"]) for v in chosen],
                view_names=[view_names[v] for v in chosen],
                y=file["y"][()],
                label_names=json.loads(header["label_names"]),
                presence=file["presence"][()][:, chosen],
                source=header["source"],
                sha256=header["sha256"],
                file_set=int(header["file_set"]),
                ids=names.get("ids"),
                feature_names=features and [features[v] for v in chosen],
            )


def content_digest(dataset):
    """Compute a checksum of what a data set contains, wherever it came from.

    The checksum covers the values of the views in their order, the labels and the presence. It
    does not depend on the source, on names, or on whether a view is stored dense or sparse.
    Rows of absent instances do not count, whatever is stored there.

    Parameters
    ----------
    dataset : Dataset
        A data set, or one with some of its views only.

    Returns
    -------
    str
        SHA-256 as hexadecimal digits.

    Examples
    --------
    >>> from mvclust.datasets import content_digest, read_dataset
    >>> content_digest(read_dataset("handwritten.h5"))  # doctest: +SKIP
    """
    presence = np.asarray(dataset.presence, dtype=bool)
    digest = hashlib.sha256(f"{presence.shape}".encode())
    digest.update(np.packbits(presence).tobytes())
    digest.update(np.asarray(dataset.y).astype("<i8").tobytes())
    for X, present in zip(dataset.Xs, presence.T, strict=True):
        digest.update(f"{X.shape}".encode())
        for part in _content(X, present):
            digest.update(part)
    return digest.hexdigest()


def _content(X, present):
    """Give the values of the present rows as arrays that do not depend on how X is stored."""
    import scipy.sparse

    rows = np.flatnonzero(present)
    if isinstance(X, np.ndarray):
        X = X[rows]
        n_values = np.count_nonzero(X)
    else:
        X = scipy.sparse.csr_array(X)[rows]
        X.sum_duplicates()
        X.eliminate_zeros()
        n_values = X.nnz
    # The cheaper of two forms; which one it is follows from the values alone.
    if 2 * n_values > X.shape[0] * X.shape[1]:
        return [_canonical(X if isinstance(X, np.ndarray) else X.toarray())]
    X = scipy.sparse.csr_array(X)
    return [X.indptr.astype("<i8"), X.indices.astype("<i8"), _canonical(X.data)]


def _canonical(values):
    """Make equal numbers equal bytes: one zero, one NaN, one type and order."""
    values = np.ascontiguousarray(values, dtype="<f8") + 0.0
    values[np.isnan(values)] = np.nan
    return values


def _positions(name, view_names, views):
    """Positions of the named views."""
    if views is None:
        return list(range(len(view_names)))
    views = [views] if isinstance(views, str) else views
    for view in views:
        if view not in view_names:
            raise ValueError(unknown(f"view of the data set {name}", view, view_names))
    return [view_names.index(view) for view in views]


def _read_view(group):
    if "dense" in group:
        return group["dense"][()].astype(np.float64)
    import scipy.sparse

    parts = group["data"][()].astype(np.float64), group["indices"][()], group["indptr"][()]
    return scipy.sparse.csr_array(parts, shape=tuple(group.attrs["shape"]))


def _compact(values):
    """Whole numbers in the smallest integer type that holds them, anything else unchanged."""
    if values.size == 0 or not np.isfinite(values).all() or (values != np.rint(values)).any():
        return values
    for kind in (np.uint8, np.int16, np.int32):
        limits = np.iinfo(kind)
        if limits.min <= values.min() and values.max() <= limits.max:
            return values.astype(kind)
    return values


@contextlib.contextmanager
def _written(path):
    """An HDF5 file to fill, which gets its name and its checksum when all went well.

    HDF5 checks compressed values, but not what describes them: a damaged description gives other
    values, or a crash inside the library. It takes no notice of bytes behind its own.
    """
    h5py = need("h5py")
    with completed(path) as unfinished:
        with h5py.File(unfinished, "w") as file:
            yield file
        with open(unfinished, "ab") as file:
            file.write(_content_checksum(unfinished, unfinished.stat().st_size))


def _ends_with_its_checksum(path):
    size = path.stat().st_size - CHECKSUM_SIZE
    with open(path, "rb") as file:
        file.seek(max(size, 0))
        return file.read() == _content_checksum(path, size)


def _content_checksum(path, size):
    """SHA-256 of the first bytes of a file."""
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while size > 0 and (block := file.read(min(size, 2**20))):
            digest.update(block)
            size -= len(block)
    return digest.digest()


def _put(group, name, values):
    # Without track_times=False the time of creation would make equal files differ.
    group.create_dataset(
        name, data=values, track_times=False, compression="gzip", compression_opts=1, shuffle=True
    )
