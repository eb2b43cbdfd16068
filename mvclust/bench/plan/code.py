"""The code that the fits of a class run, as a digest."""

import re
import shlex
from functools import cache
from importlib import metadata
from pathlib import Path

from mvclust.bench.config.finding import ask
from mvclust.bench.record.digest import code_hash, digest_of, is_ours, module_file


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
    read = {file: digest_of(Path(file).read_bytes().hex()) for file in files_of(points)}
    module = module_of(estimator)
    own = code_hash(module) if module else ""  # compiled: its version has to do
    if is_ours(estimator):
        return digest_of([own, read]) if read else own
    versions = [f"{name} {version}" for name, version in versions_of(estimator).items()]
    return digest_of([own, versions, read])


def module_of(estimator):
    """The module with the code of a class; None for a compiled one."""
    if is_ours(estimator):
        return estimator.rpartition(".")[0]
    module = ask(estimator, _module_of_class)
    return module if module_file(module) else None


def _module_of_class(class_):
    return class_.__module__


def files_of(points):
    """Files that commands among the parameters of fits name, sorted."""
    commands = {point["command"] for point in points if "command" in point}
    return sorted({w for command in commands for w in shlex.split(command) if Path(w).is_file()})


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
    return dict(distributions_of(estimator.partition(".")[0]))


@cache
def distributions_of(package):
    """Names and versions of the installed distributions that bring a package, sorted.

    As `importlib.metadata.packages_distributions`, which parses the files of all distributions.
    """
    file = re.compile(rf"^{re.escape(package)}(/.*)?\.py,", re.MULTILINE)
    return sorted(
        (each.name, each.version)
        for each in metadata.distributions()
        if package in (each.read_text("top_level.txt") or "").split()
        or file.search(each.read_text("RECORD") or "")
    )


def installed(packages):
    """Versions of packages.

    Parameters
    ----------
    packages : list of str

    Returns
    -------
    dict
        Package -> version, None if it is not installed.

    Examples
    --------
    >>> installed(["no-such-package"])
    {'no-such-package': None}
    """
    versions = {}
    for package in packages:
        try:
            versions[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            versions[package] = None
    return versions
