"""Committed results, which may be older than the code."""

from functools import cache

import pytest
import yaml
from helpers import ROOT

from mvclust.pipeline.plan.code import code_of
from mvclust.pipeline.score.runs import read_runs

METHODS = yaml.safe_load((ROOT / "config/methods.yaml").read_text(encoding="utf-8"))


@cache
def older(run):
    """The methods of a committed run of which another code made the fits than that of today."""
    runs = read_runs(ROOT / "results" / run / "runs.parquet")
    made = runs[["method", "code"]].drop_duplicates()
    return sorted(
        method
        for method, code in zip(made["method"], made["code"], strict=True)
        if method not in METHODS or code_of(METHODS[method]["estimator"], []) != code
    )


def skip_if_older(run):
    """Skip a test that needs results of today's code, and say which methods have others."""
    methods = older(run)
    if methods:
        named = f"{len(methods)} methods ({', '.join(methods[:3])}, ...)"
        pytest.skip(f"results/{run} is older than the code of {named}")
