"""Every version of every data set of the mirror, prepared: as its README and the papers say."""

import numpy as np
import pytest
import scipy.io
import scipy.sparse

from mvclust.datasets import fetch_dataset, load_catalogue, prepare_dataset, read_dataset
from mvclust.datasets.catalogue import canonical_file_name

CATALOGUE = load_catalogue()

# From the README of the mirror: dimensions, and sizes of the classes in the order of the labels.
# For webkb this order is course, faculty, project, student, staff, whatever the file has.
SEGMENTS, LINKS = [1991, 2063, 2113, 2158], {"cornell": 195, "texas": 187}
LINKS |= {"washington": 230, "wisconsin": 265, "all": 877}
TEST = np.array([34, 88, 96, 85, 65, 58, 51, 41, 71, 104])
TRAIN = np.array([138, 272, 244, 248, 202, 178, 186, 144, 214, 347])
PAGES = {
    "cornell": [42, 32, 19, 83, 19],
    "texas": [34, 31, 18, 103, 1],
    "washington": [66, 27, 21, 107, 9],
    "wisconsin": [76, 35, 22, 122, 10],
    "all": [218, 125, 80, 415, 39],
}
README = {
    ("handwritten", "all"): ([76, 216, 64, 240, 47, 6], [200] * 10),
    ("3sources", "169"): ([3560, 3631, 3068], [56, 21, 11, 18, 51, 12]),
    ("3sources", "416"): ([3560, 3631, 3068], [104, 60, 54, 49, 89, 60]),
    ("bbcsport", "116x4"): (SEGMENTS, [15, 29, 31, 36, 5]),
    ("bbcsport", "544x2"): ([3183, 3203], [62, 104, 193, 124, 61]),
    ("bbcsport", "544x2-weighted"): ([3183, 3203], [62, 104, 193, 124, 61]),
    ("bbcsport", "737x2"): ([3183, 3203], [101, 124, 265, 147, 100]),
    ("buaa", "90"): ([100, 100], [9] * 10),
    ("buaa", "1350"): ([100, 100], [9] * 150),
    ("wikipedia", "693"): ([128, 10], TEST.tolist()),
    ("wikipedia", "2866"): ([128, 10], (TEST + TRAIN).tolist()),
    ("reuters", "all"): ([2000] * 5, [200] * 6),
    ("cora", "all"): ([1433, 2708, 2708, 2708], [818, 180, 217, 426, 351, 418, 298]),
    ("webkb", "washington-203"): ([1703, 230, 230], [66, 21, 107, 9]),
}
for place, sizes in PAGES.items():
    dimensions = [1703] + [LINKS[place]] * 3
    README["webkb", f"{place}-with-staff"] = (dimensions, sizes)
    README["webkb", f"{place}-without-staff"] = (dimensions, sizes[:4])
SCENES = [241, 360, 328, 260, 308, 374, 410, 292, 356, 215, 216, 311, 210, 289, 315]
VIDEOS = [356, 293, 311, 346, 391, 351, 266, 328, 533, 294, 252, 304, 105, 206, 203, 707, 562]
LATER = {
    "msrc-v1": ([24, 576, 512, 256, 254], [30] * 7),
    "yale": ([9, 512, 50], [11] * 15),
    "orl": ([512, 59, 864, 254], [10] * 40),
    "ngs": ([2000, 2000, 2000], [100] * 5),
    "100leaves": ([64, 64, 64], [16] * 100),
    "landuse21": ([20, 59, 40], [100] * 21),
    "bdgp": ([1000, 500, 250], [500] * 5),
    "scene15": ([20, 59, 40], SCENES),
    "ccv": ([20, 20, 20], [*VIDEOS, 372, 268, 325]),
    "hdigit": ([784, 256], [1000] * 10),
}
README |= {(name, "all"): facts for name, facts in LATER.items()}
SPARSE = {"ngs", "3sources", "bbcsport", "reuters", "webkb", "cora"}
PAPERS = {
    "handwritten": 2000,
    "3sources": 169,
    "bbcsport": 116,
    "buaa": 90,
    "wikipedia": 693,
    "reuters": 1200,
    "webkb": 838,
    "cora": 2708,
}


@pytest.fixture(scope="module")
def prepared(mirror, tmp_path_factory):
    """A function that prepares a version once and returns it."""
    folder, done = tmp_path_factory.mktemp("data"), {}

    def prepare(name, subset=None):
        if (name, subset) not in done:
            fetch_dataset(name, folder / name, mirror)
            path = folder / canonical_file_name(name, CATALOGUE[name], subset)
            done[name, subset] = prepare_dataset(name, folder / name, path, subset)
            done[name, subset, "path"] = path
        return done[name, subset]

    prepare.path = lambda name, subset: prepare(name, subset) and done[name, subset, "path"]
    return prepare


def dense(X):
    return X.toarray() if scipy.sparse.issparse(X) else X


def same(A, B):
    return A.shape == B.shape and np.array_equal(dense(A), dense(B), equal_nan=True)


def test_nothing_is_left_out():
    elsewhere = {"caltech101-7", "caltech101-20", "flowers17", "flowers17-rebuilt"}  # images/
    elsewhere |= {name for name, entry in CATALOGUE.items() if entry["reader"] == "omics"}
    versions = {
        (name, s) for name in CATALOGUE if name not in elsewhere for s in CATALOGUE[name]["subsets"]
    }
    assert set(README) == versions


@pytest.mark.parametrize(("name", "subset"), README)
def test_contract(name, subset, prepared):
    dimensions, sizes = README[name, subset]
    data = prepared(name, subset)
    assert [X.shape for X in data.Xs] == [(sum(sizes), d) for d in dimensions]
    assert np.bincount(data.y).tolist() == sizes
    assert data.y.dtype == np.int64
    assert data.n_samples == sum(sizes)
    assert data.n_clusters == len(data.label_names) == len(sizes)
    assert data.n_views == len(data.view_names) == len(dimensions)
    assert data.presence.shape == (sum(sizes), len(dimensions))
    assert data.presence.dtype == bool
    assert data.presence.any(axis=1).all()
    assert data.source == ("repository" if name == "handwritten" else "mirror folder")
    assert len(data.sha256) == 64
    for v, X in enumerate(data.Xs):
        assert X.dtype == np.float64
        if name in SPARSE:
            assert X.format == "csr"
            assert X.has_canonical_format
            assert np.isfinite(X.data).all()
            assert (X.data != 0).all()
            assert X[~data.presence[:, v]].nnz == 0
        else:
            assert np.isfinite(X).all()
            assert X.flags.c_contiguous
    again = read_dataset(prepared.path(name, subset))
    assert all(same(A, B) and type(A) is type(B) for A, B in zip(data.Xs, again.Xs, strict=True))
    assert np.array_equal(data.y, again.y)
    assert np.array_equal(data.presence, again.presence)
    for key in ("name", "view_names", "label_names", "source", "sha256"):
        assert getattr(data, key) == getattr(again, key)


@pytest.mark.parametrize("name", PAPERS)
def test_default_is_the_version_of_the_papers(name, prepared):
    assert prepared(name).n_samples == PAPERS[name]
    assert prepared.path(name, None).name == f"{name}.h5"


def test_kinds_of_views(prepared):
    """Counts and links are whole numbers from 0 on; measurements may be whole too."""
    for name, subset in README:
        data = prepared(name, subset)
        entry = CATALOGUE[name]
        views = (entry["subsets"][subset] or {}).get("views", entry["views"])
        for X, view in zip(data.Xs, views, strict=True):
            values = X.data if scipy.sparse.issparse(X) else X
            whole = (values == np.rint(values)).all() and values.min() >= 0
            assert whole or view["kind"] in ("real", "tf-idf"), (name, subset, view)
            assert view["kind"] == "real" or values.min() >= 0, (name, subset, view)
            assert view["kind"] != "tf-idf" or not whole, (name, subset, view)


def test_natural_missingness(prepared):
    data = prepared("3sources", "416")
    assert data.presence.sum(axis=0).tolist() == [352, 302, 294]
    assert np.bincount(data.presence.sum(axis=1)).tolist() == [0, 53, 194, 169]
    pairs = data.presence.T.astype(int) @ data.presence
    assert [pairs[0, 1], pairs[0, 2], pairs[1, 2]] == [250, 239, 212]
    data = prepared("bbcsport", "737x2")
    assert data.presence.sum(axis=0).tolist() == [644, 637]
    assert data.presence.all(axis=1).sum() == 544


def test_3sources_equals_the_subset_that_goes_round(prepared, mirror):
    content = scipy.io.loadmat(mirror / "3sources" / "3sources3vbigRnSp.mat")
    data = prepared("3sources", "169")
    assert all(same(A, B.T) for A, B in zip(data.Xs, content["X"].ravel(), strict=True))
    assert np.array_equal(data.y, content["truth"].ravel() - 1)
    assert [int((X.sum(axis=0) == 0).sum()) for X in data.Xs] == [167, 78, 70]


def test_bbcsport_versions_agree(prepared, mirror):
    import h5py

    data = prepared("bbcsport", "116x4")
    with h5py.File(mirror / "bbcsport" / "bbcsport_seg14of4.mat") as file:
        for X, reference in zip(data.Xs, file["data"][()].ravel(), strict=True):
            assert same(X, file[reference][()].T)
        assert np.array_equal(data.y, file["labels"][()].ravel() - 1)
    some, all_ = prepared("bbcsport", "544x2"), prepared("bbcsport", "737x2")
    both = all_.presence.all(axis=1)
    assert all(same(A, B[both]) for A, B in zip(some.Xs, all_.Xs, strict=True))
    assert np.array_equal(some.y, all_.y[both])
    weighted = prepared("bbcsport", "544x2-weighted")
    assert np.array_equal(some.y, weighted.y)
    for A, B in zip(some.Xs, weighted.Xs, strict=True):
        assert same(A != 0, B != 0)


def test_buaa_first_persons(prepared):
    few, all_ = prepared("buaa", "90"), prepared("buaa", "1350")
    assert all(same(A, B[:90]) for A, B in zip(few.Xs, all_.Xs, strict=True))
    assert few.Xs[0].min() < 0


def test_wikipedia_equals_the_test_part_that_goes_round(prepared, mirror):
    content = scipy.io.loadmat(mirror / "wikipedia" / "Wikipedia-test.mat")
    data, all_ = prepared("wikipedia", "693"), prepared("wikipedia", "2866")
    assert all(same(A, B) for A, B in zip(data.Xs, content["X"].ravel(), strict=True))
    assert np.array_equal(data.y, content["y"].ravel() - 1)
    assert all(same(A, B[2173:]) for A, B in zip(data.Xs, all_.Xs, strict=True))
    assert all(np.allclose(X.sum(axis=1), 1, atol=1e-3) for X in all_.Xs)
    assert data.label_names[0] == "art"


def test_reuters_equals_the_dense_file(prepared, mirror):
    content = scipy.io.loadmat(mirror / "reuters" / "Reuters-1200.mat")
    data = prepared("reuters", "all")
    assert all(same(A, B) for A, B in zip(data.Xs, content["X"].ravel(), strict=True))
    twins = [(66, 167), (509, 578), (912, 968)]
    assert all(same(X[[i]], X[[j]]) for X in data.Xs[:3] for i, j in twins)


def test_webkb_links(prepared):
    for place in PAGES:
        _, inbound, outbound, cites = prepared("webkb", f"{place}-with-staff").Xs
        assert same(outbound, inbound.T)
        assert same(cites, inbound + outbound)
    lonely = {"cornell": (93, 38), "texas": (74, 37), "washington": (73, 23), "wisconsin": (83, 44)}
    for place, (no_inbound, no_outbound) in lonely.items():
        _, inbound, outbound, _ = prepared("webkb", f"{place}-with-staff").Xs
        assert (inbound.sum(axis=1) == 0).sum() == no_inbound
        assert (outbound.sum(axis=1) == 0).sum() == no_outbound


def test_webkb_of_all_is_the_universities_one_below_the_other(prepared):
    all_ = prepared("webkb", "all-with-staff")
    start = 0
    for place in ("cornell", "texas", "washington", "wisconsin"):
        one = prepared("webkb", f"{place}-with-staff")
        rows = slice(start, start + one.n_samples)
        assert np.array_equal(all_.y[rows], one.y)
        assert same(all_.Xs[0][rows], one.Xs[0])
        assert all(same(all_.Xs[v][rows, rows], one.Xs[v]) for v in (1, 2, 3))
        start += one.n_samples
    staff = all_.label_names.index("staff")
    without = prepared("webkb", "all-without-staff")
    assert all(same(A, B[all_.y != staff]) for A, B in zip(without.Xs, all_.Xs, strict=True))
    assert "staff" not in without.label_names


def test_webkb_203_is_washington_without_faculty(prepared):
    washington = prepared("webkb", "washington-with-staff")
    data = prepared("webkb", "washington-203")
    rest = washington.y != washington.label_names.index("faculty")
    assert all(same(A, B[rest]) for A, B in zip(data.Xs, washington.Xs[:3], strict=True))
    named = [washington.label_names[label] for label in washington.y[rest]]
    assert [data.label_names[label] for label in data.y] == named


def test_cora_links(prepared, mirror):
    data = prepared("cora", "all")
    content, inbound, outbound, cites = data.Xs
    assert same(outbound, inbound.T)
    assert same(cites, inbound + outbound)
    assert inbound.nnz == 5429
    assert (inbound.sum(axis=1) == 0).sum() == 1143
    assert (outbound.sum(axis=1) == 0).sum() == 486
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


@pytest.mark.parametrize("name", LATER)
def test_notes_of_later_data_sets(name, prepared):
    data, notes = prepared(name, "all"), " ".join(CATALOGUE[name]["notes"])
    assert ("sorted by class" in notes) == bool((np.diff(data.y) >= 0).all())
    zero = [int((np.abs(dense(X)).sum(axis=1) == 0).sum()) for X in data.Xs]
    if name == "bdgp":
        assert zero == [201, 1203, 1915]
        empty = np.column_stack([np.abs(X).sum(axis=1) == 0 for X in data.Xs])
        assert empty.any(axis=1).sum() == 2150
        assert not empty.all(axis=1).any()
    else:
        assert not any(zero)


def test_classes_that_differ_by_view_are_refused(tmp_path):
    from mvclust.datasets.readers.cells import read

    views, labels = np.empty(2, dtype=object), np.empty(2, dtype=object)
    views[:] = [np.eye(3), np.eye(3)]
    labels[:] = [np.array([[1], [2], [2]]), np.array([[1], [2], [1]])]
    path = tmp_path / "100leaves.mat"
    scipy.io.savemat(path, {"data": views, "truelabel": labels})
    with pytest.raises(ValueError, match="gives the views different classes"):
        read({"100leaves.mat": path}, "all")


def test_handwritten_repeats_and_signs(prepared):
    data = prepared("handwritten", "all")
    twins = [(605, 774), (1148, 1172), (1237, 1271), (1265, 1272), (1448, 1521), (1892, 1999)]
    assert all(same(X[i], X[j]) for X in data.Xs for i, j in twins)
    negative = [(X < 0).mean() for X in data.Xs]
    assert [view for view, share in zip(data.view_names, negative, strict=True) if share] == ["kar"]
    assert round(negative[2], 2) == 0.49


def test_other_files_than_the_catalogue_says(prepared, mirror, tmp_path):
    """A file with the right checksum that holds something else is told, not passed on."""
    fetch_dataset("buaa", tmp_path, mirror)
    catalogue = load_catalogue()
    catalogue["buaa"]["views"][1]["dimension"] = 101
    with pytest.raises(ValueError, match=r"buaa \(90\) do not hold .*views .*'view2': 101"):
        prepare_dataset("buaa", tmp_path, tmp_path / "buaa.h5", catalogue=catalogue)
    assert not (tmp_path / "buaa.h5").exists()
