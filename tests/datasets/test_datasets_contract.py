"""Every version of every data set of the mirror, prepared: as its README and the papers say."""

import functools
import hashlib

import numpy as np
import pytest
import scipy.io
import scipy.sparse

from mvclust.datasets import (
    content_digest,
    fetch_dataset,
    load_catalogue,
    prepare_dataset,
    read_dataset,
)
from mvclust.datasets.catalogue import canonical_file_name, find_subset
from mvclust.datasets.readers.cells import read as read_cells

CATALOGUE = load_catalogue()

# Data sets of images and molecules have tests of their own; the other versions are all here.
HERE = [
    name
    for name, entry in CATALOGUE.items()
    if entry["reader"] != "omics"
    and not {"images", "archive"} & {source["kind"] for source in entry["sources"]}
    and not entry.get("unverified")
]
VERSIONS = [(name, subset) for name in HERE for subset in CATALOGUE[name]["subsets"]]
# What was read when each version was compared with other copies of it and with its README.
DIGESTS = {
    "handwritten": "28ebc84fb88f", "3sources": "d079c221c43e", "bbcsport": "b4ce02c5bde9",
    "buaa": "e65d201e4693", "wikipedia": "188254241815", "reuters": "a0766f7047bb",
    "webkb": "6671e81b3cac", "cora": "eae373c5a99c", "msrc-v1": "40d5ec684dd4",
    "yale": "0feaed83b492", "orl": "3cf76a60eb96", "ngs": "ea460c4c0399",
    "100leaves": "d6f58887425f", "landuse21": "b524380a9c76", "bdgp": "311bf24f22a6",
    "scene15": "8aaa02532e10", "ccv": "3b47da7fd3a5", "hdigit": "4201be0b9ca9",
}  # fmt: skip


@pytest.fixture(scope="module")
def prepared(mirror, tmp_path_factory):
    """A function that prepares a version once: its data, and their file."""
    folder = tmp_path_factory.mktemp("data")

    @functools.cache
    def prepare(name, subset):
        fetch_dataset(name, folder / name, mirror)
        path = folder / canonical_file_name(name, CATALOGUE[name], subset)
        return prepare_dataset(name, folder / name, path, subset), path

    return prepare


@pytest.mark.parametrize(("name", "subset"), VERSIONS)
def test_contract(name, subset, prepared):
    """Preparing compares sizes of classes and dimensions with the catalogue.

    Counts and links are whole numbers from 0 on; measurements may be whole too.
    """
    data, _ = prepared(name, subset)
    facts = find_subset(name, CATALOGUE[name], subset)[1]
    assert data.y.dtype == np.int64
    assert data.presence.shape == (facts["n_samples"], data.n_views)
    assert data.presence.dtype == bool
    assert data.presence.any(axis=1).all()
    assert data.source == ("repository" if name == "handwritten" else "mirror folder")
    assert len(data.sha256) == 64
    for X, present, view in zip(data.Xs, data.presence.T, facts["views"], strict=True):
        assert X.dtype == np.float64
        values = X.data if scipy.sparse.issparse(X) else X
        assert np.isfinite(values).all()
        if scipy.sparse.issparse(X):
            assert X.format == "csr"
            assert X.has_canonical_format
            assert (values != 0).all()
            assert X[~present].nnz == 0
        else:
            assert X.flags.c_contiguous
            assert (X == 0).mean() < 0.9 or X.size < 10**6  # else it should be sparse
        whole = (values == np.rint(values)).all() and values.min() >= 0
        assert whole or view["kind"] in ("real", "tf-idf"), view
        assert view["kind"] == "real" or values.min() >= 0, view
        assert view["kind"] != "tf-idf" or not whole, view


@pytest.mark.parametrize("name", HERE)
def test_what_is_read_never_changes(name, prepared):
    entry, digests = CATALOGUE[name], ""
    for subset in entry["subsets"]:
        digests += content_digest(read_dataset(prepared(name, subset)[1]))[:16]
    assert hashlib.sha256(digests.encode()).hexdigest()[:12] == DIGESTS[name]
    if "sorted by class" in " ".join(entry["notes"]):
        assert (np.diff(prepared(name, entry["default_subset"])[0].y) >= 0).all()


def test_classes_that_differ_by_view_are_refused(tmp_path):
    views, labels = np.empty(2, dtype=object), np.empty(2, dtype=object)
    views[:] = [np.eye(3), np.eye(3)]
    labels[:] = [np.array([[1], [2], [2]]), np.array([[1], [2], [1]])]
    path = tmp_path / "100leaves.mat"
    scipy.io.savemat(path, {"data": views, "truelabel": labels})
    with pytest.raises(ValueError, match="gives the views different classes"):
        read_cells({"100leaves.mat": path}, "all")


def test_other_files_than_the_catalogue_says(mirror, tmp_path):
    """A file with the right checksum that holds something else is told, not passed on."""
    fetch_dataset("buaa", tmp_path, mirror)
    catalogue = load_catalogue()
    catalogue["buaa"]["views"][1]["dimension"] = 101
    with pytest.raises(ValueError, match=r"buaa \(90\) do not hold .*views .*'view2': 101"):
        prepare_dataset("buaa", tmp_path, tmp_path / "buaa.h5", catalogue=catalogue)
    assert not (tmp_path / "buaa.h5").exists()
