"""Methods that other packages bring: their classes, their code, their entries in the catalogue."""

import importlib
import inspect
import shlex
from functools import cache
from importlib import metadata
from pathlib import Path

from mvclust.pipeline.plan.digest import (
    class_parameters,
    code_hash,
    digest_of,
    is_ours,
    module_file,
)
from mvclust.pipeline.plan.located import Document

ENTRY_POINTS = "mvclust.methods"


def parameters_of(estimator):
    """Names of the constructor's parameters; a class of another package is imported for it.

    Parameters
    ----------
    estimator : str
        "package.module.Class".

    Returns
    -------
    list of str or None
        None for a constructor that takes any.

    Raises
    ------
    LookupError
        With a sentence that says what is missing.
    """
    if is_ours(estimator):
        return class_parameters(estimator)
    try:
        parameters = inspect.signature(find_class(estimator)).parameters.values()
    except ValueError as error:  # some classes of compiled code
        raise LookupError(f"the parameters of '{estimator}' cannot be read: {error}") from error
    if any(p.kind is p.VAR_KEYWORD for p in parameters):
        return None
    return [p.name for p in parameters]


@cache
def find_class(estimator):
    """The class of a dotted name.

    Raises
    ------
    LookupError
        With a sentence that says what is missing.
    """
    module, _, name = estimator.rpartition(".")
    try:
        found = getattr(importlib.import_module(module), name, None)
    except Exception as error:  # whatever its code does when it is imported
        if isinstance(error, ModuleNotFoundError) and module.startswith(str(error.name)):
            raise LookupError(
                f"there is no module '{module}'; is its package installed, or on PYTHONPATH"
            ) from error
        raise LookupError(
            f"the module '{module}' cannot be imported: {type(error).__name__}: {error}"
        ) from error
    if not inspect.isclass(found):
        raise LookupError(f"module '{module}' has no class '{name}'")
    return found


def code_of(estimator, points):
    """Digest of all code that the fits of a class run.

    Of a class of mvclust, its module with what that imports. Of another, also the name and version
    of the distribution that brings it. A word of a parameter ``command`` that names a file counts
    with the content of the file.

    Parameters
    ----------
    estimator : str
        "package.module.Class".
    points : iterable of dict
        The parameters of the fits.

    Returns
    -------
    str
        16 hexadecimal digits.
    """
    commands = {point["command"] for point in points if "command" in point}
    files = {w for command in commands for w in shlex.split(command) if Path(w).is_file()}
    read = {file: digest_of(Path(file).read_bytes().hex()) for file in sorted(files)}
    if is_ours(estimator):
        own = code_hash(estimator.rpartition(".")[0])
        return digest_of([own, read]) if read else own
    module = find_class(estimator).__module__
    own = code_hash(module) if module_file(module) else ""  # compiled: its version has to do
    versions = [f"{name} {version}" for name, version in versions_of(estimator).items()]
    return digest_of([own, versions, read])


def versions_of(estimator):
    """Versions of the distributions that bring a class of another package.

    Parameters
    ----------
    estimator : str
        "package.module.Class".

    Returns
    -------
    dict
        Name -> version; empty for a class of mvclust.
    """
    if is_ours(estimator):
        return {}
    brought = distributions().get(estimator.partition(".")[0], [])
    return {name: metadata.version(name) for name in sorted(set(brought))}


@cache
def distributions():
    """Package -> names of the installed distributions that bring it; they are searched once."""
    return metadata.packages_distributions()


def entry_points():
    """What installed distributions offer under the group ``mvclust.methods``: key -> entry point.

    Nothing is imported.
    """
    return {point.name: point for point in metadata.entry_points(group=ENTRY_POINTS)}


def read_entry_point(point):
    """The entry that an entry point names, as a document of one method.

    Parameters
    ----------
    point : importlib.metadata.EntryPoint
        Its object is a dict with the keys of an entry in ``config/methods.yaml``.

    Returns
    -------
    Document
    """
    path = f"entry point {point.value} ({point.dist.name if point.dist else 'unknown'})"
    try:
        entry = point.load()
    except Exception as error:
        problem = f"{path}: {point.name} cannot be imported: {type(error).__name__}: {error}."
        return Document(path, {}, None, [problem])
    return Document(path, {point.name: entry}, None, [])
