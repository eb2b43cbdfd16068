"""load_dataset: from a name to the data, once fetched and prepared."""

import numpy as np
import pytest

from mvclust import datasets
from mvclust.datasets.files import sha256_of
from mvclust.datasets.readers.handwritten import VIEWS


def files_in(folder):
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


def test_first_and_second_time(mirror, tmp_path, capsys):
    """Another version needs the raw files only, the same one not even these."""
    first = datasets.load_dataset("buaa", mirror=mirror, cache=tmp_path)
    assert files_in(tmp_path) == ["buaa.h5", "buaaFolds.mat", "buaaRnSp.mat", "source.json"]
    assert first.n_samples == 90
    assert datasets.load_dataset("buaa", subset=1350, cache=tmp_path).n_samples == 1350
    assert files_in(tmp_path / "datasets") == ["buaa-1350.h5", "buaa.h5"]
    for path in (tmp_path / "raw" / "buaa").iterdir():
        path.unlink()
    written = (tmp_path / "datasets" / "buaa.h5").stat().st_mtime_ns
    second = datasets.load_dataset("buaa", ["view2"], cache=tmp_path)
    assert (tmp_path / "datasets" / "buaa.h5").stat().st_mtime_ns == written
    assert second.view_names == ["view2"]
    assert np.array_equal(second.Xs[0], first.Xs[1])
    assert second.source == first.source == "mirror folder"
    assert capsys.readouterr().out == ""
    # A mirror that does not exist is an error also when nothing is needed from it.
    nowhere = {"mirror": tmp_path / "nowhere", "cache": tmp_path}
    with pytest.raises(datasets.BadMirror, match="does not exist"):
        datasets.load_dataset("buaa", **nowhere)
    datasets.load_dataset("buaa", **nowhere, bad_mirror="warn")
    assert "warning: The mirror folder" in capsys.readouterr().err


def test_damaged_files_are_made_anew_and_a_raw_one_is_named_and_not_read(mirror, tmp_path):
    datasets.load_dataset("buaa", mirror=mirror, cache=tmp_path)
    path, raw = tmp_path / "datasets" / "buaa.h5", tmp_path / "raw" / "buaa" / "buaaRnSp.mat"
    before = sha256_of(path)
    path.write_bytes(path.read_bytes()[:9000])
    assert datasets.load_dataset("buaa", cache=tmp_path).n_samples == 90
    assert sha256_of(path) == before
    content = bytearray(raw.read_bytes())
    content[5000] ^= 1
    raw.write_bytes(content)
    with pytest.raises(datasets.DataNotAvailable, match=r"in place: buaaRnSp.mat: wrong content"):
        datasets.prepare_dataset("buaa", raw.parent, tmp_path / "new.h5")
    datasets.load_dataset("buaa", subset="1350", mirror=mirror, cache=tmp_path)
    assert sha256_of(raw) == sha256_of(mirror / "buaa" / "buaaRnSp.mat")


def test_rounded_data_are_prepared_anew_from_a_mirror(mirror, tmp_path, monkeypatch):
    """A cache has handwritten from rounded files, and the catalogue knows these files."""
    raw = tmp_path / "cache" / "raw" / "handwritten"
    raw.mkdir(parents=True)
    catalogue = datasets.load_catalogue()
    files, sources = {}, catalogue["handwritten"]["sources"]
    for view in VIEWS:
        X = np.loadtxt(mirror / "handwritten" / f"mfeat-{view}")
        path = raw / f"mfeat-{view}"
        np.savetxt(path, X, fmt="%.3g")
        size = path.stat().st_size
        files[path.name] = {"sha256": sha256_of(path), "bytes": size, "note": "values rounded"}
    sources[:] = *sources[1:], {"kind": "url", "addresses": {}, "files": files}
    monkeypatch.setattr(datasets.loading, "load_catalogue", lambda: catalogue)
    rounded = tmp_path / "cache"
    data = datasets.load_dataset("handwritten", cache=rounded)
    assert data.source == "files already in place (values rounded)"
    assert data.file_set == 1
    prepared = rounded / "datasets" / "handwritten.h5"
    before = prepared.stat().st_mtime_ns
    assert datasets.load_dataset("handwritten", mirror=tmp_path, cache=rounded).file_set == 1
    assert prepared.stat().st_mtime_ns == before  # a mirror that has nothing better
    data = datasets.load_dataset("handwritten", mirror=mirror, cache=rounded)
    assert data.source == "mirror folder"
    assert data.file_set == 0
    assert np.array_equal(data.Xs[0], np.loadtxt(mirror / "handwritten" / "mfeat-fou"))
    assert datasets.load_dataset("handwritten", cache=rounded).source == "mirror folder"


def test_settings_from_the_environment_and_the_user_cache_by_default(mirror, tmp_path, monkeypatch):
    monkeypatch.setenv("MVCLUST_MIRROR", str(mirror))
    monkeypatch.setattr("platformdirs.user_cache_dir", lambda name: str(tmp_path / name))
    datasets.load_dataset("buaa")
    assert (tmp_path / "mvclust" / "datasets" / "buaa.h5").exists()
    monkeypatch.setenv("MVCLUST_CACHE", str(tmp_path / "cache"))
    datasets.load_dataset("buaa")
    assert "buaa.h5" in files_in(tmp_path / "cache")
