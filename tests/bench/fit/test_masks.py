"""Masks follow from seeds, leave every sample a view, and say when their file is damaged."""

from dataclasses import replace

import numpy as np
import pytest
from bench.blobs import SETTING, make_dataset

from mvclust.bench.config.protocols import BASE_OF, rate_key
from mvclust.bench.fit.masks import draw_masks, no_masks, read_masks, write_masks
from mvclust.bench.plan.seeds import seed_of_setting
from mvclust.bench.plan.settings import Fit, Setting
from mvclust.datasets.files import DamagedFile
from mvclust.datasets.published_masks import published_masks

# Digests of masks, drawn before there were protocols with a strength.
DRAWN_BEFORE = {
    ("complete", 0.0): "5ca279621133a74f",
    ("natural", 0.0): "5ca279621133a74f",
    ("random", 0.3): "1b9c5bb16fc5074d",
    ("incomplete", 0.5): "4fac4c52f39a87e5",
    ("paired", 0.2): "aaf6ce1e21eb23bc",
    ("mapped", 0.5): "5ca279621133a74f",
    ("unmapped", 0.0): "73ae634e850ebe7a",
}


def incomplete_dataset():
    """Some samples lack a view in the data themselves."""
    presence = np.ones((45, 3), bool)
    presence[:6, 0] = False
    presence[6:10, 1] = False
    return replace(make_dataset(), presence=presence)


@pytest.mark.parametrize(("protocol", "rate"), DRAWN_BEFORE)
def test_masks_without_a_strength_never_change(protocol, rate):
    setting = Setting("blobs", ("a", "b"), protocol, rate)
    masks = draw_masks(incomplete_dataset(), setting, 3, 7)
    assert masks["digest"] == DRAWN_BEFORE[protocol, rate]
    assert masks.keys() - {"order"} == {"rows", "n_declared", "presence", "digest"}


def test_names_and_seeds_without_a_strength_never_change():
    setting = Setting("blobs", ("a", "b"), "random", 0.3)
    assert setting.id == "blobs.a+b.random-0.3"
    assert setting.masks == "blobs/random-0.3"
    assert "strength" not in setting.record
    assert "strength" not in setting.columns
    assert seed_of_setting(0, setting, 1, "mask") == 3065863580
    assert Fit(setting, 1, "DAIMC", {"alpha": 0.1}).key == "f4054c3b75fa09cd5798"


@pytest.mark.parametrize("protocol", BASE_OF)
def test_strengths_differ_in_who_lacks_what_alone(protocol):
    rate = 0.6 if protocol == "exclusive" else 0.3
    settings = [
        Setting("blobs", ("c", "a", "b"), *of)
        for of in ((BASE_OF[protocol], rate), *((protocol, rate, 0, "", s) for s in (0.5, 1)))
    ]
    drawn = [draw_masks(make_dataset(), setting, 3, 0) for setting in settings]
    base, half, full = (masks["presence"] for masks in drawn)
    for masks in (half, full):
        for one, other in zip(base, masks, strict=True):
            assert sorted(map(tuple, one)) == sorted(map(tuple, other))
        assert (masks != base).any()
    assert np.nanmean(drawn[2]["realised"]) > np.nanmean(drawn[1]["realised"]) > 0
    assert drawn[1]["lost"].shape == (3,)
    assert len({seed_of_setting(0, setting, 1, "fit") for setting in settings}) == 1
    assert len({setting.id for setting in settings} | {s.masks for s in settings}) == 6
    assert all(Setting.from_record(setting.record) == setting for setting in settings)
    assert settings[2].columns["strength"] == 1
    assert settings[2].columns[rate_key(protocol).removesuffix("s")] == rate


def test_a_mechanism_leaves_natural_gaps_and_needs_classes():
    setting = Setting("blobs", ("a", "b"), "class", 0.2, strength=1.0)
    masks = draw_masks(incomplete_dataset(), setting, 2, 0)
    assert not masks["presence"][:, :6, 0].any()
    unknown = replace(make_dataset(), y=np.full(45, -1))
    with pytest.raises(ValueError, match="class removes by label: pass y"):
        draw_masks(unknown, setting, 1, 0)
    assert draw_masks(unknown, replace(setting, protocol="value"), 1, 0)["presence"].any()


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


def test_published_masks_are_those_of_the_authors(mirror):
    dataset = replace(make_dataset(), name="3sources", y=np.zeros(169, int))
    dataset = replace(dataset, presence=np.ones((169, 3), bool))
    setting = Setting("3sources", ("a", "b", "c"), "published", 0.3)
    given = published_masks("3sources", 0.3, mirror / "3sources")
    masks = draw_masks(dataset, setting, 2, 0, published=given)
    assert ((~masks["presence"]).sum(axis=1) == 50).all()
    again = draw_masks(dataset, setting, 12, 0, published=given)["presence"]
    assert len(given) == 10
    assert (again[10:] == again[:2]).all()  # further starts on the same masks


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
