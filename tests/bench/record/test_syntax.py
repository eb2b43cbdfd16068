"""What was read of a Python file is taken again for the same bytes, and for no others."""

import pytest

from mvclust.bench.record import syntax
from mvclust.bench.record.syntax import FILE, Kept

ONE = b'"""One."""\nfrom .base import f\nNAMES = "a.js", "not/a name"\n'
OTHER = b"from .base import g\n"


@pytest.fixture
def saved(tmp_path):
    """A folder with what was read of one file."""
    kept = Kept()
    kept.facts(ONE, "mvclust")
    kept.save(tmp_path)
    return tmp_path


def recalled(folder):
    kept = Kept()
    kept.recall(folder)
    return kept


def test_the_same_bytes_are_not_read_again(saved, monkeypatch):
    before = Kept().facts(ONE, "mvclust")
    assert before[1:] == (["mvclust.base", "mvclust.base.f"], ["a.js"])
    monkeypatch.setattr(syntax, "read", None)
    assert tuple(recalled(saved).facts(ONE, "mvclust")) == before


@pytest.mark.parametrize(("source", "package"), [(OTHER, "mvclust"), (ONE, "mvclust.numerics")])
def test_other_bytes_and_another_package_are(source, package, saved):
    assert recalled(saved).facts(source, package) == Kept().facts(source, package)


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: "",
        lambda text: text[: len(text) // 2],
        lambda text: text.replace("base", "case", 1),
        lambda text: text.replace("\n", "", 1),
        lambda text: "[]",
    ],
    ids=["empty", "cut", "another word", "one line", "another content"],
)
def test_a_damaged_file_says_nothing(damage, saved):
    text = (saved / FILE).read_text()
    (saved / FILE).write_text(damage(text))
    assert damage(text) != text
    assert recalled(saved).earlier == {}


def test_what_another_reader_wrote_says_nothing(saved, monkeypatch):
    """Such as Python 3.14, or a later version of mvclust."""
    monkeypatch.setattr(syntax.sys, "version_info", (3, 99))
    assert recalled(saved).earlier == {}


def test_the_file_stays_small(saved, monkeypatch):
    monkeypatch.setattr(syntax, "MOST", 1)
    kept = recalled(saved)
    kept.facts(OTHER, "mvclust")
    kept.save(saved)
    assert recalled(saved).earlier.keys() == kept.used.keys()
