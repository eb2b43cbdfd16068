"""What a Python file computes: its syntax tree and its imports.

Docstrings, comments and annotations are left out, but for the fields of a class. What was read is
kept under a hash of the file's bytes: reading a hundred modules takes a third of a second.
"""

from __future__ import annotations

import ast
import hashlib
import json
import sys
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from mvclust.datasets.files import completed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

FILE = "code.json"
MOST = 2000  # files of which facts are kept
LONGEST = 255  # characters of a file's name
SCOPES = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
READERS = ("computed_field", "register", "validate_call")  # decorators that act on annotations


def hash_of(content: bytes) -> str:
    """SHA-256 of bytes, in hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


class Kept:
    """Facts of Python files by the hash of their bytes, from this call and earlier ones."""

    def __init__(self) -> None:
        self.earlier, self.used = {}, {}
        # A tree may be another one by another parser, or by another way to write it.
        self.reader = hash_of(Path(__file__).read_bytes() + repr(sys.version_info).encode())

    def recall(self, folder: Path | str) -> None:
        """Load what `save` stored in a folder, unless it is damaged or of another reader."""
        self.earlier = {}
        with suppress(OSError, ValueError):
            stamp, text = Path(folder, FILE).read_text(encoding="utf-8").split("\n")
            if stamp == hash_of((self.reader + text).encode()):
                self.earlier = json.loads(text)

    def save(self, folder: Path | str) -> None:
        """Store the facts for the next call, if there are new ones."""
        if self.used.keys() <= self.earlier.keys():
            return
        text = json.dumps(dict(islice((self.used | self.earlier).items(), MOST)))
        stamp = hash_of((self.reader + text).encode())
        with completed(Path(folder, FILE)) as unfinished:
            unfinished.write_text(f"{stamp}\n{text}", encoding="utf-8")

    def facts(self, source: bytes, package: str) -> tuple[str, list[str], list[str]]:
        """Hash of a file's tree (see `read`), its imports, and texts that may be names of files."""
        key = hash_of(package.encode() + b"\0" + source)
        facts = self.used.get(key) or self.earlier.get(key)
        if facts is None:
            try:
                bare, imported, texts = read(source, package)
            except (SyntaxError, ValueError, RecursionError):  # its import says why
                bare, imported, texts = source, set(), set()
            names = sorted(t for t in texts if 0 < len(t) <= LONGEST and "/" not in t)
            facts = hash_of(bare), sorted(imported), names
        self.used[key] = facts
        return facts


KEPT = Kept()


def read(source: bytes, package: str) -> tuple[bytes, set[str], set[str]]:
    """Syntax tree without docstrings, comments, places and annotations; imports; constant texts.

    The tree is written as `ast.dump` of Python 3.11 writes it; later versions leave out what is
    empty. Relative imports start from the module's `package`.
    """
    parts, imported, texts = [], set(), set()
    put = parts.append

    def write(node: object, annotated: bool) -> None:
        if isinstance(node, ast.AST):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                texts.add(node.value)
            elif isinstance(node, ast.Import | ast.ImportFrom):
                imported.update(_imported(node, package))
            elif isinstance(node, SCOPES):
                annotated = isinstance(node, ast.ClassDef) or _reads_annotations(node)
            elif isinstance(node, ast.AnnAssign) and node.value and not annotated:
                node = ast.Assign(targets=[node.target], value=node.value)
            separator = f"{type(node).__name__}("
            for name, value in _fields(node):
                if name in ("annotation", "returns") and not annotated:
                    continue
                put(f"{separator}{name}=")
                write(value, annotated)
                separator = ", "
            put(")" if separator == ", " else f"{separator})")
        elif isinstance(node, list):
            separator = "["
            for item in node:
                put(separator)
                write(item, annotated)
                separator = ", "
            put("]" if node else "[]")
        else:
            put(repr(node))

    write(ast.parse(source), False)
    return "".join(parts).encode(), imported, texts


def _reads_annotations(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a decorator of a function may act on its annotations."""
    calls = [d.func if isinstance(d, ast.Call) else d for d in function.decorator_list]
    return any(getattr(d, "attr", getattr(d, "id", "")) in READERS for d in calls)


def _fields(node: ast.AST) -> Iterator[tuple[str, Any]]:
    """Yield the names and values of the fields of a node, without what computes nothing."""
    for name in node._fields:
        value = getattr(node, name, None)
        if name == "body" and isinstance(value, list):
            value = [part for part in value if not (is_text(part) or _is_for_types(part))]
        elif name == "names" and getattr(node, "module", None) == "typing":
            value = [alias for alias in value if alias.name != "TYPE_CHECKING"]
        if value is None and not (name == "value" and isinstance(node, ast.Constant)):
            continue
        if name == "type_params" and not value:  # 3.11 has no such field
            continue
        yield name, value


def _is_for_types(node: ast.stmt) -> bool:
    """Whether a statement serves only annotations."""
    if isinstance(node, ast.If):
        return isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
    names = {alias.name for alias in node.names} if isinstance(node, ast.ImportFrom) else None
    return names in ({"annotations"}, {"TYPE_CHECKING"}) and node.module in ("__future__", "typing")


def _imported(node: ast.Import | ast.ImportFrom, package: str) -> list[str]:
    """Names of the modules that an import may load."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    start = node.module or ""
    if node.level:  # from .base import ..., from . import base
        above = package.split(".")
        above = above[: len(above) - node.level + 1]
        start = ".".join([*above, *filter(None, [node.module])])
    return [start, *(f"{start}.{alias.name}" for alias in node.names)]


def is_text(node: ast.AST) -> bool:
    """Whether a node is a text alone, such as a docstring, which computes nothing."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )
