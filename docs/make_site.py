"""Build the documentation site, without network: python docs/make_site.py [FOLDER]

The pages are the Markdown files of this repository. They are copied, with all that they link to,
to docs/_build/source, beside the pages that are made here: the API by the public names of mvclust,
and whom to cite. Sphinx then builds docs/_build/html, or another folder; a warning is an error.
"""

import importlib
import inspect
import pkgutil
import re
import shutil
import subprocess
import sys
from pathlib import Path

import mvclust
from docs.make_methods import entries_of, references_of
from docs.pages import DOCS, ROOT, pages_of_methods

SITE = DOCS / "site"
PAGES = ["README.md", "CONTRIBUTING.md", "CODE_OF_CONDUCT.md", "CHANGELOG.md"]
PAGES += ["config/README.md", "profiles/README.md"]
# Modules whose names are for whoever works on mvclust; the others of the second list have no page.
CONTRIBUTORS = ["estimators.base", "numerics"]
INTERNAL = ["bench", "estimators", "numerics", "own"]


def make_site(built: Path) -> int:
    """Write the sources beside a folder, and the pages into it; 0 if there was no warning."""
    source = built.with_name("source")
    for folder in (source, built):
        shutil.rmtree(folder, ignore_errors=True)
    copy_pages(source)
    write_api(source / "api")
    text = (SITE / "citing.md").read_text(encoding="utf-8")
    (source / "citing.md").write_text(text + papers_of_methods(), encoding="utf-8")
    shutil.copy(SITE / "index.rst", source)
    shutil.copytree(SITE / "static", source / "_static")
    shutil.copy(SITE / "conf.py", source)
    command = [sys.executable, "-m", "sphinx", "--fail-on-warning", "--quiet", "--fresh-env"]
    folders = ["--doctree-dir", built.with_name("doctrees"), source, built]
    return subprocess.run([*command, *folders], check=False).returncode


def copy_pages(target):
    """Copy the pages and every file of this repository that one of them links to."""
    waiting = {*DOCS.glob("*.md"), *DOCS.glob("methods/*.md"), *(ROOT / name for name in PAGES)}
    done = set()
    while waiting:
        path = waiting.pop()
        done.add(path)
        copy = target / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)
        if path.parent.name == "tables" or path.name == "paper.md":
            text = path.read_text(encoding="utf-8")  # which others link to, and no menu lists
            rest = text[4:] if text.startswith("---\n") else f"---\n\n{text}"
            copy.write_text(f"---\norphan: true\n{rest}", encoding="utf-8")
        if path.suffix == ".md":
            targets = re.findall(r"\]\(([^)#\s]+)", path.read_text(encoding="utf-8"))
            files = {(path.parent / target).resolve() for target in targets if "://" not in target}
            waiting |= {f for f in files if f.is_file() and f.is_relative_to(ROOT)} - done


def public_names() -> dict[str, dict]:
    """Module -> {name -> class or function}, each name once, in the order of the pages."""
    exported = {name: getattr(mvclust, name) for name in sorted(mvclust.__all__)}
    own = {name: found for name, found in exported.items() if not inspect.ismodule(found)}
    modules = [f"mvclust.{n}" for n in exported if n not in own and n not in INTERNAL]
    names = {"mvclust": own}
    for package in [*modules, *(f"mvclust.{name}" for name in CONTRIBUTORS)]:
        module = importlib.import_module(package)
        parts = [package]
        if hasattr(module, "__path__") and not hasattr(module, "__all__"):  # it exports no names
            parts = [f"{package}.{below.name}" for below in pkgutil.iter_modules(module.__path__)]
        for name in parts:
            found = {n: f for n, f in _names_of(name).items() if f not in own.values()}
            if found or name in modules:
                names[name] = found
    return names


def _names_of(name):
    module = importlib.import_module(name)
    own = [n for n, f in vars(module).items() if getattr(f, "__module__", "") == name]
    names = getattr(module, "__all__", None) or own
    found = {name: getattr(module, name) for name in names if not name.startswith("_")}
    return {n: f for n, f in found.items() if inspect.isclass(f) or inspect.isfunction(f)}


def write_api(folder):
    """Write one page per name of mvclust and one per module, and a page that lists them."""
    folder.mkdir(parents=True)
    names = public_names()
    pages = {name: page for page, classes in pages_of_methods().items() for name in classes}
    own = names.pop("mvclust")
    for name, found in own.items():
        text = f"{_title(name)}.. py:currentmodule:: mvclust\n\n{_entry(name, found)}"
        if name in pages:
            text += f"\nSee :doc:`the page of the method </docs/methods/{pages[name]}>`.\n"
        (folder / f"mvclust.{name}.rst").write_text(text, encoding="utf-8")
    for module, found in names.items():
        text = f"{_title(module)}.. automodule:: {module}\n\n"
        text += "".join(_entry(name, one) + "\n" for name, one in found.items())
        homes = {name: f"{one.__module__}." for name, one in own.items()}
        also = [f":py:obj:`mvclust.{n}`" for n in own if homes[n].startswith(f"{module}.")]
        text += f"Also in this module: {', '.join(also)}.\n" if also else ""
        (folder / f"{module}.rst").write_text(text, encoding="utf-8")
    (folder / "index.rst").write_text(_list(own, names), encoding="utf-8")


def _title(text, line="="):
    return f"{text}\n{line * len(text)}\n\n"


def _entry(name, found):
    if not inspect.isclass(found):
        return f".. autofunction:: {name}\n"
    members = members_of(found)
    text = f".. autoclass:: {name}\n"
    return text + f"   :members: {', '.join(members)}\n" if members else text


def members_of(owner):
    """Methods and properties of a class on its page: not scikit-learn's or every estimator's."""
    names = [name for name in dir(owner) if not name.startswith("_")]
    return [name for name in names if name == "fit_predict" or _is_own(owner, name)]


def _is_own(owner, name):
    member = inspect.getattr_static(owner, name)
    function = getattr(member, "fget", member)
    home = getattr(function, "__module__", None) or ""
    inherited = home == "mvclust.estimators.base" != owner.__module__
    return callable(function) and home.startswith("mvclust.") and not inherited


def _list(own, modules):
    """The page with every name and its first sentence."""
    tables = {"Estimators": {}, "Functions": {}, "Modules": {}, "For new methods": {}}
    for name, found in own.items():
        tables["Estimators" if inspect.isclass(found) else "Functions"][f"mvclust.{name}"] = found
    for name in modules:
        base = re.match(rf"mvclust\.({'|'.join(CONTRIBUTORS)})\b", name)
        tables["For new methods" if base else "Modules"][name] = importlib.import_module(name)
    text = _title("API")
    text += "Every public name of mvclust, from its docstring; see also the :ref:`genindex`.\n\n"
    for head, rows in tables.items():
        text += _title(head, "-") + ".. list-table::\n   :widths: 30 70\n\n"
        for name, found in rows.items():
            first = re.split(r"(?<=\.)\s|\n\n", inspect.getdoc(found))[0]
            text += f"   * - :doc:`{name}`\n     - {' '.join(first.split())}\n"
        text += "\n.. toctree::\n   :hidden:\n\n" + "".join(f"   {name}\n" for name in rows) + "\n"
    return text


def papers_of_methods():
    """Markdown: the papers of each method by its docstring, with their entries of paper.bib."""
    text = ""
    for name, found in public_names()["mvclust"].items():
        lines = "".join(f"- {reference.strip()}\n" for reference in references_of(found))
        text += f"\n### {name}\n\n{lines}" if lines else ""
        entries = "\n\n".join(entry for _, entry in entries_of(found))
        text += f"\n```bibtex\n{entries}\n```\n" if entries else ""
    return text


if __name__ == "__main__":
    sys.exit(make_site(Path(sys.argv[1] if sys.argv[1:] else DOCS / "_build/html").resolve()))
