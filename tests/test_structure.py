"""Who imports whom: rooms only those below them, estimators not each other, no private names."""

import ast
import importlib
import re
import subprocess
import sys

import pytest
from helpers import ROOT

from mvclust.estimators.base import MultiViewClusterer

PACKAGE = ROOT / "mvclust"
DEEP = {"apadc", "completer", "cpspan", "dsimvc", "proimp"}  # methods
# Modules of estimators that are no method.
SHARED = {"anchor_steps", "base", "constraints", "links", "new_samples", "steps", "tensor_steps"}

# Rooms from the lowest to the highest: a module imports its own room and lower ones. All that is
# not named here is the library, below all of them.
LEVELS = (
    # What all rooms of the benchmark write.
    ("bench.arithmetic", "bench.record.digest", "bench.record.records", "bench.record.syntax"),
    ("bench.config",),
    ("bench.plan",),
    ("bench.fit", "bench.record"),  # beside each other
    ("bench.score",),
    ("bench.claims", "bench.multiverse"),
    ("bench.report",),
    ("bench.verify",),
    ("bench",),  # what starts a run
)
# Modules that import a higher room, each with its reason.
EXCEPTIONS = {"cli": "the command line starts the benchmark"}


def imports(tree, package):
    """Pairs of module and imported name (None for the module itself) in a package's syntax tree."""
    for node in walked(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, None
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *filter(None, [node.module])])
            for alias in node.names:
                inside = PACKAGE.parent.joinpath(*module.split("."), f"{alias.name}.py")
                yield (f"{module}.{alias.name}", None) if inside.exists() else (module, alias.name)


def walked(tree):
    """The nodes of a syntax tree that run: not the imports for annotations alone."""
    nodes = [tree]
    while nodes:
        node = nodes.pop(0)
        yield node
        if not (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"):
            nodes += ast.iter_child_nodes(node)


def level_of(module):
    """The place of a module among the rooms; -1 for the library."""
    parts = module.split(".")[1:]
    if parts == ["bench"]:
        return -1  # the package itself is begun before all its modules
    named = [".".join(parts[:n]) for n in range(len(parts), 0, -1)]
    return next((i for name in named for i, rooms in enumerate(LEVELS) if name in rooms), -1)


def private_reads(tree, package):
    """The private names that a file reads from other modules of the package, as attributes."""
    bound = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            for module, name in imports(node, package):
                if name is None:
                    bound |= {a.asname or a.name: module for a in node.names}
        elif isinstance(node, ast.Import):
            bound |= {a.asname or a.name: a.name for a in node.names}
    return [
        f"{bound[ast.unparse(node.value)]}.{node.attr}"
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and node.attr.startswith("_")
        and not node.attr.startswith("__")
        and bound.get(ast.unparse(node.value), "").split(".")[0] == "mvclust"
    ]


@pytest.mark.parametrize(
    "path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: str(path.relative_to(PACKAGE))
)
def test_a_room_imports_no_higher_room_and_no_private_name(path):
    *package, name = ["mvclust", *path.relative_to(PACKAGE).with_suffix("").parts]
    tree = ast.parse(path.read_text(encoding="utf-8"))
    pairs = [pair for pair in imports(tree, package) if pair != ("mvclust", "__version__")]
    imported = {module for module, _ in pairs if module.startswith("mvclust")}
    module, room = ".".join([*package, name]), path.relative_to(PACKAGE).parts[0]
    higher = [other for other in imported if level_of(other) > level_of(module)]
    assert bool(higher) == (module.removeprefix("mvclust.") in EXCEPTIONS), higher
    if room == "estimators":  # no estimator imports another
        taken = {other for other in imported if other.startswith("mvclust.estimators")}
        assert taken <= {f"mvclust.estimators.{shared}" for shared in SHARED}
    if room == "numerics":
        assert all(other.startswith("mvclust.numerics.") for other in imported)
    deep = {other for other, _ in pairs if re.match(r"jax\b|optax\b|mvclust\.deep\b", other)}
    assert room == "deep" or not deep
    assert not deep & {f"mvclust.deep.{m}" for m in DEEP}, "no deep method imports another"
    private = [p for p in pairs if p[0] in imported and (p[1] or p[0].split(".")[-1])[0] == "_"]
    assert not [*private, *private_reads(tree, package)]


def test_shared_modules_of_estimators_offer_no_method():
    """So that nothing is allowed by the list above that is a method, with parameters of its own."""
    for name in SHARED:
        names = vars(importlib.import_module(f"mvclust.estimators.{name}")).values()
        classes = [found for found in names if isinstance(found, type)]
        methods = [found for found in classes if issubclass(found, MultiViewClusterer)]
        assert not [method for method in methods if "__init__" in vars(method)], name


@pytest.mark.parametrize("path", sorted((ROOT / "benchmarks").glob("*.py")), ids=lambda p: p.stem)
def test_what_a_benchmark_names_is_there(path, monkeypatch):
    monkeypatch.syspath_prepend(str(path.parent))
    importlib.import_module(path.stem)


# Modules, and libraries that they must not import because these take a second: each job on a
# cluster is a call of Snakemake, and a process that only fits needs no files or downloads.
LIGHT = {
    "mvclust.bench.run": {"pandas", "sklearn", "pyarrow", "matplotlib"},
    "mvclust.datasets.fetch, mvclust.datasets.loading, mvclust.datasets.record": {
        *("h5py", "pandas", "scipy.io", "pooch", "requests", "yaml", "matplotlib")
    },
}


@pytest.mark.parametrize(("names", "heavy"), LIGHT.items())
def test_an_import_brings_no_library_that_takes_its_time(names, heavy):
    code = f"import sys, {names}; print({heavy} & sys.modules.keys())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
