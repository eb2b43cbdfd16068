"""Files that are damaged or made to do harm: a sentence, little memory, no other file opened."""

import gzip
import os
import struct
import tracemalloc
import zipfile
import zlib

import h5py
import numpy as np
import pytest
import scipy.io
from damage import damaged, fuzzed
from foreign_files import IDS, A, B, Y, cells, write_table, write_v73
from scipy import sparse

from mvclust import cli
from mvclust.datasets.foreign import NotUnderstood, find_views
from mvclust.datasets.readers.matlab import declared, read_mat

pytestmark = pytest.mark.usefixtures("warm_python")  # MATLAB files are tried in another process


def write_h5ad(path):
    with h5py.File(path, "w") as file:
        file["X"], file["obsm/b"] = A, B
        for name, ids in ("obs", IDS), ("var", list("pqrst")):
            file.create_group(name).attrs["_index"] = "_index"
            file[name]["_index"] = ids
        file["obs/label"] = Y


def write_frame(path, how):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    getattr(pandas.DataFrame(A, columns=list("pqrst")), how)(path)


def write_h5(path):
    with h5py.File(path, "w") as file:
        file.create_dataset("a", data=A, compression="gzip")
        file["b"], file["y"] = B, Y


def write_zip(path):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.csv", "a,b\n" + "1.5,2.5\n3.5,4\n" * 20)
        archive.writestr("b.csv", "c,d\n" + "1.5,2.5\n3.5,4\n" * 20)


def write_r(path):
    pytest.importorskip("rdata", reason="reads files of R").write_rds(path, {"a": A, "b": B})


def write_sheets(path):
    pytest.importorskip("python_calamine", reason="reads workbooks")
    book = pytest.importorskip("openpyxl", reason="writes a workbook to read").Workbook()
    for sheet, X in (book.active, A), (book.create_sheet("second"), B):
        for row in X.tolist():
            sheet.append(row)
    book.save(path)


CONTENT = {"X": cells(A, B), "y": Y}
KINDS = {
    "npy": (".npy", lambda path: np.save(path, A)),
    "npz": (".npz", lambda path: np.savez(path, a=A, b=B, y=Y)),
    "sparse npz": (".npz", lambda path: sparse.save_npz(path, sparse.csr_array(A.round()))),
    "packed npz": (".npz", lambda path: np.savez_compressed(path, a=A, b=B, y=Y)),
    "MATLAB 4": (".mat", lambda path: scipy.io.savemat(path, {"a": A, "b": B}, format="4")),
    "MATLAB 5": (".mat", lambda path: scipy.io.savemat(path, CONTENT)),
    "MATLAB 7": (".mat", lambda path: scipy.io.savemat(path, CONTENT, do_compression=True)),
    "MATLAB 7.3": (".mat", lambda path: write_v73(path, {"X": [A, B], "y": Y})),
    "hdf5": (".h5", write_h5),
    "h5ad": (".h5ad", write_h5ad),
    "mtx": (".mtx", lambda path: scipy.io.mmwrite(path, sparse.coo_array(A))),
    "csv": (".csv", lambda path: write_table(path, A, list("pqrst"), IDS)),
    "gz": (".csv.gz", lambda path: path.write_bytes(gzip.compress(b"1,2\n3,4\n" * 50))),
    "zip": (".zip", write_zip),
    "parquet": (".parquet", lambda path: write_frame(path, "to_parquet")),
    "feather": (".feather", lambda path: write_frame(path, "to_feather")),
    "R": (".rds", write_r),
    "workbook": (".xlsx", write_sheets),
}


@pytest.fixture(scope="module")
def whole(request, tmp_path_factory):
    """A file of a kind: its path and its bytes."""
    ending, write = KINDS[request.param]
    path = tmp_path_factory.mktemp("damage") / f"a{ending}"
    write(path)
    return path, path.read_bytes()


@pytest.mark.parametrize("whole", KINDS, indirect=True)
@fuzzed
def test_damaged_files_are_read_or_one_sentence(whole, seed):
    path, content = whole
    path.write_bytes(damaged(content, seed))
    said = ""
    try:
        find_views(path)
    except NotUnderstood as error:
        said = str(error)
    assert "\n" not in said
    assert "delete" not in said
    assert len(said) < 400 + len(str(path))


def test_an_array_with_more_bytes_than_it_declares_is_refused(tmp_path):
    np.save(tmp_path / "a.npy", A)
    content = (tmp_path / "a.npy").read_bytes()
    (tmp_path / "a.npy").write_bytes(content[:-80] + b"\0" * 8 + content[-80:])
    with pytest.raises(NotUnderstood, match="longer than one array"):
        find_views(tmp_path)


ZEROS = np.zeros(40_000_000, dtype=np.int8)  # 40 kB packed, 320 MB as float64


def pack_arrays(path):
    np.savez_compressed(path, **{f"v{n}": ZEROS.reshape(4000, -1) for n in range(4)})


def pack_matlab(path):
    scipy.io.savemat(path, {"X": cells(*4 * [ZEROS.reshape(4000, -1)])}, do_compression=True)


def pack_hdf5(path):
    with h5py.File(path, "w") as file:
        for n in range(4):
            file.create_dataset(f"v{n}", (4000, 10_000), "i1", chunks=(1000, 1000))


def pack_references(path):
    """A cell array of version 7.3 that names one array a thousand times."""
    with h5py.File(path, "w", userblock_size=512) as file:
        same = file.create_dataset("#refs#/a", (4000, 1000), "f8", chunks=(1000, 1000))
        file["X"] = np.full((1000, 1), same.ref, dtype=h5py.ref_dtype)
    with open(path, "r+b") as file:
        file.write(b"MATLAB 7.3 MAT-file".ljust(128, b" "))


def pack_tables(path):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for n in range(4):
            archive.writestr(f"v{n}.csv", "0,0,0,0,0\n" * 8_000_000)


def pack_table(path):
    with gzip.open(path, "wb", 1) as file:
        file.write(b"0,0,0,0,0\n" * 8_000_000)


def pack_symmetric(path):
    path.write_text("%%MatrixMarket matrix array real symmetric\n100000 100000\n1.0\n")


MORE = r"GB of memory, more than the 0\.2|expected half of"


@pytest.mark.fault("a small file that unpacks to more than there is room for")
@pytest.mark.parametrize(
    ("name", "pack"),
    [("a.npz", pack_arrays), ("a.mat", pack_matlab), ("a.h5", pack_hdf5), ("a.mtx", pack_symmetric),
     ("b.mat", pack_references), ("a.zip", pack_tables), ("a.csv.gz", pack_table)],
)  # fmt: skip
def test_what_small_files_unpack_to_is_known_before_memory_is_taken(
    tmp_path, monkeypatch, name, pack
):
    pack(tmp_path / name)
    monkeypatch.setenv("MVCLUST_READ_GB", "0.2")
    tracemalloc.start()
    try:
        with pytest.raises(NotUnderstood, match=MORE) as raised:
            find_views(tmp_path / name)
        assert tracemalloc.get_traced_memory()[1] < 210e6
    finally:
        tracemalloc.stop()
    assert "\n" not in str(raised.value)


def test_the_limit_can_be_raised(tmp_path, monkeypatch):
    np.savez(tmp_path / "a.npz", a=A, b=B)
    monkeypatch.setenv("MVCLUST_READ_GB", "1e-6")
    with pytest.raises(NotUnderstood, match="MVCLUST_READ_GB"):
        find_views(tmp_path)
    monkeypatch.setenv("MVCLUST_READ_GB", "plenty")
    with pytest.raises(NotUnderstood, match="expected a number of gigabytes"):
        find_views(tmp_path)
    monkeypatch.setenv("MVCLUST_READ_GB", "1")
    assert len(find_views(tmp_path).Xs) == 2


@pytest.mark.parametrize("packed", [False, True])
def test_a_matlab_file_declares_what_its_variables_take(tmp_path, packed):
    content = {
        "X": cells(A, B.astype(np.uint8), cells(A)),
        "s": {"field": A, "text": "words"},
        "z": A + 1j,
        "p": sparse.csc_array(A),
    }
    scipy.io.savemat(tmp_path / "a.mat", content, do_compression=packed)
    numbers = A.nbytes * 5 + B.nbytes  # A in X, in a cell of it and in s; z is twice as large
    assert numbers <= declared(tmp_path / "a.mat") <= numbers + 8 * 3 * A.size + 20 * 4096


@pytest.mark.fault("an HDF5 file with links, or values, in another file")
@pytest.mark.parametrize("ending", [".h5", ".mat", ".h5ad"])
@pytest.mark.parametrize("way", ["external", "symbolic", "storage", "virtual", "below"])
def test_no_way_leads_out_of_an_hdf5_file(tmp_path, ending, way):
    secret, path = tmp_path / "secret.h5", tmp_path / f"a{ending}"
    with h5py.File(secret, "w") as file:
        file["X"] = A
        file["X_raw"] = np.ones(9)
    os.utime(secret, (0, 0))
    with h5py.File(path, "w", userblock_size=512) as file:
        file["X"] = A
        file["obs/_index"] = file["var/_index"] = IDS
        if way == "external":
            file["obs/secret"] = h5py.ExternalLink(str(secret), "/X")
        elif way == "symbolic":  # by way of a link to another file
            file["a"] = h5py.SoftLink("/b/X")
            file["b"] = h5py.ExternalLink(str(secret), "/")
        elif way == "storage":
            file.create_dataset("obsm/b", A.shape, float, external=[(str(secret), 0, A.nbytes)])
        elif way == "virtual":
            layout = h5py.VirtualLayout(A.shape, float)
            layout[:] = h5py.VirtualSource(str(secret), "X", A.shape)
            file.create_virtual_dataset("obs/b", layout)
        else:
            file["var/names"] = h5py.ExternalLink(str(secret), "/X")
    if ending == ".mat":
        with open(path, "r+b") as file:
            file.write(b"MATLAB 7.3 MAT-file".ljust(128, b" "))
    with pytest.raises(NotUnderstood, match=r"another file|symbolic link"):
        find_views(path)


@pytest.mark.fault("groups and cells in a circle, or nested without end")
def test_groups_and_cells_in_a_circle_are_one_sentence(tmp_path, monkeypatch):
    monkeypatch.setenv("MVCLUST_READ_GB", "0.1")
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["X"] = A
        file["group/again"] = file["/"]
    with pytest.raises(NotUnderstood, match="in two places"):
        find_views(tmp_path / "a.h5")
    with h5py.File(tmp_path / "b.mat", "w", userblock_size=512) as file:
        circle = file.create_dataset("#refs#/c", (3, 1), h5py.ref_dtype)
        circle[:] = circle.ref
        file["X"] = np.full((3, 1), circle.ref, dtype=h5py.ref_dtype)
    with open(tmp_path / "b.mat", "r+b") as file:
        file.write(b"MATLAB 7.3 MAT-file".ljust(128, b" "))
    with pytest.raises(NotUnderstood, match=r"nested|GB of memory"):
        find_views(tmp_path / "b.mat")


@pytest.mark.fault("groups and cells in a circle, or nested without end")
def test_cells_that_are_nested_without_end_are_one_sentence(tmp_path):
    """A file whose checksums are right, so that nothing is tried in another process first."""

    def element(kind, content):
        return struct.pack("<II", kind, len(content)) + content + b"\0" * (-len(content) % 8)

    def cell(inner, depth):
        head = element(6, struct.pack("<II", 1, 0)) + element(5, struct.pack("<ii", 1, 1))
        return inner if depth == 0 else element(14, head + element(1, b"") + cell(inner, depth - 1))

    scipy.io.savemat(tmp_path / "a.mat", {"X": cells(A)})
    content = cell(b"", 300)
    packed = zlib.compress(content)
    whole = (tmp_path / "a.mat").read_bytes()[:128] + struct.pack("<II", 15, len(packed)) + packed
    (tmp_path / "a.mat").write_bytes(whole)
    with pytest.raises(NotUnderstood, match="nested more than 50 times"):
        find_views(tmp_path)
    with pytest.raises(OSError, match="damaged"):
        read_mat(tmp_path / "a.mat")


def test_look_ends_with_a_sentence_for_what_is_too_large(tmp_path, monkeypatch, capsys):
    pack_hdf5(tmp_path / "a.h5")
    monkeypatch.setenv("MVCLUST_READ_GB", "0.2")
    assert cli.main(["look", str(tmp_path)]) == 2
    assert capsys.readouterr().err.count("\n") == 1
