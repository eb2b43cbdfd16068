"""The documentation site: built without a warning, without broken links and without network."""

import dataclasses
import importlib
import inspect
import os
import pkgutil
import re
import subprocess
import sys
from html.parser import HTMLParser
from urllib.parse import unquote

import pytest
from helpers import ROOT

import mvclust.estimators

pytest.importorskip("numpydoc", reason="the extra docs is not installed: no numpydoc")
pytest.importorskip("sphinx", reason="the extra docs is not installed: no Sphinx")
from numpydoc.validate import Validator, validate

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


class Page(HTMLParser):
    """The anchors of a page, its links, and what it loads."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.loaded = set(), [], re.findall(r"@import|url\((.*?)\)", text)
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.ids |= {attrs[key] for key in ("id", "name") if attrs.get(key)}
        if tag == "a" and attrs.get("href"):
            self.links.append(attrs["href"])
        elif tag != "a":
            keys = ("src", "href", "data", "poster", "srcset", "action")
            self.loaded += [attrs[key] for key in keys if attrs.get(key) and ":" not in tag]


def read_site(folder):
    """Path of each page below a folder -> its `Page`."""
    return {path: Page(path.read_text(encoding="utf-8")) for path in sorted(folder.rglob("*.html"))}


def is_elsewhere(target):
    return re.match(r"\w+:|//", target) is not None


def broken_links(pages):
    """Links within the site to a file or an anchor that is not there, and parts of pages too."""
    broken = []
    for path, page in pages.items():
        for target in [*page.links, *page.loaded]:
            if is_elsewhere(target):
                continue
            file, _, anchor = unquote(target).partition("#")
            file = file.partition("?")[0]
            leads_to = (path.parent / file).resolve() if file else path
            known = pages.get(leads_to)
            if not leads_to.is_file() or (known and anchor and anchor not in known.ids):
                broken.append((path.name, target))
    return broken


def loads_from_elsewhere(folder, pages):
    """What pages, styles and scripts of a site load from another host."""
    found = [
        (path.name, target)
        for path, page in pages.items()
        for target in page.loaded
        if is_elsewhere(target) and not target.startswith("data:")
    ]
    # Scripts may name addresses in comments; what loads is a string that begins with one.
    patterns = {".css": r"(?:@import\s+|url\(\s*)[\"']?((?:https?:)?//[^\"')]+)"}
    patterns[".js"] = r"(?:fetch|import|src\s*=|open)\s*\(?\s*[\"'`]((?:https?:)?//[^\"'`]+)"
    for path in sorted(folder.rglob("*")):
        if path.suffix in patterns:
            text = path.read_text(encoding="utf-8")
            found += [(path.name, target) for target in re.findall(patterns[path.suffix], text)]
    return found


def reached(pages, start):
    """The pages that links lead to, beginning at one."""
    waiting, done = [start], set()
    while waiting:
        path = waiting.pop()
        if path in done:
            continue
        done.add(path)
        targets = [unquote(target).partition("#")[0] for target in pages[path].links]
        found = {(path.parent / target).resolve() for target in targets if not is_elsewhere(target)}
        waiting += sorted(found & pages.keys())
    return done


def test_the_checks_of_a_site_find_mistakes(tmp_path):
    (tmp_path / "good.html").write_text(
        "<p id='a'></p><a href='bad.html#b'>b</a><a href='#a'>a</a>"
    )
    (tmp_path / "bad.html").write_text(
        "<a href='none.html'></a><a href='good.html#none'></a><img src='none.png'>"
        "<b id='b'></b><script src='https://host/x.js'></script><a href='https://host'></a>"
    )
    (tmp_path / "alone.html").write_text("<style>p { background: url(//host/y.png) }</style>")
    (tmp_path / "x.css").write_text("@import 'https://host/z.css';")
    pages = read_site(tmp_path)
    targets = [target for _, target in broken_links(pages)]
    assert targets == ["none.html", "good.html#none", "none.png"]
    hosts = [target for _, target in loads_from_elsewhere(tmp_path, pages)]
    assert hosts == ["//host/y.png", "https://host/x.js", "https://host/z.css"]
    assert {path.stem for path in reached(pages, tmp_path / "good.html")} == {"good", "bad"}


def test_the_site_is_whole(tmp_path):
    """One test, so that the site is built once."""
    built = tmp_path / "html"
    done = subprocess.run(
        [sys.executable, ROOT / "docs/make_site.py", built],
        env=os.environ | {"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-8000:]
    pages = read_site(built)
    assert not broken_links(pages)
    assert not loads_from_elsewhere(built, pages)
    left = {
        p.relative_to(built).as_posix() for p in pages.keys() - reached(pages, built / "index.html")
    }
    assert left == {"search.html"}  # which the form of every page opens
    for path in [
        *sorted((ROOT / "docs").glob("*.md")),
        *sorted((ROOT / "docs/methods").glob("*.md")),
    ]:
        assert built / path.relative_to(ROOT).with_suffix(".html") in pages
    for name in mvclust.__all__:
        if name not in make_site.INTERNAL:
            page = pages[built / f"api/mvclust.{name}.html"]
            assert {f"mvclust.{name}", f"module-mvclust.{name}"} & page.ids
    objective = (built / "docs/methods/daimc.html").read_text(encoding="utf-8")
    assert "<math" in objective
    assert not re.search(r"\$\$|\\(top|sum|min)\b", objective)
    assert "https://doi.org" not in (built / "citing.html").read_text(
        encoding="utf-8"
    ) or "doi" in (ROOT / "paper.bib").read_text(encoding="utf-8")


def faults_of(name):
    """What numpydoc finds wrong with a docstring, without the checks that are left out."""
    doc = Validator._load_obj(name)
    text = inspect.getdoc(doc) or ""
    mathematics = name.startswith("mvclust.numerics.")
    faults = []
    for code, message in validate(name)["errors"]:
        if code in LEFT_OUT:
            continue
        if code == "PR01" and not needs_parameters(doc):
            continue
        if code == "RT01" and "\nParameters\n---" not in text:
            continue
        if code in ("PR07", "PR08", "RT04") and (mathematics or name in STEPS):
            continue  # a matrix of mathematics is said by its shape, a letter of a paper is small
        if code == "PR07" and message.startswith('Parameter "y" '):
            continue  # scikit-learn asks for it, and nothing reads it
        faults.append(f"{code}: {message}")
    return faults


def needs_parameters(found):
    """Whether a Parameters section is asked for: fields of tuples are under Attributes."""
    if inspect.isclass(found):
        return not (dataclasses.is_dataclass(found) or issubclass(found, tuple))
    return len([name for name in inspect.signature(found).parameters if name != "self"]) > 1


def test_the_checks_that_are_left_out_exist():
    from numpydoc.validate import ERROR_MSGS

    assert LEFT_OUT.keys() < ERROR_MSGS.keys()


@pytest.mark.parametrize("name", sorted(NAMES.keys() | STEPS))
def test_docstring_is_as_numpydoc_asks(name):
    assert not faults_of(name)


@pytest.mark.parametrize(
    "name", [n for n in mvclust.__all__ if not inspect.ismodule(getattr(mvclust, n))]
)
def test_names_of_mvclust_have_examples(name):
    assert ">>> " in inspect.getdoc(getattr(mvclust, name)).partition("\nExamples\n")[2]
