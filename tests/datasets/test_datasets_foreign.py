"""Views are found in files as users have them; what cannot be understood gets a sentence."""

import h5py
import numpy as np
import pytest
import scipy.io
from scipy import sparse

from mvclust.datasets.foreign import NotUnderstood, describe, find_views

RNG = np.random.default_rng(0)
A, B = RNG.random((6, 4)), RNG.random((6, 3))
Y = np.array([3, 3, 1, 1, 7, 7])


def cells(*values):
    cell = np.empty((1, len(values)), dtype=object)
    cell[0] = values
    return cell


def save_v73(path, views, y):
    """A cell array of matrices and a vector as MATLAB 7.3 has them."""
    with h5py.File(path, "w") as file:
        references = []
        for n, X in enumerate(views):
            file[f"#refs#/{n}"] = X.T
            references.append([file[f"#refs#/{n}"].ref])
        file.create_dataset("X", data=np.array(references, dtype=h5py.ref_dtype))
        file["Y"] = y[None, :].astype(float)


def check(found, names=("X1", "X2")):
    assert found.view_names == list(names)
    np.testing.assert_array_equal(found.Xs[0], A)
    np.testing.assert_array_equal(found.Xs[1], B)
    assert found.presence.all()
    assert found.y.tolist() == [1, 1, 0, 0, 2, 2]
    assert found.label_names == ["1", "3", "7"]


def test_cells_of_features_by_samples(tmp_path):
    scipy.io.savemat(tmp_path / "mine.mat", {"X": cells(A.T, B.T), "gt": Y[:, None]})
    check(find_views(tmp_path))


@pytest.mark.parametrize("keys", [("X", "Y"), ("X", "y"), ("fea", "gt"), ("data", "truelabel")])
def test_the_keys_of_the_field(tmp_path, keys):
    scipy.io.savemat(tmp_path / "mine.mat", {keys[0]: cells(A, B), keys[1]: Y[None, :]})
    check(find_views(tmp_path / "mine.mat"), (f"{keys[0]}1", f"{keys[0]}2"))


def test_data_truelabel_index(tmp_path):
    """The layout of PVC's and IMG's releases: instances that are there, and their numbers."""
    there = np.array([1, 2, 4, 6])
    content = {
        "data": cells(A.T, B[there - 1].T),
        "truelabel": cells(Y[:, None], Y[:, None]),
        "index": cells(np.arange(1, 7)[:, None], there[:, None]),
    }
    scipy.io.savemat(tmp_path / "mine.mat", content)
    found = find_views(tmp_path)
    assert found.presence[:, 1].tolist() == [True, True, False, True, False, True]
    np.testing.assert_array_equal(found.Xs[1][there - 1], B[there - 1])
    assert np.isnan(found.Xs[1][[2, 4]]).all()
    assert found.y.tolist() == [1, 1, 0, 0, 2, 2]


def test_matlab_73(tmp_path):
    save_v73(tmp_path / "mine.mat", [A, B], Y)
    check(find_views(tmp_path))


def test_sparse_matrices_stay_sparse(tmp_path):
    scipy.io.savemat(tmp_path / "mine.mat", {"X": cells(sparse.csc_array(A.T), B), "Y": Y})
    found = find_views(tmp_path)
    assert sparse.issparse(found.Xs[0])
    np.testing.assert_array_equal(found.Xs[0].toarray(), A)


def test_a_table_per_view_with_an_id_and_gaps(tmp_path):
    rows = [f"s{n},{','.join(map(str, x))}" for n, x in enumerate(A.tolist())]
    (tmp_path / "first.csv").write_text("id,a,b,c,d\n" + "\n".join(rows) + "\n")
    rows = [f"s{n};{';'.join(map(str, x))}" for n, x in enumerate(B.tolist())]
    rows[2] = "s2;;;"
    rows[3] = f"s3;;{B[3, 1]};{B[3, 2]}"
    order = [rows[n] for n in (5, 3, 2, 0, 1)]  # sample 4 has no second view
    (tmp_path / "second.csv").write_text("id;u;v;w\n" + "\n".join(order) + "\n")
    (tmp_path / "labels.csv").write_text(
        "id,label\n" + "".join(f"s{n},{'ab'[n % 2]}\n" for n in reversed(range(6)))
    )
    found = find_views(tmp_path)
    assert found.view_names == ["first", "second"]
    np.testing.assert_array_equal(found.Xs[0], A)
    assert found.presence[:, 1].tolist() == [True, True, False, True, False, True]
    np.testing.assert_array_equal(found.Xs[1][[0, 1, 5]], B[[0, 1, 5]])
    assert found.Xs[1][3, 0] == pytest.approx(B[[0, 1, 5], 0].mean())
    assert found.y.tolist() == [0, 1, 0, 1, 0, 1]
    assert any("1 single gaps in the view second" in note for note in found.notes)
    assert "second         3   2 of 6" in "\n".join(describe(found))


def test_tables_without_names_and_labels_of_their_own(tmp_path):
    np.savetxt(tmp_path / "a.txt", A)
    np.savetxt(tmp_path / "b.csv", B, delimiter=",")
    np.savetxt(tmp_path / "labels.txt", Y, fmt="%d")
    check(find_views(tmp_path), ("a", "b"))


@pytest.mark.parametrize(
    "text", ["cat\ncat\ndog\ndog\neel\neel\n", "label\ncat\ncat\ndog\ndog\neel\neel\n"]
)
def test_labels_may_be_words(tmp_path, text):
    np.savetxt(tmp_path / "a.csv", A, delimiter=",")
    (tmp_path / "labels.csv").write_text(text)
    found = find_views(tmp_path)
    assert found.label_names == ["cat", "dog", "eel"]
    assert found.y.tolist() == [0, 0, 1, 1, 2, 2]


def test_arrays_without_labels(tmp_path):
    missing = A.copy()
    missing[1] = np.nan
    np.savez(tmp_path / "mine.npz", one=missing, two=B)
    found = find_views(tmp_path)
    assert found.y is None
    assert found.presence[:, 0].tolist() == [True, False, True, True, True, True]
    assert "6 samples, no labels" in "\n".join(describe(found))


def test_presence_comes_before_the_views(tmp_path):
    there = np.array([[1, 1], [1, 0], [0, 1], [1, 1], [1, 1], [1, 1]])
    np.savez(tmp_path / "mine.npz", Presence=there, one=A, two=B)
    found = find_views(tmp_path)
    assert found.view_names == ["one", "two"]
    assert found.presence.tolist() == there.astype(bool).tolist()
    assert np.isnan(found.Xs[1][1]).all()


def test_a_sample_in_no_view_is_left_out(tmp_path):
    missing, also = A.copy(), B.copy()
    missing[1] = also[1] = np.nan
    np.savez(tmp_path / "mine.npz", one=missing, two=also, y=Y)
    found = find_views(tmp_path)
    assert found.presence.shape == (5, 2)
    assert found.y.tolist() == [1, 0, 0, 2, 2]
    assert "left out, as they are in no view: 1 of 6 samples" in found.notes


@pytest.mark.parametrize(
    ("write", "said"),
    [
        (lambda p: None, "no file to read; looked for one file with all views"),
        (lambda p: np.savez(p / "a.npz", y=Y), "no views found; looked for"),
        (lambda p: np.savez(p / "a.npz", u=A, v=B[:5]), "no common number of samples"),
        (lambda p: np.savez(p / "a.npz", u=A, y=Y[:5]), r"5 labels .* shapes u \(6 x 4\)"),
        (lambda p: np.savez(p / "a.npz", u=np.array([{}, 1], dtype=object)), "Python objects"),
        (
            lambda p: [np.savez(p / f"{n}.npz", u=A, v=B) for n in "ab"],
            "2 files may hold the views",
        ),
        (lambda p: (p / "a.csv").write_text("1,2\n3\n"), r"a.csv:2: 1 columns, expected 2"),
        (lambda p: (p / "a.csv").write_text(""), "the file is empty"),
        (lambda p: (p / "a.csv").write_text("a,b\n"), "no row below the names|no views found"),
    ],
)
def test_what_cannot_be_understood_gets_a_sentence(tmp_path, write, said):
    write(tmp_path)
    with pytest.raises(NotUnderstood, match=said):
        find_views(tmp_path)


def test_a_file_of_another_kind_and_one_that_is_not_there(tmp_path):
    (tmp_path / "a.doc").write_text("x")
    with pytest.raises(NotUnderstood, match=r"unknown ending '\.doc'"):
        find_views(tmp_path / "a.doc")
    with pytest.raises(NotUnderstood, match="there is no such file or folder"):
        find_views(tmp_path / "b")
