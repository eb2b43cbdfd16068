"""What a rule uses, as a short digest: its slice of the plan, and the code that it runs."""

import hashlib
import importlib.util
import json
import os
from functools import cache
from pathlib import Path
from typing import NamedTuple

from mvclust.bench.record.syntax import KEPT, hash_of, read

PACKAGE = Path(__file__).resolve().parents[2]


def is_ours(name):
    """Whether a dotted name is one of mvclust.

    Examples
    --------
    >>> is_ours("mvclust.estimators.pvc.PVC"), is_ours("imml.cluster.DAIMC")
    (True, False)
    """
    return name.partition(".")[0] == PACKAGE.name


def digest_of(data):
    """Digest of JSON data, whatever the order of its keys.

    Examples
    --------
    >>> digest_of({"a": 1, "b": [2]}) == digest_of({"b": [2], "a": 1})
    True
    """
    text = json.dumps(data, sort_keys=True)
    return hash_of(text.encode())[:16]


# What scripts import to say how a job went. It changes no result, so what a script follows from
# leaves it out; what else imports its parts follows from them.
OF_JOBS = "mvclust.bench.record.log"

# Packages whose own file offers names and computes nothing.
OF_NAMES = ("mvclust", "mvclust.bench", "mvclust.datasets", "mvclust.datasets.images")
NOTHING = bytes.fromhex(hash_of(read(b"", "")[0]))  # what an empty file computes


class Part(NamedTuple):
    """A file of code: where it is, and what it computes, as bytes."""

    path: Path
    computed: bytes


@cache
def code_hash(*modules, script=None, files=()):
    """Hash what modules and a script compute, with all that they import of their packages and ours.

    Snakemake does not see edits in modules that a script imports; with this hash in a rule's
    params it reruns what an edit concerns. The hash is taken over syntax trees without docstrings
    and comments, so that only an edit of code changes it. A file beside a module that has its name
    and another ending, or whose name stands in it (a template, a style, a script), counts with its
    bytes.

    Parameters
    ----------
    *modules : str
        Dotted names, for example "mvclust.estimators.daimc".
    script : path-like, default=None
        A file that imports modules but `OF_JOBS`.
    files : tuple of str, default=()
        Other files, with their bytes.

    Returns
    -------
    str
        16 hexadecimal digits.

    Raises
    ------
    LookupError
        If one of the modules does not exist.
    """
    text = hashlib.sha256()
    for name, part in sorted(parts_of(*modules, script=script, files=files).items()):
        text.update(name.encode() + b"\0" + part.computed + b"\0")
    return text.hexdigest()[:16]


def parts_of(*modules, script=None, files=()):
    """Name -> Part of all that `code_hash` is taken over; imports count at any depth.

    Examples
    --------
    >>> list(parts_of("mvclust.extras"))
    ['mvclust.extras']
    """
    found = {}
    for module in modules:
        if module_file(module) is None:
            raise LookupError(f"there is no module '{module}'")
        _collect(module, found)
    if script is not None:
        computed, imported = _content(Path(script), "script")
        found["script"] = Part(Path(script), computed)
        for name in imported:
            if name != OF_JOBS:
                _collect(name, found)
    for file in files:
        found[file] = Part(Path(file), hashlib.sha256(Path(file).read_bytes()).digest())
    return found


def computed_now(name, path):
    """What the file of a `Part` computes, read anew."""
    if path.suffix != ".py":
        return hashlib.sha256(path.read_bytes()).digest()
    return _content.__wrapped__(path, name)[0]


def forget():
    """Read all code anew when it is asked for next."""
    code_hash.cache_clear()
    _content.cache_clear()


def module_file(module):
    """The Python file of a dotted module name, without importing it, or None."""
    top, *below = module.split(".")
    for start in [PACKAGE] if is_ours(module) else _top_level(top):
        base = start.joinpath(*below)
        for path in (base.with_suffix(".py"), base / "__init__.py"):
            if os.path.isfile(path):  # False for a name that is too long, where Path raises
                return path
    return None


@cache
def _top_level(name):
    """The folders of another package, or the file of a module without its ending."""
    try:
        found = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return []
    if found is None:
        return []
    if found.submodule_search_locations is not None:
        return [Path(folder) for folder in found.submodule_search_locations]
    return [Path(found.origin).with_suffix("")] if found.has_location else []


def _collect(module, found):
    path = module_file(module)
    if path is None or module in found:
        return
    computed, imported = _content(path, module)
    found[module] = Part(path, computed)
    for name in [*imported, *_package_of(module)]:
        _collect(name, found)


def _package_of(module):
    """The package of a module of ours, whose file Python runs first, if that computes anything."""
    package = module.rpartition(".")[0]
    if not is_ours(module) or package in ("", *OF_NAMES):
        return []
    path = module_file(package)
    return [] if path is None or _content(path, package)[0] == NOTHING else [package]


@cache
def _content(path, module):
    """What a module's file computes, as bytes, and the names of the modules that it may load."""
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    source = path.read_bytes()
    computed, imported, names = KEPT.facts(source, package)
    assets = [
        asset
        for asset in sorted(path.parent.iterdir())
        if asset.suffix != ".py"
        and (asset.stem == path.stem or asset.name in names)
        and asset.is_file()
    ]
    if assets:
        parts = [read(source, package)[0], *(asset.read_bytes() for asset in assets)]
        computed = hash_of(b"\0".join(parts))
    top = module.partition(".")[0]
    followed = [name for name in imported if is_ours(name) or name.partition(".")[0] == top]
    return bytes.fromhex(computed), sorted(followed)
