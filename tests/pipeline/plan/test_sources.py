"""A data set is fetched again when something better than what is there can be had."""

import json

import pytest

from mvclust.pipeline.plan.sources import attempt

ENTRY = {"files": {"one": {}, "two": {}}}


def fill(folder, names):
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        (folder / name).write_text("data")
    return folder


# what an earlier fetch noted, files in the mirror, files put in place, missing_data, asked anew
CASES = {
    "nothing was fetched yet": (None, [], [], "stop", 0),
    "the right files are there": ({"attempt": 2, "set": 0}, ["one", "two"], [], "stop", 2),
    "a rounded copy, no mirror": ({"attempt": 2, "set": 1}, [], [], "stop", 2),
    "a rounded copy, half a mirror": ({"attempt": 2, "set": 1}, ["one"], [], "stop", 2),
    "a rounded copy, a mirror": ({"attempt": 2, "set": 1}, ["one", "two"], [], "stop", 3),
    "nothing found, may be missing": ({"attempt": 0, "unavailable": "x"}, [], [], "skip", 0),
    "nothing found, must be there": ({"attempt": 0, "unavailable": "x"}, [], [], "stop", 1),
    "nothing found, a mirror": ({"attempt": 0, "unavailable": "x"}, ["one", "two"], [], "skip", 1),
    "nothing found, by hand": ({"attempt": 0, "unavailable": "x"}, [], ["one", "two"], "skip", 1),
    "a damaged note": ("{", [], [], "stop", 0),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_a_data_set_is_asked_for_again_when_that_may_help(tmp_path, case):
    note, mirrored, placed, missing_data, expected = CASES[case]
    path = tmp_path / "raw" / "digits.json"
    fill(path.with_suffix(""), placed)
    mirror = fill(tmp_path / "mirror" / "digits", mirrored).parent
    if note is not None:
        path.write_text(note if isinstance(note, str) else json.dumps(note))
    assert attempt(path, ENTRY, mirror, missing_data) == expected


def test_without_a_mirror_what_was_found_stays(tmp_path):
    path = tmp_path / "digits.json"
    path.write_text(json.dumps({"attempt": 4, "set": 1}))
    assert attempt(path, ENTRY, None, "stop") == 4
