"""Load a data set by name: fetch the raw files, prepare the canonical file once, read it."""

import importlib
import os
import shutil
from pathlib import Path

import numpy as np

from mvclust.datasets.catalogue import (
    canonical_file_name,
    find_entry,
    find_subset,
    load_catalogue,
)
from mvclust.datasets.fetch import (
    check_raw_files,
    fetch_dataset,
    find_mirror,
    mirror_has_better,
)
from mvclust.datasets.files import BadMirror, DataNotAvailable, checksum_of_files, completed
from mvclust.datasets.record import Dataset, read_dataset, write_dataset
from mvclust.extras import need


def load_dataset(
    name,
    views=None,
    subset=None,
    mirror=None,
    cache=None,
    progress=True,
    bad_mirror="stop",
):
    """Load a data set, fetching and preparing it the first time.

    What is in the cache is not fetched again, with one exception: data prepared from an
    alternative set of files are prepared anew when the mirror has
    files of a better set.

    Parameters
    ----------
    name : str
        Name of the data set, one of `list_datasets`.
    views : str or list of str, optional
        Names of the wanted views, in the wanted order; by default all.
    subset : str or int, optional
        A version of the data set, such as "416" of 3sources; by default the one that the papers
        use. The catalogue lists them.
    mirror : path-like, optional
        A folder that holds the raw files, in one subfolder per data set; by default the one that
        the environment variable MVCLUST_MIRROR names, if any.
    cache : path-like, optional
        Where raw and prepared files are kept; by default the environment variable MVCLUST_CACHE,
        else the user's cache folder.
    progress : bool, default=True
        Whether to show a progress bar for a download.
    bad_mirror : {"stop", "warn"}, default="stop"
        What to do if the named mirror does not exist, or has a damaged file that is needed: raise
        BadMirror, or print a warning on stderr and use the next source.

    Returns
    -------
    Dataset
        Views ``Xs``, classes ``y`` and the rest of the record.

    Raises
    ------
    ValueError
        If a name is unknown; the message gives the nearest right one.
    BadMirror
        If the mirror does not exist or has a damaged file, and `bad_mirror` is "stop".
    DataNotAvailable
        If no source has the data, or they cannot be written.

    Examples
    --------
    >>> from mvclust import load_dataset
    >>> data = load_dataset("handwritten", views=["pix", "fou"])  # doctest: +SKIP
    >>> [X.shape for X in data.Xs], data.n_clusters  # doctest: +SKIP
    ([(2000, 240), (2000, 76)], 10)
    """
    catalogue = load_catalogue()
    entry = find_entry(catalogue, name)
    mirror = find_mirror(mirror, bad_mirror)
    cache = Path(cache or os.environ.get("MVCLUST_CACHE") or _user_cache())
    raw, path = cache / "raw" / name, cache / "datasets" / canonical_file_name(name, entry, subset)
    file_set = _prepared_set(path)
    if file_set is None or mirror_has_better(name, entry, mirror, file_set):
        try:
            fetch_dataset(name, raw, mirror, catalogue, progress, bad_mirror=bad_mirror)
            path.parent.mkdir(parents=True, exist_ok=True)
            prepare_dataset(name, raw, path, subset, catalogue)
        except BadMirror:
            raise
        except DataNotAvailable:
            # The mirror may have a part of the better files only: what was prepared is still good.
            if file_set is None:
                raise
    return read_dataset(path, views)


def prepare_dataset(name, raw_folder, out_path, subset=None, catalogue=None):
    """Read the raw files of a data set and write its canonical HDF5 file.

    Parameters
    ----------
    name : str
        Name of the data set.
    raw_folder : path-like
        Where `fetch_dataset` put the raw files.
    out_path : path-like
        The file to write; its folder must exist.
    subset : str or int, optional
        A version of the data set; by default the one that the papers use.
    catalogue : dict, optional
        As `load_catalogue` returns it; by default the one of the package.

    Returns
    -------
    Dataset
        What was written.

    Raises
    ------
    ValueError
        If a name is unknown, or the content of the files differs from the catalogue.
    DataNotAvailable
        If the raw files are not there, or not the right ones.

    Examples
    --------
    >>> from mvclust.datasets import prepare_dataset
    >>> prepare_dataset("buaa", "raw/buaa", "buaa-1350.h5", subset="1350")  # doctest: +SKIP
    """
    dataset = read_raw_dataset(name, raw_folder, subset, catalogue)
    entry = find_entry(load_catalogue() if catalogue is None else catalogue, name)
    if entry["reader"] == "prepared":
        (file,) = entry["files"]
        _place_again(Path(raw_folder, file), Path(out_path))
        return read_dataset(out_path)
    write_dataset(dataset, out_path)
    return dataset


def _place_again(path, to):
    """Give a file a second name, so that it takes no room; copy it where that cannot be."""
    with completed(to) as unfinished:
        try:
            os.link(path, unfinished)
        except OSError:
            shutil.copyfile(path, unfinished)
        os.utime(unfinished)  # it is newer than what asked for it


def read_raw_dataset(name, raw_folder, subset=None, catalogue=None):
    """Read a data set from its raw files, as `prepare_dataset` does, without writing it."""
    entry = find_entry(load_catalogue() if catalogue is None else catalogue, name)
    subset, facts = find_subset(name, entry, subset)
    source, file_set, records = check_raw_files(name, raw_folder, entry)
    files = {record["name"]: Path(raw_folder) / record["name"] for record in records}
    reader = importlib.import_module(f"mvclust.datasets.readers.{entry['reader']}")
    Xs, view_names, y, label_names, presence, *named = reader.read(files, subset)
    ids, feature_names = named or (None, None)
    dataset = Dataset(
        name=name,
        Xs=[np.ascontiguousarray(X) if isinstance(X, np.ndarray) else X for X in Xs],
        view_names=view_names,
        y=y,
        label_names=label_names,
        presence=presence,
        source=source,
        sha256=checksum_of_files(records),
        file_set=file_set,
        ids=ids,
        feature_names=feature_names,
    )
    _check_facts(dataset, subset, facts)
    return dataset


def _check_facts(dataset, subset, facts):
    """Compare what was read with what the catalogue says is in the files."""
    known = dataset.y[dataset.y >= 0]
    counts = np.bincount(known, minlength=dataset.n_clusters).tolist()
    found = {
        "samples": dataset.n_samples,
        "classes": dict(zip(dataset.label_names, counts, strict=True)),
        "views": {name: X.shape[1] for name, X in zip(dataset.view_names, dataset.Xs, strict=True)},
    }
    expected = {
        "samples": facts["n_samples"],
        # The size of a class is not always known beforehand.
        "classes": {
            name: found["classes"].get(name) if size is None else size
            for name, size in facts["classes"].items()
        },
        "views": {view["name"]: view["dimension"] for view in facts["views"]},
    }
    for what in found:
        if found[what] != expected[what]:
            raise ValueError(
                f"The files of the data set {dataset.name} ({subset}) do not hold what the "
                f"catalogue says: {what} {found[what]}, expected {expected[what]}."
            )


def _prepared_set(path):
    """The set of files that a prepared file was made from; None if it must be prepared anew."""
    try:
        return read_dataset(path, views=[]).file_set
    except (OSError, ValueError):
        return None


def _user_cache():
    platformdirs = need("platformdirs")
    return platformdirs.user_cache_dir("mvclust")
