"""Code hashes cover what a module computes with, at any depth, and nothing else."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from helpers import ROOT, write_package

from mvclust.bench.record import digest, syntax
from mvclust.bench.record.digest import OF_JOBS, OF_NAMES, code_hash, parts_of
from mvclust.bench.record.syntax import FILE, Kept, read


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package of its own: one imports core relatively, two imports it and other absolutely."""
    core = {"core": '"""Core."""\nx = 1  # one\n', "other": "y = 1\n"}
    folder = write_package(tmp_path / "mvclust", core)
    two = "import mvclust.other\nfrom mvclust import core\n\ndef g():\n    from . import base\n"
    methods = {"base": 'def f():\n    """Give one."""\n    return 1\n'}
    methods |= {"one": "from ..core import x\nfrom .base import f\n"}
    write_package(folder / "methods", methods | {"two": two + 'SCRIPTS = ("parts.js",)\n'})
    for name in ("one.html", "parts.js"):  # a template beside a module, and a file that one names
        (folder / "methods" / name).write_text("a")
    monkeypatch.setattr(digest, "PACKAGE", folder)
    yield folder
    digest.forget()


def hashes():
    digest.forget()
    return {name: code_hash(f"mvclust.methods.{name}") for name in ("one", "two")}


@pytest.mark.parametrize(
    ("file", "text", "changed"),
    [
        ("core.py", "x = 2\n", {"one", "two"}),
        ("methods/base.py", "def f():\n    return 2\n", {"one", "two"}),
        ("other.py", "y = 2\n", {"two"}),
        ("core.py", '"""Another text."""\n\nx = 1\n\n# and a comment\n', set()),
        ("methods/base.py", 'def f():\n    """Give 1."""\n    return 1  # 1\n', set()),
        ("methods/one.py", "from .base import f\nfrom ..core import x\n", {"one"}),
        ("methods/one.html", "b", {"one"}),
        ("methods/parts.js", "b", {"two"}),
    ],
)
def test_an_edit_changes_the_hashes_that_it_concerns(package, file, text, changed):
    before = hashes()
    (package / file).write_text(text)
    assert {name for name, _ in hashes().items() - before.items()} == changed


def test_a_tree_is_written_alike_by_every_version_of_python():
    """3.12 adds fields, 3.13 leaves out empty ones."""
    source = b'def f(x=None):\n    """F."""\n    return "a", []\n'
    written, imported, texts = read(source, "m")
    assert written.decode() == (
        "Module(body=[FunctionDef(name='f', args=arguments(posonlyargs=[], args=[arg(arg='x')], "
        "kwonlyargs=[], kw_defaults=[], defaults=[Constant(value=None)]), body=[Return(value=Tuple("
        "elts=[Constant(value='a'), List(elts=[], ctx=Load())], ctx=Load()))], "
        "decorator_list=[])], type_ignores=[])"
    )
    assert (imported, texts) == (set(), {"a"})


def test_the_page_depends_on_its_scripts_styles_and_template(monkeypatch):
    folder = digest.PACKAGE / "bench" / "report"
    assets = [path for path in folder.iterdir() if path.suffix in (".js", ".css", ".j2")]
    assert len(assets) >= 3
    digest._content.cache_clear()
    read, before = Path.read_bytes, code_hash("mvclust.bench.report.page")
    for asset in assets:
        digest.forget()
        other = {asset: read(asset) + b" "}
        monkeypatch.setattr(Path, "read_bytes", lambda p, other=other: other.get(p) or read(p))
        assert code_hash("mvclust.bench.report.page") != before, asset.name
    monkeypatch.undo()
    digest.forget()


def test_a_script_is_known_without_its_comments(tmp_path):
    def hash_of(text):
        (tmp_path / "script.py").write_text(text)
        digest.forget()
        return code_hash(script=tmp_path / "script.py")

    plain = hash_of("x = 1\n")
    assert hash_of('"""Says."""\n\nx = 1  # one\n') == plain != hash_of("x = 2\n")


def test_a_fit_depends_on_nothing_that_cannot_change_its_numbers():
    """Neither on readers, nor on how fits are planned, timed, recorded or drawn."""
    modules = set(parts_of("mvclust.estimators.daimc", "mvclust.bench.fit.fits"))
    assert {"mvclust.estimators.base", "mvclust.bench.fit.adapt_views"} <= modules
    allowed = {"plan.seeds", "plan.settings", "config.protocols"}
    rooms = "|".join(f"bench.{room}." for room in ("record", "plan", "config", "score", "report"))
    wrong = {m for m in modules if re.match(rf"mvclust\.({rooms}|datasets\.readers)", m)}
    assert wrong <= {f"mvclust.bench.{name}" for name in allowed}


@pytest.mark.parametrize("module", ["score.runs", "score.tuning", "report.render", "fit.masks"])
def test_what_comes_before_and_after_the_fits_depends_on_no_estimator_or_reader(module):
    wrong = ("mvclust.estimators", "mvclust.datasets.readers", "mvclust.bench.record")
    modules = parts_of(f"mvclust.bench.{module}")
    assert modules
    assert not [name for name in modules if name.startswith(wrong)]


IMPORTED = """
import ast, json, sys
tree = ast.parse(open(sys.argv[1]).read())
tree.body = [node for node in tree.body if isinstance(node, (ast.Import, ast.ImportFrom))]
exec(compile(tree, "script", "exec"))
print(json.dumps([name for name in sys.modules if name.partition(".")[0] == "mvclust"]))
"""
SCRIPTS = sorted(Path(ROOT, "workflow/scripts").glob("*.py"))


@pytest.mark.usefixtures("warm_python")
@pytest.mark.parametrize("script", SCRIPTS, ids=[path.stem for path in SCRIPTS])
def test_every_module_that_a_script_imports_counts(script):
    """But for those that say how the job went, and packages that hold names alone."""
    line = [sys.executable, "-c", IMPORTED, str(script)]
    imported = json.loads(subprocess.run(line, capture_output=True, check=True).stdout)
    for name in {*imported} - {*parts_of(script=script), *parts_of(OF_JOBS), *OF_NAMES}:
        assert digest.module_file(name).name == "__init__.py", name
        assert parts_of(name)[name].computed == digest.NOTHING, name


def test_a_name_that_a_package_loads_on_first_use_is_followed(tmp_path):
    (tmp_path / "script.py").write_text("from mvclust import DAIMC\n")
    assert "mvclust.estimators.daimc" in parts_of(script=tmp_path / "script.py")


def test_digest_does_not_depend_on_the_order_of_keys():
    assert digest.digest_of({"a": 1, "b": [1, 2]}) == digest.digest_of({"b": [1, 2], "a": 1})
    assert digest.digest_of({"a": [1, 2]}) != digest.digest_of({"a": [2, 1]})


# What was read of a file is taken again for the same bytes, and for no others.
ONE = b'"""One."""\nfrom .base import f\nNAMES = "a.js", "not/a name"\n'
OTHER = b"from .base import g\n"


@pytest.fixture
def saved(tmp_path):
    """A folder with what was read of one file."""
    kept = Kept()
    kept.facts(ONE, "mvclust")
    kept.save(tmp_path)
    return tmp_path


def recalled(folder):
    kept = Kept()
    kept.recall(folder)
    return kept


def test_the_same_bytes_are_not_read_again(saved, monkeypatch):
    before = Kept().facts(ONE, "mvclust")
    assert before[1:] == (["mvclust.base", "mvclust.base.f"], ["a.js"])
    from_above = Kept().facts(b"from ..base import f\n", "mvclust.own")
    assert from_above[1] == before[1]
    monkeypatch.setattr(syntax, "read", None)
    assert tuple(recalled(saved).facts(ONE, "mvclust")) == before


@pytest.mark.parametrize(("source", "package"), [(OTHER, "mvclust"), (ONE, "mvclust.numerics")])
def test_other_bytes_and_another_package_are(source, package, saved):
    assert recalled(saved).facts(source, package) == Kept().facts(source, package)


def test_a_damaged_file_or_that_of_another_reader_says_nothing(saved, monkeypatch):
    text = (saved / FILE).read_text()
    changes = [text.replace("base", "case", 1), text.replace("\n", "", 1)]
    for damaged in ("", "[]", text[: len(text) // 2], *changes):
        (saved / FILE).write_text(damaged)
        assert damaged != text
        assert recalled(saved).earlier == {}
    (saved / FILE).write_text(text)
    assert recalled(saved).earlier
    monkeypatch.setattr(syntax.sys, "version_info", (3, 99))  # or a later version of mvclust
    assert recalled(saved).earlier == {}


def test_the_file_stays_small(saved, monkeypatch):
    monkeypatch.setattr(syntax, "MOST", 1)
    kept = recalled(saved)
    kept.facts(OTHER, "mvclust")
    kept.save(saved)
    assert recalled(saved).earlier.keys() == kept.used.keys()


PLAIN = b"import json\ndef f(x, *y, z=1):\n    a = 1\n    return a\nb = 2\n"
PLAIN += b"class A:\n    def f(self, x): return 1\n"
TYPED = b"""from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mvclust.base import Base

def f(x: Base, *y: "a.js", z: int = 1) -> dict[str, Base]:
    a: int = 1
    return a
b: int = 2

class A:
    def f(self, x: int) -> int:
        return 1
"""


def test_annotations_of_functions_methods_and_variables_compute_nothing():
    plain, typed = (read(source, "mvclust") for source in (PLAIN, TYPED))
    assert typed == plain


@pytest.mark.parametrize(
    "source",
    [
        "class A(NamedTuple):\n    x: {} = 1\n",
        "def f():\n    class A(BaseModel):\n        x: {}\n",
        "@draw.register\ndef f(kind: {}):\n    return 1\n",
        "@validate_call()\ndef f(x: {}):\n    return 1\n",
    ],
    ids=["field", "field in a function", "dispatch", "validation"],
)
def test_annotations_that_decide_what_happens_count(source):
    one, other = (read(source.format(kind).encode(), "") for kind in ("int", "float"))
    assert one[0] != other[0]
