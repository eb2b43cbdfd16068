"""Samples that only numbers name, features that describe genes, labels and groups beside views."""

import gzip

import numpy as np
import pandas as pd
import pytest
import scipy.io
from foreign_files import ORDER, PATIENTS, A, B, C, N, Y, same_values, understood, write_table
from scipy import sparse

from mvclust.datasets.foreign import NotUnderstood, find_views

NUMBERS = 100 + np.arange(N) ** 2
GENES = [f"G{n}" for n in range(12)]
RNA, CNV = (np.random.default_rng(s).random((N, 12)) for s in (0, 1))


@pytest.mark.parametrize("title", ["SEQN", "plot", "item", "observation"])
@pytest.mark.parametrize("numbers", [NUMBERS, np.arange(1, N + 1)])
def test_a_column_with_the_numbers_of_another_table_names_the_samples(tmp_path, title, numbers):
    write_table(tmp_path / "a.csv", A, "pqrst", numbers, title)
    write_table(tmp_path / "b.csv", B[ORDER], "uvwx", numbers[ORDER], title)
    found = understood(tmp_path, [5, 4])
    same_values(found, A, B)
    assert any(f"{title} of a and {title} of b hold the same numbers" in n for n in found.notes)
    assert bool(found.open) == (numbers is not NUMBERS)  # even steps may be ranks


def test_a_key_may_stand_anywhere_and_have_two_titles(tmp_path):
    last = np.c_[B, NUMBERS][ORDER]
    write_table(tmp_path / "a.csv", A, "pqrst", NUMBERS, "patno")
    write_table(tmp_path / "b.csv", last, ["u", "v", "w", "x", "plate"], number="%g")
    found = understood(tmp_path, [5, 4])
    same_values(found, A, np.array([[float(f"{x:g}") for x in row] for row in B]))


def test_labels_are_placed_by_the_key_of_the_tables(tmp_path):
    write_table(tmp_path / "a.csv", A, "pqrst", NUMBERS, "tree")
    write_table(tmp_path / "b.csv", B, "uvwx", NUMBERS, "tree")
    write_table(tmp_path / "labels.csv", Y[ORDER, None], ["label"], NUMBERS[ORDER], "tree")
    found = understood(tmp_path, [5, 4], classes=3)
    np.testing.assert_array_equal(found.y, Y)


def test_samples_that_one_table_lacks_are_missing_there(tmp_path):
    write_table(tmp_path / "a.csv", A[:20], "pqrst", NUMBERS[:20], "tree")
    write_table(tmp_path / "b.csv", B[8:], "uvwx", NUMBERS[8:], "tree")
    understood(tmp_path, [5, 4], missing=[10, 8])


def test_a_key_that_is_there_twice_is_a_sentence(tmp_path):
    twice = NUMBERS.copy()
    twice[3] = twice[4]
    write_table(tmp_path / "a.csv", A, "pqrst", twice, "plot")
    write_table(tmp_path / "b.csv", B, "uvwx", NUMBERS, "plot")
    with pytest.raises(NotUnderstood, match=f"the id {twice[3]} is there twice"):
        find_views(tmp_path)


def test_whole_numbers_of_other_tables_are_features(tmp_path):
    rng = np.random.default_rng(0)
    for name, X in (("a", A), ("b", B)):
        counts = rng.choice(10_000, (N, 1), replace=False) + 1000 * (name == "b")
        write_table(tmp_path / f"{name}.csv", np.c_[counts, X], ["count", *"pqrst"[: X.shape[1]]])
    understood(tmp_path, [6, 5])


def test_the_columns_that_agree_on_the_order_are_the_key(tmp_path):
    """The same two keys in each table, in another order of the columns, beside ranks."""
    seats, ranks = np.random.default_rng(1).permutation(N) + 1, np.random.default_rng(2)
    for name, X, order in (("a", A, np.arange(N)), ("b", B, ORDER)):
        keys = [np.arange(1, N + 1)[order], seats[order]]
        titles = ["pupil", "desk"]
        if name == "b":
            keys, titles = keys[::-1], titles[::-1]
        columns = np.c_[np.column_stack(keys), ranks.permutation(N) + 1, X[order]]
        write_table(tmp_path / f"{name}.csv", columns, [*titles, "rank", *"pqrst"[: X.shape[1]]])
    found = find_views(tmp_path)
    assert found.ids is not None
    assert not found.open
    np.testing.assert_allclose(found.Xs[0][:, -5:], A, atol=1e-4)
    np.testing.assert_allclose(found.Xs[1][:, -4:], B, atol=1e-4)


def test_sheets_of_a_workbook_share_keys(tmp_path):
    pytest.importorskip("python_calamine", reason="reads workbooks")
    pytest.importorskip("openpyxl", reason="writes a workbook to read")
    with pd.ExcelWriter(tmp_path / "all.xlsx") as writer:
        for name, X, order in (("a", A, np.arange(N)), ("b", B, ORDER)):
            table = pd.DataFrame(X[order]).add_prefix("f")
            table.insert(0, "Vpn", NUMBERS[order])
            table.to_excel(writer, sheet_name=name, index=False)
    same_values(understood(tmp_path / "all.xlsx", [5, 4]), A, B)


def test_row_numbers_beside_ranks_give_the_order(tmp_path):
    rng = np.random.default_rng(0)
    for name, X in (("a", A), ("b", B)):
        ranked = np.c_[rng.permutation(N) + 1, X]
        write_table(tmp_path / f"{name}.csv", ranked, ["rank", *"pqrst"[: X.shape[1]]], range(N))
    understood(tmp_path, [6, 5])


def test_what_is_measured_twice_and_mostly_equal_is_a_feature(tmp_path):
    rng = np.random.default_rng(0)
    income = rng.choice(100_000, N, replace=False)
    later = np.where(rng.random(N) < 0.7, income, income + 7)
    for name, X, column in (("a", A, income), ("b", B, later)):
        write_table(tmp_path / f"{name}.csv", np.c_[X, column], [*"pqrst"[: X.shape[1]], "income"])
    understood(tmp_path, [6, 5])


def test_ranks_of_the_same_titles_are_features(tmp_path):
    rng = np.random.default_rng(0)
    for name in "ab":
        ranks = np.column_stack([rng.permutation(N) + 1 for _ in range(4)])
        write_table(tmp_path / f"{name}.csv", ranks, "pqrs", number="%d")
    understood(tmp_path, [4, 4])


def test_counts_that_agree_by_chance_are_features(tmp_path):
    rng = np.random.default_rng(0)
    for name, X in (("a", A), ("b", B)):
        counts = rng.choice(45, (N, 1), replace=False) + 20  # two of three are in both
        write_table(tmp_path / f"{name}.csv", np.c_[X, counts], [*"pqrst"[: X.shape[1]], "reads"])
    understood(tmp_path, [6, 5])


def test_a_table_called_a_view_keeps_its_key_as_a_feature(tmp_path):
    for name, X, titles in (("a", A, "pqrst"), ("b", B, "uvwx")):
        write_table(tmp_path / f"{name}.csv", np.c_[NUMBERS, X], ["tree", *titles])
    understood(tmp_path, [6, 5], roles={"a": "view", "b": "view"})


@pytest.mark.parametrize("start", [0, 1])
@pytest.mark.parametrize("headed", [True, False])
def test_labels_with_numbers_of_rows_are_placed_by_them(tmp_path, start, headed):
    np.save(tmp_path / "a.npy", A)
    np.save(tmp_path / "b.npy", B)
    rows = np.arange(N) + start
    header = {"header": ["label"], "corner": "row"} if headed else {}
    write_table(tmp_path / "labels.csv", Y[ORDER, None], ids=rows[ORDER], number="%d", **header)
    found = understood(tmp_path, [5, 4], classes=3)
    np.testing.assert_array_equal(found.y, Y)
    assert any(f"by the numbers of the rows, which count from {start}" in n for n in found.notes)


def test_tables_that_disagree_on_their_rows_are_asked_for(tmp_path):
    for name, X, order in (("a", A, range(N)), ("b", B, ORDER)):
        lines = [f"{['x', 'y', 'z'][n % 3]},{','.join(map(str, X[n]))}" for n in order]
        head = ",".join(["country", *"pqrst"[: X.shape[1]]])
        (tmp_path / f"{name}.csv").write_text("\n".join([head, *lines]))
    assert any(
        "the same texts in another order" in question for question in find_views(tmp_path).open
    )
    assert not find_views(tmp_path, roles={"b/country": "ignore"}).open


def write_genes(folder, more):
    """Two tables of genes x samples, and a table of the genes."""
    for name, X in (("rna", RNA), ("cnv", CNV)):
        write_table(folder / f"{name}.csv", X.T, PATIENTS, GENES, "gene")
    write_table(folder / "genes.csv", np.ones((12, len(more))) * range(len(more)), more, GENES,
                "gene", number="%d")  # fmt: skip


@pytest.mark.parametrize("more", [["chrom", "start", "end", "gc"], ["length"]])
def test_a_table_of_the_genes_is_no_view_and_turns_none(tmp_path, more):
    write_genes(tmp_path, more)
    found = understood(tmp_path, [12, 12])
    same_values(found, *(np.round(X, 4) for X in (CNV, RNA)))
    assert any("genes.csv tells about features" in note for note in found.notes)
    kept = find_views(tmp_path, roles={"genes": "view"})
    assert [X.shape[1] for X in kept.Xs][kept.view_names.index("genes")] == len(more)


@pytest.mark.parametrize("facts", [["Entrez_Gene_Id"], ["Start", "End", "Length"]])
def test_columns_on_genes_are_no_samples(tmp_path, facts):
    for name, X in (("rna", RNA), ("cnv", CNV)):
        beside = np.arange(12)[:, None] + np.arange(len(facts)) + 1000
        write_table(tmp_path / f"{name}.csv", np.c_[beside, X.T], [*facts, *PATIENTS], GENES,
                    "Hugo_Symbol")  # fmt: skip
    understood(tmp_path, [12, 12])


def test_samples_that_are_called_as_facts_of_genes_are_samples(tmp_path):
    names = [*PATIENTS[:-2], "GC", "END"]
    for name, X in (("rna", RNA), ("cnv", CNV)):
        write_table(tmp_path / f"{name}.csv", X.T, names, GENES, "gene")
    understood(tmp_path, [12, 12])


@pytest.mark.parametrize("corner", ["species", "protein", "gene"])
def test_the_length_of_what_is_clustered_is_a_feature(tmp_path, corner):
    for name, X, titles in (("a", A, "length w d gc h"), ("b", B, "u v x z")):
        write_table(tmp_path / f"{name}.csv", X, titles.split(), [f"it {n}" for n in PATIENTS],
                    corner)  # fmt: skip
    understood(tmp_path, [5, 4])


@pytest.mark.parametrize("name", ["labs", "targets", "category", "diagnosis"])
def test_views_of_few_whole_numbers_that_are_called_nearly_as_labels_are_told(tmp_path, name):
    several = np.random.default_rng(0).integers(0, 4, (N, 5))
    write_table(tmp_path / f"{name}.csv", several, "pqrst", PATIENTS, "id", number="%d")
    write_table(tmp_path / "x.csv", B, "uvwx", PATIENTS, "id")
    found = understood(tmp_path, [5, 4])
    assert not found.open


def test_a_file_per_sample_is_a_sentence(tmp_path):
    for n in range(5):
        write_table(tmp_path / f"s{n}.tsv", RNA[n][:, None], None, GENES, mark="\t")
    with pytest.raises(NotUnderstood, match="5 files have one value for each of the same 12 names"):
        find_views(tmp_path)


@pytest.mark.parametrize("kind", ["equal", "longer", "arrays", "labelled", "by name"])
def test_a_table_per_sample_is_a_sentence(tmp_path, kind):
    names = [f"patient_{n:02d}" for n in range(4)]
    if kind == "by name":
        names = ["ada", "bea", "cleo", "dora", "eva", "fay"]
    if kind == "labelled":
        names = ["ada", "bea", "cleo", "dora"]
        write_table(tmp_path / "labels.csv", np.arange(4)[:, None] % 2, ["label"], names, "who")
    random = np.random.default_rng(0)
    for n, name in enumerate(names):
        X = random.normal(size=(30 + n * (kind == "longer"), 3))
        if kind == "arrays":
            np.save(tmp_path / f"{name}.npy", X)
        else:
            write_table(tmp_path / f"{name}.csv", X, ["pulse", "bp", "temp"])
    with pytest.raises(NotUnderstood, match="one file per sample"):
        find_views(tmp_path)


def test_tables_of_the_same_columns_are_views_where_the_user_says_so_or_rows_are_named(tmp_path):
    random = np.random.default_rng(0)
    for visit in range(6):
        write_table(tmp_path / f"visit{visit}.csv", random.normal(size=(N, 3)), "abc", PATIENTS)
    assert len(find_views(tmp_path).Xs) == 6
    for visit in range(6):
        write_table(tmp_path / f"visit{visit}.csv", random.normal(size=(N, 3)), "abc")
    assert len(find_views(tmp_path, roles={"visit0": "view"}).Xs) == 6
    assert len(find_views(tmp_path, samples="rows").Xs) == 6
    for visit in range(6):  # titles that only count say nothing
        write_table(tmp_path / f"visit{visit}.csv", random.normal(size=(N, 3)), "012")
    assert len(find_views(tmp_path).Xs) == 6


def test_matrices_of_a_folder_take_the_lists_with_their_beginning(tmp_path):
    order = {"a": np.arange(N), "b": ORDER}
    for name, X in (("a", A), ("b", B)):
        here = X[order[name]].T.round()
        scipy.io.mmwrite(tmp_path / f"GSM1_{name}_matrix.mtx", sparse.coo_array(here))
        with gzip.open(tmp_path / f"GSM1_{name}_barcodes.tsv.gz", "wt") as file:
            file.write("\n".join(PATIENTS[n] for n in order[name]) + "\n")
    found = understood(tmp_path, [5, 4])
    same_values(found, A.round(), B.round())


def test_kinds_of_features_in_one_matrix_are_views(tmp_path):
    X = np.c_[A, B].round()
    scipy.io.mmwrite(tmp_path / "matrix.mtx", sparse.coo_array(X.T))
    (tmp_path / "barcodes.tsv").write_text("\n".join(PATIENTS) + "\n")
    kinds = 5 * ["lncRNA"] + 4 * ["protein_coding"]
    lines = [f"ENSG{n}\tN{n}\t{kind}" for n, kind in enumerate(kinds)]
    (tmp_path / "features.tsv").write_text("\n".join(lines) + "\n")
    understood(tmp_path, [9])
    kinds = 5 * ["Gene Expression"] + 4 * ["Antibody Capture"]
    lines = [f"ENSG{n}\tN{n}\t{kind}" for n, kind in enumerate(kinds)]
    (tmp_path / "features.tsv").write_text("\n".join(lines) + "\n")
    found = understood(tmp_path, [5, 4])
    assert found.view_names == ["Gene Expression", "Antibody Capture"]
    same_values(found, A.round(), B.round())


def test_arrays_of_scipy_are_read(tmp_path):
    for name, X, kind in (("a", A, "csr"), ("b", B, "csc"), ("c", C, "coo")):
        sparse.save_npz(tmp_path / f"{name}.npz", sparse.coo_array(X.round()).asformat(kind))
    found = understood(tmp_path, [5, 4, 6])
    assert all(map(sparse.issparse, found.Xs))
    np.testing.assert_array_equal(found.Xs[1].toarray(), B.round())


@pytest.mark.parametrize("name", ["y", "labels", "gt", "target"])
def test_several_labels_per_sample_are_neither_labels_nor_a_view(tmp_path, name):
    several = (np.random.default_rng(0).random((N, 5)) < 0.5).astype(float)
    np.savez(tmp_path / "all.npz", a=A, b=B, **{name: several})
    found = understood(tmp_path, [5, 4])
    assert any("may hold several labels per sample" in question for question in found.open)
    understood(tmp_path, [5, 4, 5], roles={name: "view"})


def test_probabilities_of_the_classes_stop_a_run(tmp_path):
    P = 0.1 + 0.7 * np.eye(3)[Y]
    P[:, 0] += np.random.default_rng(0).random(N) / 10
    np.savez(tmp_path / "all.npz", a=A, b=B, P=P / P.sum(axis=1, keepdims=True), y=Y)
    found = understood(tmp_path, [5, 4, 3], classes=3)
    assert any("P gives the classes away" in question for question in found.open)


def test_weights_of_two_values_that_agree_with_rows_of_zeros_are_a_mask(tmp_path):
    Xs, W = [A.copy(), B.copy(), C.copy()], np.ones((N, 3))
    for v, row in ((0, 3), (1, 7), (2, 9), (2, 11)):
        Xs[v][row], W[row, v] = 0, 0.01
    np.savez(tmp_path / "all.npz", a=Xs[0], b=Xs[1], c=Xs[2], W=W)
    understood(tmp_path, [5, 4, 6], missing=[1, 1, 2])


def test_a_table_of_columns_of_two_others_is_a_copy(tmp_path):
    write_table(tmp_path / "all.csv", np.c_[B, A], [*"uvwx", *"pqrst"], PATIENTS, "id")
    write_table(tmp_path / "a.csv", A, "pqrst", PATIENTS, "id")
    write_table(tmp_path / "b.csv", B, "uvwx", PATIENTS, "id")
    found = understood(tmp_path, [5, 4])
    assert found.roles["all"] == "copy"


def test_columns_that_others_have_by_chance_are_no_copy(tmp_path):
    rare = np.eye(N)
    for name, places in (("a", range(20)), ("b", range(10, 28)), ("c", range(8, 14))):
        table = rare[:, list(places)]
        write_table(tmp_path / f"{name}.csv", table, [f"{name}{p}" for p in places], PATIENTS, "id",
                    number="%d")  # fmt: skip
    understood(tmp_path, [20, 18, 6])


@pytest.mark.parametrize("title", ["leiden", "cluster", "response", "Batch"])
def test_a_column_called_as_a_group_is_told(tmp_path, title):
    write_table(tmp_path / "a.csv", np.c_[A, Y], [*"pqrst", title], PATIENTS, "id")
    write_table(tmp_path / "b.csv", B, "uvwx", PATIENTS, "id")
    found = understood(tmp_path, [6, 4])
    assert any(f"the column {title} of a holds 3 whole numbers" in note for note in found.notes)
    understood(tmp_path, [5, 4], classes=3, roles={f"a/{title}": "labels"})


def test_a_second_column_of_row_numbers_and_empty_columns_are_no_features(tmp_path):
    table = np.c_[np.arange(N), A, np.full(N, np.nan)]
    header = ["Unnamed: 0.1", *"pqrst", "void"]
    write_table(tmp_path / "a.csv", table, header, np.arange(N), "Unnamed: 0")
    write_table(tmp_path / "b.csv", B, "uvwx")
    found = understood(tmp_path, [5, 4])
    assert "a.csv: no value in the columns void, which are left out" in found.notes


def test_files_of_the_operating_system_stop_nothing(tmp_path):
    np.save(tmp_path / "a.npy", A)
    np.save(tmp_path / "b.npy", B)
    (tmp_path / "._a.npy").write_bytes(b"\0\5\26\7\0\2")
    (tmp_path / ".DS_Store").write_bytes(b"\0\0\0\1Bud1")
    found = understood(tmp_path, [5, 4])
    assert not found.open
    assert sorted(found.not_read) == [".DS_Store", "._a.npy"]


def test_beginnings_of_some_columns_are_told(tmp_path):
    header = ["rna:a", "rna:b", "rna:c", "prot:d", "prot:e", "prot:f", "age"]
    write_table(tmp_path / "all.csv", np.c_[A, B[:, :2]], header, PATIENTS, "id")
    found = understood(tmp_path / "all.csv", [7])
    assert any("begin alike (rna, prot), but not all" in note for note in found.notes)


def test_two_lines_of_titles_as_pandas_writes_them_make_views(tmp_path):
    titles = pd.MultiIndex.from_tuples(
        [*(("rna", g) for g in "pqrst"), *(("prot", g) for g in "pqrs")], names=["omics", "feature"]
    )
    table = pd.DataFrame(np.c_[A, B], index=pd.Index(PATIENTS, name="id"), columns=titles)
    table.to_csv(tmp_path / "all.csv")
    found = understood(tmp_path / "all.csv", [5, 4])
    assert found.view_names == ["rna", "prot"]
    assert found.ids == PATIENTS


def test_masks_of_several_runs_and_numbers_of_views_are_no_lists_of_samples(tmp_path):
    folds = (np.random.default_rng(0).random((5, N, 3)) < 0.8).astype(int)
    np.savez(tmp_path / "all.npz", a=A, b=B, c=C, y=Y, ind_folds=folds)
    found = understood(tmp_path, [5, 4, 6], classes=3)
    assert any("ind_folds (5 x 30 x 3) holds several masks" in note for note in found.notes)
    scipy.io.savemat(tmp_path / "one.mat", {"fea": np.c_[A, B], "gnd": Y[:, None] + 1,
                     "viewIdx": np.repeat([1, 2], [5, 4])[None]})  # fmt: skip
    understood(tmp_path / "one.mat", [9], classes=3)


def test_a_list_of_links_is_a_sentence(tmp_path):
    write_table(tmp_path / "a.csv", A, "pqrst")
    links = np.random.default_rng(0).integers(0, N, (N, 2))
    write_table(tmp_path / "edges.csv", links, number="%d")
    with pytest.raises(NotUnderstood, match="may have one line per link"):
        find_views(tmp_path)


def test_tables_with_the_same_titles_and_no_common_sample_are_asked_for(tmp_path):
    write_table(tmp_path / "rna_part1.csv", A[:15], "pqrst", PATIENTS[:15], "id")
    write_table(tmp_path / "rna_part2.csv", A[15:], "pqrst", PATIENTS[15:], "id")
    write_table(tmp_path / "b.csv", B, "uvwx", PATIENTS, "id")
    found = understood(tmp_path, [4, 5, 5], missing=[0, 15, 15])
    assert any("parts of one view?" in question for question in found.open)
    roles = dict.fromkeys(["rna_part1", "rna_part2"], "view")
    assert not find_views(tmp_path, roles=roles).open
