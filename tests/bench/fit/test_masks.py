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
    assert (setting.id, setting.masks) == ("blobs.a+b.random-0.3", "blobs/random-0.3")
    assert "strength" not in setting.record | setting.columns
    assert seed_of_setting(0, setting, 1, "mask") == 3065863580
    assert Fit(setting, 1, "DAIMC", {"alpha": 0.1}).key == "f4054c3b75fa09cd5798"


def test_published_masks_come_in_turn_and_leave_no_sample_without_what_it_has():
    data, given = incomplete_dataset(), np.ones((2, 45, 3), bool)
    given[0, 5:9, :2] = given[1, 20:30, 0] = False
    setting = Setting("blobs", ("a", "b"), "published", 0.3)
    masks = draw_masks(data, setting, 3, 0, None, list(given))["presence"]
    assert masks[0].tolist() == masks[2].tolist() == data.presence[:, :2].tolist()
    assert masks[1].tolist() == (given[1] & data.presence)[:, :2].tolist()


@pytest.mark.parametrize("protocol", BASE_OF)
def test_strengths_differ_in_who_lacks_what_alone(protocol):
    rate = 0.6 if protocol == "exclusive" else 0.3
    base = Setting("blobs", ("c", "a", "b"), BASE_OF[protocol], rate)
    half, full = (replace(base, protocol=protocol, strength=strength) for strength in (0.5, 1))
    settings = base, half, full
    plain, *drawn = (draw_masks(make_dataset(), setting, 3, 0) for setting in settings)
    for masks in drawn:
        for one, other in zip(plain["presence"], masks["presence"], strict=True):
            assert sorted(map(tuple, one)) == sorted(map(tuple, other))
        assert (masks["presence"] != plain["presence"]).any()
    assert np.nanmean(drawn[1]["realised"]) > np.nanmean(drawn[0]["realised"]) > 0
    assert drawn[0]["lost"].shape == (3,)
    assert len({seed_of_setting(0, setting, 1, "fit") for setting in settings}) == 1
    assert len({name for setting in settings for name in (setting.id, setting.masks)}) == 6
    assert all(Setting.from_record(setting.record) == setting for setting in settings)
    columns = {"strength": 1, rate_key(protocol).removesuffix("s"): rate}
    assert full.columns | columns == full.columns


def test_a_mechanism_leaves_natural_gaps_and_needs_classes():
    setting = Setting("blobs", ("a", "b"), "class", 0.2, strength=1.0)
    masks = draw_masks(incomplete_dataset(), setting, 2, 0)
    assert not masks["presence"][:, :6, 0].any()
    unknown = replace(make_dataset(), y=np.full(45, -1))
    with pytest.raises(ValueError, match="class removes by label: pass y"):
        draw_masks(unknown, setting, 1, 0)
    assert draw_masks(unknown, replace(setting, protocol="value"), 1, 0)["presence"].any()


def test_samples_and_samples_per_class_are_seeded_choices():
    dataset = make_dataset()
    drawn = draw_masks(dataset, replace(SETTING, samples=20), 2, 0)
    assert len(set(drawn["rows"])) == 20
    assert drawn["presence"].shape == (2, 20, 3)
    two, three = (draw_masks(dataset, SETTING, n, 0, samples_per_class=4) for n in (2, 3))
    assert np.bincount(dataset.y[two["rows"]]).tolist() == [4, 4, 4]
    assert (two["n_declared"], two["presence"].shape) == (45, (2, 12, 3))
    assert (three["presence"][:2] == two["presence"]).all()  # more masks keep the first ones
    assert (two["presence"][0] != two["presence"][1]).any()


def test_natural_missingness_stays_and_samples_without_a_view_leave():
    dataset = incomplete_dataset()
    dataset.presence[6, 0] = False  # which has only the third view
    masks = draw_masks(dataset, Setting("blobs", ("a", "b"), "natural"), 2, 0)
    assert masks["rows"].tolist() == [*range(6), *range(7, 45)]
    assert (masks["presence"][1] == dataset.presence[masks["rows"]][:, :2]).all()


def test_masks_of_several_settings_share_a_file(tmp_path):
    settings = [SETTING, Setting("blobs", ("a", "b"), "unmapped")]
    masks = {s.id: draw_masks(make_dataset(), s, 2, 0) for s in settings}
    masks["none"] = no_masks(SETTING, 2)
    write_masks(masks, tmp_path / "blobs.npz")
    for name, expected in masks.items():
        np.testing.assert_equal(read_masks(tmp_path / "blobs.npz", name), expected)
    with pytest.raises(DamagedFile, match="lacks the setting other"):
        read_masks(tmp_path / "blobs.npz", "other")
