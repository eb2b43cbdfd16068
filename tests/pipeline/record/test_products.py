"""Results that changed since they were written are removed, others stay."""

import hashlib
import json

import pytest

from mvclust.pipeline.record.products import remove_changed


@pytest.fixture
def results(tmp_path):
    (tmp_path / "tables").mkdir()
    checksums = {}
    for name in ("tables/a.csv", "tables/b.csv", "report.html"):
        (tmp_path / name).write_text(name)
        checksums[name] = hashlib.sha256(name.encode()).hexdigest()
    (tmp_path / "manifest.json").write_text(json.dumps({"sha256": checksums}))
    return tmp_path


def names(folder):
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_what_is_as_it_was_written_stays(results):
    before = names(results)
    assert remove_changed(results) == []
    assert names(results) == before


def test_what_changed_goes_and_what_is_missing_is_no_mistake(results):
    before = names(results)
    (results / "tables/a.csv").write_text("tables/a")
    (results / "tables/b.csv").unlink()
    assert remove_changed(results) == [str(results / "tables/a.csv")]
    assert names(results) == before - {"tables/a.csv", "tables/b.csv"}


@pytest.mark.parametrize("content", [b"", b'{"sha256": {"tables/a.csv"', b"[]", b"{}", b"\xff"])
def test_a_damaged_manifest_goes(content, results):
    (results / "manifest.json").write_bytes(content)
    before = names(results)
    assert remove_changed(results) == [str(results / "manifest.json")]
    assert names(results) == before - {"manifest.json"}


def test_a_folder_without_a_manifest_is_left_alone(results):
    (results / "manifest.json").unlink()
    before = names(results)
    assert remove_changed(results) == remove_changed(results / "none") == []
    assert names(results) == before
