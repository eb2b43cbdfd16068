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


@pytest.mark.parametrize(
    ("note", "source", "why"),
    [
        ({"unavailable": "x"}, {"kind": "images", "folder": "lost"}, None),
        ({"unavailable": "x"}, {"kind": "images", "folder": "raw"}, "files are there now"),
        ({"set": 1}, {"kind": "mirror", "folder": "raw"}, "a replacement"),
    ],
)
def test_images_and_a_folder_of_another_name_are_noticed(tmp_path, note, source, why):
    path = tmp_path / "digits.json"
    path.write_text(json.dumps(note))
    mirror = fill(tmp_path / "mirror/raw", FILES).parent
    entry = {"files": FILES, "sources": [source, {"kind": "mirror"}]}
    found = why_again(path, entry, mirror, "skip")
    assert found is None if why is None else why in found
