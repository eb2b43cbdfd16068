"""Masks follow from seeds, leave every sample a view, and say when their file is damaged."""

from dataclasses import replace

import numpy as np
import pytest
from pipeline.blobs import SETTING, make_dataset, prepare

from mvclust.datasets.files import DamagedFile
from mvclust.datasets.published_masks import published_masks
from mvclust.pipeline.fit.masks import draw_masks, no_masks, read_masks, write_masks
from mvclust.pipeline.plan.settings import Setting


def test_samples_per_class_is_a_seeded_choice():
    dataset = make_dataset()
    masks = draw_masks(dataset, SETTING, 2, 0, samples_per_class=4)
    assert np.bincount(dataset.y[masks["rows"]]).tolist() == [4, 4, 4]
    assert masks["n_declared"] == 45
    assert masks["presence"].shape == (2, 12, 3)
    again = draw_masks(dataset, SETTING, 3, 0, samples_per_class=4)
    assert (again["presence"][:2] == masks["presence"]).all()  # more masks keep the first ones
    assert (masks["presence"][0] != masks["presence"][1]).any()


def test_natural_missingness_stays_and_samples_without_a_view_leave():
    presence = np.ones((45, 3), bool)
    presence[3] = [True, False, False]
    presence[7] = [False, False, True]
    dataset = replace(make_dataset(), presence=presence)
    masks = draw_masks(dataset, Setting("blobs", ("a", "b"), "natural"), 2, 0)
    assert 7 not in masks["rows"]
    assert (masks["presence"][1] == presence[masks["rows"]][:, :2]).all()


@pytest.mark.parametrize(
    ("protocol", "rate"), [("random", 0.3), ("incomplete", 0.5), ("paired", 0.2)]
)
@pytest.mark.parametrize("seed", range(5))
def test_on_naturally_incomplete_data_every_sample_keeps_a_view(protocol, rate, seed):
    presence = np.ones((45, 3), bool)
    presence[:12, 0] = False
    presence[12:20, 1] = False
    dataset = replace(make_dataset(), presence=presence)
    masks = draw_masks(dataset, Setting("blobs", ("a", "b"), protocol, rate), 3, seed)
    assert masks["presence"].any(axis=2).all()
    assert not (masks["presence"] & ~presence[masks["rows"]][:, :2]).any()


def test_published_masks_are_those_of_the_authors(mirror):
    dataset = replace(make_dataset(), name="3sources", y=np.zeros(169, int))
    dataset = replace(dataset, presence=np.ones((169, 3), bool))
    setting = Setting("3sources", ("a", "b", "c"), "published", 0.3)
    given = published_masks("3sources", 0.3, mirror / "3sources")
    masks = draw_masks(dataset, setting, 2, 0, published=given)
    assert ((~masks["presence"]).sum(axis=1) == 50).all()
    with pytest.raises(ValueError, match="has 10 published masks, 11 are asked for"):
        draw_masks(dataset, setting, 11, 0, published=given)


def test_masks_of_several_settings_share_a_file(tmp_path):
    settings = [SETTING, Setting("blobs", ("a", "b"), "unmapped")]
    masks = {s.id: draw_masks(make_dataset(), s, 2, 0) for s in settings}
    masks["none"] = no_masks(SETTING, 2)
    write_masks(masks, tmp_path / "blobs.npz")
    for name, expected in masks.items():
        read = read_masks(tmp_path / "blobs.npz", name)
        assert read.keys() == expected.keys()
        for key in expected:
            assert np.array_equal(read[key], expected[key]), key
    with pytest.raises(DamagedFile, match="lacks the setting other"):
        read_masks(tmp_path / "blobs.npz", "other")


@pytest.mark.parametrize("share", [0, 0.3, 0.9])
def test_a_cut_file_is_named(tmp_path, share):
    path = prepare(tmp_path) / "blobs.npz"
    content = path.read_bytes()
    path.write_bytes(content[: int(share * len(content))])
    with pytest.raises(DamagedFile, match=r"blobs\.npz is damaged"):
        read_masks(path, SETTING.id)
