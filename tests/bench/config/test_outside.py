"""Methods of other packages: found, checked, known by their code, added to experiments."""

import importlib
import json
import subprocess
import sys

import pytest
from bench.planned import digests, mistakes_in, plan_of
from helpers import write_package

from mvclust.bench.config import classes, finding
from mvclust.bench.config.load import ConfigError, load
from mvclust.bench.plan.code import code_of, distributions_of, versions_of
from mvclust.bench.record import digest

CODE = """
from strange.helper import first

class Strange:
    def __init__(self, n_clusters, weight=1.0):
        self.n_clusters, self.weight = n_clusters, weight

    def fit(self, Xs):
        self.labels_ = first(Xs[0], self.n_clusters)
        return self
"""
HELPER = "def first(X, k):\n    return [row % k for row in range(len(X))]\n"
ENTRY = """
Strange:
  estimator: strange.methods.Strange
  default: {weight: 1.0}
  grid: {weight: [1.0, 2.0]}
"""
OFFER = "ENTRY = {'estimator': 'strange.methods.Strange', 'fixed': {'weight': 3.0}}\n"


@pytest.fixture
def package(tmp_path, monkeypatch):
    """An installed distribution, "strange 1.2", that offers the method Offered by entry point."""
    modules = {"methods": CODE, "helper": HELPER, "offer": OFFER}
    folder = write_package(tmp_path / "site" / "strange", modules)
    about = tmp_path / "site" / "strange-1.2.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: strange\nVersion: 1.2\n")
    (about / "RECORD").write_text("strange/__init__.py,,\n")
    (about / "entry_points.txt").write_text("[mvclust.methods]\nStrange = strange.offer:ENTRY\n")
    monkeypatch.syspath_prepend(tmp_path / "site")
    forget()
    yield folder
    forget()


def forget():
    for name in [name for name in sys.modules if name.partition(".")[0] == "strange"]:
        del sys.modules[name]
    importlib.invalidate_caches()
    digest.forget()
    for cached in digest._top_level, classes._code_of, finding.find_class, distributions_of:
        cached.cache_clear()


def science_with(project, text, **changes):
    (project / "mine.yaml").write_text(text)
    return load(changes | {"methods_files": [str(project / "mine.yaml")]}, project)


@pytest.mark.parametrize("command", ["3", "null", '"octave \'a.m"', '""'])
def test_a_command_that_no_shell_takes_is_a_mistake(project, package, command):
    (package / "methods.py").write_text(CODE.replace("weight=1.0", "command, weight=1.0"))
    text = f"{ENTRY}  fixed: {{command: {command}}}\n"
    (problem,) = mistakes_in(science_with, project, text, add_methods=["Strange"])
    assert "fixed.command: expected a program and its arguments as in a shell, got" in problem


def test_a_class_of_another_package_is_added_where_methods_are_compared(project, package):
    plan = plan_of(science_with(project, ENTRY, add_methods=["Strange"]))
    jobs = [job for job in plan.slices["fit"].values() if "Strange" in job["methods"]]
    assert {job["methods"]["Strange"]["estimator"] for job in jobs} == {"strange.methods.Strange"}
    assert {fit[3]["weight"] for job in jobs for fit in job["fits"]} == {1.0, 2.0}
    uses = plan.slices["experiment"]
    last = {name: use["methods"][-1]["label"] for name, use in uses.items()}
    having = {name for name in uses if last[name] == "Strange"}
    assert having == {n for n, use in uses.items() if not use["sweep"]} != set(uses)


def test_an_edit_of_its_code_concerns_its_fits_alone(project, package):
    def fits():
        forget()
        return digests(plan_of(science_with(project, ENTRY, add_methods=["Strange"])), "fit")

    before = fits()
    (package / "helper.py").write_text(HELPER.replace("% k", "% 2"))
    after = fits()
    changed = {name for name in before if before[name] != after[name]}
    assert changed == {name for name in before if "Strange" in before[name]["methods"]}
    for name in changed:  # as the journals know them
        assert before[name]["methods"]["Strange"] != after[name]["methods"]["Strange"]


def test_paths_are_those_of_the_file_that_names_them(project, package, monkeypatch):
    (project / "config/mine.yaml").write_text(ENTRY)
    config = {"run": "own", "methods_files": ["../mine.yaml"], "add_methods": ["Strange"]}
    run = project / "config/runs/own.yaml"
    run.write_text(json.dumps(config))
    monkeypatch.chdir(package)
    assert "Strange" in load(config, project, [run]).methods
    with pytest.raises(ConfigError, match="there is no such file"):
        load(config, project, [run], {"methods_files": ["../mine.yaml"]})


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("strange.method.Strange", "no module 'strange.method'; is its package install"),
        ("Strange", "the dotted name of a class, package.module.Class"),
    ],
)
def test_a_mistake_is_named(project, package, name, said):
    text = ENTRY.replace("strange.methods.Strange", name)
    assert said in "\n".join(mistakes_in(science_with, project, text))


def test_an_entry_point_is_read_where_it_is_named(project, package):
    assert "Strange" not in load({}, project).methods
    assert "strange.offer" not in sys.modules
    methods = load({"add_methods": ["Strange"]}, project).methods
    assert methods["Strange"].fixed == {"weight": 3.0}


@pytest.mark.fault("a class of one's own that does not let itself be imported")
@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("def f(:\n    pass\n", "cannot be imported: {file}:1: invalid syntax"),
        ("x = 1\n  y = 2\n", "cannot be imported: {file}:2: unexpected indent"),
        ("x = '\0'\n", "cannot be imported: "),
        ("import sys\nsys.exit(0)\n", "cannot be imported: it calls sys.exit(0) ({file}:2)"),
        ("import sys\nraise RuntimeError('no licence')\n", "imported: RuntimeError: no licence"),
        ("raise GeneratorExit('no')\n", "cannot be imported: GeneratorExit: no"),
        ("import os\nos._exit(0)\n", "'strange.methods' ends the process that imports it"),
        ("import os\nos.kill(os.getpid(), 9)\n", "ends the process that imports it"),
    ],
)
def test_a_class_that_cannot_be_imported_is_one_sentence(project, package, code, said):
    (package / "methods.py").write_text(code)
    (problem,) = mistakes_in(science_with, project, ENTRY)
    assert said.format(file=package / "methods.py") in problem
    assert "mine.yaml:3: Strange.estimator" in problem


@pytest.mark.parametrize(
    ("states", "said"),
    [
        ("_parameter_constraints = 'x'", "dictionary update sequence element"),
        ("_parameter_constraints = {'weight': [object()]}", "Unknown constraint type"),
        ("view_tags = {'n_views': 2}", "vars() argument must have __dict__"),
        ("view_tags = Strange(2, n_views='two')", "n_views of its view_tags is no whole number"),
        ("view_tags = Strange(2, sparse=print)", "not JSON serializable"),
    ],
)
def test_what_a_class_states_wrongly_is_one_sentence(project, package, states, said, capfd):
    takes = "def __init__(self, n_clusters, weight=1.0, **more):\n        vars(self).update(more)"
    text = CODE.replace("def __init__(self, n_clusters, weight=1.0):", takes)
    (package / "methods.py").write_text(f"{text}\nStrange.{states}\n")
    (problem,) = mistakes_in(science_with, project, ENTRY, add_methods=["Strange"])
    assert "Strange.estimator: what 'strange.methods.Strange' states cannot be read: " in problem
    assert said in problem
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.fault("a class that changes functions of Python when it is imported")
def test_what_an_import_changes_stays_out_of_the_plan(project, package):
    clean = plan_of(science_with(project, ENTRY)).slices
    forget()
    patch = "import json\njson.dumps = json.loads = None\n"
    (package / "methods.py").write_text(patch + CODE)
    plan = plan_of(science_with(project, ENTRY)).slices
    assert json.dumps is not None
    assert "strange.methods" not in sys.modules
    assert plan["download"] == clean["download"]


@pytest.mark.parametrize(
    ("offer", "said"),
    [
        ("import nowhere_at_all\n", "Strange cannot be imported: ModuleNotFoundError"),
        ("ENTRY = {'estimater': 'a.B'}\n", "(strange): Strange.estimater: unknown key 'estimater'"),
        ("ENTRY = 3\n", "expected"),
    ],
)
def test_an_entry_point_with_a_mistake_is_named(project, package, offer, said):
    (package / "offer.py").write_text(offer)
    text = "\n".join(mistakes_in(load, {"add_methods": ["Strange"]}, project))
    assert said in text
    assert "entry point strange.offer:ENTRY (strange)" in text


def test_another_version_is_other_code_and_a_docstring_is_not(package):
    def edited(path, old, new):
        path.write_text(path.read_text().replace(old, new, 1))
        forget()
        return code_of("strange.methods.Strange", [{}])

    assert versions_of("strange.methods.Strange") == {"strange": "1.2"}
    assert versions_of("mvclust.estimators.pvc.PVC") == {}
    before = code_of("strange.methods.Strange", [{}])
    assert edited(package / "helper.py", "def", '"""Says what is first."""\n\ndef') == before
    assert edited(package.parent / "strange-1.2.dist-info" / "METADATA", "1.2", "1.3") != before


def test_a_class_without_a_readable_constructor_is_refused_unless_it_takes_any(project, package):
    text = "range:\n  estimator: builtins.range\n"
    (problem,) = mistakes_in(science_with, project, text)
    assert "range.estimator: the parameters of 'builtins.range' cannot be read" in problem
    (package / "methods.py").write_text(CODE.replace("weight=1.0", "**more"))
    assert "Strange" in science_with(project, ENTRY).methods


def test_a_process_that_imports_a_class_ends_with_its_parent_even_if_that_is_killed():
    program = """
import os
from mvclust.bench.config.finding import apart
print(apart("json", os.getpid), flush=True)
os.kill(os.getpid(), 9)
"""
    # The output stays open, and is waited for, while a process lives that can write to it.
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=60).stdout
    assert told.strip().isdigit()
