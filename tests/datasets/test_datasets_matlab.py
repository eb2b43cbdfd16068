"""MATLAB files, and the data sets that no mirror has, on small files of the same layouts."""

import tracemalloc

import h5py
import numpy as np
import pytest
import scipy.io
import scipy.sparse

from mvclust.datasets import DamagedFile, load_catalogue
from mvclust.datasets.readers import caltech101, cora, flowers17, reuters
from mvclust.datasets.readers.matlab import read_columns, read_mat


def cell(parts, shape=None):
    array = np.empty(len(parts), dtype=object)
    array[:] = parts
    return array.reshape(shape or (1, -1))


def write_v5(path, variables):
    """Write a file with checksums: without these it is first tried in another process."""
    scipy.io.savemat(path, variables, do_compression=True)


def write_v73(path, variables):
    """Write a file as MATLAB 7.3 does: HDF5, transposed, cells as references."""
    with h5py.File(path, "w") as file:
        for name, value in variables.items():
            if isinstance(value, list):
                held = file.require_group("#refs#")
                references = np.empty((len(value), 1), dtype=h5py.ref_dtype)
                for number, part in enumerate(value):
                    key = f"{name}{number}"
                    references[number] = held.create_dataset(key, data=np.asarray(part).T).ref
                file.create_dataset(name, data=references)
            else:
                file.create_dataset(name, data=np.asarray(value).T)


def mostly_zero(rng, shape, dtype):
    X = rng.integers(1, 100, size=shape) * (rng.random(shape) < 0.1)
    return (X / (7 if dtype == np.float64 else 1)).astype(dtype)


@pytest.mark.parametrize("compress", [False, True])
@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.int32, np.float32, np.float64])
@pytest.mark.parametrize("shape", [(1, 1), (1, 4), (3, 1), (5, 7), (300, 2000), (2000, 300)])
def test_columns_of_a_matrix(shape, dtype, compress, tmp_path):
    X = mostly_zero(np.random.default_rng(0), shape, dtype)
    path = tmp_path / "file.mat"
    before = {"before": np.arange(3), "text": "abc", "list": cell([np.eye(2), "x"])}
    scipy.io.savemat(path, before | {"X": X, "after": np.eye(3)}, do_compression=compress)
    read = read_columns(path, "X")
    assert read.format == "csc"
    assert read.dtype == np.float64
    assert np.array_equal(read.toarray(), X)
    assert np.array_equal(read_columns(path, "after").toarray(), np.eye(3))


@pytest.mark.parametrize("compress", [False, True])
@pytest.mark.parametrize("as_column", [False, True])
def test_columns_of_a_cell_array(as_column, compress, tmp_path):
    rng = np.random.default_rng(1)
    parts = [mostly_zero(rng, (40, d), np.uint8) for d in (1, 30, 700)]
    parts[1] = np.where(rng.random((40, 30)) < 0.1, np.nan, parts[1])
    path = tmp_path / "file.mat"
    shape = (-1, 1) if as_column else (1, -1)
    scipy.io.savemat(path, {"X": cell(parts, shape)}, do_compression=compress)
    for read, part in zip(read_columns(path, "X"), parts, strict=True):
        assert np.array_equal(read.toarray(), part, equal_nan=True)


def test_columns_that_cannot_be_read(tmp_path):
    path = tmp_path / "file.mat"
    scipy.io.savemat(path, {"text": "abc", "cube": np.ones((2, 2, 2))}, do_compression=True)
    with pytest.raises(KeyError, match="There is no variable X"):
        read_columns(path, "X")
    for name in ("text", "cube"):
        with pytest.raises(ValueError, match=f"The variable {name} is not a full matrix"):
            read_columns(path, name)


@pytest.mark.parametrize("compress", [False, True])
@pytest.mark.parametrize("end", [0, 50, 131, 140, 200, 0.5, -30, -1])
def test_cut_file(end, compress, tmp_path):
    """Wherever a file of version 5 is cut, both ways to read it name the file."""
    path = tmp_path / "file.mat"
    X = mostly_zero(np.random.default_rng(0), (30, 40), np.float64)
    scipy.io.savemat(path, {"X": X}, do_compression=compress)
    content = path.read_bytes()
    path.write_bytes(content[: int(end * len(content)) if 0 < end < 1 else end])
    for read in (lambda: read_mat(path), lambda: read_columns(path, "X")):
        with pytest.raises(DamagedFile, match=r"file\.mat is damaged \(.+\); delete it and run"):
            read()


def test_cut_file_of_version_73(tmp_path):
    path = tmp_path / "file.mat"
    write_v73(path, {"X": np.ones((30, 40))})
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(DamagedFile, match=r"file\.mat is damaged \(truncated file.+\)"):
        read_mat(path)
    # A missing file is not called damaged.
    for read in (lambda: read_mat(tmp_path / "a.mat"), lambda: read_columns(tmp_path / "a.mat", 1)):
        with pytest.raises(FileNotFoundError):
            read()


@pytest.mark.parametrize("write", [write_v5, write_v73])
def test_variables_are_chosen_by_their_names(write, tmp_path):
    write(tmp_path / "file.mat", {"A": np.eye(2), "B": np.eye(3)})
    assert [*read_mat(tmp_path / "file.mat", ["A"])] == ["A"]


@pytest.mark.parametrize(
    ("module", "folder", "limit"), [(cora, "cora", 8), (reuters, "reuters", 16)]
)
def test_never_dense_on_the_way(module, folder, limit, mirror):
    """In megabytes; dense, cora would take 207 and reuters 96, the raw reuters file 96 too."""
    files = {path.name: path for path in (mirror / folder).iterdir()}
    module.read(files, "all")  # loads the modules that are needed
    tracemalloc.start()
    module.read(files, "all")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < limit * 1e6


CATALOGUE = load_catalogue()


@pytest.fixture
def images():
    rng = np.random.default_rng(2)
    dimensions = [view["dimension"] for view in CATALOGUE["caltech101-7"]["views"]]
    return [rng.random((21, d)) for d in dimensions], np.repeat(np.arange(7), 3)


def assert_read(found, Xs, y, name):
    """Compare what a reader found with the views and classes that were written."""
    read, view_names, labels, label_names, presence = found
    assert view_names == [view["name"] for view in CATALOGUE[name]["views"]]
    assert all(map(np.array_equal, read, Xs))
    assert np.array_equal(labels, y)
    assert len(label_names) == len(np.unique(y))
    assert np.array_equal(presence, np.ones((len(y), len(Xs)), dtype=bool))


# The layouts that go round: names, orientation, labels from 0 or 1, format.
LAYOUTS = {
    "rows": lambda Xs, y: {"X": cell(Xs), "Y": y[:, None] + 1},
    "as a column": lambda Xs, y: {"X": cell(Xs, (-1, 1)), "y": y[:, None]},
    "transposed": lambda Xs, y: {"data": cell([X.T for X in Xs]), "truth": np.uint8(y + 1)},
    "sparse": lambda Xs, y: {"X": cell([*map(scipy.sparse.csc_array, Xs)]), "Y": y[:, None] + 1},
    "other order": lambda Xs, y: {"X": cell(Xs[::-1]), "gt": y},
    "7.3": lambda Xs, y: {"X": Xs, "Y": y[:, None] + 1.0},
    "7.3 transposed": lambda Xs, y: {"X": [X.T for X in Xs], "y": y[None]},
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_caltech_layouts(layout, images, tmp_path):
    Xs, y = images
    path = tmp_path / "Caltech101-7.mat"
    (write_v73 if "7.3" in layout else write_v5)(path, LAYOUTS[layout](Xs, y))
    assert_read(caltech101.read({path.name: path}, "all"), Xs, y, "caltech101-7")


def test_caltech_files_of_another_kind(images, tmp_path):
    Xs, y = images
    path = tmp_path / "Caltech101-7.mat"
    write_v5(path, {"X": cell(Xs[:5]), "Y": y})
    with pytest.raises(ValueError, match="has views of"):
        caltech101.read({path.name: path}, "all")
    write_v5(path, {"X": cell(Xs), "Y": y[1:]})
    with pytest.raises(ValueError, match="has 20 labels, but a view of shape"):
        caltech101.read({path.name: path}, "all")
    write_v5(path, {"Z": np.eye(3)})
    with pytest.raises(ValueError, match="holds Z: expected one cell array"):
        caltech101.read({path.name: path}, "all")


@pytest.fixture
def distances():
    rng = np.random.default_rng(3)
    return [rng.random((34, 34)) for _ in range(7)], np.repeat(np.arange(17), 2)


@pytest.mark.parametrize("layout", ["stack", "cell", "7.3", "publisher"])
def test_flowers_layouts(layout, distances, tmp_path):
    Ds, y = distances
    files = {"flower17.mat": tmp_path / "flower17.mat"}
    content = {"KH": np.stack(Ds, axis=2), "Y": y[:, None] + 1.0}
    if layout == "cell":
        content = {"X": cell(Ds), "Y": y[:, None] + 1}
    elif layout == "publisher":
        files["second.mat"] = tmp_path / "second.mat"
        content = {f"D_{f}": D for f, D in zip(flowers17.FEATURES, Ds, strict=True)}
        second = {key: content.pop(key) for key in ("D_colourgc", "D_shapegc", "D_texturegc")}
        write_v5(files["second.mat"], second)
    write = write_v73 if layout == "7.3" else write_v5
    write(files["flower17.mat"], content)
    assert_read(flowers17.read(files, "all"), Ds, y, "flowers17")


def test_flowers_without_a_matrix(distances, tmp_path):
    Ds, y = distances
    path = tmp_path / "flower17.mat"
    write_v5(path, {"X": cell(Ds[:6]), "Y": y})
    with pytest.raises(ValueError, match=r"flower17.mat: 6 square matrices, expected 7"):
        flowers17.read({path.name: path}, "all")
