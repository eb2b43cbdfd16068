"""What is committed under results/ is what the committed tables of runs give."""

import json

import pytest
from bench.report.committed import made_with_these, skip_if_older
from helpers import ROOT

from mvclust.bench.score.runs import read_runs
from mvclust.bench.verify.finished import NotChecked
from mvclust.bench.verify.verify import check
from mvclust.datasets.files import sha256_of

COMMITTED = (".csv", ".md", ".tex", ".svg", ".html", "runs.parquet")  # of every run
RUNS = sorted(path.parent.name for path in (ROOT / "results").glob("*/runs.parquet"))


@pytest.mark.usefixtures("svg_alone")
@pytest.mark.parametrize("run", RUNS)
def test_tables_and_figures_follow_from_the_runs(run):
    """So all that formats, compares and draws them is tested here; other tests are of the edges."""
    if not made_with_these(run, "numpy", "scipy", "pandas", "matplotlib"):
        pytest.skip(f"results/{run}: made with other versions of libraries, which round otherwise")
    try:
        lines, same = check(ROOT / "results" / run, ROOT, share=0)
    except NotChecked:
        skip_if_older(run)
        raise
    assert same, lines


@pytest.mark.parametrize("run", RUNS)
def test_the_committed_files_are_those_that_the_manifest_names(run):
    folder = ROOT / "results" / run
    named = json.loads((folder / "manifest.json").read_text())["sha256"]
    committed = {name for name in named if name.endswith(COMMITTED)}
    assert [name for name in committed if sha256_of(folder / name) != named[name]] == []
    files = {path.relative_to(folder).as_posix() for path in folder.glob("*/*")}
    assert files - set(named) == set()


@pytest.mark.parametrize("run", RUNS)
def test_manifest_fits_the_runs(run):
    manifest = json.loads((ROOT / "results" / run / "manifest.json").read_text())
    runs = read_runs(ROOT / "results" / run / "runs.parquet")
    assert manifest["fits"]["number"] == len(runs)
    assert manifest["fits"]["failed"] == runs["error"].notna().sum()
    assert runs["key"].is_unique
