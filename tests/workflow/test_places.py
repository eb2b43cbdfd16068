"""Where the workflow is called from, what it is given, and what it says when that is wrong."""

import re
import shutil
import subprocess

import pandas as pd
import pytest
from helpers import ROOT

from workflow.project import call, edit, fail, planned_jobs, succeed


@pytest.fixture
def elsewhere(tmp_path, finished):
    """A folder that holds nothing but the settings of a run."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    shutil.copy(finished / "tiny.yaml", folder)
    return folder


def test_it_runs_in_another_folder(finished, elsewhere, tmp_path):
    line = ["-s", finished / "Snakefile", "-d", elsewhere, "--cores", "2"]
    line += ["--configfile", elsewhere / "tiny.yaml", "--config", "experiments=[facts]"]
    done = call(tmp_path, *map(str, line), code=finished)
    assert done.returncode == 0, done.stdout[-4000:]
    assert (elsewhere / "results/tiny/report.html").exists()
    assert len(pd.read_csv(elsewhere / "results/tiny/tables/facts.csv"))
    assert "facts" not in [path.name for path in tmp_path.iterdir()]


def test_config_yaml_of_the_working_directory_sets_the_run(finished, elsewhere, tmp_path):
    (elsewhere / "config").mkdir()
    (elsewhere / "tiny.yaml").rename(elsewhere / "config/config.yaml")
    line = ["-n", "-s", str(finished / "Snakefile"), "-d", str(elsewhere), "--cores", "2"]
    planned = planned_jobs(call(tmp_path, *line, code=finished).stdout)
    assert planned["fit"] == 3
    assert planned["statistics"] == 1
    chosen = call(tmp_path, *line, "--config", "experiments=[facts]", code=finished).stdout
    assert "fit" not in planned_jobs(chosen)
    edit(elsewhere / "config/config.yaml", "run: tiny", "run: tiny\nsead: 0")
    said = call(tmp_path, *line, code=finished).stdout
    assert "config/config.yaml:3: sead: unknown key 'sead'" in said


def test_the_project_holds_no_symbolic_link():
    line = ["git", "-C", str(ROOT), "ls-files", "-s"]
    listed = subprocess.run(line, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("this copy of the project is no git repository")
    assert not re.findall("^120000 .*", listed.stdout, re.MULTILINE)


def test_mistakes_are_reported_before_anything_starts(data_only):
    warned = ["--config", "mirror=nowhere", "bad_mirror=warn"]
    assert "there is no folder 'nowhere'" in succeed(data_only, "--dry-run", *warned)
    assert "mvclust: no job can run on 0 cores" in fail(data_only, cores=0)
    edit(data_only / "tiny.yaml", "run: tiny", "run: tiny\nsead: 0")
    edit(data_only / "config/experiments/tiny.yaml", "[0.3, 0.7]", "[1.3, 0.7]")
    said = fail(data_only, "--config", "budget={pairs: few}")
    assert "The configuration has 3 mistakes:" in said
    assert "tiny.yaml:3: sead: unknown key 'sead'; did you mean 'seed'?" in said
    assert "config/experiments/tiny.yaml:5: tiny.paired_rates.0: 1.3 is out of range" in said
    assert "  --config: budget.pairs:" in said
    assert not (data_only / "resources/work").exists()


@pytest.mark.fault("no source of a data set in reach")
def test_no_source_reachable_is_reported_with_reasons(data_only, monkeypatch, tmp_path):
    shutil.rmtree(data_only / "resources")
    catalogue = data_only / "config/datasets.yaml"
    text = catalogue.read_text().replace("https://", "http://127.0.0.1:9/")
    catalogue.write_text(text.replace("    - kind: included\n", ""))
    (tmp_path / "empty").mkdir()
    monkeypatch.setattr("workflow.project.find_mirror", lambda: tmp_path / "empty")
    said = fail(data_only)
    for word in ("handwritten", "mirror", "resources/raw/handwritten", "archive.ics.uci.edu"):
        assert word in said
    assert not (data_only / "resources/raw/handwritten.json").exists()
