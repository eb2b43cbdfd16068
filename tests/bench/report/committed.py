"""Committed results, which may be older than the code."""

import json
from functools import cache
from importlib.metadata import version

import pytest
from helpers import ROOT

from mvclust.bench.verify.stale import sentence, standings


@cache
def standing(run):
    """How a committed run relates to the code."""
    return standings(ROOT)[run]


def skip_if_older(run):
    """Skip a test that needs results of today's code, and say which methods have others."""
    if standing(run).stale:
        pytest.skip(f"results/{run}: {sentence(standing(run))}")


@cache
def made_with_these(run, *packages):
    """Whether a committed run was made with the versions of packages that are here."""
    manifest = json.loads((ROOT / "results" / run / "manifest.json").read_text())
    return all(manifest["libraries"][package] == version(package) for package in packages)
