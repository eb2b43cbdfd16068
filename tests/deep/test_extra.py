"""Who lacks a library of the extra is told."""

import importlib
import sys

import pytest

from mvclust.extras import NotInstalled


@pytest.mark.parametrize("absent", ["jax", "optax"])
def test_a_missing_library_is_named_with_its_extra(monkeypatch, absent):
    if absent == "optax":
        pytest.importorskip("jax", reason="the extra deep is not installed: no jax")
    monkeypatch.setitem(sys.modules, absent, None)
    monkeypatch.delitem(sys.modules, "mvclust.deep", raising=False)
    sentence = rf"{absent} is not installed; pip install 'mvclust\[deep\]' brings it"
    with pytest.raises(NotInstalled, match=sentence):
        importlib.import_module("mvclust.deep")
