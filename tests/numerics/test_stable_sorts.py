"""Ties are broken by place, not by an algorithm that a processor chooses."""

import ast

from helpers import ROOT

FILES = sorted(path for name in ("mvclust", "workflow") for path in (ROOT / name).rglob("*.py"))


def unstable_sorts(source):
    """Lines of the calls that order by an algorithm without a promise for equal entries.

    Sorted values alone are the same by any. pandas sorts by several columns in a stable way.
    """
    lines, calls = [], {"argsort", "argpartition", "sort_values"}
    for node in ast.walk(ast.parse(source)) if any(call in source for call in calls) else ():
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        kinds = [ast.unparse(k.value) for k in node.keywords if k.arg == "kind"]
        ordered = node.func.attr in calls
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


def test_unstable_sorts_are_found():
    unstable = ["np.argsort(x)", "x.argsort(axis=1)", "np.argsort(x, kind='quicksort')"]
    unstable += ["np.argpartition(x, 3)", "frame.sort_values('a')"]
    stable = ["np.argsort(-x, axis=1, kind='stable')", "frame.sort_values('a', kind='stable')"]
    stable += ["frame.sort_values(['a', 'b'])", "np.sort(x)"]
    assert unstable_sorts("\n".join(stable + unstable)) == [5, 6, 7, 8, 9]
