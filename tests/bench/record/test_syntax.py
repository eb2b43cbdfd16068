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
    from_above = Kept().facts(b"from ..base import f\n", "mvclust.own")
    assert from_above[1] == before[1]
    monkeypatch.setattr(syntax, "read", None)
    assert tuple(recalled(saved).facts(ONE, "mvclust")) == before


@pytest.mark.parametrize(("source", "package"), [(OTHER, "mvclust"), (ONE, "mvclust.numerics")])
def test_other_bytes_and_another_package_are(source, package, saved):
    assert recalled(saved).facts(source, package) == Kept().facts(source, package)


def test_a_damaged_file_or_that_of_another_reader_says_nothing(saved, monkeypatch):
    text = (saved / FILE).read_text()
    changes = [text.replace("base", "case", 1), text.replace("\n", "", 1)]
    for damaged in ("", "[]", text[: len(text) // 2], *changes):
        (saved / FILE).write_text(damaged)
        assert damaged != text
        assert recalled(saved).earlier == {}
    (saved / FILE).write_text(text)
    assert recalled(saved).earlier
    monkeypatch.setattr(syntax.sys, "version_info", (3, 99))  # or a later version of mvclust
    assert recalled(saved).earlier == {}


def test_the_file_stays_small(saved, monkeypatch):
    monkeypatch.setattr(syntax, "MOST", 1)
    kept = recalled(saved)
    kept.facts(OTHER, "mvclust")
    kept.save(saved)
    assert recalled(saved).earlier.keys() == kept.used.keys()


PLAIN = b"import json\ndef f(x, *y, z=1):\n    a = 1\n    return a\nb = 2\n"
PLAIN += b"class A:\n    def f(self, x): return 1\n"
TYPED = b"""from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mvclust.base import Base

def f(x: Base, *y: "a.js", z: int = 1) -> dict[str, Base]:
    a: int = 1
    return a
b: int = 2

class A:
    def f(self, x: int) -> int:
        return 1
"""


def test_annotations_of_functions_methods_and_variables_compute_nothing():
    plain, typed = (syntax.read(source, "mvclust") for source in (PLAIN, TYPED))
    assert typed == plain


@pytest.mark.parametrize(
    "source",
    [
        "class A(NamedTuple):\n    x: {} = 1\n",
        "def f():\n    class A(BaseModel):\n        x: {}\n",
        "@draw.register\ndef f(kind: {}):\n    return 1\n",
        "@validate_call()\ndef f(x: {}):\n    return 1\n",
    ],
    ids=["field", "field in a function", "dispatch", "validation"],
)
def test_annotations_that_decide_what_happens_count(source):
    one, other = (syntax.read(source.format(kind).encode(), "") for kind in ("int", "float"))
    assert one[0] != other[0]
