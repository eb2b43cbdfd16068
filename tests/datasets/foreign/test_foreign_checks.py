"""Degenerate data are said; what no method can use is refused."""

import numpy as np
import pytest
from foreign_files import A, B, N, Y, understood
from scipy import sparse

from mvclust.datasets.foreign import NotUnderstood, describe, find_views


def told(folder, **content):
    np.savez(folder / "a.npz", **content)
    return "\n".join(describe(find_views(folder)))


@pytest.mark.parametrize("value", [np.inf, -np.inf])
def test_infinite_values_are_refused(tmp_path, value):
    X = A.copy()
    X[3, 2] = value
    with pytest.raises(NotUnderstood, match=r"a holds 1 infinite value \(inf\)"):
        told(tmp_path, a=X, b=B)


def test_duplicates_and_too_few_samples(tmp_path):
    which = np.arange(N) % 2
    text = told(tmp_path, a=A[which], b=B[which], y=Y)
    assert "28 of 30 samples repeat others in all views: 2 distinct samples" in text
    assert "fewer distinct samples (2) than classes (3)" in text


def test_one_class_is_no_label(tmp_path):
    assert "y has one class only (7): taken as no labels" in told(
        tmp_path, a=A, b=B, y=np.full(N, 7)
    )


def test_nothing_relates_the_views(tmp_path):
    a, b = A.copy(), B.copy()
    a[::2], b[1::2] = np.nan, np.nan
    assert "nothing relates these views" in told(tmp_path, a=a, b=b, y=Y)


def test_rows_of_zeros_and_constant_features(tmp_path):
    a = A.copy()
    a[4:9] = 0
    a[:, 1] = 0
    text = told(tmp_path, a=a, b=B, same=np.ones((N, 3)), y=Y)
    assert "5 of 30 rows of a are zero throughout; if these instances are missing" in text
    assert "1 of 5 features of a are the same in all samples" in text
    assert "same is the same in all samples: it tells nothing" in text


def test_a_feature_without_a_value_is_left_out(tmp_path):
    a = A.copy()
    a[:, 2] = np.nan
    np.savez(tmp_path / "a.npz", a=a, b=B, y=Y)
    understood(tmp_path, [4, 4], classes=3)


def test_classes_of_one_sample_are_told(tmp_path):
    y = Y.copy()
    y[0] = 9
    assert "1 classes have one sample only" in told(tmp_path, a=A, b=B, y=y)


def test_samples_in_no_view_are_left_out(tmp_path):
    a, b = A.copy(), B.copy()
    a[3] = b[3] = np.nan
    np.savez(tmp_path / "a.npz", a=a, b=b, y=Y, names=np.array([f"n{n * n}" for n in range(N)]))
    found = understood(tmp_path, [5, 4], n=N - 1, classes=3)
    assert "n9" not in found.ids


def test_sparse_views_are_checked_as_dense_ones(tmp_path):
    import scipy.io

    X = np.round(np.abs(A))
    X[2] = 0
    scipy.io.savemat(tmp_path / "a.mat", {"u": sparse.csc_array(X), "v": B, "y": Y})
    found = understood(tmp_path, [5, 4], classes=3)
    assert any("1 of 30 rows of u are zero throughout" in note for note in found.notes)
