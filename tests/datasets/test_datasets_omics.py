"""Molecular data: sizes, classes and really missing views, from the mirror; parts are joined."""

import numpy as np
import pytest

from mvclust.datasets import fetch_dataset, load_catalogue, prepare_dataset
from mvclust.datasets.readers.omics import Measured, joined

# Present samples of each view, complete samples, sizes of the classes (-1 first).
FACTS = {
    "breast-tcga": ([220, 220, 150], 150, [0, 66, 44, 110]),
    "miniacc": ([79, 90, 46, 90, 80], 43, [92]),
    "kirc": ([124] * 3, 124, [124]),
    "brca": ([348] * 3, 348, [0, 82, 93, 173]),
    "rosmap": ([351] * 3, 351, [0, 169, 182]),
}


@pytest.mark.parametrize("name", FACTS)
def test_sizes_and_gaps(name, mirror, tmp_path):
    catalogue = load_catalogue()
    folder = mirror / catalogue[name]["sources"][0]["folder"]
    if not all((folder / file).exists() for file in catalogue[name]["files"]):
        pytest.skip(f"the mirror does not have {name}")
    for package in catalogue[name].get("needs", []):
        pytest.importorskip(package, reason=f"{package} is not installed")
    assert fetch_dataset(name, tmp_path / "raw", mirror) == "mirror folder"
    data = prepare_dataset(name, tmp_path / "raw", tmp_path / "data.h5")
    present, complete, sizes = FACTS[name]
    assert data.presence.sum(axis=0).tolist() == present
    assert data.presence.all(axis=1).sum() == complete
    assert np.bincount(data.y + 1).tolist() == sizes
    for X, there in zip(data.Xs, data.presence.T, strict=True):
        assert np.isfinite(X[there]).all()
        assert np.isnan(X[~there]).all()
    incomplete = (catalogue[name]["subsets"]["all"] or {}).get("incomplete", False)
    assert incomplete == (not data.presence.all())


def test_views_are_joined_by_the_names_of_the_samples():
    views = {
        "a": Measured(np.array([[1.0], [2.0]]), ["s2", "s0"]),
        "b": Measured(np.array([[3.0, 4.0]]), ["s1"]),
    }
    Xs, names, y, label_names, presence = joined(views, ["s0", "s1", "s2"], [0, 0, 1], ["x", "y"])
    assert names == ["a", "b"]
    np.testing.assert_equal(Xs[0], [[2], [np.nan], [1]])
    np.testing.assert_equal(Xs[1], [[np.nan] * 2, [3, 4], [np.nan] * 2])
    assert presence.tolist() == [[True, False], [False, True], [True, False]]
    assert (y, label_names) == ([0, 0, 1], ["x", "y"])
