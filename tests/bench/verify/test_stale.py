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


def edit(path, text):
    path.write_text(text)
    digest.forget()


def runs_of(methods=METHODS):
    """A table of runs of the code as it is: two fits per method."""
    rows = [
        {"method": name, "estimator": of, "code": stale.code_of(of, [])}
        for name, of in methods.items()
    ]
    return pd.DataFrame(rows * 2)


def write_run(project, name="made", code=True):
    """A results folder, made by the code as it is."""
    folder = project / "results" / name
    folder.mkdir(parents=True)
    manifest = {"commit": "0123456789abcdef"}
    manifest |= {"code": code_of_methods(runs_of())} if code else {}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return folder


def said(project):
    (line,) = map(stale.sentence, stale.standings(project).values())
    return line


@pytest.mark.parametrize(
    ("module", "methods"), [("one", ["One"]), ("two", ["Two"]), ("shared", ["Two"])]
)
def test_an_edit_makes_those_methods_stale_that_compute_with_it(project, module, methods):
    write_run(project)
    assert said(project) == "2 methods computed by the code here; made at commit 0123456789ab"
    path = project / f"mvclust/estimators/{module}.py"
    edit(path, path.read_text() + "# A comment\n")
    assert stale.standings(project)["made"].stale == []
    edit(path, path.read_text() + "y = 2\n")
    assert stale.standings(project)["made"].stale == methods
    assert [today for today, _ in stale.findings(project)] == [False]
    assert said(project).startswith(f"1 of 2 methods computed by other code: {methods[0]}; made")


def test_none_or_all_methods_are_said_in_words(project):
    folder = write_run(project, code=False)
    assert said(project).startswith("does not say which code computed its methods; made at")
    shutil.rmtree(folder)
    write_run(project)
    edit(project / "mvclust/estimators/one.py", "class One: x = 1\n")
    edit(project / "mvclust/estimators/two.py", "class Two: pass\n")
    assert said(project).startswith("all of 2 methods computed by other code; made")


def test_a_single_row_of_other_code_makes_a_method_stale(project):
    runs = runs_of()
    runs.loc[3, "code"] = "0" * 16
    assert stale.stale_methods(code_of_methods(runs), METHODS) == ["Two"]


def test_a_method_of_another_or_of_no_class_is_stale(project):
    made = code_of_methods(runs_of())
    assert stale.stale_methods(made, METHODS | {"One": METHODS["Two"]}) == ["One"]
    assert stale.stale_methods(made, {}) == []  # methods that a run brought in a file of its own
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


def test_a_damaged_manifest_says_nothing(project):
    folder = write_run(project)
    (folder / "manifest.json").write_text("{")
    assert said(project) == "does not say which code computed its methods"
    assert [today for today, _ in stale.findings(project)] == [False]


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_a_commit_outside_the_history_is_told(project):
    folder = write_run(project)
    ((today, line),) = stale.findings(project)
    assert today
    assert line.endswith("made at commit 0123456789ab")  # no repository: not known
    git = ["git", "-C", str(project), "-c", "user.name=a", "-c", "user.email=a@b"]
    for words in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "x"]):
        subprocess.run([*git, *words], check=True)
    ((today, line),) = stale.findings(project)
    assert not today
    assert line.startswith("results/made: 2 methods")
    assert line.endswith("made at commit 0123456789ab, which is not in the history")
    head = subprocess.run([*git, "rev-parse", "HEAD"], capture_output=True, text=True, check=True)
    manifest = {"commit": head.stdout.strip() + "+changes"}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    ((today, line),) = stale.findings(project)
    assert not today  # it does not say its code
    assert line.endswith(f"made at commit {head.stdout[:12]}")
