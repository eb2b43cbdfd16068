"""Committed results, which may be older than the code."""

from functools import cache

import pytest
from helpers import ROOT

from mvclust.pipeline.stale import sentence, standings


@cache
def standing(run):
    """How a committed run relates to the code."""
    return standings(ROOT)[run]


def skip_if_older(run):
    """Skip a test that needs results of today's code, and say which methods have others."""
    if standing(run).stale:
        pytest.skip(f"results/{run}: {sentence(standing(run))}")
