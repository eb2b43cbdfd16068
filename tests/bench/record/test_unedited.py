"""What a job writes is by the code of its plan, or it is refused."""

import importlib
import os
import subprocess
import sys
import time

import pytest
from helpers import write_package

from mvclust.bench.fit.journal import Journal
from mvclust.bench.record import digest, unedited
from mvclust.bench.record.parent import VARIABLE
from mvclust.bench.record.unedited import Edited, Unedited
from mvclust.datasets.files import completed, writing_only_if


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package, and a script that imports a part of it; long before the job begins."""
    modules = {"first": "x = 1\n", "later": "y = 1\n"}
    folder = write_package(tmp_path / "edited_soon", modules)
    (folder / "first.css").write_text("a {}\n")
    script = "import edited_soon.first\n"
    (tmp_path / "script.py").write_text(script)
    (tmp_path / "copy.py").write_text(f"# preamble\n{script}")
    (tmp_path / "program.sh").write_text("echo 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    digest._top_level.cache_clear()
    yield folder
    for name in [name for name in sys.modules if name.startswith("edited_soon")]:
        del sys.modules[name]
    digest.forget()


def begin(folder, planned=None, began=None):
    """A job that begins now, by a plan of now."""
    slice_ = {"modules": ["edited_soon.first", "edited_soon.later"], "files": ["program.sh"]}
    script = folder.parent / "script.py"
    digest.forget()
    code = digest.code_hash(*slice_["modules"], script=script, files=("program.sh",))
    began = time.time() + 1 if began is None else began
    content = slice_ | {"code": planned or code}
    unedited = Unedited(content, script, folder.parent / "copy.py", began)
    time.sleep(0.02)  # the clock of a file system has coarse steps
    return unedited, code


def test_an_edit_after_the_plan_and_a_script_that_was_copied_edited_are_named(package):
    _, planned = begin(package)
    (package / "later.py").write_text("y = 2\n")
    with pytest.raises(Edited, match=r"later\.py was edited after the run began; run again"):
        begin(package, planned)
    (package.parent / "copy.py").write_text("# preamble\nimport other\n")
    with pytest.raises(Edited, match=r"script\.py"):
        begin(package)


@pytest.mark.parametrize("file", ["first.py", "first.css", "later.py", "../program.sh"])
def test_an_edit_during_the_work_is_named(package, file):
    code, _ = begin(package)
    path = package / file
    path.write_text("z = 2\n")
    with pytest.raises(Edited, match=f"{path.name} was edited"):
        code.check()


def test_a_comment_never_counts_and_an_edit_that_is_taken_back_where_it_may_have_been_read(package):
    code, _ = begin(package)
    importlib.import_module("edited_soon.first")
    code.check()
    (package / "first.py").write_text("x = 1  # a comment\n")
    code.check()
    later = package / "later.py"
    later.write_text("y = 2\n")
    later.write_text("y = 1\n")
    code.check()  # nothing has read it
    later.write_text("y = 2\n")
    importlib.import_module("edited_soon.later")
    later.write_text("y = 1\n")
    with pytest.raises(Edited, match=r"later\.py"):
        code.check()


def test_an_edit_that_is_taken_back_while_the_job_begins_counts(package, monkeypatch):
    hour_ago = time.time() - 3600
    with monkeypatch.context() as patch:  # a clock that was set back is no edit
        patch.setattr(unedited.time, "time", lambda: hour_ago)
        begin(package, began=hour_ago)[0].check()
    began = time.time()
    for number in (2, 1):
        (package / "first.py").write_text(f"x = {number}\n")
    with pytest.raises(Edited, match=r"first\.py"):
        begin(package, began=began)


def test_what_is_refused_leaves_what_was_there(tmp_path):
    path, journal = tmp_path / "table.csv", Journal(tmp_path / "j.jsonl")
    path.write_text("old")
    journal.append("one", {"error": None})

    def refuse():
        raise Edited("a.py")

    with writing_only_if(refuse):
        with pytest.raises(Edited), completed(path) as unfinished:
            unfinished.write_text("new")
        with pytest.raises(Edited):
            journal.append("two", {"error": None})
    assert path.read_text() == "old"
    assert list(Journal(journal.path).rows) == ["one"]
    journal.append("two", {"error": None})  # nothing is refused any more


ORPHAN = """
import sys, time
class Snakemake:
    __module__ = "snakemake.script"
    scriptdir = "."
snakemake = Snakemake()
import mvclust.bench
print("goes on", flush=True)
time.sleep(60)
"""
STARTER = """
import os, subprocess, sys
from mvclust.bench.record.parent import VARIABLE, note_snakemake
note_snakemake()
print(os.environ[VARIABLE], flush=True)
if sys.argv[1:]:
    subprocess.Popen([sys.executable, "-c", sys.argv[1]]).wait()
"""


@pytest.mark.fault("kill -9 of Snakemake while a job imports")
def test_a_job_whose_snakemake_is_gone_ends_with_its_first_instruction():
    pipes = {"capture_output": True, "text": True, "timeout": 30}
    starter = subprocess.run([sys.executable, "-c", STARTER], check=True, **pipes)
    variables = os.environ | {VARIABLE: starter.stdout.strip()}
    job = subprocess.run([sys.executable, "-c", ORPHAN], env=variables, check=False, **pipes)
    assert (job.returncode, job.stdout) == (1, "")


@pytest.mark.fault("kill -9 of Snakemake while a job works")
def test_a_job_ends_soon_after_its_snakemake():
    line = [sys.executable, "-c", STARTER, ORPHAN]
    process = subprocess.Popen(line, stdout=subprocess.PIPE, text=True)
    process.stdout.readline()  # the variable
    assert process.stdout.readline() == "goes on\n"
    process.kill()
    assert process.communicate(timeout=20)[0] == ""  # the pipe is closed: the job has ended too
