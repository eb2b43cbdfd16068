"""Read code without importing it: what a module depends on, what an estimator takes."""

import ast
import hashlib
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]


@cache
def code_hash(*modules):
    """Hash the source of modules and of every mvclust module that they import, at any depth.

    Snakemake does not see edits in modules that a script imports; this hash in ``params:`` lets
    it rerun just what an edit concerns.

    Parameters
    ----------
    *modules : str
        Dotted names within the package, for example "mvclust.estimators.daimc".
    """
    found = {}
    for module in modules:
        _collect(module, found)
    digest = hashlib.sha256()
    for name in sorted(found):
        digest.update(name.encode() + b"\0" + found[name] + b"\0")
    return digest.hexdigest()[:16]


def module_file(module):
    """The file of a dotted module name within the package, or None."""
    parts = module.split(".")
    if parts[0] != PACKAGE.name:
        return None
    base = PACKAGE.joinpath(*parts[1:])
    for path in (base.with_suffix(".py"), base / "__init__.py"):
        if path.is_file():
            return path
    return None


def class_parameters(estimator):
    """Names of the constructor's parameters of "package.module.Class", without importing it.

    Raises
    ------
    LookupError
        With a sentence that says whether the module or the class is missing.
    """
    module, _, name = estimator.rpartition(".")
    path = module_file(module)
    if path is None:
        raise LookupError(f"there is no module '{module}'")
    classes = {node.name: node for node in _parse(path).body if isinstance(node, ast.ClassDef)}
    if name not in classes:
        raise LookupError(
            f"module '{module}' has no class '{name}', only {', '.join(sorted(classes)) or 'none'}"
        )
    for node in classes[name].body:
        if isinstance(node, ast.FunctionDef) and node.name == "__init__":
            arguments = [*node.args.args, *node.args.kwonlyargs]
            return [a.arg for a in arguments if a.arg != "self"]
    raise LookupError(f"class '{name}' has no __init__ of its own")


@cache
def _parse(path):
    return ast.parse(path.read_bytes(), filename=str(path))


def _collect(module, found):
    path = module_file(module)
    if path is None or module in found:
        return
    assets = sorted(path.parent.glob(f"{path.stem}.*"))  # page.py has a template
    found[module] = b"\0".join(asset.read_bytes() for asset in assets)
    for node in ast.walk(_parse(path)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                _collect(alias.name, found)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            _collect(node.module, found)
            for alias in node.names:
                _collect(f"{node.module}.{alias.name}", found)
