"""The extra: nothing else needs it, and who lacks it is told."""

import ast
import importlib
import sys

import pytest
from helpers import ROOT

from mvclust.extras import NotInstalled

FILES = sorted((ROOT / "mvclust").rglob("*.py"))


def imported_by(path):
    """Names of the modules that a file imports."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


METHODS = {f"mvclust.deep.{name}" for name in ("apadc", "completer", "cpspan", "dsimvc", "proimp")}


def test_only_deep_methods_import_jax_or_their_base_and_none_imports_another():
    users, taken = set(), set()
    for path in FILES:
        for name in imported_by(path):
            deep = name.split(".")[0] in ("jax", "optax") or name.startswith("mvclust.deep")
            users |= {path.parent.name} if deep else set()
            taken |= {name} if path.parent.name == "deep" else set()
    assert users == {"deep"}
    assert "mvclust.deep.layers" in taken
    assert not taken & METHODS


@pytest.mark.parametrize("absent", ["jax", "optax"])
def test_a_missing_library_is_named_with_its_extra(monkeypatch, absent):
    if absent == "optax":
        pytest.importorskip("jax", reason="the extra deep is not installed: no jax")
    monkeypatch.setitem(sys.modules, absent, None)
    monkeypatch.delitem(sys.modules, "mvclust.deep", raising=False)
    sentence = rf"{absent} is not installed; pip install 'mvclust\[deep\]' brings it"
    with pytest.raises(NotInstalled, match=sentence):
        importlib.import_module("mvclust.deep")
