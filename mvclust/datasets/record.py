"""The record of a prepared data set, and its canonical HDF5 file."""

import json
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from mvclust.datasets.catalogue import unknown
from mvclust.datasets.files import DataNotAvailable, completed

# Counted up when the layout or what a reader makes of the bytes changes: older files are then
# prepared anew instead of being read.
FORMAT = 1


@dataclass(frozen=True, eq=False)
class Dataset:
    """A prepared multi-view data set.

    Attributes
    ----------
    name : str
    Xs : list
        One (n_samples, n_features) float64 array or scipy CSR array a view. An instance that is
        missing by nature is a row of NaN in a dense view and an empty row in a sparse one;
        `presence` tells it from a row that is really zero.
    view_names : list of str
    y : ndarray of shape (n_samples,)
        Classes 0 .. n_clusters - 1, int64.
    label_names : list of str
        The names of the classes.
    presence : ndarray of shape (n_samples, n_views)
        Whether the instance is there, bool.
    source : str
        Where the bytes came from, in words.
    sha256 : str
        Checksum over the names and checksums of the raw files.
    """

    name: str
    Xs: list
    view_names: list
    y: np.ndarray
    label_names: list
    presence: np.ndarray
    source: str
    sha256: str

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
            Every sample stays, also one that none of the chosen views holds.

        Raises
        ------
        ValueError
            If there is no view of a name; the message names the nearest one.

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
        )


def write_dataset(dataset, path):
    """Write a data set as one HDF5 file.

    The file appears under its name only when it is complete, and the same data set always gives
    the same bytes (with the same HDF5 library).

    Parameters
    ----------
    dataset : Dataset
    path : path-like
        Its folder must exist.

    Raises
    ------
    OSError
        If the folder is missing, read-only or full; no file is left behind.

    Examples
    --------
    >>> from mvclust.datasets import load_dataset, write_dataset
    >>> write_dataset(load_dataset("handwritten"), "handwritten.h5")  # doctest: +SKIP
    """
    import h5py

    with completed(path) as unfinished, h5py.File(unfinished, "w") as file:
        file.attrs.update(
            format=FORMAT,
            name=dataset.name,
            label_names=json.dumps(dataset.label_names),
            view_names=json.dumps(dataset.view_names),
            source=dataset.source,
            sha256=dataset.sha256,
        )
        _put(file, "y", dataset.y.astype(np.int64))
        _put(file, "presence", dataset.presence.astype(bool))
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
    """Write a file that stands for a data set that could not be had.

    Parameters
    ----------
    name : str
    reason : str
        What `read_dataset` will say.
    path : path-like
    """
    import h5py

    with completed(path) as unfinished, h5py.File(unfinished, "w") as file:
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
        If the file only says why the data could not be had.
    ValueError
        If there is no view of a name, or the file has another layout.

    Examples
    --------
    >>> from mvclust.datasets import read_dataset
    >>> read_dataset("handwritten.h5", views=["pix"]).Xs[0].shape  # doctest: +SKIP
    (2000, 240)
    """
    import h5py

    if not Path(path).exists():
        raise FileNotFoundError(f"There is no data set file {path}.")
    with h5py.File(path, "r") as file:
        if file.attrs.get("format") != FORMAT:
            raise ValueError(f"{path} has another layout than this version: prepare it anew.")
        if "unavailable" in file.attrs:
            raise DataNotAvailable(file.attrs["unavailable"])
        name, view_names = file.attrs["name"], json.loads(file.attrs["view_names"])
        chosen = _positions(name, view_names, views)
        return Dataset(
            name=name,
            Xs=[_read_view(file[f"view_{v}"]) for v in chosen],
            view_names=[view_names[v] for v in chosen],
            y=file["y"][()],
            label_names=json.loads(file.attrs["label_names"]),
            presence=file["presence"][()][:, chosen],
            source=file.attrs["source"],
            sha256=file.attrs["sha256"],
        )


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


def _put(group, name, values):
    # Without track_times=False the time of creation would make equal files differ.
    group.create_dataset(
        name, data=values, track_times=False, compression="gzip", compression_opts=1, shuffle=True
    )
