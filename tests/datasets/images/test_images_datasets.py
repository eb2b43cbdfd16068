"""Data sets that are made of images: from packed images to views, and back to a feature file."""

import hashlib

import numpy as np
import pytest
from datasets.images.test_images_views import made_up

from mvclust.datasets import fetch_dataset, load_catalogue, prepare_dataset
from mvclust.datasets.images.compare import compare_with_images, feature_agreement
from mvclust.datasets.images.extract import VIEWS, six_views
from mvclust.datasets.images.flowers import colour_histogram, flower_views, texture
from mvclust.datasets.images.packing import image_names, pack
from mvclust.datasets.readers import caltech101, flowers17_images


def test_classes_are_the_folders_in_ascii_order(tmp_path):
    files = made_up(3)
    names = ["Faces/image_0001.jpg", "Faces/image_0002.jpg", "brain/image_0001.jpg"]
    assert image_names({"brain": {"n": 1}, "Faces": {"n": 2}}) == names
    path = tmp_path / "images.tar"
    pack(zip(names, files, strict=True), path)
    Xs, view_names, y, label_names, presence = caltech101.read({path.name: path}, "all")
    assert view_names == list(VIEWS)
    assert label_names == ["Faces", "brain"]
    assert y.tolist() == [0, 0, 1]
    assert presence.all()
    assert all(map(np.array_equal, Xs, six_views(files)))


def test_a_small_class_of_the_mirror(mirror, tmp_path):
    """The whole way from the mirror: images checked, packed, decoded, described."""
    source = load_catalogue()["caltech101-7"]["sources"][1]
    if not (mirror / source["folder"]).is_dir():
        pytest.skip("the mirror has no images of Caltech101")
    pytest.importorskip("PIL", reason="Pillow is not installed")
    images = {"garfield": source["images"]["garfield"]}
    contents = [(n, (mirror / source["folder"] / n).read_bytes()) for n in image_names(images)]
    pack(contents, tmp_path / "images.tar")
    content = (tmp_path / "images.tar").read_bytes()
    packed = {"sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}
    entry = load_catalogue()["caltech101-7"] | {"n_samples": 34, "classes": {"garfield": 34}}
    files = {"images.tar": packed | {"note": "rebuilt features"}}
    entry |= {"files": files, "sources": [source | {"images": images, "files": files}]}
    assert "rebuilt features" in fetch_dataset("one", tmp_path / "raw", mirror, {"one": entry})
    data = prepare_dataset("one", tmp_path / "raw", tmp_path / "one.h5", None, {"one": entry})
    assert [X.shape for X in data.Xs] == [(34, view["dimension"]) for view in entry["views"]]
    assert (data.label_names, set(data.y)) == (["garfield"], {0})
    assert all(np.isfinite(X).all() for X in data.Xs)


def test_a_feature_file_is_compared_with_its_images(tmp_path):
    files = made_up(8)
    paths = [tmp_path / f"{i}.png" for i in range(8)]
    for path, content in zip(paths, files, strict=True):
        path.write_bytes(content)
    Xs = six_views(files)
    for agreement in compare_with_images(Xs, paths, 4):
        assert agreement.equal == 1
        assert agreement.correlation == pytest.approx(1)
    stretched = [3 * X + 1 for X in Xs]
    for agreement in compare_with_images(stretched, paths):
        assert agreement.worst == pytest.approx(1)
        assert agreement.scale == pytest.approx(3)
        assert agreement.equal < 0.01
    other = compare_with_images([X[::-1] for X in Xs], paths)
    assert all(agreement.correlation < 0.9 for agreement in other)
    with pytest.raises(ValueError, match="There are 7 images, but 8 samples"):
        compare_with_images(Xs, paths[1:])
    with pytest.raises(ValueError, match="have shapes"):
        feature_agreement(Xs[0], Xs[1])
    with pytest.raises(ValueError, match="No feature varies"):
        feature_agreement(np.ones((3, 2)), np.ones((3, 2)))


def test_colour_and_texture_have_the_values_computed_by_hand():
    hsv = np.zeros((2, 2, 3))
    hsv[0, 0] = 255, 128, 63
    histogram = colour_histogram(hsv)
    assert histogram.nonzero()[0].tolist() == [0, (4 * 15 + 2) * 4 + 0]
    assert (histogram**2).sum() == pytest.approx(1)
    # Texture has two scales.
    stripes = np.where(np.arange(256) % 2, 255.0, 0.0) * np.ones((256, 1))
    large, small = texture(stripes).reshape(2, 58, 4)
    np.testing.assert_allclose((large**2).sum(axis=0), 1)
    np.testing.assert_allclose((small**2).sum(axis=0), 1)
    assert large[56].max() < 0.8 < small[56, 0]  # the reduction has no stripes


def test_flowers_are_described_by_three_views(tmp_path):
    files = made_up(8)
    first, second = flower_views(files), flower_views(files)
    assert [X.shape for X in first] == [(8, 256), (8, 300), (8, 464)]
    assert all(a.tobytes() == b.tobytes() for a, b in zip(first, second, strict=True))
    np.testing.assert_allclose((first[1] ** 2).sum(axis=1), 1)
    path = tmp_path / "flowers.tar"
    pack(((f"image_000{i}.jpg", content) for i, content in enumerate(files)), path)
    Xs, names, y, _, _ = flowers17_images.read({path.name: path}, "all")
    assert names == ["colour", "shape", "texture"]
    assert set(y) == {0}
    assert all(map(np.array_equal, Xs, first))
