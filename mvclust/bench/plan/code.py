"""The code that the fits of a class run, as a digest."""

from __future__ import annotations

import re
import shlex
from functools import cache
from importlib import metadata
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING

from mvclust.bench.config.finding import ask
from mvclust.bench.record.digest import code_hash, digest_of, is_ours, module_file

if TYPE_CHECKING:
    from collections.abc import Iterable


def code_of(estimator: str, points: Iterable[dict]) -> str:
    """Digest of all code that the fits of a class ("package.module.Class") run.

    This is its module with its imports, of another package also its distribution and version, and
    the content of the files that a parameter ``command`` names.
    """
    read = {file: digest_of(Path(file).read_bytes().hex()) for file in files_of(points)}
    module = module_of(estimator)
    own = code_hash(module) if module else ""  # compiled: its version has to do
    if is_ours(estimator):
        return digest_of([own, read]) if read else own
    versions = [f"{name} {version}" for name, version in versions_of(estimator).items()]
    return digest_of([own, versions, read])


def module_of(estimator: str) -> str | None:
    """Module with the code of a class; None for a compiled one."""
    if is_ours(estimator):
        return estimator.rpartition(".")[0]
    module = ask(estimator, attrgetter("__module__"))
    return module if module_file(module) else None


def files_of(points: Iterable[dict]) -> list[str]:
    """Files named by commands among the parameters of fits, sorted."""
    commands = {point["command"] for point in points if "command" in point}
    return sorted({w for command in commands for w in shlex.split(command) if Path(w).is_file()})


def versions_of(estimator: str) -> dict[str, str]:
    """Versions of the distributions of a class of another package; empty for mvclust."""
    if is_ours(estimator):
        return {}
    return dict(distributions_of(estimator.partition(".")[0]))


@cache
def distributions_of(package: str) -> list[tuple[str, str]]:
    """Names and versions of the installed distributions that contain a package, sorted.

    Like `importlib.metadata.packages_distributions`, which parses the files of all distributions.
    """
    file = re.compile(rf"^{re.escape(package)}(/.*)?\.py,", re.MULTILINE)
    return sorted(
        (each.name, each.version)
        for each in metadata.distributions()
        if package in (each.read_text("top_level.txt") or "").split()
        or file.search(each.read_text("RECORD") or "")
    )


def installed(packages: Iterable[str]) -> dict[str, str | None]:
    """Versions of packages, None if not installed.

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
