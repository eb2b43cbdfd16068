"""Every version of every data set of the mirror, prepared: as its README and the papers say."""

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
from mvclust.datasets.readers.matlab import read_mat

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
    """A function that prepares a version once and returns it."""
    folder, done = tmp_path_factory.mktemp("data"), {}

    def prepare(name, subset=None):
        if (name, subset) not in done:
            fetch_dataset(name, folder / name, mirror)
            path = folder / canonical_file_name(name, CATALOGUE[name], subset)
            done[name, subset] = prepare_dataset(name, folder / name, path, subset)
        return done[name, subset]

    prepare.folder = folder
    return prepare


def dense(X):
    return X.toarray() if scipy.sparse.issparse(X) else X


def same(A, B):
    return A.shape == B.shape and np.array_equal(dense(A), dense(B), equal_nan=True)


@pytest.mark.parametrize(("name", "subset"), VERSIONS)
def test_contract(name, subset, prepared):
    """Preparing compares sizes of classes and dimensions with the catalogue."""
    data = prepared(name, subset)
    n_samples = find_subset(name, CATALOGUE[name], subset)[1]["n_samples"]
    assert data.y.dtype == np.int64
    assert data.presence.shape == (n_samples, data.n_views)
    assert data.presence.dtype == bool
    assert data.presence.any(axis=1).all()
    assert data.source == ("repository" if name == "handwritten" else "mirror folder")
    assert len(data.sha256) == 64
    for v, X in enumerate(data.Xs):
        assert X.dtype == np.float64
        if scipy.sparse.issparse(X):
            assert X.format == "csr"
            assert X.has_canonical_format
            assert np.isfinite(X.data).all()
            assert (X.data != 0).all()
            assert X[~data.presence[:, v]].nnz == 0
        else:
            assert np.isfinite(X).all()
            assert X.flags.c_contiguous
            assert (X == 0).mean() < 0.9 or X.size < 10**6  # else it should be sparse
    path = prepared.folder / canonical_file_name(name, CATALOGUE[name], subset)
    again = read_dataset(path)
    assert all(same(A, B) and type(A) is type(B) for A, B in zip(data.Xs, again.Xs, strict=True))
    assert np.array_equal(data.y, again.y)
    assert np.array_equal(data.presence, again.presence)
    for key in ("name", "view_names", "label_names", "source", "sha256"):
        assert getattr(data, key) == getattr(again, key)


@pytest.mark.parametrize("name", HERE)
def test_what_is_read_never_changes(name, prepared):
    digests = [content_digest(prepared(name, subset))[:16] for subset in CATALOGUE[name]["subsets"]]
    assert hashlib.sha256("".join(digests).encode()).hexdigest()[:12] == DIGESTS[name]
    if "sorted by class" in " ".join(CATALOGUE[name]["notes"]):
        assert (np.diff(prepared(name).y) >= 0).all()


def test_kinds_of_views(prepared):
    """Counts and links are whole numbers from 0 on; measurements may be whole too."""
    for name, subset in VERSIONS:
        data, views = prepared(name, subset), find_subset(name, CATALOGUE[name], subset)[1]["views"]
        for X, view in zip(data.Xs, views, strict=True):
            values = X.data if scipy.sparse.issparse(X) else X
            whole = (values == np.rint(values)).all() and values.min() >= 0
            assert whole or view["kind"] in ("real", "tf-idf"), (name, subset, view)
            assert view["kind"] == "real" or values.min() >= 0, (name, subset, view)
            assert view["kind"] != "tf-idf" or not whole, (name, subset, view)


# Other copies of the same data: name, version, file in the mirror, its views and classes.
COPIES = [
    ("3sources", "169", "3sources3vbigRnSp.mat", "X", "truth"),
    ("bbcsport", "116x4", "bbcsport_seg14of4.mat", "data", "labels"),
    ("wikipedia", "693", "Wikipedia-test.mat", "X", "y"),
    ("reuters", "all", "Reuters-1200.mat", "X", None),
]


@pytest.mark.parametrize(("name", "subset", "file", "views", "classes"), COPIES)
def test_a_version_equals_the_copy_that_goes_round(
    name, subset, file, views, classes, prepared, mirror
):
    content, data = read_mat(mirror / name / file), prepared(name, subset)
    for A, B in zip(data.Xs, content[views], strict=True):
        assert same(A, B if A.shape == B.shape else B.T)
    assert classes is None or np.array_equal(data.y, content[classes].ravel() - 1)


def test_cora_links(prepared, mirror):
    data = prepared("cora", "all")
    content, inbound, outbound, cites = data.Xs
    file = scipy.io.loadmat(mirror / "cora" / "Cora.mat")
    assert same(content, file["coracontent"])
    assert same(cites, file["coracites"])
    assert np.array_equal(data.y, file["y"].ravel() - 1)
    # The publisher's list of links has the same numbers of links in and out.
    cited, citing = np.loadtxt(mirror / "cora" / "cora.cites", dtype=np.int64).T
    for X, papers in ((inbound, cited), (outbound, citing)):
        degrees = np.unique(papers, return_counts=True)[1]
        counts = X.sum(axis=1)
        assert sorted(counts[counts > 0]) == sorted(degrees)


def test_classes_that_differ_by_view_are_refused(tmp_path):
    views, labels = np.empty(2, dtype=object), np.empty(2, dtype=object)
    views[:] = [np.eye(3), np.eye(3)]
    labels[:] = [np.array([[1], [2], [2]]), np.array([[1], [2], [1]])]
    path = tmp_path / "100leaves.mat"
    scipy.io.savemat(path, {"data": views, "truelabel": labels})
    with pytest.raises(ValueError, match="gives the views different classes"):
        read_cells({"100leaves.mat": path}, "all")


def test_other_files_than_the_catalogue_says(prepared, mirror, tmp_path):
    """A file with the right checksum that holds something else is told, not passed on."""
    fetch_dataset("buaa", tmp_path, mirror)
    catalogue = load_catalogue()
    catalogue["buaa"]["views"][1]["dimension"] = 101
    with pytest.raises(ValueError, match=r"buaa \(90\) do not hold .*views .*'view2': 101"):
        prepare_dataset("buaa", tmp_path, tmp_path / "buaa.h5", catalogue=catalogue)
    assert not (tmp_path / "buaa.h5").exists()
