"""What is committed under results/ is what the committed tables of runs give."""

import json
import re
from functools import cache

import numpy as np
import pytest
from bench.report.committed import made_with_these, skip_if_older
from helpers import ROOT

from mvclust.bench.report import style
from mvclust.bench.report.published import comparison_of, write_comparison
from mvclust.bench.report.render import render
from mvclust.bench.score.runs import read_runs
from mvclust.bench.score.tuning import results_of
from mvclust.bench.verify.finished import FinishedRun
from mvclust.datasets.files import sha256_of

NUMBER = re.compile(r"(?<![\w#])-?\d+\.\d+")
CLIP = re.compile(r"\bp[0-9a-f]{10}\b")  # a name made from numbers
LAST_DIGIT = 0.011  # of a table with two decimals
COMMITTED = (".csv", ".md", ".tex", ".svg", ".html", "runs.parquet")  # of every run
RUNS = sorted(path.parent.name for path in (ROOT / "results").glob("*/runs.parquet"))
TABLES = [
    (run, path.stem)
    for run in RUNS
    for path in sorted((ROOT / "results" / run / "tables").glob("*.csv"))
]


@cache
def plan_of(run):
    """The plan of a committed run, as it is configured today."""
    return FinishedRun(ROOT / "results" / run, ROOT).plan()


@cache
def runs_of(run):
    return read_runs(ROOT / "results" / run / "runs.parquet")


@cache
def results_by_id(run):
    return {
        name: results_of(use, runs_of(run))
        for name, use in plan_of(run).slices["experiment"].items()
    }


def with_numbered_clips(svg):
    """Name the clips by the order in which they first come."""
    names = {name: f"clip{i}" for i, name in enumerate(dict.fromkeys(CLIP.findall(svg)))}
    return CLIP.sub(lambda match: names[match[0]], svg)


def alike(ours, theirs, atol):
    """Texts are equal but for their numbers, and these up to a tolerance."""
    assert NUMBER.sub("#", ours) == NUMBER.sub("#", theirs)
    numbers = [np.array(NUMBER.findall(text), dtype=float) for text in (ours, theirs)]
    np.testing.assert_allclose(*numbers, atol=atol)


def same(folder, run, name):
    """Tables byte by byte; figures but for hundredths of a point, which the layout may add.

    Other versions of the libraries round otherwise, and draw other figures.
    """
    committed = ROOT / "results" / run
    digits = made_with_these(run, "numpy", "scipy", "pandas")
    for suffix in ("csv", "md", "tex"):
        ours, theirs = (place / "tables" / f"{name}.{suffix}" for place in (folder, committed))
        if digits:
            assert ours.read_bytes() == theirs.read_bytes(), suffix
        else:
            alike(ours.read_text(), theirs.read_text(), LAST_DIGIT)
    if made_with_these(run, "matplotlib"):
        figures = [(place / "figures" / f"{name}.svg").read_text() for place in (folder, committed)]
        alike(*map(with_numbered_clips, figures), 0.02)


@pytest.mark.parametrize(("run", "name"), TABLES)
def test_tables_and_figure_follow_from_the_runs(run, name, tmp_path, monkeypatch):
    skip_if_older(run)
    monkeypatch.setattr(style, "FORMATS", {"svg": style.FORMATS["svg"]})  # the one that is compared
    uses = plan_of(run).slices["experiment"]
    if name in uses:
        render(uses[name], results_by_id(run)[name], runs_of(run), tmp_path)
    elif name == "published_vs_reproduced":
        use = plan_of(run).slices["published"][name]
        write_comparison(comparison_of(use, results_by_id(run)), tmp_path)
    else:
        pytest.skip(f"{name} does not follow from the runs alone")
    same(tmp_path, run, name)


@pytest.mark.parametrize("run", RUNS)
def test_each_committed_file_is_the_one_that_the_manifest_names(run):
    folder = ROOT / "results" / run
    named = json.loads((folder / "manifest.json").read_text())["sha256"]
    committed = {name for name in named if name.endswith(COMMITTED)}
    assert [name for name in committed if sha256_of(folder / name) != named[name]] == []


@pytest.mark.parametrize("run", RUNS)
def test_manifest_fits_the_runs(run):
    manifest = json.loads((ROOT / "results" / run / "manifest.json").read_text())
    runs = runs_of(run)
    assert manifest["fits"]["number"] == len(runs)
    assert manifest["fits"]["failed"] == runs["error"].notna().sum()
    assert runs["key"].is_unique
