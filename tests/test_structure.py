"""Who imports whom: estimators not each other, numerics only numerics, no private names."""

import ast
from pathlib import Path

import pytest
from helpers import ROOT

PACKAGE = ROOT / "mvclust"
# Modules of estimators that are no method.
SHARED = {"anchor_steps", "base", "constraints", "links", "new_samples", "steps"}


def imports(path):
    """Pairs of module and imported name (None for the module itself) within the package."""
    package = ["mvclust", *path.relative_to(PACKAGE).parts[:-1]]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, None
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *filter(None, [node.module])])
            for alias in node.names:
                inside = PACKAGE.parent.joinpath(*module.split("."), f"{alias.name}.py")
                yield (f"{module}.{alias.name}", None) if inside.exists() else (module, alias.name)


def modules(room=""):
    files = sorted(Path(PACKAGE, room).rglob("*.py"))
    assert files
    return [pytest.param(path, id=str(path.relative_to(PACKAGE))) for path in files]


@pytest.mark.parametrize("path", modules("estimators"))
def test_no_estimator_imports_another(path):
    allowed = {f"mvclust.estimators.{name}" for name in SHARED}
    taken = {module for module, _ in imports(path) if module.startswith("mvclust.estimators")}
    assert taken <= allowed


@pytest.mark.parametrize("path", modules("numerics"))
def test_numerics_know_numerics_only(path):
    taken = {module for module, _ in imports(path) if module.split(".")[0] == "mvclust"}
    assert all(module.startswith("mvclust.numerics.") for module in taken)


@pytest.mark.parametrize("path", modules())
def test_no_private_name_is_imported_from_another_module(path):
    private = [
        (module, name)
        for module, name in imports(path)
        if module.split(".")[0] == "mvclust"
        and (name or module.split(".")[-1]).startswith("_")
        and name != "__version__"
    ]
    assert not private


def test_shared_modules_of_estimators_offer_no_method():
    """So that nothing is allowed by the list above that is a method."""
    for name in SHARED:
        text = (PACKAGE / "estimators" / f"{name}.py").read_text(encoding="utf-8")
        methods = [
            node.name
            for node in ast.parse(text).body
            if isinstance(node, ast.ClassDef)
            and "MultiViewClusterer" in [getattr(base, "id", None) for base in node.bases]
        ]
        assert not methods, name
