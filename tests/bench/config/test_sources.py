"""A data set is fetched again when something better than what is there can be had."""

import json

import pytest

from mvclust.bench.config.sources import why_again

FILES = ("one", "two")


def fill(folder, names):
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        (folder / name).write_text("data")
    return folder


GONE, RAW = {"unavailable": "x"}, {"kind": "mirror", "folder": "raw"}
IMAGES = {"kind": "images", "folder": "raw"}
# What an earlier download noted, files in the mirror, files put in place, missing_data, why it is
# worth trying again, and another source, which may be in the mirror's folder "raw".
CASES = {
    "nothing was fetched yet": (None, [], [], "stop", None),
    "the right files are there": ({"set": 0}, FILES, [], "stop", None),
    "a rounded copy, no mirror": ({"set": 1}, None, [], "stop", None),
    "a rounded copy, not in the mirror": ({"set": 1}, [], [], "stop", None),
    "a rounded copy, half a mirror": ({"set": 1}, ["one"], [], "stop", None),
    "a rounded copy, a mirror": ({"set": 1}, FILES, [], "stop", "made from a replacement"),
    "nothing found, may be missing": (GONE, [], [], "skip", None),
    "nothing found, must be there": (GONE, [], [], "stop", "may be missing now"),
    "nothing found, a mirror": (GONE, FILES, [], "skip", "its files are there now"),
    "nothing found, by hand": (GONE, [], FILES, "skip", "its files are there now"),
    "nothing found, other images": (GONE, [], [], "skip", None, IMAGES | {"folder": "lost"}),
    "nothing found, images": (GONE, [], [], "skip", "files are there now", IMAGES),
    "a rounded copy, a mirror's folder": ({"set": 1}, [], [], "skip", "a replacement", RAW),
    "a damaged note": ("{", [], [], "stop", None),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_a_data_set_is_asked_for_again_when_that_may_help(tmp_path, case):
    note, mirrored, placed, missing_data, expected, *sources = CASES[case]
    path = tmp_path / "raw" / "digits.json"
    fill(path.with_suffix(""), placed)
    mirror = None if mirrored is None else fill(tmp_path / "mirror" / "digits", mirrored).parent
    fill(tmp_path / "mirror" / "raw", FILES)
    if note is not None:
        path.write_text(note if isinstance(note, str) else json.dumps(note))
    entry = {"files": FILES, "sources": [*sources, {"kind": "mirror"}]}
    why = why_again(path, entry, mirror, missing_data)
    assert why is None if expected is None else expected in why
