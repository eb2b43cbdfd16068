"""The record and its HDF5 file: nothing lost, same bytes each time, whole or not there."""

import time
from dataclasses import replace

import h5py
import numpy as np
import pytest
import scipy.sparse
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from mvclust.datasets import DamagedFile, Dataset, content_digest, read_dataset, write_dataset


@pytest.fixture
def data():
    """Dense, counted and sparse views, with instances missing in the first and the last."""
    rng = np.random.default_rng(0)
    real = rng.normal(size=(7, 3))
    real[2] = np.nan
    counts = rng.integers(0, 300, size=(7, 4)).astype(float)
    sparse = scipy.sparse.csr_array(np.diag([1.0, 0, 2, 0.5, 70000, 0, 0])[:, :5])
    presence = np.ones((7, 3), dtype=bool)
    presence[2, 0] = presence[1, 2] = False
    return Dataset(
        name="made",
        Xs=[real, counts, sparse],
        view_names=["real", "counts", "words"],
        y=np.array([0, 1, 2, 0, 1, 2, 0]),
        label_names=["one", "zwölf", "三"],
        presence=presence,
        source="mirror folder",
        sha256="ab" * 32,
        file_set=1,
    )


def test_round_trip(data, tmp_path):
    write_dataset(data, tmp_path / "made.h5")
    again = read_dataset(tmp_path / "made.h5")
    for key in ("name", "view_names", "label_names", "source", "sha256", "file_set"):
        assert getattr(again, key) == getattr(data, key)
    assert content_digest(again) == content_digest(data)
    assert (again.y.dtype, again.presence.dtype) == (np.int64, bool)
    assert np.isnan(again.Xs[0][2]).all()
    assert isinstance(again.Xs[2], scipy.sparse.csr_array)
    assert again.Xs[2].nnz == 4
    assert {X.dtype for X in again.Xs} == {np.dtype(float)}
    # Names of samples and features are kept.
    features = [["a", "b", "c"], None, list("vwxyz")]
    named = replace(data, ids=[f"Ü{n}" for n in range(7)], feature_names=features)
    write_dataset(named, tmp_path / "named.h5")
    again = read_dataset(tmp_path / "named.h5")
    assert (again.ids, again.feature_names) == (named.ids, features)
    chosen = read_dataset(tmp_path / "named.h5", views=["words", "real"])
    assert chosen.feature_names == [features[2], features[0]]
    assert again.select(["words"]).feature_names == [features[2]]
    assert content_digest(again) == content_digest(data)
    write_dataset(data, tmp_path / "made.h5")
    assert read_dataset(tmp_path / "made.h5").ids is None


VALUES = [[0, 0], [0, 255], [0, 256], [-1, 1], [-32769, 0], [0, 2**31], [0, 2.0**60], [0.5, 1]]
VALUES += [[np.nan, 1], [np.inf, 0]]


@pytest.mark.parametrize("values", VALUES)
def test_no_number_changes(values, data, tmp_path):
    """Whole numbers are kept in small types; what does not fit stays as it is."""
    X = np.array(values, dtype=float).reshape(1, 2).repeat(7, axis=0)
    sparse = scipy.sparse.csr_array(X)
    write_dataset(replace(data, Xs=[X, X, sparse]), tmp_path / "made.h5")
    again = read_dataset(tmp_path / "made.h5")
    assert np.array_equal(again.Xs[0], X, equal_nan=True)
    assert np.array_equal(again.Xs[2].toarray(), X, equal_nan=True)


def test_counts_take_little_room_and_bytes_are_the_same(data, tmp_path):
    write_dataset(data, tmp_path / "a.h5")
    with h5py.File(tmp_path / "a.h5") as file:
        assert file["view_1/dense"].dtype == np.int16
        assert "dense" not in file["view_2"]
    time.sleep(1.1)  # HDF5 counts time in seconds
    write_dataset(data, tmp_path / "b.h5")
    assert (tmp_path / "a.h5").read_bytes() == (tmp_path / "b.h5").read_bytes()


def test_only_the_chosen_views_are_read(data, tmp_path, monkeypatch):
    write_dataset(data, tmp_path / "made.h5")
    for chosen in (
        read_dataset(tmp_path / "made.h5", ["words", "real"]),
        read_dataset(tmp_path / "made.h5").select(["words", "real"]),
    ):
        assert chosen.view_names == ["words", "real"]
        assert chosen.n_views == 2
        assert chosen.n_samples == 7
        assert np.array_equal(chosen.presence, data.presence[:, [2, 0]])
        assert np.array_equal(chosen.Xs[1], data.Xs[0], equal_nan=True)
    assert read_dataset(tmp_path / "made.h5", "real").view_names == ["real"]
    assert data.select().view_names == data.view_names
    expected = r"Unknown view of the data set made 'word'. Did you mean 'words'\? Known: real, co"
    with pytest.raises(ValueError, match=expected):
        data.select(["word"])
    with pytest.raises(ValueError, match=expected):
        read_dataset(tmp_path / "made.h5", ["real", "word"])
    asked, get = [], h5py.Group.__getitem__
    monkeypatch.setattr(
        h5py.Group, "__getitem__", lambda group, name: asked.append(name) or get(group, name)
    )
    assert read_dataset(tmp_path / "made.h5", ["counts", "words"]).n_views == 2
    assert {name for name in asked if name.startswith("view")} == {"view_1", "view_2"}


def test_files_that_are_missing_old_or_half_written(data, tmp_path, monkeypatch):
    with pytest.raises(OSError):
        write_dataset(data, tmp_path / "nowhere" / "made.h5")
    with pytest.raises(FileNotFoundError, match=r"There is no data set file .*made\.h5"):
        read_dataset(tmp_path / "made.h5")
    with monkeypatch.context() as before:
        before.setattr("mvclust.datasets.record.FORMAT", 0)
        write_dataset(data, tmp_path / "made.h5")
    with pytest.raises(ValueError, match="prepare it anew"):
        read_dataset(tmp_path / "made.h5")
    # A write that fails leaves the old file as it was, and nothing beside it.
    write_dataset(data, tmp_path / "made.h5")
    before = (tmp_path / "made.h5").read_bytes()
    with pytest.raises(AttributeError):
        write_dataset(replace(data, Xs=[data.Xs[0], data.Xs[1], None]), tmp_path / "made.h5")
    assert (tmp_path / "made.h5").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["made.h5"]


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(where=st.floats(0, 1), inside=st.binary(max_size=40), left_out=st.integers(0, 40))
def test_damaged_content(where, inside, left_out, data, tmp_path):
    """Whatever is changed is noticed, be it values, names or what HDF5 itself writes."""
    path = tmp_path / "made.h5"
    write_dataset(data, path)
    content = path.read_bytes()
    place = int(where * len(content))
    changed = content[:place] + inside + content[place + left_out :]
    assume(changed != content)
    path.write_bytes(changed)
    with pytest.raises(DamagedFile, match="is damaged"):
        read_dataset(path)


def test_digest_does_not_depend_on_source_or_storage(data, tmp_path):
    expected = content_digest(data)
    write_dataset(data, tmp_path / "made.h5")
    assert content_digest(read_dataset(tmp_path / "made.h5")) == expected
    other = replace(data, name="b", source="PyPI", sha256="0", file_set=0, view_names=list("abc"))
    assert content_digest(other) == expected
    real, counts, words = data.Xs
    stored = scipy.sparse.csr_array(
        # Explicit zeros, a value in two parts, columns out of order.
        ([0.0, 1.0, 2.0, 0.25, 0.25, 70000.0], [3, 0, 2, 3, 3, 4], [0, 2, 2, 3, 5, 6, 6, 6]),
        shape=(7, 5),
    )
    assert np.array_equal(stored.toarray(), words.toarray())
    nan = np.full((7, 3), -np.nan)  # other bits
    for Xs in (
        [real, scipy.sparse.csr_array(counts), words.toarray()],
        [np.where(np.isnan(real), nan, real), np.where(counts == 0, -0.0, counts), words],
        [np.asfortranarray(real), counts.astype(np.int32), stored],
        [np.where(np.isnan(real), 5.0, real), counts, words],  # the row is absent
    ):
        assert content_digest(replace(data, Xs=Xs)) == expected
    assert stored.nnz == 6  # the views themselves are left as they are


def test_digest_changes_with_the_content(data):
    real, counts, words = data.Xs
    value = real.copy()
    value[0, 0] = np.nextafter(value[0, 0], 9)
    moved = words[[0, 1, 3, 2, 4, 5, 6]]
    label, presence = data.y.copy(), data.presence.copy()
    label[3], presence[6, 1] = 2, False
    others = [
        replace(data, Xs=[value, counts, words]),
        replace(data, Xs=[real, counts, moved]),
        replace(data, Xs=[real, counts, words[:, :4]]),
        replace(data, Xs=[counts[:, :3], counts, words]),
        replace(data, y=label),
        replace(data, presence=presence),
        data.select(["counts", "real", "words"]),
        data.select(["real", "counts"]),
    ]
    digests = [content_digest(other) for other in [data, *others]]
    assert len(set(digests)) == len(digests)
