"""A data set is fetched again when something better than what is there can be had."""

import json

import pytest

from mvclust.bench.config.sources import why_again

FILES = ("one", "two")
ENTRY = {"files": FILES, "sources": [{"kind": "mirror"}]}


def fill(folder, names):
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        (folder / name).write_text("data")
    return folder


# What an earlier download noted, files in the mirror, files put in place, missing_data, and why it
# is worth trying again.
CASES = {
    "nothing was fetched yet": (None, [], [], "stop", None),
    "the right files are there": ({"set": 0}, FILES, [], "stop", None),
    "a rounded copy, no mirror": ({"set": 1}, None, [], "stop", None),
    "a rounded copy, not in the mirror": ({"set": 1}, [], [], "stop", None),
    "a rounded copy, half a mirror": ({"set": 1}, ["one"], [], "stop", None),
    "a rounded copy, a mirror": ({"set": 1}, FILES, [], "stop", "made from a replacement"),
    "nothing found, may be missing": ({"unavailable": "x"}, [], [], "skip", None),
    "nothing found, must be there": ({"unavailable": "x"}, [], [], "stop", "may be missing now"),
    "nothing found, a mirror": ({"unavailable": "x"}, FILES, [], "skip", "its files are there now"),
    "nothing found, by hand": ({"unavailable": "x"}, [], FILES, "skip", "its files are there now"),
    "a damaged note": ("{", [], [], "stop", None),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_a_data_set_is_asked_for_again_when_that_may_help(tmp_path, case):
    note, mirrored, placed, missing_data, expected = CASES[case]
    path = tmp_path / "raw" / "digits.json"
    fill(path.with_suffix(""), placed)
    mirror = None if mirrored is None else fill(tmp_path / "mirror" / "digits", mirrored).parent
    if note is not None:
        path.write_text(note if isinstance(note, str) else json.dumps(note))
    why = why_again(path, ENTRY, mirror, missing_data)
    assert why is None if expected is None else expected in why


@pytest.mark.parametrize("there", [False, True])
def test_images_that_came_into_the_mirror_are_noticed(tmp_path, there):
    path = tmp_path / "digits.json"
    path.write_text(json.dumps({"unavailable": "x"}))
    (tmp_path / "mirror" / "raw").mkdir(parents=True)
    source = {"kind": "images", "folder": "raw" if there else "lost"}
    entry = {"files": FILES, "sources": [{"kind": "mirror"}, source]}
    assert bool(why_again(path, entry, tmp_path / "mirror", "skip")) == there


def test_a_folder_of_the_mirror_may_have_another_name(tmp_path):
    path = tmp_path / "digits.json"
    path.write_text(json.dumps({"set": 1}))
    fill(tmp_path / "mirror" / "other", FILES)
    entry = {"files": FILES, "sources": [{"kind": "mirror", "folder": "other"}]}
    assert "a replacement" in why_again(path, entry, tmp_path / "mirror", "stop")
