"""What a rule uses, as a short digest: its slice of the plan, and the code that it runs."""

import ast
import hashlib
import importlib.util
import json
import os
from functools import cache
from pathlib import Path

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
    return hashlib.sha256(text.encode()).hexdigest()[:16]


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
    bare, imported, texts = _read(path.read_bytes(), package)
    assets = [
        asset
        for asset in sorted(path.parent.iterdir())
        if asset.suffix != ".py" and (asset.stem == path.stem or asset.name in texts)
    ]
    content = b"\0".join([bare, *(asset.read_bytes() for asset in assets if asset.is_file())])
    top = module.partition(".")[0]
    followed = [name for name in imported if is_ours(name) or name.partition(".")[0] == top]
    return hashlib.sha256(content).digest(), sorted(followed)


def _read(source, package):
    """The syntax tree without docstrings, comments and places; imports; constant texts.

    The tree is written in one pass as `ast.dump` of Python 3.11 writes it. Later versions leave out
    what is empty, so that with their `ast.dump` all code would count as edited.
    """
    parts, imported, texts = [], set(), set()
    put = parts.append

    def write(node):
        if isinstance(node, ast.AST):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                texts.add(node.value)
            elif isinstance(node, ast.Import | ast.ImportFrom):
                imported.update(_imported(node, package))
            separator = f"{type(node).__name__}("
            for name, value in _fields(node):
                put(f"{separator}{name}=")
                write(value)
                separator = ", "
            put(")" if separator == ", " else f"{separator})")
        elif isinstance(node, list):
            separator = "["
            for item in node:
                put(separator)
                write(item)
                separator = ", "
            put("]" if node else "[]")
        else:
            put(repr(node))

    write(ast.parse(source))
    return "".join(parts).encode(), imported, texts


def _fields(node):
    """Names and values of what a node holds, without docstrings."""
    for name in node._fields:
        value = getattr(node, name, None)
        if name == "body" and isinstance(value, list):
            value = [part for part in value if not _is_text(part)]
        if value is None and not (name == "value" and isinstance(node, ast.Constant)):
            continue
        if name == "type_params" and not value:  # 3.11 has no such field
            continue
        yield name, value


def _imported(node, package):
    """Names of the modules that an import may load."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if not isinstance(node, ast.ImportFrom):
        return []
    start = node.module or ""
    if node.level:  # from .base import ..., from . import base
        above = package.split(".")
        above = above[: len(above) - node.level + 1]
        start = ".".join([*above, *filter(None, [node.module])])
    return [start, *(f"{start}.{alias.name}" for alias in node.names)]


def _is_text(node):
    """A text that stands alone, such as a docstring, computes nothing."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )
