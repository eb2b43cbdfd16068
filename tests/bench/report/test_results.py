"""What is committed under results/ is what the committed tables of runs give."""

import json
from importlib.metadata import version

import pandas as pd
import pytest
from helpers import ROOT

from mvclust.bench.verify.finished import NotChecked
from mvclust.bench.verify.stale import sentence, standings
from mvclust.bench.verify.verify import check
from mvclust.datasets.files import sha256_of

COMMITTED = (".csv", ".md", ".tex", ".svg", ".html", "runs.parquet")  # of every run
RUNS = sorted(path.parent.name for path in (ROOT / "results").glob("*/runs.parquet"))
ROUND = ("numpy", "scipy", "pandas", "matplotlib")  # other versions round otherwise


def manifest_of(run):
    return json.loads((ROOT / "results" / run / "manifest.json").read_text())


@pytest.mark.usefixtures("svg_alone")
@pytest.mark.parametrize("run", RUNS)
def test_tables_and_figures_follow_from_the_runs(run):
    """So all that formats, compares and draws them is tested here; other tests are of the edges."""
    libraries = manifest_of(run)["libraries"]
    if any(libraries[name] != version(name) for name in ROUND):
        pytest.skip(f"results/{run}: made with other versions of libraries")
    try:
        lines, same = check(ROOT / "results" / run, ROOT, share=0)
    except NotChecked:
        if (standing := standings(ROOT)[run]).stale:
            pytest.skip(f"results/{run}: {sentence(standing)}")
        raise
    assert same, lines


@pytest.mark.parametrize("run", RUNS)
def test_the_committed_files_are_those_that_the_manifest_names(run):
    folder, named = ROOT / "results" / run, manifest_of(run)["sha256"]
    committed = {name for name in named if name.endswith(COMMITTED)}
    assert [name for name in committed if sha256_of(folder / name) != named[name]] == []
    files = {path.relative_to(folder).as_posix() for path in folder.glob("*/*")}
    assert files - set(named) == set()


@pytest.mark.parametrize("run", RUNS)
def test_manifest_fits_the_runs(run):
    fits = manifest_of(run)["fits"]
    runs = pd.read_parquet(ROOT / "results" / run / "runs.parquet", columns=["key", "error"])
    assert fits["number"] == len(runs)
    assert fits["failed"] == runs["error"].notna().sum()
    assert runs["key"].is_unique
