"""Results folders say which of their methods other code computed than that of today."""

import json
import shutil
import subprocess

import pandas as pd
import pytest
from helpers import write_package

from mvclust.bench.record import digest
from mvclust.bench.record.manifest import code_of_methods
from mvclust.bench.verify import stale

COMMIT = "0123456789abcdef"
METHODS = {"One": "mvclust.estimators.one.One", "Two": "mvclust.estimators.two.Two"}


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project with two methods, of which the second imports what the first does not."""
    modules = {"shared": "x = 1\n", "one": "class One: pass\n"}
    modules["two"] = "from .shared import x\nclass Two: pass\n"
    write_package(tmp_path / "mvclust/estimators", modules)
    (tmp_path / "config").mkdir()
    entries = "".join(f"{name}:\n  estimator: {of}\n" for name, of in METHODS.items())
    (tmp_path / "config/methods.yaml").write_text(entries)
    monkeypatch.setattr(digest, "PACKAGE", tmp_path / "mvclust")
    digest.forget()
    yield tmp_path
    digest.forget()


def edit(paths, more):
    for path in paths:
        path.write_text(path.read_text() + more)
    digest.forget()


def runs_of():
    """A table of runs of the code as it is: two fits per method."""
    rows = {"method": [*METHODS], "estimator": [*METHODS.values()]}
    rows["code"] = [stale.code_of(of, []) for of in METHODS.values()]
    return pd.concat([pd.DataFrame(rows)] * 2, ignore_index=True)


def write_run(project):
    """A results folder, made by the code as it is."""
    folder = project / "results/made"
    folder.mkdir(parents=True)
    manifest = {"commit": COMMIT, "code": code_of_methods(runs_of())}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return folder


def said(project):
    (line,) = map(stale.sentence, stale.standings(project).values())
    return line


@pytest.mark.parametrize(
    ("modules", "methods", "sentence"),
    [
        (["one"], ["One"], "1 of 2 methods computed by other code: One"),
        (["two"], ["Two"], "1 of 2 methods computed by other code: Two"),
        (["shared"], ["Two"], "1 of 2 methods computed by other code: Two"),
        (["one", "shared"], ["One", "Two"], "all of 2 methods computed by other code"),
    ],
)
def test_an_edit_makes_those_methods_stale_that_compute_with_it(
    project, modules, methods, sentence
):
    write_run(project)
    paths = [project / f"mvclust/estimators/{module}.py" for module in modules]
    edit(paths, "# A comment\n")
    assert said(project) == "2 methods computed by the code here; made at commit 0123456789ab"
    edit(paths, "y = 2\n")
    assert stale.standings(project)["made"].stale == methods
    assert [today for today, _ in stale.findings(project)] == [False]
    assert said(project).startswith(f"{sentence}; made")


def test_a_row_of_other_code_and_another_or_no_class_make_a_method_stale(project):
    runs = runs_of()
    made = code_of_methods(runs)
    assert stale.stale_methods(made, METHODS | {"One": METHODS["Two"]}) == ["One"]
    assert stale.stale_methods(made, {}) == []  # methods that a run brought in a file of its own
    runs.loc[3, "code"] = "0" * 16
    assert stale.stale_methods(code_of_methods(runs), METHODS) == ["Two"]
    (project / "mvclust/estimators/two.py").unlink()
    digest.forget()
    assert stale.stale_methods(made, METHODS) == ["Two"]


def test_the_program_that_a_method_runs_counts(project, tmp_path):
    script = tmp_path / "cluster.m"
    script.write_text("1")
    command = f"octave {script}"
    code = stale.code_of(METHODS["One"], [{"command": command}])
    runs = runs_of().assign(param_command=[command, None] * 2)
    runs.loc[runs["method"] == "One", "code"] = code
    made = code_of_methods(runs)
    assert stale.stale_methods(made, METHODS) == []
    script.write_text("2")
    assert stale.stale_methods(made, METHODS) == ["One"]
    made["One"]["commands"] = ["octave 'cluster.m", "a" * 300]
    assert stale.stale_methods(made, METHODS) == ["One"]


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_a_commit_outside_the_history_is_told(project):
    def git(*words):
        line = ["git", "-C", project, "-c", "user.name=a", "-c", "user.email=a@b", *words]
        return subprocess.run(line, capture_output=True, text=True, check=True).stdout

    def finding():
        ((today, line),) = stale.findings(project)
        return today, line.partition(" at commit ")[2]

    folder = write_run(project)
    assert finding() == (True, "0123456789ab")  # no repository: not known
    git("init")
    git("commit", "--allow-empty", "-m", "x")
    assert finding() == (False, "0123456789ab, which is not in the history")
    head = git("rev-parse", "HEAD").strip()
    (folder / "manifest.json").write_text(json.dumps({"commit": f"{head}+changes"}))
    assert finding() == (False, head[:12])  # it does not say its code
