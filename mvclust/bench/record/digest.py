"""What a rule uses, as a short digest: its slice of the plan, and the code that it runs."""

from __future__ import annotations

import ast
import importlib.util
import json
import os
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from mvclust.bench.record.syntax import KEPT, hash_of, read

PACKAGE = Path(__file__).resolve().parents[2]


def is_ours(name: str) -> bool:
    """Whether a dotted name belongs to mvclust."""
    return name.partition(".")[0] == PACKAGE.name


def digest_of(data: object) -> str:
    """Digest of JSON data, independent of the order of its keys."""
    text = json.dumps(data, sort_keys=True)
    return hash_of(text.encode())[:16]


# What scripts import to say how a job went. It changes no result, so what a script follows from
# leaves it out; what else imports its parts follows from them.
OF_JOBS = "mvclust.bench.record.log"

# Packages whose own file offers the names of other modules and computes nothing.
OF_NAMES = ("mvclust", "mvclust.bench", "mvclust.datasets", "mvclust.datasets.images")
NOTHING = bytes.fromhex(hash_of(read(b"", "")[0]))  # what an empty file computes


class Part(NamedTuple):
    """A file of code with the files that it reads, and what they compute."""

    files: list
    computed: bytes


@cache
def code_hash(*modules: str, script: Path | str | None = None, files: tuple[str, ...] = ()) -> str:
    """Hash what modules and a script compute, with all their imports of their packages and ours.

    The hash is taken over syntax trees without docstrings, comments and annotations. A file next to
    a module with its name and another suffix, or whose name the module contains (a template, a
    style, a script), counts with its bytes, as do `files`; LookupError without a module.
    """
    text = sha256()
    for name, part in sorted(parts_of(*modules, script=script, files=files).items()):
        text.update(name.encode() + b"\0" + part.computed + b"\0")
    return text.hexdigest()[:16]


def parts_of(
    *modules: str, script: Path | str | None = None, files: tuple[str, ...] = ()
) -> dict[str, Part]:
    """Part of each name that `code_hash` covers; imports count at any depth."""
    found = {}
    for module in modules:
        if module_file(module) is None:
            raise LookupError(f"there is no module '{module}'")
        _collect(module, found)
    if script is not None:
        found["script"], imported = _content(Path(script), "script")
        for name in imported:
            if name != OF_JOBS:
                _collect(name, found)
    for file in files:
        found[file] = Part([Path(file).absolute()], sha256(Path(file).read_bytes()).digest())
    return found


def computed_now(name: str, part: Part) -> bytes:
    """Read again what a module of `parts_of` computes."""
    return _content.__wrapped__(part.files[0], name)[0].computed


def forget() -> None:
    """Forget all code, so that it is read again."""
    code_hash.cache_clear()
    _modules_of_names.cache_clear()
    _content.cache_clear()


def module_file(module: str) -> Path | None:
    """Python file of a dotted module name, without importing it, or None."""
    top, *below = module.split(".")
    for start in [PACKAGE] if is_ours(module) else _top_level(top):
        base = start.joinpath(*below)
        for path in (base.with_suffix(".py"), base / "__init__.py"):
            if os.path.isfile(path):  # False for a name that is too long, where Path raises
                return path
    return None


@cache
def _top_level(name: str) -> list[Path]:
    """Folders of another package, or the file of a module without its suffix."""
    try:
        found = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return []
    if found is None:
        return []
    if found.submodule_search_locations is not None:
        return [Path(folder) for folder in found.submodule_search_locations]
    return [Path(found.origin).with_suffix("")] if found.has_location else []  # pyright: ignore[reportArgumentType]


def _collect(module: str, found: dict[str, Part]) -> None:
    path = module_file(module)
    if path is None:  # a name, perhaps one that its package loads on first use
        package, _, name = module.rpartition(".")
        module = _modules_of_names(package).get(name, "") if package in OF_NAMES else ""
        path = module_file(module)
    if path is None or module in found:
        return
    found[module], imported = _content(path, module)
    for name in [*imported, *_package_of(module)]:
        _collect(name, found)


@cache
def _modules_of_names(package: str) -> dict[str, str]:
    """Modules by the names that a package loads lazily (`lazy_loader`)."""
    modules = {}
    stub = module_file(package).with_suffix(".pyi")
    for node in ast.parse(stub.read_bytes()).body if stub.is_file() else []:
        if isinstance(node, ast.ImportFrom) and node.module:
            names = (each.name for each in node.names)
            modules |= dict.fromkeys(names, f"{package}.{node.module}")
    return modules


def _package_of(module: str) -> list[str]:
    """Package of a module of ours, whose file Python runs first, if that computes anything."""
    package = module.rpartition(".")[0]
    if not is_ours(module) or package in ("", *OF_NAMES):
        return []
    path = module_file(package)
    return [] if path is None or _content(path, package)[0].computed == NOTHING else [package]


@cache
def _content(path: Path, module: str) -> tuple[Part, list[str]]:
    """Part of a module, and the names of the modules that it may load."""
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    source = path.read_bytes()
    computed, imported, names = KEPT.facts(source, package)
    assets = [
        asset
        for asset in sorted(path.parent.iterdir())
        if asset.suffix not in {".py", ".pyi"}
        and (asset.stem == path.stem or asset.name in names)
        and asset.is_file()
    ]
    if assets:
        parts = [read(source, package)[0], *(asset.read_bytes() for asset in assets)]
        computed = hash_of(b"\0".join(parts))
    top = module.partition(".")[0]
    followed = [name for name in imported if is_ours(name) or name.partition(".")[0] == top]
    return Part([path, *assets], bytes.fromhex(computed)), sorted(followed)
