"""A run says whether its tables are those of the repository, and if not, why."""

import json
import shutil
import subprocess

import pytest

from mvclust.bench.verify.repository import compared

TABLE = """dataset,setting,method,variant,tuning,metric,params,mean,ci_low,ci_high,note
toy,s,A,,oracle,ACC,,{},40,60,
"""
MANIFEST = {
    "arithmetic": "kernel Haswell", "data": [{"dataset": "toy", "sha256": "0"}],
    "libraries": {"numpy": "2"}, "python": "3.11", "code": {"A": ["1"]}, "config": {"seed": 0},
}  # fmt: skip


@pytest.fixture
def project(tmp_path):
    """A project with committed results of a run."""
    folder = tmp_path / "results" / "toy"
    for kind in ("tables", "figures"):
        (folder / kind).mkdir(parents=True)
    (folder / "tables/a.csv").write_text(TABLE.format(50))
    (folder / "tables/a.md").write_text("a")
    (folder / "tables/cost.md").write_text("1 s")
    (folder / "figures/a.svg").write_bytes(b"<svg/>")
    (folder / "manifest.json").write_text(json.dumps(MANIFEST))
    git = ["git", "-C", tmp_path, "-c", "user.name=a", "-c", "user.email=a@b"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "results"]):
        subprocess.run([*git, *words], check=True)
    return tmp_path


def told(project):
    return compared(project / "results/toy", project)


def test_equal_bytes_are_said_and_seconds_do_not_count(project):
    (project / "results/toy/tables/cost.md").write_text("2 s")
    (project / "results/toy/figures/a.png").write_text("not committed")
    expected = "1 of 1 table and 1 of 1 figure are those of the repository, byte for byte"
    assert told(project) == [expected]


def test_what_differs_is_said_with_its_size_and_its_causes(project):
    (project / "results/toy/tables/a.csv").write_text(TABLE.format(50.25))
    total, *others = told(project)
    assert total.startswith("0 of 1 table and 1 of 1 figure")
    assert total.endswith("others differ: a")
    numbers = "1 of 1 numbers differ, by up to 0.25"
    assert others == [numbers, "what differs: nothing of what is recorded"]
    other = MANIFEST | {"arithmetic": "kernel Zen", "python": "3.12", "code": {}}
    other |= {"data": [{"dataset": "toy", "sha256": "1"}], "config": {"seed": 1}}
    (project / "results/toy/manifest.json").write_text(json.dumps(other))
    *_, causes = told(project)
    for cause in ("then kernel Haswell; now kernel Zen", "toy", "python", "1 method", "config"):
        assert cause in causes
    for suffix in ("csv", "md"):
        (project / f"results/toy/tables/a.{suffix}").unlink()
    assert told(project)[0].startswith("0 of 1 table")


def test_nothing_is_said_where_nothing_is_committed(project):
    assert compared(project / "results/other", project) == []
    assert compared("elsewhere", project) == []
    shutil.rmtree(project / ".git")
    assert told(project) == []
