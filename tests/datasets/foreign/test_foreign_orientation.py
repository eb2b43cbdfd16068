"""Orientation is decided for a family at once; what is open is said."""

import h5py
import numpy as np
import pytest
import scipy.io
from foreign_files import IDS, A, B, C, N, Y, cells, same_values, understood, write_table
from hypothesis import given, settings
from hypothesis import strategies as st

from mvclust.datasets.foreign import NotUnderstood, find_views

SQUARE = np.random.default_rng(5).random((N, N)) + 3 * np.eye(3)[Y] @ np.ones((3, N))


def test_a_square_cell_lies_as_the_others(tmp_path):
    lying = SQUARE.T.copy()
    lying[:, 4] = np.nan
    scipy.io.savemat(tmp_path / "a.mat", {"X": cells(B.T, lying), "gt": Y})
    found = understood(tmp_path, [4, N], classes=3, missing=[0, 1])
    np.testing.assert_array_equal(found.Xs[1][0], SQUARE[0])


@pytest.mark.parametrize("turned", [False, True])
def test_separate_variables_are_one_family(tmp_path, turned):
    views = {"v1": SQUARE, "v2": B, "v3": C}
    np.savez(tmp_path / "a.npz", **{k: X.T if turned else X for k, X in views.items()}, y=Y)
    same_values(understood(tmp_path, [N, 4, 6], classes=3), SQUARE, B, C)


def test_what_nothing_tells_is_said_with_the_option(tmp_path):
    np.savez(tmp_path / "a.npz", u=A, v=A[::-1] ** 2)
    found = understood(tmp_path, [5, 5])
    assert any("--samples rows or --samples columns" in note for note in found.notes)
    found = understood(tmp_path, [N, N], n=5, samples="columns")
    assert not any("by convention" in note for note in found.notes)


def test_matlab_files_where_nothing_tells_stop_a_run(tmp_path):
    scipy.io.savemat(tmp_path / "a.mat", {"u": A, "v": A[::-1] ** 2})
    assert find_views(tmp_path).open
    assert not find_views(tmp_path, samples="columns").open


def test_two_numbers_of_samples_are_a_sentence(tmp_path):
    np.savez(tmp_path / "a.npz", u=np.zeros((6, 9)), v=np.ones((9, 6)))
    with pytest.raises(NotUnderstood, match="6 or 9 samples; --samples rows or --samples columns"):
        find_views(tmp_path)


def test_whole_columns_of_nan_are_samples(tmp_path):
    lying = A.T.copy()
    lying[:, [3, 9]] = np.nan
    np.savez(tmp_path / "a.npz", u=lying, v=(A**2).T)
    understood(tmp_path, [5, 5], missing=[2, 0])


def test_a_matrix_of_links_that_lacks_columns_is_asked_for(tmp_path):
    links = (np.random.default_rng(0).random((N - 1, N)) > 0.8).astype(float)
    scipy.io.savemat(tmp_path / "a.mat", {"content": A, "words": B, "links": links, "y": Y})
    with pytest.raises(NotUnderstood, match="--role links=turned turns it, --role links=ignore"):
        find_views(tmp_path)
    understood(tmp_path, [5, 4, N - 1], classes=3, roles={"links": "turned"})
    understood(tmp_path, [5, 4], classes=3, roles={"links": "ignore"})


def test_a_view_of_other_samples_is_a_sentence(tmp_path):
    np.savez(tmp_path / "a.npz", u=A, v=B[:-1], y=Y)
    with pytest.raises(NotUnderstood, match=r"v \(29 x 4\).*--role NAME=ignore"):
        find_views(tmp_path)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_symmetric_slices_are_kernels(tmp_path, axis):
    K = np.stack([A @ A.T, B @ B.T, C @ C.T], axis=axis)
    scipy.io.savemat(tmp_path / "a.mat", {"KH": K, "Y": Y})
    found = understood(tmp_path, [N] * 3, classes=3)
    assert list(found.kinds) == ["kernel"] * 3


@pytest.mark.parametrize(
    "order", [(0, 1, 2), (1, 0, 2), (0, 2, 1), (2, 0, 1), (2, 1, 0), (1, 2, 0)]
)
def test_views_are_on_the_axis_that_is_neither_samples_nor_features(tmp_path, order):
    """Axes are samples, features, views, in any order."""
    stack = np.stack([C, C[::-1] ** 2], axis=2).transpose(order)
    scipy.io.savemat(tmp_path / "a.mat", {"X": stack, "gt": Y})
    same_values(understood(tmp_path, [6, 6], classes=3), C, C[::-1] ** 2)


def test_images_are_one_view(tmp_path):
    images = np.random.default_rng(0).random((N, 7, 7))
    np.savez(tmp_path / "a.npz", img=images, txt=B, y=Y)
    same_values(understood(tmp_path, [49, 4], classes=3), images.reshape(N, -1), B)
    coloured = np.random.default_rng(0).random((N, 4, 4, 3))
    np.savez(tmp_path / "a.npz", img=coloured, txt=B, y=Y)
    understood(tmp_path, [48, 4], classes=3)
    tall = np.random.default_rng(0).random((N, 6, 3))
    np.savez(tmp_path / "a.npz", series=tall, y=Y)
    understood(tmp_path, [6, 6, 6], classes=3)
    understood(tmp_path, [18], classes=3, roles={"series": "view"})


def test_genes_by_samples_beside_samples_by_features(tmp_path):
    genes = [f"G{n * 7}" for n in range(5)]
    write_table(tmp_path / "rna.csv", A.T, IDS, genes, "")
    write_table(tmp_path / "clinic.csv", B, "abcd", IDS, "patient")
    same_values(understood(tmp_path, [4, 5]), B, A)


def test_the_same_genes_and_the_same_samples_in_all_files(tmp_path):
    genes = [f"ENSG{7 * n}" for n in range(5)]
    for name, X in (("methylation", A), ("rna", A**2)):
        write_table(tmp_path / f"{name}.csv", X.T, IDS, genes, "gene")
    same_values(understood(tmp_path, [5, 5]), A, A**2)
    for name, X in (("methylation", A), ("rna", A**2)):
        write_table(tmp_path / f"{name}.csv", X.T, IDS, genes, "")
    found = find_views(tmp_path)
    assert "both have the same names" in found.open[0]
    assert "--samples columns" in found.open[0]
    same_values(understood(tmp_path, [5, 5], samples="columns"), A, A**2)


def test_labels_with_names_decide(tmp_path):
    genes = [f"G{n * 7}" for n in range(5)]
    write_table(tmp_path / "rna.csv", A.T, IDS, genes, "")
    lines = [f"{i},{'pq'[n % 2]}" for n, i in enumerate(IDS)]
    (tmp_path / "labels.csv").write_text("sample,label\n" + "\n".join(reversed(lines)) + "\n")
    found = understood(tmp_path, [5], classes=2)
    same_values(found, A)
    assert found.y.tolist() == [n % 2 for n in range(N)]


def test_one_table_of_genes(tmp_path):
    write_table(tmp_path / "rna.csv", A.T, IDS, [f"G{n * 7}" for n in range(5)], "gene_id")
    same_values(understood(tmp_path, [5]), A)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(2, 9), min_size=2, max_size=4), st.booleans(), st.integers(0, 99))
def test_turning_all_matrices_of_a_family_changes_nothing(tmp_path_factory, widths, cell, seed):
    rng = np.random.default_rng(seed)
    Xs = [rng.random((N, d)) for d in widths]
    read = []
    for turned in (False, True):
        folder = tmp_path_factory.mktemp("turned")
        views = [X.T if turned else X for X in Xs]
        content = {"X": cells(*views)} if cell else {f"v{n}": X for n, X in enumerate(views)}
        scipy.io.savemat(folder / "a.mat", content | {"y": Y}, do_compression=True)
        read.append(find_views(folder))
    first, second = read
    assert first.view_names == second.view_names
    assert first.y.tolist() == second.y.tolist() == Y.tolist()
    for mine, other, X in zip(first.Xs, second.Xs, Xs, strict=True):
        np.testing.assert_array_equal(mine, other)
        np.testing.assert_array_equal(mine, X)


def test_plain_hdf5_lies_as_it_is(tmp_path):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["views/first"], file["views/second"], file["labels"] = A, B, Y
    same_values(understood(tmp_path, [5, 4], classes=3), A, B)
