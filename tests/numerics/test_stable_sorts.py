"""Ties are broken by place, not by an algorithm that a processor chooses."""

import ast

import pytest
from helpers import ROOT

FILES = sorted(path for name in ("mvclust", "workflow") for path in (ROOT / name).rglob("*.py"))


def unstable_sorts(source):
    """Lines of the calls that order by an algorithm without a promise for equal entries.

    Sorted values alone are the same by any. pandas sorts by several columns in a stable way.
    """
    lines = []
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        kinds = [ast.unparse(k.value) for k in node.keywords if k.arg == "kind"]
        ordered = node.func.attr in {"argsort", "argpartition", "sort_values"}
        several = [a for a in node.args[:1] if isinstance(a, ast.List) and len(a.elts) > 1]
        several = several and node.func.attr == "sort_values"
        if ordered and not several and kinds != ["'stable'"]:
            lines.append(node.lineno)
    return lines


def test_every_sort_that_can_meet_ties_is_stable():
    unstable = {
        str(path.relative_to(ROOT)): lines
        for path in FILES
        if (lines := unstable_sorts(path.read_text(encoding="utf-8")))
    }
    assert not unstable


@pytest.mark.parametrize(
    ("source", "refused"),
    [
        ("np.argsort(x)", True),
        ("x.argsort(axis=1)", True),
        ("np.argsort(x, kind='quicksort')", True),
        ("np.argpartition(x, 3)", True),
        ("frame.sort_values('a')", True),
        ("np.argsort(-x, axis=1, kind='stable')", False),
        ("frame.sort_values('a', kind='stable')", False),
        ("frame.sort_values(['a', 'b'])", False),
        ("np.sort(x)", False),
    ],
)
def test_unstable_sorts_are_found(source, refused):
    assert bool(unstable_sorts(source)) == refused
