"""The formats that people have; every file that is not read is named as what it is."""

import gzip
import json
import os
import pickle
import socket
import zipfile

import h5py
import numpy as np
import pytest
import scipy.io
from foreign_files import (
    IDS,
    WORDS,
    A,
    B,
    N,
    Y,
    cells,
    same_values,
    texts,
    understood,
    write_table,
    write_v73,
)
from scipy import sparse

from mvclust import cli
from mvclust.datasets.foreign import NotUnderstood, find_views
from mvclust.datasets.foreign.market import read_market

COUNTS = sparse.csc_array(np.round(np.abs(A)) * (np.abs(A) > 2))


@pytest.mark.parametrize("version", ["4", "5"])
def test_matlab(tmp_path, version):
    content = {"first": A.T, "second": B.T, "gt": Y[:, None] + 1.0}
    scipy.io.savemat(tmp_path / "a.mat", content, format=version)
    same_values(understood(tmp_path, [5, 4], classes=3), A, B)


def test_matlab_structs_nested_cells_and_char(tmp_path):
    content = {"set": {"views": cells(cells(A), cells(B)), "gt": Y, "name": "trees"},
               "names": np.array(["p1", "q22"])}  # fmt: skip
    scipy.io.savemat(tmp_path / "a.mat", content)
    same_values(understood(tmp_path, [5, 4], classes=3), A, B)
    array = np.zeros(2, dtype=[("X", "O"), ("kind", "O")])
    array[0], array[1] = (A.T, "first"), (B.T, "second")
    scipy.io.savemat(tmp_path / "a.mat", {"view": array, "gt": Y})
    same_values(understood(tmp_path, [5, 4], classes=3), A, B)


def test_a_cell_per_sample_is_one_view(tmp_path):
    scipy.io.savemat(tmp_path / "a.mat", {"docs": cells(*A), "words": B, "gt": Y})
    same_values(understood(tmp_path, [5, 4], classes=3), A, B)


def test_matlab_73_sparse_struct_text_and_nested_cells(tmp_path):
    content = {"X": [COUNTS, [B]], "gt": Y[:, None], "name": "t" * N, "about": {"k": 3, "by": "us"},
               "views": ["first", "second"]}  # fmt: skip
    write_v73(tmp_path / "a.mat", content)
    found = understood(tmp_path, [5, 4], classes=3)
    assert sparse.issparse(found.Xs[0])
    same_values(found, COUNTS.toarray(), B)
    write_v73(tmp_path / "a.mat", {"data": {"a": A, "b": B, "species": [str(w) for w in WORDS]}})
    assert understood(tmp_path, [5, 4], classes=3).label_names == ["ash", "birch", "cedar"]


def test_sparse_matrices_in_version_5(tmp_path):
    scipy.io.savemat(tmp_path / "a.mat", {"X": cells(COUNTS.T, B.T), "gt": Y})
    same_values(understood(tmp_path, [5, 4], classes=3), COUNTS.toarray(), B)


def test_a_structured_array_is_a_table(tmp_path):
    table = np.zeros(N, dtype=[("name", "U10"), ("p", float), ("q", float), ("label", int)])
    table["name"], table["p"], table["q"], table["label"] = IDS, A[:, 0], A[:, 1], Y
    np.savez(tmp_path / "a.npz", table=table)
    found = understood(tmp_path, [2], classes=3)
    assert found.ids == IDS


def test_matrix_market_with_its_lists(tmp_path):
    for name, X in (("a", A), ("b", B)):
        scipy.io.mmwrite(tmp_path / f"{name}.mtx", sparse.coo_array(np.round(X.T)))
        (tmp_path / f"{name}.docs").write_text("\n".join(IDS) + "\n")
        (tmp_path / f"{name}.terms").write_text("\n".join(f"w{n * n}" for n in range(X.shape[1])))
    groups = {"p": IDS[:10], "q": IDS[10:20], "r": IDS[20:]}
    lines = [f"{name}: {','.join(ids)}" for name, ids in groups.items()]
    (tmp_path / "a.clist").write_text("\n".join(lines))
    found = understood(tmp_path, [5, 4], classes=3)
    same_values(found, np.round(A), np.round(B))
    assert found.ids == IDS


@pytest.mark.parametrize("symmetry", ["general", "symmetric", "skew-symmetric"])
@pytest.mark.parametrize("kept", [np.asarray, sparse.coo_array])
def test_matrix_market_is_read_as_by_scipy(tmp_path, symmetry, kept):
    X = np.round(A[:5], 3) * (A[:5] > 0)
    X = {"general": X, "symmetric": X + X.T, "skew-symmetric": X - X.T}[symmetry]
    scipy.io.mmwrite(tmp_path / "a.mtx", kept(X), symmetry=symmetry)
    mine = read_market(tmp_path / "a.mtx")
    np.testing.assert_allclose(mine.toarray() if sparse.issparse(mine) else mine, X)


def test_the_three_files_of_10x(tmp_path):
    with gzip.open(tmp_path / "matrix.mtx.gz", "wb") as file:
        scipy.io.mmwrite(file, sparse.coo_array(np.round(np.abs(A)).T))
    with gzip.open(tmp_path / "barcodes.tsv.gz", "wt") as file:
        file.write("\n".join(f"ACGT{n}-1" for n in range(N)) + "\n")
    with gzip.open(tmp_path / "features.tsv.gz", "wt") as file:
        file.write("\n".join(f"ENSG{n}\tG{n}\tGene Expression" for n in range(5)) + "\n")
    found = understood(tmp_path, [5])
    assert found.ids[0] == "ACGT0-1"


@pytest.mark.parametrize("ending", [".csv.gz", ".npy.gz", ".mat.gz", ".zip"])
def test_packed_files(tmp_path, ending):
    write_table(tmp_path / "b.csv", B)
    if ending == ".zip":
        write_table(tmp_path / "a.csv", A)
        with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
            for name in ("a.csv", "b.csv"):
                archive.write(tmp_path / name, f"set/{name}")
                (tmp_path / name).unlink()
    else:
        plain = tmp_path / f"a{ending[:-3]}"
        if ending == ".csv.gz":
            write_table(plain, A)
        elif ending == ".npy.gz":
            np.save(plain, A)
        else:
            scipy.io.savemat(plain, {"a": A})
        (tmp_path / f"a{ending}").write_bytes(gzip.compress(plain.read_bytes()))
        plain.unlink()
    same_values(understood(tmp_path, [5, 4]), A, B)


def test_parquet_and_feather(tmp_path):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    frame = pandas.DataFrame(A.copy(), index=IDS, columns=list("pqrst"))
    frame.iloc[3] = np.nan
    frame.to_parquet(tmp_path / "a.parquet")
    other = pandas.DataFrame(B, columns=list("uvwx"))
    other.insert(0, "sample", IDS)
    other["label"] = pandas.Categorical(WORDS)
    other.to_feather(tmp_path / "b.feather")
    found = understood(tmp_path, [5, 4], classes=3, missing=[1, 0])
    assert found.ids == IDS


@pytest.mark.filterwarnings("ignore:Feather V1")
def test_feather_files_of_the_older_format(tmp_path):
    feather = pytest.importorskip("pyarrow.feather")
    table = pytest.importorskip("pyarrow").table({f"c{n}": column for n, column in enumerate(A.T)})
    try:
        feather.write_feather(table, tmp_path / "a.feather", version=1)
    except (TypeError, ValueError):
        pytest.skip("this pyarrow has left the older format behind")
    same_values(understood(tmp_path, [5]), A)


def test_workbooks(tmp_path):
    pytest.importorskip("python_calamine", reason="reads workbooks")
    openpyxl = pytest.importorskip("openpyxl", reason="writes a workbook to read")
    book = openpyxl.Workbook()
    book.active.title = "first"
    for sheet, X, order in (
        (book.active, A, range(N)),
        (book.create_sheet("second"), B, range(N)[::-1]),
    ):
        sheet.append(["id", *"pqrst"[: X.shape[1]]])
        for n in order:
            sheet.append([IDS[n], *X[n].tolist()])
    sheet = book.create_sheet("labels")
    sheet.append(["id", "label"])
    for i, word in zip(IDS, WORDS, strict=True):
        sheet.append([i, str(word)])
    book.save(tmp_path / "a.xlsx")
    found = understood(tmp_path, [5, 4], classes=3)
    same_values(found, A, B)
    assert found.view_names == ["first", "second"]


def write_annotated(group, X, ids, obs=None):
    """One modality as anndata keeps it."""
    if sparse.issparse(X):
        here = group.create_group("X")
        X = sparse.csr_array(X)
        here["data"], here["indices"], here["indptr"] = X.data, X.indices, X.indptr
        here.attrs["encoding-type"], here.attrs["shape"] = "csr_matrix", X.shape
    else:
        group["X"] = X
    for name, names in (("obs", ids), ("var", [f"g{n * n}" for n in range(X.shape[1])])):
        frame = group.create_group(name)
        frame.attrs["_index"] = "_index"
        frame["_index"] = [str(x) for x in names]
    for key, column in (obs or {}).items():
        kept = group["obs"].create_group(key)
        names, codes = np.unique(column, return_inverse=True)
        kept["categories"], kept["codes"] = [str(x) for x in names], codes


def test_annotated_data_of_one_and_of_several_modalities(tmp_path):
    with h5py.File(tmp_path / "a.h5ad", "w") as file:
        write_annotated(file, COUNTS, IDS, {"cell_type": WORDS, "batch": Y % 2})
        file.create_group("obsm")["X_pca"] = B
    found = understood(tmp_path, [5], classes=3)
    assert found.ids == IDS
    (tmp_path / "a.h5ad").unlink()
    with h5py.File(tmp_path / "a.h5mu", "w") as file:
        write_annotated(file.create_group("mod/rna"), COUNTS, IDS)
        write_annotated(file.create_group("mod/protein"), B[8:], IDS[8:])
        file["mod"].attrs["mod-order"] = ["rna", "protein"]
    found = understood(tmp_path, [5, 4], missing=[0, 8])
    assert found.view_names == ["rna", "protein"]


def test_annotated_data_as_its_library_writes_it(tmp_path):
    anndata = pytest.importorskip("anndata", reason="writes a file to read")
    mudata = pytest.importorskip("mudata", reason="writes a file to read")
    pandas = pytest.importorskip("pandas")
    obs = pandas.DataFrame({"cell_type": pandas.Categorical(WORDS)}, index=IDS)
    rna = anndata.AnnData(sparse.csr_matrix(COUNTS), obs=obs)
    protein = anndata.AnnData(B[8:], obs=obs.iloc[8:][[]])
    rna.write_h5ad(tmp_path / "a.h5ad")
    same_values(understood(tmp_path, [5], classes=3), COUNTS.toarray())
    (tmp_path / "a.h5ad").unlink()
    mudata.MuData({"rna": rna, "protein": protein}).write(tmp_path / "a.h5mu")
    understood(tmp_path, [5, 4], classes=3, missing=[0, 8])


def test_files_of_r(tmp_path):
    rdata = pytest.importorskip("rdata", reason="reads files of R")
    rdata.write_rda(tmp_path / "a.rda", {"a": A, "b": B, "subtype": np.array(WORDS)})
    same_values(understood(tmp_path, [5, 4], classes=3), A, B)
    (tmp_path / "a.rda").unlink()
    rdata.write_rds(tmp_path / "a.rds", {"a": A, "b": B})
    same_values(understood(tmp_path, [5, 4]), A, B)


def test_an_absent_library_is_named_with_what_installs_it(tmp_path, monkeypatch):
    import importlib

    real = importlib.import_module

    def without(name, *more):
        if name.split(".")[0] in ("rdata", "python_calamine", "pyarrow"):
            raise ModuleNotFoundError(name, name=name)
        return real(name, *more)

    monkeypatch.setattr(importlib, "import_module", without)
    for ending in (".rda", ".xlsx", ".parquet"):
        path = tmp_path / f"a{ending}"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("a", "b")
        with pytest.raises(NotUnderstood, match=r"pip install 'mvclust\[formats\]'"):
            find_views(path)


LFS = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12345\n"
PAGE = "<!DOCTYPE html>\n<html><body>Not found</body></html>\n"


@pytest.mark.parametrize("ending", [".mat", ".csv", ".npz", ".rda", ".xlsx", ".h5mu", ".csv.gz"])
@pytest.mark.parametrize(("content", "said"), [(LFS, "pointer of Git LFS"), (PAGE, "an HTML page"),
                                               ("", "empty")])  # fmt: skip
def test_what_is_there_instead_of_data_is_named(tmp_path, ending, content, said):
    path = tmp_path / f"a{ending}"
    path.write_text(content)
    for where in (path, tmp_path):
        with pytest.raises(NotUnderstood, match=said) as caught:
            find_views(where)
        assert "delete" not in str(caught.value)
    write_table(tmp_path / "b.csv", B)
    found = understood(tmp_path, [4])
    assert found.not_read == [path.name]
    assert any(path.name in question and said in question for question in found.open)
    assert not find_views(tmp_path, roles={path.name: "ignore"}).open


@pytest.mark.parametrize("name", ["a.pkl", "a.joblib", "a.pt", "a.npy", "a.npz", "a.mat", "a.csv"])
def test_pickles_are_never_loaded(tmp_path, name):
    class Trap:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "sprung"),)

    if name == "a.npy":
        np.save(tmp_path / name, np.array([Trap()], dtype=object), allow_pickle=True)
    elif name == "a.npz":
        np.savez(tmp_path / name, x=np.array([Trap()], dtype=object))
    else:
        (tmp_path / name).write_bytes(pickle.dumps(Trap()))
    with pytest.raises(NotUnderstood, match="Python objects"):
        find_views(tmp_path / name)
    assert not (tmp_path / "sprung").exists()


def test_links_out_of_a_file_are_not_followed(tmp_path):
    secret = tmp_path / "secret" / "s.h5"
    secret.parent.mkdir()
    with h5py.File(secret, "w") as file:
        file["X"] = A
    for ending in (".h5", ".mat", ".h5ad"):
        folder = tmp_path / ending[1:]
        folder.mkdir()
        with h5py.File(folder / f"a{ending}", "w", userblock_size=512) as file:
            file["X"] = h5py.ExternalLink(str(secret), "/X")
            file.create_group("obs")["_index"] = IDS
        with pytest.raises(NotUnderstood, match="another file"):
            find_views(folder)
    raw = tmp_path / "raw.bin"
    raw.write_bytes(A.tobytes())
    with h5py.File(tmp_path / "b.h5", "w") as file:
        file.create_dataset("X", A.shape, float, external=[(str(raw), 0, A.nbytes)])
    with pytest.raises(NotUnderstood, match="another file"):
        find_views(tmp_path / "b.h5")


def test_pipes_sockets_and_folders_are_not_opened(tmp_path):
    write_table(tmp_path / "b.csv", B)
    os.mkfifo(tmp_path / "a.csv")
    (tmp_path / "c.csv").mkdir()
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "s.csv"))
        (tmp_path / "lost.csv").symlink_to(tmp_path / "nowhere.csv")
        found = understood(tmp_path, [4])
    assert sorted(found.not_read) == ["a.csv", "c.csv", "lost.csv", "s.csv"]
    with pytest.raises(NotUnderstood, match="no regular file"):
        find_views(tmp_path / "a.csv")


def test_sizes_are_checked_before_memory_is_taken(tmp_path):
    header = {"descr": "<f8", "fortran_order": False, "shape": (10**7, 10**5)}
    with open(tmp_path / "a.npy", "wb") as file:
        np.lib.format.write_array_header_1_0(file, header)
    with pytest.raises(NotUnderstood, match="it is cut"):
        find_views(tmp_path)
    (tmp_path / "a.npy").unlink()
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("X", (10**7, 10**5), float, chunks=(1000, 1000))
    with pytest.raises(NotUnderstood, match=r"GB of memory.*MVCLUST_READ_GB"):
        find_views(tmp_path)
    (tmp_path / "a.h5").unlink()
    mtx = "%%MatrixMarket matrix coordinate real general\n100 100 999999999999\n1 1 1.0\n"
    (tmp_path / "a.mtx").write_text(mtx)
    with pytest.raises(NotUnderstood, match="it is cut"):
        find_views(tmp_path)


def test_every_file_that_is_not_read_is_named(tmp_path):
    write_table(tmp_path / "b.csv", B)
    for name in ("photo.jpg", "notes.docx", "run.py", "README.md", ".hidden", "sets.tar.gz"):
        (tmp_path / name).write_bytes(b"\x01\x02 some bytes")
    (tmp_path / "more").mkdir()
    (tmp_path / "README.txt").write_text("Measured by us,\nin spring, in\nthe garden\n")
    found = understood(tmp_path, [4])
    assert sorted(found.not_read) == sorted(
        [
            "photo.jpg",
            "notes.docx",
            "run.py",
            "README.md",
            ".hidden",
            "sets.tar.gz",
            "more",
            "README.txt",
        ]
    )
    for name in found.not_read:
        assert any(name in note for note in found.notes)


def test_several_files_with_all_views_are_named(tmp_path):
    for name in "ab":
        np.savez(tmp_path / f"{name}.npz", u=A, v=B)
    with pytest.raises(
        NotUnderstood, match=r"2 files may hold the views \(a.npz, b.npz\); name one"
    ):
        find_views(tmp_path)
    understood(tmp_path / "a.npz", [5, 4])


def test_one_archive_per_view(tmp_path):
    for name, X in (("a", A), ("b", B)):
        np.savez(tmp_path / f"{name}.npz", X=X, y=Y)
    found = understood(tmp_path, [5, 4], classes=3)
    assert len(set(found.view_names)) == 2


def test_texts_in_cells_are_names(tmp_path):
    scipy.io.savemat(tmp_path / "a.mat", {"X": cells(A, B), "samples": texts(*IDS), "gt": Y})
    assert understood(tmp_path, [5, 4], classes=3).ids == IDS


def test_look_prints_one_object(tmp_path, capsys):
    np.savez(tmp_path / "a.npz", a=A, b=B, y=Y, k=3)
    (tmp_path / "notes.docx").write_text("hm")
    assert cli.main(["look", str(tmp_path), "--json"]) == 0
    seen = json.loads(capsys.readouterr().out)
    assert seen["n_samples"] == N
    assert seen["views"][1] == {"name": "b", "n_features": 4, "missing": 0, "kind": "features"}
    assert seen["n_classes"] == 3
    assert seen["roles"] == {"a": "view", "b": "view", "y": "labels", "k": "facts"}
    assert seen["not_read"] == ["notes.docx"]
    assert (
        cli.main(["look", str(tmp_path), "--json", "--role", "y=ignore", "--samples", "rows"]) == 0
    )
    assert json.loads(capsys.readouterr().out)["n_classes"] is None
    for more in (["--role", "x=view"], ["--role", "y"]):
        assert cli.main(["look", str(tmp_path), "--json", *more]) == 2
        assert set(json.loads(capsys.readouterr().out)) == {"error"}
    with pytest.raises(SystemExit):
        cli.main(["look", str(tmp_path), "--samples", "across"])
