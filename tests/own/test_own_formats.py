"""Files of many formats: what is read, what is damaged, and what is named with how to export it."""

import bz2
import contextlib
import gzip
import lzma
import zipfile

import h5py
import numpy as np
import pandas as pd
import pytest
import scipy.io
from damage import damaged, fuzzed
from own_files import GENES, IDS, A, B, N, Y, anndata, cells, damaged_matlab, h5ad, standing

from mvclust.own import NotUnderstood
from mvclust.own.formats import EXPORT, pieces_of
from mvclust.own.look import look
from mvclust.own.texts import Unreadable, decoded, number, numbers, table_of

CHINESE = ["基因" + c for c in "甲乙丙丁戊"]


def why(path):
    (error,) = pieces_of(path)[1].values()
    return str(error)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "gb18030"])
def test_names_are_read_in_their_encoding(encoding, tmp_path):
    standing(tmp_path / "a.csv", A, names=CHINESE, corner="样本编号", encoding=encoding)
    ((piece,), _) = pieces_of(tmp_path / "a.csv")
    assert piece.values[0].tolist() == ["样本编号", *CHINESE]
    assert bool(piece.note) == (encoding == "gb18030")


def test_west_european_names_are_not_taken_for_others_and_numbers_keep_all_digits():
    text = "Proband;Größe;Fläche\nVP1;1,5;2\nVP2;2,5;3\n" * 9
    assert decoded(text.encode("cp1252"))[0] == text
    values, odd = numbers(np.array([["0.1234567890123456789", "1_0"]], dtype=object))
    assert values[0, 0] == float("0.1234567890123456789")
    assert odd.tolist() == [[False, True]]


@pytest.mark.parametrize(
    ("cell", "value"),
    [("1.5", 1.5), ("1,5", 1.5), ("1.234,5", 1234.5), ("1,234.5", 1234.5), ("$ 3", 3), ("4 %", 4),
     ("1e-3", 0.001), ("<0.05", np.nan), ("NA", np.nan), ("", np.nan), ("1_0", None), ("a", None),
     (" 7 ", 7), ('"2"', 2), (None, np.nan)],
)  # fmt: skip
def test_cells_become_numbers_gaps_or_texts(cell, value):
    got = number(cell)
    assert got == value or (got != got and value != value)


@pytest.mark.parametrize("sep", [",", ";", "\t", "|"])
def test_any_separator_comments_and_titles_are_understood(sep):
    text = "# made by hand\n" + "\n".join(sep.join(r) for r in (["id", "a", "b"], ["p", "1", "2"],
                                                                ["q", "3", "4"]))  # fmt: skip
    assert table_of(text).tolist() == [["id", "a", "b"], ["p", "1", "2"], ["q", "3", "4"]]


def test_a_line_like_a_comment_or_of_another_length_is_not_lost():
    table = table_of("id,a,b\n#1,2,3\n#2,4,5\n#3,6,7\n")
    assert table[:, 0].tolist() == ["id", "#1", "#2", "#3"]
    with pytest.raises(Unreadable, match="the line of #2 begins like a comment and has 3 cells"):
        table_of("id,a,b\n1,2,3\n#2,4,5\n3,6,7\n")
    # A separator at the end of each line moves no header.
    assert table_of("id,a,b\np,1,2,\nq,3,4,\n").tolist()[0] == ["id", "a", "b"]
    assert len(table_of("id,a,b\n#unit,mg,kg\n1,2,3\n# a, b and c\n3,6,7\n")) == 3
    with pytest.raises(Unreadable, match="line 3 has 2 cells, expected 3"):
        table_of("1,2,3\n4,5,6\n7,8\n9,1,2\n")


def test_packed_texts_are_read(tmp_path):
    standing(tmp_path / "a.csv", A)
    text = (tmp_path / "a.csv").read_bytes()
    for ending, module in {"gz": gzip, "bz2": bz2, "xz": lzma}.items():
        (tmp_path / f"b.csv.{ending}").write_bytes(module.compress(text))
    with zipfile.ZipFile(tmp_path / "c.zip", "w") as archive:
        archive.writestr("c.csv", text)
    a, *packed = pieces_of(tmp_path)[0]
    assert len(packed) == 4
    assert all((a.values == piece.values).all() for piece in packed)


@pytest.mark.parametrize("start", ["PKM", "BZh", "BZW1"])
def test_a_text_that_begins_like_an_archive_is_a_text(start, tmp_path):
    (tmp_path / "a.csv").write_text(f"{start},b\n" + "1,2\n3,4\n5,7\n")
    (piece,), unread = pieces_of(tmp_path)
    assert not unread
    assert piece.values[0, 0] == start


@pytest.mark.parametrize("packed", [True, False])
def test_a_file_that_unpacks_to_too_much_is_refused(packed, tmp_path, monkeypatch):
    monkeypatch.setenv("MVCLUST_READ_GB", "0.01")
    text = b"1,2\n" * 1_000_000
    if packed:
        (tmp_path / "a.csv.gz").write_bytes(gzip.compress(text))
    else:
        np.savez_compressed(tmp_path / "a.npz", a=np.zeros(400_000_000, np.uint8))
    assert "memory" in why(next(tmp_path.iterdir()))


def test_a_damaged_binary_file_is_a_sentence_and_not_the_end_of_the_process(tmp_path):
    damaged_matlab(tmp_path / "a.mat")
    for name in ("b.mat", "b.npz", "b.h5ad", "b.rds", "b.parquet", "b.xlsx"):
        (tmp_path / name).write_bytes(b"\x93NUMPY\x01PK\x03\x04" * 30)
    said = {name: str(error) for name, error in pieces_of(tmp_path)[1].items()}
    assert len(said) == 7
    assert "damaged" in said["a.mat"] or "memory" in said["a.mat"]
    assert not any("Traceback" in text for text in said.values())


def test_texts_of_both_versions_of_matlab_are_read_alike(tmp_path):
    names = ["setosa", "iris", "virginica"]
    scipy.io.savemat(tmp_path / "a.mat", {"names": names, "note": "by hand", "empty": ""})
    with h5py.File(tmp_path / "b.mat", "w") as file:
        for key, texts in {"names": names, "note": ["by hand"], "empty": ["\0\0"]}.items():
            wide = [text.ljust(max(map(len, texts))) for text in texts]
            file[key] = np.array([[*map(ord, text)] for text in wide], dtype=np.uint16).T
            file[key].attrs["MATLAB_class"] = np.bytes_("char")
        file["empty"].attrs["MATLAB_empty"] = 1
    assert [piece.values.tolist() for piece in pieces_of(tmp_path)[0]] == [names, names]


def write_r(path):
    pytest.importorskip("rdata", reason="rdata is not installed").write_rds(path, {"a": A, "b": B})


WRITERS = {
    "csv": lambda path: standing(path, A),
    "mat": lambda path: scipy.io.savemat(path, {"X": cells(A, B), "Y": Y}),
    "npz": lambda path: np.savez(path, a=A, b=B),
    "h5ad": h5ad,
    "rds": write_r,
}


@pytest.mark.parametrize("ending", WRITERS)
@fuzzed
def test_damage_is_a_sentence_or_is_read(tmp_path_factory, ending, seed):
    path = tmp_path_factory.mktemp("fuzz") / f"a.{ending}"
    WRITERS[ending](path)
    path.write_bytes(damaged(path.read_bytes(), seed))
    with contextlib.suppress(NotUnderstood):
        found = look(path)
        assert found.data is not None or found.error


def test_a_link_to_another_file_is_not_followed_and_shared_variables_are_refused(tmp_path):
    h5ad(tmp_path / "b.h5ad")
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["x"] = A
        file["other"] = h5py.ExternalLink(str(tmp_path / "b.h5ad"), "X")
    assert "a link to another file" in why(tmp_path / "a.h5")
    with h5py.File(tmp_path / "a.h5mu", "w") as file:
        file.attrs["axis"] = 1  # modalities share variables
        anndata(file.create_group("mod").create_group("rna"), A, IDS, GENES)
    assert "axis 1" in why(tmp_path / "a.h5mu")


def test_a_format_that_is_not_read_is_named_with_how_to_export_it(tmp_path):
    standing(tmp_path / "b.csv", A)
    endings = [*EXPORT, ".pickle", ".svmlight"]
    for ending in endings:
        path = tmp_path / f"a{ending}"
        path.mkdir() if ending == ".zarr" else path.write_bytes(b"1 2")
    found = look(tmp_path)
    asked = [q.question for q in found.views.ask]
    for ending in endings:
        assert any(f"{ending} is not read: read it by" in question for question in asked), ending
        assert found.views.left_out[f"a{ending}"]


@pytest.mark.parametrize(
    ("content", "said"),
    [(b"version https://git-lfs.github.com/spec/v1", "git lfs pull"), (b"<!DOCTYPE html>", "HTML"),
     (b"", "empty"), (b"%PDF-1.4", "PDF")],
)  # fmt: skip
def test_what_is_no_data_is_named(content, said, tmp_path):
    (tmp_path / "a.csv").write_bytes(content)
    assert said in why(tmp_path / "a.csv")
    with pytest.raises(NotUnderstood, match="no file to read"):
        look(tmp_path)


def test_prose_and_what_a_run_wrote_into_the_folder_are_no_data(tmp_path):
    np.savez(tmp_path / "d.npz", a=A, b=B)
    for name in ("README.md", "LICENSE", "run.py"):
        (tmp_path / name).write_text("Some words for people.")
    for folder in (".snakemake", "results/d", "resources/raw"):
        (tmp_path / folder).mkdir(parents=True)
        standing(tmp_path / folder / "labels.csv", A)
    found = look(tmp_path)
    assert found.data.view_names == ["a", "b"]
    assert found.views.ask == []


def test_columns_of_parquet_are_read(tmp_path):
    frame = pd.DataFrame(A, IDS, GENES)
    frame["subtype"] = pd.Categorical(np.array(["a", "b", None], dtype=object)[Y])
    frame.to_parquet(tmp_path / "a.parquet")
    ((piece,), _) = pieces_of(tmp_path / "a.parquet")
    assert (piece.rows, piece.values[-1, -1]) == (IDS, None)
    index = pd.MultiIndex.from_product([range(8), range(6)], names=["case", "option"])
    pd.DataFrame(A, index, GENES).to_parquet(tmp_path / "a.parquet")  # as many columns
    asked = [q.question for q in look(tmp_path).views.ask]
    assert any("one row for each case and option" in question for question in asked), asked


def write_workbook(path, sheets):
    """A minimal workbook: sheets of rows of texts and numbers."""
    main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    packages = 'xmlns="http://schemas.openxmlformats.org/package/2006/relationships"'
    link = f'<Relationship Id="r{{}}" Type="{kind}/{{}}" Target="{{}}"/>'.format
    cell = '<c t="{}"><v>{}</v></c>'.format
    parts, links, names = {}, "", ""
    for k, (name, rows) in enumerate(sheets.items(), 1):
        cells = [[cell("n" if isinstance(c, float) else "str", c) for c in row] for row in rows]
        data = "".join(f"<row>{''.join(row)}</row>" for row in cells)
        place = f"worksheets/s{k}.xml"
        parts[f"xl/{place}"] = f"<worksheet {main}><sheetData>{data}</sheetData></worksheet>"
        links += link(k, "worksheet", place)
        names += f'<sheet name="{name}" sheetId="{k}" r:id="r{k}"/>'
    book = f'<workbook {main} xmlns:r="{kind}"><sheets>{names}</sheets></workbook>'
    all_links = f"<Relationships {packages}>{{}}</Relationships>".format
    parts |= {"xl/workbook.xml": book, "xl/_rels/workbook.xml.rels": all_links(links)}
    parts["_rels/.rels"] = all_links(link(0, "officeDocument", "xl/workbook.xml"))
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in parts.items():
            archive.writestr(name, f'<?xml version="1.0"?>{text}')


def test_each_sheet_of_a_workbook_is_a_table(tmp_path):
    pytest.importorskip("python_calamine", reason="python-calamine is not installed")
    rows = {
        name: [["patient", *names], *([i, *map(float, x)] for i, x in zip(IDS, X, strict=True))]
        for name, X, names in (("rna", A, GENES), ("protein", B, ["AKT", "ERK", "JNK", "P38"]))
    }
    write_workbook(tmp_path / "a.xlsx", rows)
    found = look(tmp_path)
    assert found.views.ask == []
    assert found.data.view_names == ["rna", "protein"]
    np.testing.assert_allclose(found.data.Xs[0], A)


def test_gaps_of_r_stay_gaps_and_factors_of_numbers_are_asked_about(tmp_path):
    rdata = pytest.importorskip("rdata", reason="rdata is not installed")
    flags = pd.array([True, None, False] * 16, dtype="boolean")
    frame = pd.DataFrame({"flag": flags, "kind": pd.Categorical(["a", None, "b"] * 16)})
    frame["count"] = pd.array([1, None, 3] * 16, dtype="Int32")
    rdata.write_rda(tmp_path / "a.rda", {"known": frame, "X": A})
    pieces = {p.name: p for p in pieces_of(tmp_path / "a.rda")[0]}
    np.testing.assert_array_equal(pieces["X"].values, A)
    cells = pieces["known"].values[1]
    assert np.isnan(cells[0])
    assert cells[1] == ""
    assert np.isnan(cells[2])
    assert len(pieces["known"].values) == N
    # Names of rows may be numbers.
    frame = pd.DataFrame({"a": A[:, 0], "b": A[:, 1]}, index=np.arange(N) * 3 + 24000110)
    rdata.write_rds(tmp_path / "a.rds", frame)
    (piece,), _ = pieces_of(tmp_path / "a.rds")
    assert piece.rows == [str(24000110 + 3 * i) for i in range(N)]
    levels = pd.Categorical([str(i % 3) for i in range(N)])
    (tmp_path / "a.rda").unlink()
    rdata.write_rds(tmp_path / "a.rds", pd.DataFrame({f"l{k}": levels for k in range(6)}))
    assert any("are factors or texts in R" in q.question for q in look(tmp_path).views.ask)


def of_r(path, content):
    """Write an object of R as text; see "R internals", serialization formats."""
    path.write_text(f"A\n2\n197888\n131840\n{content}\n")


def named(**values):
    word = "262153\n{}\n{}".format
    return "".join(f"1026\n1\n{word(len(k), k)}\n{v}\n" for k, v in values.items()) + "254"


def word_of_r(word):
    return f"16\n1\n262153\n{len(word)}\n{word}"


def numbers_of_r(*values, flags=14):
    return "\n".join(map(str, [flags, len(values), *values]))


def test_days_of_r_are_days_and_maps_and_trees_are_no_tables(tmp_path):
    pytest.importorskip("rdata", reason="rdata is not installed")
    days = numbers_of_r(0, -1, "NA", 19000.5, flags=782)
    of_r(tmp_path / "a.rds", f"{days}\n{named(**{'class': word_of_r('Date')})}")
    (piece,), _ = pieces_of(tmp_path / "a.rds")
    assert piece.values.tolist() == ["1970-01-01", "1969-12-31", "", "2022-01-08"]
    # The frame of a map is no table.
    frame, kind = numbers_of_r(0, 0, 9, 9), word_of_r("SpatialPolygons")
    of_r(tmp_path / "a.rds", f"66329\n{named(**{'bbox': frame, 'class': kind})}")
    assert pieces_of(tmp_path / "a.rds") == ([], {})
    of_r(tmp_path / "a.rds", f"66329\n{named(**{'bbox': frame, 'class': word_of_r('Points')})}")
    assert len(pieces_of(tmp_path / "a.rds")[0]) == 1
    tree = f"531\n1\n{numbers_of_r(1, 2, 3)}\n{named(**{'class': word_of_r('phylo')})}"
    of_r(tmp_path / "a.rds", tree)
    assert pieces_of(tmp_path / "a.rds") == ([], {})
