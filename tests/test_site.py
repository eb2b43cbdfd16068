"""The documentation site: built without a warning and without network; docstrings."""

import dataclasses
import importlib
import inspect
import os
import pkgutil
import re
import subprocess
import sys

import pytest
from helpers import ROOT

import mvclust.estimators

pytest.importorskip("numpydoc", reason="the extra docs is not installed: no numpydoc")
pytest.importorskip("sphinx", reason="the extra docs is not installed: no Sphinx")
from numpydoc.validate import ERROR_MSGS, Validator, validate

from docs import make_site

# Checks of numpydoc that are left out, with the reason; the two functions below relax two more.
LEFT_OUT = {
    "SA01": "related names are linked in the text",
    "ES01": "a summary may say all",
    "EX01": "names of mvclust itself need examples, which another test asks for; others may",
    "RT03": "a type may say all, such as self, or a tuple that has a page",
    "RT02": "it takes two names on one line for the type of one value",
    "SS02": "k-means begins with a small letter",
    "SS05": "it takes nouns in the plural for verbs",
}
NAMES = {
    f"{found.__module__}.{found.__qualname__}": found
    for members in make_site.public_names().values()
    for found in members.values()
}
for owner in [found for found in NAMES.values() if inspect.isclass(found)]:
    for member in make_site.members_of(owner):
        found = getattr(owner, member)
        found = found.fget if isinstance(found, property) else found
        if found.__module__.startswith("mvclust."):
            NAMES[f"{found.__module__}.{found.__qualname__}"] = found

# The steps of the methods: functions of the modules of estimators that say their parameters.
STEPS = {
    f"mvclust.estimators.{module}.{name}"
    for module in (found.name for found in pkgutil.iter_modules(mvclust.estimators.__path__))
    for name, step in vars(importlib.import_module(f"mvclust.estimators.{module}")).items()
    if inspect.isfunction(step)
    and step.__module__ == f"mvclust.estimators.{module}"
    and not name.startswith("_")
    and "\nParameters\n---" in (inspect.getdoc(step) or "")
} - NAMES.keys()


# What loads a file from another host: an attribute of a tag that is no link, a rule of a style,
# or a string of a script that begins with an address (comments of scripts may name addresses).
HOST = r"((?:https?:)?//[^\"'`)]+)"
TAG = rf"<(?!a\s)\w+\s[^>]*?(?:src|href|data|poster|srcset|action)=[\"']{HOST}"
STYLE = rf"(?:@import\s+|url\(\s*)[\"']?{HOST}"
SCRIPT = rf"(?:fetch|import|src\s*=|open)\s*\(?\s*[\"'`]{HOST}"
LOADS = {".html": f"{TAG}|{STYLE}", ".css": STYLE, ".js": SCRIPT}


def loads_from_elsewhere(folder):
    """What pages, styles and scripts of a site load from another host."""
    return [
        (path.name, "".join(match.groups("")))
        for path in sorted(folder.rglob("*"))
        if path.suffix in LOADS
        for match in re.finditer(LOADS[path.suffix], path.read_text(encoding="utf-8"))
    ]


def test_what_is_loaded_from_elsewhere_is_found(tmp_path):
    (tmp_path / "alone.html").write_text("<style>p { background: url(//host/y.png) }</style>")
    (tmp_path / "bad.html").write_text(
        "<a href='https://host'></a><img src='here.png'><script src='https://host/x.js'></script>"
    )
    (tmp_path / "x.css").write_text("@import 'https://host/z.css';")
    hosts = [target for _, target in loads_from_elsewhere(tmp_path)]
    assert hosts == ["//host/y.png", "https://host/x.js", "https://host/z.css"]


def test_the_site_is_whole(tmp_path):
    """Sphinx finds links and anchors that lead nowhere, and pages that nothing leads to."""
    built = tmp_path / "html"
    done = subprocess.run(
        [sys.executable, ROOT / "docs/make_site.py", built],
        env=os.environ | {"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-8000:]
    assert not loads_from_elsewhere(built)
    docs = ROOT / "docs"
    for path in [*docs.glob("*.md"), *docs.glob("methods/*.md")]:
        assert (built / path.relative_to(ROOT).with_suffix(".html")).is_file()
    for name in set(mvclust.__all__) - {*make_site.INTERNAL}:
        text = (built / f"api/mvclust.{name}.html").read_text(encoding="utf-8")
        assert re.search(rf'id="(module-)?mvclust\.{name}"', text)
    objective = (built / "docs/methods/daimc.html").read_text(encoding="utf-8")
    assert "<math" in objective
    assert not re.search(r"\$\$|\\(top|sum|min)\b", objective)


def faults_of(name):
    """What numpydoc finds wrong with a docstring, without the checks that are left out."""
    doc = Validator._load_obj(name)
    text = inspect.getdoc(doc) or ""
    faults = []
    for code, message in validate(name)["errors"]:
        if code in LEFT_OUT:
            continue
        if code == "PR01" and not needs_parameters(doc):
            continue
        if code in ("RT01", "YD01") and "\nParameters\n---" not in text:
            continue
        if code in ("PR07", "PR08", "RT04") and name in STEPS:
            continue  # a matrix of mathematics is said by its shape, a letter of a paper is small
        if code == "PR07" and message.startswith('Parameter "y" '):
            continue  # scikit-learn asks for it, and nothing reads it
        faults.append(f"{code}: {message}")
    return faults


def needs_parameters(found):
    """Whether a Parameters section is asked for: fields of tuples are under Attributes."""
    if found.__module__.startswith(("mvclust.numerics.", "mvclust.estimators.base")):
        return False  # internal: prose gives the shapes
    if inspect.isclass(found):
        return not (dataclasses.is_dataclass(found) or issubclass(found, tuple))
    return len([name for name in inspect.signature(found).parameters if name != "self"]) > 1


@pytest.mark.parametrize("name", sorted(NAMES.keys() | STEPS))
def test_docstring_is_as_numpydoc_asks(name):
    assert LEFT_OUT.keys() < ERROR_MSGS.keys()
    assert not faults_of(name)


@pytest.mark.parametrize(
    "name", [n for n in mvclust.__all__ if not inspect.ismodule(getattr(mvclust, n))]
)
def test_names_of_mvclust_have_examples(name):
    assert ">>> " in inspect.getdoc(getattr(mvclust, name)).partition("\nExamples\n")[2]
