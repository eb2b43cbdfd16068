"""The benchmarks name steps of the methods; each of them can be imported."""

import importlib

import pytest
from helpers import ROOT

NAMES = sorted(path.stem for path in (ROOT / "benchmarks").glob("*.py"))


@pytest.mark.parametrize("name", NAMES)
def test_what_a_benchmark_names_is_there(name, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    importlib.import_module(name)
