"""What is committed under results/ is what the committed table of runs gives."""

import json
import re

import numpy as np
import pandas as pd
import pytest
import yaml
from helpers import ROOT

from mvclust.benchmark.config import check_config
from mvclust.benchmark.plan import Plan
from mvclust.benchmark.runs import read_runs
from mvclust.report.published import compare, exchanged_in_mpac, write_comparison
from mvclust.report.render import render_experiment
from mvclust.report.tables import read_csv

NUMBER = re.compile(r"(?<![\w#])-?\d+\.\d+")
CONFIG = yaml.safe_load((ROOT / "config/config.yaml").read_text())


@pytest.fixture(scope="module")
def plan():
    return Plan(check_config(CONFIG, ROOT, [ROOT / "config/config.yaml"]))


@pytest.fixture(scope="module")
def runs():
    return read_runs(ROOT / "results/runs.parquet")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "tables").mkdir()
    (tmp_path / "figures").mkdir()
    return tmp_path


def same(folder, name):
    """Tables byte by byte; figures but for hundredths of a point, which the layout may add."""
    for suffix in ("csv", "md", "tex"):
        made = (folder / "tables" / f"{name}.{suffix}").read_bytes()
        assert made == (ROOT / "results/tables" / f"{name}.{suffix}").read_bytes(), suffix
    ours, theirs = (
        (place / "figures" / f"{name}.svg").read_text() for place in (folder, ROOT / "results")
    )
    assert NUMBER.sub("#", ours) == NUMBER.sub("#", theirs)
    numbers = [np.array(NUMBER.findall(text), dtype=float) for text in (ours, theirs)]
    np.testing.assert_allclose(*numbers, atol=0.02)


@pytest.mark.parametrize("name", CONFIG["experiments"])
def test_tables_and_figure_follow_from_the_runs(name, plan, runs, folder):
    if name not in plan.experiments:
        pytest.skip(f"{name} needs no fits of its own")
    published = pd.read_csv(ROOT / "config/published.csv")
    render_experiment(plan, name, runs, published, folder)
    same(folder, name)


def test_comparison_follows_from_the_tables(plan, folder):
    published = pd.read_csv(ROOT / "config/published.csv")
    tables = {name: read_csv(ROOT / f"results/tables/{name}.csv") for name in plan.experiments}
    comparison = compare(plan, tables, published)
    write_comparison(comparison, exchanged_in_mpac(plan, published), folder)
    same(folder, "published_vs_reproduced")


def test_manifest_fits_the_runs(runs):
    manifest = json.loads((ROOT / "results/manifest.json").read_text())
    assert manifest["fits"]["number"] == len(runs)
    assert manifest["fits"]["failed"] == runs["error"].notna().sum()
    assert runs["key"].is_unique
