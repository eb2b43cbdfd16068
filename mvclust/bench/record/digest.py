"""What a rule uses, as a short digest: its slice of the plan, and the code that it runs."""

import hashlib
import importlib.util
import json
import os
from functools import cache
from pathlib import Path

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


@cache
def code_hash(*modules):
    """Hash what modules compute, with all of their package and of mvclust that they import.

    Snakemake does not see edits in modules that a script imports; with this hash in a rule's
    params it reruns what an edit concerns. The hash is taken over syntax trees without docstrings
    and comments, so that only an edit of code changes it. A file beside a module that has its name
    and another ending, or whose name stands in it (a template, a style, a script), counts with its
    bytes.

    Parameters
    ----------
    *modules : str
        Dotted names, for example "mvclust.estimators.daimc".

    Returns
    -------
    str
        16 hexadecimal digits.

    Raises
    ------
    LookupError
        If one of the modules does not exist.
    """
    found = {}
    for module in modules:
        if module_file(module) is None:
            raise LookupError(f"there is no module '{module}'")
        _collect(module, found)
    text = hashlib.sha256()
    for name in sorted(found):
        text.update(name.encode() + b"\0" + found[name] + b"\0")
    return text.hexdigest()[:16]


def modules_of(module):
    """Names of a module and of those of its package, and of mvclust, that it imports, sorted.

    Imports count at any depth.

    Examples
    --------
    >>> modules_of("mvclust.extras")
    ['mvclust.extras']
    """
    found = {}
    _collect(module, found)
    return sorted(found)


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


@cache
def file_hash(path):
    """Hash of one Python file, without docstrings and comments, and without what it imports."""
    return _content(Path(path), Path(path).stem)[0].hex()[:16]


def _collect(module, found):
    path = module_file(module)
    if path is None or module in found:
        return
    found[module], imported = _content(path, module)
    for name in imported:
        _collect(name, found)


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
