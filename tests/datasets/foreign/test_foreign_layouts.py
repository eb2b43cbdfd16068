"""Layouts between a table per view and none: folders, tables side by side, links, limits."""

import numpy as np
import pytest
import scipy.io
from foreign_files import ORDER, PATIENTS, A, B, N, Y, same_values, understood, write_table
from scipy import sparse

from mvclust.datasets.foreign import NotUnderstood, find_views
from mvclust.datasets.foreign.alignment import matched


def write_labels(folder):
    write_table(folder / "labels.csv", Y[ORDER, None], ["label"], np.array(PATIENTS)[ORDER], "id")


@pytest.mark.parametrize("name", ["data.csv", "{}.csv", "{}_values.csv"])
def test_a_folder_per_view_gives_its_name_to_it(tmp_path, name):
    for view, X in {"rna": A, "protein": B}.items():
        (tmp_path / view).mkdir()
        write_table(tmp_path / view / name.format(view), X, range(X.shape[1]), PATIENTS, "id")
    write_labels(tmp_path)
    found = understood(tmp_path, [4, 5], classes=3)
    assert found.view_names == ["protein", "rna"]
    np.testing.assert_array_equal(found.y, Y)
    assert [file.relative_to(tmp_path).parts[0] for file in found.files] == [
        "labels.csv", "protein", "rna",
    ]  # fmt: skip
    assert all(file.is_file() for file in found.files)


@pytest.mark.parametrize("names", [("raw", "processed"), ("train", "test"), ("a", "b")])
def test_folders_of_several_tables_or_of_versions_are_not_read(tmp_path, names):
    for folder in names:
        (tmp_path / folder).mkdir()
        write_table(tmp_path / folder / "x.csv", A, "pqrst", PATIENTS, "id")
        if folder in "ab":
            write_table(tmp_path / folder / "z.csv", B, "uvwx", PATIENTS, "id")
    with pytest.raises(NotUnderstood, match="a folder of its own"):
        find_views(tmp_path)


def test_folders_of_matrices_take_their_own_lists_and_a_number_that_one_adds(tmp_path):
    order = {"rna": np.arange(N), "atac": ORDER}
    for view, X in {"rna": A, "atac": B}.items():
        folder = tmp_path / view
        folder.mkdir()
        scipy.io.mmwrite(folder / "matrix.mtx", sparse.coo_array(X[order[view]].T.round()))
        cells = [PATIENTS[n] + "-1" * (view == "rna") for n in order[view]]
        (folder / "barcodes.tsv").write_text("\n".join(cells) + "\n")
        features = "\n".join(f"{view}{n}" for n in range(X.shape[1]))
        (folder / "features.tsv").write_text(features + "\n")
    found = understood(tmp_path, [4, 5])
    assert found.view_names == ["atac", "rna"]
    back = [found.ids.index(name) for name in PATIENTS]
    for X, expected in zip(found.Xs, (B, A), strict=True):
        np.testing.assert_allclose(X.toarray()[back], expected.round())


def test_numbers_that_tell_visits_apart_are_not_cut():
    lists = [["P1-1", "P2-1"], ["P1-2", "P2-2"]]
    assert matched(lists, None) == lists
    assert matched([["AA-1", "GG-1"], ["GG", "AA"]], None) == [["aa", "gg"], ["gg", "aa"]]


def test_tables_side_by_side_in_one_file_are_read_each_with_its_own_names(tmp_path):
    lines = ["ID,p,q,r,s,t,,ID,u,v,w,x"]
    for n, m in enumerate(ORDER):
        left, right = (",".join(f"{x:.4f}" for x in X[at]) for X, at in ((A, n), (B, m)))
        lines.append(f"{PATIENTS[n]},{left},,{PATIENTS[m]},{right}")
    (tmp_path / "both.csv").write_text("\n".join(lines) + "\n")
    found = understood(tmp_path, [5, 4])
    same_values(found, A, B)
    assert any("empty columns between 2 tables" in note for note in found.notes)


@pytest.mark.parametrize("corner", ["gene", "sample"])
def test_groups_of_samples_below_the_header_are_no_part_of_their_names(tmp_path, corner):
    lines = [",".join([corner, *PATIENTS]), ",".join(["Type", *np.array(["ALL", "AML"])[Y % 2]])]
    lines += [",".join([f"G{n}", *(f"{x:.4f}" for x in row)]) for n, row in enumerate(A.T)]
    (tmp_path / "a.csv").write_text("\n".join(lines) + "\n")
    if corner == "sample":  # the second line may name units
        assert "the second line is a header too" in " ".join(find_views(tmp_path).notes)
        return
    write_table(tmp_path / "b.csv", B.T, PATIENTS, [f"mir{n}" for n in range(4)], "mirna")
    found = understood(tmp_path, [5, 4], classes=2)
    same_values(found, A, B)
    assert [found.label_names[k] for k in found.y] == [("ALL", "AML")[k] for k in Y % 2]


def test_values_beyond_a_limit_of_measurement_are_gaps_and_told(tmp_path):
    rows = [[f"{x:.4f}" for x in row] for row in A]
    for c in range(5):
        rows[c][c], rows[9 + c][c], rows[15 + c][c] = "<0.05", "n.d.", "<LOD"
    lines = [",".join([name, *row]) for name, row in zip(PATIENTS, rows, strict=True)]
    (tmp_path / "a.csv").write_text("\n".join(["id,p,q,r,s,t", *lines]) + "\n")
    write_table(tmp_path / "b.csv", B, "uvwx", PATIENTS, "id")
    found = understood(tmp_path, [5, 4])
    np.testing.assert_allclose(found.Xs[0][6, 4], A[6, 4], atol=1e-4)
    assert any("such as <0.05, are gaps (10 of them)" in note for note in found.notes)
    assert any("15 single gaps in the view a" in note for note in found.notes)


@pytest.mark.parametrize("ends", [("source", "target"), ("from", "to"), ("node1", "node2")])
def test_a_list_of_links_is_left_out_and_told(tmp_path, ends):
    write_table(tmp_path / "features.csv", A, "pqrst", PATIENTS, "id")
    random = np.random.default_rng(0)
    pairs = [random.choice(N, 2, replace=False) for _ in range(60)]
    lines = [f"{PATIENTS[i]},{PATIENTS[j]},{random.random():.3f}" for i, j in pairs]
    (tmp_path / "edges.csv").write_text("\n".join([",".join([*ends, "weight"]), *lines]) + "\n")
    found = understood(tmp_path, [5])
    assert any(f"one line per link ({', '.join(ends)})" in note for note in found.notes)


def test_triplets_without_header_are_a_sentence_however_many_there_are(tmp_path):
    random = np.random.default_rng(0)
    for name, width in {"text": 30, "links": 20}.items():
        X = random.poisson(0.6, (N, width))
        X[np.arange(N), np.arange(N) % width] += 1
        i, j = np.nonzero(X)
        lines = [f"{a + 1} {b + 1} {X[a, b]}" for a, b in zip(i, j, strict=True)]
        (tmp_path / f"{name}.txt").write_text("\n".join(lines) + "\n")
    with pytest.raises(NotUnderstood, match="one line per value"):
        find_views(tmp_path)
    lying = {name: np.loadtxt(tmp_path / f"{name}.txt").T for name in ("text", "links")}
    scipy.io.savemat(tmp_path / "both.mat", lying)
    with pytest.raises(NotUnderstood, match="one line per value"):
        find_views(tmp_path / "both.mat")


def test_a_colon_after_a_word_makes_a_view_of_few_columns_and_none_of_chromosomes(tmp_path):
    titles = [f"rna:{c}" for c in "pqrst"] + ["clin:age", "clin:bmi"]
    write_table(tmp_path / "all.csv", np.c_[A, B[:, :2]], titles, PATIENTS, "id")
    assert find_views(tmp_path / "all.csv").view_names == ["rna", "clin"]
    places = [f"X:{c}" for c in range(5)] + ["Y:8", "Y:9"]
    write_table(tmp_path / "all.csv", np.c_[A, B[:, :2]], places, PATIENTS, "id")
    assert find_views(tmp_path / "all.csv").view_names == ["all"]


def test_a_version_of_a_view_and_what_is_computed_from_views_are_told(tmp_path):
    other = A.copy()
    other[::3] += 0.3
    for name, X in {"a": A, "a_old": other, "b": B, "umap": A[:, :2] - B[:, :2]}.items():
        write_table(tmp_path / f"{name}.csv", X, range(X.shape[1]), PATIENTS, "id")
    notes = " ".join(understood(tmp_path, [5, 5, 4, 2]).notes)
    assert "a_old has many values of a at their places" in notes
    assert "umap is called as what is computed from other views" in notes


def test_tables_of_other_samples_of_one_view_are_refused(tmp_path):
    for name, rows in {"siteA": slice(0, 10), "siteB": slice(10, N)}.items():
        write_table(tmp_path / f"{name}.csv", A[rows], "pqrst", PATIENTS[rows], "id")
    with pytest.raises(NotUnderstood, match="samples of its own: parts of one view"):
        find_views(tmp_path)
    with pytest.raises(NotUnderstood, match="no sample in common"):
        find_views(tmp_path, samples="rows")
    assert not find_views(tmp_path, samples="columns").open
