"""Drawn data: what their parameters promise."""

import numpy as np
import pytest

from mvclust import ConcatKMeans
from mvclust.datasets import make_multiview
from mvclust.metrics import accuracy


def centres_of(X, y):
    return np.stack([np.nanmean(X[y == j], axis=0) for j in np.unique(y)])


def test_noise_is_as_asked():
    Xs, y = make_multiview(
        20_000, n_clusters=8, n_features=(10, 200), noise=(0.5, 2.0), random_state=0
    )
    assert [X.shape for X in Xs] == [(20_000, 10), (20_000, 200)]
    assert np.bincount(y).min() > 2000
    for X, sd in zip(Xs, (0.5, 2.0), strict=True):
        C = centres_of(X, y)
        assert (X - C[y]).std() == pytest.approx(sd, rel=0.01)


def test_clusters_that_overlap_in_one_view_are_told_apart_by_all():
    Xs, y = make_multiview(
        2000, n_clusters=6, n_features=(50, 50, 50), noise=0.5, overlap=0.5, random_state=3
    )
    for X in Xs:
        C = centres_of(X, y)
        apart = np.linalg.norm(C[:, None] - C, axis=2)[np.triu_indices(6, 1)]
        assert 3 <= (apart < 1).sum() <= 6  # three clusters share a centre with another
    alone = [accuracy(y, ConcatKMeans(6, random_state=0).fit_predict([X])) for X in Xs]
    assert max(alone) < 0.85
    assert accuracy(y, ConcatKMeans(6, random_state=0).fit_predict(Xs)) > 0.95


def test_missing_instances_are_rows_of_nan_and_the_same_seed_gives_the_same_data():
    Xs, _ = make_multiview(100, n_features=(3, 4, 5), missing=0.4, random_state=0)
    absent = np.column_stack([np.isnan(X).any(axis=1) for X in Xs])
    assert absent.any(axis=1).sum() == 40
    assert not absent.all(axis=1).any()
    for X, lost in zip(Xs, absent.T, strict=True):
        assert np.isnan(X[lost]).all()
    one, two = (make_multiview(50, missing=0.2, random_state=7) for _ in range(2))
    for X, Y in zip(one[0], two[0], strict=True):
        np.testing.assert_array_equal(X, Y)
    np.testing.assert_array_equal(one[1], two[1])
    assert (make_multiview(50, random_state=8)[1] != one[1]).any()
    single, _ = make_multiview(50, dtype=np.float32, random_state=7)
    assert {X.dtype for X in single} == {np.dtype(np.float32)}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"n_samples": 0}, "n_samples=0, expected a whole number from 1"),
        ({"n_clusters": 2.5}, "n_clusters=2.5, expected a whole number from 1"),
        ({"n_features": (3, -1)}, r"n_features\[1\]=-1"),
        ({"n_features": ()}, "n_features is empty"),
        ({"overlap": 1}, "overlap=1 of 3 clusters"),
        ({"overlap": 0.9}, "overlap=0.9 of 3 clusters"),
        ({"missing": 2}, "missing=2 with 2 views"),
        ({"missing": 0.5, "n_features": 4}, "missing=0.5 with 1 views"),
        ({"noise": -1}, "noise=-1, expected a number from 0"),
        ({"noise": (1, 2, 3)}, "for each of the 2 views"),
    ],
)
def test_wrong_arguments_are_named(wrong, message):
    with pytest.raises(ValueError, match=message):
        make_multiview(**wrong)


@pytest.mark.parametrize("d", [1, 2, 30])
def test_the_root_mean_squared_distance_of_two_centres_is_4(d):
    squared = []
    for seed in range(2000):
        (X,), y = make_multiview(2, n_clusters=2, n_features=[d], noise=0, random_state=seed)
        if y[0] != y[1]:
            squared.append(np.sum((X[0] - X[1]) ** 2))
    error = np.std(squared) / np.sqrt(len(squared))
    assert np.mean(squared) == pytest.approx(16, abs=4 * error)
    assert error < 1
